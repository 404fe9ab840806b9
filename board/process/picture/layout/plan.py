"""The working state of one layout: items in columns and lanes, scopes, links. Each step fills in more of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from board.process.picture.layout.graph import Edge, Graph, Node


@dataclass(slots=True, eq=False)
class Scope:
    """The whole (number 0) or one frame: a block of columns, from `first` to `last`, over lanes `top` to `bottom`."""

    number: int
    id: str
    parent: Scope | None
    depth: int = 0
    items: list[Item] = field(default_factory=list)
    inner: list[Scope] = field(default_factory=list)
    first: int = 0
    last: int = 0
    top: int = 0
    bottom: int = 0
    rank: int = 0  # from top to bottom among frames that lie in one lane only
    column: int = 0  # first column, counted from the first of the scope around it
    columns: int = 0

    def chain(self) -> list[Scope]:
        """This scope and those around it, innermost first."""
        scopes: list[Scope] = [self]
        while scopes[-1].parent is not None:
            scopes.append(scopes[-1].parent)
        return scopes


@dataclass(slots=True, eq=False)
class Item:
    """One thing in one column: a shape, or the place where a flow passes (`node` is None then).

    `y` is the height of its middle, where flows pass; `up` and `down` are what it takes above and below.
    """

    number: int
    scope: Scope
    lane: int
    node: Node | None = None
    link: Link | None = None
    is_label: bool = False
    w: int = 0
    half_w: int = 0  # of the shape alone, without the words below it
    half_h: int = 0
    up: int = 0
    down: int = 0
    col: int = 0
    slot: int = 0  # how many of the frames in its lane are above it
    cell: tuple[int, ...] = ()
    pos: int = 0
    y: int = 0
    left: list[Item] = field(default_factory=list)  # what it is joined to through the gap before its column: items of
    right: list[Item] = field(default_factory=list)  # the column before, or of its own where a flow turns; and after it
    turns: bool = False  # whether any of these is in its own column


@dataclass(slots=True, eq=False)
class Link:
    """One edge: between two shapes, ending at a frame's border where `source_frame` or `target_frame` says so."""

    number: int
    edge: Edge
    source: Item
    target: Item
    source_frame: Scope | None = None
    target_frame: Scope | None = None
    chain: list[Item] = field(default_factory=list)  # what it passes, from source to target
    backward: bool = False
    laid: int = -1  # when it was laid last, by the clock of the plan


@dataclass(slots=True, eq=False)
class Plan:
    graph: Graph
    scopes: list[Scope]
    items: list[Item]
    links: list[Link]
    lanes: list[str]  # ids from top to bottom
    columns: list[list[Item]] = field(default_factory=list)
    work: int = 0  # how much the flows laid anew have cost
    clock: int = 0  # counts changes of the order
    changed: list[int] = field(default_factory=list)  # of each column, when its order changed last
    gaps: list[list[tuple[Item, Item]]] = field(default_factory=list)  # gap n is before column n; the last after all
    turning: list[bool] = field(default_factory=list)  # of each gap, whether any flow turns in it

    def touch(self, col: int) -> None:
        """Note that the order of a column has changed."""
        self.clock += 1
        self.changed[col] = self.clock

    def new_item(self, scope: Scope, lane: int, link: Link) -> Item:
        item = Item(len(self.items), scope, lane, link=link)
        self.items.append(item)
        return item


def common(one: Scope, other: Scope) -> Scope:
    """The innermost scope around both."""
    while one is not other:
        if one.depth >= other.depth and one.parent is not None:
            one = one.parent
        elif other.parent is not None:
            other = other.parent
    return one


def unit_in(scope: Scope, inner: Scope) -> Scope:
    """The frame directly in `scope` that is, or is around, `inner`."""
    while inner.parent is not scope and inner.parent is not None:
        inner = inner.parent
    return inner


Ends = tuple[Edge, Item | Scope, Item | Scope]  # an edge and what it joins
