"""Splits become questions: which answer of which row each flow out of a gateway asks for."""

import re
from collections.abc import Iterable
from itertools import combinations

from board.process.bpmn.conversion.build import Builder
from board.process.bpmn.conversion.formula import Atom, Formula, joined
from board.process.bpmn.conversion.region import Arrow, Draft, Region, Spot

OTHERWISE = "otherwise"
_MOST_COMBINED = 3
_COMPARED = re.compile(r"""[$#=\s]*\{?\s*([^\W\d][\w.]*)\s*={1,3}\s*["'\w]""")


class Questions:
    """Asks the rows of one region; `askers` says which arrow an answer comes from."""

    def __init__(self, builder: Builder, region: Region) -> None:
        self.builder, self.region, self.report = builder, region, builder.report
        self.askers: dict[Atom, Arrow] = {}

    def ask(self, draft: Draft, spot: Spot, arrows: list[Arrow]) -> None:
        """Give each arrow out of a split the answers of `draft` it asks for."""
        if spot.node and spot.name and draft.node is not spot.node:
            draft.questions.append(spot.name)
        if spot.split == "or":
            arrows = self._conditional(draft, arrows)
        ways = [arrow for arrow in arrows if not arrow.default]
        if spot.split == "or" and _compares(ways):
            self._ask_shared(draft, arrows)
        elif spot.split == "or" and len(ways) > _MOST_COMBINED:
            self._ask_each(draft, spot, ways, [arrow for arrow in arrows if arrow.default])
        elif spot.split == "or" and len(ways) > 1:
            self._ask_combined(draft, ways, [arrow for arrow in arrows if arrow.default])
        else:
            for arrow in arrows:
                self._answers(draft, arrow, [draft.answer(wording(arrow, arrows)[0], _follows(arrow))])
        decides = spot.node is not None or any(arrow.default for arrow in arrows)
        draft.chosen |= decides and bool(draft.labels) and len(arrows) == len(spot.outgoing) > 1
        self._tell_split(draft, spot, arrows)
        for arrow in arrows:
            self._tell_condition(draft, arrow, arrows)

    def _tell_condition(self, draft: Draft, arrow: Arrow, beside: list[Arrow]) -> None:
        """A condition is not worked out: whoever answers is told of it."""
        if arrow.flow is None or not arrow.flow.condition or arrow.default:
            return
        said = wording(arrow, beside)[0]
        if not arrow.text:
            draft.conditions.append(f"{said}, if: `{arrow.flow.condition.replace('`', "'")}`")
        message = f"Its condition is not worked out: it is asked, as the answer `{said}` of {draft.shown}."
        self.report.approximated(arrow.flow, message)

    def _conditional(self, draft: Draft, arrows: list[Arrow]) -> list[Arrow]:
        """Beside flows with a condition, one that has none is always taken."""
        asked = [arrow for arrow in arrows if arrow.text or arrow.default or arrow.conditional]
        if not asked:
            return arrows
        for arrow in arrows:
            if arrow not in asked:
                arrow.formula = Atom(draft.number)
        return asked

    def _ask_shared(self, draft: Draft, arrows: list[Arrow]) -> None:
        """Conditions on one value: one answer is given, and flows that ask for the same share it."""
        labels: dict[str, str] = {}
        for arrow in arrows:
            said = wording(arrow, arrows)[0]
            same = said if arrow.text or not arrow.flow else arrow.flow.condition
            if same not in labels:
                labels[same] = draft.answer(said)
            self._answers(draft, arrow, [labels[same]])

    def _answers(self, draft: Draft, arrow: Arrow, labels: Iterable[str]) -> None:
        arrow.labels = tuple(labels)
        arrow.formula = joined("xor", (Atom(draft.number, label) for label in arrow.labels))
        for label in arrow.labels:
            self.askers.setdefault(Atom(draft.number, label), arrow)

    def _ask_combined(self, draft: Draft, ways: list[Arrow], default: list[Arrow]) -> None:
        """Several ways may be taken: every combination of them is an answer."""
        found: dict[Arrow, list[str]] = {arrow: [] for arrow in ways}
        for size in range(1, len(ways) + 1):
            for chosen in combinations(ways, size):
                label = draft.answer(" + ".join(wording(arrow)[0] for arrow in chosen))
                for arrow in chosen:
                    found[arrow].append(label)
        for arrow, labels in found.items():
            self._answers(draft, arrow, labels)
        for arrow in default:
            self._answers(draft, arrow, [draft.answer(wording(arrow)[0])])

    def _ask_each(self, draft: Draft, spot: Spot, ways: list[Arrow], default: list[Arrow]) -> None:
        """Too many ways for combinations: a row for each of them asks whether it is taken."""
        noes: list[Formula] = []
        before = place = self.region.places[draft]
        for n, arrow in enumerate(ways, start=1):
            stem = spot.node.id if spot.node else draft.task
            asked = self.builder.draft(f"{stem}_{n}", f"{wording(arrow)[0]}?", None, self.region)
            asked.role, asked.asked = spot.role or ("" if draft.system else draft.role), True
            place = self.region.spot(None, asked)
            self._answers(asked, arrow, [asked.answer("yes")])
            noes.append(Atom(asked.number, asked.answer("no")))
            self.region.arrow(before, place).formula = Atom(draft.number)
            spot.outgoing.remove(arrow)
            place.outgoing.append(arrow)
            arrow.source = place
        for arrow in default:
            arrow.formula = joined("and", noes)
        if not default:
            row = self.builder.draft(f"{stem}_none", f"{spot.name or draft.name}: not taken", None, self.region)
            row.role = spot.role or ("" if draft.system else draft.role)
            self.region.arrow(place, self.region.spot(None, row)).formula = joined("xor", noes)

    def _tell_split(self, draft: Draft, spot: Spot, arrows: list[Arrow]) -> None:
        if spot.node is None or spot.node is draft.node:
            return
        answers = ", ".join(f"`{label}`" for arrow in arrows for label in arrow.labels[:1])
        invented = [arrow for arrow in arrows if not wording(arrow, arrows)[1]]
        if spot.split == "or" and any(len(arrow.labels) > 1 for arrow in arrows):
            message = f"Several ways may be taken: each combination of them is an answer of {draft.shown} ({answers})."
            self.report.approximated(spot.node, message)
        elif invented:
            message = f"It asks {draft.shown}; flows without a name got answers after what follows them: {answers}."
            self.report.approximated(spot.node, message, "Rename the answers under `depends_on`.")
        else:
            self.report.taken(spot.node, f"Answers of {draft.shown}: {answers}.")


def wording(arrow: Arrow, beside: list[Arrow] | None = None) -> tuple[str, bool]:
    """Give what an arrow asks for, and whether the drawing says so."""
    if arrow.text:
        return arrow.text, True
    nameless = [other for other in beside or arrow.source.outgoing if not other.text]
    if arrow.default or (not arrow.conditional and len(nameless) == 1 and len(beside or arrow.source.outgoing) > 1):
        return OTHERWISE, arrow.default
    return _follows(arrow) or "other", False


def _compares(arrows: list[Arrow]) -> bool:
    """Say whether the conditions of flows compare one and the same value with something each."""
    found = [_COMPARED.match(arrow.flow.condition) if arrow.flow else None for arrow in arrows]
    return bool(found) and all(found) and len({match[1] for match in found if match}) == 1


def _follows(arrow: Arrow) -> str:
    """Give the name of what an arrow leads to, through gateways that have none."""
    spot = arrow.target
    for _ in range(20):
        if spot.name:
            return spot.name
        if len(spot.outgoing) != 1:
            break
        spot = spot.outgoing[0].target
    return "end" if spot.end else ""
