"""A table as BPMN elements, scope by scope: what graph_of draws, made fit for the rules of BPMN.

In BPMN no flow crosses the border of a sub-process. A flow that does in the picture begins or ends
at the frame instead; the row itself, kept beside the element, says what is meant.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from unicodedata import normalize

from board.process.bpmn.xml import DRAWN_AS
from board.process.definition.table import ProcessTable, Row
from board.process.flow.flow import compile_flow
from board.process.picture.layout import GATEWAY_KINDS, Edge, Graph, Group, Kind, Node
from board.process.picture.layout.notation import graph_of

_NOT_DRAWN: frozenset[Kind] = frozenset({"unknown", "empty"})
_NAMES: dict[str, str] = {"start": "StartEvent", "end": "EndEvent"}


@dataclass(frozen=True, slots=True)
class Arrow:
    """A sequence flow within one scope; `edge` is what it was before its ends were moved to frames."""

    id: str
    edge: Edge
    source: str  # an id of the graph
    target: str
    default: bool


@dataclass(slots=True)
class Notation:
    """Everything the file holds: the graph as drawn, its parts by scope, and the id each has in the file."""

    graph: Graph
    nodes: dict[str, list[Node]]  # by the group they are in, "" for none
    groups: dict[str, list[Group]]
    arrows: dict[str, list[Arrow]]
    ids: dict[str, str]  # node and group ids of the graph to ids of the file
    rows: dict[str, Row]  # by task id
    lane_of: dict[str, str] = field(default_factory=dict)  # of groups


def notation_of(table: ProcessTable) -> Notation:
    """Say which elements a table becomes; the same table gives the same elements."""
    graph = graph_of(compile_flow(table), events_inside=True)
    scopes = {group.id: group.parent for group in graph.groups}
    kept = {node.id: node for node in graph.nodes if node.kind not in _NOT_DRAWN}
    scope_of = {node.id: node.group for node in kept.values()} | scopes
    links = list(_lifted(graph.edges, scope_of))
    while idle := _idle(kept.values(), links):
        for node in idle:
            del kept[node.id]
        links = [link for link in links if link[1] not in {n.id for n in idle} and link[2] not in {n.id for n in idle}]
    rows = {row.task: row for row in reversed(table.rows)}
    drawn_as = {task: row.cell(DRAWN_AS) for task, row in rows.items()}
    ids = _ids([*(group.id for group in graph.groups), *kept], drawn_as)
    found = Notation(graph, {}, {}, {}, ids, rows)
    for node in kept.values():
        found.nodes.setdefault(node.group, []).append(node)
        found.lane_of.setdefault(node.group, node.lane)
    for group in graph.groups:
        found.groups.setdefault(group.parent, []).append(group)
    _number(found, links, scope_of)
    return found


Link = tuple[Edge, str, str]


def _lifted(edges: Iterable[Edge], scope_of: dict[str, str]) -> Iterable[Link]:
    """Move the ends of each flow up to the scope both are in; what then says the same twice is one flow."""
    seen: set[tuple[str, str, str]] = set()
    for edge in edges:
        if edge.source not in scope_of or edge.target not in scope_of:
            continue
        source, target = _common(edge, scope_of)
        key = (source, target, edge.label)
        if source != target and key not in seen:
            seen.add(key)
            yield edge, source, target


def _common(edge: Edge, scope_of: dict[str, str]) -> tuple[str, str]:
    sources, targets = _up(edge.source, scope_of), _up(edge.target, scope_of)
    scopes = [scope_of[key] for key in targets]
    for source in sources:
        if scope_of[source] in scopes:
            return source, targets[scopes.index(scope_of[source])]
    raise AssertionError("every element is in the process")


def _up(key: str, scope_of: dict[str, str]) -> list[str]:
    """An element and the frames around it, innermost first."""
    found = [key]
    while (key := scope_of[key]) and key not in found:
        found.append(key)
    return found


def _idle(nodes: Iterable[Node], links: list[Link]) -> list[Node]:
    """Gateways and events whose flows were all moved to a frame."""
    sources, targets = {link[1] for link in links}, {link[2] for link in links}
    return [
        node
        for node in nodes
        if (node.kind in GATEWAY_KINDS and not (node.id in sources and node.id in targets))
        or (node.kind == "start" and node.id not in sources)
        or (node.kind == "end" and node.id not in targets)
    ]


def _number(found: Notation, links: list[Link], scope_of: dict[str, str]) -> None:
    taken = set(found.ids.values())
    n = 0
    for edge, source, target in links:
        n += 1
        while f"Flow_{n}" in taken:
            n += 1
        moved = (source, target) != (edge.source, edge.target)
        arrow = Arrow(f"Flow_{n}", edge, source, target, edge.default and not moved)
        found.arrows.setdefault(scope_of[source], []).append(arrow)


def _ids(keys: Iterable[str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Ids that every tool takes: ASCII, beginning with a letter or `_`; the row keeps the task's own id."""
    taken: set[str] = {"Definitions", "Process", "Pool", "Collaboration", "Diagram", "Plane", "LaneSet"}
    found: dict[str, str] = {}
    for key in keys:
        plain = normalize("NFKD", wanted.get(key) or key).encode("ascii", "ignore").decode()
        stem = re.sub(r"[^A-Za-z0-9_.-]+", "_", plain) or "_"
        stem = stem if re.match(r"[A-Za-z_]", stem) else f"_{stem}"
        spelling, n = stem, 1
        while spelling in taken:
            n += 1
            spelling = f"{stem}_{n}"
        taken.add(spelling)
        found[key] = spelling
    return found
