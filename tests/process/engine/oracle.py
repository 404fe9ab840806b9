"""Statuses worked out the slow way, straight from the rules: each row asked again until nothing changes.

It shares the compiled flow with the engine, but none of its counting and none of its order.
"""

from board.process.definition.quorum import need
from board.process.engine.flow.flow import Flow
from board.process.engine.flow.gates import Gate, GateSet
from board.process.engine.status.status import is_finished

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
        verdicts = [self.judge_set(row, each) for each in self.flow.gate_sets[row[0]]]
        if "skipped" in verdicts:
            return "skipped"
        return "blocked" if "blocked" in verdicts else "open"

    def judge_set(self, row: Row, gates: GateSet) -> str:
        states = [self.gate(row, gate) for gate in gates.gates]
        if not states:
            return "open"
        met, waiting = states.count("met"), states.count("waiting")
        if gates.join == "inclusive":
            return "blocked" if waiting else "open" if met else "skipped"
        wanted = need(gates.join, len(states))
        return "open" if met >= wanted else "skipped" if met + waiting < wanted else "blocked"

    def gate(self, row: Row, gate: Gate) -> str:
        if gate.kind in ("unknown", "empty"):
            return "met" if gate.kind == "empty" else "waiting"
        first = gate.task if gate.kind == "task" else gate.members[0]
        size = self.sizes[first]
        if size is None:
            return self.element(gate, 0)
        if self.flow.collection_of(row[0]) == self.flow.collection_of(first):
            return self.element(gate, row[1])
        states = [self.element(gate, e) for e in range(size)]
        wanted = need(self.flow.groups[self.flow.group_of[first]].row.complete_when, size)
        if states.count("met") >= wanted:
            return "met"
        return "never" if size - states.count("never") < wanted else "waiting"

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
