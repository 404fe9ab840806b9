"""How big things are, in pixels. The numbers of the drawing live here and nowhere else."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from math import ceil

from board.process.picture.layout.graph import EVENT_KINDS, GATEWAY_KINDS, Node

TASK_W, TASK_H = 120, 54
GATEWAY = 32
EVENT = 26
EMPTY_W, EMPTY_H = 84, 30

FONT = 12  # names of tasks
LINE = 14  # from one line of a name to the next
SMALL = 11  # answers, notes, names of lanes and frames
LABEL_H = 14
LABEL_MAX = 96  # widest answer; longer ones are cut
NOTE_MAX = 64

PORT = 8  # between two flows at one side of a shape
TRACK = 8  # between two flows that run side by side
LANE_HEAD = 26
LANE_PAD = 12
LANE_MIN = 54
LANE_MAX = 130  # that a name alone makes it; longer ones are cut
MARGIN = 6
FRAME_HEAD = 22
FRAME_FOOT = 20
FRAME_PAD = 12

# Advance widths in thousandths of the font size, measured in the browser: the wider of Arial's and about DejaVu Sans's,
# which is the widest of the usual system fonts, so that text measured here fits whichever of them a browser takes.
_BY_WIDTH = {
    260: "ijl",
    300: "I .,‚‘’'",
    320: "/:;\\|",
    340: "-f·",
    380: "!()[]t",
    400: 'r"',
    500: "Jsz*`“”„",
    520: "c",
    560: "?L_kvxy–•",
    580: "ao«»",
    600: "bdeghnpqu",
    620: "0123456789$€FT{}",
    660: "ABEKPSVXYZß",
    720: "CHNRU",
    740: "&D",
    780: "GOQw",
    800: "#+<=>^~",
    840: "M",
    940: "Wm%",
    1000: "—…→Ææœ",
    1020: "@Œ",
}
_WIDTHS = {character: width for width, characters in _BY_WIDTH.items() for character in characters}
_BOLD = 1.13  # how much wider bold text is


@lru_cache(maxsize=1024)
def _width(character: str) -> int:
    base = unicodedata.normalize("NFD", character)[0]  # an accent adds nothing
    if base in _WIDTHS:
        return _WIDTHS[base]
    if ord(base) >= 0x2E80:
        return 1050  # ideographs and emoji fill a square
    return 760 if base.isupper() else 640


@lru_cache(maxsize=4096)
def text_width(text: str, size: int = FONT, *, bold: bool = False) -> int:
    """Pixels a text takes at a font size, on the safe side."""
    total = sum(map(_width, text)) * size / 1000
    return ceil(total * _BOLD if bold else total)


@lru_cache(maxsize=4096)
def cut(text: str, width: int, size: int = FONT, *, bold: bool = False) -> str:
    """The text, shortened with an ellipsis to at most `width` pixels."""
    if text_width(text, size, bold=bold) <= width:
        return text
    kept = text[: max(0, 4 * width // size)]  # no letter is narrower than a quarter of its size
    while kept and text_width(kept + "…", size, bold=bold) > width:
        kept = kept[:-1]
    return kept.rstrip() + "…"


@lru_cache(maxsize=2048)
def lines_of(text: str, width: int, most: int) -> tuple[str, ...]:
    """The text in at most `most` lines of `width` pixels, broken between words or in long ones, the last one cut."""
    words = text.split()
    lines: list[str] = []
    while words and len(lines) < most:
        if len(lines) == most - 1:
            lines.append(cut(" ".join(words), width))
            break
        line = words.pop(0)
        while words and text_width(f"{line} {words[0]}") <= width:
            line = f"{line} {words.pop(0)}"
        if text_width(line) > width:
            head, rest = _broken(line, width)
            line = head
            words.insert(0, rest)
        lines.append(line)
    return tuple(lines)


def _broken(word: str, width: int) -> tuple[str, str]:
    """A word too long for a line in two: after a `_`, `-` or `.` if one is near, else with a hyphen."""
    fits = next(at for at in range(min(len(word), width), 0, -1) if at == 1 or text_width(word[:at] + "-") <= width)
    for at in range(fits, fits // 2, -1):
        if word[at - 1] in "_-.":
            return word[:at], word[at:]
    return word[:fits] + "-", word[fits:]


def lane_height(label: str) -> int:
    """The least height of a lane: its name is written along it."""
    return min(LANE_MAX, max(LANE_MIN, text_width(label, SMALL, bold=True) + 16))


def label_width(text: str) -> int:
    """Pixels of an answer beside a flow."""
    return min(LABEL_MAX, text_width(text, SMALL)) + 4


def note_width(node: Node) -> int:
    """Pixels of the words below a gateway."""
    return min(NOTE_MAX, text_width(node.note, SMALL)) + 4 if node.note else 0


def size_of(node: Node, ports: int) -> tuple[int, int]:
    """Width and height of a shape with at most `ports` flows at one side."""
    room = (ports - 1) * PORT + 12
    if node.kind in GATEWAY_KINDS or node.kind in EVENT_KINDS:
        # a slanted side offers its whole height but for the tips
        least = GATEWAY if node.kind in GATEWAY_KINDS else EVENT
        side = max(least, room + 4)
        return (least, side) if side > 2 * least else (side, side)
    if node.kind == "empty":
        return EMPTY_W, max(EMPTY_H, room)
    return TASK_W, max(TASK_H, room)
