"""What a finish puts back to open: checks whose fix is done, and the next round of a loop (semantics, section 6).

draft ──> review ──ok──> end        review answers `no`: draft goes back to open (re-armed);
  ^         │                       draft finishes again: review goes back to open (the next round)
  └───no────┘

qa ──false──> fix1 ──┐              fix1 and fix2 are one team: qa goes back to open
 ^  └─false─> fix2 ──┤              when the last of them has finished
 └───────────────────┘
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from board.process.engine.events import REARM, Draft, EventLike, on_behalf
from board.process.engine.rows import Rows
from board.process.engine.status.status import is_finished
from board.process.flow.loops import Rearm


class Rearming:
    """Which rows a finish re-arms, and the re-arming that is still to be written."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._finished: set[int] = set()  # rows that finished at least once
        self._owed: dict[int, tuple[EventLike, int]] = {}  # by row: the finish that re-arms it, and of which row

    def consequences(self, row: int, value: str) -> list[int]:
        """The finished rows that go back to open when this row finishes with `value`."""
        if not is_finished(value):
            return []
        source = self.rows.statuses.task[row]
        again: dict[int, None] = {}
        if self.rows.flow.rearms_of[source]:
            again.update(dict.fromkeys(self._rearmed(row, source, value)))
        if row in self._finished:
            again.update(dict.fromkeys(self._next_round(row, source, value)))
        return [each for each in again if each != row and is_finished(self.rows.stored(each))]

    def drafts(self, rows: Iterable[int], actor: str, ref: str = "") -> list[Draft]:
        """One event a row: back to open, on behalf of whoever, or of the message that, finished what re-arms it."""
        behalf = on_behalf(actor, REARM)
        return [
            Draft(self.rows.task_of(row), "status", "open", behalf, self.rows.element_of(row), ref=ref) for row in rows
        ]

    def owed(self) -> list[Draft]:
        """The re-arming that another program's finish left out."""
        return [draft for row, (by, _) in self._owed.items() for draft in self.drafts([row], by.actor, by.ref)]

    def take_in(self, row: int, value: str, event: EventLike) -> None:
        """Note a status of a row, before it is stored: what its finish owes, and what is owed no more."""
        self._owed.pop(row, None)
        if is_finished(value):
            self._owed.update(dict.fromkeys(self.consequences(row, value), (event, row)))
            self._finished.add(row)
        elif self._owed:  # a finish that is taken back (a retry) owes nothing more
            self._owed = {each: owed for each, owed in self._owed.items() if owed[1] != row}

    def _rearmed(self, row: int, source: int, value: str) -> Iterator[int]:
        """The rows that a loop-back or fix puts back to open by finishing."""
        for check in self.rows.flow.rearms_of[source]:
            rearms = self.rows.flow.rearms[check]
            met = [each for each in rearms if each.source == source and self._is_met(each, check, row, value)]
            mates = [each.source for each in rearms if not each.label and each.source != source]
            if any(each.label for each in met):
                yield from self.rows.related(row, check)
            elif met:
                checks = self.rows.related(row, check)
                yield from (each for each in checks if not self._is_awaited(each, mates, row, value))

    def _is_awaited(self, check: int, mates: list[int], row: int, value: str) -> bool:
        """Whether a team mate is still under way once a row has finished: the check does not run beside its work."""
        statuses = self.rows.statuses
        if not any(statuses.is_under_way(mate, check) for mate in mates):
            return False
        with statuses.supposing(row, value):  # what waited for the row may be skipped by its answer
            return any(statuses.is_under_way(mate, check) for mate in mates)

    def _is_met(self, rearm: Rearm, check: int, row: int, value: str) -> bool:
        if not self.rows.flow.meets(rearm.source, rearm.label, value):
            return False
        repeats = self.rows.flow.group_of[rearm.source] != ""
        counted = repeats and not self.rows.is_alike(check, rearm.source)
        return not counted or self.rows.statuses.turns_met(row, rearm.label, value)

    def _next_round(self, row: int, check: int, value: str) -> Iterator[int]:
        """The rows on the branch of a check that has finished before: its fix can be made again."""
        for task in self.rows.flow.between(check, value):
            yield from self.rows.related(row, task)
