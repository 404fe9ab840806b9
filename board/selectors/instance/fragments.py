"""The news of an instance: what changed between two positions, rendered once for all who look at the same."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import NamedTuple, overload

from board.log.base import Position
from board.log.tail import Tail

KEPT = 512  # answers; each is at most some hundred kilobytes, most are two


class News(NamedTuple):
    """The answer to "what is new since": where the log stands, and the fragments (None: nothing for this page)."""

    position: str
    html: bytes | None
    reload: bool = False


class AnswerCache:
    """Answers by what they are about; of many who ask the same at once, one works it out."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, News] = OrderedDict()
        self._lock = threading.Lock()
        self._working: dict[Hashable, threading.Lock] = {}

    def peek(self, key: Hashable) -> News | None:
        """Return the answer kept under `key`, if there is one."""
        return self._kept.get(key)  # one step of the interpreter: it needs no lock

    def get(self, key: Hashable, make: Callable[[], News]) -> News:
        """Return the answer kept under `key`, or a new one."""
        with self._lock:
            answer = self._kept.get(key)
            if answer is not None:
                return answer
            turn = self._working.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                answer = self._kept.get(key)
            if answer is None:
                try:
                    answer = make()
                finally:
                    self._working.pop(key, None)
                self._keep(key, answer)
        return answer

    def _keep(self, key: Hashable, news: News) -> None:
        with self._lock:
            self._kept[key] = news
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)


_ANSWERS = AnswerCache()


Make = Callable[[Position], bytes | None]


@overload
def news(tail: Tail, since: str, about: tuple[Hashable, ...], make: Make) -> News: ...
@overload
def news(tail: Tail, since: str, about: tuple[Hashable, ...], make: None) -> News | None: ...
def news(tail: Tail, since: str, about: tuple[Hashable, ...], make: Make | None) -> News | None:
    """Return what changed since a position for whoever looks at `about`; costs one `stat` while nothing happens.

    `make` gives the fragments from a known position on, None when there are none; without it the answer is None when
    it would have to be made. A position of another log, or one that cannot be read, asks for a reload.
    """
    position = tail.refresh()
    said = str(position)
    if since == said:
        return News(said, None)
    before = Position.parse(since)
    if before is None or before.identity not in (position.identity, "0") or before.offset > position.offset:
        return News(said, None, reload=True)
    key = (id(tail), since, said, *about)
    return _ANSWERS.peek(key) if make is None else _ANSWERS.get(key, lambda: News(said, make(before)))
