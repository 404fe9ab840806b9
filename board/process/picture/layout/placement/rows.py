"""The height of everything: as low as the order allows, flows straight where they can be.

What is above what gives least distances between heights. Items joined by a flow are tied to one height, the most
wanted ties first, unless one of them is above the other by way of the rest. Then all is packed from the top, and
what is loose moves to where its flows are straightest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby, pairwise

from board.process.picture.layout import sizes
from board.process.picture.layout.placement.align import tie
from board.process.picture.layout.placement.chains import frames_beside
from board.process.picture.layout.plan import Item, Plan, Scope


@dataclass(slots=True, eq=False)
class _Mark:
    """One height to find: of an item, of a frame's top or bottom, or of the line above a lane."""

    number: int
    lane: int
    item: Item | None = None
    above: dict[int, int] = field(default_factory=dict)  # mark number: least distance up to it
    below: dict[int, int] = field(default_factory=dict)
    y: int = 0


@dataclass(slots=True)
class Rows:
    """The heights of frames (top, bottom) by scope number, and of the lines between lanes, the last below all."""

    frames: dict[int, tuple[int, int]]
    lines: list[int]


def assign_rows(plan: Plan) -> Rows:
    """Give every item its height `y`; returns those of frames and lanes. The first lane begins at 0."""
    return _Heights(plan).solve()


