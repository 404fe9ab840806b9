"""The picture of a process as a file: SVG, PNG, PDF. Needs no Django, for it is drawn in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from math import sqrt

from board.process.definition.table import ProcessTable
from board.process.files import Unwritable
from board.process.flow.flow import compile_flow
from board.process.picture.layout import drawing
from board.process.picture.svg import TaskState, draw

PNG_SCALE = 2  # pixels of the file for one of the picture, for print and for fine screens
MAX_PNG_SIDE = 30_000  # the library draws nothing wider
MAX_PNG_PIXELS = 60_000_000


def svg(table: ProcessTable, name: str) -> bytes:
    """The picture as an SVG file."""
    return _file(table, name, None)[0]


def png(table: ProcessTable, name: str, states: Mapping[str, TaskState] | None = None) -> bytes:
    """The picture as a PNG file, twice as fine as on the screen; raises Unwritable without the library that draws."""
    drawn, width, height = _file(table, name, states)
    scale = min(PNG_SCALE, MAX_PNG_SIDE / max(width, height), sqrt(MAX_PNG_PIXELS / (width * height)))
    return _drawer("svg2png")(bytestring=drawn, scale=scale)


def pdf(table: ProcessTable, name: str, states: Mapping[str, TaskState] | None = None) -> bytes:
    """The picture as a PDF file of one page of its size; raises Unwritable without the library that draws."""
    draw_pdf, drawn = _drawer("svg2pdf"), _file(table, name, states)[0]
    # Into a file: into memory the library calls back, by code written at run time, which the board's unit forbids.
    # A file without a name, so that nothing is left of it when the process is ended.
    with os.fdopen(os.memfd_create("picture"), "rb") as file:
        draw_pdf(bytestring=drawn, write_to=f"/proc/self/fd/{file.fileno()}")
        file.seek(0)
        return file.read()


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
