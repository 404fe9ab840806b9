"""Hundreds who watch one board ask each second: most of them are answered here, in front of Django.

Who was let through to the news of an instance is remembered for a while, by session and address. Within it only
what needs no making is answered: 204, or news that are made already; they are the same for everybody who may look.
The view asks who may look before it answers anything, so whoever got an answer had the right to it. A logout or a
change of accounts that this machine makes ends it at once, and so does another log; a change made on another machine,
or in the database itself, counts within a minute, together with what `board.accounts.sessions` remembers.
"""

import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from typing import Any, NamedTuple

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict, parse_cookie

from board.accounts.changes import changes
from board.log.base import Position
from board.log.errors import ReadError
from board.selectors.instance.fragments import News
from board.views.instance import board

Headers = tuple[tuple[str, str], ...]
Start = Callable[..., Any]
Asked = tuple[str, tuple[str, str]]  # since when, and what is looked at
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]

KEPT_S = 45.0
MOST = 20_000  # watchers, of some hundred bytes each whatever they sent
MAX_ADDRESS = 2048  # characters of a path and its query; what is longer is not remembered
MAX_COOKIES = 8192  # characters; a browser of ours sends some hundred
# what says, beside the session, who asks for what: the same of all these, the same right to an answer
_WHO = ("PATH_INFO", "HTTP_HOST", "HTTP_X_FORWARDED_PROTO")
# what belongs to one answer and not to the next
_OWN = frozenset({"content-length", "x-position", "x-request-id", "set-cookie"})


class _Known(NamedTuple):
    """Somebody who was let through: until when, what accounts and the log then were, the headers of the answer."""

    until: float
    changes: int
    log: str
    headers: Headers


class PollShortcut:
    """A WSGI application that answers polls of those it knows, and hands everything else on."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.known: dict[bytes, _Known] = {}
        self.lock = Lock()

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        """Return the answer that is there, or what the application says."""
        if environ["REQUEST_METHOD"] != "GET" or not environ["PATH_INFO"].endswith("/news/"):
            return self.application(environ, start)
        asked = _asked_in(environ)
        who = _who(environ) if asked else None
        if asked is None or who is None:
            return self.application(environ, start)
        now, accounts = time.monotonic(), changes()
        known = self.known.get(who)
        if known is not None and known.until > now and known.changes == accounts:
            news = _kept(asked, known)
            if news is not None:
                body = news.html or b""
                own = [("X-Position", news.position), ("Content-Length", str(len(body)))]
                start("204 No Content" if news.html is None else "200 OK", [*known.headers, *own])
                return [body]

        def started(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            if status[:3] in ("200", "204"):
                self._remember(who, _Known(now + KEPT_S, accounts, _log_of(headers), _told(headers)))
            return start(status, headers, *more)

        return self.application(environ, started)

    def _remember(self, who: bytes, known: _Known) -> None:
        with self.lock:
            self.known.pop(who, None)  # anew, as the last to go
            while len(self.known) >= MOST:
                del self.known[next(iter(self.known))]
            self.known[who] = known


def _who(environ: dict[str, Any]) -> bytes | None:
    """Return who asks for what, in 16 bytes; of the cookies only the session's counts. None without a session."""
    cookies = environ.get("HTTP_COOKIE", "")
    session = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME) if len(cookies) <= MAX_COOKIES else None
    if not session:
        return None
    parts = (session, *(environ.get(name, "") for name in _WHO))
    return blake2b(repr(parts).encode(), digest_size=16).digest()


def _told(headers: list[tuple[str, str]]) -> Headers:
    return _once(tuple((name, value) for name, value in headers if name.lower() not in _OWN))


@lru_cache(maxsize=64)
def _once(headers: Headers) -> Headers:
    """Return the same headers as before: nearly all answers have the same, which are then kept once."""
    return headers


def _log_of(headers: list[tuple[str, str]]) -> str:
    """Return the identity of the log an answer was made from."""
    position = Position.parse(dict(headers).get("X-Position", ""))
    return position.identity if position is not None else ""


def _kept(asked: Asked, known: _Known) -> News | None:
    try:
        news = board.kept_news(*asked)
    except ReadError:
        return None  # the application says what is wrong
    if news is None or news.reload or not news.position.startswith(f"{known.log}-"):
        return None
    return news


def _asked_in(environ: dict[str, Any]) -> Asked | None:
    path, query = environ["PATH_INFO"], environ.get("QUERY_STRING", "")
    try:
        return _asked(path, query) if len(path) + len(query) <= MAX_ADDRESS else None
    except SuspiciousOperation:
        return None  # the application says what is wrong


@lru_cache(maxsize=1024)
def _asked(path: str, query: str) -> Asked | None:
    """Return what a poll for news of an instance asks; None for another address, and for `latest`, which changes."""
    parts = path.split("/")  # "", instances, INSTANCE, news, ""
    if len(parts) != 5 or parts[1] != "instances" or parts[2] in ("-", "latest"):
        return None
    read = QueryDict(query.encode("latin-1"))  # bytes, as the protocol has them
    return read.get("v", ""), board.about(parts[2], board.wanted(read))
