"""The processes a new one can begin from: CSV files shipped beside the code."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from board.process import files
from board.process.definition.table import ProcessTable
from board.process.flow.flow import compile_flow
from board.process.picture.svg import draw

FOLDER = Path(__file__).resolve().parents[2] / "process_templates"


class Template(NamedTuple):
    """A process to begin from: its key in forms, what people call it, what it is for."""

    key: str
    title: str
    about: str

    @property
    def table(self) -> ProcessTable:
        return _table(self.key)

    @property
    def picture(self) -> str:
        """Drawn small: without links, and without ids, for several of them are on one page."""
        return _picture(self.key)


TEMPLATES = (
    Template("approval", "Approval", "Prepared, checked, decided; a rejection goes back to its author."),
    Template("quarterly", "Quarterly collection", "Delivered and reviewed per unit, approved as a whole, published."),
    Template("rework", "Check with rework", "A script checks; what it stops at is corrected and checked again."),
    Template("four_eyes", "Four-eyes release", "Entered by one, released by two others, each another person."),
)


def find(key: str) -> Template | None:
    """Return a template by its key."""
    return next((each for each in TEMPLATES if each.key == key), None)


@cache
def _table(key: str) -> ProcessTable:
    path = FOLDER / f"{key}.csv"
    return files.read(path.read_bytes(), path.name).table


@cache
def _picture(key: str) -> str:
    return re.sub(r' (?:id|role|aria-labelledby)="[^"]*"', "", draw(compile_flow(_table(key)), link=None))
