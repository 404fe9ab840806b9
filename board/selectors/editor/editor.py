"""The editor's page: rows as they are shown, what is wrong with them, the picture.

A `GridRow` holds all that a row shows and nothing else, so rows that show the same are rendered once.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from django.contrib.auth.models import User
from django.template.loader import get_template

from board.log.definitions import Definition
from board.log.faults import note_fault
from board.log.tail import Tail
from board.models import Draft
from board.process.definition.table import COLUMNS, ProcessTable, Row
from board.process.editing.diff import diff
from board.process.editing.grid import Grid
from board.process.flow.flow import Flow, compile_flow
from board.process.validation.problems import Problem
from board.selectors.editor.problems import problems_of
from board.selectors.editor.processes import depth_of, picture
from board.selectors.words import column_word

_logger = logging.getLogger(__name__)
CORE = ("task", "name", "role", "depends_on", "script", "collection", "parent")  # columns of the grid itself
SELDOM = tuple(column for column in COLUMNS if column not in CORE)
MORE = "more"  # the grid's last column, which sums up the others
SHOWN = 400  # characters of a cell in the grid; the whole text is in the field


class DependencyToken(NamedTuple):
    """One dependency: what people call the task, the answer asked of it, whether it points back, whether it exists."""

    task: str
    name: str
    label: str
    back: bool
    known: bool


class GridCell(NamedTuple):
    """A cell of the grid: its text, for dependencies their tokens, and what is wrong (`level`: error, warning, "")."""

    column: str
    text: str
    tokens: tuple[DependencyToken, ...]
    level: str
    message: str

    @property
    def shown(self) -> str:
        return self.text if len(self.text) <= SHOWN else self.text[: SHOWN - 1] + "…"


class GridRow(NamedTuple):
    """All that one row shows; `texts` are the cells of every column, `notes` (column, level, message)."""

    texts: tuple[str, ...]
    cells: tuple[GridCell, ...]
    depth: int
    is_group: bool
    anchor: str
    notes: tuple[tuple[str, str, str], ...]

    @property
    def said(self) -> str:
        """For the script of the page: every cell, and what is wrong with which."""
        return json.dumps([self.texts, self.notes], ensure_ascii=False, separators=(",", ":"))

    @property
    def task(self) -> str:
        return self.texts[0]

    @property
    def title(self) -> str:
        """How people call the row."""
        return self.texts[1] or self.texts[0] or "A row without an id"


class ListedProblem(NamedTuple):
    """A problem in the list: `row` counts the rows of the grid from 0, None for the whole table."""

    problem: Problem
    row: int | None

    @property
    def heading(self) -> str:
        return column_word(self.problem.column)


@dataclass(frozen=True)
class Editing:
    """A process as somebody edits it: their draft, or the newest version while they have not changed anything."""

    user: User
    name: str
    grid: Grid
    draft: Draft | None
    base: Definition | None
    newest: Definition | None

    @property
    def edits(self) -> int:
        return self.draft.edits if self.draft else 0

    @property
    def number(self) -> int:
        return self.draft.pk if self.draft else 0

    @property
    def base_version(self) -> str:
        return self.draft.base if self.draft else self.newest.version if self.newest else ""

    @cached_property
    def table(self) -> ProcessTable:
        return self.grid.table()

    @cached_property
    def flow(self) -> Flow:
        return compile_flow(self.table)

    @cached_property
    def problems(self) -> list[Problem]:
        return problems_of(self.table)

    @cached_property
    def listed(self) -> list[ListedProblem]:
        """Every problem with its row of the grid, errors first."""
        numbers = self.grid.numbers()
        listed = [ListedProblem(p, numbers[p.row - 1] if 0 < p.row <= len(numbers) else None) for p in self.problems]
        return sorted(listed, key=lambda each: each.problem.level != "error")

    @property
    def errors(self) -> int:
        return sum(problem.level == "error" for problem in self.problems)

    @property
    def warnings(self) -> int:
        return len(self.problems) - self.errors

    @cached_property
    def changes(self) -> int:
        """How many rows and cells differ from what the draft began with."""
        return len(diff(base_of(self.draft), self.table)) if self.draft else 0

    @property
    def overtaken(self) -> bool:
        """Whether somebody saved a newer version since the draft began."""
        return self.draft is not None and self.newest is not None and self.newest.version != self.draft.base

    @cached_property
    def lines(self) -> tuple[GridRow, ...]:
        return _lines(self)

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The columns that are not ours."""
        return tuple(column for column in self.grid.columns if column not in COLUMNS)

    @property
    def picture(self) -> str:
        """The process drawn, each task a link to its row; "" without tasks, with too many, or if it cannot be drawn."""
        try:
            return picture(self.table, self.name)
        except Exception as error:  # a half-written table that nobody thought of must not close its editor
            note_fault(_logger, error, f"The draft of “{self.name}” cannot be drawn")
            return ""


