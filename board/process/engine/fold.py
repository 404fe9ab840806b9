"""The fold of one instance's events: `apply` takes in one event and costs what the event can change.

event ──> fields (latest of each)
      ──> status ──> re-arming owed, attempts, when it finished or moved
                 ──> statuses judged anew ──> counts, open rows, rows in progress, scripts that may run
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.attempts import Attempts
from board.process.engine.events import INSTANCE, EventLike
from board.process.engine.rearming import Rearming
from board.process.engine.rows import Rows
from board.process.engine.status.status import is_finished, read_status

STATES = ("open", "doing", "blocked", "skipped", "failed", "done")


class Counts(NamedTuple):
    """Rows of one task by state; `required` is how many are enough, `done` is finished without failed."""

    total: int
    required: int
    open: int
    doing: int
    blocked: int
    skipped: int
    failed: int
    done: int


def state_class(status: str) -> str:
    """The state a status counts as: itself, or `done` for any answer."""
    return status if status in STATES else "done"


class Fold(Rows):
    """Rows with what happened to them. `seq` counts the events taken in; nothing here knows the time."""

    def __init__(self, table: ProcessTable, elements: ElementList | None) -> None:
        super().__init__(table, elements)
        self.seq = 0
        self.cancelled = ""
        self.cancelled_by = ""
        self.attempt_counts = Attempts()
        self.rearming = Rearming(self)
        self._fields: dict[int, dict[str, EventLike]] = {}
        self._outputs: dict[int, dict[str, str]] = {}
        self._opened: dict[int, str] = {}
        self._finished: dict[int, EventLike] = {}
        self._signed: dict[int, EventLike] = {}
        self._moved: dict[int, int] = {}  # by row: the event that finished or reopened it
        self._moved_task = [0] * len(self.flow.tasks)
        self._tally = [dict.fromkeys(STATES, 0) for _ in self.flow.tasks]
        for row, shown in enumerate(self.statuses.shown):
            self._tally[self.statuses.task[row]][state_class(shown)] += 1
        self._open = {row for row, shown in enumerate(self.statuses.shown) if shown == "open"}
        self._doing: set[int] = set()
        self._scripts = sorted(self._turn(row) for row in self._open if self.definition(row).is_script)

    # the fold

    def apply(self, event: EventLike) -> set[int]:
        """Take in one event of this instance; returns the rows that look different for it."""
        self.seq += 1
        if event.task == INSTANCE:
            if event.field == "cancelled":
                self.cancelled, self.cancelled_by = event.value, event.actor
            return set()
        row = self.find(event.task, event.element)
        if row is None:
            return set()
        if event.field == "status" and self.attempt_counts.is_fenced(row, event):
            return set()
        self._fields.setdefault(row, {})[event.field] = event
        if event.field == "status":
            return self._apply_status(row, event)
        if event.field == "attempt":
            self.attempt_counts.take_in_number(row, event.value)
        if event.field.startswith("output."):
            self._outputs.setdefault(row, {})[event.field.removeprefix("output.")] = event.value
        return {row}

    def _apply_status(self, row: int, event: EventLike) -> set[int]:
        value, task = read_status(event.value), self.statuses.task[row]
        self.rearming.take_in(row, value, event)
        if self.attempt_counts.take_in(row, self.flow.cycle_of(task), value, event, self.seq):
            self._outputs.pop(row, None)
        if is_finished(value):
            self._finished[row] = event
            if not event.ref:
                self._signed[row] = event
        if is_finished(value) or (is_finished(self.stored(row)) and value == "open"):
            self._moved[row] = self._moved_task[task] = self.seq
        touched = self.statuses.store(row, value) | {row}
        for changed, before in self.statuses.changed.items():
            self._move(changed, before, event.ts)
        if value == "open" and self.status(row) == "open":
            self._opened[row] = event.ts
        return touched

    def _move(self, row: int, before: str, ts: str) -> None:
        """Take a row that is shown otherwise out of the lists it was in, and into those it is in now."""
        shown = self.status(row)
        tally = self._tally[self.statuses.task[row]]
        tally[state_class(before)] -= 1
        tally[state_class(shown)] += 1
        if before == "open":
            self._leave(row)
        elif before == "doing":
            self._doing.discard(row)
        if shown == "open":
            self._opened[row] = ts
        elif shown != "doing":  # a deadline runs on while somebody is at it
            self._opened.pop(row, None)
        self._enter(row, shown)

    def _enter(self, row: int, shown: str) -> None:
        if shown == "doing":
            self._doing.add(row)
        elif shown == "open":
            self._open.add(row)
            if self.definition(row).is_script:
                insort(self._scripts, self._turn(row))

    def _leave(self, row: int) -> None:
        self._open.discard(row)
        at = bisect_left(self._scripts, self._turn(row))
        if at < len(self._scripts) and self._scripts[at][1] == row:
            del self._scripts[at]

    def _turn(self, row: int) -> tuple[int, int]:
        """When a script has its turn: single tasks before all, then element by element."""
        task = self.statuses.task[row]
        return (-1 if self.statuses.sizes[task] is None else row - self.statuses.base[task], row)

    # numbers and lists

    def counts(self, task: str) -> Counts:
        number = self.flow.index[task]
        tally = self._tally[number]
        total = len(self.statuses.rows_of(number))
        return Counts(total, self.statuses.required(number), *(tally[state] for state in STATES))

    def tally(self, task: int) -> Mapping[str, int]:
        """How many rows of a task (number) are in each state."""
        return self._tally[task]

    def open_rows(self) -> Iterator[int]:
        return iter(sorted(self._open))

    def doing_rows(self) -> Iterator[int]:
        return iter(sorted(self._doing))

    # fields

    def latest(self, row: int, field: str) -> EventLike | None:
        return self._fields.get(row, {}).get(field)

    def value(self, row: int, field: str) -> str:
        event = self.latest(row, field)
        return event.value if event is not None else ""

    def fields(self, row: int) -> Mapping[str, EventLike]:
        return self._fields.get(row, {})

    def outputs(self, row: int) -> Mapping[str, str]:
        """What the latest attempt of a row handed on, by key."""
        return self._outputs.get(row, {})

    # when

    def finished(self, row: int) -> EventLike | None:
        """The event by which the row was last finished, also when it was reopened since."""
        return self._finished.get(row)

    def signers(self, row: int) -> list[EventLike]:
        """The last finish of a row, and the last that came by no message: one message does not undo who signed."""
        return [ends[row] for ends in (self._finished, self._signed) if row in ends]

    def opened_at(self, row: int) -> str:
        """When an open row, or one somebody is at, became open; "" for any other."""
        return self._opened.get(row, "")

    def moved_after(self, row: int, task: int) -> bool:
        """Whether a row of `task` that belongs to a row finished or was reopened after the row did."""
        moved = self._moved.get(row, 0)
        if self._moved_task[task] <= moved:
            return False
        return any(self._moved.get(each, 0) > moved for each in self.related(row, task))
