"""What an inclusive join waits for although its gate says never: what goes round again can still come (section 4).

s ──> a ──> x ──ok──> c      x answered `again`, so `x:ok` reads never; but a is open again and leads to x,
      └──<──again──┘  ^      without passing c: the join c waits until that branch has come through
s ──> b ──────────────┘
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from board.process.definition.quorum import is_inclusive
from board.process.flow.flow import Flow
from board.process.flow.gates import Gate
from board.process.flow.graph import Graph, adjacency, reachable

RUNNING = frozenset({"open", "doing"})


@dataclass(slots=True)
class Coming:
    """How many rows that can lead to what a gate of a join waits for are open or in progress.

    `own` counts by element those that repeat as the join does, `others` all the rest.
    """

    join: int
    tasks: tuple[int, ...]
    own: list[int]
    others: int = 0

    def still(self, place: int) -> bool:
        """Whether something can still come for one element of the join."""
        return self.others > 0 or self.own[place] > 0


class Leading:
    """Which tasks can lead to what the gates of inclusive joins wait for."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.joins = {task for task, sets in enumerate(flow.gate_sets) for each in sets if is_inclusive(each.join)}
        self._later_of: tuple[int, set[int]] = (-1, set())
        if self.joins:
            self.backward = adjacency(len(flow.tasks), self._links_turned_round())

    def to(self, gate: Gate, join: int) -> tuple[int, ...]:
        """The tasks that lead to what a gate of a join waits for, without passing the join or anything after it."""
        before = _reachable_without(self.backward, gate.sources, self._later(join))
        return tuple(sorted(task for task in before if task not in self.joins or task < join))

    def _later(self, join: int) -> set[int]:
        """The join and all that comes after it."""
        if self._later_of[0] != join:
            self._later_of = (join, reachable(self.flow.leads, [join]))
        return self._later_of[1]

    def _links_turned_round(self) -> Iterator[tuple[int, int]]:
        """Who waits for whom, loop-backs included, and fixes, which lead back to their check."""
        for task, waits in enumerate(self.flow.lowered):
            yield from ((task, source) for source, _ in waits)
            yield from ((task, rearm.source) for rearm in self.flow.rearms[task] if rearm.is_fix)


def _reachable_without(links: Graph, starts: Collection[int], without: set[int]) -> set[int]:
    """The starts and every node that can be reached from them, without passing some."""
    seen = set(starts) - without
    todo = list(seen)
    while todo:
        new = links[todo.pop()] - without - seen
        seen |= new
        todo += new
    return seen
