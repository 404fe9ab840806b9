"""How large a table and an element list may be, said before anything is worked out of them.

What keeps to these is compiled, folded and drawn within seconds, whoever wrote it; what does not is refused with a
sentence, by the editor as by whoever reads the log.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from board.process.definition.elements import ElementList
from board.process.definition.table import MAX_ROWS, ProcessTable, Row
from board.process.definition.text import shown
from board.process.validation.finding import Problem, numbered, problem

MAX_COLUMNS = 250
MAX_CELL = 100_000
"""Characters of one cell."""
MAX_DEPTH = 10
"""Groups around a row."""
MAX_LINKS = 100_000
"""Dependencies of a table, one on a group counted once a member of it, and one of a group once a member too."""
MAX_INSTANCE_ROWS = 200_000
"""Rows of one instance."""


class TooLarge(ValueError):
    """A stamped table or list that is no table or list, or larger than one may be; the message says which."""


def read_table(text: str) -> ProcessTable:
    """The table a `process` field holds; raises TooLarge, ValueError."""
    columns = _columns(text, "table")
    _check_size(columns)
    table = ProcessTable.from_columns(columns)
    for found in of_size(table):
        raise TooLarge(str(found).removeprefix("error: "))
    return table


def read_elements(text: str) -> ElementList:
    """The list an `elements` field holds; raises TooLarge, ElementError, ValueError."""
    return ElementList.from_columns(_columns(text, "list"))


def _columns(text: str, what: str) -> dict[str, Any]:
    columns = json.loads(text)
    if not isinstance(columns, dict):
        raise TooLarge(f"the {what} is not a JSON object of columns")
    return columns


def _check_size(columns: dict[str, Any]) -> None:
    """Raise TooLarge for a table of too many columns or rows, before its cells are made."""
    rows = max((len(each) for each in columns.values() if isinstance(each, list)), default=0)
    for number, limit, word in ((len(columns), MAX_COLUMNS, "columns"), (rows, MAX_ROWS, "rows")):
        if number > limit:
            raise TooLarge(f"the table has {number:,} {word}, at most {limit:,} are possible")


def of_size(table: ProcessTable) -> Iterator[Problem]:
    """Give every problem of a table that is too large to be worked with."""
    if len(table.rows) > MAX_ROWS:
        message = f"The table has {len(table.rows):,} rows, at most {MAX_ROWS:,} are possible: repeat rows by a group."
        yield Problem("error", 0, "", "task", "", message, "too-many-rows")
        return
    if len(table.columns) > MAX_COLUMNS:
        message = f"The table has {len(table.columns):,} columns, at most {MAX_COLUMNS} are possible: remove some."
        yield Problem("error", 0, "", "", "", message, "too-many-columns")
    for number, row in numbered(table):
        yield from _of_row(table, number, row)
    links = _links(table)
    if links > MAX_LINKS:
        message = (
            f"The rows wait for {links:,} others in all, at most {MAX_LINKS:,} are possible: put a task in between "
            "that waits for many and is waited for by many."
        )
        yield Problem("error", 0, "", "depends_on", "", message, "too-many-links")


def _of_row(table: ProcessTable, number: int, row: Row) -> Iterator[Problem]:
    for column, cell in row.cells().items():
        if len(cell) > MAX_CELL:
            message = f"The cell has {len(cell):,} characters, at most {MAX_CELL:,} are possible: shorten it."
            yield problem("error", number, row, shown(column), cell, message, "cell-too-long")
    if len(_around(table, row)) > MAX_DEPTH:
        message = f"There are more than {MAX_DEPTH} groups around this row: take some of them out of the others."
        yield problem("error", number, row, "parent", row.parent, message, "too-deep")


def _around(table: ProcessTable, row: Row) -> list[str]:
    """The ids of the groups around a row, one more than may be at most; a circle ends where it closes."""
    found: list[str] = []
    above = table.row(row.parent) if row.parent else None
    while above is not None and above.task not in found and len(found) <= MAX_DEPTH:
        found.append(above.task)
        above = table.row(above.parent) if above.parent else None
    return found


def _links(table: ProcessTable) -> int:
    members = Counter(group for row in table.rows for group in _around(table, row))
    weights = {row.task: members[row.task] if row.is_group else 1 for row in table.rows}
    return sum(
        max(1, weights[row.task]) * sum(max(1, weights.get(d.task, 1)) for d in row.dependencies) for row in table.rows
    )
