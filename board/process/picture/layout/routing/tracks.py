"""The way through one gap between two columns: every flow that changes height gets a track of its own."""

from __future__ import annotations

from dataclasses import dataclass

OVERLAP = 1000  # cost of two flows on one another
CLOSE = 20  # of two flows nearly on one another
NEAR = 5


@dataclass(slots=True, eq=False)
class Net:
    """A flow through a gap: the heights where it comes from the left column and from the right one.

    Two heights on one side: it turns back. `track` counts from the left within the net's zone.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    zone: int = 0
    track: int = 0
    x: int = 0
    low: int = 0
    high: int = 0
    rest: Net | None = None  # the second half of a net that had to be bent once more

    def __post_init__(self) -> None:
        self.low, self.high = min(self.left + self.right), max(self.left + self.right)


def assign_tracks(nets: list[Net], pins: list[int]) -> int:
    """Number the tracks of one zone from 0 so that nothing overlaps; gives how many there are.

    A ring of nets that each keep the next from passing is opened by bending one of them; `nets` grows then.
    """
    for _ in range(len(nets) + 1):
        order = _order(nets)
        stuck = _overlap(order)
        if stuck is None:
            break
        nets.append(_bend(stuck, pins))
    count = 0
    for number, net in enumerate(order):
        net.track = max((other.track + 1 for other in order[:number] if _are_apart(other, net)), default=0)
        count = max(count, net.track + 1)
    return count


def _cost(first: Net, second: Net) -> int:
    """What it costs if the first is left of the second: crossings, and much for an overlap."""
    if first.rest is second:
        return 0
    if second.rest is first:
        return OVERLAP * 10
    cost = 0
    for pin in first.right:
        cost += second.low < pin < second.high
        for other in second.left:
            if pin == other:
                cost += OVERLAP
            elif abs(pin - other) < NEAR:
                cost += CLOSE
    for other in second.left:
        cost += first.low < other < first.high
    return cost


def _order(nets: list[Net]) -> list[Net]:
    """An order from left to right with few crossings: each net put where it costs least, until that changes nothing."""
    order: list[Net] = []
    costs: dict[tuple[int, int], int] = {}

    def gain(first: Net, second: Net) -> int:
        """Return the cost of the first left of the second, over the other way round."""
        key = (id(first), id(second))
        if key not in costs:
            costs[key] = _cost(first, second) - _cost(second, first)
            costs[key[::-1]] = -costs[key]
        return costs[key]

    def put(net: Net) -> bool:
        at = order.index(net) if net in order else -1
        if at >= 0:
            order.pop(at)
        # the cost of each place, against place 0 (left of all)
        best, place, total = 0, 0, 0
        totals = [0]
        for other in order:
            total += gain(other, net)
            totals.append(total)
        best = min(totals)
        place = at if at >= 0 and totals[at] == best else totals.index(best)
        order.insert(place, net)
        return place != at

    for net in sorted(nets, key=lambda net: (net.low, net.high)):
        put(net)
    for _ in range(4):
        moved = [put(net) for net in list(order)]
        if not any(moved):
            break
    return order


def _overlap(order: list[Net]) -> Net | None:
    for number, second in enumerate(order):
        for first in order[:number]:
            if first.rest is not second and set(first.right) & set(second.left):
                return next(
                    (net for net in (first, second) if len(net.left) == len(net.right) == 1 and net.rest is None), None
                )
    return None


def _bend(net: Net, pins: list[int]) -> Net:
    """Split a net into two, joined at a height that nothing else has; gives the second half."""
    y = _free(net, pins)
    pins.append(y)
    rest = Net((y,), net.right, net.zone)
    net.right = (y,)
    net.rest = rest
    net.__post_init__()
    return rest


def _free(net: Net, pins: list[int]) -> int:
    middle = (net.low + net.high) // 2
    for gap in (NEAR, 3, 1):
        for off in range(net.high - net.low + 400):
            for y in (middle + off, middle - off):
                if all(abs(y - pin) >= gap for pin in pins):
                    return y
    return middle


def _are_apart(first: Net, second: Net) -> bool:
    """Whether two nets need tracks of their own, the first left of the second."""
    return (
        (first.low - NEAR < second.high and second.low - NEAR < first.high)
        or first.rest is second
        or bool(_cost(first, second) - _cost(second, first))
    )
