"""Where each flow leaves and enters its shapes.

A flow meets a shape at its left or right side, several of them apart. A turning flow goes straight up or down from
the middle of its shape where nothing is in between, and so do the outermost flows of a gateway, from its corners.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from board.process.picture.layout import sizes
from board.process.picture.layout.graph import GATEWAY_KINDS
from board.process.picture.layout.placement.chains import frames_beside
from board.process.picture.layout.placement.rows import Rows
from board.process.picture.layout.plan import Item, Link, Plan, Scope

Stretch = tuple[int, int]
CLEAR = 4  # pixels kept free around a flow that goes up or down in a column


@dataclass(slots=True)
class End:
    """One end of a flow: at a side of a shape at height `y`; or above or below it (`upright`), `dx` off its middle."""

    y: int
    upright: bool = False
    dx: int = 0


@dataclass(slots=True)
class Ports:
    out: dict[int, End] = field(default_factory=dict)  # by link number
    into: dict[int, End] = field(default_factory=dict)


def measure(plan: Plan) -> None:
    """Give every shape its size: as big as its flows need."""
    for item in plan.items:
        if item.node is None:
            continue
        width, height = sizes.size_of(item.node, max(1, len(item.left), len(item.right)))
        item.half_w, item.half_h = width // 2, height // 2
        item.w, item.up, item.down = width, height // 2, height // 2
        if item.node.note:
            item.w = max(width, sizes.note_width(item.node))
            item.down += sizes.LABEL_H


def find_ports(plan: Plan, rows: Rows) -> Ports:
    """The ends of every link, once heights are known."""
    return _Finder(plan, rows).find()


class _Finder:
    def __init__(self, plan: Plan, rows: Rows) -> None:
        self.plan = plan
        self.rows = rows
        self.ports = Ports()
        self.upright: list[list[Stretch]] = [[] for _ in plan.columns]  # stretches taken, by column
        self.outs: dict[int, list[Link]] = {}
        self.ins: dict[int, list[Link]] = {}
        for link in plan.links:
            self.outs.setdefault(link.source.number, []).append(link)
            self.ins.setdefault(link.target.number, []).append(link)

    def find(self) -> Ports:
        self._dock_turns()
        for item in self.plan.items:
            if item.node is not None and item.node.kind in GATEWAY_KINDS:
                self._use_corners(item)
        for item in self.plan.items:
            if item.node is not None:
                self._spread(
                    item,
                    [link for link in self.outs.get(item.number, ()) if link.number not in self.ports.out],
                    out=True,
                )
                self._spread(
                    item,
                    [link for link in self.ins.get(item.number, ()) if link.number not in self.ports.into],
                    out=False,
                )
        return self.ports

    # turns

    def _dock_turns(self) -> None:
        """Let turning flows leave and enter from above or below, the nearest first, each beside the last."""
        ends: dict[tuple[str, int, bool], list[tuple[int, Link, bool]]] = {}
        for link in self.plan.links:
            if link.backward:
                for out in (True, False):
                    frame = link.source_frame if out else link.target_frame
                    item = link.source if out else link.target
                    passed = link.chain[0 if out else -1]
                    top, bottom = self._extent(item, frame)
                    key = ("frame", frame.number) if frame else ("item", item.number)
                    above = passed.y < top
                    distance = top - passed.y if above else passed.y - bottom
                    ends.setdefault((*key, above), []).append((distance, link, out))
        for (_, _, above), these in ends.items():
            self._dock(above, sorted(these, key=lambda each: (each[0], each[1].number)))

    def _extent(self, item: Item, frame: Scope | None) -> tuple[int, int]:
        return self.rows.frames[frame.number] if frame else (item.y - item.up, item.y + item.down)

    def _dock(self, above: bool, these: list[tuple[int, Link, bool]]) -> None:
        _, link, out = these[0]
        frame = link.source_frame if out else link.target_frame
        item = link.source if out else link.target
        if item.node is not None and item.node.note and not above:
            return
        top, bottom = self._extent(item, frame)
        is_slanted = frame is None and item.node is not None and item.half_w <= sizes.GATEWAY
        low, high = (0, 0) if is_slanted else (16 - item.half_w, item.half_w - 16)
        passed: list[Item] = []
        taken = list(self.upright[item.col])
        mine: list[Stretch] = []
        for _, link, out in these:
            at = link.chain[0 if out else -1]
            if at.is_label and link.number in (self.ports.into if out else self.ports.out) and len(link.chain) == 1:
                continue  # the other end comes from one side of the answer already
            dx = min(max(0, low), high)
            stretch = (at.y, top - 1) if above else (bottom + 1, at.y)
            if low > high or any(inner.is_label for inner in passed):
                break
            if not self._is_clear(item, frame, stretch, [*passed, at], taken, _is_wire):
                break
            mine.append(stretch)
            (self.ports.out if out else self.ports.into)[link.number] = End(at.y, True, dx)
            passed.append(at)
            # the flow goes on to the left of its source, to the right of its target: the next one keeps off that side
            if out:
                low = dx + 12
            else:
                high = dx - 12
        self.upright[item.col] += mine

    def _is_clear(
        self,
        item: Item,
        frame: Scope | None,
        stretch: Stretch,
        ignored: list[Item],
        taken: list[Stretch],
        may_cross: Callable[[Item], bool],
    ) -> bool:
        """Whether a flow may go up or down from a shape: past nothing but flows that it may cross there."""
        first, last = stretch[0] - CLEAR, stretch[1] + CLEAR
        if any(a <= last and first <= b for a, b in taken):
            return False
        around = item.scope.chain()
        for other in self.plan.columns[item.col]:
            if other is item or other in ignored or (frame is not None and frame in other.scope.chain()):
                continue
            if other.y - other.up <= last and first <= other.y + other.down:
                ends = min(abs(other.y - stretch[0]), abs(other.y - stretch[1]))
                if ends <= CLEAR or not may_cross(other):
                    return False
        scope: Scope
        for scope in around:
            for inner in frames_beside(scope, item.col):
                if inner in around or inner is frame:
                    continue
                top, bottom = self.rows.frames[inner.number]
                if top <= last and first <= bottom:
                    return False
        return True

    # corners

    def _use_corners(self, item: Item) -> None:
        for out in (True, False):
            done = self.ports.out if out else self.ports.into
            links = [link for link in (self.outs if out else self.ins).get(item.number, ()) if link.number not in done]
            if len(links) < 2 or any((link.source_frame if out else link.target_frame) for link in links):
                continue
            links = [link for link in links if not link.backward]
            links.sort(key=lambda link: (_next(link, out).y, link.number))
            if links:
                self._try_corner(item, links[0], out=out, above=True)
            if len(links) > 1 and not (item.node and item.node.note):
                self._try_corner(item, links[-1], out=out, above=False)

    def _try_corner(self, item: Item, link: Link, *, out: bool, above: bool) -> None:
        to = _next(link, out)
        if to.node is not None and len(to.left if out else to.right) > 1:
            return
        edge = item.y - item.half_h if above else item.y + item.half_h
        if (to.y > edge - CLEAR) if above else (to.y < edge + CLEAR):
            return
        stretch = (to.y, edge - 1) if above else (edge + 1, to.y)

        def may_cross(wire: Item) -> bool:
            """Only what has to be crossed anyway, being on the other side of the flow in the next column."""
            near = wire.right if out else wire.left
            return _is_wire(wire) and not wire.turns and (near[0].pos > to.pos if above else near[0].pos < to.pos)

        if self._is_clear(item, None, stretch, [], self.upright[item.col], may_cross):
            self.upright[item.col].append(stretch)
            (self.ports.out if out else self.ports.into)[link.number] = End(to.y, True)

    # sides

    def _spread(self, item: Item, links: list[Link], *, out: bool) -> None:
        """Set flows apart along one side, in the order of where they go; those that can be straight stay so."""
        links = [link for link in links if not self._leave_straight(item, link, out)]
        links.sort(key=lambda link: _rank(item, link, out))
        offs = self._offsets(item, [self._wish(item, link, out, len(links)) for link in links])
        for link, off in zip(links, offs, strict=True):
            (self.ports.out if out else self.ports.into)[link.number] = End(item.y + off)

    def _leave_straight(self, item: Item, link: Link, out: bool) -> bool:
        """Let a flow meet a frame where it is straight, if nothing passes between there and the shape it is tied to."""
        frame, to = link.source_frame if out else link.target_frame, _next(link, out)
        near = item.right if out else item.left
        if frame is None or to.col == item.col or len(near) > 1 or len(to.left if out else to.right) > 1:
            return False
        top, bottom = self.rows.frames[frame.number]
        low, high = sorted((item.y, to.y))
        between = [
            each
            for each in self.plan.columns[item.col]
            if each is not item and (each.right if out else each.left) and low - 12 < each.y < high + 12
        ]
        if between or not top + 12 <= to.y <= bottom - 12:
            return False
        (self.ports.out if out else self.ports.into)[link.number] = End(to.y)
        return True

    def _wish(self, item: Item, link: Link, out: bool, links: int) -> int | None:
        """How far off the middle a flow would be straight, if it can be."""
        to = _next(link, out)
        if to.col == item.col:
            return None
        off = to.y - item.y
        room = item.half_h - 4 if links > 1 or item.half_h > sizes.GATEWAY // 2 else CLEAR + 2
        return off if off == 0 or (to.node is None and abs(off) <= room) else None

    def _offsets(self, item: Item, wishes: list[int | None]) -> list[int]:
        kept = [at for at, wish in enumerate(wishes) if wish is not None]
        even = [-(len(wishes) - 1) * sizes.PORT // 2 + at * sizes.PORT for at in range(len(wishes))]
        if not kept:
            return even
        offs = [wish or 0 for wish in wishes]
        first, last = kept[0], kept[-1]
        for at in range(first - 1, -1, -1):
            offs[at] = offs[at + 1] - sizes.PORT
        for at in range(last + 1, len(offs)):
            offs[at] = offs[at - 1] + sizes.PORT
        fits = -item.half_h + 4 <= offs[0] and offs[-1] <= item.half_h - 4
        return offs if fits and all(b - a >= sizes.PORT - 2 for a, b in pairwise(offs)) else even


def _is_wire(item: Item) -> bool:
    return item.node is None and not item.is_label


def _next(link: Link, out: bool) -> Item:
    """The item a flow goes to from its source, or comes from into its target."""
    if out:
        return link.chain[0] if link.chain else link.target
    return link.chain[-1] if link.chain else link.source


def _rank(item: Item, link: Link, out: bool) -> tuple[int, int, int]:
    to = _next(link, out)
    if to.col != item.col:
        return (1, to.y, link.number)
    return (0 if to.y < item.y else 2, -to.y, link.number)
