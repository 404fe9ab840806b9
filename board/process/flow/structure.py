"""Which tasks a table has, which groups are around them, and where each group begins and ends (semantics, section 4).

Tasks are numbered in table order, groups left out. Flow runs between tasks only: what waits for a group is *lowered* to
the group's exits, what a group waits for is asked by its entries.

    task  collection  parent  depends_on
    plan                                             plan ──> load ──> check ──> report
    each  unit                plan                            │ each         │
    load              each                                    └ entry   exit ┘
    check             each    load
    report                    each                   lowered: load <- plan, check <- load, report <- check
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from board.process.definition.table import Dependency, ProcessTable, Row
from board.process.flow.graph import Graph, adjacency, components

Waits = tuple[tuple[int, str], ...]  # what one task waits for: the task's number and the label, in the order written


@dataclass(frozen=True, slots=True)
class Group:
    """A sub-process: its row, the tasks in it (numbers, table order), the ones it begins and ends with."""

    row: Row
    members: tuple[int, ...]
    entries: tuple[int, ...]
    exits: tuple[int, ...]
    outer: tuple[str, ...]

    @property
    def collection(self) -> str:
        return self.row.collection


class Structure:
    """The rows of a table as tasks and groups; of rows with the same id the first one counts."""

    def __init__(self, table: ProcessTable) -> None:
        self.table = table
        first_rows: dict[str, Row] = {}
        for row in table.rows:
            first_rows.setdefault(row.task, row)
        self.group_rows = {row.task: row for row in first_rows.values() if row.is_group}
        self.rows = tuple(row for row in first_rows.values() if not row.is_group)
        self.tasks = tuple(row.task for row in self.rows)
        self.index = {task: number for number, task in enumerate(self.tasks)}
        self._outer = {task: self._groups_around(row) for task, row in first_rows.items()}
        self.members = {
            group: tuple(task for task, name in enumerate(self.tasks) if group in self._outer[name])
            for group in self.group_rows
        }
        self.entries: dict[str, tuple[int, ...]] = {}
        self.exits: dict[str, tuple[int, ...]] = {}
        # innermost first: what begins and ends an outer group depends on what begins and ends the inner ones
        for group in sorted(self.group_rows, key=lambda group: -len(self._outer[group])):
            self._find_borders(group)

    @property
    def size(self) -> int:
        return len(self.tasks)

    @property
    def is_nested(self) -> bool:
        return any(self._outer[group] for group in self.group_rows)

    @cached_property
    def groups(self) -> dict[str, Group]:
        return {
            group: Group(row, self.members[group], self.entries[group], self.exits[group], self._outer[group])
            for group, row in self.group_rows.items()
        }

    @cached_property
    def lowered(self) -> tuple[Waits, ...]:
        """What each task waits for, groups lowered to exits and entries, unknown tasks left out."""
        return tuple(self._lowered(task) for task in range(self.size))

    @cached_property
    def links(self) -> Graph:
        """Which tasks wait directly for each task, loop-backs included."""
        return adjacency(self.size, ((source, task) for task, waits in enumerate(self.lowered) for source, _ in waits))

    @cached_property
    def asked(self) -> tuple[frozenset[str], ...]:
        """Per task the labels somebody asks of it, in loop-backs too; a group's label is asked of its exits."""
        labels: list[set[str]] = [set() for _ in self.tasks]
        for row in (*self.rows, *self.group_rows.values()):
            for dependency in row.dependencies:
                for task in self.lower(dependency):
                    labels[task].add(dependency.label)
        return tuple(frozenset(each - {""}) for each in labels)

    def groups_around(self, task: int) -> tuple[str, ...]:
        """The groups around a task, innermost first."""
        return self._outer[self.tasks[task]]

    def collections(self, task: int) -> tuple[str, ...]:
        """The collections a task repeats over, innermost first."""
        return tuple(self.group_rows[group].collection for group in self.groups_around(task))

    def lower(self, dependency: Dependency) -> tuple[int, ...]:
        """The tasks a dependency names: itself, or the exits of a group; none for an unknown one."""
        if dependency.task in self.exits:
            return self.exits[dependency.task]
        return (self.index[dependency.task],) if dependency.task in self.index else ()

    def asking(self, task: int) -> Iterator[tuple[str, Row]]:
        """The rows whose dependencies gate a task: its own (""), then each group it is an entry of, innermost first."""
        yield "", self.rows[task]
        for group in self.groups_around(task):
            if task in self.entries.get(group, ()):
                yield group, self.group_rows[group]

    def waits_for_unknown(self, task: int) -> bool:
        named = (dependency.task for _, row in self.asking(task) for dependency in row.dependencies)
        return any(name not in self.index and name not in self.group_rows for name in named)

    def _groups_around(self, row: Row) -> tuple[str, ...]:
        """The groups around a row, innermost first; an unknown or cyclic parent ends the chain."""
        around: list[str] = []
        parent = row.parent
        while parent and parent in self.group_rows and parent not in around and parent != row.task:
            around.append(parent)
            parent = self.group_rows[parent].parent
        return tuple(around)

    def _lowered(self, task: int) -> Waits:
        dependencies = (dependency for _, row in self.asking(task) for dependency in row.dependencies)
        waits = ((source, dependency.label) for dependency in dependencies for source in self.lower(dependency))
        return tuple(dict.fromkeys(waits))

    def _find_borders(self, group: str) -> None:
        """Find entries and exits of a group, from the waiting among its members."""
        members = self.members[group]
        # `entries` of the groups inside are known by now, those of this one are not: only inner waiting counts
        waits = {task: {source for source, _ in self._lowered(task)} & set(members) for task in members}
        links = adjacency(self.size, ((source, task) for task, sources in waits.items() for source in sources))
        cycles = components(links, members)  # a task on no cycle is one of its own
        self.entries[group] = tuple(sorted(_first_rows(cycles, waits)))
        self.exits[group] = tuple(sorted(_ends(cycles, links)))


def _first_rows(cycles: Iterable[tuple[int, ...]], waits: dict[int, set[int]]) -> Iterator[int]:
    """The first row of each cycle that waits for nothing outside it."""
    return (min(cycle) for cycle in cycles if all(waits[task] <= set(cycle) for task in cycle))


def _ends(cycles: Iterable[tuple[int, ...]], links: Graph) -> Iterator[int]:
    """Every row of each cycle that nothing outside it waits for."""
    return (task for cycle in cycles if all(links[member] <= set(cycle) for member in cycle) for task in cycle)
