"""Which side of a frame things stand on, where both share a lane.

The order is first found as if such frames were not there; then what is joined beside a frame goes, together, to the
side where most of it is.
"""

from __future__ import annotations

from board.process.picture.layout.placement.chains import cell_of
from board.process.picture.layout.plan import Item, Plan, Scope


def has_shared_lanes(plan: Plan) -> bool:
    """Whether a frame that lies in one lane shares columns of it with anything else of its scope."""
    return any(_beside(plan, frame) for frame in _narrow(plan))


def loosen(plan: Plan) -> None:
    """Let the order forget the frames that lie in one lane."""
    for item in plan.items:
        item.cell = cell_of(item, loose=True)


def settle_sides(plan: Plan) -> None:
    """Put frames of one lane below one another, and what is beside them above or below, by the order as it is."""
    narrow = _narrow(plan)
    height = {frame.number: _height(plan, frame) for frame in narrow}
    lanes: dict[tuple[int, int], list[Scope]] = {}
    for frame in narrow:
        assert frame.parent is not None
        lanes.setdefault((frame.parent.number, frame.top), []).append(frame)
    for frames in lanes.values():
        frames.sort(key=lambda frame: (height[frame.number], frame.number))
        below: dict[int, set[int]] = {}
        for rank, frame in enumerate(frames):
            frame.rank = rank
            below[rank] = _below(plan, frame, height[frame.number])
        scope, lane = frames[0].parent, frames[0].top
        for item in plan.items:
            if item.scope is scope and item.lane == lane:
                item.slot = _slot(item, frames, below)
    for item in plan.items:
        item.cell = cell_of(item)


def _narrow(plan: Plan) -> list[Scope]:
    return [scope for scope in plan.scopes[1:] if scope.columns and scope.top == scope.bottom]


def _beside(plan: Plan, frame: Scope) -> list[Item]:
    """What shares the lane, the scope and columns of a frame."""
    return [
        item
        for column in plan.columns[frame.first : frame.last + 1]
        for item in column
        if item.lane == frame.top and _is_outside(item, frame)
    ]


def _is_outside(item: Item, frame: Scope) -> bool:
    around = item.scope.chain()
    return frame not in around and frame.parent in around


def _height(plan: Plan, frame: Scope) -> float:
    """Where a frame is in its columns, 0 at the top to 1."""
    places = [
        item.pos / len(column)
        for column in plan.columns[frame.first : frame.last + 1]
        for item in column
        if frame in item.scope.chain()
    ]
    return sum(places) / max(1, len(places))


def _below(plan: Plan, frame: Scope, height: float) -> set[int]:
    """The items beside a frame that belong below it: what is joined there votes together."""
    beside = {item.number: item for item in _beside(plan, frame) if item.scope is frame.parent}
    middles: dict[int, float] = {}
    for col in range(frame.first, frame.last + 1):
        column = plan.columns[col]
        inside = [item.pos for item in column if frame in item.scope.chain()]
        middles[col] = sum(inside) / len(inside) if inside else height * len(column)
    lower: set[int] = set()
    seen: set[int] = set()
    for start in beside.values():
        if start.number in seen:
            continue
        part = [start]
        seen.add(start.number)
        for item in part:
            for end in (*item.left, *item.right):
                if end.number in beside and end.number not in seen:
                    seen.add(end.number)
                    part.append(end)
        if sum((item.pos > middles[item.col]) - (item.pos < middles[item.col]) for item in part) >= 0:
            lower |= {item.number for item in part}
    return lower


def _slot(item: Item, frames: list[Scope], below: dict[int, set[int]]) -> int:
    """How many frames are above an item, as most of those in its column want it."""
    here = [frame for frame in frames if frame.first <= item.col <= frame.last]
    best, slot = -1, 0
    for tried in [0, *(frame.rank + 1 for frame in here)]:
        agreed = sum((tried > frame.rank) == (item.number in below[frame.rank]) for frame in here)
        if agreed > best:
            best, slot = agreed, tried
    return slot
