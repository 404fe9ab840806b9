"""What every request passes through: freshness, where it comes from, addresses, what base.html shows on every page."""

import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, unquote_to_bytes

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django_htmx.middleware import HtmxDetails


_ODD = re.compile(r"[%\\\x00-\x1f\x7f\udc80-\udcff]+")


class Request(HttpRequest):
    """A request that has passed the middleware: somebody is logged in. For annotations only."""

    user: "User"
    htmx: "HtmxDetails"


class FreshMiddleware(MiddlewareMixin):
    """Nothing is shown from a cache: after a logout, and after Back, the page is asked for again.

    A page and its fragments share addresses, so every answer varies with the header that tells them apart.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Add the two headers where a view has not decided itself."""
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, no_store=True, private=True)
        patch_vary_headers(response, ["HX-Request"])
        return response


def client_address(request: HttpRequest) -> str:
    """Whose login this is: the peer, or what the outermost of our own FOLDBOARD_PROXIES proxies saw.

    Entries further left in X-Forwarded-For come from the client, who may write anything there.
    """
    forwarded: list[str] = [
        part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()
    ]
    if settings.FOLDBOARD_PROXIES and forwarded:
        return forwarded[-min(settings.FOLDBOARD_PROXIES, len(forwarded))]
    return str(request.META.get("REMOTE_ADDR", ""))


def from_here(request: HttpRequest) -> bool:
    """Whether a form was sent by one of our own pages, as the browser says; no word from it means no."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("Origin")
    return origin is not None and origin == f"{request.scheme}://{request.get_host()}"


class IdConverter:
    """An instance id in an address: letters, digits, `. _ -`, not starting with `.` or `-`, at most 64 characters."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        """The id as it stands."""
        return value

    def to_url(self, value: str) -> str:
        """The id as it stands."""
        return value


class TextConverter:
    """Any text in one part of an address, the name of a process say: what would end the part is written encoded."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        """The text."""
        return unquote(value)

    def to_url(self, value: str) -> str:
        """`/` and `%` encoded, and dots where they would mean a folder."""
        return value.replace(".", "%2E") if value.strip(".") == "" else quote(value, safe=" .")


class RowConverter:
    """A row in an address: `TASK` or `TASK@ELEMENT`; the element is any text, so `/` and `%` are written encoded."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> tuple[str, str]:
        """(task, element), element "" for a single task. A task id has no `@`, so the first one divides."""
        task, _, element = value.partition("@")
        return task, unquote(element)

    def to_url(self, value: tuple[str, str] | str) -> str:
        """From (task, element) or `TASK[@ELEMENT]`; Django encodes what else an address may not hold."""
        task, element = value if isinstance(value, tuple) else (value.partition("@")[0], value.partition("@")[2])
        return f"{task}@{quote(element, safe=' ')}" if element else task


class FileConverter:
    """The name of a file that a script gave: any bytes, with `/`; what an address cannot hold is written encoded."""

    regex = r"(?s:.+)"

    def to_python(self, value: str) -> str:
        """The name, bytes that are not text as `os.fsdecode` gives them."""
        return os.fsdecode(unquote_to_bytes(value))

    def to_url(self, value: str) -> str:
        """`%`, `\\`, control characters and bytes that are not text encoded; Django does the rest."""
        return _ODD.sub(lambda odd: quote(os.fsencode(odd[0])), value)


CONVERTERS: dict[str, Any] = {"id": IdConverter, "row": RowConverter, "text": TextConverter, "file": FileConverter}


def shell(request: HttpRequest) -> dict[str, Any]:
    """What base.html needs on every page; nothing for a stranger."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    from board.selectors import frame as selectors

    return {"shell": selectors.shell(user)}
