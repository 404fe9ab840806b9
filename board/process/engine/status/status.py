"""Statuses over a flow, kept up to date: an event judges anew only the rows it can change.

Rows are numbered task by task in table order, within a repeated task element by element. Each row has a *stored* status
and a *shown* one (semantics, section 4). What a gate asks of a source is a small state: waiting, met, never, or waiting
for something that failed. Sources that are asked from outside their collection are counted, so that one event costs one
count and not a pass over all elements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from board.process.definition.quorum import QuorumError, need
from board.process.engine.flow.flow import Flow
from board.process.engine.flow.gates import Gate

WAITING, MET, NEVER, STALLED = range(4)  # STALLED: waiting for what has failed
UNFINISHED = frozenset({"open", "doing", "blocked", "skipped"})


class Waiting(NamedTuple):
    """What a blocked row waits for first: a task or group id, its label, and whether it has failed."""

    id: str
    label: str
    failed: bool


def is_finished(status: str) -> bool:
    """Whether a status is `done`, `failed` or an answer."""
    return status not in UNFINISHED


@dataclass(slots=True)
class _Count:
    """A source asked from outside its collection: how many of its elements are met, never or stalled."""

    need: int
    total: int
    met: int = 0
    never: int = 0
    stalled: int = 0
    askers: list[int] = field(default_factory=list)

    @property
    def state(self) -> int:
        if self.met >= self.need:
            return MET
        if self.total - self.never < self.need:
            return NEVER
        return STALLED if self.stalled else WAITING

    def add(self, state: int, by: int) -> None:
        if state == MET:
            self.met += by
        elif state == NEVER:
            self.never += by
        elif state == STALLED:
            self.stalled += by


@dataclass(slots=True)
class _Source:
    """One thing a gate can ask: a task with a label, or a group's members with a label; its state per element."""

    gate: Gate
    states: list[int]
    count: _Count
    same: list[int] = field(default_factory=list)  # tasks that ask it for their own element
    fan: list[int] = field(default_factory=list)  # repeated tasks that ask it of a single one


class _Asked(NamedTuple):
    """A gate as one task asks it: of a source, for its own element, for a single one, or of the count of all."""

    gate: Gate
    source: _Source | None
    fixed: int = WAITING  # the state of a gate without a source: an unknown task, or a group without members
    counted: bool = False
    own: bool = False


class _Set(NamedTuple):
    """A gate set made ready to judge: `wanted` gates are enough, -1 for the inclusive join."""

    wanted: int
    asked: tuple[_Asked, ...]


