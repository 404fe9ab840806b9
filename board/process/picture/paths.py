"""What SVG is written with: rectangles, paths with soft corners, arrows' heads, and texts that are only texts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from board.process.picture.layout import Box, Point
from board.process.picture.layout.sizes import SMALL
from board.process.picture.layout.sizes import cut as cut_text

TIP = 7  # length of an arrow's head
BEND = 5  # radius of a flow's corners


def rect(box: Box) -> str:
    """The attributes of a rectangle."""
    return f'x="{box.x}" y="{box.y}" width="{box.w}" height="{box.h}"'


def rounded(points: tuple[Point, ...]) -> str:
    """A path with soft corners; it ends where the arrow's head begins."""
    points = (*points[:-1], short_of(points[-2], points[-1], TIP - 1))
    path = f"M{points[0].x} {points[0].y}"
    for before, at, after in zip(points, points[1:], points[2:], strict=False):
        bend = min(BEND, length(before, at) // 2, length(at, after) // 2)
        bend_start, bend_end = short_of(before, at, bend), short_of(after, at, bend)
        path += f"L{bend_start.x} {bend_start.y}Q{at.x} {at.y} {bend_end.x} {bend_end.y}"
    return f"{path}L{points[-1].x} {points[-1].y}"


def short_of(start: Point, end: Point, by: int) -> Point:
    """The point `by` pixels before the end of a level or upright line."""
    by = min(by, length(start, end))
    return Point(end.x - by * _sign(end.x - start.x), end.y - by * _sign(end.y - start.y))


def length(start: Point, end: Point) -> int:
    """Pixels between the ends of a level or upright line."""
    return abs(start.x - end.x) + abs(start.y - end.y)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def tip(points: tuple[Point, ...]) -> str:
    """The head of the arrow that a flow ends in."""
    before, end = points[-2], points[-1]
    dx, dy = _sign(end.x - before.x), _sign(end.y - before.y)
    x, y = end.x - TIP * dx, end.y - TIP * dy
    return f"M{end.x} {end.y}L{x + 3.5 * dy:g} {y + 3.5 * dx:g}L{x - 3.5 * dy:g} {y - 3.5 * dx:g}z"


def slash(points: tuple[Point, ...]) -> str:
    """BPMN's mark of the default flow, a stroke across its beginning."""
    start, end = points[0], points[1]
    if length(start, end) < 2 * TIP:
        return ""
    dx, dy = _sign(end.x - start.x), _sign(end.y - start.y)
    x, y = start.x + 7 * dx, start.y + 7 * dy
    return f"M{x - 3} {y - 4}l6 8" if dx else f"M{x - 4} {y - 3}l8 6"


def free(left: int, right: int, taken: Iterable[int]) -> tuple[int, int]:
    """The widest stretch that none of the places is in, the first of equals."""
    best, start = (left, left), left
    for place in [*taken, right + 4]:
        if place - 4 - start > best[1] - best[0]:
            best = (start, place - 4)
        start = max(start, place + 4)
    return best


def nearest(wish: int, box: Box, taken: list[int]) -> int:
    for off in range(box.w // 2):
        for x in (wish + off, wish - off):
            if all(abs(x - place) > 10 for place in taken):
                return x
    return wish


def text(said: str) -> str:
    """Text for an element or attribute: escaped, without what XML cannot hold."""
    return escape("".join(character if _is_xml(character) else "\ufffd" for character in said))


def _is_xml(character: str) -> bool:
    code = ord(character)
    return code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def cut_name(said: str, width: int) -> str:
    """The name of a lane or frame."""
    return text(cut_text(said, width, SMALL, bold=True))
