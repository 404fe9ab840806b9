"""The flow before it is dissolved: spots and arrows, one region for the process and one for each group."""

from dataclasses import dataclass, field
from typing import Literal

from board.process.bpmn.conversion import words
from board.process.bpmn.conversion.formula import ALWAYS, Formula, Join
from board.process.bpmn.parsing.model import FlowNode, SequenceFlow

Split = Literal["and", "xor", "or"]


@dataclass(slots=True, eq=False)
class Draft:
    """A row in the making; `number` is its place in the list of all drafts."""

    number: int
    wanted: str  # the id it would like to have
    name: str
    node: FlowNode | None = None
    role: str = ""
    script: str = ""
    description: str = ""
    assignee: str = ""
    due: str = ""
    timeout: str = ""
    collection: str = ""
    sequential: bool = False
    complete_when: str = ""
    group: "Draft | None" = None  # the group it is in
    system: bool = False
    task: str = ""
    drawn_as: str = ""  # the id in the drawing, where the row has another one
    formula: Formula = ALWAYS
    questions: list[str] = field(default_factory=list)  # the names of gateways that ask it something
    conditions: list[str] = field(default_factory=list)  # what answers were asked for by, where it is code
    labels: dict[str, str] = field(default_factory=dict)  # answers, by their lower-case spelling
    tried: dict[str, int] = field(default_factory=dict)  # how often an answer was wanted
    asked: bool = False  # a gateway has taken it as its question
    alone: bool = False  # no gateway may take it as its question
    finish: str = ""  # the answer that means "went as planned", when events on its border are answers too
    beside: set[str] = field(default_factory=set)  # answers that are events on its border
    chosen: bool = False  # a gateway asks it that goes on with one of its answers, whichever

    @property
    def is_group(self) -> bool:
        return bool(self.collection)

    @property
    def planned(self) -> list[str]:
        """The answers that mean "went as planned", none when any does."""
        if not (self.finish or self.chosen):
            return []
        return [label for label in self.labels.values() if label not in self.beside] or [self.finish]

    @property
    def shown(self) -> str:
        """How a remark calls the row."""
        return f"“{self.name}”" if self.name else f"`{self.task}`"

    def answer(self, text: str, more: str = "") -> str:
        """Add an answer, written like `text`; if there is one like it already, `more` tells them apart."""
        failed = self.system and text == "failed"  # what a script that fails answers by itself
        stem = text if failed else words.answer(text) or "other"
        label, n = stem, 1
        if label.casefold() in self.labels and more:
            label = stem = words.answer(f"{more}: {stem}")
        while label.casefold() in self.labels:
            n = max(n + 1, self.tried.get(stem, 1))
            label = f"{stem} ({n})"
        self.tried[stem] = n
        self.labels[label.casefold()] = label
        return label


@dataclass(slots=True, eq=False)
class Spot:
    """A place in the flow: a row, or something that dissolves (gateway, event, border of a sub-process)."""

    node: FlowNode | None
    draft: Draft | None = None
    merge: Join = "xor"
    split: Split = "and"
    need: str = ""
    explicit: bool = False  # a gateway is drawn: not just arrows that meet
    end: bool = False
    leaves: bool = False  # the border of a sub-process, on the way out
    role: str = ""
    incoming: list["Arrow"] = field(default_factory=list)
    outgoing: list["Arrow"] = field(default_factory=list)

    @property
    def name(self) -> str:
        if self.node is None or self.leaves:
            return self.draft.name if self.draft else ""
        return self.node.name


@dataclass(slots=True, eq=False)
class Arrow:
    """A sequence flow between two spots; `text` is what is written on it, `label` the answer it asks for."""

    source: Spot
    target: Spot
    text: str = ""
    conditional: bool = False
    default: bool = False
    flow: SequenceFlow | None = None
    labels: tuple[str, ...] = ()  # answers of a row that is its source
    formula: Formula | None = None  # of an arrow out of a split, once it is known


@dataclass(slots=True, eq=False)
class Region:
    """The content of the process or of one group."""

    group: Draft | None
    spots: list[Spot] = field(default_factory=list)
    places: dict[Draft, Spot] = field(default_factory=dict)

    def spot(self, node: FlowNode | None = None, draft: Draft | None = None) -> Spot:
        """Add a place."""
        made = Spot(node)
        self.spots.append(made)
        if draft:
            self.seat(made, draft)
        return made

    def seat(self, spot: Spot, draft: Draft) -> None:
        """Make a place that of a row."""
        spot.draft = draft
        self.places[draft] = spot

    def arrow(self, source: Spot, target: Spot, text: str = "", flow: SequenceFlow | None = None) -> Arrow:
        """Add an arrow."""
        made = Arrow(source, target, text, flow=flow)
        source.outgoing.append(made)
        target.incoming.append(made)
        return made
