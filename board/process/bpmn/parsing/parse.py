"""From XML to plain data: what the file says, element by element, whatever prefixes it uses."""

import json
from collections.abc import Iterator

from board.process.bpmn.parsing.diagram import faults
from board.process.bpmn.parsing.model import (
    ACTIVITIES,
    FLOW_NODES,
    SUB_PROCESSES,
    Document,
    FlowNode,
    Loop,
    Other,
    Process,
    Scope,
    SequenceFlow,
    Trigger,
)
from board.process.bpmn.parsing.resources import Resources
from board.process.bpmn.xml import OWN, Element, children, content, first, line, local, reference, truth
from board.process.definition.text import clean
from board.process.definition.unreadable import Unreadable

_DATA = frozenset({"dataObject", "dataObjectReference", "dataStoreReference", "dataStore"})
_ARTIFACTS = frozenset({"textAnnotation", "group"})


def document(root: Element) -> Document:
    """Read the root element; raises Unreadable when there is no process in it."""
    resources = Resources(root)
    pools = {reference(pool.get("processRef")): pool for pool in _participants(root)}
    found = [
        _Reader(resources).process(element, pools.get(element.get("id", "")))
        for element in children(root, "process")
        if any(local(child) in FLOW_NODES for child in children(element))
    ]
    if not found:
        raise Unreadable(_without_process(root), "Choose a file with tasks in it.")
    full = {process.id for process in found}
    empty = [
        Other(pool.get("id", ""), line(pool.get("name")), "participant", "it has no content")
        for pool in _participants(root)
        if reference(pool.get("processRef")) not in full
    ]
    tasks = {child.get("id", ""): local(child) for child in children(root) if local(child).startswith("global")}
    return Document(found, [*empty, *_message_flows(root)], tasks, faults(root))


def _participants(root: Element) -> Iterator[Element]:
    for collaboration in children(root, "collaboration"):
        yield from children(collaboration, "participant")


def _message_flows(root: Element) -> Iterator[Other]:
    flows = [flow for part in children(root, "collaboration") for flow in children(part, "messageFlow")]
    if flows:
        names = {element.get("id"): line(element.get("name")) for element in root.iter() if element.get("id")}
        for flow in flows:
            source, target = reference(flow.get("sourceRef")), reference(flow.get("targetRef"))
            ends = f"from “{names.get(source) or source}” to “{names.get(target) or target}”"
            yield Other(flow.get("id", ""), line(flow.get("name")), "messageFlow", ends)


def _without_process(root: Element) -> str:
    kinds = sorted({local(child) for child in children(root)} & {"choreography", "collaboration", "globalConversation"})
    if first(root, "process") is not None:
        return "The process in the file is empty: no task, event or gateway is in it."
    inside = f" It has only: {', '.join(kinds)}." if kinds else ""
    return f"There is no process in the file.{inside}"


