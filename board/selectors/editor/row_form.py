"""The form of one row in the editor: a field a column, with what it means, what it may hold, and what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import User

from board.process.editing.diff import Conflict, merge
from board.process.validation.problems import Problem, check
from board.selectors.editor.editor import CORE, Editing, base_of
from board.selectors.editor.processes import Changed, changes
from board.selectors.words import column_word

MAX_CHOICES = 500

HELP = {
    "task": "the id: a letter, then letters, digits, _ . -",
    "name": "what people read",
    "role": "who does it; system for nobody",
    "depends_on": "tasks or groups, task:answer for one answer only",
    "script": "what the worker runs, a file of the jobs directory",
    "collection": "makes this row a group, repeated per element: unit",
    "parent": "the group this row is in",
    "join": "how many of what it waits for are enough",
    "complete_when": "on a group: how many elements are enough",
    "sequential": "on a group: one script at a time",
    "retry": "further tries after a failure",
    "retry_delay": "seconds before the first further try",
    "timeout": "seconds one try may take",
    "params": "key=value; key2=value2",
    "assignee": "whose it is when an instance starts",
    "due": "counted from when it opens: 5d, 36h, 2w",
    "not_by": "whoever finished one of these tasks may not",
    "rearm": "no: finishing this runs no check again",
    "description": "the instruction people read, Markdown",
}
OFFERED = {
    "join": ("all", "any", "n=2", "pct=50", "inclusive"),
    "complete_when": ("all", "any", "n=2", "pct=90"),
    "sequential": ("yes",),
    "rearm": ("no",),
    "due": ("1d", "2d", "5d", "2w", "36h"),
}
SECTIONS = (  # what kind of row they are for, in the order of how often they are
    ("people", "For people", ("due", "assignee", "not_by", "rearm", "description")),
    ("script", "For a script", ("retry", "retry_delay", "timeout", "params")),
    ("group", "Waiting and repeating", ("join", "complete_when", "sequential")),
)


class Field(NamedTuple):
    """A field of the form: `place` is its column's place in the grid."""

    column: str
    place: int
    heading: str
    help: str
    value: str
    offered: tuple[str, ...]
    level: str
    message: str

    @property
    def is_long(self) -> bool:
        return self.column == "description"


class RowForm(NamedTuple):
    """The fields in sections; `first` is what the grid itself shows, `last` are columns of the user's own."""

    row: int | None
    first: tuple[Field, ...]
    sections: tuple[tuple[str, str, tuple[Field, ...]], ...]
    last: tuple[Field, ...]


class Merging(NamedTuple):
    """What saving puts together: what others changed, what collides, and what is wrong with both in one."""

    theirs: tuple[Changed, ...]
    conflicts: tuple[Conflict, ...]
    errors: tuple[Problem, ...]


def form_of(edited: Editing, row: int | None) -> RowForm:
    """Return the form of row `row`, counted from 0; of a new one, or of none yet, with empty fields."""
    line = edited.lines[row] if row is not None and row < len(edited.lines) else None

    def field(column: str) -> Field:
        place = edited.grid.columns.index(column)
        notes = [note for note in (line.notes if line else ()) if note[0] == column]
        level, message = (notes[0][1], " ".join(note[2] for note in notes)) if notes else ("", "")
        value = line.texts[place] if line else ""
        return Field(
            column, place, column_word(column), HELP.get(column, ""), value, OFFERED.get(column, ()), level, message
        )

    return RowForm(
        row,
        tuple(map(field, CORE)),
        tuple((kind, title, tuple(map(field, columns))) for kind, title, columns in SECTIONS),
        tuple(map(field, edited.own_columns)),
    )


def choices(edited: Editing, roles: set[str]) -> dict[str, list[str]]:
    """Return what may be picked in the grid, beside the tasks in it: roles, scripts, accounts."""
    own = {role for row in edited.table.rows for role in (row.role, *row.roles) if role}
    people = User.objects.filter(is_active=True).order_by("username").values_list("username", flat=True)
    return {
        "role": ["system", *sorted((own | roles) - {"system"})],
        "script": _scripts(),
        "assignee": list(people[:MAX_CHOICES]),
        "columns": list(edited.grid.columns),
    }


def _scripts() -> list[str]:
    root = Path(settings.FOLDBOARD_JOBS)
    scripts = []
    try:
        for folder, folders, names in root.walk():
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
            places = ((folder / name).relative_to(root).as_posix() for name in sorted(names))
            scripts += [place for place in places if place.lower().endswith((".py", ".r", ".sh"))]
            if len(scripts) >= MAX_CHOICES:
                break
    except OSError:
        return []
    return scripts[:MAX_CHOICES]


def merging(edited: Editing) -> Merging | None:
    """Return what saving would put together; None when nobody saved since the draft began."""
    if edited.draft is None or edited.newest is None or not edited.overtaken:
        return None
    base = base_of(edited.draft)
    merged = merge(base, edited.table, edited.newest.table)
    errors = tuple(problem for problem in check(merged.table) if problem.level == "error")
    return Merging(tuple(changes(base, edited.newest.table)), merged.conflicts, errors)
