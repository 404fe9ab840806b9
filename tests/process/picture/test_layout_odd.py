"""No table and no graph, however odd, stops the layout, and what it draws is clean."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board.process.definition.table import ProcessTable
from board.process.flow.flow import compile_flow
from board.process.picture.layout import Edge, Graph, Group, Lane, Layout, Node, graph_of, layout
from tests.process.bpmn.drawing import faults

TASKS = ["a", "b", "c", "d", "g", "h", "k"]
NAMES = ["", "A", "Ein sehr langer Name ohne Ende", "Donaudampfschifffahrtsgesellschaft", "検査", "a\nb"]

ids = st.sampled_from([*TASKS, *TASKS, "", "@x", "a@join", "g@empty"])
waits = st.lists(
    st.builds(
        "{}{}".format,
        st.sampled_from([*TASKS, "zz"]),
        st.sampled_from(["", "", "", ":true", ":false", ":failed", ":noch zu klären, wer das prüft"]),
    ),
    max_size=4,
).map(",".join)
rows = st.fixed_dictionaries(
    {
        "task": ids,
        "name": st.sampled_from(NAMES),
        "role": st.sampled_from(["", "system", "analyst", "steward", "anyone"]),
        "depends_on": waits,
        "collection": st.sampled_from(["", "", "", "unit"]),
        "parent": st.sampled_from(["", "", "g", "h", "k"]),
        "join": st.sampled_from(["", "any", "n=2", "inclusive", "50%", "??"]),
        "script": st.sampled_from(["", "s.py"]),
    }
)


@settings(max_examples=150)
@given(st.lists(rows, max_size=10), st.booleans())
def test_no_table_however_odd_stops_the_picture(table: list[dict[str, str]], inside: bool) -> None:
    graph = graph_of(compile_flow(ProcessTable.from_rows(table)), events_inside=inside)
    assert faults(graph, layout(graph)) == []


KINDS = ["start", "end", "user", "script", "receive", "exclusive", "parallel", "inclusive", "complex", "unknown"]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    groups = tuple(
        Group(f"g{n}", f"Group {n}", draw(st.sampled_from(["", *(f"g{m}" for m in range(n))])))
        for n in range(draw(st.integers(0, 4)))
    )
    lanes = tuple(Lane(f"l{n}", f"Lane {n}") for n in range(draw(st.integers(1, 4))))
    nodes = tuple(
        Node(
            f"n{n}",
            draw(st.sampled_from(KINDS)),
            draw(st.sampled_from([lane.id for lane in lanes])),
            group=draw(st.sampled_from(["", "", *(group.id for group in groups)])),
            note=draw(st.sampled_from(["", "", "2 of 3"])),
        )
        for n in range(draw(st.integers(0, 12)))
    )
    ends = [*(node.id for node in nodes), *(group.id for group in groups)]
    pairs = draw(st.lists(st.tuples(*[st.sampled_from(ends)] * 2), max_size=20)) if ends else []
    edges = tuple(
        Edge(f"e{n}", a, b, draw(st.sampled_from(["", "", "no"])), draw(st.booleans()))
        for n, (a, b) in enumerate(pairs)
    )
    return Graph(nodes, edges, groups, lanes)


@settings(max_examples=300)
@given(graphs())
def test_no_graph_however_odd_is_drawn_over_itself(graph: Graph) -> None:
    at = layout(graph)
    drawn = tuple(edge for edge in graph.edges if edge.id in at.edges)
    groups = {group.id: group.parent for group in graph.groups}

    def around(end: str) -> set[str]:
        at_group = groups.get(end, next((node.group for node in graph.nodes if node.id == end), ""))
        return {end} | (around(at_group) if at_group else set())

    for edge in graph.edges:
        if edge.id not in at.edges:  # only a flow between a frame and what is in it, or an empty frame, may be left out
            inside = edge.source in around(edge.target) or edge.target in around(edge.source)
            assert inside or not _is_placed(at, edge.source) or not _is_placed(at, edge.target)
    assert faults(Graph(graph.nodes, drawn, graph.groups, graph.lanes), at) == []


def _is_placed(at: Layout, end: str) -> bool:
    return end in at.nodes or end in at.groups


def test_an_empty_table_is_an_empty_picture() -> None:
    graph = graph_of(compile_flow(ProcessTable.from_rows([])))
    at = layout(graph)
    assert (graph.nodes, at.nodes, at.lanes) == ((), {}, {})
    assert at.width > 0
    assert at.height > 0


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_nested_groups_are_frames_in_frames(depth: int) -> None:
    table = [
        {"task": f"g{n}", "collection": "part", "parent": f"g{n - 1}" if n else "", "depends_on": ""}
        for n in range(depth)
    ]
    table += [
        {"task": "a", "parent": f"g{depth - 1}", "role": "x"},
        {"task": "b", "parent": "g0", "depends_on": f"g{depth - 1}" if depth > 1 else "a", "role": "y"},
        {"task": "c", "depends_on": "g0", "role": "x"},
    ]
    graph = graph_of(compile_flow(ProcessTable.from_rows(table)))
    at = layout(graph)
    assert faults(graph, at) == []
    for n in range(1, depth):
        outer, inner = at.groups[f"g{n - 1}"], at.groups[f"g{n}"]
        assert outer.x < inner.x
        assert inner.right < outer.right
        assert outer.y < inner.y
        assert inner.bottom < outer.bottom
