"""Statuses and loop-backs worked out the slow way, straight from the rules.

Each row is asked again until nothing changes. The oracle takes the gates of the compiled flow, but shares none of the
engine's counting and none of its order; the loop-backs it works out from the rows themselves.
"""

from collections.abc import Iterable

from board.process.definition.quorum import need
from board.process.engine.status.status import is_finished
from board.process.flow.flow import Flow
from board.process.flow.gates import Gate, GateSet

Row = tuple[int, int]  # a task's number and an element's; 0 for a single task


class Oracle:
    """Shown statuses from stored ones (those of rows that are not open) by asking every gate of every row."""

    def __init__(self, flow: Flow, sizes: list[int | None], stored: dict[Row, str]) -> None:
        self.flow = flow
        self.sizes = sizes
        self.rows = [(t, e) for t, n in enumerate(sizes) for e in range(1 if n is None else n)]
        self.shown = {row: stored.get(row, "open") if row in stored else "blocked" for row in self.rows}
        changed = True
        while changed:
            changed = False
            for row in self.rows:
                if row not in stored and (found := self.judge(row)) != self.shown[row]:
                    self.shown[row], changed = found, True

    def judge(self, row: Row) -> str:
        return self.judge_sets(row, self.flow.gate_sets[row[0]])

    def judge_sets(self, row: Row, sets: Iterable[GateSet]) -> str:
        verdicts = [self.judge_set(row, each) for each in sets]
        if "skipped" in verdicts:
            return "skipped"
        return "blocked" if "blocked" in verdicts else "open"

    def judge_set(self, row: Row, gates: GateSet) -> str:
        states = [self.gate(row, gate) for gate in gates.gates]
        if not states:
            return "open"
        if gates.join == "inclusive":
            still = [s == "never" and self.can_come(row, gate) for s, gate in zip(states, gates.gates, strict=True)]
            if "waiting" in states or any(still):
                return "blocked"
            return "open" if "met" in states else "skipped"
        met, waiting = states.count("met"), states.count("waiting")
        wanted = need(gates.join, len(states))
        return "open" if met >= wanted else "skipped" if met + waiting < wanted else "blocked"

    def gate(self, row: Row, gate: Gate) -> str:
        if gate.kind in ("unknown", "empty"):
            return "met" if gate.kind == "empty" else "waiting"
        first = gate.task if gate.kind == "task" else gate.members[0]
        size = self.sizes[first]
        if size == 0:
            return self.from_outside(gate)
        if size is None:
            return self.element(gate, 0)
        if self.flow.collection_of(row[0]) == self.flow.collection_of(first):
            return self.element(gate, row[1])
        states = [self.element(gate, e) for e in range(size)]
        wanted = need(self.flow.groups[self.flow.group_of[first]].row.complete_when, size)
        if states.count("met") >= wanted:
            return "met"
        return "never" if size - states.count("never") < wanted else "waiting"

    def from_outside(self, gate: Gate) -> str:
        """What a gate sees of a group without elements: the group's gates, at the entries that lead to it."""
        asked = (gate.task,) if gate.kind == "task" else gate.members
        entries = self.flow.groups[self.flow.group_of[asked[0]]].entries
        verdicts = set()
        for task in asked:
            leading = [entry for entry in entries if self.leads(entry, task)] or [task]
            for entry in leading:
                sets = [each for each in self.flow.gate_sets[entry] if each.group]
                verdicts.add(self.judge_sets((entry, 0), sets))
        return "waiting" if "blocked" in verdicts else "never" if "skipped" in verdicts else "met"

    def leads(self, source: int, target: int, seen: frozenset[int] = frozenset()) -> bool:
        """Whether the flow without loop-backs leads from one task to another."""
        if source == target:
            return True
        return any(self.leads(t, target, seen | {source}) for t in self.flow.forward[source] if t not in seen)

    def comes_after(self, task: int, first: set[int], seen: frozenset[int] = frozenset()) -> bool:
        """Whether a task comes after others, each member that a group gate waits for leading to the task that asks."""
        if task in first:
            return True
        gates = [gate for each in self.flow.gate_sets[task] for gate in each.gates]
        waits = {s for gate in gates for s in (gate.members or (gate.task,)) if s >= 0}
        waits |= {s for s, label in self.flow.lowered[task] if (s, label, task) not in self.flow.backward}
        return any(self.comes_after(s, first, seen | {task}) for s in waits - seen)

    def can_come(self, row: Row, gate: Gate) -> bool:
        """Whether an open or doing row can lead to what a gate of an inclusive join waits for."""
        join, e = row
        later = {t for t in range(len(self.sizes)) if self.comes_after(t, {join})}
        found = set(gate.members or (gate.task,)) - later
        grown = True
        while grown:
            before = {s for t in found for s, _ in self.flow.lowered[t]}
            before |= {rearm.source for t in found for rearm in self.flow.rearms[t]}
            grown = not before - later <= found
            found |= before - later
        inclusive = {t for t, sets in enumerate(self.flow.gate_sets) if any(each.join == "inclusive" for each in sets)}
        collection = self.flow.collection_of
        for t, at in self.rows:
            if t in found and self.shown[(t, at)] in ("open", "doing") and (t < join or t not in inclusive):
                alike = collection(t) and collection(t) == collection(join)
                if not alike or at == e:
                    return True
        return False

    def element(self, gate: Gate, e: int) -> str:
        if gate.kind == "task":
            return self.one(gate.task, e, gate.label)
        rows = [(m, e) for m in gate.members]
        if not all(self.settled(row) for row in rows):
            return "waiting"
        if all(self.shown[row] == "skipped" for row in rows):
            return "never"
        return "met" if not gate.label or any(self.shown[(x, e)] == gate.label for x in gate.exits) else "never"

    def one(self, t: int, e: int, label: str) -> str:
        shown = self.shown[(t, e)]
        if shown == "skipped":
            return "never"
        if not is_finished(shown) or (shown == "failed" and "failed" not in self.flow.asked[t]):
            return "waiting"
        if shown == "failed":
            return "met" if label == "failed" else "never"
        return "met" if label in ("", shown) else "never"

    def settled(self, row: Row) -> bool:
        shown = self.shown[row]
        if shown == "failed":
            return "failed" in self.flow.asked[row[0]]
        return shown == "skipped" or is_finished(shown)


