"""The order within each column, for few crossings: sweeps by barycentre, swaps of neighbours, flows laid anew."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

from board.process.picture.layout.placement.frames import has_shared_lanes, loosen, settle_sides
from board.process.picture.layout.placement.reroute import MOST_WORK, crossings_of, relay, resettle
from board.process.picture.layout.plan import Item, Plan

Span = tuple[int, int]
SWEEPS = 6
RELAYS = 4
DENSE = 6000  # items; a drawing of more is sorted once and left so
STARTS = ((False, 0), (True, 1))


def sort_columns(plan: Plan) -> int:
    """Sort every column from top to bottom, `pos` of each item being its place; gives the crossings."""
    _sort_cells(plan)
    if has_shared_lanes(plan):
        loosen(plan)
        _best_start(plan)
        settle_sides(plan)
        _sort_cells(plan)
    return _best_start(plan)


def improve_columns(plan: Plan, crossings: int) -> int:
    """Lay flows and shapes anew as long as that saves crossings; gives how many are left."""
    best = crossings
    for _ in range(RELAYS):
        if not best or plan.work > MOST_WORK or len(plan.items) > DENSE:
            break
        _lay_anew(plan)
        _swap_neighbours(plan, [_cells(column) for column in plan.columns])
        left = count_crossings(plan)
        if left >= best:
            return left
        best = left
    return best


def _best_start(plan: Plan) -> int:
    """Sweep from several beginnings; the best order stays."""
    best, kept = -1, _remember(plan)
    for upside_down, first in STARTS[: 1 if len(plan.items) > DENSE else None]:
        for column in plan.columns:
            column.sort(key=lambda item: (item.cell, -item.number if upside_down else item.number))
            _number(column)
        crossings = _sweep(plan, first)
        if best < 0 or crossings < best:
            best, kept = crossings, _remember(plan)
        if not best:
            break
    _restore(plan, kept)
    return best


def _sort_cells(plan: Plan) -> None:
    for column in plan.columns:
        column.sort(key=lambda item: (item.cell, item.pos, item.number))
        _number(column)


def _sweep(plan: Plan, first: int) -> int:
    crossed = [_crossings_in_gap(plan, gap) for gap in range(len(plan.gaps))]
    best = sum(crossed)
    if not best:
        return best
    spans = [_cells(column) for column in plan.columns]
    kept = _remember(plan)
    idle = 0
    for sweep in range(first, first + SWEEPS):
        moved = set()
        for col in range(len(spans)) if sweep % 2 == 0 else range(len(spans) - 1, -1, -1):
            if spans[col] and _sort_by_neighbours(plan.columns[col], spans[col], before=sweep % 2 == 0):
                moved.add(col)
        moved |= _swap_neighbours(plan, spans)
        for gap in {gap for col in moved for gap in (col, col + 1)}:
            crossed[gap] = _crossings_in_gap(plan, gap)
        crossings = sum(crossed)
        idle = 0 if crossings < best else idle + 1
        if crossings < best:
            best, kept = crossings, _remember(plan)
        if not best or idle == 2:
            break
    _restore(plan, kept)
    return best


def _lay_anew(plan: Plan) -> None:
    """What crosses most, first."""
    crossing = [(-crossings_of(plan, link), link.number, link) for link in plan.links]
    worst = [link for count, _, link in sorted(crossing, key=lambda each: each[:2]) if count]
    relay(plan, worst)
    shapes = dict.fromkeys(end for link in worst for end in (link.source, link.target))
    resettle(plan, list(shapes))


def _number(column: list[Item]) -> None:
    for pos, item in enumerate(column):
        item.pos = pos


def _remember(plan: Plan) -> list[list[Item]]:
    return [list(column) for column in plan.columns]


def _restore(plan: Plan, kept: list[list[Item]]) -> None:
    plan.columns = kept
    for column in kept:
        _number(column)


def count_crossings(plan: Plan) -> int:
    """How often flows cross, if every gap is routed as well as its two columns allow."""
    return sum(_crossings_in_gap(plan, gap) for gap in range(len(plan.gaps)))


def _crossings_in_gap(plan: Plan, gap: int) -> int:
    """Flows through a gap are chords of a circle: down its left column and up its right one."""
    pairs = plan.gaps[gap]
    if len(pairs) < 2:
        return 0
    if not plan.turning[gap]:
        return _inversions([(one.pos, other.pos) for one, other in pairs])
    after = len(plan.columns[gap]) if gap < len(plan.columns) else 0
    turn = (len(plan.columns[gap - 1]) if gap else 0) + after - 1
    chords = []
    for one, other in pairs:
        start = turn - one.pos if one.col == gap else one.pos
        end = turn - other.pos if other.col == gap else other.pos
        chords.append((start, end) if start < end else (end, start))
    chords.sort()
    ends: list[int] = []
    waiting: list[int] = []  # ends of chords that begin where the one before does: these do not cross one another
    crossings, last, low = 0, -1, 0
    for start, end in chords:
        if start != last:
            for each in waiting:
                insort(ends, each)
            waiting, last = [], start
            low = bisect_right(ends, start)
        high = bisect_left(ends, end)
        if high > low:
            crossings += high - low
        waiting.append(end)
    return crossings


def _inversions(pairs: list[tuple[int, int]]) -> int:
    """How many pairs are the other way round on the right than on the left."""
    pairs.sort()
    seen: list[int] = []
    inversions = highest = 0
    for _, end in pairs:
        if end >= highest:
            highest = end
            seen.append(end)
        else:
            at = bisect_right(seen, end)
            inversions += len(seen) - at
            seen.insert(at, end)
    return inversions


def _sort_by_neighbours(column: list[Item], spans: list[Span], *, before: bool) -> bool:
    """Sort each cell by the mean place of what its items are joined to on one side; the others stay where they are.

    Says whether that changed anything.
    """
    moved = False
    for start, end in spans:
        keyed: list[tuple[float, int, Item]] = []
        highest: float = -1
        is_sorted = True
        for item in column[start:end]:
            near = item.left if before else item.right
            if item.turns:
                near = [each for each in near if each.col != item.col]
            if len(near) == 1:
                place: float = near[0].pos
            elif near:
                place = sum([each.pos for each in near]) / len(near)
            else:
                continue
            keyed.append((place, item.pos, item))
            if place < highest:
                is_sorted = False
            highest = place
        if not is_sorted:
            places = [pos for _, pos, _ in keyed]
            keyed.sort()  # the place keeps items from being compared
            for pos, (_, _, item) in zip(places, keyed, strict=True):
                column[pos] = item
                item.pos = pos
            moved = True
    return moved


def _cells(column: list[Item]) -> list[Span]:
    """Where the cells of a column begin and end, those of two and more items."""
    spans = []
    start = 0
    for pos in range(1, len(column) + 1):
        if pos == len(column) or column[pos].cell != column[start].cell:
            if pos - start > 1:
                spans.append((start, pos))
            start = pos
    return spans


def _swap_neighbours(plan: Plan, spans: list[list[Span]]) -> set[int]:
    """Swap what is better the other way round; gives the columns in which anything was."""
    dirty = {col for col, cells in enumerate(spans) if cells}
    every: set[int] = set()
    for _ in range(4):
        moved: set[int] = set()
        for col in sorted(dirty):
            column = plan.columns[col]
            for start, end in spans[col]:
                upper = column[start]
                for pos in range(start, end - 1):
                    lower = column[pos + 1]
                    if (_gain_turning(plan, upper, lower) if upper.turns or lower.turns else _gain(upper, lower)) > 0:
                        column[pos], column[pos + 1] = lower, upper
                        upper.pos, lower.pos = pos + 1, pos
                        moved.add(col)
                        plan.touch(col)
                    else:
                        upper = lower
        if not moved:
            break
        every |= moved
        dirty = {near for col in moved for near in (col - 1, col, col + 1) if 0 <= near < len(plan.columns)}
    return every


def _gain(upper: Item, lower: Item) -> int:
    """Crossings saved if an item changed places with the one directly below it."""
    saved = 0
    near_upper, near_lower = upper.left, lower.left
    if len(near_upper) == len(near_lower) == 1:
        upper_pos, lower_pos = near_upper[0].pos, near_lower[0].pos
        saved = (upper_pos > lower_pos) - (upper_pos < lower_pos)
    else:
        for upper_end in near_upper:
            upper_pos = upper_end.pos
            for lower_end in near_lower:
                lower_pos = lower_end.pos
                saved += (upper_pos > lower_pos) - (upper_pos < lower_pos)
    near_upper, near_lower = upper.right, lower.right
    if len(near_upper) == len(near_lower) == 1:
        upper_pos, lower_pos = near_upper[0].pos, near_lower[0].pos
        return saved + (upper_pos > lower_pos) - (upper_pos < lower_pos)
    for upper_end in near_upper:
        upper_pos = upper_end.pos
        for lower_end in near_lower:
            lower_pos = lower_end.pos
            saved += (upper_pos > lower_pos) - (upper_pos < lower_pos)
    return saved


def _gain_turning(plan: Plan, upper: Item, lower: Item) -> float:
    """The same where flows of one of them turn; that turns are kept short breaks a tie."""
    saved = 0
    col = upper.col
    here = len(plan.columns[col])
    start = lower.pos
    for near_upper, near_lower, other in ((upper.left, lower.left, col - 1), (upper.right, lower.right, col + 1)):
        if near_upper and near_lower:
            around = here + (len(plan.columns[other]) if 0 <= other < len(plan.columns) else 0)
            # how far each end is along the circle of the gap, going down this column from the lower one
            far_upper = [
                (end.pos - start) % around if end.col == col else around - 1 - end.pos - start
                for end in near_upper
                if end is not lower
            ]
            far_lower = [
                (end.pos - start) % around if end.col == col else around - 1 - end.pos - start
                for end in near_lower
                if end is not upper
            ]
            saved += sum([(x < y) - (y < x) for x in far_upper for y in far_lower])
    return saved or 0.5 * (_turning(upper, 1) + _turning(lower, -1) < 0)


def _turning(item: Item, step: int) -> int:
    """How much longer the turns of an item get if it moves by `step`."""
    return sum(
        abs(end.pos - item.pos - step) - abs(end.pos - item.pos)
        for ends in (item.left, item.right)
        for end in ends
        if end.col == item.col
    )
