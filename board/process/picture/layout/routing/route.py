"""From heights and ports to coordinates: tracks in the gaps, then columns from left to right, then every corner."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import sqrt

from board.process.picture.layout import sizes
from board.process.picture.layout.graph import EVENT_KINDS, GATEWAY_KINDS, Box, Layout, Point
from board.process.picture.layout.placement.rows import Rows
from board.process.picture.layout.plan import Item, Link, Plan, Scope
from board.process.picture.layout.routing.ports import End, Ports
from board.process.picture.layout.routing.tracks import Net, assign_tracks

GAP_LEAST = 20
BEFORE = 10  # from a shape to the first track or frame
AFTER = 12  # from the last one to the next shape, for the arrow


def route(plan: Plan, rows: Rows, ports: Ports) -> Layout:
    """The finished layout."""
    return _Router(plan, rows, ports).layout()


class _Router:
    def __init__(self, plan: Plan, rows: Rows, ports: Ports) -> None:
        self.plan, self.rows, self.ports = plan, rows, ports
        self.nets: list[list[Net]] = [[] for _ in plan.gaps]
        self.straight: list[list[int]] = [[] for _ in plan.gaps]
        self.hops: list[
            list[tuple[int, Net]]
        ] = []  # of each link: the nets it takes, source first, and the gap of each
        self.column_x: list[tuple[int, int]] = []
        self.frame_x: dict[int, list[int]] = {scope.number: [0, 0] for scope in plan.scopes}

    def layout(self) -> Layout:
        for link in self.plan.links:
            self.hops.append(list(self._hops(link)))
        self._place_columns()
        top = sizes.MARGIN
        width = (self.column_x[-1][1] if self.column_x else sizes.LANE_HEAD) + self.tail + sizes.MARGIN
        lines = [y + top for y in self.rows.lines]
        layout = Layout(width, (lines[-1] if self.plan.lanes else top) + sizes.MARGIN, {}, {}, {}, {}, {})
        nodes, groups, lanes, edges, labels = {}, {}, {}, {}, {}
        for item in self.plan.items:
            if item.node is not None:
                x, y = self._middle_x(item), item.y + top
                nodes[item.node.id] = Box(x - item.half_w, y - item.half_h, 2 * item.half_w, 2 * item.half_h)
                if item.node.note:
                    note_w = sizes.note_width(item.node)
                    labels[item.node.id] = Box(x - note_w // 2, y + item.half_h, note_w, sizes.LABEL_H)
        for scope in self.plan.scopes[1:]:
            if scope.columns:
                (x, right), (y, bottom) = self.frame_x[scope.number], self.rows.frames[scope.number]
                groups[scope.id] = Box(x, y + top, right - x, bottom - y)
        for lane, (y, bottom) in zip(self.plan.lanes, pairwise(lines), strict=True):
            lanes[lane] = Box(sizes.MARGIN, y, width - 2 * sizes.MARGIN, bottom - y)
        for link in self.plan.links:
            edges[link.edge.id] = tuple(Point(x, y + top) for x, y in self._path(link))
            for item in link.chain:
                if item.is_label:
                    labels[link.edge.id] = self._label(item, link, top)
        return Layout(layout.width, layout.height, nodes, groups, lanes, edges, labels)

    # gaps

    def _hops(self, link: Link) -> Iterator[tuple[int, Net]]:
        out, into = self.ports.out[link.number], self.ports.into[link.number]
        path = [link.source, *link.chain, link.target]
        for step, (here, there) in enumerate(pairwise(path)):
            here_y = out.y if step == 0 else here.y
            there_y = into.y if step == len(path) - 2 else there.y
            if here.col == there.col:
                after = step == 0
                if (out if after else into).upright:
                    continue
                gap = here.col + after
                zone = self._zone(link.chain[0 if after else -1].scope, here.col, after)
                net = Net((here_y, there_y), (), zone) if after else Net((), (here_y, there_y), zone)
                self.nets[gap].append(net)
            else:
                gap = max(here.col, there.col)
                net = Net((here_y,), (there_y,)) if here.col < there.col else Net((there_y,), (here_y,))
                if here_y == there_y:
                    self.straight[gap].append(here_y)
                    continue
                self.nets[gap].append(net)
            yield gap, net

    def _zone(self, scope: Scope, col: int, after: bool) -> int:
        """Turns of flows inside a frame stay inside it: left of its right border, right of its left one."""
        if scope.parent is None or col != (scope.last if after else scope.first):
            return 0
        return -2 * scope.depth if after else 2 * scope.depth

    def _place_columns(self) -> None:
        x = sizes.MARGIN + sizes.LANE_HEAD
        last = len(self.plan.columns)
        for gap in range(last + 1):
            width = self._lay_gap(gap, x, is_end=gap in (0, last))
            if gap == last:
                self.tail = width
                return
            x += width
            wide = max((item.w for item in self.plan.columns[gap]), default=0)
            self.column_x.append((x, x + wide))
            x += wide
        self.tail = 0

    def _lay_gap(self, gap: int, x: int, *, is_end: bool) -> int:
        """Give tracks and frame borders in a gap their places; returns how wide it is."""
        zones: dict[int, list[Net]] = {}
        for net in self.nets[gap]:
            zones.setdefault(net.zone, []).append(net)
        borders: dict[int, list[tuple[int, int]]] = {}
        for scope in self.plan.scopes[1:]:
            if scope.columns and scope.last == gap - 1:
                borders.setdefault(-2 * scope.depth + 1, []).append((scope.number, 1))
            if scope.columns and scope.first == gap:
                borders.setdefault(2 * scope.depth - 1, []).append((scope.number, 0))
        if not zones and not borders:
            return BEFORE if is_end else GAP_LEAST
        at = x + BEFORE
        for zone in sorted({*zones, *borders}):
            if zone in borders:
                at += sizes.FRAME_PAD - sizes.TRACK if zone != min({*zones, *borders}) else 2
                for number, side in borders[zone]:
                    self.frame_x[number][side] = at
                at += sizes.FRAME_PAD
            else:
                nets = zones[zone]
                pins = [y for net in self.nets[gap] for y in net.left + net.right] + self.straight[gap]
                count = assign_tracks(nets, pins)
                for net in nets:
                    net.x = at + net.track * sizes.TRACK
                at += count * sizes.TRACK
        return max(GAP_LEAST, at - x - (0 if max({*zones, *borders}) in borders else sizes.TRACK) + AFTER)

    # paths

    def _middle_x(self, item: Item) -> int:
        left, right = self.column_x[item.col]
        return (left + right) // 2

    def _path(self, link: Link) -> list[Point]:
        points = [*self._end(link.source, link.source_frame, self.ports.out[link.number], out=True)]
        for step, (_, net) in enumerate(self.hops[link.number]):
            points += self._through(link, net, step)
        points += reversed([*self._end(link.target, link.target_frame, self.ports.into[link.number], out=False)])
        return _simplified(points)

    def _through(self, link: Link, net: Net, step: int) -> list[Point]:
        turn_in = not net.left
        if len(net.left) == 2 or turn_in:
            first, last = net.left or net.right
            return [Point(net.x, first), Point(net.x, last)]
        points = [Point(net.x, net.left[0]), Point(net.x, net.right[0])]
        while net.rest is not None:
            net = net.rest
            points += [Point(net.x, net.left[0]), Point(net.x, net.right[0])]
        return points[::-1] if link.backward else points

    def _end(self, item: Item, frame: Scope | None, end: End, *, out: bool) -> Iterator[Point]:
        """From the outline of a shape to where the flow has its own height."""
        x = self._middle_x(item)
        if frame is not None:
            border = self.frame_x[frame.number][1 if out else 0]
            if not end.upright:
                yield Point(border, end.y)
                return
            top, bottom = self.rows.frames[frame.number]
            yield Point(x + end.dx, top if end.y < top else bottom)
            yield Point(x + end.dx, end.y)
            return
        if end.upright:
            yield Point(x + end.dx, item.y - item.half_h if end.y < item.y else item.y + item.half_h)
            yield Point(x + end.dx, end.y)
            return
        reach = _reach(item, end.y - item.y)
        yield Point(x + reach if out else x - reach, end.y)

    def _label(self, item: Item, link: Link, top: int) -> Box:
        x = self._middle_x(item) - item.w // 2
        ends = ((link.chain[0], link.source, self.ports.out), (link.chain[-1], link.target, self.ports.into))
        # on the side that the flow does not come from
        below = any(item is at and done[link.number].upright and near.y < item.y for at, near, done in ends)
        return Box(x, item.y + top + (2 if below and link.backward else -1 - sizes.LABEL_H), item.w, sizes.LABEL_H)


def _reach(item: Item, dy: int) -> int:
    """From the middle of a shape to its outline at a height off the middle."""
    assert item.node is not None
    half_w, half_h = item.half_w, item.half_h
    if item.node.kind in GATEWAY_KINDS:
        return half_w - round(half_w * abs(dy) / half_h)
    if item.node.kind in EVENT_KINDS:
        return round(half_w * sqrt(max(0, half_h * half_h - dy * dy)) / half_h)
    return half_w


def _simplified(points: list[Point]) -> list[Point]:
    """The corners only."""
    corners: list[Point] = []
    for point in points:
        if corners and point == corners[-1]:
            continue
        if len(corners) > 1 and (
            corners[-2].x == corners[-1].x == point.x or corners[-2].y == corners[-1].y == point.y
        ):
            corners[-1] = point
        else:
            corners.append(point)
    return corners
