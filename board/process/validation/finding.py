"""One thing that is wrong with a table, and where."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from board.process.definition.table import ProcessTable, Row
from board.process.definition.text import shown

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: its 1-based row of the table (0: the whole table), task, column, offending text and a full sentence.

    `code` is stable, for programs and tests; `text` is shortened, `message` says what would be right.
    """

    level: Level
    row: int
    task: str
    column: str
    text: str
    message: str
    code: str

    def __str__(self) -> str:
        where = f"row {self.row} ({self.task})" if self.task else f"row {self.row}"
        place = ", ".join(part for part in (where if self.row else "table", self.column) if part)
        return f"{self.level}: {place}: {self.message}"


def problem(level: Level, number: int, row: Row, column: str, text: str, message: str, code: str) -> Problem:
    """Make a problem of a row and one of its columns, texts shortened for showing."""
    return Problem(level, number, shown(row.task), column, shown(text), message, code)


def numbered(table: ProcessTable) -> Iterator[tuple[int, Row]]:
    """Give each row with its number, counted from 1."""
    return enumerate(table.rows, start=1)


def listed(names: Iterable[str], most: int = 8) -> str:
    """Write names as `a`, `b` and `c`, the ones after `most` as a number."""
    quoted = [f"`{shown(name)}`" for name in names]
    if len(quoted) > most:
        quoted = [*quoted[: most - 1], f"{len(quoted) - most + 1} more"]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
