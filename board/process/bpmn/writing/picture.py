"""The picture of a written file: the coordinates of `layout` as BPMN diagram elements."""

from collections.abc import Sequence

from lxml import etree

from board.process.bpmn.writing.document import lane_id
from board.process.bpmn.writing.notation import Arrow, Notation
from board.process.bpmn.xml import BPMNDI, DC, DI, Element
from board.process.picture.layout import Box, Layout, Point, layout

_POOL_HEAD = 30


def draw(root: Element, notation: Notation) -> None:
    """Add the diagram to the root element."""
    diagram = etree.SubElement(root, f"{{{BPMNDI}}}BPMNDiagram", id="Diagram")
    plane = etree.SubElement(diagram, f"{{{BPMNDI}}}BPMNPlane", id="Plane", bpmnElement="Collaboration")
    _Picture(plane, notation, layout(notation.graph)).draw()


class _Picture:
    def __init__(self, plane: Element, notation: Notation, places: Layout) -> None:
        self.plane, self.notation, self.places = plane, notation, places

    def draw(self) -> None:
        self._pool()
        for number, lane in enumerate(self.notation.graph.lanes, start=1):
            if lane.id in self.places.lanes:
                shape = self._shape(lane_id(self.notation, number), self.places.lanes[lane.id])
                shape.set("isHorizontal", "true")
        for group in self.notation.graph.groups:
            self._shape(self.notation.ids[group.id], self.places.groups[group.id]).set("isExpanded", "true")
        for nodes in self.notation.nodes.values():
            for node in nodes:
                shape = self._shape(self.notation.ids[node.id], self.places.nodes[node.id])
                if node.kind == "exclusive":
                    shape.set("isMarkerVisible", "true")
                self._label(shape, node.id)
        for arrows in self.notation.arrows.values():
            for arrow in arrows:
                self._edge(arrow)

    def _pool(self) -> None:
        boxes = list(self.places.lanes.values())
        left, top = min((box.x for box in boxes), default=0), min((box.y for box in boxes), default=0)
        right = max((box.right for box in boxes), default=self.places.width)
        bottom = max((box.bottom for box in boxes), default=self.places.height)
        box = Box(left - _POOL_HEAD, top, right - left + _POOL_HEAD, bottom - top)
        self._shape("Pool", box).set("isHorizontal", "true")

    def _shape(self, element: str, box: Box) -> Element:
        shape = etree.SubElement(self.plane, f"{{{BPMNDI}}}BPMNShape", id=f"{element}_di", bpmnElement=element)
        _bounds(shape, box)
        return shape

    def _label(self, parent: Element, key: str) -> None:
        if key in self.places.labels:
            _bounds(etree.SubElement(parent, f"{{{BPMNDI}}}BPMNLabel"), self.places.labels[key])

    def _edge(self, arrow: Arrow) -> None:
        edge = etree.SubElement(self.plane, f"{{{BPMNDI}}}BPMNEdge", id=f"{arrow.id}_di", bpmnElement=arrow.id)
        for x, y in self._way(arrow):
            etree.SubElement(edge, f"{{{DI}}}waypoint", x=str(x + _POOL_HEAD), y=str(y))
        self._label(edge, arrow.edge.id)

    def _way(self, arrow: Arrow) -> Sequence[Point]:
        """The corners of a flow, cut at the frames its ends were moved to."""
        way = list(self.places.edges[arrow.edge.id])
        if arrow.source != arrow.edge.source:
            way = cut(way, self.places.groups[arrow.source])
        if arrow.target != arrow.edge.target:
            way = cut(way[::-1], self.places.groups[arrow.target])[::-1]
        return way


def _bounds(parent: Element, box: Box) -> None:
    numbers = {"x": box.x + _POOL_HEAD, "y": box.y, "width": box.w, "height": box.h}
    etree.SubElement(parent, f"{{{DC}}}Bounds", {key: str(number) for key, number in numbers.items()})


def cut(way: list[Point], frame: Box) -> list[Point]:
    """Cut off the part of a way that lies in the frame it begins in: it begins where it leaves for the last time."""
    for n in range(len(way) - 1, 0, -1):
        inner, outer = way[n - 1], way[n]
        if _within(inner, frame) and not _within(outer, frame):
            return [_crossing(inner, outer, frame), *way[n:]]
    return way


def _within(point: Point, frame: Box) -> bool:
    return frame.x <= point.x <= frame.right and frame.y <= point.y <= frame.bottom


def _crossing(inner: Point, outer: Point, frame: Box) -> Point:
    """Where a level or upright line leaves a frame."""
    return Point(min(max(outer.x, frame.x), frame.right), min(max(outer.y, frame.y), frame.bottom))
