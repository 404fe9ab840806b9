"""The order within each column, for few crossings: sweeps by barycentre, swaps of neighbours, flows laid anew."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from itertools import groupby

from board.process.layout.plan import Item, Plan

SWEEPS = 6


def order_columns(plan: Plan) -> None:
    """Sort every column from top to bottom; `pos` of each item is its place."""
    for column in plan.columns:
        column.sort(key=lambda item: (item.cell, item.number))
        _number(column)
    best = count_crossings(plan)
    kept = _remember(plan)
    for sweep in range(SWEEPS):
        for column in plan.columns if sweep % 2 == 0 else reversed(plan.columns):
            _sort_by_neighbours(column, before=sweep % 2 == 0)
        _swap_neighbours(plan)
        found = count_crossings(plan)
        if found < best:
            best, kept = found, _remember(plan)
        if not best:
            break
    _restore(plan, kept)


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
    after = len(plan.columns[gap]) if gap < len(plan.columns) else 0
    turn = (len(plan.columns[gap - 1]) if gap else 0) + after - 1
    chords = []
    for a, b in plan.gaps[gap]:
        x = turn - a.pos if a.col == gap else a.pos
        y = turn - b.pos if b.col == gap else b.pos
        chords.append((x, y) if x < y else (y, x))
    chords.sort()
    ends: list[int] = []
    found = 0
    for start, group in groupby(chords, key=lambda chord: chord[0]):
        these = [end for _, end in group]
        low = bisect_right(ends, start)
        for end in these:
            found += max(0, bisect_left(ends, end) - low)
        for end in these:
            insort(ends, end)
    return found


def _sort_by_neighbours(column: list[Item], *, before: bool) -> None:
    """Sort each cell by the mean place of what its items are joined to on one side; the others stay where they are."""
    for start, end in _cells(column):
        cell = column[start:end]
        keyed = []
        places = []
        for pos, item in enumerate(cell, start):
            ends = [n.pos for n in (item.left if before else item.right) if n.col != item.col]
            if ends:
                keyed.append((sum(ends) / len(ends), item.pos, item))
                places.append(pos)
        keyed.sort(key=lambda each: each[:2])
        for pos, (_, _, item) in zip(places, keyed, strict=True):
            column[pos] = item
    _number(column)


def _cells(column: list[Item]) -> list[tuple[int, int]]:
    found = []
    start = 0
    for pos in range(1, len(column) + 1):
        if pos == len(column) or column[pos].cell != column[start].cell:
            if pos - start > 1:
                found.append((start, pos))
            start = pos
    return found


def _swap_neighbours(plan: Plan) -> None:
    for _ in range(4):
        swapped = False
        for column in plan.columns:
            for start, end in _cells(column):
                for pos in range(start, end - 1):
                    u, v = column[pos], column[pos + 1]
                    if _gain(plan, u, v) > 0:
                        column[pos], column[pos + 1] = v, u
                        u.pos, v.pos = pos + 1, pos
                        swapped = True
        if not swapped:
            return


def _gain(plan: Plan, u: Item, v: Item) -> float:
    """Crossings saved if `u`, directly above `v`, changed places with it; turns kept short break a tie."""
    saved = 0
    for ends_u, ends_v, other in ((u.left, v.left, u.col - 1), (u.right, v.right, u.col + 1)):
        if not ends_u or not ends_v:
            continue
        here = len(plan.columns[u.col])
        there = len(plan.columns[other]) if 0 <= other < len(plan.columns) else 0
        around = here + there
        reach_u = [_place(end, u.col, around, v.pos) for end in ends_u if end is not v]
        reach_v = [_place(end, u.col, around, v.pos) for end in ends_v if end is not u]
        for x in reach_u:
            for y in reach_v:
                saved += (x < y) - (y < x)
    if saved == 0:
        return 0.5 * (_turning(u, 1) + _turning(v, -1) < 0)
    return saved


def _place(end: Item, col: int, around: int, start: int) -> int:
    """How far `end` is along the circle of a gap, going down column `col` from place `start`."""
    return (end.pos - start) % around if end.col == col else around - 1 - end.pos - start


def _turning(item: Item, step: int) -> int:
    """How much longer the turns of an item get if it moves by `step`."""
    return sum(
        abs(end.pos - item.pos - step) - abs(end.pos - item.pos)
        for ends in (item.left, item.right)
        for end in ends
        if end.col == item.col
    )
