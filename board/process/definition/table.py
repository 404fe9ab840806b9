"""The process table: rows and cells in, readings of them out (semantics, section 1.1).

A table keeps what it was given (columns, order, cells as text) and reads it once. It never
refuses anything: what is wrong is listed by `board.process.validation.problems`.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from board.process.definition import cells, legacy_per
from board.process.definition.cells import Dependency
from board.process.definition.elements import ElementError, ElementList
from board.process.definition.params import ParamsError, parse_params
from board.process.definition.text import clean

__all__ = ["COLUMNS", "MAX_ROWS", "Dependency", "ElementError", "ElementList", "ProcessTable", "Row"]

COLUMNS: tuple[str, ...] = (
    "task",
    "name",
    "role",
    "depends_on",
    "script",
    "collection",
    "parent",
    "join",
    "complete_when",
    "sequential",
    "retry",
    "retry_delay",
    "timeout",
    "params",
    "assignee",
    "due",
    "not_by",
    "rearm",
    "description",
)
MAX_ROWS = 5000
"""Rows of the largest table, imported, saved, or stamped into the log."""
NAMELESS = "?"  # the heading of a column that has cells but no name
_KNOWN = frozenset(COLUMNS)


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells as trimmed text (`""` is empty, a missing name is the task id) and what they mean.

    The readings never raise: a cell that cannot be read is its default there. Treat `env` as read-only.
    """

    task: str = ""
    name: str = ""
    role: str = ""
    depends_on: str = ""
    script: str = ""
    collection: str = ""
    parent: str = ""
    join: str = ""
    complete_when: str = ""
    sequential: str = ""
    retry: str = ""
    retry_delay: str = ""
    timeout: str = ""
    params: str = ""
    assignee: str = ""
    due: str = ""
    not_by: str = ""
    rearm: str = ""
    description: str = ""
    extra: tuple[tuple[str, str], ...] = ()

    has_name: bool = field(init=False, compare=False, repr=False)
    is_group: bool = field(init=False, compare=False, repr=False)
    is_script: bool = field(init=False, compare=False, repr=False)
    is_receive: bool = field(init=False, compare=False, repr=False)
    is_sequential: bool = field(init=False, compare=False, repr=False)
    roles: tuple[str, ...] = field(init=False, compare=False, repr=False)  # of people: whoever holds one of them
    dependencies: tuple[Dependency, ...] = field(init=False, compare=False, repr=False)
    not_by_tasks: tuple[str, ...] = field(init=False, compare=False, repr=False)
    retries: int = field(init=False, compare=False, repr=False)
    retry_delay_s: float = field(init=False, compare=False, repr=False)
    timeout_s: float = field(init=False, compare=False, repr=False)
    due_s: int | None = field(init=False, compare=False, repr=False)
    env: dict[str, str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("has_name", bool(self.name))
        put("name", self.name or self.task)
        put("is_group", bool(self.collection))
        put("is_script", self.role == cells.SYSTEM and bool(self.script) and not self.is_group)
        put("is_receive", self.role == cells.SYSTEM and not self.script and not self.is_group)
        put("is_sequential", cells.yes(self.sequential))
        put("roles", () if self.role == cells.SYSTEM else cells.names(self.role))
        put("dependencies", cells.dependencies(self.depends_on))
        put("not_by_tasks", cells.names(self.not_by))
        put("retries", cells.whole(self.retry) or 0)
        put("retry_delay_s", min(cells.seconds(self.retry_delay) or 0.0, float(cells.HOUR_S)))
        put("timeout_s", cells.seconds(self.timeout) or 0.0)
        put("due_s", cells.due(self.due))
        put("env", _environment(self.params))

    def cell(self, column: str) -> str:
        """Give the cell of a column as it was written, `""` when empty or unknown."""
        if column == "name":
            return self.name if self.has_name else ""
        if column in _KNOWN:
            return str(getattr(self, column))
        return dict(self.extra).get(column, "")

    def cells(self) -> dict[str, str]:
        """Give the cells that are not empty, by column."""
        known = {column: cell for column in COLUMNS if (cell := self.cell(column))}
        return known | dict(self.extra)


def _environment(cell: str) -> dict[str, str]:
    if not cell:
        return {}
    try:
        return parse_params(cell)
    except ParamsError:
        return {}


@dataclass(frozen=True)
class ProcessTable:
    """A process definition: its rows in order and its columns as given, known and unknown."""

    rows: tuple[Row, ...]
    columns: tuple[str, ...]

    @classmethod
    def from_rows(
        cls, rows: Iterable[Mapping[str, str | None]], columns: Iterable[str] | None = None
    ) -> "ProcessTable":
        """Make a table of one mapping a row; blank rows go, and the older column `per` is read as group rows."""
        given = list(rows)
        headings = {column: clean(column) for column in (*(columns or ()), *(c for row in given for c in row))}
        named = [
            {headings[column] or NAMELESS: text for column, cell in row.items() if (text := clean(cell))}
            for row in given
        ]
        filled = [row for row in named if row]
        seen = dict.fromkeys(headings.values())
        seen |= dict.fromkeys(column for row in filled for column in row)
        filled, kept = legacy_per.without_per(filled, [column for column in seen if column])
        return cls(tuple(_row(row, kept) for row in filled), tuple(kept))

    @classmethod
    def from_columns(cls, columns: Mapping[str, Sequence[str | None]]) -> "ProcessTable":
        """Make a table of one array a column (the `process` field of an instance); short columns end in empty cells."""
        lists = {name: _as_list(column) for name, column in columns.items()}
        length = max(map(len, lists.values()), default=0)
        rows = [{name: column[i] if i < len(column) else "" for name, column in lists.items()} for i in range(length)]
        return cls.from_rows(rows, columns)

    def to_columns(self) -> dict[str, list[str]]:
        """Give one array a column, all of the same length, empty cells as `""`."""
        return {column: [row.cell(column) for row in self.rows] for column in self.columns}

    def to_rows(self) -> list[dict[str, str]]:
        """Give one mapping a row with the cells that are not empty, in the order of the columns."""
        return [{column: cell for column in self.columns if (cell := row.cell(column))} for row in self.rows]

    def row(self, task: str) -> Row | None:
        """Give the row of a task or group, the first one if an id is repeated."""
        return self._by_task.get(task)

    def __hash__(self) -> int:
        # Flows are cached by table, and hashing every cell at every look would cost more than the look.
        return hash(self.version)

    @cached_property
    def version(self) -> str:
        """First 8 hex digits of the SHA-256 over the canonical JSON of the rows."""
        text = json.dumps([row.cells() for row in self.rows], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    @cached_property
    def _by_task(self) -> dict[str, Row]:
        return {row.task: row for row in reversed(self.rows)}


def _row(filled: Mapping[str, str], columns: Sequence[str]) -> Row:
    known = {column: cell for column, cell in filled.items() if column in _KNOWN}
    extra = tuple((column, filled[column]) for column in columns if column in filled and column not in _KNOWN)
    return Row(**known, extra=extra)


def _as_list(column: Sequence[str | None]) -> list[str | None]:
    # R writes a column of one row as a plain text, and a foreign program whatever it likes.
    return list(column) if isinstance(column, (list, tuple)) else [clean(column)]
