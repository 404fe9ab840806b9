"""Lanes and layers to coordinates: `graph_of(flow)` says what is drawn, `layout(graph)` where.

Pure and deterministic: the same table gives the same picture.
"""

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
from board.process.layout.notation import graph_of

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
]
