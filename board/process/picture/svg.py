"""The picture of a process as SVG: lanes, BPMN's shapes, states and counts painted on.

Looks come from classes only (`picture_style`), so a strict content policy holds; a standalone picture carries its
rules along. Every text is escaped: names, roles and answers come from strangers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import quote

from board.process.flow.flow import Flow
from board.process.picture import style
from board.process.picture.layout import GATEWAY_KINDS, Box, Edge, Graph, Group, Layout, Node, drawing
from board.process.picture.layout.sizes import (
    FONT,
    FRAME_FOOT,
    FRAME_HEAD,
    LABEL_H,
    LANE_HEAD,
    LINE,
    SMALL,
    cut,
    lines_of,
)
from board.process.picture.paths import cut_name, free, nearest, rect, rounded, slash, text, tip

ICONS = {
    "user": "M7 1.6a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM1.8 12.4c0-2.9 2.2-4.2 5.2-4.2s5.2 1.3 5.2 4.2z",
    "script": "M3.6 1.5h7.2c-1.9 1.7-1.9 3.3-.7 5.3 1.2 2 1.2 3.6-.7 5.5H2.2c1.9-1.9 1.9-3.5.7-5.5-1.2-2-1.2-3.6.7-5.3z"
    "M4.9 4.2h3.4M5.4 6.9h3.3M4.9 9.6h3.4",
    "receive": "M1.4 3h11.2v8.2H1.4zM1.5 3.2L7 7.7l5.5-4.5",
    "unknown": "M4.6 4.6a2.4 2.4 0 1 1 3.3 2.2c-.6.3-.9.7-.9 1.6M7 11.1v.1",
}
SIGNS = {  # in a box of 16: ring, half, clock, dash, tick, cross, tag, as on the chips
    "open": '<circle cx="8" cy="8" r="5.2"/>',
    "doing": '<circle cx="8" cy="8" r="5.2"/><path class="full" d="M8 2.8a5.2 5.2 0 0 1 0 10.4z"/>',
    "blocked": '<circle cx="8" cy="8" r="5.2"/><path d="M8 5v3.2l2.1 1.3"/>',
    "skipped": '<path d="M3.5 8h9"/>',
    "done": '<path d="M3.4 8.4l3 3 6.2-6.6"/>',
    "failed": '<path d="M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6"/>',
    "answer": '<path d="M2.8 3.6h5.1l5.3 4.9-4.6 4.7-5.8-4.9z"/><circle class="full" cx="5.6" cy="6.2" r="1"/>',
}
GATEWAYS = {  # around the middle
    "exclusive": "M-5 -5L5 5M5 -5L-5 5",
    "parallel": "M-7 0H7M0 -7V7",
    "inclusive": "M-6.5 0a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0",
    "complex": "M-7 0H7M0 -7V7M-5 -5L5 5M5 -5L-5 5",
}
KIND_WORDS = {"user": "for people", "script": "by script", "receive": "from outside", "unknown": "unknown"}


class TaskState(NamedTuple):
    """What is painted on a task: the state's class (`answer` for any answer), its word, and counts if it repeats."""

    state: str
    word: str
    done: int = 0
    total: int = 0
    failed: int = 0


Link = Callable[[str], str]


def section_link(task: str) -> str:
    """Where a click on a task goes, if nothing else is said."""
    return "#section-" + quote(task)


def draw(
    flow: Flow,
    layout_: Layout | None = None,
    states: Mapping[str, TaskState] | None = None,
    *,
    name: str = "",
    link: Link | None = section_link,
    standalone: bool = False,
) -> str:
    """The whole picture as one `<svg>` element; `link` None draws no links.

    `states` by task id paints states on. Standalone: a file of its own, with its rules and a declaration.
    """
    graph, at = drawing(flow)
    return _Painter(graph, layout_ or at, states or {}, None if standalone else link).svg(name, standalone)


def node(
    flow: Flow, layout_: Layout | None, task: str, state: TaskState | None, *, link: Link | None = section_link
) -> str:
    """The `<g>` of one task alone, to be put in the place of the one that has its id; `""` if there is none."""
    graph, at = drawing(flow)
    drawn = next((each for each in graph.nodes if each.id == task), None)
    if drawn is None:
        return ""
    return _Painter(graph, layout_ or at, {task: state} if state else {}, link).task(drawn)


