"""Gateways dissolve: splits into answers of rows, joins into formulas of what a row waits for.

A split asks the row right before it. Where there is none (a join before it, the start, a group, a
row that is asked already) the gateway itself becomes a row that asks.
"""

from itertools import count

from board.process.bpmn.conversion import events
from board.process.bpmn.conversion import formula as f
from board.process.bpmn.conversion.build import Builder
from board.process.bpmn.conversion.formula import ALWAYS, Atom, Formula, joined
from board.process.bpmn.conversion.questions import Questions, wording
from board.process.bpmn.conversion.region import Arrow, Draft, Region, Spot
from board.process.bpmn.parsing.model import FlowNode
from board.process.definition.cells import SYSTEM
from board.process.flow.graph import adjacency, components

_PATIENCE = 20  # turns of breaking circles one by one


class Dissolver:
    """Dissolves one region: afterwards every row of it has its formula."""

    def __init__(self, builder: Builder, region: Region) -> None:
        self.builder, self.region, self.report = builder, region, builder.report
        self.questions = Questions(builder, region)

    def dissolve(self) -> None:
        """Fill the formulas of the region's drafts."""
        self._prepare()
        self._break_circles()
        for spot in self._dissolving():
            self._split(spot, self._into(spot))
        for spot in self.region.spots:
            if spot.draft:
                spot.draft.formula = f.bounded(self._into(spot))
        self._finishes()
        self._unasked()

    # before: rows that ask by themselves

    def _prepare(self) -> None:
        for spot in list(self.region.spots):
            if spot.node and spot.node.type == "eventBasedGateway":
                self._race(spot)
            if spot.draft:
                self._conditions(spot)

    def _race(self, spot: Spot) -> None:
        """An event-based gateway is a row that waits for the first of several messages."""
        assert spot.node
        if len(spot.outgoing) < 2:
            self.report.taken(spot.node, "Only one event can follow: the flow goes on with it.")
            return
        texts = [wording(arrow)[0] for arrow in spot.outgoing]
        name = spot.node.name or f"Wait for: {' / '.join(texts)}"[:120]
        draft = self.builder.draft(spot.node.id, name, spot.node, self.region)
        draft.role, draft.system = SYSTEM, True
        self.region.seat(spot, draft)
        for arrow in spot.outgoing:
            arrow.conditional = True
        draft.due = next(filter(None, (events.deadline(arrow.target.node) for arrow in spot.outgoing)), "")
        message = f"It became the row {draft.shown}: a message whose value is the answer says what came first."
        offer = f"The time of a timer among the events went under `due`: `{draft.due}`." if draft.due else ""
        self.report.approximated(spot.node, message, offer)

    def _conditions(self, spot: Spot) -> None:
        """Flows out of a row that say when they are taken: as if a gateway stood there."""
        arrows = [arrow for arrow in spot.outgoing if arrow.conditional and not arrow.labels]
        named = [arrow for arrow in spot.outgoing if arrow.text and not arrow.labels]
        if not arrows and len(named) > 1 and len(named) == len({arrow.text for arrow in named}) == len(spot.outgoing):
            arrows = named
        if not arrows:
            return
        arrows += [arrow for arrow in spot.outgoing if arrow.default and arrow not in arrows]
        gateway = self.region.spot()
        gateway.split, gateway.role = "xor", spot.role
        spot.outgoing = [arrow for arrow in spot.outgoing if arrow not in arrows]
        self.region.arrow(spot, gateway)
        for arrow in arrows:
            arrow.source = gateway
            gateway.outgoing.append(arrow)
        if spot.node and spot.draft and spot.node.type not in ("eventBasedGateway", "startEvent"):
            message = "The conditions on the flows out of it became answers: one of them is given."
            self.report.approximated(spot.node, message)

    def _links(self) -> tuple[tuple[frozenset[int], ...], list[int]]:
        spots = self.region.spots
        number = {spot: n for n, spot in enumerate(spots)}
        inside = [n for n, spot in enumerate(spots) if spot.draft is None]
        edges = ((n, number[arrow.target]) for n, spot in enumerate(spots) for arrow in spot.outgoing)
        return adjacency(len(spots), edges), inside

    def _break_circles(self) -> None:
        """A circle of gateways without a row in it: one of them becomes a row that asks."""
        for turn in count():
            links, inside = self._links()
            circles = [c for c in components(links, inside) if len(c) > 1 or c[0] in links[c[0]]]
            if not circles:
                return
            for circle in circles:
                spots = [self.region.spots[n] for n in circle]
                asking = [spot for spot in spots if spot.split != "and" and len(spot.outgoing) > 1]
                for spot in asking[: 1 if turn < _PATIENCE else None]:
                    self._ask_itself(spot)
                if not asking:
                    self._cut(spots)

    def _cut(self, circle: list[Spot]) -> None:
        entered = [spot for spot in circle if any(arrow.source not in circle for arrow in spot.incoming)]
        arrow = next(arrow for spot in (*entered, *circle) for arrow in spot.incoming if arrow.source in circle)
        arrow.source.outgoing.remove(arrow)
        arrow.target.incoming.remove(arrow)
        if arrow.flow:
            self.report.dropped(arrow.flow, "It closes a circle in which nobody does anything: it is put aside.")

    def _dissolving(self) -> list[Spot]:
        """The spots without a row, each after those that lead to it."""
        links, inside = self._links()
        return [self.region.spots[c[0]] for c in reversed(components(links, inside))]

    # formulas

    def _into(self, spot: Spot) -> Formula:
        if not spot.incoming:
            return ALWAYS
        return joined(spot.merge, map(self._along, spot.incoming), spot.explicit, spot.need)

    def _along(self, arrow: Arrow) -> Formula:
        if arrow.formula is not None:
            return arrow.formula
        if arrow.source.draft:
            row = arrow.source.draft.number
            return joined("xor", (Atom(row, label) for label in arrow.labels or ("",)))
        raise AssertionError("a spot is dissolved before those it leads to")

    def _split(self, spot: Spot, into: Formula) -> None:
        into = f.bounded(into)
        if spot.split == "and" or len(spot.outgoing) < 2:
            conditional = spot.node is None and spot.split != "and"
            question = self._question(spot, into) if conditional else None
            if question:  # one condition on the only flow out of a row
                self.questions.ask(question, spot, spot.outgoing)
                return
            for arrow in spot.outgoing:
                arrow.formula = into
            return
        question = self._question(spot, into)
        if question is None:
            self._ask_itself(spot)
        else:
            self.questions.ask(question, spot, spot.outgoing)

    def _question(self, spot: Spot, into: Formula) -> Draft | None:
        """The row before a split that can be asked, None when there is none."""
        if not isinstance(into, Atom):
            return None
        draft = self.builder.drafts[into.row]
        if not into.label and not (draft.asked or draft.alone or draft.is_group or _returns(spot, draft)):
            draft.asked = True
            return draft
        before = spot.incoming[0] if len(spot.incoming) == 1 else None
        nameless = spot.split == "xor" and not spot.name
        if nameless and before and before.labels == (into.label,) and into.label.casefold() in draft.labels:
            del draft.labels[into.label.casefold()]  # its one answer is told apart further
            return draft
        return None

    def _ask_itself(self, spot: Spot) -> Draft:
        """A gateway becomes a row that asks."""
        texts = [wording(arrow)[0] for arrow in spot.outgoing]
        before = spot.incoming[0].source.name if len(spot.incoming) == 1 else ""
        name = spot.name or f"{before or 'Which way'}: {' / '.join(texts)}"[:119].rstrip("?") + "?"
        node = spot.node
        draft = self.builder.draft(node.id if node else "question", name, node, self.region)
        draft.role, draft.asked = spot.role, True
        self.region.seat(spot, draft)
        if node:
            message = f"It became the row {draft.shown} that asks: no row before it could be asked."
            self.report.approximated(node, message)
        self.questions.ask(draft, spot, spot.outgoing)
        return draft

    # after: answers that are finishes, and answers nothing waits for

    def _finishes(self) -> None:
        planned = {draft.number: draft.planned for draft in self.builder.drafts if draft.planned}
        for spot in self.region.spots if planned else ():
            if spot.draft:
                spot.draft.formula = f.relabelled(spot.draft.formula, planned)

    def _unasked(self) -> None:
        """An answer after which nothing follows is offered only if a row waits for it: so one does."""
        mine = [spot.draft for spot in self.region.spots if spot.draft]
        asked = {atom for draft in mine for atom in f.atoms(draft.formula)}
        for draft in mine:
            labels = [*draft.labels.values(), *draft.planned]
            if draft.alone and not draft.finish and Atom(draft.number) not in asked:
                labels.append("done")
            if not draft.system and not draft.is_group:
                for label in dict.fromkeys(labels):
                    if Atom(draft.number, label) not in asked:
                        self._closing(draft, label)

    def _closing(self, draft: Draft, label: str) -> None:
        arrow = self.questions.askers.get(Atom(draft.number, label)) or self._asker(draft, label)
        end = _end_of(arrow) if arrow else None
        wanted = (end.id if end else arrow.flow.id if arrow and arrow.flow else f"{draft.task}_{label}")[:64]
        question = draft.questions[-1] if draft.questions else draft.name
        name = (end.name if end else "") or f"{question}: {label}"
        row = self.builder.draft(wanted, name, end, self.region)
        row.role, row.formula = draft.role, Atom(draft.number, label)
        self.region.arrow(self.region.places[draft], self.region.spot(None, row))
        element = end or (arrow.flow if arrow else None)
        if element:
            message = f"It became the row {row.shown}, so that the answer `{label}` of {draft.shown} can be given."
            self.report.approximated(element, message)

    def _asker(self, draft: Draft, label: str) -> Arrow | None:
        """The arrow of an event on the border, or the way out for what went as planned."""
        for arrow in self.region.places[draft].outgoing:
            if label in arrow.labels or (not arrow.labels and label not in draft.labels.values()):
                return arrow
        return None


def _returns(spot: Spot, draft: Draft) -> bool:
    """Say whether a way out of a split leads back to a row at once: no row may wait for itself."""
    seen = {spot}
    todo = [spot]
    while todo:
        for arrow in todo.pop().outgoing:
            if arrow.target.draft is draft:
                return True
            if arrow.target.draft is None and arrow.target not in seen:
                seen.add(arrow.target)
                todo.append(arrow.target)
    return False


def _end_of(arrow: Arrow) -> FlowNode | None:
    """Give the end event an arrow leads to and nothing else does, None when there is none."""
    spot = arrow.target
    while len(spot.incoming) == 1 and not spot.draft:
        if spot.end:
            return spot.node
        if len(spot.outgoing) != 1:
            return None
        spot = spot.outgoing[0].target
    return None
