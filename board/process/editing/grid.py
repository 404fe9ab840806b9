"""A process table while it is being edited: plain cells, blank rows and half-written ones included.

Every operation gives a new grid. What the cells mean, and what is wrong with them, is asked of the table they make.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from board.process.definition.table import COLUMNS, ProcessTable
from board.process.flow.flow import compile_flow

MAX_EDITED = 1000  # rows a page of the editor can show
MAX_CELL = 20_000
REFERENCES = ("depends_on", "parent", "not_by")


class GridError(ValueError):
    """An edit that makes no sense for the grid as it is; the message says which and the remedy."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Columns, and rows of as many cells. Rows are counted from 0."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, table: ProcessTable) -> Grid:
        """The grid of a table: every known column, then its own."""
        columns = (*COLUMNS, *(c for c in table.columns if c not in COLUMNS))
        cells = table.to_rows()
        return cls(columns, tuple(tuple(row.get(column, "") for column in columns) for row in cells))

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Grid:
        """The grid `to_json` gave; raises GridError."""
        try:
            columns = tuple(str(c) for c in said["columns"])
            rows = tuple(tuple(str(cell) for cell in row) for row in said["rows"])
        except (KeyError, TypeError) as error:
            raise GridError("this is no table that was being edited") from error
        if any(len(row) != len(columns) for row in rows):
            raise GridError("the rows of this table differ in length")
        return cls(columns, rows)

    def to_json(self) -> dict[str, Any]:
        """Columns and rows as lists."""
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    def table(self) -> ProcessTable:
        """The table the cells make, blank rows left out."""
        return ProcessTable.from_rows([dict(zip(self.columns, row, strict=True)) for row in self.rows], self.columns)

    def numbers(self) -> list[int]:
        """For each row of `table()`, the row here: blank ones are not counted there."""
        return [n for n, row in enumerate(self.rows) if any(cell.strip() for cell in row)]

    def cell(self, row: int, column: str) -> str:
        return self.rows[row][self.columns.index(column)]

    def find(self, task: str) -> int | None:
        """The first row of an id."""
        at = self.columns.index("task")
        return next((n for n, row in enumerate(self.rows) if row[at].strip() == task), None)


def put(grid: Grid, row: int, column: str, block: Sequence[Sequence[str]]) -> Grid:
    """Write a block of cells from (row, column) to the right and down, making rows as needed: one cell, or a paste.

    A changed task id is changed wherever it is referred to. What reaches over the last column is an error.
    """
    width = max((len(line) for line in block), default=0)
    first = _column(grid, column)
    if first + width > len(grid.columns):
        raise GridError(
            f"the block has {width} columns, but only {len(grid.columns) - first} are left from {column} on"
        )
    if row < 0 or row + len(block) > MAX_EDITED:
        raise GridError(
            f"a table has at most {MAX_EDITED} rows, and these would be rows {row + 1} to {row + len(block)}"
        )
    rows = [list(line) for line in grid.rows]
    while len(rows) < row + len(block):
        rows.append([""] * len(grid.columns))
    renamed: dict[str, str] = {}
    at = grid.columns.index("task")
    for down, line in enumerate(block):
        for right, cell in enumerate(line):
            if first + right == at and down + row < len(grid.rows):
                renamed[rows[row + down][at].strip()] = cell.strip()
            rows[row + down][first + right] = _cell(cell)
    changed = _checked(replace(grid, rows=tuple(map(tuple, rows))))
    for old, new in renamed.items():
        if old and new and old != new and changed.find(old) is None:
            changed = _follow(changed, old, new)
    return changed


def add(grid: Grid, at: int) -> Grid:
    """A blank row before row `at` (at the end: the number of rows), in the group of the row above it."""
    above = grid.cell(at - 1, "parent") if 0 < at <= len(grid.rows) else ""
    blank = tuple(above if column == "parent" else "" for column in grid.columns)
    if not 0 <= at <= len(grid.rows):
        raise GridError(f"there is no place {at + 1} in a table of {len(grid.rows)} rows")
    return _checked(replace(grid, rows=(*grid.rows[:at], blank, *grid.rows[at:])))


def duplicate(grid: Grid, row: int) -> Grid:
    """The same row again below, under an id of its own."""
    cells = list(_row(grid, row))
    at = grid.columns.index("task")
    cells[at] = _free(grid, cells[at].strip() or "task")
    return _checked(replace(grid, rows=(*grid.rows[: row + 1], tuple(cells), *grid.rows[row + 1 :])))


def move(grid: Grid, row: int, by: int) -> Grid:
    """The row `by` places further down (up if negative), as far as there are places."""
    cells = _row(grid, row)
    rest = [line for n, line in enumerate(grid.rows) if n != row]
    to = max(0, min(len(rest), row + by))
    return replace(grid, rows=(*rest[:to], cells, *rest[to:]))


def move_all(grid: Grid, rows: Iterable[int], by: int) -> Grid:
    """These rows `by` places further down (up if negative), none of them past another."""
    chosen = sorted(set(rows), reverse=by > 0)
    limit = len(grid.rows) - 1 if by > 0 else 0
    for row in chosen:
        _row(grid, row)
        to = min(limit, row + by) if by > 0 else max(limit, row + by)
        grid = move(grid, row, to - row)
        limit = to - 1 if by > 0 else to + 1
    return grid