class Statuses:
    """The shown status of every row, from the stored ones.

    `sizes` gives the number of elements per task (None for a task that does not repeat). Rows of task `t` are
    `base[t] .. base[t+1]-1`.
    """

    def __init__(self, flow: Flow, sizes: Sequence[int | None]) -> None:
        self.flow = flow
        self.sizes = sizes
        self.base = [0]
        for size in sizes:
            self.base.append(self.base[-1] + (1 if size is None else size))
        total = self.base[-1]
        self.task = [t for t in range(len(sizes)) for _ in range(self.base[t + 1] - self.base[t])]
        self.stored = ["open"] * total
        self.shown = ["blocked"] * total
        self._sources: dict[tuple[object, ...], _Source] = {}
        self._sets: list[tuple[_Set, ...]] = []
        self._of_task: list[list[_Source]] = [[] for _ in sizes]
        self._dirty: dict[int, set[int]] = defaultdict(set)
        self._ranks: list[int] = []
        self.changed: list[tuple[int, str]] = []  # the rows whose shown status the last call changed, and from what
        self._connect()
        self._whole = {g: self._source(_whole_gate(self.flow, g)) for g in flow.groups if _says_how_many(flow, g)}
        for t in range(len(sizes)):
            self._mark(t, range(self.base[t], self.base[t + 1]))
        self._settle()

    # reading

    def waiting(self, row: int) -> Waiting | None:
        """The first waiting gate of a blocked row: own gates first, then its group's, sets that are open left out.

        Semantics, section 4.10.
        """
        if self.shown[row] != "blocked":
            return None
        for each in self._sets[self.task[row]]:
            states = [self._state(row, asked) for asked in each.asked]
            if _verdict(each.wanted, states) == "open":
                continue
            for asked, state in zip(each.asked, states, strict=True):
                if state in (WAITING, STALLED):
                    return Waiting(asked.gate.id, asked.gate.label, state == STALLED)
        return None

    def gates(self, row: int) -> list[tuple[Gate, int]]:
        """Every gate of a row with its state, own gates first, in the order written."""
        return [(a.gate, self._state(row, a)) for each in self._sets[self.task[row]] for a in each.asked]

    def required(self, t: int) -> int:
        """How many elements of a repeated task are enough: its group's `complete_when`."""
        size = self.sizes[t]
        return 1 if size is None else self._need(self._complete_when(t), size)

    def group_complete(self, group: str) -> bool:
        """Whether enough elements of a group that says how many are enough are complete."""
        whole = self._whole.get(group)
        return whole is not None and whole.count.state == MET

    def is_element_complete(self, group: str, e: int) -> bool:
        """Whether every member row of an element is settled, in a group that says how many are enough."""
        return self._whole[group].states[e] in (MET, NEVER)

    def source_rows(self, row: int, gate: Gate) -> Iterable[int]:
        """The rows a gate of `row` looks at."""
        tasks = (gate.task,) if gate.kind == "task" else gate.members
        for s in tasks:
            if self.sizes[s] is not None and gate.per_element:
                yield self.base[s] + row - self.base[self.task[row]]
            else:
                yield from range(self.base[s], self.base[s + 1])

    def waits_for(self, row: int) -> Iterable[int]:
        """The unsettled rows that the waiting gates of a blocked row look at."""
        if self.shown[row] != "blocked":
            return
        for gate, state in self.gates(row):
            if state in (WAITING, STALLED) and gate.kind in ("task", "group"):
                yield from (r for r in self.source_rows(row, gate) if not self._settled(r))

    def askers(self, t: int) -> set[int]:
        """The tasks with a gate that looks at rows of task `t`."""
        return {asker for source in self._of_task[t] for asker in (*source.same, *source.fan, *source.count.askers)}

    def turns_met(self, row: int, label: str, value: str) -> bool:
        """Whether a finish of a repeated row with `value` turns the counted gate `task:label` from not met to met."""
        t = self.task[row]
        size = self.sizes[t] or 0
        states = [self._row_state(r, label) for r in range(self.base[t], self.base[t + 1])]
        count = _Count(self.required(t), size)
        for state in states:
            count.add(state, 1)
        before = count.state
        count.add(states[row - self.base[t]], -1)
        count.add(MET if self.flow.meets(t, label, value) else NEVER, 1)
        return before != MET and count.state == MET

    # writing

    def store(self, row: int, status: str) -> set[int]:
        """Take in a stored status; returns the rows whose shown status, or reason to wait, may have changed."""
        status = "open" if status in ("", "blocked") else status
        self.changed = []
        if self.stored[row] == status:
            return set()
        self.stored[row] = status
        self._mark(self.task[row], (row,))
        return self._settle()

    def store_all(self, stored: Iterable[tuple[int, str]]) -> set[int]:
        """Take in many stored statuses and judge once."""
        for row, status in stored:
            self.stored[row] = "open" if status in ("", "blocked") else status
            self._mark(self.task[row], (row,))
        return self._settle()

    # inside

    def _need(self, spec: str, n: int) -> int:
        try:
            return need(spec, n)
        except QuorumError:
            return n  # such a table cannot be started here; another program's log reads as the default

    def _complete_when(self, t: int) -> str:
        group = self.flow.group_of[t]
        return self.flow.groups[group].row.complete_when if group else ""

    def _connect(self) -> None:
        for t, sets in enumerate(self.flow.gate_sets):
            ready: list[_Set] = []
            for each in sets:
                inclusive = each.join.strip().lower() == "inclusive"
                wanted = -1 if inclusive else self._need(each.join, len(each.gates))
                ready.append(_Set(wanted, tuple(self._asked(t, gate) for gate in each.gates)))
            self._sets.append(tuple(ready))

    def _asked(self, t: int, gate: Gate) -> _Asked:
        if gate.kind in ("unknown", "empty"):
            return _Asked(gate, None, MET if gate.kind == "empty" else WAITING)
        source = self._source(gate)
        repeats = self.sizes[gate.task if gate.kind == "task" else gate.members[0]] is not None
        if not gate.per_element:
            source.count.askers.append(t)
        elif repeats or self.sizes[t] is None:
            source.same.append(t)
        else:
            source.fan.append(t)
        return _Asked(gate, source, counted=not gate.per_element, own=repeats)

    def _source(self, gate: Gate) -> _Source:
        key = (gate.task, gate.label, gate.members, gate.exits)
        found = self._sources.get(key)
        if found is None:
            tasks = (gate.task,) if gate.kind == "task" else gate.members
            size = self.sizes[tasks[0]]
            n = 1 if size is None else size
            spec = self._complete_when(tasks[0])
            found = _Source(gate, [WAITING] * n, _Count(self._need(spec, n), n))
            self._sources[key] = found
            for s in tasks:
                self._of_task[s].append(found)
        return found

    def _mark(self, t: int, rows: Iterable[int]) -> None:
        rank = self.flow.rank[t]
        if rank not in self._dirty:
            heappush(self._ranks, rank)
        self._dirty[rank].update(rows)

    def _settle(self) -> set[int]:
        """Judge what is marked, in flow order, until nothing is."""
        touched: set[int] = set()
        self.changed = []
        rounds = 0
        while self._ranks:
            rank = heappop(self._ranks)
            rows = self._dirty.pop(rank)
            touched |= rows
            for row in rows:
                shown = self.stored[row] if self.stored[row] != "open" else self._judge(row)
                if shown != self.shown[row]:
                    self.changed.append((row, self.shown[row]))
                    self.shown[row] = shown
                    self._pass_on(row)
            rounds += 1
            if rounds > 50 * len(self.sizes) + 50:  # an invalid table of another program can chase its own tail
                self._ranks.clear()
                self._dirty.clear()
        return touched

    def _judge(self, row: int) -> str:
        verdict = "open"
        for each in self._sets[self.task[row]]:
            found = _verdict(each.wanted, [self._state(row, asked) for asked in each.asked])
            if found == "skipped":
                return "skipped"
            if found == "blocked":
                verdict = "blocked"
        return verdict

    def _state(self, row: int, asked: _Asked) -> int:
        source = asked.source
        if source is None:
            return asked.fixed
        if asked.counted:
            return source.count.state
        return source.states[row - self.base[self.task[row]] if asked.own else 0]

    def _row_state(self, row: int, label: str) -> int:
        """What a gate `task:label` sees of a row (semantics, section 4.2)."""
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

    def _settled(self, row: int) -> bool:
        shown = self.shown[row]
        if shown == "failed":
            return self.flow.is_asked(self.task[row], "failed")
        return shown not in ("open", "doing", "blocked")

    def _group_state(self, gate: Gate, e: int) -> int:
        rows = [self.base[m] + e for m in gate.members]
        if not all(self._settled(row) for row in rows):
            failed = any(self.shown[row] == "failed" and not self._settled(row) for row in rows)
            return STALLED if failed else WAITING
        if all(self.shown[row] == "skipped" for row in rows):
            return NEVER
        if not gate.label:
            return MET
        return MET if any(self.shown[self.base[x] + e] == gate.label for x in gate.exits) else NEVER

    def _pass_on(self, row: int) -> None:
        t = self.task[row]
        e = row - self.base[t]
        for source in self._of_task[t]:
            gate = source.gate
            state = self._row_state(row, gate.label) if gate.kind == "task" else self._group_state(gate, e)
            before = source.states[e]
            if state == before:
                continue
            source.states[e] = state
            for asker in source.same:
                self._mark(asker, (self.base[asker] + e,))
            for asker in source.fan:
                self._mark(asker, range(self.base[asker], self.base[asker + 1]))
            counted = source.count.state
            source.count.add(before, -1)
            source.count.add(state, 1)
            if source.count.state != counted:
                for asker in source.count.askers:
                    self._mark(asker, range(self.base[asker], self.base[asker + 1]))


def _says_how_many(flow: Flow, group: str) -> bool:
    spec = flow.groups[group].row.complete_when.strip().lower()
    return spec not in ("", "all") and bool(flow.groups[group].members)


def _whole_gate(flow: Flow, group: str) -> Gate:
    found = flow.groups[group]
    return Gate(group, "", "group", members=found.members, exits=found.exits)


def _verdict(wanted: int, states: list[int]) -> str:
    """Judge one gate set: open, blocked or skipped (semantics, section 4.3)."""
    if not states:
        return "open"
    met = states.count(MET)
    waiting = len(states) - met - states.count(NEVER)
    if wanted < 0:
        return "blocked" if waiting else "open" if met else "skipped"
    return "open" if met >= wanted else "skipped" if met + waiting < wanted else "blocked"
