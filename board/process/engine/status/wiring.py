"""Who asks whom: the gates of every task tied to the sources they look at, once for an instance.

    task ──> sets of asked gates ──> source <── the tasks it looks at
                  └──> what can still come (inclusive joins)

A task without elements is *hollow*: only the gates of its group are tied, for what is inside never begins. What waits
for it waits for the entries of the group that lead to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from board.process.definition.quorum import QuorumError, is_inclusive, need
from board.process.engine.status.coming import Coming, Leading
from board.process.engine.status.sources import MET, WAITING, Asked, AskedSet, Count, Source
from board.process.flow.flow import Flow
from board.process.flow.gates import Gate, GateSet
from board.process.flow.graph import reachable


class Wiring:
    """A flow tied over elements.

    `sizes` gives the number of elements per task (None for a task that does not repeat). Rows of task `t` are
    `base[t] .. base[t+1]-1`.
    """

    def __init__(self, flow: Flow, sizes: Sequence[int | None]) -> None:
        self.flow = flow
        self.sizes = sizes
        self.base = [0]
        for size in sizes:
            self.base.append(self.base[-1] + (1 if size is None else size))
        self.task = [task for task in range(len(sizes)) for _ in self.rows_of(task)]
        self._leading = Leading(flow)
        self._comings_of: list[list[Coming]] = [[] for _ in sizes]
        self._sources: dict[tuple[object, ...], Source] = {}
        self._sources_of: list[list[Source]] = [[] for _ in sizes]
        self._sets = [tuple(self._ready(task, each) for each in self._judged(task)) for task in range(len(sizes))]
        self._whole = {group: self._source(_whole_gate(flow, group)) for group in flow.groups if _quorum(flow, group)}
        for source in self._whole.values():
            source.is_counted = True

    def rows_of(self, task: int) -> range:
        return range(self.base[task], self.base[task + 1])

    def required(self, task: int) -> int:
        """How many elements of a repeated task are enough: its group's `complete_when`."""
        size = self.sizes[task]
        return 1 if size is None else _need(self._complete_when(task), size)

    def is_alike(self, one: int, other: int) -> bool:
        """Whether two tasks repeat over the same collection."""
        collection = self.flow.collection_of(one)
        return collection != "" and collection == self.flow.collection_of(other)

    def _judged(self, task: int) -> list[GateSet]:
        """The gate sets that can hold a task; of a hollow one those of its group: what is inside never begins."""
        sets = (each for each in self.flow.gate_sets[task] if each.gates)
        return [each for each in sets if each.group or self.sizes[task] != 0]

    def _ready(self, task: int, gate_set: GateSet) -> AskedSet:
        inclusive, gates = is_inclusive(gate_set.join), gate_set.gates
        wanted = len(gates) if inclusive else _need(gate_set.join, len(gates))
        asked = (self._asked(task, gate) for gate in gates)
        if inclusive:
            asked = (each._replace(coming=self._coming(each, task)) for each in asked)
        return AskedSet(wanted, inclusive, tuple(asked))

    def _asked(self, task: int, gate: Gate) -> Asked:
        if gate.kind in ("unknown", "empty"):
            return Asked(gate, None, MET if gate.kind == "empty" else WAITING)
        source = self._source(gate)
        repeats = self.sizes[gate.sources[0]] is not None
        if source.hollow:
            source.fan.append(task)
            return Asked(gate, source)
        if not gate.per_element:
            source.counted.append(task)
            source.is_counted = True
        elif repeats or self.sizes[task] is None:
            source.same.append(task)
        else:
            source.fan.append(task)
        return Asked(gate, source, counted=not gate.per_element, own=repeats)

    def _source(self, gate: Gate) -> Source:
        key = (gate.task, gate.label, gate.members, gate.exits)
        if key not in self._sources:
            size = self.sizes[gate.sources[0]]
            elements = size or 1
            enough = _need(self._complete_when(gate.sources[0]), elements)
            entries = self._entries_to(gate) if size == 0 else ()
            self._sources[key] = Source(gate, [WAITING] * elements, Count(enough, elements), entries)
            for task in entries or gate.sources:
                self._sources_of[task].append(self._sources[key])
        return self._sources[key]

    def _entries_to(self, gate: Gate) -> tuple[int, ...]:
        """The entries of a group that lead to what is asked for; what none leads to stands for itself."""
        leading: set[int] = set()
        for source in gate.sources:
            entries = self.flow.groups[self.flow.group_of[source]].entries
            leading.update([each for each in entries if source in reachable(self.flow.forward, [each])] or [source])
        return tuple(sorted(leading))

    def _coming(self, asked: Asked, join: int) -> Coming | None:
        """The count of what can still come to a gate of an inclusive join."""
        if asked.source is None:
            return None
        coming = Coming(join, self._leading.to(asked.gate, join), [0] * (self.sizes[join] or 1))
        for task in coming.tasks:
            self._comings_of[task].append(coming)
        return coming

    def _complete_when(self, task: int) -> str:
        group = self.flow.group_of[task]
        return self.flow.groups[group].row.complete_when if group else ""


def _need(spec: str, total: int) -> int:
    try:
        return need(spec, total)
    except QuorumError:
        return total  # such a table cannot be started here; another program's log reads as the default


def _quorum(flow: Flow, group: str) -> bool:
    """Whether a group says how many of its elements are enough."""
    spec = flow.groups[group].row.complete_when.strip().lower()
    return spec not in ("", "all") and bool(flow.groups[group].members)


def _whole_gate(flow: Flow, group: str) -> Gate:
    """A gate on a group as nobody in its own flow asks it: no member left out."""
    whole = flow.groups[group]
    return Gate(group, "", "group", members=whole.members, exits=whole.exits)