def duplicate_all(grid: Grid, rows: Iterable[int]) -> Grid:
    """Each of these rows again below itself."""
    for row in sorted(set(rows), reverse=True):
        grid = duplicate(grid, row)
    return grid


def remove(grid: Grid, rows: Iterable[int]) -> Grid:
    """Without these rows; what referred to a removed group by `parent` stands outside now."""
    gone = set(rows)
    for row in gone:
        _row(grid, row)
    ids = {grid.cell(row, "task").strip() for row in gone if grid.cell(row, "collection").strip()}
    parent = grid.columns.index("parent")
    kept = [list(line) for n, line in enumerate(grid.rows) if n not in gone]
    for line in kept:
        if line[parent].strip() in ids - {""}:
            line[parent] = ""
    return replace(grid, rows=tuple(map(tuple, kept)))


def group(grid: Grid, rows: Iterable[int], collection: str) -> Grid:
    """Repeat these rows per element of a collection: a group row before the first of them, named as their parent."""
    chosen = sorted(set(rows))
    if not chosen:
        raise GridError("choose the rows to repeat first")
    if not collection.strip():
        raise GridError("say what the rows are repeated per, for example: unit")
    for row in chosen:
        _row(grid, row)
    outer = {grid.cell(row, "parent").strip() for row in chosen}
    if len(outer) > 1:
        raise GridError("these rows are in different groups: choose rows of one group, or of none")
    kind = collection.strip()
    name = _free(grid, "each_" + ("".join(c if c.isalnum() else "_" for c in kind).strip("_") or "element"))
    head = {"task": name, "name": f"For each {kind}", "collection": kind, "parent": outer.pop()}
    parent = grid.columns.index("parent")
    lines = [list(line) for line in grid.rows]
    for row in chosen:
        lines[row][parent] = name
    lines.insert(chosen[0], [head.get(column, "") for column in grid.columns])
    return _checked(replace(grid, rows=tuple(map(tuple, lines))))


def ungroup(grid: Grid, row: int) -> Grid:
    """Without this group row, the flow kept: its members stand where it stood, those it began with wait for what it
    waited for, and who waited for it waits for those it ended with."""
    name = _row(grid, row)[grid.columns.index("task")].strip()
    group = compile_flow(grid.table()).groups.get(name)
    if group is None:
        raise GridError(f"{name or 'this row'} is no group")
    tasks = compile_flow(grid.table()).tasks
    entries = {tasks[member] for member in group.entries}
    waits = [d.task + (f":{d.label}" if d.label else "") for d in group.row.dependencies]
    parent, depends, task = (grid.columns.index(c) for c in ("parent", "depends_on", "task"))
    lines = [list(line) for number, line in enumerate(grid.rows) if number != row]
    for line in lines:
        if line[parent].strip() == name:
            line[parent] = group.row.parent
        parts = [part.strip() for part in line[depends].split(",") if part.strip()]
        if any(part.partition(":")[0].strip() == name for part in parts):
            ends = [tasks[member] for member in group.exits]
            parts = [new for part in parts for new in _in_place_of(part, name, ends)]
            line[depends] = ", ".join(dict.fromkeys(parts))
        if line[task].strip() in entries and waits:
            line[depends] = ", ".join(dict.fromkeys([*parts, *waits]))
    return replace(grid, rows=tuple(map(tuple, lines)))


def _in_place_of(part: str, name: str, tasks: Iterable[str]) -> list[str]:
    """A dependency on a group as dependencies on these tasks; any other as it is."""
    task, colon, label = part.partition(":")
    return [new + colon + label for new in tasks] if task.strip() == name else [part]


def _follow(grid: Grid, old: str, new: str) -> Grid:
    """Every reference to a renamed task, renamed too."""
    lines = [list(line) for line in grid.rows]
    for column in REFERENCES:
        at = grid.columns.index(column)
        for line in lines:
            parts = line[at].split(",")
            told = [part.partition(":") for part in parts]
            if any(task.strip() == old for task, _, _ in told):
                line[at] = ",".join(
                    part.replace(old, new, 1) if task.strip() == old else part
                    for part, (task, _, _) in zip(parts, told, strict=True)
                )
    return replace(grid, rows=tuple(map(tuple, lines)))


def _free(grid: Grid, name: str) -> str:
    unused, number = name, 2
    while grid.find(unused) is not None:
        unused, number = f"{name}_{number}", number + 1
    return unused


def _row(grid: Grid, row: int) -> tuple[str, ...]:
    if not 0 <= row < len(grid.rows):
        raise GridError(f"there is no row {row + 1}: the table has {len(grid.rows)}")
    return grid.rows[row]


def _column(grid: Grid, column: str) -> int:
    if column not in grid.columns:
        raise GridError(f"there is no column {column}")
    return grid.columns.index(column)


def _cell(text: str) -> str:
    if len(text) > MAX_CELL:
        raise GridError(f"a cell has at most {MAX_CELL} characters, this one has {len(text)}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _checked(grid: Grid) -> Grid:
    if len(grid.rows) > MAX_EDITED:
        raise GridError(f"a table has at most {MAX_EDITED} rows, this one would have {len(grid.rows)}")
    return grid
