"""The process as a picture, coloured by the state of an instance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from importlib import import_module
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

from board.process.files import Unwritable
from board.process.flow import Flow, compile_flow
from board.process.layout import drawing
from board.process.picture import TaskState, draw, node
from board.process.table import ProcessTable
from board.selectors.sheet import RowView, Section, Sheet

PNG_SCALE = 2  # pixels of the file for one of the picture, for print and for fine screens
MAX_PNG_SIDE = 30_000  # the library draws nothing wider
MAX_PNG_PIXELS = 60_000_000
MAX_TASKS = 250  # a larger picture would weigh more than the page it belongs to


def drawn(sheet: Sheet, flow: Flow, name: str) -> str:
    """The whole picture as SVG; "" for a process without tasks or with too many."""
    if not 0 < len(flow.tasks) <= MAX_TASKS:
        return ""
    states = tuple(_state(sheet, section) for section in sheet.sections)
    return _drawn(flow, name, tuple(section.task for section in sheet.sections), states)


@lru_cache(maxsize=64)
def _drawn(flow: Flow, name: str, tasks: tuple[str, ...], states: tuple[TaskState, ...]) -> str:
    return draw(flow, None, dict(zip(tasks, states, strict=True)), name=name, link=_link(flow))


def nodes(sheet: Sheet, flow: Flow, tasks: Collection[str]) -> str:
    """The nodes of some tasks, to be swapped one by one."""
    if len(flow.tasks) > MAX_TASKS:
        return ""
    link = _link(flow)
    touched = (section for section in sheet.sections if section.task in tasks)
    return "".join(node(flow, None, section.task, _state(sheet, section), link=link) for section in touched)


def _link(flow: Flow) -> Callable[[str], str]:
    return lambda task: f"#s{flow.index[task]}"


def _state(sheet: Sheet, section: Section) -> TaskState:
    """A single task's own state; of a repeated one the state that wants attention first, with its counts."""
    if not section.repeats:
        view = sheet.views[section.rows.start]
        return TaskState(view.kind, view.word)
    counts = section.counts
    settled = counts.done + counts.skipped
    state = next((name for name in ("failed", "doing", "open") if getattr(counts, name)), "blocked")
    if settled == counts.total and not counts.failed:
        state = "done" if counts.done or not counts.total else "skipped"
    return TaskState(state, RowView.word_of(state), counts.done, counts.total, counts.failed)


def png(table: ProcessTable, name: str, states: Mapping[str, TaskState] | None = None) -> bytes:
    """The picture as a PNG file, twice as fine as on the screen; raises Unwritable without the library that draws."""
    svg, width, height = _file(table, name, states)
    scale = min(PNG_SCALE, MAX_PNG_SIDE / max(width, height), sqrt(MAX_PNG_PIXELS / (width * height)))
    return _drawer("svg2png")(bytestring=svg, scale=scale)


def pdf(table: ProcessTable, name: str, states: Mapping[str, TaskState] | None = None) -> bytes:
    """The picture as a PDF file of one page of its size; raises Unwritable without the library that draws."""
    draw_pdf, svg = _drawer("svg2pdf"), _file(table, name, states)[0]
    # Into a file: into memory the library calls back, by code written at run time, which the board's unit forbids.
    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture.pdf"
        draw_pdf(bytestring=svg, write_to=str(path))
        return path.read_bytes()


def _file(table: ProcessTable, name: str, states: Mapping[str, TaskState] | None) -> tuple[bytes, int, int]:
    flow = compile_flow(table)
    at = drawing(flow)[1]
    return draw(flow, at, states, name=name, standalone=True).encode(), at.width, at.height


def _drawer(kind: str) -> Callable[..., bytes]:
    try:
        # only here: it takes half a second, and a system library that a server may do without
        cairosvg = import_module("cairosvg")
    except (ImportError, OSError) as error:
        raise Unwritable("PNG and PDF need the system library cairo: install `libcairo2`, or take SVG.") from error
    found: Callable[..., bytes] = getattr(cairosvg, kind)
    return found
