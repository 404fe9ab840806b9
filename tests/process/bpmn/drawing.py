"""What can be measured of a drawing: what lies on what, what runs through what, what crosses."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import combinations, islice, pairwise
from math import sqrt

from board.process.picture.layout import EVENT_KINDS, GATEWAY_KINDS, Box, Graph, Layout, Point


def faults(graph: Graph, at: Layout) -> list[str]:
    """Everything that a drawing must not have, each in words; an empty list is a clean drawing."""
    return [
        *_missing(graph, at),
        *_overlaps(graph, at),
        *_out_of_place(graph, at),
        *_through(graph, at),
        *_on_one_another(at),
    ]


def _missing(graph: Graph, at: Layout) -> Iterator[str]:
    for node in graph.nodes:
        if node.id not in at.nodes:
            yield f"{node.id} is not drawn"
        if node.note and node.id not in at.labels:
            yield f"the words of {node.id} are not drawn"
    for edge in graph.edges:
        if edge.id not in at.edges:
            yield f"{edge.source} to {edge.target} is not drawn"
        elif edge.label and edge.id not in at.labels:
            yield f"the answer {edge.label} of {edge.source} to {edge.target} is not drawn"
        else:
            points = at.edges[edge.id]
            for a, b in pairwise(points):
                if (a.x == b.x) == (a.y == b.y):
                    yield f"{edge.source} to {edge.target} is askew or still at {a}, {b}"
            for end, point in ((edge.source, points[0]), (edge.target, points[-1])):
                box = at.nodes.get(end) or at.groups[end]
                kind = next((node.kind for node in graph.nodes if node.id == end), "frame")
                if not _is_on_outline(kind, box, point):
                    yield f"{edge.source} to {edge.target} does not meet {end}: {point} is not on {box}"


def _is_on_outline(kind: str, box: Box, point: Point) -> bool:
    dx, dy = abs(point.x - box.x - box.w / 2), abs(point.y - box.y - box.h / 2)
    if kind in GATEWAY_KINDS:
        return abs(dx - box.w / 2 * (1 - 2 * dy / box.h)) <= 1
    if kind in EVENT_KINDS:
        return abs(dx - box.w / 2 * sqrt(max(0, 1 - (2 * dy / box.h) ** 2))) <= 1
    return (dx == box.w / 2 and dy <= box.h / 2) or (dy == box.h / 2 and dx <= box.w / 2)


def _overlaps(graph: Graph, at: Layout) -> Iterator[str]:
    things = [*at.nodes.items(), *((f"label of {key}", box) for key, box in at.labels.items())]
    from_left = sorted(things, key=lambda thing: thing[1].x)
    for n, (a, x) in enumerate(from_left, start=1):
        right = x.right
        for b, y in islice(from_left, n, None):
            if y.x >= right:
                break
            if x.x < y.right and x.y < y.bottom and y.y < x.bottom:
                yield f"{a} and {b} overlap"
    for key, box in [*things, *at.groups.items()]:
        if box.x < 0 or box.y < 0 or box.right > at.width or box.bottom > at.height:
            yield f"{key} lies outside the picture"
    for key, points in at.edges.items():
        if any(not (0 <= p.x <= at.width and 0 <= p.y <= at.height) for p in points):
            yield f"edge {key} leaves the picture"


def _out_of_place(graph: Graph, at: Layout) -> Iterator[str]:
    parents = {group.id: group.parent for group in graph.groups}

    def around(group: str) -> set[str]:
        found: set[str] = set()
        while group and group not in found:
            found.add(group)
            group = parents.get(group, "")
        return found

    for node in graph.nodes:
        box, lane = at.nodes[node.id], at.lanes[node.lane]
        if not (lane.x + 26 <= box.x and box.right <= lane.right and lane.y <= box.y and box.bottom <= lane.bottom):
            yield f"{node.id} is not in its lane"
        for group, frame in at.groups.items():
            inside = frame.x <= box.x and box.right <= frame.right and frame.y <= box.y and box.bottom <= frame.bottom
            apart = frame.x >= box.right or box.x >= frame.right or frame.y >= box.bottom or box.y >= frame.bottom
            if group in around(node.group) and not inside:
                yield f"{node.id} is not in its frame {group}"
            if group not in around(node.group) and not apart:
                yield f"{node.id} is in the strange frame {group}"
    for (a, x), (b, y) in combinations(at.groups.items(), 2):
        meet = x.x < y.right and y.x < x.right and x.y < y.bottom and y.y < x.bottom
        if meet and a not in around(b) and b not in around(a):
            yield f"the frames {a} and {b} overlap"


def _through(graph: Graph, at: Layout) -> Iterator[str]:
    diamonds = {node.id for node in graph.nodes if node.kind in GATEWAY_KINDS | EVENT_KINDS}
    ends = {edge.id: (edge.source, edge.target) for edge in graph.edges}
    boxes = [(key, "", *box) for key, box in at.nodes.items()]
    boxes += [(key, "the label of ", *box) for key, box in at.labels.items()]
    edges = sorted((x, x + w, y, y + h, key, words) for key, words, x, y, w, h in boxes)
    lefts = [left for left, *_ in edges]
    for edge, points in at.edges.items():
        for n, (a, b) in enumerate(pairwise(points)):
            is_end = n in (0, len(points) - 2)
            low, high = (a.x, b.x) if a.x < b.x else (b.x, a.x)
            above, below = (a.y, b.y) if a.y < b.y else (b.y, a.y)
            for _, right, top, bottom, key, words in edges[: bisect_left(lefts, high)]:
                if right > low and above < bottom and below > top:
                    if is_end and not words and key in ends[edge] and key in diamonds:
                        continue  # it ends on the outline, inside the box: measured there
                    yield f"{ends[edge]} runs through {words}{key}"


def hits(a: Point, b: Point, box: Box) -> bool:
    """Whether a level or upright line runs through a box."""
    left, right, top, bottom = min(a.x, b.x), max(a.x, b.x), min(a.y, b.y), max(a.y, b.y)
    return left < box.right and right > box.x and top < box.bottom and bottom > box.y


def _on_one_another(at: Layout) -> Iterator[str]:
    """Flows that share a stretch, or run closer than 3 pixels beside one another for longer than a corner."""
    lines: list[tuple[str, bool, int, int, int]] = []
    for edge, points in at.edges.items():
        for a, b in pairwise(points):
            upright = a.x == b.x
            low, high = (min(a.y, b.y), max(a.y, b.y)) if upright else (min(a.x, b.x), max(a.x, b.x))
            lines.append((edge, upright, a.x if upright else a.y, low, high))
    lines.sort(key=lambda line: (line[1], line[2]))
    for n, (edge, upright, place, low, high) in enumerate(lines):
        for other, upright2, place2, low2, high2 in lines[n + 1 :]:
            if upright2 != upright or place2 - place >= 3:
                break
            shared = min(high, high2) - max(low, low2)
            if other != edge and shared > (0 if place == place2 else 12):
                yield f"{edge} and {other} share {shared} px at {'x' if upright else 'y'} {place}, {place2}"


def crossings(at: Layout) -> int:
    """How often two flows cross."""
    upright: list[tuple[str, int, int, int]] = []
    level: list[tuple[str, int, int, int]] = []
    for edge, points in at.edges.items():
        for a, b in pairwise(points):
            if a.x == b.x:
                upright.append((edge, a.x, min(a.y, b.y), max(a.y, b.y)))
            else:
                level.append((edge, a.y, min(a.x, b.x), max(a.x, b.x)))
    return sum(
        edge != other and low < y < high and left < x < right
        for edge, x, low, high in upright
        for other, y, left, right in level
    )


def bends(at: Layout) -> int:
    """How many corners the flows have together."""
    return sum(len(points) - 2 for points in at.edges.values())
