"""How a definition can come out: which answers a task needs, and which tasks can be skipped.

Both are read off the compiled flow, one element standing for all, loop-backs left out. They serve the
warnings of validation only; the status of a running instance is never taken from here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product
from math import prod

from board.process.definition.quorum import QuorumError, is_inclusive, need
from board.process.definition.table import Row
from board.process.flow.flow import Flow
from board.process.flow.gates import Gate, GateSet

SKIPPED = "\0skipped"
_MAX_SCENARIOS = 1024

Fact = tuple[int, str]  # a task's number and the answer it must have, "" for any but failed


def wanted(row: Row, gates: int) -> int:
    """Give how many of a row's gates are enough (an inclusive join: one; an unreadable one: all)."""
    try:
        return min(1, gates) if is_inclusive(row.join) else need(row.join, gates)
    except QuorumError:
        return gates


def row_of(flow: Flow, task: int, gate_set: GateSet) -> Row:
    """Give the row that wrote a gate set: the task's own or its group's."""
    return flow.groups[gate_set.group].row if gate_set.group else flow.rows[task]


class Needs:
    """What must have been answered before a task can open: facts true in every way it can."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.of_task: list[frozenset[Fact]] = [frozenset()] * len(flow.tasks)
        for t in flow.order:
            self.of_task[t] = frozenset().union(*(self.of_set(t, each) for each in flow.gate_sets[t]))

    def of_set(self, t: int, gate_set: GateSet) -> frozenset[Fact]:
        """Give the facts that hold whenever enough gates of the set are met."""
        gates = gate_set.gates
        spare = len(gates) - wanted(row_of(self.flow, t, gate_set), len(gates))
        counted = Counter(fact for gate in gates for fact in self.of_gate(gate))
        return frozenset(fact for fact, count in counted.items() if count > spare)

    def of_gate(self, gate: Gate) -> frozenset[Fact]:
        """Give the facts that hold whenever the gate is met."""
        if gate.kind == "task":
            facts = self.of_task[gate.task] | self._telling(gate.task, gate.label)
            return facts if gate.per_element or self._all_elements(gate.task) else self._single(facts)
        if gate.kind == "group" and gate.label and len(gate.exits) == 1:
            return self._single(self._telling(gate.exits[0], gate.label), also=self._all_elements(gate.exits[0]))
        return frozenset()

    def _telling(self, task: int, label: str) -> frozenset[Fact]:
        """Give the fact of one gate, unless nobody asks the task for anything that would exclude it."""
        asked = self.flow.asked[task]
        return frozenset({(task, label)} if len(asked) > 1 or "failed" in asked else ())

    def _single(self, facts: Iterable[Fact], also: bool = False) -> frozenset[Fact]:
        """Leave out what different elements may answer differently."""
        return frozenset(fact for fact in facts if also or not self.flow.group_of[fact[0]])

    def _all_elements(self, task: int) -> bool:
        group = self.flow.group_of[task]
        return not group or self.flow.groups[group].row.complete_when.strip().lower() in ("", "all")


def contradiction(facts: Iterable[Fact]) -> tuple[Fact, Fact] | None:
    """Give two facts that exclude one another, the first pair there is."""
    by_task: dict[int, set[str]] = {}
    for task, label in facts:
        by_task.setdefault(task, set()).add(label)
    for task, labels in sorted(by_task.items()):
        named = sorted(labels - {""})
        if len(named) > 1:
            return (task, named[0]), (task, named[1])
        if "" in labels and "failed" in labels:
            return (task, ""), (task, "failed")
    return None


class Skips:
    """Which tasks can be skipped, by playing the answers of what comes before them."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.place = {t: i for i, t in enumerate(flow.order)}
        self._known: dict[int, bool] = {}

    def can_skip(self, task: int) -> bool:
        """Say whether some answers before a task make it skipped (with too many to play, whether they may)."""
        if task not in self._known:
            self._known[task] = self._played(task)
        return self._known[task]

    def _played(self, task: int) -> bool:
        walk = self._before(task)
        if not any(gate.label or gate.sources for t in walk for s in self.flow.gate_sets[t] for gate in s.gates):
            return False
        options = {t: self.answers(t) for t in walk if t != task}
        if prod(map(len, options.values())) > _MAX_SCENARIOS:
            return any(gate.label for t in walk for each in self.flow.gate_sets[t] for gate in each.gates)
        return any(self._skipped(walk, task, scenario) for scenario in _scenarios(options))

    def _before(self, task: int) -> list[int]:
        """Give a task and all it waits for, directly or not, in flow order."""
        found, todo = {task}, [task]
        while todo:
            sources = {s for each in self.flow.gate_sets[todo.pop()] for gate in each.gates for s in gate.sources}
            todo += sources - found
            found |= sources
        return sorted(found, key=self.place.__getitem__)

    def answers(self, t: int) -> tuple[str, ...]:
        """Give the answers a task can end with; those that start another round are not an end."""
        task = self.flow.tasks[t]
        offered = self.flow.answers(task)
        if len(offered) == 1 and offered != ("done",):
            offered = (*offered, "")  # whoever asks for one answer alone expects that there are others
        if self.flow.is_asked(t, "failed"):
            offered = (*offered, "failed")
        final = tuple(answer for answer in offered if not self._goes_round(t, answer))
        return final or offered

    def _goes_round(self, t: int, answer: str) -> bool:
        again = any(
            r.source == t and self.flow.meets(t, r.label, answer)
            for s in self.flow.rearms_of[t]
            for r in self.flow.rearms[s]
        )
        return again or bool(self.flow.between(t, answer))

    def _skipped(self, walk: list[int], task: int, answers: Mapping[int, str]) -> bool:
        value: dict[int, str] = {}
        for t in walk:
            opens = all(self._opens(t, each, value) for each in self.flow.gate_sets[t])
            value[t] = answers.get(t, "") if opens else SKIPPED
        return value[task] == SKIPPED

    def _opens(self, t: int, gate_set: GateSet, value: Mapping[int, str]) -> bool:
        met = sum(self._met(gate, value) for gate in gate_set.gates)
        return met >= wanted(row_of(self.flow, t, gate_set), len(gate_set.gates))

    def _met(self, gate: Gate, value: Mapping[int, str]) -> bool:
        if gate.kind == "task":
            given = value[gate.task]
            return given != SKIPPED and self.flow.meets(gate.task, gate.label, given)
        if gate.kind == "group":
            given_by = gate.exits if gate.label else gate.members
            return any(value[m] == gate.label if gate.label else value[m] != SKIPPED for m in given_by)
        return True


def _scenarios(options: Mapping[int, tuple[str, ...]]) -> Iterator[dict[int, str]]:
    combined = product(*options.values())
    return (dict(zip(options, answers, strict=True)) for answers in islice(combined, _MAX_SCENARIOS))
