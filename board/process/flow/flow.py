"""A definition compiled once, and what pages, fold and decisions ask of it (semantics, sections 4, 6 and 7).

    table ──> Structure ──> Loops ──────> GateMaker ──> Flow
              tasks,        loop-backs,   gates: what
              groups,       fixes,        can hold a
              lowered flow  cycles        row back

Tasks are numbers in table order, groups left out; pages ask by task id, the fold by number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heappush

from board.process.definition.table import Dependency, ProcessTable, Row
from board.process.flow.gates import GateMaker, GateSet
from board.process.flow.graph import Graph, reachable
from board.process.flow.loops import LoopBack, Rearm, find_loops
from board.process.flow.structure import Group, Structure, Waits

REJECTING = frozenset({"false", "no", "rejected"})


@dataclass(eq=False)
class Flow:
    """A process table compiled.

    lowered         what each task waits for
    backward        its loop-backs; by_table_order: those that would be others if the rows stood in another order
    forward         the flow without them
    leads           the same, where each member that a group gate waits for leads to the task that asks
    gate_sets       what holds each task back; rearms: what puts it back to open
    order           every task after all it waits for
    asked           the labels somebody asks of each task
    """

    table: ProcessTable
    tasks: tuple[str, ...]
    rows: tuple[Row, ...]
    index: dict[str, int]
    groups: dict[str, Group]
    group_of: tuple[str, ...]
    lowered: tuple[Waits, ...]
    backward: frozenset[LoopBack]
    forward: Graph
    leads: Graph
    by_table_order: tuple[tuple[LoopBack, ...], ...]
    gate_sets: tuple[tuple[GateSet, ...], ...]
    rearms: tuple[tuple[Rearm, ...], ...]
    order: tuple[int, ...]
    cycles: tuple[tuple[int, ...], ...]
    asked: tuple[frozenset[str], ...]
    nested: bool

    def __post_init__(self) -> None:
        self._cycle_of = {task: number for number, cycle in enumerate(self.cycles) for task in cycle}
        self.dependents: tuple[Waits, ...] = _turned_round(
            ((source, (task, label)) for task, waits in enumerate(self.lowered) for source, label in waits),
            len(self.tasks),
        )
        self.rank = [0] * len(self.tasks)
        for place, task in enumerate(self.order):
            self.rank[task] = place
        self.rearms_of: tuple[tuple[int, ...], ...] = _turned_round(
            ((rearm.source, task) for task, rearms in enumerate(self.rearms) for rearm in rearms), len(self.tasks)
        )
        self.roles = frozenset(role for row in self.rows for role in row.roles)
        self._between: dict[tuple[int, str], tuple[int, ...]] = {}

    # what the conformance data and the pages ask, by task id

    def flow(self, task: str) -> list[Dependency]:
        """What `task` waits for, groups lowered to their exits, sorted; loop-backs included."""
        return sorted({Dependency(self.tasks[source], label) for source, label in self.lowered[self.index[task]]})

    def loop_backs(self, task: str) -> list[str]:
        """The tasks among `flow(task)` whose dependency closes a cycle, sorted."""
        at = self.index[task]
        waits = self.lowered[at]
        return sorted({self.tasks[source] for source, label in waits if self.is_loop_back(source, label, at)})

    def rearmed_by(self, task: str) -> list[Dependency]:
        """Whose finish, with which answer, puts `task` back to open, sorted."""
        return sorted({Dependency(self.tasks[rearm.source], rearm.label) for rearm in self.rearms[self.index[task]]})

    def answers(self, task: str) -> tuple[str, ...]:
        """The answers offered for `task`: what its dependents ask for, and `done` where one takes any answer."""
        labels = dict.fromkeys(label for _, label in self.dependents[self.index[task]])
        named = tuple(label for label in labels if label and label != "failed")
        return named if named and "" not in labels else ("done", *(label for label in named if label != "done"))

    def asks_note(self, task: str, answer: str) -> bool:
        """Whether finishing `task` with `answer` asks for a note: it rejects, re-arms, or opens a fix (section 7)."""
        at = self.index[task]
        rearms = any(self.meets(at, label, answer) for check in self.rearms_of[at] for label in self._asks(check, at))
        opens_fix = any((rearm.source, answer) in self.dependents[at] for rearm in self.rearms[at])
        return answer.lower() in REJECTING or rearms or opens_fix

    def successors(self, task: str) -> list[str]:
        """The tasks directly after `task` along the flow, loop-backs left out, in table order."""
        return [self.tasks[target] for target in sorted(self.forward[self.index[task]])]

    def after(self, task: str) -> list[str]:
        """Every task that comes after `task` along the flow, loop-backs left out, in flow order."""
        at = self.index[task]
        later = reachable(self.forward, self.forward[at])
        return [self.tasks[target] for target in self.order if target in later and target != at]

    # what the fold and the decisions ask, by number

    def collection_of(self, task: int) -> str:
        """The collection a task repeats over; "" for a single one."""
        group = self.group_of[task]
        return self.groups[group].collection if group else ""

    def cycle_of(self, task: int) -> int:
        """The number of the cycle a task is on; `len(cycles)` for none."""
        return self._cycle_of.get(task, len(self.cycles))

    def same_cycle(self, one: int, other: int) -> bool:
        """Whether two tasks are on one cycle (or are a check and its fix)."""
        cycle = self._cycle_of.get(one)
        return cycle is not None and cycle == self._cycle_of.get(other)

    def is_loop_back(self, source: int, label: str, task: int) -> bool:
        """Whether a dependency closes a cycle: it re-arms and never blocks."""
        return (source, label, task) in self.backward

    def is_asked(self, task: int, label: str) -> bool:
        """Whether a dependent asks for this very answer of the task."""
        return label in self.asked[task]

    def meets(self, task: int, label: str, value: str) -> bool:
        """Whether a finish of `task` with `value` meets a gate asking for `label`."""
        if value == "failed":
            return label == "failed"
        return not label or label == value

    def between(self, check: int, value: str) -> tuple[int, ...]:
        """The tasks of the next round: from a gate on `check` that `value` meets to its loop-backs or fixes."""
        if (check, value) not in self._between:
            self._between[(check, value)] = tuple(self._next_round(check, value))
        return self._between[(check, value)]

    def _next_round(self, check: int, value: str) -> Iterator[int]:
        back_to = {rearm.source for rearm in self.rearms[check]}
        first = {
            task
            for task, label in self.dependents[check]
            if self.meets(check, label, value) and not self.is_loop_back(check, label, task)
        }
        onward = reachable(self.forward, first) - {check}
        return (task for task in self.order if task in onward and reachable(self.forward, [task]) & back_to)

    def _asks(self, check: int, source: int) -> Iterator[str]:
        """The answers of `source` that put `check` back to open."""
        return (rearm.label for rearm in self.rearms[check] if rearm.source == source)


@lru_cache(maxsize=256)
def compile_flow(table: ProcessTable) -> Flow:
    """Compile a table, valid or not: never raises; what is wrong with it is `problems.check`'s to say."""
    structure = Structure(table)
    loops = find_loops(structure)
    gate_maker = GateMaker(structure, loops.forward, loops.loop_backs)
    gate_sets = gate_maker.gate_sets()
    return Flow(
        table=table,
        tasks=structure.tasks,
        rows=structure.rows,
        index=structure.index,
        groups=structure.groups,
        group_of=tuple((*structure.groups_around(task), "")[0] for task in range(structure.size)),
        lowered=structure.lowered,
        backward=loops.loop_backs,
        forward=loops.forward,
        leads=tuple(map(frozenset, gate_maker.leads)),
        by_table_order=loops.by_table_order,
        gate_sets=gate_sets,
        rearms=loops.rearms,
        order=_flow_order(gate_sets),
        cycles=loops.cycles,
        asked=structure.asked,
        nested=structure.is_nested,
    )


def _flow_order(gate_sets: Sequence[tuple[GateSet, ...]]) -> tuple[int, ...]:
    """Tasks each after all its gates look at, else in table order (what is left of a cycle goes last)."""
    sources = [{source for each in sets for gate in each.gates for source in gate.sources} for sets in gate_sets]
    leads = _turned_round(((source, task) for task, each in enumerate(sources) for source in each), len(gate_sets))
    missing = [len(each) for each in sources]
    ready = [task for task, count in enumerate(missing) if not count]
    heapify(ready)
    order: list[int] = []
    while ready:
        order.append(heappop(ready))
        for task in leads[order[-1]]:
            missing[task] -= 1
            if not missing[task]:
                heappush(ready, task)
    placed = set(order)
    return (*order, *(task for task in range(len(gate_sets)) if task not in placed))


def _turned_round[Target](pairs: Iterable[tuple[int, Target]], size: int) -> tuple[tuple[Target, ...], ...]:
    """Per source its targets, each once, in the order given."""
    targets: list[dict[Target, None]] = [{} for _ in range(size)]
    for source, target in pairs:
        targets[source][target] = None
    return tuple(map(tuple, targets))
