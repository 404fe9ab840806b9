"""A definition compiled once: groups, gates and loops as small integers.

The rules: semantics, sections 4 and 6. A *gate* is one dependency that is no loop-back; a row is judged by *gate sets*:
its own gates, and for an entry of a group the group's gates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heapify, heappop, heappush

from board.process.definition.table import Dependency, ProcessTable, Row
from board.process.engine.flow.gates import Gate, GateSet, Group, Rearm
from board.process.engine.flow.graph import Graph, adjacency, components, reachable, walk_back_edges

REJECTING = frozenset({"false", "no", "rejected"})


@dataclass(eq=False)
class Flow:
    """A process table compiled. Tasks are numbered in table order, groups left out."""

    table: ProcessTable
    tasks: tuple[str, ...]
    rows: tuple[Row, ...]
    index: dict[str, int]
    groups: dict[str, Group]
    group_of: tuple[str, ...]
    lowered: tuple[tuple[tuple[int, str], ...], ...]
    back: frozenset[tuple[int, int]]
    forward: Graph
    gate_sets: tuple[tuple[GateSet, ...], ...]
    rearms: tuple[tuple[Rearm, ...], ...]
    order: tuple[int, ...]
    cycles: tuple[tuple[int, ...], ...]
    asked: tuple[frozenset[str], ...]
    nested: bool
    _cycle_of: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._cycle_of = {t: n for n, cycle in enumerate(self.cycles) for t in cycle}
        self.dependents: tuple[tuple[tuple[int, str], ...], ...] = self._dependents()
        self.rank = [0] * len(self.tasks)
        for place, t in enumerate(self.order):
            self.rank[t] = place
        self.rearms_of: tuple[tuple[int, ...], ...] = self._rearms_of()
        self.roles = frozenset(r.role for r in self.rows if r.role not in ("", "system"))
        self._between: dict[tuple[int, str], tuple[int, ...]] = {}

    # what the conformance data and the pages ask, by task id

    def flow(self, task: str) -> list[Dependency]:
        """What `task` waits for, groups lowered to their exits, sorted; loop-backs included."""
        return sorted({Dependency(self.tasks[s], label) for s, label in self.lowered[self.index[task]]})

    def loop_backs(self, task: str) -> list[str]:
        """The tasks among `flow(task)` whose dependency closes a cycle, sorted."""
        t = self.index[task]
        return sorted({self.tasks[s] for s, _ in self.lowered[t] if (s, t) in self.back})

    def rearmed_by(self, task: str) -> list[Dependency]:
        """Whose finish, with which answer, puts `task` back to open, sorted."""
        return sorted({Dependency(self.tasks[r.source], r.label) for r in self.rearms[self.index[task]]})

    def answers(self, task: str) -> tuple[str, ...]:
        """The answers offered for `task`: what its dependents ask for, and `done` where one takes any answer.

        Semantics, section 7.4.
        """
        labels = dict.fromkeys(label for _, label in self.dependents[self.index[task]])
        named = tuple(label for label in labels if label and label != "failed")
        return named if named and "" not in labels else ("done", *(a for a in named if a != "done"))

    def asks_note(self, task: str, answer: str) -> bool:
        """Whether finishing `task` with `answer` asks for a note: it rejects, re-arms, or opens a fix.

        Semantics, section 7.4.
        """
        t = self.index[task]
        rearms = any(r.source == t and self.meets(t, r.label, answer) for each in self.rearms for r in each)
        opens_fix = any((r.source, answer) in self.dependents[t] for r in self.rearms[t])
        return answer.lower() in REJECTING or rearms or opens_fix

    def successors(self, task: str) -> list[str]:
        """The tasks directly after `task` along the flow, loop-backs left out, in table order."""
        return [self.tasks[t] for t in sorted(self.forward[self.index[task]])]

    def after(self, task: str) -> list[str]:
        """Every task that comes after `task` along the flow, loop-backs left out, in flow order."""
        t = self.index[task]
        found = reachable(self.forward, self.forward[t])
        return [self.tasks[n] for n in self.order if n in found and n != t]

    # what the fold and the decisions ask, by number

    def collection_of(self, task: int) -> str:
        """The collection a task repeats over; "" for a single one."""
        group = self.group_of[task]
        return self.groups[group].collection if group else ""

    def cycle_of(self, task: int) -> int:
        """The number of the cycle a task is on; `len(cycles)` for none."""
        return self._cycle_of.get(task, len(self.cycles))

    def same_cycle(self, a: int, b: int) -> bool:
        """Whether two tasks are on one cycle (or are a check and its fix)."""
        at = self._cycle_of.get(a)
        return at is not None and at == self._cycle_of.get(b)

    def is_asked(self, task: int, label: str) -> bool:
        """Whether a dependent asks for this very answer of the task."""
        return label in self.asked[task]

    def meets(self, task: int, label: str, value: str) -> bool:
        """Whether a finish of `task` with `value` meets a gate asking for `label`."""
        if value == "failed":
            return label == "failed"
        return not label or label == value

    def between(self, s: int, value: str) -> tuple[int, ...]:
        """The tasks of the next round: from `s` over a gate that `value` meets to one of its loop-backs or fixes.

        Semantics, section 6.4.
        """
        found = self._between.get((s, value))
        if found is None:
            sources = {r.source for r in self.rearms[s]}
            first = {d for d, label in self.dependents[s] if self.meets(s, label, value) and (s, d) not in self.back}
            onward = reachable(self.forward, first)
            found = tuple(t for t in self.order if t in onward and t != s and reachable(self.forward, [t]) & sources)
            self._between[(s, value)] = found
        return found

    def _rearms_of(self) -> tuple[tuple[int, ...], ...]:
        found: list[dict[int, None]] = [{} for _ in self.tasks]
        for s, each in enumerate(self.rearms):
            for rearm in each:
                found[rearm.source][s] = None
        return tuple(map(tuple, found))

    def _dependents(self) -> tuple[tuple[tuple[int, str], ...], ...]:
        found: list[dict[tuple[int, str], None]] = [{} for _ in self.tasks]
        for t, sources in enumerate(self.lowered):
            for s, label in sources:
                found[s][(t, label)] = None
        return tuple(tuple(each) for each in found)


@lru_cache(maxsize=256)
def compile_flow(table: ProcessTable) -> Flow:
    """Compile a table, valid or not: never raises; what is wrong with it is `problems.check`'s to say."""
    return _Compiler(table).compile()


