"""Gates: the dependencies that can hold a row back, judged in sets by one `join` (semantics, section 4)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from board.process.definition.table import Dependency
from board.process.flow.graph import Graph, reachable
from board.process.flow.structure import Structure

Kind = Literal["unknown", "empty", "task", "group"]


@dataclass(frozen=True, slots=True)
class Gate:
    """One dependency that is no loop-back.

    `id` and `label` as written. `task` is the task's number for kind "task"; `members` and `exits` are task numbers for
    kind "group", without those left out. `per_element`: judged for the asking row's own element (or from a single
    source); otherwise the source's elements are counted.
    """

    id: str
    label: str
    kind: Kind
    task: int = -1
    members: tuple[int, ...] = ()
    exits: tuple[int, ...] = ()
    per_element: bool = True

    @property
    def sources(self) -> tuple[int, ...]:
        """The tasks the gate looks at."""
        return (self.task,) if self.kind == "task" else self.members


@dataclass(frozen=True, slots=True)
class GateSet:
    """Gates judged together by one `join`: a row's own, or those of its group (`group` is its id)."""

    join: str
    gates: tuple[Gate, ...]
    group: str = ""


class GateMaker:
    """Makes the gates of every task, in table order, a row's own before its group's.

    `leads` is the flow so far: which tasks wait for a task without loop-backs, where every member that a group gate
    waits for leads to the row that asks. It grows with each group gate, so a later one sees what an earlier one took.
    """

    def __init__(self, structure: Structure, forward: Graph, loop_backs: Collection[tuple[int, str, int]]) -> None:
        self.structure = structure
        self.loop_backs = loop_backs
        self.leads = [set(targets) for targets in forward]

    def gate_sets(self) -> tuple[tuple[GateSet, ...], ...]:
        """Every task's gate sets."""
        return tuple(tuple(self._sets(task)) for task in range(self.structure.size))

    def _sets(self, task: int) -> Iterator[GateSet]:
        for group, row in self.structure.asking(task):
            gates = [self._gate(task, dependency) for dependency in row.dependencies]
            yield GateSet(row.join, tuple(gate for gate in gates if gate is not None), group)

    def _gate(self, task: int, dependency: Dependency) -> Gate | None:
        """The gate that a dependency of a task is, or None for a loop-back."""
        if dependency.task in self.structure.group_rows:
            return self._group_gate(task, dependency)
        source = self.structure.index.get(dependency.task)
        if source is None:
            return Gate(dependency.task, dependency.label, "unknown")
        if (source, dependency.label, task) in self.loop_backs:
            return None
        per_element = self.structure.collections(source) in ((), self.structure.collections(task))
        return Gate(dependency.task, dependency.label, "task", task=source, per_element=per_element)

    def _group_gate(self, task: int, dependency: Dependency) -> Gate | None:
        """The gate on a group, without the members that come after the task that asks; None if that leaves none."""
        members = self.structure.members[dependency.task]
        if not members:
            return Gate(dependency.task, dependency.label, "empty")
        after = reachable(self.leads, [task])
        kept = tuple(member for member in members if member not in after)
        if not kept:
            return None
        for member in kept:
            self.leads[member].add(task)
        exits = tuple(leaf for leaf in self.structure.exits[dependency.task] if leaf not in after)
        per_element = self.structure.collections(kept[0]) == self.structure.collections(task)
        return Gate(dependency.task, dependency.label, "group", members=kept, exits=exits, per_element=per_element)
