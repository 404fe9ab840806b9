"""Which dependencies close a cycle, and whose finish puts whom back to open (semantics, section 6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from board.process.flow.graph import Graph, Links, adjacency, components
from board.process.flow.structure import Structure

MOST_NESTED = 200  # loops within loops that are told apart: looking for one more costs a walk through all of it
LoopBack = tuple[int, str, int]  # the source, the label asked for, and the task that goes back to open


@dataclass(frozen=True, slots=True)
class Rearm:
    """Who puts a task back to open: a finish of `source` with `label` ("" any but failed)."""

    source: int
    label: str
    is_fix: bool = False


@dataclass(frozen=True, slots=True)
class Loops:
    """The loops of a flow: `forward` is the flow without its loop-backs, `cycles` are sorted task numbers.

    A check and its fix in the short form are a cycle too: nothing in one makes another part of it stale.
    `by_table_order` are the loop-backs, cycle by cycle, that would be others if the rows stood in another order.
    """

    loop_backs: frozenset[LoopBack]
    forward: Graph
    rearms: tuple[tuple[Rearm, ...], ...]
    cycles: tuple[tuple[int, ...], ...]
    by_table_order: tuple[tuple[LoopBack, ...], ...]


def find_loops(structure: Structure) -> Loops:
    """Find the loop-backs of a flow, its fixes, and who belongs together."""
    search = _Search(structure)
    search.run()
    loop_backs = frozenset(search.loop_backs)
    rearms = tuple(_rearms(structure, task, loop_backs) for task in range(structure.size))
    cycles = _with_fixes(search.cycles, rearms)
    by_table_order = tuple(tuple(sorted(each)) for each in search.by_table_order if each)
    return Loops(loop_backs, _without(structure, loop_backs), rearms, cycles, by_table_order)


class _Search:
    """The search for loop-backs, cycle by cycle: the head of one, what sends back to it, then the cycles left in it.

    s ──> a ──> chk ──ok──> e      entered from outside: a and b; the head is a, the first in the table
    s ──> b ──> chk                loop-backs: chk:false of a, and of b, which asks for the very same
          a, b <──false── chk
    """

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.loop_backs: set[LoopBack] = set()
        self.cycles = _cycles(structure.links, range(structure.size))
        self.by_table_order: list[set[LoopBack]] = [set() for _ in self.cycles]

    def run(self) -> None:
        """Find them all; each cycle is looked at with the whole one it was left of."""
        todo = [(number, cycle, 1) for number, cycle in enumerate(self.cycles)]
        while todo:
            number, cycle, depth = todo.pop()
            if depth > MOST_NESTED:
                self._send_up(number, cycle)
            else:
                self._send_back(number, cycle)
                todo += [(number, left, depth + 1) for left in _cycles(self._links(cycle), cycle)]

    def _send_back(self, number: int, cycle: tuple[int, ...]) -> None:
        """Find the head of a cycle and what sends back to it, and to the other starts that ask for the very same."""
        inside, whole = set(cycle), set(self.cycles[number])
        entered = [task for task in cycle if self._is_entered(task, inside)]
        head = (entered or cycle)[0]
        answers = self._answers(head, inside)
        starts = [head, *(task for task in entered if self._is_entered(task, whole))]
        sent_back = {(*answer, task) for task in starts for answer in self._answers(task, inside) & answers}
        if any(task not in starts or self._answers(task, inside) != answers for task in entered):
            self.by_table_order[number] |= sent_back
        self.loop_backs |= sent_back

    def _send_up(self, number: int, cycle: tuple[int, ...]) -> None:
        """Take what leads up the table for the way back."""
        inside = set(cycle)
        sent_up = {(*answer, task) for task in cycle for answer in self._answers(task, inside) if answer[0] >= task}
        self.by_table_order[number] |= sent_up
        self.loop_backs |= sent_up

    def _is_entered(self, task: int, cycle: set[int]) -> bool:
        """Whether something outside a cycle leads to its task; what does not exist counts as outside."""
        waits = self.structure.lowered[task]
        return any(source not in cycle for source, _ in waits) or self.structure.waits_for_unknown(task)

    def _answers(self, task: int, cycle: set[int]) -> set[tuple[int, str]]:
        """What a task asks of the rows of a cycle."""
        return {wait for wait in self.structure.lowered[task] if wait[0] in cycle}

    def _links(self, cycle: tuple[int, ...]) -> dict[int, set[int]]:
        """Who of a cycle waits for whom once the loop-backs found so far are left out."""
        links: dict[int, set[int]] = {task: set() for task in cycle}
        for task in cycle:
            for source, label in self.structure.lowered[task]:
                if source in links and (source, label, task) not in self.loop_backs:
                    links[source].add(task)
        return links


def _cycles(links: Links, tasks: Iterable[int]) -> list[tuple[int, ...]]:
    """The strongly connected tasks, a task that waits for itself among them."""
    return [part for part in components(links, tasks) if len(part) > 1 or part[0] in links[part[0]]]


def _without(structure: Structure, loop_backs: frozenset[LoopBack]) -> Graph:
    """The flow without its loop-backs."""
    waits = ((source, label, task) for task, each in enumerate(structure.lowered) for source, label in each)
    return adjacency(structure.size, ((each[0], each[2]) for each in waits if each not in loop_backs))


def _rearms(structure: Structure, check: int, loop_backs: frozenset[LoopBack]) -> tuple[Rearm, ...]:
    """The loop-backs of a task, and its fixes where they are written in the short form."""
    back = [Rearm(source, label) for source, label in structure.lowered[check] if (source, label, check) in loop_backs]
    sources = {rearm.source for rearm in back}
    fixes = [Rearm(fix, "", is_fix=True) for fix in _fixes(structure, check) if fix not in sources]
    return (*back, *fixes)


def _fixes(structure: Structure, check: int) -> list[int]:
    """The fixes of a check: people's tasks that wait for its `false`, and that nothing waits for."""
    if not structure.rows[check].is_script:
        return []
    return [
        task
        for task in sorted(structure.links[check])
        if (check, "false") in structure.lowered[task]
        and structure.rows[task].role != "system"
        and structure.collections(task) == structure.collections(check)
        and not structure.links[task]
        and structure.rows[task].rearm.lower() != "no"
    ]


def _with_fixes(cycles: list[tuple[int, ...]], rearms: tuple[tuple[Rearm, ...], ...]) -> tuple[tuple[int, ...], ...]:
    merged = [set(cycle) for cycle in cycles]
    for check, each in enumerate(rearms):
        fixes = {rearm.source for rearm in each if rearm.is_fix}
        home = next((cycle for cycle in merged if check in cycle), None)
        if fixes and home is None:
            merged.append({check} | fixes)
        elif home is not None:
            home |= fixes
    return tuple(tuple(sorted(cycle)) for cycle in merged)
