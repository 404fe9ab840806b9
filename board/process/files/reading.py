"""What a reading of a file gives: a table and remarks, or a refusal that says what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from board.process.definition.table import ProcessTable
from board.process.definition.unreadable import Unreadable

if TYPE_CHECKING:  # every command reads files, few of them BPMN
    from board.process.bpmn.report import Remark as Became

__all__ = [
    "MAX_BYTES",
    "MAX_CELLS",
    "MAX_COLUMNS",
    "MAX_LINES",
    "Format",
    "Reading",
    "Remark",
    "Unreadable",
    "Unwritable",
    "check_lines",
]

MAX_BYTES = 10_000_000
MAX_COLUMNS = 200
MAX_CELLS = 1_000_000
MAX_LINES = 60_000

Format = Literal["csv", "xlsx", "json", "bpmn"]


def check_lines(count: int) -> None:
    """Raise Unreadable for more rows than are read: asked before anything is made of them."""
    if count > MAX_LINES:
        raise Unreadable(f"The table has {count:,} rows.", "Repeat rows by a group instead.")


class Unwritable(ValueError):
    """The table cannot be said in the asked format; the message names the cell and the remedy."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the importer should know; an `error` keeps the file from being imported, a `note` does not.

    `line` is the line of the file (the row of a sheet), 0 for the whole file; `code` is stable.
    """

    message: str
    code: str
    level: Literal["note", "error"] = "note"
    line: int = 0
    column: str = ""

    def __str__(self) -> str:
        return f"{self.level}: {f'line {self.line}: ' if self.line else ''}{self.message}"


@dataclass(frozen=True, slots=True)
class Reading:
    """A file read as a process: the table, remarks, the format found, for BPMN what became of each element.

    `name` and `pools` (other processes that can be chosen) are what a BPMN file says; the others leave them empty.
    `lines[i]` is the line of the file that row `i` of the table came from, 0 for a row the reading made.
    """

    table: ProcessTable
    remarks: tuple[Remark, ...]
    format: Format
    became: tuple[Became, ...] = ()
    lines: tuple[int, ...] = ()
    name: str = ""
    pools: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[Remark, ...]:
        """The remarks that keep the file from being imported."""
        return tuple(remark for remark in self.remarks if remark.level == "error")

    def line_of(self, row: int) -> int:
        """Give the line of the file for a 1-based row of the table, 0 if there is none."""
        return self.lines[row - 1] if 0 < row <= len(self.lines) else 0
