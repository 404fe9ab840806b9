"""The neutral graph a process is drawn from, and the coordinates a drawing has.

`Graph` is what BPMN means: events, tasks, gateways, groups as sub-process frames, lanes.
`Layout` says where each of them is. The picture and the BPMN export both start from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Kind = Literal[
    "start",
    "end",
    "user",  # a person acts
    "script",  # the worker runs it
    "receive",  # a message from outside completes it
    "exclusive",  # X: splits by answer, or joins where one is enough
    "parallel",  # +: splits to all, or joins all
    "inclusive",  # O: splits to every answer that holds, or joins what is still to come
    "complex",  # *: joins a quorum, said in `note`
    "unknown",  # a dependency names no row of the table: drawn dashed, not part of the process
    "empty",  # stands in a group without members, so that its frame has a size; not part of the process
]

TASK_KINDS: frozenset[str] = frozenset({"user", "script", "receive", "unknown", "empty"})
GATEWAY_KINDS: frozenset[str] = frozenset({"exclusive", "parallel", "inclusive", "complex"})
EVENT_KINDS: frozenset[str] = frozenset({"start", "end"})


class Box(NamedTuple):
    """A rectangle in whole pixels: left, top, width, height."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h


class Point(NamedTuple):
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Node:
    """One shape. A task's node has the task id as its id; all other ids hold a `@`, which no task id may."""

    id: str
    kind: Kind
    lane: str  # a Lane.id
    label: str = ""  # a task's name; of a gateway or event usually empty
    group: str = ""  # innermost Group.id, "" outside every group
    task: str = ""  # the row it belongs to: a gateway's task or group, "" for start
    note: str = ""  # words beside a gateway: a quorum such as "2 of 3"
    split: bool = False  # of a gateway: True splits, False joins


@dataclass(frozen=True, slots=True)
class Edge:
    """One sequence flow. `source` and `target` are a Node.id or a Group.id: a flow may end at a frame."""

    id: str
    source: str
    target: str
    label: str = ""  # the answer asked for
    loop_back: bool = False
    default: bool = False  # of an exclusive split: taken when no answer fits


@dataclass(frozen=True, slots=True)
class Group:
    """A multi-instance sub-process, drawn as a frame around its members, across lanes where need be."""

    id: str
    label: str
    parent: str = ""  # the Group.id around it
    collection: str = ""
    sequential: bool = False
    note: str = ""  # words beside the label: how many are enough, "" = all


@dataclass(frozen=True, slots=True)
class Lane:
    id: str  # the role, "" for rows without one
    label: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes, edges, groups and lanes, each in a stable order. Ids are unique over nodes and groups together."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    groups: tuple[Group, ...] = ()
    lanes: tuple[Lane, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is, in whole pixels from the top left; nothing lies outside width x height."""

    width: int
    height: int
    nodes: Mapping[str, Box] = field(default_factory=dict)  # by Node.id
    groups: Mapping[str, Box] = field(default_factory=dict)  # by Group.id
    lanes: Mapping[str, Box] = field(default_factory=dict)  # by Lane.id, from top to bottom
    edges: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)  # by Edge.id: corners, source first
    labels: Mapping[str, Box] = field(default_factory=dict)  # by Edge.id (answers) or Node.id (notes of gateways)
