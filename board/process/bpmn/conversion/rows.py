"""From formulas to rows: their order, their loops, and the one word under `join` that says the formula."""

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations

from board.process.bpmn.conversion import formula as f
from board.process.bpmn.conversion.build import Builder
from board.process.bpmn.conversion.formula import Atom, Formula, Op
from board.process.bpmn.conversion.order import in_order
from board.process.bpmn.conversion.region import Draft
from board.process.bpmn.xml import DRAWN_AS
from board.process.definition.table import ProcessTable
from board.process.flow.flow import Flow, compile_flow

Way = frozenset[Atom]  # answers that are all given on one way to a row
Guard = frozenset[Way]  # the ways that lead to a row

ANYHOW: Guard = frozenset([frozenset()])
_MOST_COMPARED = 40
_MOST_WAYS = 24
_MOST_PRODUCT = 200
_MOST_ANSWERS = 40
_MOST_GUARDED = 1500  # rows; beyond that branches are not told apart, which only makes more remarks


class Rows:
    """Makes the rows of a table from all drafts."""

    def __init__(self, builder: Builder) -> None:
        self.builder, self.report = builder, builder.report
        self.drafts = builder.drafts
        self.order = in_order(builder)
        self.loops: dict[int, frozenset[Atom]] = {}
        self.circling: set[int] = set()  # rows in a loop
        self.guards: dict[int, Guard] = {}
        self.places: dict[int, int] = {}  # in the order of the flow, loops apart

    def rows(self) -> list[dict[str, str]]:
        """Give the rows as cells by column, in the order of the flow."""
        for draft in self.drafts:
            self._without_itself(draft)
        flow = self._compiled()
        if late := self._late(flow):
            self._begin(late)
            flow = self._compiled()
        self.loops = {draft.number: self._loops(flow, draft) for draft in self.drafts}
        self.circling = {draft.number for draft in self.drafts if self._circles(flow, draft)}
        for draft in self.drafts:
            self._tell_early(draft)
        self._guard()
        return [self._row(draft) for draft in self.order]

    def _without_itself(self, draft: Draft) -> None:
        own = frozenset(atom for atom in f.atoms(draft.formula) if atom.row == draft.number)
        if own:
            draft.formula = f.less(draft.formula, own)
            self._tell(draft, "The flow from it back to itself is put aside: it is done again before it is ticked off.")

    def _compiled(self) -> Flow:
        return compile_flow(ProcessTable.from_rows(map(self._links, self.order)))

    def _links(self, draft: Draft) -> dict[str, str]:
        depends = ", ".join(self._spelled(atom) for atom in f.atoms(draft.formula))
        parent = draft.group.task if draft.group else ""
        return {"task": draft.task, "depends_on": depends, "collection": draft.collection, "parent": parent}

    def _spelled(self, atom: Atom) -> str:
        task = self.drafts[atom.row].task
        return f"{task}:{atom.label}" if atom.label else task

    # loops

    def _loops(self, flow: Flow, draft: Draft) -> frozenset[Atom]:
        return frozenset(atom for atom in f.atoms(draft.formula) if self._leads_back(flow, draft, atom))

    def _leads_back(self, flow: Flow, draft: Draft, atom: Atom) -> bool:
        sources = self._tasks(flow, self.drafts[atom.row], outgoing=True)
        targets = self._tasks(flow, draft, outgoing=False)
        pairs = [(s, t) for t in targets for s in sources]
        return bool(pairs) and all(flow.is_loop_back(s, atom.label, t) for s, t in pairs)

    def _tell_early(self, draft: Draft) -> None:
        """A way back is one only if all rows that lead back do so with any answer: else the first of them is enough."""
        back = self.loops[draft.number]
        if any(len(ways) > 1 and any(atom.label for atom in ways) for ways in f.together(draft.formula, back)):
            message = "The way back to it joins several: it is done again after the first of them, and not after all."
            self._tell(draft, message, "Put a row before it that waits for all of them, and let that one lead back.")

    def _tasks(self, flow: Flow, draft: Draft, outgoing: bool) -> Sequence[int]:
        if not draft.is_group:
            return [flow.index[draft.task]]
        group = flow.groups[draft.task]
        return group.exits if outgoing else group.entries

    def _circles(self, flow: Flow, draft: Draft) -> bool:
        return any(flow.cycle_of(t) < len(flow.cycles) for t in self._tasks(flow, draft, outgoing=False))

    def _late(self, flow: Flow) -> list[Draft]:
        """The rows at the start of circles that the engine would enter elsewhere, all of a circle alike."""
        starting = [draft for draft in self.drafts if f.starts(draft.formula)]
        late = [flow.index[draft.task] for draft in starting if self._begins_late(flow, draft)]
        return [
            draft
            for draft in starting
            if any(flow.same_cycle(t, own) for own in self._tasks(flow, draft, outgoing=False) for t in late)
        ]

    def _begins_late(self, flow: Flow, draft: Draft) -> bool:
        """Say whether a row at the start is on a circle that the engine would enter elsewhere."""
        if draft.is_group or not f.atoms(draft.formula):
            return False
        t = flow.index[draft.task]
        forward = {s for s, label in flow.lowered[t] if not flow.is_loop_back(s, label, t)}
        return any(flow.same_cycle(s, t) for s in forward)

    def _begin(self, late: list[Draft]) -> None:
        """The start becomes a row, so that a circle is entered where it is drawn."""
        first = self.drafts[late[0].number]
        start = self.builder.draft("start", "Start", None, None)
        start.role, start.group = ("" if first.system else first.role), first.group
        for draft in late:
            parts = (Atom(start.number), *f.atoms(draft.formula))
            draft.formula = f.joined("xor", parts)
            if draft.node:
                message = f"A row {start.shown} was put before it, so that the loop begins here."
                self.report.approximated(draft.node, message)
        self.order.insert(self.order.index(first), start)

    # guards: which answers lead to a row

    def _guard(self) -> None:
        if len(self.drafts) > _MOST_GUARDED:
            return
        for place, draft in enumerate(self._topological()):
            self.places[draft.number] = place
            guard = self._guard_of(f.holding(f.less(draft.formula, self.loops[draft.number])))
            outer = self.guards.get(draft.group.number, ANYHOW) if draft.group else ANYHOW
            self.guards[draft.number] = frozenset(map(self._latest, _both(outer, guard)))

    def _latest(self, way: Way) -> Way:
        """The answers given last, where there are very many: those before them tell branches apart no longer."""
        if len(way) <= _MOST_ANSWERS:
            return way
        return frozenset(sorted(way, key=lambda atom: self.places[atom.row])[-_MOST_ANSWERS:])

    def _topological(self) -> list[Draft]:
        needs = {
            draft.number: {atom.row for atom in f.atoms(draft.formula) if atom not in self.loops[draft.number]}
            | ({draft.group.number} if draft.group else set())
            for draft in self.order
        }
        after: dict[int, list[int]] = {}
        for number, sources in needs.items():
            for source in sources:
                after.setdefault(source, []).append(number)
        ready = [draft.number for draft in self.order if not needs[draft.number]]
        found: list[Draft] = []
        for number in ready:
            found.append(self.drafts[number])
            for target in after.get(number, ()):
                needs[target].discard(number)
                if not needs[target]:
                    ready.append(target)
        return found

    def _guard_of(self, formula: Formula) -> Guard:
        if isinstance(formula, Atom):
            before = self.guards.get(formula.row, ANYHOW)
            return _both(before, frozenset([frozenset([formula])])) if formula.label else before
        if not isinstance(formula, Op):
            return ANYHOW
        guards = [self._guard_of(part) for part in formula.parts]
        if formula.join == "and":
            return self._narrow(reduce(_both, guards))
        every: Guard = frozenset().union(*guards)
        return self._narrow(every if len(every) <= _MOST_PRODUCT else _common(every))

    def _narrow(self, guard: Guard) -> Guard:
        """Ways that differ only in the answers of one row, all of them, are one way without it."""
        asked = sorted({atom.row for way in guard for atom in way})
        before: Guard = frozenset()
        while guard != before:
            before = guard
            for row in asked:
                guard = self._without(guard, row)
        return guard if len(guard) <= _MOST_WAYS else _common(guard)

    def _without(self, guard: Guard, row: int) -> Guard:
        rest: dict[Way, set[str]] = {}
        for way in guard:
            for atom in way:
                if atom.row == row:
                    rest.setdefault(way - {atom}, set()).add(atom.label)
        answers = self._answers(row)
        whole = {way for way, labels in rest.items() if labels >= answers}
        return guard - {way | {Atom(row, label)} for way in whole for label in answers} | whole

    def _answers(self, row: int) -> frozenset[str]:
        draft = self.drafts[row]
        return frozenset([*draft.labels.values(), *draft.planned])

    def _exclude(self, formulas: Iterable[Formula]) -> bool:
        """Say whether of these only one can ever come."""
        guards = [self._guard_of(formula) for formula in formulas]
        return len(guards) <= _MOST_COMPARED and all(_apart(a, b) for a, b in combinations(guards, 2))

    # rows

    def _row(self, draft: Draft) -> dict[str, str]:
        asked = f"Question: {'; '.join(draft.questions)}" if draft.questions else ""
        row = self._links(draft) | {
            "name": draft.name,
            "role": "" if draft.is_group else draft.role,
            "script": draft.script,
            "join": self._join(draft),
            "complete_when": draft.complete_when,
            "sequential": "yes" if draft.sequential else "",
            "timeout": draft.timeout,
            "assignee": draft.assignee,
            "due": draft.due,
            DRAWN_AS: draft.drawn_as,
            "description": "\n\n".join(filter(None, (draft.description, asked, *draft.conditions))),
        }
        return {column: cell for column, cell in row.items() if cell}

    def _join(self, draft: Draft) -> str:
        formula = f.holding(f.less(draft.formula, self.loops[draft.number]))
        if not isinstance(formula, Op):
            return ""
        flat = not any(isinstance(part, Op) for part in formula.parts)
        if not flat:
            return self._mixed(draft, formula)
        if formula.join == "n":
            return formula.need or self._unknown_quorum(draft)
        if formula.join == "or":
            once = not formula.explicit and draft.number not in self.circling
            return "any" if once and self._exclude(formula.parts) else "inclusive"
        if formula.join == "xor":
            return self._first(draft, formula)
        return self._together(draft, formula)

    def _together(self, draft: Draft, formula: Op) -> str:
        guards = [self._guard_of(part) for part in formula.parts[:_MOST_COMPARED]]
        if not any(_apart(a, b) for a, b in combinations(guards, 2)):
            return ""
        self._tell(draft, "It joins ways of which only some can be taken: it waits for those that are.")
        return "inclusive"

    def _first(self, draft: Draft, formula: Op) -> str:
        if self._exclude(formula.parts):
            # in a loop the other way may be finished from an earlier round: it must not be enough
            return "inclusive" if draft.number in self.circling else "any"
        if formula.explicit:
            return "any"
        message = (
            "Several flows lead to it without a gateway: it is done once, after all of them that are taken,"
            " and not once for each."
        )
        self._tell(draft, message, "Write `any` under `join` if the first of them is enough.")
        return "inclusive"

    def _mixed(self, draft: Draft, formula: Op) -> str:
        """Joins of joins: waiting for whatever still comes is the same, where alternatives exclude each other."""
        if not self._same_as_inclusive(formula):
            message = "Joins that follow each other became one: it waits for all that may still come."
            self._tell(draft, message)
        return "inclusive"

    def _same_as_inclusive(self, formula: Formula) -> bool:
        if not isinstance(formula, Op):
            return True
        if not all(map(self._same_as_inclusive, formula.parts)):
            return False
        if formula.join == "xor":
            return self._exclude(formula.parts)
        if formula.join == "and":
            guards = [self._guard_of(part) for part in formula.parts]
            return all(guard == guards[0] for guard in guards)
        return formula.join == "or"

    def _unknown_quorum(self, draft: Draft) -> str:
        message = "The complex join before it does not say how many it waits for: it waits for all that are taken."
        self._tell(draft, message, "Write under `join` how many are enough: `n=2`, `50%`.")
        return "inclusive"

    def _tell(self, draft: Draft, message: str, offer: str = "") -> None:
        self.report.approximated(draft.node or _Made(draft.task, draft.name), message, offer)


class _Made:
    """A row that is no element of the file, as a remark names it."""

    type = "row"

    def __init__(self, task: str, name: str) -> None:
        self.id, self.name = task, name


def _both(a: Guard, b: Guard) -> Guard:
    if len(a) * len(b) > _MOST_PRODUCT:
        a, b = _common(a), _common(b)
    return frozenset(x | y for x in a for y in b if not _against(x, y)) or ANYHOW


def _common(guard: Guard) -> Guard:
    """What all ways have in common, as one way."""
    return frozenset([frozenset.intersection(*guard)])


def _against(a: Way, b: Way) -> bool:
    """Say whether two ways need different answers of one row."""
    answers = dict(a)
    return any(answers.get(row, label) != label for row, label in b)


def _apart(a: Guard, b: Guard) -> bool:
    return all(_against(x, y) for x in a for y in b)