class _Compiler:
    """The steps of compiling, each from what the ones before it found."""

    def __init__(self, table: ProcessTable) -> None:
        self.table = table
        by_id: dict[str, Row] = {}
        for row in table.rows:
            by_id.setdefault(row.task, row)
        self.group_rows = {r.task: r for r in by_id.values() if r.is_group}
        self.rows = tuple(r for r in by_id.values() if not r.is_group)
        self.tasks = tuple(r.task for r in self.rows)
        self.index = {task: n for n, task in enumerate(self.tasks)}
        self.outer = {task: self._ancestors(row) for task, row in by_id.items()}
        self.members = {
            g: tuple(t for t, task in enumerate(self.tasks) if g in self.outer[task]) for g in self.group_rows
        }
        self.entries: dict[str, tuple[int, ...]] = {}
        self.exits: dict[str, tuple[int, ...]] = {}

    def compile(self) -> Flow:
        # innermost first: what begins and ends an outer group depends on what begins and ends the inner ones
        for g in sorted(self.group_rows, key=lambda g: -len(self.outer[g])):
            self._find_borders(g)
        lowered = tuple(self._lowered(t) for t in range(len(self.tasks)))
        entered = {t for t in range(len(self.tasks)) if self._waits_for_unknown(t)}
        links = adjacency(len(self.tasks), ((s, t) for t, sources in enumerate(lowered) for s, _ in sources))
        back, cycles = self._loops(links, entered)
        forward = adjacency(
            len(self.tasks), ((s, t) for s, targets in enumerate(links) for t in targets if (s, t) not in back)
        )
        gate_sets, leads = self._gate_sets(forward, back)
        rearms = tuple(self._rearms(t, lowered, back, links) for t in range(len(self.tasks)))
        return Flow(
            table=self.table,
            tasks=self.tasks,
            rows=self.rows,
            index=self.index,
            groups={g: self._group(g) for g in self.group_rows},
            group_of=tuple((*self.outer[task], "")[0] for task in self.tasks),
            lowered=lowered,
            back=frozenset(back),
            forward=forward,
            gate_sets=gate_sets,
            rearms=rearms,
            order=_topological(leads),
            cycles=self._with_fixes(cycles, rearms),
            asked=self._asked(lowered),
            nested=any(self.outer[g] for g in self.group_rows),
        )

    def _ancestors(self, row: Row) -> tuple[str, ...]:
        """The groups around a row, innermost first; an unknown or cyclic parent ends the chain."""
        found: list[str] = []
        parent = row.parent
        while parent and parent in self.group_rows and parent not in found and parent != row.task:
            found.append(parent)
            parent = self.group_rows[parent].parent
        return tuple(found)

    def _group(self, g: str) -> Group:
        return Group(self.group_rows[g], self.members[g], self.entries[g], self.exits[g], self.outer[g])

    def _lower(self, dependency: Dependency) -> list[tuple[int, str]]:
        if dependency.task in self.exits:
            return [(t, dependency.label) for t in self.exits[dependency.task]]
        at = self.index.get(dependency.task)
        return [] if at is None else [(at, dependency.label)]

    def _asking(self, t: int) -> list[tuple[str, Row]]:
        """The rows whose dependencies gate task `t`: its own, then each group it is an entry of, innermost first."""
        own: list[tuple[str, Row]] = [("", self.rows[t])]
        return own + [(g, self.group_rows[g]) for g in self.outer[self.tasks[t]] if t in self.entries.get(g, ())]

    def _lowered(self, t: int) -> tuple[tuple[int, str], ...]:
        found: dict[tuple[int, str], None] = {}
        for _, row in self._asking(t):
            for dependency in row.dependencies:
                found.update(dict.fromkeys(self._lower(dependency)))
        return tuple(found)

    def _waits_for_unknown(self, t: int) -> bool:
        known = self.index.keys() | self.group_rows.keys()
        return any(d.task not in known for _, row in self._asking(t) for d in row.dependencies)

    def _find_borders(self, g: str) -> None:
        """Entries and exits of a group, from the waiting among its members (semantics, section 4)."""
        members = self.members[g]
        inside = set(members)
        # `entries` of the groups inside are known by now, those of this one are not: only inner waiting counts
        waits = {t: {s for s, _ in self._lowered(t) if s in inside} for t in members}
        links = adjacency(len(self.tasks), ((s, t) for t, sources in waits.items() for s in sources))
        entries: list[int] = []
        exits: list[int] = []
        for part in components(links, members):
            if not any(waits[t] - set(part) for t in part):
                entries.append(min(part))
            if not any(links[t] - set(part) for t in part):
                exits.extend(part)
        self.entries[g] = tuple(sorted(entries))
        self.exits[g] = tuple(sorted(exits))

    def _loops(self, links: Graph, entered: set[int]) -> tuple[set[tuple[int, int]], list[tuple[int, ...]]]:
        back: set[tuple[int, int]] = set()
        cycles: list[tuple[int, ...]] = []
        for part in components(links, range(len(self.tasks))):
            inside = set(part)
            if len(part) == 1 and part[0] not in links[part[0]]:
                continue
            outside = {t for s, targets in enumerate(links) if s not in inside for t in targets if t in inside}
            starts = sorted(inside & (outside | entered)) or sorted(inside)
            back |= walk_back_edges(links, starts[0], inside)
            cycles.append(tuple(sorted(part)))
        return back, cycles

    def _gate_sets(
        self, forward: Graph, back: set[tuple[int, int]]
    ) -> tuple[tuple[tuple[GateSet, ...], ...], list[set[int]]]:
        """Every task's gate sets, and what leads to what once group gates wait for all their members."""
        leads = [set(targets) for targets in forward]
        found: list[tuple[GateSet, ...]] = []
        for t in range(len(self.tasks)):
            sets: list[GateSet] = []
            for group, row in self._asking(t):
                gates = [self._gate(t, d, back, leads) for d in row.dependencies]
                sets.append(GateSet(row.join, tuple(g for g in gates if g is not None), group))
            found.append(tuple(sets))
        return tuple(found), self._leads(found)

    def _leads(self, gate_sets: Sequence[tuple[GateSet, ...]]) -> list[set[int]]:
        leads: list[set[int]] = [set() for _ in self.tasks]
        for t, sets in enumerate(gate_sets):
            for gate in (gate for each in sets for gate in each.gates):
                for s in (gate.task,) if gate.kind == "task" else gate.members:
                    leads[s].add(t)
        return leads

    def _gate(self, t: int, d: Dependency, back: set[tuple[int, int]], leads: list[set[int]]) -> Gate | None:
        """The gate that a dependency of task `t` is, or None for a loop-back; adds to `leads` what it waits for."""
        if d.task in self.group_rows:
            return self._group_gate(t, d, leads)
        s = self.index.get(d.task)
        if s is None:
            return Gate(d.task, d.label, "unknown")
        if (s, t) in back:
            return None
        per_element = self._collections(s) in ((), self._collections(t))
        return Gate(d.task, d.label, "task", task=s, per_element=per_element)

    def _group_gate(self, t: int, d: Dependency, leads: list[set[int]]) -> Gate | None:
        members = self.members[d.task]
        if not members:
            return Gate(d.task, d.label, "empty")
        after = reachable(leads, [t])
        kept = tuple(m for m in members if m not in after)
        if not kept:
            return None
        for m in kept:
            leads[m].add(t)
        exits = tuple(m for m in self.exits[d.task] if m not in after)
        per_element = self._collections(kept[0]) == self._collections(t)
        return Gate(d.task, d.label, "group", members=kept, exits=exits, per_element=per_element)

    def _collections(self, t: int) -> tuple[str, ...]:
        return tuple(self.group_rows[g].collection for g in self.outer[self.tasks[t]])

    def _rearms(
        self,
        s: int,
        lowered: tuple[tuple[tuple[int, str], ...], ...],
        back: set[tuple[int, int]],
        links: Graph,
    ) -> tuple[Rearm, ...]:
        """The loop-backs of `s`, and its fixes where they are written in the short form (semantics, section 6)."""
        found = [Rearm(source, label) for source, label in lowered[s] if (source, s) in back]
        if self.rows[s].is_script:
            for x, sources in enumerate(lowered):
                if (s, "false") in sources and self._is_fix(x, s, links) and (x, s) not in back:
                    found.append(Rearm(x, "", is_fix=True))
        return tuple(dict.fromkeys(found))

    def _is_fix(self, x: int, s: int, links: Graph) -> bool:
        row = self.rows[x]
        return (
            row.role != "system"
            and self._collections(x) == self._collections(s)
            and not links[x]
            and row.rearm.lower() != "no"
        )

    def _with_fixes(
        self, cycles: list[tuple[int, ...]], rearms: tuple[tuple[Rearm, ...], ...]
    ) -> tuple[tuple[int, ...], ...]:
        """The cycles, those of a check and its fix in the short form included: nothing in one is stale by another.

        Semantics, section 6.6.
        """
        merged = [set(cycle) for cycle in cycles]
        for s, each in enumerate(rearms):
            fixes = {r.source for r in each if r.is_fix}
            if not fixes:
                continue
            home = next((cycle for cycle in merged if s in cycle), None)
            if home is None:
                merged.append({s} | fixes)
            else:
                home |= fixes
        return tuple(tuple(sorted(cycle)) for cycle in merged)

    def _asked(self, lowered: Iterable[Iterable[tuple[int, str]]]) -> tuple[frozenset[str], ...]:
        """Per task the labels somebody asks of it, in loop-backs too; a group's label is asked of its exits."""
        asked: list[set[str]] = [set() for _ in self.tasks]
        for row in (*self.rows, *self.group_rows.values()):
            for dependency in row.dependencies:
                for s, label in self._lower(dependency):
                    asked[s].add(label)
        return tuple(frozenset(labels - {""}) for labels in asked)


def _topological(leads: list[set[int]]) -> tuple[int, ...]:
    """Tasks in flow order: each after all it waits for, else in table order (what is left of a cycle goes last)."""
    missing = [0] * len(leads)
    for targets in leads:
        for t in targets:
            missing[t] += 1
    ready = [t for t, count in enumerate(missing) if not count]
    heapify(ready)
    order: list[int] = []
    while ready:
        t = heappop(ready)
        order.append(t)
        for target in leads[t]:
            missing[target] -= 1
            if not missing[target]:
                heappush(ready, target)
    placed = set(order)
    return (*order, *(t for t in range(len(leads)) if t not in placed))
