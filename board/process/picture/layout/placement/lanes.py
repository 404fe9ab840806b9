"""The order of the lanes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from board.process.picture.layout.plan import Ends, Item, Plan, Scope

MOST_ORDERS = 6  # worth a try


def lane_orders(plan: Plan, ends: Sequence[Ends]) -> list[list[int]]:
    """Orders of the lanes worth a try, the likeliest first: flows between lanes are short in it, and frames do not
    reach over lanes they have nothing in. Of two that mirror one another the one closer to the table is kept.
    """
    count = len(plan.lanes)
    pull = [[0] * count for _ in range(count)]
    for _, source, target in ends:
        source_lanes, target_lanes = _lanes_of(source), _lanes_of(target)
        if len(source_lanes) == len(target_lanes) == 1:
            pull[source_lanes[0]][target_lanes[0]] += 1
            pull[target_lanes[0]][source_lanes[0]] += 1
    for scope in plan.scopes[1:]:
        over = _lanes_of(scope)
        for one in over:
            for other in over:
                pull[one][other] += 2 * (one != other)
    return _orders(pull)


def order_lanes(plan: Plan, order: Sequence[int]) -> None:
    """Put the lanes in an order of their numbers, and say which of them each frame reaches over."""
    place = {lane: number for number, lane in enumerate(order)}
    plan.lanes = [plan.lanes[lane] for lane in order]
    for item in plan.items:
        item.lane = place[item.lane]
    for scope in reversed(plan.scopes):
        over = _lanes_of(scope)
        scope.top, scope.bottom = (over[0], over[-1]) if over else (0, 0)


def _lanes_of(end: Item | Scope) -> list[int]:
    if isinstance(end, Item):
        return [end.lane]
    lanes = {item.lane for item in end.items}
    for inner in end.inner:
        lanes |= set(_lanes_of(inner))
    return sorted(lanes)


def _orders(pull: list[list[int]]) -> list[list[int]]:
    count = len(pull)
    if count <= 6:
        # the first of equals: lanes stay in the order of the table where nothing speaks against it
        orders = [each for each in permutations(range(count)) if each <= each[::-1]]
        return [list(each) for each in sorted(orders, key=lambda each: _stretch(each, pull))[:MOST_ORDERS]]
    order = list(range(count))
    best = _stretch(order, pull)
    for _ in range(4):
        before = best
        for lane in range(count):
            rest = [other for other in order if other != lane]
            tries = [[*rest[:at], lane, *rest[at:]] for at in range(count)]
            likeliest = min(tries, key=lambda each: _stretch(each, pull))
            if (stretch := _stretch(likeliest, pull)) < best:
                best, order = stretch, likeliest
        if best == before:
            break
    return [order]


def _stretch(order: Sequence[int], pull: list[list[int]]) -> int:
    return sum(
        (j - i) * pull[a][b]
        for i, a in enumerate(order)
        for j, b in enumerate(order[i + 1 :], start=i + 1)
        if pull[a][b]
    )
