"""What the fold knows of the worker's attempts, row by row (semantics, section 3.3)."""

from __future__ import annotations

from board.process.engine.events import RECOVERED, WORKER, EventLike, account, read_author
from board.process.engine.status.status import is_finished

SUSPECT_AFTER = 2
"""Attempts lost in a row after which a script runs alone."""


class Attempts:
    """Starts, failures, interruptions and rounds of scripts.

    Starts are those of every program, so that no number is given twice; the rest is the worker's: only its events carry
    the key `attempt`, and clicks and messages count for nothing here but to begin anew.
    """

    def __init__(self) -> None:
        self._started: dict[int, int] = {}
        self._begun: dict[int, int] = {}  # the number of the latest attempt that a status event speaks of
        self._failed: dict[int, int] = {}
        self._interrupted: dict[int, int] = {}
        self._rounds: dict[int, tuple[int, int]] = {}
        self._others: dict[int, int] = {}

    def started(self, row: int) -> int:
        return self._started.get(row, 0)

    def failed(self, row: int) -> int:
        return self._failed.get(row, 0)

    def interrupted(self, row: int) -> int:
        return self._interrupted.get(row, 0)

    def suspects(self) -> list[int]:
        """The rows whose latest two attempts or more were lost: each may be what takes its worker down."""
        return [row for row, times in self._interrupted.items() if times >= SUSPECT_AFTER]

    def rounds(self, row: int, cycle: int) -> int:
        """How often the worker finished this row since anybody else had a hand in its cycle."""
        since, rounds = self._rounds.get(row, (0, 0))
        return rounds if since >= self._others.get(cycle, 0) else 0

    def take_in_number(self, row: int, text: str) -> None:
        """Count what an `attempt` event says, whoever appended it: another program's workers number theirs so."""
        self._started[row] = max(self._started.get(row, 0), _whole(text))

    def is_fenced(self, row: int, event: EventLike) -> bool:
        """Whether a status event is of an attempt that a later one has followed: it changes nothing."""
        number = _whole(str(event.attempt))
        return 0 < number < self._begun.get(row, 0)

    def take_in(self, row: int, cycle: int, value: str, event: EventLike, seq: int) -> bool:
        """Count a status event; returns whether a new attempt began with it."""
        if account(event.actor) != WORKER:
            self._others[cycle] = seq
        self._begun[row] = max(self._begun.get(row, 0), _whole(str(event.attempt)))
        if event.attempt == "" or account(event.actor) != WORKER:
            if value == "open":
                self._failed.pop(row, None)
                self._interrupted.pop(row, None)
            return False
        if value == "doing":
            self._started[row] = max(self._started.get(row, 0) + 1, _whole(str(event.attempt)))
            return True
        if is_finished(value):
            # what was refused has a number too, so that no log is written twice
            self._started[row] = max(self._started.get(row, 0), _whole(str(event.attempt)))
            self._interrupted.pop(row, None)
            self._failed[row] = self._failed.get(row, 0) + 1 if value == "failed" else 0
            self._rounds[row] = (seq, self.rounds(row, cycle) + 1)
        elif read_author(event.actor).occasion == RECOVERED:
            self._interrupted[row] = self._interrupted.get(row, 0) + 1
        return False


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