def editing(user: User, tail: Tail, name: str) -> Editing | None:
    """Return what somebody edits under a name; None when there is neither such a process nor a draft of theirs."""
    newest, draft = tail.definition(name), Draft.objects.filter(user=user, name=name).first()
    if draft is not None:
        return of_draft(user, tail, draft)
    return None if newest is None else Editing(user, name, Grid.of(newest.table), None, newest, newest)


def of_draft(user: User, tail: Tail, draft: Draft) -> Editing:
    """Return what somebody edits in a draft."""
    base = next((d for d in reversed(tail.versions(draft.name)) if d.version == draft.base), None)
    return Editing(user, draft.name, Grid.from_json(draft.grid), draft, base, tail.definition(draft.name))


def base_of(draft: Draft) -> ProcessTable:
    """Return the table a draft began from; without rows for a new process."""
    return ProcessTable.from_columns(draft.base_table)


@lru_cache(maxsize=8192)
def rendered(line: GridRow) -> str:
    """Return a row of the grid as HTML."""
    return get_template("editor/row.html").render({"line": line}).strip()


# rows


def _lines(edited: Editing) -> tuple[GridRow, ...]:
    notes: dict[int, list[tuple[str, str, str]]] = {}
    for problem, number in edited.listed:
        if number is not None:
            notes.setdefault(number, []).append((problem.column, problem.level, problem.message))
    numbers = {number: n for n, number in enumerate(edited.grid.numbers())}
    seen: set[str] = set()
    lines = []
    for number, texts in enumerate(edited.grid.rows):
        row = edited.table.rows[numbers[number]] if number in numbers else None
        task = row.task if row is not None and row.task not in seen else ""
        seen.add(task)
        lines.append(_line(edited, texts, row, tuple(notes.get(number, ())), task))
    return tuple(lines)


def _line(
    edited: Editing, texts: tuple[str, ...], row: Row | None, notes: tuple[tuple[str, str, str], ...], task: str
) -> GridRow:
    by_column = dict(zip(edited.grid.columns, texts, strict=True))
    cells = [_cell(edited, column, by_column[column], row, notes) for column in CORE]
    level, message = _worst([note for note in notes if note[0] not in CORE])
    cells.append(GridCell(MORE, summed_up(edited, by_column), (), level, message))
    depth = depth_of(edited.table, row) if row is not None else 0
    return GridRow(texts, tuple(cells), depth, row is not None and row.is_group, task, notes)


def _cell(edited: Editing, column: str, text: str, row: Row | None, notes: Sequence[tuple[str, str, str]]) -> GridCell:
    level, message = _worst([note for note in notes if note[0] == column])
    tokens = _tokens(edited, row) if column == "depends_on" and row is not None else ()
    return GridCell(column, text, tokens, level, message)


def _worst(notes: Sequence[tuple[str, str, str]]) -> tuple[str, str]:
    return notes[0][1] if notes else "", " ".join(message for _, _, message in notes)


def _tokens(edited: Editing, row: Row) -> tuple[DependencyToken, ...]:
    flow = edited.flow
    backs = set(flow.loop_backs(row.task)) if row.task in flow.index and not row.is_group else set()
    tokens = []
    for task, label in row.dependencies:
        there = edited.table.row(task)
        group = flow.groups.get(task)
        sources = {flow.tasks[t] for t in group.exits} if group is not None else {task}
        tokens.append(
            DependencyToken(task, there.name if there else task, label, bool(sources & backs), there is not None)
        )
    return tuple(tokens)


def summed_up(edited: Editing, cells: Mapping[str, str]) -> str:
    """Return the seldom columns of a row in a few words."""
    words = []
    for column in (*SELDOM, *edited.own_columns):
        text = " ".join(cells.get(column, "").split())
        if not text:
            continue
        if column == "description":
            words.append("described")
        elif column == "not_by":
            names = (edited.table.row(task.strip()) for task in text.split(","))
            called = [row.name if row else task.strip() for row, task in zip(names, text.split(","), strict=True)]
            words.append("not by " + ", ".join(called))
        else:
            words.append(f"{column_word(column)} {text if len(text) <= 40 else text[:39] + '…'}")
    return " · ".join(words)


def blank_line(edited: Editing) -> GridRow:
    """Return a row with nothing in it, which the script of the page makes new ones from."""
    texts = ("",) * len(edited.grid.columns)
    cells = tuple(GridCell(column, "", (), "", "") for column in (*CORE, MORE))
    return GridRow(texts, cells, 0, False, "", ())


def numbered(lines: Sequence[GridRow]) -> list[str]:
    """Return rows of the grid as HTML with their numbers, for a page that works without scripts."""
    return [_NUMBER.sub(str(number), rendered(line)) for number, line in enumerate(lines)]


# The template leaves the number open, in attributes; quotes in texts are escaped, so nothing typed looks like one.
_NUMBER = re.compile(r'(?<=value=")N(?=")|(?<=\?row=)N(?=#row")|(?<=="m)N(?=-)')
