"""Rows that are opened again and again, by whoever it is, begin ever more slowly (semantics, section 8.2)."""

from __future__ import annotations

from collections import deque

from board.process.engine.events import EventLike
from board.services import attempts

Key = tuple[str, int]  # an instance and a row

FREE = 5  # attempts that begin at once
MOST_S = 60.0  # the longest wait between two
WINDOW_S = 600.0  # an attempt counts this long
# a loop of scripts ends by itself after 100 rounds: by then it has spent what is free, and so slowly it may go on
_OF_LOOP = FREE / (attempts.MAX_ROUNDS + FREE)


class Backoff:
    """How often each row began of late because it had been opened again; kept in memory, monotonic seconds."""

    def __init__(self) -> None:
        self._begun: dict[Key, deque[tuple[float, float]]] = {}  # when, and how much it counts
        self._swept = 0.0

    def note(self, key: Key, opened: EventLike | None, now: float) -> float:
        """Count an attempt that begins, by the event that opened its row; the seconds the next one has to wait."""
        counts = _counts(opened)
        if counts:
            self._begun.setdefault(key, deque()).append((now, counts))
        if now - self._swept > WINDOW_S:
            self._swept = now
            self._begun = {k: begun for k, begun in self._begun.items() if now - begun[-1][0] < WINDOW_S}
        return max(0.0, self.until(key, now) - now) if counts else 0.0

    def until(self, key: Key, now: float) -> float:
        """When a row that was opened again may begin, 0 for at once."""
        begun = self._begun.get(key)
        while begun and now - begun[0][0] > WINDOW_S:
            begun.popleft()
        over = sum(counts for _, counts in begun) - FREE if begun else -1.0
        return begun[-1][0] + min(MOST_S, 2.0**over) if begun and over >= 0 else 0.0


def _counts(opened: EventLike | None) -> float:
    """What an attempt counts: nothing for a row's first one or the worker's own retries, which the table bounds."""
    if opened is None or attempts.is_own_return(opened):
        return 0.0
    return _OF_LOOP if attempts.is_own(opened) else 1.0
