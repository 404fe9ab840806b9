"""Lanes and layers to coordinates: `graph_of(flow)` says what is drawn, `layout(graph)` where.

Pure and deterministic: the same table gives the same picture.
"""

from functools import lru_cache

from board.process.layout.chains import build_chains
from board.process.layout.graph import (
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
from board.process.layout.layers import assign_columns, links_of, order_lanes, plan_of
from board.process.layout.notation import graph_of
from board.process.layout.order import order_columns
from board.process.layout.ports import find_ports, measure
from board.process.layout.route import route
from board.process.layout.rows import assign_rows

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
    "graph_of",
    "layout",
]


@lru_cache(maxsize=128)
def layout(graph: Graph) -> Layout:
    """Where everything in a graph goes; never raises. Cached by the graph.

    An edge that cannot be drawn (between a frame and what is in it, or to nothing) has no entry in `edges`.
    """
    plan, ends = plan_of(graph)
    order_lanes(plan, ends)
    assign_columns(plan, ends)
    links_of(plan, ends)
    build_chains(plan)
    measure(plan)
    order_columns(plan)
    rows = assign_rows(plan)
    return route(plan, rows, find_ports(plan, rows))
