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
from board.process.layout.layers import Ends, assign_columns, lane_orders, links_of, order_lanes, plan_of
from board.process.layout.notation import graph_of
from board.process.layout.order import count_crossings, order_columns
from board.process.layout.plan import Plan
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


ITEMS_TRIED = 1000  # about how much is ordered altogether when several orders of the lanes are tried


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
    best = _ordered(plan, ends, orders[0])
    fewest = count_crossings(best)
    for order in orders[1 : ITEMS_TRIED // max(1, len(best.items))]:
        if not fewest:
            break
        tried = _ordered(*plan_of(graph), order)
        found = count_crossings(tried)
        if found < fewest:
            best, fewest = tried, found
    return best


def _ordered(plan: Plan, ends: list[Ends], lanes: list[int]) -> Plan:
    order_lanes(plan, lanes)
    assign_columns(plan, ends)
    links_of(plan, ends)
    build_chains(plan)
    measure(plan)
    order_columns(plan)
    return plan