class _Reader:
    """Reads one process; ids are made where the file has none or has one twice."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.ids: set[str] = set()
        self.tried: dict[str, int] = {}
        self.rows: dict[str, dict[str, str]] = {}
        self.size = 0

    def process(self, element: Element, pool: Element | None) -> Process:
        pool_name = line(pool.get("name")) if pool is not None else ""
        rows = _own_rows(element)
        self.rows = {row.get("task", ""): row for row in reversed(rows)}
        scope = self.scope(element, pool_name)
        return Process(
            id=element.get("id", ""),
            name=_own_name(element) or line(element.get("name")),
            scope=scope,
            pool_id=pool.get("id", "") if pool is not None else "",
            pool_name=pool_name,
            columns=_own_columns(element),
            rows=rows,
            size=self.size,
        )

    def scope(self, element: Element, above: str = "") -> Scope:
        scope = Scope()
        for lane_set in children(element, "laneSet"):
            self._lanes(lane_set, above, scope.lanes)
        for child in children(element):
            kind = local(child)
            if kind in FLOW_NODES:
                scope.nodes.append(self._node(child, kind))
            elif kind == "sequenceFlow":
                scope.flows.append(self._flow(child))
            elif kind == "association":
                scope.links.append((reference(child.get("sourceRef")), reference(child.get("targetRef"))))
            elif kind in _DATA | _ARTIFACTS:
                scope.others.append(self._other(child, kind))
        _without_doubles(scope)
        _repair(scope, element)
        return scope

    def _lanes(self, lane_set: Element, above: str, roles: dict[str, str]) -> None:
        for lane in children(lane_set, "lane"):
            role = _own_role(lane)
            role = line(lane.get("name")) or above if role is None else role
            for node in children(lane, "flowNodeRef"):
                roles[reference(content(node))] = role
            for inner in children(lane, "childLaneSet"):
                self._lanes(inner, role, roles)

    def _id(self, element: Element) -> str:
        stem = (element.get("id") or "").strip() or local(element)
        spelling, n = stem, 1
        while spelling in self.ids or not spelling:
            n = self.tried[stem] = self.tried.get(stem, 1) + 1
            spelling = f"{stem}_{n}"
        self.ids.add(spelling)
        return spelling

    def _node(self, element: Element, kind: str) -> FlowNode:
        self.size += kind in ACTIVITIES
        node = FlowNode(
            id=self._id(element),
            name=line(element.get("name")),
            type=kind,
            element=element,
            description="\n\n".join(filter(None, map(content, children(element, "documentation")))),
            triggers=tuple(_triggers(element)),
            loop=_loop(element),
            host=reference(element.get("attachedToRef")),
            interrupting=truth(element, "cancelActivity", True),
            default=reference(element.get("default")),
            called=reference(element.get("calledElement")),
            condition=content(first(element, "activationCondition")),
            script=content(first(element, "script")),
            compensation=truth(element, "isForCompensation"),
            instantiates=truth(element, "instantiate"),
            triggered=kind in SUB_PROCESSES and truth(element, "triggeredByEvent"),
            own=self._own_row(element),
        )
        node.performer, node.assignee, node.engine = self.resources.of(element)
        if kind in SUB_PROCESSES:
            node.scope = self.scope(element)
        return node

    def _own_row(self, element: Element) -> dict[str, str] | None:
        row = _own(element, "row")
        return None if row is None else self.rows.get(row.get("task", ""))

    def _flow(self, element: Element) -> SequenceFlow:
        condition = first(element, "conditionExpression")
        return SequenceFlow(
            id=self._id(element),
            name=line(element.get("name")),
            source=reference(element.get("sourceRef")),
            target=reference(element.get("targetRef")),
            condition=line(content(condition)),
            conditional=condition is not None,
        )

    def _other(self, element: Element, kind: str) -> Other:
        text = content(first(element, "text"))
        if kind == "dataObjectReference":
            text = reference(element.get("dataObjectRef"))
        return Other(element.get("id", ""), line(element.get("name")) or line(text)[:60], kind, text)


def _triggers(element: Element) -> Iterator[Trigger]:
    for child in children(element):
        kind = local(child)
        if kind.endswith("EventDefinition"):
            inside = next(children(child), None)
            detail = child.get("name") or (content(inside) if inside is not None else "")
            yield Trigger(kind.removesuffix("EventDefinition"), line(detail))
        elif kind == "eventDefinitionRef":
            yield Trigger("other", line(content(child)))


def _loop(element: Element) -> Loop | None:
    several = first(element, "multiInstanceLoopCharacteristics")
    if several is None:
        once = first(element, "standardLoopCharacteristics")
        return None if once is None else Loop(False, condition=content(first(once, "loopCondition")))
    return Loop(
        True,
        truth(several, "isSequential"),
        _kind(several),
        content(first(several, "loopCardinality")),
        line(content(first(several, "completionCondition"))),
    )


def _kind(several: Element) -> str:
    """Find what one instance is about: the name of the item, in the words of several tools."""
    for name, value in sorted(several.attrib.items()):
        if str(name).rpartition("}")[2] in ("elementVariable", "inputElement"):
            return str(value)
    for child in several.iter():
        if isinstance(child.tag, str) and local(child) in ("inputDataItem", "loopCharacteristics"):
            named = child.get("name") or child.get("inputElement")
            if named:
                return str(named)
    return ""


def _without_doubles(scope: Scope) -> None:
    """A data object is told of by its reference when it has one."""
    shown = {other.text for other in scope.others if other.type == "dataObjectReference"}
    scope.others = [other for other in scope.others if other.type != "dataObject" or other.id not in shown]


def _repair(scope: Scope, element: Element) -> None:
    """Flows that name an end only in `incoming` and `outgoing` get it from there; the rest is put aside."""
    nodes = {node.id for node in scope.nodes}
    ends: dict[str, dict[str, str]] = {"incoming": {}, "outgoing": {}}
    if any(flow.source not in nodes or flow.target not in nodes for flow in scope.flows):
        for node in scope.nodes:
            for side, found in ends.items():
                found |= {reference(content(child)): node.id for child in children(node.element, side)}
    whole = []
    for flow in scope.flows:
        flow.source = flow.source if flow.source in nodes else ends["outgoing"].get(flow.id, "")
        flow.target = flow.target if flow.target in nodes else ends["incoming"].get(flow.id, "")
        if flow.source and flow.target:
            whole.append(flow)
        else:
            scope.broken.append(Other(flow.id, flow.name, "sequenceFlow", _missing_end(flow)))
    scope.flows = whole


def _missing_end(flow: SequenceFlow) -> str:
    missing = [word for word, end in (("begins", flow.source), ("ends", flow.target)) if not end]
    return f"it {' and '.join(missing)} at nothing that is in the same process"


def _own(element: Element, name: str) -> Element | None:
    extension = first(element, "extensionElements")
    return None if extension is None else first(extension, name, OWN)


def _own_rows(process: Element) -> list[dict[str, str]]:
    table = _own(process, "table")
    return [] if table is None else [_cells(row) for row in children(table, "row", OWN)]


def _cells(row: Element) -> dict[str, str]:
    cells = {clean(cell.get("column")): content(cell) for cell in children(row, "cell", OWN)}
    return {column: cell for column, cell in cells.items() if cell}


def _own_role(lane: Element) -> str | None:
    own = _own(lane, "lane")
    return None if own is None else clean(own.get("role"))


def _own_name(process: Element) -> str:
    table = _own(process, "table")
    return "" if table is None else table.get("name", "")


def _own_columns(process: Element) -> tuple[str, ...] | None:
    table = _own(process, "table")
    if table is None:
        return None
    try:
        names = json.loads(table.get("columns", ""))
    except ValueError:
        return ()
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()
