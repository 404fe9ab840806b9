"""The saved processes: the list, one of them as a table, its versions and what changed between two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from django.contrib.auth.models import User

from board.accounts.permissions import may_view
from board.log.definitions import Definition
from board.log.tail import Tail
from board.models import Draft
from board.process.definition.table import ProcessTable, Row
from board.process.editing.diff import diff
from board.process.engine.instance import Instance
from board.process.flow.flow import Flow, compile_flow
from board.process.picture.layout import is_large
from board.process.picture.svg import draw
from board.process.validation.problems import Problem
from board.selectors.editor.problems import problems_of
from board.selectors.summaries import Digest, all_of
from board.selectors.words import INSTANCE_STATES

ALWAYS = ("task", "name", "role", "depends_on", "script")  # columns shown even when they are empty
GOING = frozenset({"stuck", "active"})


class ListedProcess(NamedTuple):
    """A process in the list: its newest version, how many tasks, its instances by state, the draft of who looks."""

    definition: Definition
    tasks: int
    roles: tuple[str, ...]
    versions: int
    instances: dict[str, int]
    draft: Draft | None


class TableCell(NamedTuple):
    """A cell of the table with what is wrong with it, if anything."""

    column: str
    text: str
    problem: Problem | None


class TableRow(NamedTuple):
    """A row of the table: its depth inside groups, whether it is one, its cells."""

    row: Row
    depth: int
    cells: tuple[TableCell, ...]


class Changed(NamedTuple):
    """What became of one row: added, removed, moved or changed, its cells as (column, old, new).

    `moved` is said of a changed row too; `above` is the id of the row it now stands below, "" for the first place. A
    column of the user's own that came or went has no task and is its only cell.
    """

    task: str
    what: str
    cells: tuple[tuple[str, str, str], ...]
    moved: bool = False
    above: str = ""


class Version(NamedTuple):
    """One saved version and what it changed."""

    definition: Definition
    changes: tuple[Changed, ...]
    is_first: bool


class ProcessView(NamedTuple):
    """The page of a process at one version."""

    definition: Definition
    newest: Definition
    columns: tuple[str, ...]
    lines: tuple[TableRow, ...]
    problems: tuple[Problem, ...]
    versions: tuple[Version, ...]
    instances: tuple[tuple[str, str, bool], ...]  # id, state, whether it runs this very version
    draft: Draft | None
    draft_from: Definition | None

    @property
    def is_old(self) -> bool:
        return self.definition.version != self.newest.version

    @property
    def query(self) -> str:
        """What an address needs to mean this very version."""
        return f"version={self.definition.version}" if self.is_old else ""


def visible(user: User, table: ProcessTable) -> bool:
    """Return whether somebody sees a process, by the roles its rows name."""
    return may_view(user, compile_flow(table).roles)


def _seen(tail: Tail, user: User) -> Iterator[tuple[Instance, Digest]]:
    """Give the instances somebody sees: an older version may name other roles than the newest."""
    return (each for each in all_of(tail) if may_view(user, each[0].flow.roles))


def listing(tail: Tail, user: User) -> list[ListedProcess]:
    """Return every process somebody sees, by name."""
    mine = {draft.name: draft for draft in _drafts(user)}
    with tail.reading():
        counted: dict[str, dict[str, int]] = {}
        for instance, digest in _seen(tail, user):
            by_state = counted.setdefault(instance.name, dict.fromkeys(INSTANCE_STATES, 0))
            by_state[digest.state] += 1
        return [
            ListedProcess(
                definition,
                sum(1 for row in definition.table.rows if not row.is_group),
                tuple(sorted(compile_flow(definition.table).roles)),
                len(tail.versions(name)),
                counted.get(name, {}),
                mine.get(name),
            )
            for name, definition in sorted(tail.definitions().items(), key=lambda each: each[0].casefold())
            if visible(user, definition.table)
        ]


def unsaved(tail: Tail, user: User) -> list[Draft]:
    """Return somebody's drafts of processes that were never saved, the newest first."""
    saved = tail.definitions()
    return [draft for draft in _drafts(user) if draft.name not in saved]


def _drafts(user: User) -> list[Draft]:
    return list(Draft.objects.filter(user=user).defer("grid", "past", "future", "base_table").order_by("-changed"))


