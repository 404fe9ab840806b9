"""Which things of a lane get one height: those asked for, as long as none of them is above another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MOST_WORK = 4_000_000  # sets looked at for one lane; beyond that flows bend more than they need


def tie(below: Mapping[int, Sequence[int]], wanted: Sequence[Sequence[int]]) -> dict[int, int]:
    """Tie runs of things, in the order of want; gives for each thing that is tied to another one that stands for it.

    `below` says what is directly below each thing; what is not among its keys does not count. A run that cannot be
    tied as a whole is tied in parts.
    """
    ties = _Ties(below)
    for run in wanted:
        ties.tie([ties.place[thing] for thing in run])
    return {thing: ties.things[root] for thing, at in ties.place.items() if (root := ties.find(at)) != at}


class _Ties:
    """Sets of things are bits of a number. `down` holds all that is below a thing, by any way."""

    def __init__(self, below: Mapping[int, Sequence[int]]) -> None:
        self.things = list(below)
        self.place = {thing: place for place, thing in enumerate(self.things)}
        self.members = [1 << place for place in range(len(self.things))]
        self.down = [0] * len(self.things)
        self.root = list(range(len(self.things)))
        self.alive = list(range(len(self.things)))
        self.work = 0
        near = [[self.place[lower] for lower in below[thing] if lower in self.place] for thing in self.things]
        for place in self._from_below(near):
            for lower in near[place]:
                self.down[place] |= self.members[lower] | self.down[lower]

    def _from_below(self, near: list[list[int]]) -> list[int]:
        above: list[list[int]] = [[] for _ in near]
        for place, lower in enumerate(near):
            for higher in lower:
                above[higher].append(place)
        missing = [len(lower) for lower in near]
        order = [place for place, count in enumerate(missing) if not count]
        for place in order:
            for higher in above[place]:
                missing[higher] -= 1
                if not missing[higher]:
                    order.append(higher)
        return order

    def tie(self, run: list[int]) -> None:
        roots = list(dict.fromkeys(map(self.find, run)))
        if len(roots) < 2 or self.work > MOST_WORK:
            return
        members = down = 0
        for root in roots:
            members |= self.members[root]
            down |= self.down[root]
        if not down & members:
            self._merge(roots, members, down)
        elif len(run) > 2:
            half = len(run) // 2
            self.tie(run[:half])
            self.tie(run[half:])
            self.tie(run[half - 1 : half + 1])

    def _merge(self, roots: list[int], members: int, down: int) -> None:
        first, *others = roots
        for other in others:
            self.root[other] = first
        gone = set(others)
        self.alive = [other for other in self.alive if other not in gone]
        self.work += len(self.alive)
        self.members[first], self.down[first] = members, down
        beyond = members | down
        reach = self.down
        for other in self.alive:
            if reach[other] & members:
                reach[other] |= beyond

    def find(self, place: int) -> int:
        while self.root[place] != place:
            place = self.root[place]
        return place
