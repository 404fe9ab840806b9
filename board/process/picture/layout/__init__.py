"""Lanes and layers to coordinates: `graph_of(flow)` says what is drawn, `layout(graph)` where.

Pure and deterministic: the same table gives the same picture.
"""

from functools import lru_cache

from board.process.flow.flow import Flow
from board.process.picture.layout.graph import (
    EVENT_KINDS,
    GATEWAY_KINDS,
    TASK_KINDS,
    Box,
    Edge,
    Graph,
    Group,
    Kind,
    Lane,
    Layout,
    Node,
    Point,
)
from board.process.picture.layout.notation import graph_of
from board.process.picture.layout.placement.chains import build_chains
from board.process.picture.layout.placement.lanes import lane_orders, order_lanes
from board.process.picture.layout.placement.layers import assign_columns, links_of, plan_of
from board.process.picture.layout.placement.order import improve_columns, sort_columns
from board.process.picture.layout.placement.rows import assign_rows
from board.process.picture.layout.plan import Plan
from board.process.picture.layout.routing.ports import find_ports, measure
from board.process.picture.layout.routing.route import route

__all__ = [
    "EVENT_KINDS",
    "GATEWAY_KINDS",
    "TASK_KINDS",
    "Box",
    "Edge",
    "Graph",
    "Group",
    "Kind",
    "Lane",
    "Layout",
    "Node",
    "Point",
    "drawing",
    "graph_of",
    "is_large",
    "layout",
]


MAX_TASKS = 250  # a larger picture would weigh more than the page it belongs to
MAX_FLOWS = 1000  # more of them take longer to lay out than anybody waits for a page
ITEMS_TRIED = 1200  # about how much is ordered altogether when several orders of the lanes are tried
ITEMS_IMPROVED = 400  # and when the best of them are improved


@lru_cache(maxsize=64)
def is_large(flow: Flow) -> bool:
    """Say whether a picture is too large to be drawn while a page is made: counted, not laid out."""
    return len(flow.tasks) > MAX_TASKS or len(graph_of(flow).edges) > MAX_FLOWS


@lru_cache(maxsize=64)
def drawing(flow: Flow) -> tuple[Graph, Layout]:
    """What is drawn for a definition and where; cached, as flows are, by the table."""
    graph = graph_of(flow)
    return graph, layout(graph)


@lru_cache(maxsize=128)
def layout(graph: Graph) -> Layout:
    """Where everything in a graph goes; never raises. Cached by the graph.

    An edge that cannot be drawn (between a frame and what is in it, or to nothing) has no entry in `edges`.
    """
    plan = _best_plan(graph)
    rows = assign_rows(plan)
    return route(plan, rows, find_ports(plan, rows))


def _best_plan(graph: Graph) -> Plan:
    """Columns and their order, by the order of the lanes that gives the fewest crossings."""
    plan, ends = plan_of(graph)
    orders = lane_orders(plan, ends)
    tried: list[tuple[int, int, Plan]] = []
    for number, order in enumerate(orders):
        if number:
            if not tried[0][0] or number * len(tried[0][2].items) > ITEMS_TRIED:
                break
            plan, ends = plan_of(graph)
        order_lanes(plan, order)
        assign_columns(plan, ends)
        links_of(plan, ends)
        build_chains(plan)
        measure(plan)
        tried.append((sort_columns(plan), number, plan))
    # the promising ones are worth more work
    tried.sort(key=lambda each: each[:2])
    worth = 1 + ITEMS_IMPROVED // max(1, 2 * len(tried[0][2].items))
    best: tuple[int, int, Plan] | None = None
    for crossings, number, each in tried[:worth]:
        if best is not None and best[:2] < (0, number):
            continue  # without any crossing it would come second
        improved = (improve_columns(each, crossings), number, each)
        if best is None or improved[:2] < best[:2]:
            best = improved
    assert best is not None
    return best[2]
