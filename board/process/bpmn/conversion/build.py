"""From the nodes of a file to spots and arrows: one region for the process and one for each group."""

from board.process.bpmn.conversion import activities, events, words
from board.process.bpmn.conversion.borders import Borders, Way
from board.process.bpmn.conversion.formula import Join
from board.process.bpmn.conversion.reached import unreached
from board.process.bpmn.conversion.region import Draft, Region, Split, Spot
from board.process.bpmn.parsing.model import GATEWAYS, SUB_PROCESSES, TASKS, FlowNode, Process, Scope
from board.process.bpmn.report import Report
from board.process.definition.cells import SYSTEM

_MOST_DEEP = 40
_GATEWAYS: dict[str, tuple[Join, Split]] = {
    "exclusiveGateway": ("xor", "xor"),
    "parallelGateway": ("and", "and"),
    "inclusiveGateway": ("or", "or"),
    "complexGateway": ("n", "or"),
}


class TooDeep(ValueError):
    """Sub-processes are nested deeper than anything drawn by people."""


class Builder:
    """Builds the regions of one process; `drafts` are all its rows in the order found."""

    def __init__(self, process: Process, tasks: dict[str, str], report: Report) -> None:
        self.process, self.tasks, self.report = process, tasks, report
        self.drafts: list[Draft] = []
        self.regions: list[Region] = []
        self.ids = words.Ids()
        self.lanes: dict[str, str] = {}
        self.depth = 0
        self.raised: dict[str, list[Spot]] = {}  # by sub-process: end events that raise something
        self.caught: set[Spot] = set()  # those of them whose flow goes on at a border
        self.placed: dict[str, tuple[Region, Way]] = {}  # by node

    def build(self) -> None:
        """Fill `drafts` and `regions`; raises TooDeep."""
        scope = self.process.scope
        self.lanes = dict(scope.lanes)
        region = self._region(None)
        self._scope(region, scope, self.process.pool_name)
        self._alternatives(region)

    def draft(self, wanted: str, name: str, node: FlowNode | None, region: Region | None) -> Draft:
        """Start a row."""
        own = node.own if node else None
        draft = Draft(len(self.drafts), wanted, name, node, group=region.group if region else None)
        draft.task = self.ids.take((own or {}).get("task", "") or words.readable(wanted, name))
        if node and not own and words.readable(node.id, name) != node.id == wanted:
            draft.drawn_as = node.id
        self.drafts.append(draft)
        return draft

    def _region(self, group: Draft | None) -> Region:
        region = Region(group)
        self.regions.append(region)
        return region

    def _scope(self, region: Region, scope: Scope, role: str) -> list[Spot]:
        """Add the content of a process or sub-process to a region; gives the spots it added."""
        self.depth += 1
        if self.depth > _MOST_DEEP:
            raise TooDeep(f"Sub-processes are nested more than {_MOST_DEEP} deep.")
        before = len(region.spots)
        self.lanes |= scope.lanes
        ways: dict[str, Way] = {}
        raced = _raced(scope)
        lost = unreached(scope)
        for node in scope.nodes:
            if node.triggered or node.compensation:
                self._leave_out(node)
            elif node.id in lost and node.type != "boundaryEvent":
                self._leave_lost(node)
            elif node.type != "boundaryEvent":
                ways[node.id] = self._node(region, node, self._role(node, role), raced)
        self.placed |= {key: (region, way) for key, way in ways.items()}
        borders = Borders(self, region, ways).found(scope)
        self._flows(region, scope, ways, borders)
        self._links(region, scope, ways)
        self._texts(scope)
        self.depth -= 1
        return region.spots[before:]

    def _role(self, node: FlowNode, around: str) -> str:
        lane = self.lanes.get(node.id)
        return lane if lane is not None and (lane or not node.performer) else node.performer or around

    def _leave_out(self, node: FlowNode) -> None:
        if node.compensation:
            self.report.dropped(node, "It undoes another activity: nothing in a table leads to it.")
        else:
            offer = "Draw it as a process of its own and import that."
            self.report.dropped(node, "It may begin at any time by its event: a table has no such rows.", offer)
        for inner in node.scope.nodes if node.scope else ():
            self._leave_out_with(inner, node)

    def _leave_lost(self, node: FlowNode) -> None:
        message = "No flow leads to it from where the process begins: it could never be done, so it is left out."
        self.report.dropped(node, message, "Draw the missing flow, or add the row where it belongs.")
        for inner in node.scope.nodes if node.scope else ():
            self._leave_out_with(inner, node)

    def _leave_out_with(self, node: FlowNode, why: FlowNode) -> None:
        self.report.dropped(node, f"It is in “{why.name or why.id}”, which is left out.")
        for inner in node.scope.nodes if node.scope else ():
            self._leave_out_with(inner, why)

    def _node(self, region: Region, node: FlowNode, role: str, raced: set[str]) -> Way:
        if node.loop and node.loop.multi:
            return self._several(region, node, role)
        if node.loop:
            activities.looped(node, node.loop, self.report)
        if node.type in SUB_PROCESSES and node.scope and node.scope.nodes:
            return self._inlined(region, node, role)
        if node.type in GATEWAYS:
            return self._gateway(region, node, role)
        if node.id in raced:
            events.raced(node, self.report)
            return _both(region.spot(node))
        return _both(self._single(region, node, role))

    def _single(self, region: Region, node: FlowNode, role: str) -> Spot:
        """A node that is one row, or none."""
        if node.type in TASKS | SUB_PROCESSES | {"callActivity"}:
            return self._activity(region, node, role)
        spot = region.spot(node)
        if node.type == "startEvent":
            events.started(node, self.report)
        elif node.type in ("endEvent", "implicitThrowEvent"):
            events.ended(node, self.report)
            spot.end = True
        elif node.type == "intermediateCatchEvent" and events.catches(node):
            draft = self.draft(node.id, node.name, node, region)
            region.seat(spot, draft)
            events.caught(draft, node, self.report)
        elif events.is_thrown(node):
            draft = self.draft(node.id, node.name, node, region)
            region.seat(spot, draft)
            events.thrown(draft, node, role, self.report)
        else:
            events.passed(node, self.report)
        return spot

    def _activity(self, region: Region, node: FlowNode, role: str) -> Spot:
        draft = self.draft(node.id, node.name, node, region)
        if node.type == "callActivity":
            activities.called(draft, node, role, self.tasks, self.report)
        else:
            activities.fill(draft, node, role, node.type, self.report)
        if node.type in SUB_PROCESSES:
            self.report.approximated(node, f"Its content is not in the file: it became one row, {draft.shown}.")
        return region.spot(node, draft)

    def _several(self, region: Region, node: FlowNode, role: str) -> Way:
        """A sub-process or task with several instances: a group."""
        assert node.loop
        content = node.scope.nodes if node.scope else []
        if content or (node.own or {}).get("collection"):
            group = self.draft(node.id, node.name, node, region)
        else:
            group = self.draft(f"each_{node.id}"[:64], node.name, None, region)
        activities.group(group, node, node.loop, self.report)
        spot = region.spot(node, group)
        inner = self._region(group)
        if content and node.scope:
            self._scope(inner, node.scope, role)
            if not any(spot.draft for spot in inner.spots) and not node.own:
                inner.spots.clear()
                self._stand_in(inner, node, role)
        elif group.node is None:
            self._activity(inner, node, role)
        return _both(spot)

    def _stand_in(self, region: Region, node: FlowNode, role: str) -> None:
        """A group with nothing to do in it: one row stands for its content."""
        draft = self.draft(f"{node.id}_one"[:64], node.name, None, region)
        draft.role = role
        region.spot(None, draft)
        self.report.approximated(node, f"Nothing in it is a row: it became a group with one, {draft.shown}.")

    def _inlined(self, region: Region, node: FlowNode, role: str) -> Way:
        """A plain sub-process: its rows take its place."""
        assert node.scope
        enter, leave = region.spot(node), region.spot(node)
        spots = self._scope(region, node.scope, role)
        leave.merge, leave.explicit = "and" if node.type == "adHocSubProcess" else "or", False
        leave.leaves = True
        raising = [spot for spot in spots if spot.node and events.raises(spot.node)]
        self.raised[node.id] = [spot for spot in raising if spot not in self.caught]
        for spot in spots:
            if not spot.incoming:
                region.arrow(enter, spot)
            if not spot.outgoing:
                region.arrow(spot, leave)
                spot.end = False
        self._tell_inlined(node)
        return enter, leave

    def _tell_inlined(self, node: FlowNode) -> None:
        if node.type == "transaction":
            self.report.approximated(node, "Its rows took its place; as a transaction it is not undone as a whole.")
        elif node.type == "adHocSubProcess":
            self.report.approximated(node, "Its rows took its place, all open at once: all of them are to be done.")
        elif node.description:
            self.report.approximated(node, "Its rows took its place; its documentation has no row to go to.")
        else:
            self.report.taken(node, "Its rows took its place.")

    def _gateway(self, region: Region, node: FlowNode, role: str) -> Way:
        spot = region.spot(node)
        spot.role = "" if role == SYSTEM else role
        if node.type != "eventBasedGateway":
            spot.explicit = True
            spot.merge, spot.split = _GATEWAYS[node.type]
            if spot.merge == "n":
                spot.need = words.count(node.condition, node.name)
        return _both(spot)

    def _flows(self, region: Region, scope: Scope, ways: dict[str, Way], borders: dict[str, tuple[Spot, str]]) -> None:
        defaults = {node.default for node in scope.nodes if node.default}
        nodes = {node.id: node for node in scope.nodes}
        for flow in scope.flows:
            target = ways.get(flow.target)
            side = borders.get(flow.source)
            source = side[0] if side else ways[flow.source][1] if flow.source in ways else None
            if source is None or target is None:
                continue
            text = flow.name or _in_words(flow.condition)
            if nodes[flow.source].type == "eventBasedGateway":
                text = text or _what_happens(nodes[flow.target])
            arrow = region.arrow(source, target[0], text, flow)
            arrow.labels = (side[1],) if side and side[1] else ()
            arrow.default = flow.id in defaults
            arrow.conditional = flow.conditional and bool(flow.name or flow.condition)
        for other in scope.broken:
            self.report.dropped(other, f"The flow is put aside: {other.text}.")

    def _links(self, region: Region, scope: Scope, ways: dict[str, Way]) -> None:
        """Link events: the flow goes on at the catching event of the same name."""
        caught = {node.link: node for node in scope.nodes if node.type == "intermediateCatchEvent"}
        for node in scope.nodes:
            if node.type == "intermediateThrowEvent" and node.trigger == "link" and node.id in ways:
                target = caught.get(node.link)
                if target is None or target.id not in ways:
                    self.report.dropped(node, "No event catches this link: the flow ends here.")
                else:
                    region.arrow(ways[node.id][1], ways[target.id][0])

    def _texts(self, scope: Scope) -> None:
        """Texts beside a row become part of its description, all else drawn beside the flow is told of."""
        rows = {draft.node.id: draft for draft in self.drafts if draft.node} if scope.others else {}
        beside: dict[str, str] = {}
        for a, b in scope.links:
            beside |= {a: b, b: a}
        for other in scope.others:
            draft = rows.get(beside.get(other.id, ""))
            if other.type == "textAnnotation" and other.text and draft:
                draft.description = "\n\n".join(filter(None, (draft.description, other.text)))
                self.report.taken(other, f"Its text went into the description of {draft.shown}.")
            else:
                self.report.dropped(other, _why_no_row(other.type, other.text))

    def _alternatives(self, region: Region) -> None:
        """Several start events: a row asks which of them it was."""
        started = [s for s in region.spots if s.node and s.node.type == "startEvent" and s.outgoing and not s.incoming]
        if len(started) < 2:
            return
        nodes = [spot.node for spot in started if spot.node]
        draft = self.draft("start", "How does it start?", None, region)
        draft.role = self.lanes.get(nodes[0].id) or self.process.pool_name
        spot = region.spot(None, draft)
        region.spots.insert(0, region.spots.pop())
        for target, node in zip(started, nodes, strict=True):
            region.arrow(spot, target, node.name or node.trigger).conditional = True
            self.report.approximated(node, f"One of several beginnings: the row {draft.shown} asks which one it was.")


