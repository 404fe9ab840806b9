"""Warnings that need the compiled flow: fixes, cycles, answers and what can be skipped (semantics, section 1.3)."""

from collections.abc import Iterator

from board.process.definition.table import Dependency, ProcessTable, Row
from board.process.definition.text import shown
from board.process.flow.flow import Flow, compile_flow
from board.process.flow.graph import adjacency, components
from board.process.validation.finding import Problem, listed, numbered, problem
from board.process.validation.outcomes import Needs, Skips, contradiction, row_of


def of_flow(table: ProcessTable) -> Iterator[Problem]:
    """Give every warning about the flow of a table, each once."""
    facts = _Facts(table, compile_flow(table))
    found = dict.fromkeys(facts.of_fixes())
    found |= dict.fromkeys(facts.of_cycles())
    found |= dict.fromkeys(facts.of_order())
    found |= dict.fromkeys(facts.of_labels())
    found |= dict.fromkeys(facts.of_any_answer())
    found |= dict.fromkeys(facts.of_exclusion())
    found |= dict.fromkeys(facts.of_skippable())
    yield from found


class _Facts:
    def __init__(self, table: ProcessTable, flow: Flow) -> None:
        self.table = table
        self.flow = flow
        self.number: dict[str, int] = {}
        for number, row in numbered(table):
            self.number.setdefault(row.task, number)

    def of_fixes(self) -> Iterator[Problem]:
        for s, rearms in enumerate(self.flow.rearms):
            for fix in (self.flow.rows[r.source] for r in rearms if r.is_fix):
                check = self.flow.rows[s]
                message = (
                    f"This is read as the fix of the check “{shown(check.name)}”: finishing it runs the check again; "
                    "write `no` under `rearm` if not."
                )
                yield self._warn(fix, f"{check.task}:false", message, "read-as-fix")

    def of_cycles(self) -> Iterator[Problem]:
        size = len(self.flow.tasks)
        links = adjacency(size, ((s, t) for t, each in enumerate(self.flow.lowered) for s, _ in each))
        for part in components(links, range(size)):
            inside = set(part)
            if len(part) > 1 and not any(self._entered(t, inside) for t in part):
                first = self.flow.rows[min(part)]
                message = (
                    f"Nothing outside leads into the cycle of {listed(self.flow.tasks[t] for t in part)}: it starts "
                    f"at its first row, `{shown(first.task)}`; move the row it should start at up if that is wrong."
                )
                yield self._warn(first, first.depends_on, message, "cycle-no-entry")

    def of_order(self) -> Iterator[Problem]:
        for taken in self.flow.by_table_order:
            head = self.flow.rows[taken[0][2]]
            ways = sorted({f"{self._spelled(source, label)} of `{self._task(task)}`" for source, label, task in taken})
            message = (
                f"Only the order of the rows says where this cycle begins: {' and '.join(ways)} "
                f"{'are' if len(ways) > 1 else 'is'} taken for the way back, which never holds up; move the row it "
                "should begin at up if that is wrong."
            )
            source, label, _ = taken[0]
            text = str(Dependency(self.flow.tasks[source], label))
            yield self._warn(head, text, message, "cycle-by-order")

    def of_labels(self) -> Iterator[Problem]:
        asked: dict[tuple[int, str], tuple[str, int]] = {}
        for number, row in numbered(self.table):
            for dependency in row.dependencies:
                for t in self._targets(dependency):
                    key = (t, dependency.label.casefold())
                    label, first = asked.setdefault(key, (dependency.label, number))
                    if label != dependency.label:
                        message = (
                            f"Row {first} asks “{shown(self.flow.tasks[t])}” for `{shown(label)}`, this row for "
                            f"`{shown(dependency.label)}`: these are two answers; write both alike if one is meant."
                        )
                        yield self._warn(row, str(dependency), message, "labels-case", number)

    def of_any_answer(self) -> Iterator[Problem]:
        asked: dict[str, dict[str, set[int]]] = {}
        for number, row in numbered(self.table):
            for dependency in row.dependencies:
                asked.setdefault(dependency.task, {}).setdefault(dependency.label, set()).add(number)
        for number, row in numbered(self.table):
            for dependency in (d for d in row.dependencies if not d.label):
                told_apart = asked[dependency.task].items()
                others = [
                    label for label, who in told_apart if label not in ("", "done", "failed") and number not in who
                ]
                if others:
                    message = (
                        f"This opens whatever “{shown(dependency.task)}” answers, on {listed(others)} too, which other "
                        f"rows tell apart: write `{shown(dependency.task)}:ANSWER` if only one of them is meant."
                    )
                    yield self._warn(row, str(dependency), message, "any-answer", number)

    def of_exclusion(self) -> Iterator[Problem]:
        needs = Needs(self.flow)
        for t in self.flow.order:
            pair = contradiction(needs.of_task[t])
            gates = [(each, gate) for each in self.flow.gate_sets[t] for gate in each.gates]
            if pair is None or any(contradiction(needs.of_gate(gate)) for _, gate in gates):
                continue  # no contradiction, or one that an earlier row is warned about
            blamed = next((each for each in self.flow.gate_sets[t] if contradiction(needs.of_set(t, each))), None)
            row = self.flow.rows[t] if blamed is None else row_of(self.flow, t, blamed)
            one, other = (self._spelled(task, label) for task, label in pair)
            message = (
                f"This waits for {one} and {other}, which exclude one another, so it is always skipped: write `any` "
                "under `join` if one of them is enough."
            )
            yield self._warn(row, row.depends_on, message, "answers-exclude")

    def of_skippable(self) -> Iterator[Problem]:
        skips = Skips(self.flow)
        for t, sets in enumerate(self.flow.gate_sets):
            for each in sets:
                row = row_of(self.flow, t, each)
                for gate in (gate for gate in each.gates if gate.kind == "task"):
                    group = self._left(gate.task, t)
                    if group and skips.can_skip(gate.task):
                        text = str(Dependency(gate.id, gate.label))
                        message = (
                            f"“{shown(gate.id)}” is inside the group `{shown(group)}` and can be skipped, and this "
                            "would be skipped with it: wait for the group instead."
                        )
                        yield self._warn(row, text, message, "waits-for-skippable")

    def _left(self, source: int, t: int) -> str:
        """The outermost group around the source that is not around the task, "" for none."""
        here = self.flow.group_of[t]
        mine = {here, *self.flow.groups[here].outer} if here else set()
        there = self.flow.group_of[source]
        around = (there, *self.flow.groups[there].outer) if there else ()
        return next((group for group in reversed(around) if group not in mine), "")

    def _entered(self, t: int, inside: set[int]) -> bool:
        """Whether something outside a cycle leads to one of its tasks; what does not exist counts as outside."""
        if any(s not in inside for s, _ in self.flow.lowered[t]):
            return True
        group = self.flow.group_of[t]
        asking = [self.flow.rows[t]]
        while group and t in self.flow.groups[group].entries:
            asking.append(self.flow.groups[group].row)
            group = next(iter(self.flow.groups[group].outer), "")
        return any(d.task not in self.number for row in asking for d in row.dependencies)

    def _targets(self, dependency: Dependency) -> tuple[int, ...]:
        if dependency.task in self.flow.groups:
            return self.flow.groups[dependency.task].exits
        return (self.flow.index[dependency.task],) if dependency.task in self.flow.index else ()

    def _spelled(self, task: int, label: str) -> str:
        return f"`{self._task(task)}{':' if label else ''}{shown(label)}`"

    def _task(self, task: int) -> str:
        return shown(self.flow.tasks[task])

    def _warn(self, row: Row, text: str, message: str, code: str, number: int = 0) -> Problem:
        return problem("warning", number or self.number.get(row.task, 0), row, "depends_on", text, message, code)