class _Heights:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.marks: list[_Mark] = []
        self.of_item = [self._mark(item.lane, item) for item in plan.items]
        frames = [scope for scope in plan.scopes[1:] if scope.columns]
        self.tops = {scope.number: self._mark(scope.top) for scope in frames}
        self.bottoms = {scope.number: self._mark(scope.bottom) for scope in frames}
        self.lines = [self._mark(-1) for _ in range(len(plan.lanes) + 1)]
        self.tied = list(range(len(self.marks)))

    def _mark(self, lane: int, item: Item | None = None) -> _Mark:
        self.marks.append(_Mark(len(self.marks), lane, item))
        return self.marks[-1]

    def solve(self) -> Rows:
        self._distances()
        self._tie_flows()
        self._merge()
        order = self._order()
        for mark in order:
            mark.y = max((self.marks[n].y + d for n, d in mark.above.items()), default=0)
        self._settle(order)
        for item, mark in zip(self.plan.items, self.of_item, strict=True):
            item.y = self._root(mark).y
        frames = {n: (self._root(top).y, self._root(self.bottoms[n]).y) for n, top in self.tops.items()}
        return Rows(frames, [line.y for line in self.lines])

    # least distances

    def _apart(self, upper: _Mark, lower: _Mark, distance: int) -> None:
        if distance > upper.below.get(lower.number, -1):
            upper.below[lower.number] = distance
            lower.above[upper.number] = distance

    def _distances(self) -> None:
        labels = {lane.id: lane.label for lane in self.plan.graph.lanes}
        for lane, (upper, lower) in zip(self.plan.lanes, pairwise(self.lines), strict=True):
            self._apart(upper, lower, sizes.lane_height(labels.get(lane, lane)))
        for scope in self.plan.scopes[1:]:
            if scope.columns:
                self._apart(self.lines[scope.top], self.tops[scope.number], sizes.LANE_PAD - 2)
                self._apart(self.bottoms[scope.number], self.lines[scope.bottom + 1], sizes.LANE_PAD - 2)
        for col, column in enumerate(self.plan.columns):
            self._stack(self.plan.scopes[0], col, column)
            for lane, items in groupby(column, key=lambda item: item.lane):
                these = list(items)
                first, last = these[0], these[-1]
                self._apart(self.lines[lane], self.of_item[first.number], sizes.LANE_PAD + first.up)
                self._apart(self.of_item[last.number], self.lines[lane + 1], last.down + sizes.LANE_PAD)

    def _stack(self, scope: Scope, col: int, column: list[Item]) -> None:
        """Part what stands directly in a scope in one column, frames as a whole; then what is in each frame."""
        own = [item for item in column if item.scope is scope]
        units: list[tuple[tuple[int, int, int], Item | Scope]] = [
            ((2 * item.lane, 2 * item.slot, item.pos), item) for item in own
        ]
        for inner in frames_beside(scope, col):
            key = (inner.top + inner.bottom, 2 * inner.rank + 1 if inner.top == inner.bottom else 0, 0)
            units.append((key, inner))
            self._stack(inner, col, [item for item in column if inner in item.scope.chain()])
        units.sort(key=lambda each: each[0])
        things = [thing for _, thing in units]
        for upper, lower in pairwise(things):
            self._apart(self._lower(upper), self._upper(lower), _down(upper) + _between(upper, lower) + _up(lower))
        if scope.parent is not None and things:
            self._apart(self.tops[scope.number], self._upper(things[0]), sizes.FRAME_HEAD + _up(things[0]))
            self._apart(self._lower(things[-1]), self.bottoms[scope.number], _down(things[-1]) + sizes.FRAME_FOOT)

    def _upper(self, thing: Item | Scope) -> _Mark:
        return self.of_item[thing.number] if isinstance(thing, Item) else self.tops[thing.number]

    def _lower(self, thing: Item | Scope) -> _Mark:
        return self.of_item[thing.number] if isinstance(thing, Item) else self.bottoms[thing.number]

    # ties

    def _root(self, mark: _Mark) -> _Mark:
        number = mark.number
        while self.tied[number] != number:
            self.tied[number] = self.tied[self.tied[number]]
            number = self.tied[number]
        return self.marks[number]

    def _tie_flows(self) -> None:
        """Tie items that a flow joins, where the order allows, lane by lane."""
        wishes: dict[int, list[tuple[int, int, list[int]]]] = {}
        for link in self.plan.links:
            for lane, run in groupby(link.chain, key=lambda item: item.lane):
                numbers = [item.number for item in run]
                if len(numbers) > 1:
                    wishes.setdefault(lane, []).append((0, numbers[0], numbers))
        for gap in self.plan.gaps:
            for left, right in gap:
                if left.col != right.col and left.lane == right.lane and (left.node or right.node):
                    wishes.setdefault(left.lane, []).append(
                        (_wish(left, right), left.number, [left.number, right.number])
                    )
        marks: dict[int, list[_Mark]] = {}
        for mark in self.marks:
            if mark.lane >= 0:
                marks.setdefault(mark.lane, []).append(mark)
        for lane, wanted in wishes.items():
            wanted.sort(key=lambda each: each[:2])
            below = {mark.number: list(mark.below) for mark in marks[lane]}
            for number, stands_for in tie(below, [run for _, _, run in wanted]).items():
                self.tied[number] = stands_for

    def _merge(self) -> None:
        """Hand the distances of tied marks to the one that stands for them."""
        for mark in self.marks:
            root = self._root(mark)
            if root is mark:
                continue
            for number, distance in mark.below.items():
                self._apart(root, self.marks[number], distance)
            for number, distance in mark.above.items():
                self._apart(self.marks[number], root, distance)
        for mark in self.marks:
            mark.below = self._rooted(mark.below)
            mark.above = self._rooted(mark.above)

    def _rooted(self, near: dict[int, int]) -> dict[int, int]:
        distances: dict[int, int] = {}
        for number, distance in near.items():
            root = self._root(self.marks[number]).number
            distances[root] = max(distance, distances.get(root, 0))
        return distances

    # heights

    def _order(self) -> list[_Mark]:
        roots = [mark for mark in self.marks if self._root(mark) is mark]
        missing = {mark.number: len(mark.above) for mark in roots}
        order = [mark for mark in roots if not missing[mark.number]]
        for mark in order:
            for number in mark.below:
                missing[number] -= 1
                if not missing[number]:
                    order.append(self.marks[number])
        return order

    def _settle(self, order: list[_Mark]) -> None:
        """Move what is loose to the middle of what its flows lead to; frames close up around what is in them."""
        pulls: dict[int, list[_Mark]] = {}
        for gap in self.plan.gaps:
            for left, right in gap:
                one, other = self._root(self.of_item[left.number]), self._root(self.of_item[right.number])
                if one is not other and left.col != right.col:
                    pulls.setdefault(one.number, []).append(other)
                    pulls.setdefault(other.number, []).append(one)
        fixed = {line.number for line in self.lines}
        tops = {self._root(mark).number for mark in self.tops.values()}
        bottoms = {self._root(mark).number for mark in self.bottoms.values()}
        for turn in range(6):
            for mark in order if turn % 2 else reversed(order):
                number = mark.number
                if number in fixed:
                    continue
                low = max((self.marks[near].y + distance for near, distance in mark.above.items()), default=mark.y)
                high = min((self.marks[near].y - distance for near, distance in mark.below.items()), default=mark.y)
                if number in tops:
                    mark.y = high
                elif number in bottoms:
                    mark.y = low
                elif number in pulls:
                    mark.y = min(max(_middle(pulls[number], mark.y), low), high)


def _middle(marks: list[_Mark], own: int) -> int:
    ys = sorted(mark.y for mark in marks)
    half = len(ys) // 2
    if len(ys) % 2:
        return ys[half]
    return min(max(own, ys[half - 1]), ys[half])  # anywhere between the two is as good


def _wish(left: Item, right: Item) -> int:
    """How much a flow between two items, not both passed, wants to be straight: 1, the only way on, the most."""
    only = (len(left.right) == 1) + (len(right.left) == 1)
    return 3 - only


def _up(thing: Item | Scope) -> int:
    return thing.up if isinstance(thing, Item) else 0


def _down(thing: Item | Scope) -> int:
    return thing.down if isinstance(thing, Item) else 0


def _between(upper: Item | Scope, lower: Item | Scope) -> int:
    kinds = {_kind(upper), _kind(lower)}
    if kinds == {"wire"}:
        return sizes.TRACK
    if "shape" in kinds and len(kinds) == 1:
        return 18
    return 12 if "frame" not in kinds or len(kinds) > 1 else 16


def _kind(thing: Item | Scope) -> str:
    if isinstance(thing, Scope):
        return "frame"
    return "wire" if thing.node is None else "shape"
