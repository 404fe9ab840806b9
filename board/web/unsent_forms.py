"""Forms that did not get through, kept so that nobody types twice: after an expired login, a stale page, a fault."""

from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

from board.web.http import from_here

MAX_CHARACTERS = 1_000_000  # of one kept form; a larger one is an upload, which its owner still has
TECHNICAL = frozenset(
    {"csrfmiddlewaretoken", "next", "kept", "password", "old_password", "new_password1", "new_password2"}
)


@dataclass(frozen=True, slots=True)
class Kept:
    """What somebody sent: where to, from which page, the fields in order, and whether files were among them."""

    path: str
    back: str
    pairs: list[tuple[str, str]]
    files: bool = False

    @property
    def shown(self) -> list[tuple[str, str]]:
        """What people would call typed: every field with something in it, under its name in words."""
        return [_said(name, value) for name, value in self.pairs if value.strip()]

    def to_text(self) -> str:
        """As one field of the login form."""
        return msgspec.json.encode(asdict(self)).decode()


def _said(name: str, value: str) -> tuple[str, str]:
    if name == "do":  # the button: `finish:rejected`
        return "Your choice", value.partition(":")[2] or value
    return name.replace("_", " ").capitalize(), value


def keep(request: HttpRequest) -> Kept | None:
    """The form of a POST as it came; None when it is not from one of our own pages, or too large.

    The first is what makes this safe: nobody else's page can put words in front of a send button of ours.
    Passwords are never kept.
    """
    if request.method != "POST" or not from_here(request):
        return None
    pairs = [(n, str(v)) for n, values in request.POST.lists() for v in values if n not in TECHNICAL]
    if sum(len(name) + len(value) for name, value in pairs) > MAX_CHARACTERS:
        return None
    return Kept(request.get_full_path(), _page_before(request), pairs, bool(request.FILES))


def read(text: str) -> Kept | None:
    """The kept form of `Kept.to_text`; None when it is none, or names an address that is not on this board."""
    try:
        kept = msgspec.json.decode(text, type=Kept)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    return kept if all(_is_local(path) for path in (kept.path, kept.back)) else None


def as_session(kept: Kept) -> dict[str, Any]:
    """For a session, which holds JSON."""
    return asdict(kept)


def from_session(stored: dict[str, Any]) -> Kept:
    """What `as_session` put there."""
    return msgspec.convert(stored, type=Kept)


def _page_before(request: HttpRequest) -> str:
    parts = urlsplit(request.headers.get("Referer", ""))
    same = parts.netloc == request.get_host() and _is_local(parts.path)
    return parts.path + (f"?{parts.query}" if parts.query else "") if same else "/"


def _is_local(path: str) -> bool:
    return path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None)