def loop_backs(flow: Flow, unknown: set[int]) -> set[tuple[int, str, int]]:
    """The dependencies that close a cycle, head by head; `unknown`: the tasks that wait for what is not there."""
    waits = {(s, label, t) for t, each in enumerate(flow.lowered) for s, label in each}
    found: set[tuple[int, str, int]] = set()

    def after(start: int, left: set[tuple[int, str, int]]) -> set[int]:
        reached: set[int] = set()
        while new := {t for s, _, t in left if s == start or s in reached} - reached:
            reached |= new
        return reached

    def cycles(among: set[int]) -> set[frozenset[int]]:
        left = {w for w in waits - found if w[0] in among and w[2] in among}
        reach = {t: after(t, left) for t in among}
        return {frozenset(u for u in reach[t] if t in reach[u]) for t in among if t in reach[t]}

    def entered(t: int, cycle: frozenset[int]) -> bool:
        return t in unknown or any(s not in cycle for s, _, target in waits if target == t)

    def solve(cycle: frozenset[int], whole: frozenset[int]) -> None:
        head = min([t for t in cycle if entered(t, cycle)] or cycle)
        answers = {(s, label) for s, label, t in waits if t == head and s in cycle}
        starts = {head} | {t for t in cycle if entered(t, whole)}
        found.update(w for w in waits if w[:2] in answers and w[2] in starts)
        for left in cycles(set(cycle)):
            solve(left, whole)

    for cycle in cycles(set(range(len(flow.tasks)))):
        solve(cycle, cycle)
    return found
