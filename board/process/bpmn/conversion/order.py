"""The order of the rows: that of the flow, loops begun where the drawing enters them first."""

from collections.abc import Iterable

from board.process.bpmn.conversion.build import Builder
from board.process.bpmn.conversion.region import Draft, Region, Spot
from board.process.flow.graph import Graph, adjacency, components

_MOST_NESTED = 60  # loops within loops that are told apart


def in_order(builder: Builder) -> list[Draft]:
    """Give the rows in the order of the flow, each group followed by what is in it."""
    inside = {region.group: _of_region(region) for region in builder.regions}

    def rows(group: Draft | None) -> Iterable[Draft]:
        for draft in inside.get(group, ()):
            yield draft
            if draft.is_group:
                yield from rows(draft)

    return list(rows(None))


def _of_region(region: Region) -> list[Draft]:
    spots = _first_met(region)
    last = len(spots) - 1
    number = {spot: last - n for n, spot in enumerate(spots)}
    links = adjacency(len(spots), ((number[s], number[arrow.target]) for s in spots for arrow in s.outgoing))
    far = _distances(spots, links)
    ordered = (spots[last - n] for n in _ordered(links, far))
    return [spot.draft for spot in ordered if spot.draft]


def _first_met(region: Region) -> list[Spot]:
    """The spots as a walk from the start meets them, first ways first."""
    met: dict[Spot, None] = {}
    begins = [spot for spot in region.spots if not spot.incoming]
    for root in (*begins, *region.spots):
        todo = [root]
        while todo:
            spot = todo.pop()
            if spot not in met:
                met[spot] = None
                todo.extend(arrow.target for arrow in reversed(spot.outgoing))
    return list(met)


def _distances(spots: list[Spot], links: Graph) -> list[int]:
    """How many steps each spot is from the start, by number."""
    last = len(spots) - 1
    far = [len(spots)] * len(spots)
    front = [last - n for n, spot in enumerate(spots) if not spot.incoming]
    step = 0
    while front:
        for n in front:
            far[n] = step
        step += 1
        front = [n for n in dict.fromkeys(t for s in front for t in sorted(links[s])) if far[n] == len(spots)]
    return far


def _ordered(links: Graph, far: list[int]) -> list[int]:
    """Topological; a circle begins where the flow enters it first, without that spot it is ordered as well."""
    found: list[int] = []
    todo: list[tuple[frozenset[int], int]] = [(frozenset(range(len(links))), 0)]
    while todo:
        nodes, nested = todo.pop()
        parts = components(links, nodes)  # the last ones of the flow first
        if len(parts) == 1:
            found += _circle(parts[0], links, far, nested, todo)
        elif all(len(part) == 1 for part in parts):
            found += [part[0] for part in reversed(parts)]
        else:
            todo.extend((frozenset(part), nested) for part in parts)
    return found


def _circle(
    part: tuple[int, ...], links: Graph, far: list[int], nested: int, todo: list[tuple[frozenset[int], int]]
) -> list[int]:
    if len(part) == 1 or nested > _MOST_NESTED:
        return list(reversed(part))
    entrance = min(part, key=lambda n: (far[n], -n))
    todo.append((frozenset(part) - {entrance}, nested + 1))
    return [entrance]
