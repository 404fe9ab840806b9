"""Hundreds who watch one board ask each second: most of them are answered here, in front of Django.

Who was let through to the news of an instance is remembered for a minute, by cookie and address. Within it only
what needs no making is answered: 204, or news that are made already; they are the same for everybody who may look.
A logout or a change of accounts that this machine makes ends it at once; a change made on another machine, or in the
database itself, counts within that minute.
"""

import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict

from board.accounts import changes
from board.log.errors import ReadError
from board.selectors.news import News
from board.views import board

Headers = list[tuple[str, str]]
Start = Callable[..., Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]

KEPT_S = 60.0
MOST = 20_000
# what says who asks for what: the same of all these, the same right to an answer
_WHO = ("HTTP_COOKIE", "PATH_INFO", "HTTP_HOST", "HTTP_X_FORWARDED_PROTO")
# what belongs to one answer and not to the next
_OWN = frozenset({"content-length", "x-position", "set-cookie"})


class _Known(NamedTuple):
    """Somebody who was let through: until when, what accounts then were, and what the answer said of itself."""

    until: float
    changes: int
    headers: Headers


class Watching:
    """A WSGI application that answers polls of those it knows, and hands everything else on."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.known: dict[tuple[str, ...], _Known] = {}

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        """The answer that is there, or what the application says."""
        if environ["REQUEST_METHOD"] != "GET" or not environ["PATH_INFO"].endswith("/news/"):
            return self.application(environ, start)
        who = tuple(environ.get(name, "") for name in _WHO)
        now, accounts = time.monotonic(), changes()
        known = self.known.get(who)
        if known is not None and known.until > now and known.changes == accounts:
            found = _kept(environ["PATH_INFO"], environ.get("QUERY_STRING", ""))
            if found is not None:
                body = found.html or b""
                own = [("X-Position", found.position), ("Content-Length", str(len(body)))]
                start("204 No Content" if found.html is None else "200 OK", [*known.headers, *own])
                return [body]

        def started(status: str, headers: Headers, *more: Any) -> Any:
            if status[:3] in ("200", "204") and environ.get("HTTP_COOKIE"):
                if len(self.known) >= MOST:
                    self.known.clear()
                said = [(name, value) for name, value in headers if name.lower() not in _OWN]
                self.known[who] = _Known(now + KEPT_S, accounts, said)
            return start(status, headers, *more)

        return self.application(environ, started)


def _kept(path: str, query: str) -> News | None:
    try:
        asked = _asked(path, query)
        found = asked and board.kept_news(*asked)
    except (SuspiciousOperation, ReadError):
        return None  # the application says what is wrong
    return None if found is None or found.reload else found


@lru_cache(maxsize=1024)
def _asked(path: str, query: str) -> tuple[str, tuple[str, str]] | None:
    """(since, what is looked at) of a poll for the news of an instance; None for any other address."""
    parts = path.split("/")  # "", instances, INSTANCE, news, ""
    if len(parts) != 5 or parts[1] != "instances":
        return None
    read = QueryDict(query.encode("latin-1"))  # bytes, as the protocol has them
    return read.get("v", ""), board.about(parts[2], board.wanted(read))
