"""A table as BPMN 2.0 XML: what every tool reads, and beside it the table with all its columns."""

import json

from lxml import etree

from board.process.bpmn.writing.notation import Arrow, Notation, notation_of
from board.process.bpmn.xml import BPMN, BPMNDI, DC, DI, OWN, XSI, Element
from board.process.definition.quorum import QuorumError, need
from board.process.definition.table import ProcessTable, Row
from board.process.picture.layout import Group, Lane, Node

NAMESPACES = {None: BPMN, "bpmndi": BPMNDI, "dc": DC, "di": DI, "xsi": XSI, "foldboard": OWN}
_TYPES = {
    "start": "startEvent",
    "end": "endEvent",
    "user": "userTask",
    "script": "scriptTask",
    "receive": "receiveTask",
    "exclusive": "exclusiveGateway",
    "parallel": "parallelGateway",
    "inclusive": "inclusiveGateway",
    "complex": "complexGateway",
}
_LANGUAGES = {".py": "text/x-python", ".r": "text/x-r"}
_BASE = 10_000  # so large a number of elements that a share of it tells how a quorum was meant


def elements(table: ProcessTable, name: str) -> tuple[Element, Notation]:
    """Give the root element without the picture, and what it was made from."""
    notation = notation_of(table)
    root = etree.Element(_tag("definitions"), nsmap=NAMESPACES)  # type: ignore[arg-type]
    for key, value in {"id": "Definitions", "targetNamespace": OWN, "exporter": "Foldboard"}.items():
        root.set(key, value)
    collaboration = _add(root, "collaboration", id="Collaboration")
    _add(collaboration, "participant", id="Pool", name=name, processRef="Process")
    process = _add(root, "process", id="Process", name=name, isExecutable="false")
    own = _own(process, "table", columns=json.dumps(table.columns), name=name)
    for row in table.rows:
        _row(own, row)
    _Writer(notation).write(process)
    return root, notation


def _tag(name: str) -> str:
    return f"{{{BPMN}}}{name}"


def _add(parent: Element, tag: str, text: str = "", /, **attributes: str) -> Element:
    child = etree.SubElement(parent, _tag(tag), {key: value for key, value in attributes.items() if value})
    if text:
        child.text = text
    return child


def _own(parent: Element, tag: str, /, **attributes: str) -> Element:
    extension = _add(parent, "extensionElements")
    return etree.SubElement(extension, f"{{{OWN}}}{tag}", attributes)


def _row(parent: Element, row: Row) -> None:
    element = etree.SubElement(parent, f"{{{OWN}}}row")
    for column, cell in row.cells().items():
        etree.SubElement(element, f"{{{OWN}}}cell", column=column).text = cell


class _Writer:
    """Writes the content of the process and of each sub-process."""

    def __init__(self, notation: Notation) -> None:
        self.notation = notation
        self.ids = notation.ids
        self.into: dict[str, list[str]] = {}
        self.out_of: dict[str, list[str]] = {}
        self.default: dict[str, str] = {}
        for arrow in (arrow for arrows in notation.arrows.values() for arrow in arrows):
            self.out_of.setdefault(arrow.source, []).append(arrow.id)
            self.into.setdefault(arrow.target, []).append(arrow.id)
            if arrow.default:
                self.default[arrow.source] = arrow.id

    def write(self, process: Element) -> None:
        lanes = _add(process, "laneSet", id="LaneSet")
        for number, lane in enumerate(self.notation.graph.lanes, start=1):
            self._lane(lanes, number, lane)
        self._content(process, "")

    def _lane(self, lanes: Element, number: int, lane: Lane) -> None:
        element = _add(lanes, "lane", id=lane_id(self.notation, number), name=lane.id and lane.label)
        _own(element, "lane", role=lane.id)
        inside = [node.id for nodes in self.notation.nodes.values() for node in nodes if node.lane == lane.id]
        inside += [g.id for g in self.notation.graph.groups if self.notation.lane_of.get(g.id, "") == lane.id]
        for key in inside:
            _add(element, "flowNodeRef", self.ids[key])

    def _content(self, parent: Element, scope: str) -> None:
        kinds = {node.id: node.kind for node in self.notation.nodes.get(scope, ())}
        for node in self.notation.nodes.get(scope, ()):
            self._node(parent, node)
        for group in self.notation.groups.get(scope, ()):
            self._group(parent, group)
        for arrow in self.notation.arrows.get(scope, ()):
            self._arrow(parent, arrow, kinds.get(arrow.source, ""))

    def _node(self, parent: Element, node: Node) -> None:
        element = _add(parent, _TYPES[node.kind], id=self.ids[node.id], name=node.label or node.note)
        self._default(element, node.id)
        row = self.notation.rows.get(node.id)
        if row:
            self._describe(element, row)
        self._flows(element, node.id)
        if row and node.kind == "script":
            ending = row.script[row.script.rfind(".") :].lower()
            element.set("scriptFormat", _LANGUAGES.get(ending, "text/plain"))
            _add(element, "script", row.script)
        if node.kind == "complex" and not node.split:
            waiting = self.notation.rows[node.task].join if node.task in self.notation.rows else ""
            _condition(element, "activationCondition", waiting)

    def _describe(self, element: Element, row: Row) -> None:
        if row.description:
            _add(element, "documentation", row.description)
        _own(element, "row", task=row.task)

    def _default(self, element: Element, key: str) -> None:
        if key in self.default:
            element.set("default", self.default[key])

    def _flows(self, element: Element, key: str) -> None:
        for flow in self.into.get(key, ()):
            _add(element, "incoming", flow)
        for flow in self.out_of.get(key, ()):
            _add(element, "outgoing", flow)

    def _group(self, parent: Element, group: Group) -> None:
        element = _add(parent, "subProcess", id=self.ids[group.id], name=group.label)
        row = self.notation.rows[group.id]
        self._describe(element, row)
        self._flows(element, group.id)
        several = _add(element, "multiInstanceLoopCharacteristics", isSequential=str(group.sequential).lower())
        _add(several, "inputDataItem", id=f"{self.ids[group.id]}_element", name=group.collection)
        if enough := completion(row.complete_when):
            _condition(several, "completionCondition", enough)
        self._content(element, group.id)

    def _arrow(self, parent: Element, arrow: Arrow, kind: str) -> None:
        element = _add(parent, "sequenceFlow", id=arrow.id, name=arrow.edge.label)
        element.set("sourceRef", self.ids[arrow.source])
        element.set("targetRef", self.ids[arrow.target])
        if arrow.edge.label and not arrow.default and kind not in ("parallel", "complex", "start"):
            _condition(element, "conditionExpression", f"answer = {json.dumps(arrow.edge.label, ensure_ascii=False)}")


def _condition(parent: Element, name: str, text: str) -> None:
    _add(parent, name, text).set(f"{{{XSI}}}type", "tFormalExpression")


def completion(quorum: str) -> str:
    """Write how many elements are enough as an expression of several instances, `""` for all or what cannot be read."""
    try:
        if quorum.strip().lower() in ("", "all"):
            return ""
        if "%" in quorum or "pct" in quorum.lower():
            return f"nrOfCompletedInstances / nrOfInstances >= {need(quorum, _BASE) / _BASE:g}"
        return f"nrOfCompletedInstances >= {need(quorum, _BASE)}"
    except QuorumError:
        return ""


def lane_id(notation: Notation, number: int) -> str:
    """Give the id of a lane, counted from 1."""
    spelling = f"Lane_{number}"
    while spelling in notation.ids.values():
        spelling += "_"
    return spelling
