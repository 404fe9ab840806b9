"""The saved processes: the list, one of them as a table, its versions and what changed between two."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import Group, User

from board.log.shelf import Definition
from board.log.tail import Tail
from board.permissions import may_view
from board.process.flow import compile_flow
from board.process.problems import Problem, check
from board.process.table import ProcessTable, Row
from board.selectors.digest import all_of

ALWAYS = ("task", "name", "role", "depends_on", "script")  # columns shown even when they are empty
STATES = ("stuck", "active", "complete", "cancelled")


class Listed(NamedTuple):
    """A process in the list: its newest version, how many tasks, and its instances by state."""

    definition: Definition
    tasks: int
    roles: tuple[str, ...]
    versions: int
    instances: dict[str, int]


class Cell(NamedTuple):
    """A cell of the table with what is wrong with it, if anything."""

    column: str
    text: str
    problem: Problem | None


class Line(NamedTuple):
    """A row of the table: its depth inside groups, whether it is one, its cells."""

    row: Row
    depth: int
    cells: tuple[Cell, ...]


class Change(NamedTuple):
    """What one version changed against the one before: the task, what became of it, cells as (column, old, new)."""

    task: str
    what: str
    cells: tuple[tuple[str, str, str], ...]


class Version(NamedTuple):
    """One saved version and what it changed."""

    definition: Definition
    changes: tuple[Change, ...]
    is_first: bool


class ProcessView(NamedTuple):
    """The page of a process at one version."""

    definition: Definition
    newest: Definition
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    problems: tuple[Problem, ...]
    versions: tuple[Version, ...]
    instances: tuple[tuple[str, str, bool], ...]  # id, state, whether it runs this very version


def visible(user: User, table: ProcessTable) -> bool:
    """Whether somebody sees a process, by the roles its rows name."""
    return may_view(user, compile_flow(table).roles)


def listing(tail: Tail, user: User) -> list[Listed]:
    """Every process somebody sees, by name."""
    with tail.reading():
        counted: dict[str, dict[str, int]] = {}
        for instance, found in all_of(tail):
            by_state = counted.setdefault(instance.name, dict.fromkeys(STATES, 0))
            by_state[found.state] += 1
        return [
            Listed(
                definition,
                sum(1 for row in definition.table.rows if not row.is_group),
                tuple(sorted(compile_flow(definition.table).roles)),
                len(tail.versions(name)),
                counted.get(name, {}),
            )
            for name, definition in tail.definitions().items()
            if visible(user, definition.table)
        ]


def process(tail: Tail, user: User, name: str, version: str = "") -> ProcessView | None:
    """One process at its newest or the given version; None when there is none, or none for this person."""
    with tail.reading():
        saved = tail.versions(name)
        if not saved or not visible(user, saved[-1].table):
            return None
        shown = next((d for d in reversed(saved) if d.version == version), None) if version else saved[-1]
        if shown is None:
            return None
        running = [(i.id, d.state, i.version == shown.version) for i, d in all_of(tail) if i.name == name]
    problems = tuple(check(shown.table, roles_held=_roles_held(), scripts_found=script_found))
    return ProcessView(
        definition=shown,
        newest=saved[-1],
        columns=_columns(shown.table),
        lines=tuple(_lines(shown.table, problems)),
        problems=problems,
        versions=tuple(_versions(saved)),
        instances=tuple(running),
    )


def script_found(script: str) -> bool:
    """Whether the jobs directory has a script of that name; a function of a package is not looked for."""
    if ":" in script:
        return True
    root = Path(settings.FOLDBOARD_JOBS)
    try:
        path = (root / script).resolve()
        return path.is_relative_to(root.resolve()) and path.is_file()
    except (OSError, ValueError):
        return False


def _roles_held() -> set[str]:
    return set(Group.objects.filter(user__is_active=True).values_list("name", flat=True))


def _columns(table: ProcessTable) -> tuple[str, ...]:
    filled = {column for row in table.rows for column in row.cells()}
    return (*ALWAYS, *(c for c in table.columns if c in filled and c not in ALWAYS))


def _lines(table: ProcessTable, problems: tuple[Problem, ...]) -> list[Line]:
    at = {(p.row, p.column): p for p in reversed(problems)}
    columns = _columns(table)
    found = []
    for number, row in enumerate(table.rows, start=1):
        cells = tuple(Cell(c, row.cell(c), at.get((number, c))) for c in columns)
        found.append(Line(row, _depth(table, row), cells))
    return found


def _depth(table: ProcessTable, row: Row) -> int:
    depth, seen, above = 0, {row.task}, table.row(row.parent) if row.parent else None
    while above is not None and above.task not in seen and depth < 5:
        depth += 1
        seen.add(above.task)
        above = table.row(above.parent) if above.parent else None
    return depth


def _versions(saved: list[Definition]) -> list[Version]:
    """Every version, the newest first, with what it changed."""
    found = []
    for number, definition in enumerate(saved):
        before = saved[number - 1].table if number else None
        found.append(
            Version(definition, () if before is None else tuple(changes(before, definition.table)), not number)
        )
    return found[::-1]


def changes(before: ProcessTable, after: ProcessTable) -> list[Change]:
    """What turns one table into another, row by row, known by their task ids."""
    old, new = ({row.task: row.cells() for row in table.rows} for table in (before, after))
    found = [Change(task, "removed", ()) for task in old if task not in new]
    for task, cells in new.items():
        if task not in old:
            found.append(Change(task, "added", ()))
            continue
        was = old[task]
        changed = [(c, was.get(c, ""), cells.get(c, "")) for c in dict.fromkeys((*was, *cells))]
        differing = tuple(each for each in changed if each[1] != each[2])
        if differing:
            found.append(Change(task, "changed", differing))
    kept_before, kept_after = ([t for t in x if t in y] for x, y in ((old, new), (new, old)))
    if not found and kept_before != kept_after:
        found.append(Change("", "moved", ()))
    return found