class _Painter:
    def __init__(self, graph: Graph, at: Layout, states: Mapping[str, TaskState], link: Link | None) -> None:
        self.graph, self.at, self.states, self.link = graph, at, states, link

    def svg(self, name: str, standalone: bool) -> str:
        parts = [*self._lanes(), *self._frames(), *self._flows(), *self._labels(), *self._nodes()]
        title = f"{name}: the process as a picture" if name else "The process as a picture"
        # with links inside it is a group: what is called an image hides what is in it from screen readers
        role = "group" if self.link else "img"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="pic" viewBox="0 0 {self.at.width} {self.at.height}" '
            f'width="{self.at.width}" height="{self.at.height}" role="{role}" aria-labelledby="pic-title pic-desc">'
            f'<title id="pic-title">{text(title)}</title><desc id="pic-desc">{text(self._description())}</desc>'
        )
        if not standalone:
            return head + "".join(parts) + "</svg>"
        paper = f'<rect width="{self.at.width}" height="{self.at.height}" fill="#ffffff"/>'
        rules = f"<style>{style.plain()}</style>"
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{rules}{paper}{"".join(parts)}</svg>\n'

    def _description(self) -> str:
        tasks = sum(each.kind in ("user", "script", "receive") for each in self.graph.nodes)
        if not tasks:
            return "No tasks yet."
        lanes = {lane.id: lane.label for lane in self.graph.lanes}
        names = ", ".join(lanes.get(lane, lane) for lane in self.at.lanes)
        said = f"{tasks} {'task' if tasks == 1 else 'tasks'} from left to right, in lanes from top to bottom: {names}."
        for group in self.graph.groups:
            inside = [each.label for each in self.graph.nodes if each.group == group.id and each.kind in KIND_WORDS]
            if inside:
                said += f" Repeated per {group.collection or group.label}: {', '.join(inside)}."
        return said

    # lanes and frames

    def _lanes(self) -> Iterator[str]:
        names = {lane.id: lane.label for lane in self.graph.lanes}
        for lane, box in self.at.lanes.items():
            name = names.get(lane, lane)
            x, y = box.x + LANE_HEAD // 2, box.y + box.h // 2
            yield (
                f'<g class="lane-group"><rect class="lane" {rect(box)}/>'
                f'<rect class="lane-head" {rect(Box(box.x, box.y, LANE_HEAD, box.h))}/>'
                f'<text class="lane-name" transform="translate({x + 4} {y}) rotate(-90)" text-anchor="middle">'
                f"{cut_name(name, box.h - 8)}</text></g>"
            )

    def _frames(self) -> Iterator[str]:
        for group in sorted(self.graph.groups, key=lambda each: -self._area(each)):
            box = self.at.groups.get(group.id)
            if box is not None:
                words = self._frame_words(group, box)
                yield f'<g class="frame-group"><rect class="frame" {rect(box)} rx="9"/>{words}</g>'

    def _area(self, group: Group) -> int:
        box = self.at.groups.get(group.id)
        return box.w * box.h if box else 0

    def _frame_words(self, group: Group, box: Box) -> str:
        said = group.label + (f" · {group.note} enough" if group.note else "")
        full = f"{group.label}, once per {group.collection}" + (f", {group.note} enough" if group.note else "")
        full += ", one after another" if group.sequential else ""
        left, right = free(box.x + 8, box.right - 8, self._crossing(box.x, box.right, box.y, box.y + FRAME_HEAD))
        words = f'<text class="frame-name" x="{left}" y="{box.y + 15}">{cut_name(said, right - left)}</text>'
        spot = nearest(box.x + box.w // 2, box, self._crossing(box.x, box.right, box.bottom - FRAME_FOOT, box.bottom))
        bars = "M-5 -4h10m-10 4h10m-10 4h10" if group.sequential else "M-4 -5v10m4 -10v10m4 -10v10"
        return (
            f"<title>{text(full)}</title>{words}"
            f'<path class="many" transform="translate({spot} {box.bottom - 10})" d="{bars}"/>'
        )

    def _crossing(self, left: int, right: int, top: int, bottom: int) -> list[int]:
        """Where flows go up or down through a strip."""
        return sorted(
            a.x
            for points in self.at.edges.values()
            for a, b in pairwise(points)
            if a.x == b.x and left < a.x < right and min(a.y, b.y) < bottom and max(a.y, b.y) > top
        )

    # flows

    def _flows(self) -> Iterator[str]:
        for edge in self.graph.edges:
            points = self.at.edges.get(edge.id)
            if points is not None and len(points) > 1:
                kind = "flow back" if edge.loop_back else "flow"
                across = slash(points) if edge.default else ""
                yield f'<path class="{kind}" d="{rounded(points)}{across}"/><path class="tip" d="{tip(points)}"/>'

    def _labels(self) -> Iterator[str]:
        edges: dict[str, Edge] = {edge.id: edge for edge in self.graph.edges}
        nodes: dict[str, Node] = {each.id: each for each in self.graph.nodes}
        for key, box in self.at.labels.items():
            said = edges[key].label if key in edges else nodes[key].note if key in nodes else ""
            kind = "lbl" if key in edges else "lbl quorum"
            x, y = box.x + box.w // 2, box.y + LABEL_H - 3
            short = text(cut(said, box.w - 2, SMALL))
            title = f"<title>{text(said)}</title>" if short != text(said) else ""
            yield f'<text class="{kind}" x="{x}" y="{y}" text-anchor="middle">{title}{short}</text>'

    # nodes

    def _nodes(self) -> Iterator[str]:
        for each in self.graph.nodes:
            if each.id in self.at.nodes:
                yield self.task(each) if each.kind in KIND_WORDS or each.kind == "empty" else self._sign(each)

    def _sign(self, each: Node) -> str:
        """A gateway or an event."""
        box = self.at.nodes[each.id]
        x, y = box.x + box.w // 2, box.y + box.h // 2
        if each.kind in GATEWAY_KINDS:
            shape = f"M{box.x} {y}L{x} {box.y}L{box.right} {y}L{x} {box.bottom}z"
            sign = f'<path class="sign" transform="translate({x} {y})" d="{GATEWAYS[each.kind]}"/>'
            return f'<g class="gateway {each.kind}"><path class="shape" d="{shape}"/>{sign}</g>'
        shape = f'<ellipse class="shape" cx="{x}" cy="{y}" rx="{box.w / 2:g}" ry="{box.h / 2:g}"/>'
        return f'<g class="event {each.kind}">{shape}</g>'

    def task(self, each: Node) -> str:
        box = self.at.nodes[each.id]
        state = self.states.get(each.id)
        told = _told(each, state)
        classes = f"node {each.kind}" + (f" {state.state}" if state else "")
        body = f'<title>{text(told)}</title><rect class="shape" {rect(box)} rx="8"/>{_inside(each, box, state)}'
        if each.kind == "empty":
            return f'<g class="{classes}">{body}</g>'
        if self.link is not None and each.kind != "unknown":
            body = f'<a href="{text(self.link(each.id))}" aria-label="{text(told)}">{body}</a>'
        return f'<g id="node-{text(each.id)}" class="{text(classes)}">{body}</g>'


def _inside(each: Node, box: Box, state: TaskState | None) -> str:
    if each.kind == "empty":
        x, y = box.x + box.w // 2, box.y + box.h // 2 + 4
        return f'<text class="name" x="{x}" y="{y}" text-anchor="middle">{text(each.label)}</text>'
    lines = lines_of(each.label, box.w - 12, 2)
    top = box.y + 12 + (box.h - 12 - LINE * len(lines)) // 2 + FONT - 1
    x = box.x + box.w // 2
    spans = "".join(f'<tspan x="{x}" y="{top + n * LINE}">{text(line)}</tspan>' for n, line in enumerate(lines))
    icon = f'<path class="icon" transform="translate({box.x + 4} {box.y + 3})" d="{ICONS[each.kind]}"/>'
    return f'{icon}<text class="name" text-anchor="middle">{spans}</text>{_painted(box, state)}'


def _painted(box: Box, state: TaskState | None) -> str:
    """Sign and count, or sign and word, at the top right of a task."""
    if state is None:
        return ""
    said = f"{state.done}/{state.total}" if state.total else state.word
    said = cut(said, box.w - 40, SMALL, bold=True)
    sign = SIGNS.get(state.state, SIGNS["answer"])
    return (
        f'<g class="mark" transform="translate({box.right - 18} {box.y + 3}) scale(.85)">{sign}</g>'
        f'<text class="count" x="{box.right - 20}" y="{box.y + 14}" text-anchor="end">{text(said)}</text>'
    )


def _told(each: Node, state: TaskState | None) -> str:
    if each.kind == "empty":
        return "A group without tasks"
    if each.kind == "unknown":
        return f"{each.label}: no such task"
    said = each.label
    if state is None:
        return f"{said}, {KIND_WORDS[each.kind]}"
    said += f": {state.word}"
    if state.total:
        said += f", {state.done} of {state.total} done"
    if state.failed:
        said += f", {state.failed} failed"
    return said
