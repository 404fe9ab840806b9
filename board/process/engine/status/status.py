"""Statuses over a flow, and why they are so (semantics, section 4).

Rows are numbered task by task in table order, within a repeated task element by element. Three layers, each a class on
the one before: `Wiring` (who asks whom), `Judging` (what each row is shown as), `Statuses` (the questions of others).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from board.process.engine.status.coming import RUNNING
from board.process.engine.status.judging import Judging, read_status
from board.process.engine.status.sources import MET, NEVER, STALLED, WAITING, Count, verdict
from board.process.flow.gates import Gate

__all__ = ["MET", "NEVER", "STALLED", "UNFINISHED", "WAITING", "Statuses", "Waiting", "is_finished", "read_status"]

UNFINISHED = frozenset({"open", "doing", "blocked", "skipped"})


class Waiting(NamedTuple):
    """What a blocked row waits for first: a task or group id, its label, and whether it has failed."""

    id: str
    label: str
    failed: bool


def is_finished(status: str) -> bool:
    """Whether a status is `done`, `failed` or an answer."""
    return status not in UNFINISHED


class Statuses(Judging):
    """The shown status of every row, from the stored ones."""

    def waiting(self, row: int) -> Waiting | None:
        """The first waiting gate of a blocked row: own gates first, then its group's, sets that are open left out."""
        if self.shown[row] != "blocked":
            return None
        task = self.task[row]
        place = row - self.base[task]
        for each in self._sets[task]:
            if verdict(each, self._states(each, place)) == "open":
                continue
            for asked in each.asked:
                state = self._state(asked, place)
                if state in (WAITING, STALLED):
                    return Waiting(asked.gate.id, asked.gate.label, state == STALLED)
        return None

    def gates(self, row: int) -> list[tuple[Gate, int]]:
        """Every gate of a row with its state as the row judges it, own gates first, in the order written."""
        place = row - self.base[self.task[row]]
        return [
            (asked.gate, state)
            for each in self._sets[self.task[row]]
            for asked, state in zip(each.asked, self._states(each, place), strict=True)
        ]

    def group_complete(self, group: str) -> bool:
        """Whether enough elements of a group that says how many are enough are complete."""
        return group in self._whole and self._whole[group].count.state == MET

    def is_element_complete(self, group: str, place: int) -> bool:
        """Whether every member row of an element is settled, in a group that says how many are enough."""
        return self._whole[group].states[place] in (MET, NEVER)

    def source_rows(self, row: int, gate: Gate) -> Iterable[int]:
        """The rows a gate of `row` looks at."""
        for source in gate.sources:
            if self.sizes[source] is not None and gate.per_element:
                yield self.base[source] + row - self.base[self.task[row]]
            else:
                yield from self.rows_of(source)

    def waits_for(self, row: int) -> Iterable[int]:
        """The unsettled rows that the waiting gates of a blocked row look at."""
        if self.shown[row] != "blocked":
            return
        hollow: set[int] = set()
        for gate, state in self.gates(row):
            if state in (WAITING, STALLED):
                yield from (each for each in self.source_rows(row, gate) if not self._is_settled(each))
                hollow.update(task for task in gate.sources if self.sizes[task] == 0)
        yield from self._waits_through(hollow)

    def coming_rows(self, row: int) -> Iterator[int]:
        """The rows that go round again and can still lead to what a blocked inclusive join waits for."""
        task = self.task[row]
        place = row - self.base[task]
        for asked in (asked for each in self._sets[task] for asked in each.asked):
            if self.shown[row] == "blocked" and asked.coming is not None and self._state(asked, place) == NEVER:
                for source in asked.coming.tasks:
                    rows = (self.base[source] + place,) if self.is_alike(source, task) else self.rows_of(source)
                    yield from (each for each in rows if self.shown[each] in RUNNING)

    def _waits_through(self, hollow: set[int]) -> Iterator[int]:
        """The unsettled rows that tasks without elements wait for."""
        todo = list(hollow)
        while todo:
            task = todo.pop()
            for gate in (gate for each in self._judged(task) for gate in each.gates):
                for source in gate.sources:
                    yield from (row for row in self.rows_of(source) if not self._is_settled(row))
                    if self.sizes[source] == 0 and source not in hollow:
                        hollow.add(source)
                        todo.append(source)

    def askers(self, task: int) -> set[int]:
        """The tasks that rows of a task can hold: by a gate, or by what can still come."""
        asking = {asker for source in self._sources_of[task] for asker in source.askers}
        return asking | {coming.join for coming in self._comings_of[task]}

    def turns_met(self, row: int, label: str, value: str) -> bool:
        """Whether a finish of a repeated row with `value` turns the counted gate `task:label` from not met to met."""
        task = self.task[row]
        count = Count(self.required(task), self.sizes[task] or 0)
        for each in self.rows_of(task):
            count.add(self._row_state(each, label), 1)
        before = count.state
        count.add(self._row_state(row, label), -1)
        count.add(MET if self.flow.meets(task, label, value) else NEVER, 1)
        return before != MET and count.state == MET

    def is_under_way(self, task: int, row: int) -> bool:
        """Whether a gate of a row on a task, without a label, would wait; nobody is at a task without elements."""
        place = row - self.base[self.task[row]]
        if self.is_alike(task, self.task[row]):
            return self._row_state(self.base[task] + place, "") in (WAITING, STALLED)
        count = Count(self.required(task), len(self.rows_of(task)))
        for each in self.rows_of(task):
            count.add(self._row_state(each, ""), 1)
        return count.state in (WAITING, STALLED)
