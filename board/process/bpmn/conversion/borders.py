"""Events on the border of activities: each becomes an answer of the activity's row, or a way on from inside."""

from typing import Protocol

from board.process.bpmn.conversion import events
from board.process.bpmn.conversion.region import Draft, Region, Spot
from board.process.bpmn.parsing.model import FlowNode, Process, Scope
from board.process.bpmn.report import Report

Way = tuple[Spot, Spot]  # where flows enter a node and where they leave it
Side = tuple[Spot, str]  # from where, with which answer (may be empty), a border event's flow goes on


class Drafting(Protocol):
    """What the border events need of the building around them."""

    process: Process
    report: Report
    lanes: dict[str, str]
    placed: dict[str, tuple[Region, Way]]  # by node
    raised: dict[str, list[Spot]]  # by sub-process: end events that raise something
    caught: set[Spot]  # those of them whose flow goes on at a border

    def draft(self, wanted: str, name: str, node: FlowNode | None, region: Region | None) -> Draft:
        """Start a row."""


class Borders:
    """The border events of one scope."""

    def __init__(self, builder: Drafting, region: Region, ways: dict[str, Way]) -> None:
        self.builder, self.region, self.ways, self.report = builder, region, ways, builder.report

    def found(self, scope: Scope) -> dict[str, Side]:
        """Say for each border event from which spot, with which answer, what follows it is reached."""
        found: dict[str, Side] = {}
        followed = {flow.source for flow in scope.flows}
        for node in scope.nodes:
            if node.type != "boundaryEvent" or node.compensation:
                continue
            way = self._host(node)
            if way is None:
                events.homeless(node, self.report)
            elif node.id not in followed:
                events.unattached(node, way[1].draft, self.report)
            else:
                found[node.id] = self._border(node, way)
        return found

    def _host(self, node: FlowNode) -> Way | None:
        """Find what a border event stands on: some tools write it outside the sub-process its host is in."""
        region, way = self.builder.placed.get(node.host, (None, None))
        return self.ways.get(node.host) or (way if region is self.region else None)

    def _border(self, node: FlowNode, way: Way) -> Side:
        host = way[1]
        raised = (spot for spot in self.builder.raised.get(node.host, ()) if spot not in self.builder.caught)
        inside = [spot for spot in raised if spot.node and spot.node.trigger == node.trigger]
        if inside:
            return self._handled(node, inside), ""
        if host.draft is None or host.draft.is_group:
            host = self._outcome(node.host, host)
        assert host.draft
        draft = host.draft
        if node.trigger == "error" and draft.system:
            label = "failed"
        else:
            label = draft.answer(node.name or (node.triggers[0].detail if node.triggers else "") or node.trigger)
            draft.beside.add(label)
            draft.finish = "done" if node.interrupting else draft.finish
            draft.alone |= not node.interrupting
        events.attached(node, draft, label, self.report)
        return host, label

    def _handled(self, node: FlowNode, inside: list[Spot]) -> Spot:
        """An end event in a sub-process raises what the event on its border catches: the flow goes on there."""
        caught = self.region.spot(node)
        for spot in inside:
            for arrow in spot.outgoing:
                arrow.target.incoming.remove(arrow)
            spot.outgoing = []
            self.region.arrow(spot, caught)
            self.builder.caught.add(spot)
            assert spot.node
            events.handled(spot.node, node, self.report)
        self.report.taken(node, "The flow goes on here from the end events inside that raise it.")
        return caught

    def _outcome(self, host_id: str, leave: Spot) -> Spot:
        """A row after a sub-process that says how it ended, for the events on its border."""
        host = leave.node
        assert host
        draft = self.builder.draft(
            f"{host_id}_outcome"[:64], f"{host.name or host_id}: how did it end?", None, self.region
        )
        draft.role = self.builder.lanes.get(host_id) or self.builder.process.pool_name
        spot = self.region.spot(None, draft)
        self.region.arrow(leave, spot)
        self.ways[host_id] = (self.ways[host_id][0], spot)
        self.report.approximated(
            host, f"Events on its border end it early: the row {draft.shown} after it says how it ended."
        )
        return spot
