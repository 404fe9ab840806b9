"""Flows and shapes laid anew, one at a time: each goes where it crosses least, all else staying.

A flow may pass every column at any height that its frames allow, in any lane. The best way is found by going through
its columns once and keeping, for each place in a column, the cheapest way to it. A shape may move within its cell.

Places in a column are numbered by the item they come before. A *row* holds the crossings for every place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import add
from typing import NamedTuple

from board.process.picture.layout.placement.chains import cell_of, frames_beside, side_of
from board.process.picture.layout.plan import Item, Link, Plan, Scope

CHANGE = 0.45  # price of changing the lane on the way, in crossings
MOST_WORK = 500_000  # pairs of places looked at for one drawing; a dense one is left as it is then
TURN = 0.03  # of every place a turn is away from its shape

Pair = tuple[Item, Item]
Sides = tuple[tuple[int, bool | None], ...]


class _Stretch(NamedTuple):
    """Places for a flow in a column: before items number `low` to `high`, in a lane, below `slot` of its frames."""

    low: int
    high: int
    lane: int
    slot: int
    cell: tuple[int, ...]
    sides: Sides  # of each frame beside it, whether it is below


class _Step(NamedTuple):
    """The cheapest ways to the places of a column: the price of each, and what it was found from."""

    costs: list[float]
    starts: list[list[float]]  # for each stretch: the price of getting to each place before, and of leaving it there
    crossed: list[tuple[int, ...]]  # before each item of the column: what is crossed from each place before


def relay(plan: Plan, links: Sequence[Link]) -> None:
    """Lay links anew, one after the other; not one around which nothing has changed since it was laid."""
    for link in links:
        if plan.work > MOST_WORK:
            return
        low, high = sorted((link.source.col, link.target.col))
        if link.chain and max(plan.changed[low : high + 1]) > link.laid:
            _Relay(plan, link).run()
            link.laid = plan.clock


def resettle(plan: Plan, items: Sequence[Item]) -> None:
    """Move shapes within their cells, one after the other."""
    for item in items:
        column = plan.columns[item.col]
        low = bisect_left(column, item.cell, key=_cell)
        high = bisect_right(column, item.cell, key=_cell)
        if high - low < 2:
            continue
        _take_out(column, item)
        totals = [0.0] * (len(column) + 1)
        for ends, gap in ((item.left, item.col), (item.right, item.col + 1)):
            others = [(a, b) for a, b in plan.gaps[gap] if a is not item and b is not item] if ends else []
            for end in ends:
                if end is item:
                    continue
                row_of = _turn_row if end.col == item.col else _hop_row
                totals = list(map(add, totals, row_of(end, others, len(column))))
        best = min(totals[low:high])
        at = item.pos if totals[item.pos] == best else totals.index(best, low, high)
        if at != item.pos:
            plan.touch(item.col)
        _put_in(column, item, at)


def crossings_of(plan: Plan, link: Link) -> int:
    """How often one link crosses others."""
    total = 0
    path = [link.source, *link.chain, link.target]
    for step in range(len(path) - 1):
        here, there = path[step], path[step + 1]
        if here.col == there.col:
            total += _crossing_turns(plan, here.col + (step == 0), here, there)
        else:
            left, right = (here, there) if here.col < there.col else (there, here)
            total += _crossing(plan, right.col, left, right)
    return total


def _crossing(plan: Plan, gap: int, left: Item, right: Item) -> int:
    count = 0
    left_pos, right_pos = left.pos, right.pos
    for one, other in plan.gaps[gap]:
        if one is left or other is right or one is right or other is left:
            continue
        if one.col != other.col:
            count += (one.pos - left_pos) * (other.pos - right_pos) < 0
        else:
            at = left_pos if one.col < gap else right_pos
            count += (one.pos - at) * (other.pos - at) < 0
    return count


def _crossing_turns(plan: Plan, gap: int, start: Item, end: Item) -> int:
    count = 0
    low, high = sorted((start.pos, end.pos))
    for one, other in plan.gaps[gap]:
        if one is start or one is end or other is start or other is end:
            continue
        one_inside = one.col == start.col and low < one.pos < high
        other_inside = other.col == start.col and low < other.pos < high
        count += one_inside != other_inside
    return count


def _cell(item: Item) -> tuple[int, ...]:
    return item.cell


def _take_out(column: list[Item], item: Item) -> None:
    column.pop(item.pos)
    for pos in range(item.pos, len(column)):
        column[pos].pos = pos


def _put_in(column: list[Item], item: Item, at: int) -> None:
    column.insert(at, item)
    for pos in range(at, len(column)):
        column[pos].pos = pos


def _hop_row(end: Item, others: Sequence[Pair], size: int) -> Sequence[float]:
    """Crossings on the way from an item to every place of the next column, which holds `size` items."""
    steps = [0] * (size + 2)
    pos, col = end.pos, end.col
    for one, other in others:
        if one is end or other is end:
            continue
        if one.col == other.col:
            if one.col == col:
                steps[0] += (one.pos - pos) * (other.pos - pos) < 0
            else:
                low, high = (one.pos, other.pos) if one.pos < other.pos else (other.pos, one.pos)
                steps[low + 1] += 1
                steps[high + 1] -= 1
        else:
            here, there = (one.pos, other.pos) if one.col == col else (other.pos, one.pos)
            if here < pos:
                steps[0] += 1
                steps[there + 1] -= 1
            elif here > pos:
                steps[there + 1] += 1
    return list(accumulate(steps))[:-1]


def _turn_row(end: Item, others: Sequence[Pair], size: int) -> Sequence[float]:
    """Crossings of a turn from an item to every place of its own column, a little more for each place away."""
    up = [0] * (size + 2)
    down = [0] * (size + 2)
    pos, col = end.pos, end.col
    for one, other in others:
        if one is end or other is end:
            continue
        ends = sorted(item.pos for item in (one, other) if item.col == col)
        if len(ends) == 2 and ends[0] < pos < ends[1]:
            up[ends[0]] += 1
            down[ends[1] + 1] += 1
        elif ends and ends[0] > pos:
            down[ends[0] + 1] += 1
            if len(ends) == 2:
                down[ends[1] + 1] -= 1
        elif ends:
            up[ends[-1]] += 1
            if len(ends) == 2:
                up[ends[0]] -= 1
    above = list(accumulate(reversed(up)))[::-1]
    below = list(accumulate(down))
    return [above[at] + below[at] + TURN * abs(at - pos - 0.5) for at in range(size + 1)]


class _Relay:
    def __init__(self, plan: Plan, link: Link) -> None:
        self.plan = plan
        self.link = link
        # from left to right, whichever way the flow goes
        self.chain = link.chain[::-1] if link.backward else link.chain
        self.first, self.last = (link.target, link.source) if link.backward else (link.source, link.target)

    def run(self) -> None:
        chain = self.chain
        for item in chain:
            _take_out(self.plan.columns[item.col], item)
        places = [self._places(item) for item in chain]
        costs = self._end_costs(self.first, places[0], self.first.col + (not self.link.backward))
        steps: list[_Step] = []
        for passed in range(1, len(chain)):
            steps.append(self._advance(chain[passed - 1], chain[passed].col, places[passed - 1], places[passed], costs))
            costs = steps[-1].costs
        last = self._end_costs(self.last, places[-1], self.last.col + self.link.backward)
        costs = list(map(add, costs, last))
        number = costs.index(min(costs))
        for passed in range(len(chain) - 1, -1, -1):
            at, stretch = _find(places[passed], number)
            if passed:
                step = steps[passed - 1]
                ways = map(add, step.starts[stretch], step.crossed[at])
                number = list(ways).index(step.costs[number])
            self._put(chain[passed], at, places[passed][stretch])

    def _put(self, item: Item, at: int, place: _Stretch) -> None:
        if at != item.pos or place.cell != item.cell:
            self.plan.touch(item.col)
        item.lane, item.slot, item.cell = place.lane, place.slot, place.cell
        _put_in(self.plan.columns[item.col], item, at)

    def _places(self, item: Item) -> list[_Stretch]:
        scope = item.scope
        column = [each.cell for each in self.plan.columns[item.col]]
        beside = frames_beside(scope, item.col)
        lanes = range(scope.top, scope.bottom + 1) if scope.parent else range(len(self.plan.lanes))
        stretches: list[_Stretch] = []
        kept = (item.lane, item.slot)
        slots, sides = [0], Sides()
        for lane in lanes:
            if beside:
                slots = [0, *sorted(frame.rank + 1 for frame in beside if frame.top == frame.bottom == lane)]
            for slot in slots:
                if beside:
                    sides = tuple([(frame.number, side_of(lane, slot, frame)) for frame in beside])
                    if any(side is None for _, side in sides) or self._is_cut_off(item, beside, dict(sides)):
                        continue
                item.lane, item.slot = lane, slot
                cell = cell_of(item)
                low = bisect_left(column, cell)
                stretches.append(_Stretch(low, bisect_right(column, cell, low), lane, slot, cell, sides))
        item.lane, item.slot = kept
        if not stretches:
            at = bisect_left(column, item.cell)
            stretches.append(_Stretch(at, at, item.lane, item.slot, item.cell, ()))
        return stretches

    def _is_cut_off(self, item: Item, beside: list[Scope], sides: dict[int, bool | None]) -> bool:
        """Whether a frame would lie between the flow and one of its ends that stands beside the same frame."""
        return any(
            end.scope is item.scope
            and frame.first <= end.col <= frame.last
            and side_of(end.lane, end.slot, frame) != sides[frame.number]
            for frame in beside
            for end in (self.first, self.last)
        )

    def _end_costs(self, end: Item, places: list[_Stretch], gap: int) -> list[float]:
        """The price of the way between the shape at one end and every place at that end of the chain."""
        others = self.plan.gaps[gap]  # what begins at the same shape is not crossed, nor is the flow itself
        row: Sequence[float]
        if self.link.backward:
            row = _turn_row(end, others, len(self.plan.columns[end.col]))
        else:
            col = gap if end.col < gap else gap - 1
            row = _hop_row(end, others, len(self.plan.columns[col]))
        # a turn goes up or down anyway, over the lines of lanes as well
        price = TURN if self.link.backward else CHANGE
        costs: list[float] = []
        for place in places:
            here = row[place.low : place.high + 1]
            costs += here if place.lane == end.lane else [cost + price for cost in here]
        return costs

    def _advance(
        self, last: Item, gap: int, before: list[_Stretch], after: list[_Stretch], costs: list[float]
    ) -> _Step:
        """The cheapest way to each place of a column from those of the one before, where the flow was at `last`."""
        table = self._table(gap, last)
        crossed = list(zip(*[table[at] for place in before for at in range(place.low, place.high + 1)], strict=True))
        shared = {number for number, _ in before[0].sides} & {number for number, _ in after[0].sides}
        known: dict[tuple[int, Sides], list[float]] = {}
        starts: list[list[float]] = []
        cheapest: list[float] = []
        for place in after:
            sides = tuple([side for side in place.sides if side[0] in shared]) if shared else ()
            start = known.get((place.lane, sides))
            if start is None:
                start = known[(place.lane, sides)] = _starts(costs, before, place.lane, sides, shared)
            starts.append(start)
            cheapest += [min(map(add, start, row)) for row in crossed[place.low : place.high + 1]]
        self.plan.work += len(costs) * len(cheapest)
        return _Step(cheapest, starts, crossed)

    def _table(self, gap: int, last: Item) -> list[list[int]]:
        """What a flow crosses from each place on the left (a row) to each on the right, and one place more."""
        ends: list[list[int]] = [[] for _ in self.plan.columns[gap - 1]]
        turns = [0] * (len(ends) + 2)
        steps = [0] * (len(self.plan.columns[gap]) + 2)
        for left, right in self.plan.gaps[gap]:
            if left.col != right.col:
                if left is not last:  # the flow itself
                    ends[left.pos].append(right.pos)
                    steps[right.pos + 1] += 1
            else:
                low, high = (left.pos, right.pos) if left.pos < right.pos else (right.pos, left.pos)
                on = turns if left.col < gap else steps
                on[low + 1] += 1
                on[high + 1] -= 1
        base = list(accumulate(turns))
        # above all on the left, a flow crosses what ends above its place on the right
        table = []
        for place in range(len(ends) + 1):
            if place:
                for end in ends[place - 1]:  # above the place on the left from here on
                    steps[0] += 1
                    steps[end + 1] -= 2
            steps[0] += base[place]
            table.append(list(accumulate(steps)))
            steps[0] -= base[place]
        return table


def _find(places: Sequence[_Stretch], number: int) -> tuple[int, int]:
    """Which place of a column has a number, counted through all stretches: the item it is before, and its stretch."""
    for stretch, place in enumerate(places):
        size = place.high - place.low + 1
        if number < size:
            return place.low + number, stretch
        number -= size
    raise IndexError(number)


def _starts(costs: list[float], before: Sequence[_Stretch], lane: int, sides: Sides, shared: set[int]) -> list[float]:
    """The price of leaving each place for a lane and certain sides of the frames that are beside both columns."""
    prices: list[float] = []
    for place in before:
        here = costs[len(prices) : len(prices) + place.high - place.low + 1]
        price = 0 if place.lane == lane else CHANGE
        if shared and tuple([side for side in place.sides if side[0] in shared]) != sides:
            prices += [cost + price + 1e6 for cost in here]
        else:
            prices += [cost + price for cost in here] if price else here
    return prices
