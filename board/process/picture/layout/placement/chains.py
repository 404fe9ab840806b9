"""What a flow passes between its ends: one item a column, each in a lane and on one side of every frame.

A flow to the right passes the columns between its ends. One to the left passes those of its ends too, and turns in the
gap beside each end.
"""

from __future__ import annotations

from itertools import pairwise

from board.process.picture.layout import sizes
from board.process.picture.layout.plan import Item, Link, Plan, Scope, common


def build_chains(plan: Plan) -> None:
    """Give every link its chain, fill the columns and say what is joined in which gap."""
    _rank_frames(plan)
    plan.gaps = [[] for _ in range(len(plan.columns) + 1)]
    plan.turning = [False] * len(plan.gaps)
    for link in plan.links:
        link.backward = link.target.col <= link.source.col
        _chain(plan, link)
        _join(plan, link)
    for item in plan.items:
        plan.columns[item.col].append(item)


def _rank_frames(plan: Plan) -> None:
    for scope in plan.scopes:
        seen: dict[int, int] = {}
        for inner in scope.inner:
            if inner.top == inner.bottom:
                inner.rank = seen.setdefault(inner.top, 0)
                seen[inner.top] += 1
        for item in scope.items:
            item.slot = seen.get(item.lane, 0)
            item.cell = cell_of(item)


def frames_beside(scope: Scope, col: int) -> list[Scope]:
    """The frames directly in a scope that cover a column."""
    return [inner for inner in scope.inner if inner.columns and inner.first <= col <= inner.last]


def cell_of(item: Item, *, loose: bool = False) -> tuple[int, ...]:
    """Where an item stands in its column, as far as it is given: by frame and lane, from top to bottom.

    Loose: as if frames that lie in one lane were not there.
    """
    key = [2 * item.lane, 0 if loose else 2 * item.slot]
    scope = item.scope
    while scope.parent is not None:
        if scope.top < scope.bottom:
            key[:0] = [scope.top + scope.bottom, 0]
        elif not loose:
            key[:0] = [scope.top + scope.bottom, 2 * scope.rank + 1]
        scope = scope.parent
    return tuple(key)


def side_of(lane: int, slot: int, frame: Scope) -> bool | None:
    """Whether something in a lane is below a frame; None: it would lie in it."""
    if frame.top == frame.bottom == lane:
        return slot > frame.rank
    if lane <= frame.top:
        return False
    if lane >= frame.bottom:
        return True
    return None


def scope_at(link: Link, col: int) -> Scope:
    """The innermost frame that a flow is still in, or already in, at a column."""
    source_scope = _outside(link.source, link.source_frame)
    target_scope = _outside(link.target, link.target_frame)
    shared = common(source_scope, target_scope)
    for scope in source_scope.chain():
        if scope is shared:
            break
        if (scope.first <= col) if link.backward else (col <= scope.last):
            return scope
    for scope in target_scope.chain():
        if scope is shared:
            break
        if (col <= scope.last) if link.backward else (scope.first <= col):
            return scope
    return shared


def _outside(item: Item, frame: Scope | None) -> Scope:
    return frame.parent if frame is not None and frame.parent is not None else item.scope


def _chain(plan: Plan, link: Link) -> None:
    start, end = link.source.col, link.target.col
    columns = range(start, end - 1, -1) if link.backward else range(start + 1, end)
    wish = _wished_lane(link)
    for col in columns:
        scope = scope_at(link, col)
        item = plan.new_item(scope, wish, link)
        item.col = col
        item.lane = _allowed_lane(item, link, wish)
        item.slot = sum(frame.top == frame.bottom == item.lane for frame in scope.inner)
        item.cell = cell_of(item)
        link.chain.append(item)
    if link.edge.label and link.chain:
        _label(link)


def _wished_lane(link: Link) -> int:
    """A flow into a join stays in the lane it comes from; any other goes to its target's lane at once."""
    source, target = link.source.node, link.target.node
    into_join = target is not None and target.kind not in ("user", "script", "receive") and not target.split
    out_of_split = source is not None and source.split
    return link.source.lane if into_join and not out_of_split else link.target.lane


def _allowed_lane(item: Item, link: Link, lane: int) -> int:
    scope = item.scope
    if scope.parent is not None:
        lane = min(max(lane, scope.top), scope.bottom)
    for frame in frames_beside(scope, item.col):
        for end in (link.source, link.target):
            if end.scope is scope and frame.first <= end.col <= frame.last:
                below = side_of(end.lane, end.slot, frame)
                lane = max(lane, frame.bottom) if below else min(lane, frame.top)
        if frame.top < lane < frame.bottom:
            lane = frame.top if lane - frame.top <= frame.bottom - lane else frame.bottom
    return lane


def _label(link: Link) -> None:
    at = link.chain[1 if link.backward and len(link.chain) > 2 else 0]
    at.is_label = True
    at.w = sizes.label_width(link.edge.label)
    at.up = sizes.LABEL_H + 2
    at.down = at.up if link.backward else 3  # of a loop-back it is known later which side is free


def _join(plan: Plan, link: Link) -> None:
    path = [link.source, *link.chain, link.target]
    for here, there in pairwise(path):
        if here.col == there.col:  # a turn: right of the source, left of the target
            after = here is link.source
            gap = here.col + 1 if after else here.col
            for one, other in ((here, there), (there, here)):
                (one.right if after else one.left).append(other)
                one.turns = True
            plan.turning[gap] = True
            plan.gaps[gap].append((here, there))
        else:
            left, right = (here, there) if here.col < there.col else (there, here)
            left.right.append(right)
            right.left.append(left)
            plan.gaps[right.col].append((left, right))