def _both(spot: Spot) -> Way:
    return spot, spot


def _raced(scope: Scope) -> set[str]:
    """Events that an event-based gateway waits for, the first of them to come: they become its answers."""
    gateways = {node.id for node in scope.nodes if node.type == "eventBasedGateway"}
    out: dict[str, list[str]] = {}
    entered: dict[str, int] = {}
    for flow in scope.flows:
        entered[flow.target] = entered.get(flow.target, 0) + 1
        if flow.source in gateways:
            out.setdefault(flow.source, []).append(flow.target)
    waiting = {node.id for node in scope.nodes if node.type in ("intermediateCatchEvent", "receiveTask")}
    waiting -= {node.host for node in scope.nodes}
    several = {target for targets in out.values() if len(targets) > 1 for target in targets}
    return {target for target in several & waiting if entered[target] == 1}


def _in_words(condition: str) -> str:
    return words.condition(condition) or ("" if words.is_code(condition) else condition)


def _what_happens(node: FlowNode) -> str:
    return node.name or (node.triggers[0].detail if node.triggers else "") or ""


def _why_no_row(kind: str, text: str) -> str:
    if kind == "textAnnotation":
        return f"Its text stands beside no row: “{text}”." if text else "It is an empty text."
    if kind == "group":
        return "A frame that only groups for the eye."
    return "Data are not in a table: scripts hand on files and outputs."