def process(tail: Tail, user: User, name: str, version: str = "") -> ProcessView | None:
    """Return one process at its newest or the given version; None when there is none, or none for this person."""
    with tail.reading():
        saved = tail.versions(name)
        if not saved or not visible(user, saved[-1].table):
            return None
        shown = next((d for d in reversed(saved) if d.version == version), None) if version else saved[-1]
        if shown is None:
            return None
        running = [(i.id, d.state, i.version == shown.version) for i, d in _seen(tail, user) if i.name == name]
    draft = next((draft for draft in _drafts(user) if draft.name == name), None)
    problems = tuple(problems_of(shown.table))
    return ProcessView(
        definition=shown,
        newest=saved[-1],
        columns=_columns(shown.table),
        lines=tuple(_lines(shown.table, problems)),
        problems=problems,
        versions=tuple(_versions(saved)),
        instances=tuple(running),
        draft=draft,
        draft_from=next((d for d in reversed(saved) if draft is not None and d.version == draft.base), None),
    )


def anchor(task: str) -> str:
    """Return the address of a task's row within a page."""
    return "#row-" + quote(task)


def picture(table: ProcessTable, name: str) -> str:
    """Return a process drawn, each task a link to its row; "" without tasks or with too many."""
    flow = compile_flow(table)
    return "" if not flow.tasks or is_large(flow) else _drawn(flow, name, anchor)


@lru_cache(maxsize=64)
def _drawn(flow: Flow, name: str, link: Callable[[str], str]) -> str:
    return draw(flow, name=name, link=link)


def going(tail: Tail, name: str) -> int:
    """Return how many instances of a process are under way."""
    with tail.reading():
        return sum(1 for instance, digest in all_of(tail) if instance.name == name and digest.state in GOING)


def _columns(table: ProcessTable) -> tuple[str, ...]:
    filled = {column for row in table.rows for column in row.cells()}
    return (*ALWAYS, *(c for c in table.columns if c in filled and c not in ALWAYS))


def _lines(table: ProcessTable, problems: tuple[Problem, ...]) -> list[TableRow]:
    at = {(p.row, p.column): p for p in reversed(problems)}
    columns = _columns(table)
    lines = []
    for number, row in enumerate(table.rows, start=1):
        cells = tuple(TableCell(c, row.cell(c), at.get((number, c))) for c in columns)
        lines.append(TableRow(row, depth_of(table, row), cells))
    return lines


def depth_of(table: ProcessTable, row: Row) -> int:
    """Return how many groups a row is in."""
    depth, seen, above = 0, {row.task}, table.row(row.parent) if row.parent else None
    while above is not None and above.task not in seen and depth < 5:
        depth += 1
        seen.add(above.task)
        above = table.row(above.parent) if above.parent else None
    return depth


def _versions(saved: list[Definition]) -> list[Version]:
    """Return every version, the newest first, with what it changed."""
    versions = []
    for number, definition in enumerate(saved):
        before = saved[number - 1].table if number else None
        differs = () if before is None else tuple(changes(before, definition.table))
        versions.append(Version(definition, differs, not number))
    return versions[::-1]


def changes(before: ProcessTable, after: ProcessTable) -> list[Changed]:
    """Return what turns one table into another, row by row and cell by cell, rows known by their ids."""
    by_task: dict[str, Changed] = {}
    columns = []
    for change in diff(before, after):
        if not change.task and change.column:
            columns.append(Changed("", change.kind, ((change.column, change.before, change.after),)))
            continue
        was = by_task.get(change.task, Changed(change.task, change.kind, ()))
        if change.kind == "moved":
            was = was._replace(moved=True, above=change.after)
        elif change.kind == "changed":
            was = was._replace(what="changed", cells=(*was.cells, (change.column, change.before, change.after)))
        else:
            new = change.kind == "added"
            was = was._replace(cells=_cells_of(after, change.task) if new else (("name", change.before, ""),))
        by_task[change.task] = was
    return [*columns, *by_task.values()]


def _cells_of(table: ProcessTable, task: str) -> tuple[tuple[str, str, str], ...]:
    row = table.row(task)
    cells = row.cells().items() if row is not None else ()
    return tuple((column, "", text) for column, text in cells if column != "task")
