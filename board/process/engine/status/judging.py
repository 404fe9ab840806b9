"""Judging: what each row is shown as, kept up to date; an event judges anew only the rows it can change.

    store(row) ──> judge the row ──> shown changed? ──> its sources' states changed? ──> judge those who ask them
                   └──────────────────────── in flow order, until nothing is marked ───────────────────────────┘

A hollow task has no row. The gates of its group are judged all the same, as row `~task`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush

from board.process.engine.status.coming import RUNNING, Coming
from board.process.engine.status.sources import (
    MET,
    NEVER,
    STALLED,
    WAITING,
    Asked,
    AskedSet,
    Source,
    seen_from_outside,
    verdict,
)
from board.process.engine.status.wiring import Wiring
from board.process.flow.flow import Flow
from board.process.flow.gates import Gate


def read_status(value: str) -> str:
    """The status an event's value stands for: an empty one and a stored `blocked` read as `open`."""
    return "open" if value in ("", "blocked") else value


class Judging(Wiring):
    """The stored status of every row (the log's) and the shown one (what people see).

    A stored one wins when it is not `open`, else the gates decide. After each `store`, `changed` says of the
    rows that are shown otherwise what they were.
    """

    def __init__(self, flow: Flow, sizes: Sequence[int | None]) -> None:
        super().__init__(flow, sizes)
        self.stored = ["open"] * len(self.task)
        self.shown = ["blocked"] * len(self.task)
        self.changed: dict[int, str] = {}
        self._hollow = ["blocked" if size == 0 else "" for size in sizes]  # verdicts on tasks without elements
        self._marked: dict[int, set[int]] = defaultdict(set)  # by place in the flow order: rows to judge
        self._places: list[int] = []
        for task in range(len(sizes)):
            self._mark_all(task)
        self._settle()

    @contextmanager
    def supposing(self, row: int, status: str) -> Iterator[None]:
        """Look at what would be if a row had another status."""
        before, changed = self.stored[row], self.changed
        self.store(row, status)
        try:
            yield
        finally:
            self.store(row, before)
            self.changed = changed

    def store(self, row: int, status: str) -> set[int]:
        """Take in a stored status; returns the rows whose shown status, or reason to wait, may have changed."""
        status = read_status(status)
        self.changed = {}
        if self.stored[row] == status:
            return set()
        self.stored[row] = status
        self._mark(self.task[row], (row,))
        return self._settle()

    def store_all(self, stored: Iterable[tuple[int, str]]) -> set[int]:
        """Take in many stored statuses and judge once."""
        self.changed = {}
        for row, status in stored:
            self.stored[row] = read_status(status)
            self._mark(self.task[row], (row,))
        return self._settle()

    def _mark(self, task: int, rows: Iterable[int]) -> None:
        place = self.flow.rank[task]
        if place not in self._marked:
            heappush(self._places, place)
        self._marked[place].update(rows)

    def _mark_all(self, task: int) -> None:
        self._mark(task, self.rows_of(task) if self.sizes[task] != 0 else (~task,))

    def _settle(self) -> set[int]:
        """Judge what is marked, in flow order, until nothing is; returns the rows that were judged."""
        touched: set[int] = set()
        turns, most = 0, 50 * len(self.sizes) + 50
        while self._places:
            for row in self._marked.pop(heappop(self._places)):
                if row < 0:
                    self._show_hollow(~row)
                else:
                    touched.add(row)
                    self._show(row)
            turns += 1
            if turns > most:  # an invalid table of another program can chase its own tail
                self._places.clear()
                self._marked.clear()
        return touched

    def _show(self, row: int) -> None:
        """Judge a row, and tell everybody who asks it if it is shown otherwise now."""
        task, before, shown = self.task[row], self.shown[row], self.stored[row]
        place = row - self.base[task]
        if shown == "open":
            shown = self._judge(task, place)
        if shown != before:
            self.shown[row] = shown
            if self.changed.setdefault(row, before) == shown:  # a join may open and close again while all settles
                del self.changed[row]
            self._pass_on(row)
            for coming in self._comings_of[task]:
                self._count_coming(coming, task, place, (shown in RUNNING) - (before in RUNNING))

    def _show_hollow(self, task: int) -> None:
        """Judge a task without elements, and tell everybody who asks for what it leads to."""
        said = self._judge(task, 0)
        if said != self._hollow[task]:
            self._hollow[task] = said
            for source in self._sources_of[task]:
                state = seen_from_outside([self._hollow[entry] for entry in source.entries])
                if state != source.states[0]:
                    self._set_state(source, 0, state)

    def _count_coming(self, coming: Coming, task: int, place: int, by: int) -> None:
        """Note that a row that can lead to a join began or ceased to run, and mark the join where that matters."""
        if self.is_alike(task, coming.join):
            coming.own[place] += by
            if by and coming.own[place] in (0, by):
                self._mark(coming.join, (self.base[coming.join] + place,))
        else:
            coming.others += by
            if by and coming.others in (0, by):
                self._mark_all(coming.join)

    def _judge(self, task: int, place: int) -> str:
        """What the gates of an open row say: it is skipped if one set is, and open if all are."""
        shown = "open"
        for each in self._sets[task]:
            said = verdict(each, self._states(each, place))
            if said == "skipped":
                return said
            if said == "blocked":
                shown = said
        return shown

    def _states(self, asked_set: AskedSet, place: int) -> list[int]:
        """What the gates of a set are for one element; for an inclusive join what can still come is waited for."""
        states = [self._state(asked, place) for asked in asked_set.asked]
        if asked_set.inclusive and NEVER in states:
            for number, asked in enumerate(asked_set.asked):
                if states[number] == NEVER and asked.coming is not None and asked.coming.still(place):
                    states[number] = WAITING
        return states

    def _state(self, asked: Asked, place: int) -> int:
        """What a gate sees of its source."""
        source = asked.source
        if source is None:
            return asked.fixed
        if asked.counted:
            return source.count.state
        return source.states[place if asked.own else 0]

    def _row_state(self, row: int, label: str) -> int:
        """What a gate `task:label` sees of a row."""
        shown = self.shown[row]
        if shown == "skipped":
            return NEVER
        if shown in ("open", "blocked", "doing"):
            return WAITING
        if shown == "failed":
            if not self.flow.is_asked(self.task[row], "failed"):
                return STALLED
            return MET if label == "failed" else NEVER
        return MET if not label or label == shown else NEVER

    def _is_settled(self, row: int) -> bool:
        """Whether a row is finished or skipped; a failure only if somebody asks for it."""
        shown = self.shown[row]
        if shown == "failed":
            return self.flow.is_asked(self.task[row], "failed")
        return shown not in ("open", "doing", "blocked")

    def _group_state(self, gate: Gate, place: int) -> int:
        """What a gate on a group sees of one element."""
        rows = [self.base[member] + place for member in gate.members]
        if not all(self._is_settled(row) for row in rows):
            failed = any(self.shown[row] == "failed" and not self._is_settled(row) for row in rows)
            return STALLED if failed else WAITING
        if all(self.shown[row] == "skipped" for row in rows):
            return NEVER
        if not gate.label:
            return MET
        return MET if any(self.shown[self.base[leaf] + place] == gate.label for leaf in gate.exits) else NEVER

    def _pass_on(self, row: int) -> None:
        """Tell everybody who asks a row of its new status."""
        task = self.task[row]
        place = row - self.base[task]
        for source in self._sources_of[task]:
            gate = source.gate
            state = self._row_state(row, gate.label) if gate.kind == "task" else self._group_state(gate, place)
            if state != source.states[place]:
                self._set_state(source, place, state)

    def _set_state(self, source: Source, place: int, state: int) -> None:
        """Note the state of one element of a source, and mark the rows that see it."""
        before = source.states[place]
        source.states[place] = state
        for asker in source.same:
            self._mark(asker, (self.base[asker] + place,))
        for asker in source.fan:
            self._mark_all(asker)
        if source.is_counted and source.count.moves(before, state):
            for asker in source.counted:
                self._mark_all(asker)
