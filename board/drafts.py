"""Drafts: a process being edited, kept per person in the database until it is saved or thrown away.

Every edit names the `edits` count it was made against. An edit against an older one (another tab, a click sent twice)
is refused, and nothing of the draft is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from board.log.tail import Tail
from board.models import Draft
from board.process import grid as edit
from board.process.actor import Actor
from board.process.decide import Refusal
from board.process.diff import Conflict, Merge, Side, merge
from board.process.grid import Grid, GridError
from board.process.table import ProcessTable
from board.services import definitions

UNDO = 100


def find(user: User, name: str) -> Draft | None:
    """Somebody's draft of a process, if there is one."""
    return Draft.objects.filter(user=user, name=name).first()


def begin(user: User, tail: Tail, name: str) -> Draft:
    """The draft of a process: the one that is there, else one that begins from the newest version. Refusal: none."""
    found = find(user, name)
    if found is not None:
        return found
    definition = tail.definition(name)
    if definition is None:
        raise Refusal("no_process", f"There is no process “{name}”: make a new one first.")
    table = definition.table
    return _made(user, name, Grid.of(table), base=definition.version, base_table=table.to_columns())


def begin_new(user: User, tail: Tail, name: str, table: ProcessTable) -> Draft:
    """A draft of a process that does not exist yet. Refusal: the name is taken, or is no name."""
    name = name.strip()
    definitions.check_name(name)
    if tail.definition(name) is not None:
        raise Refusal("exists", f"There is a process “{name}” already: choose another name, or edit that one.")
    if find(user, name) is not None:
        raise Refusal("exists", f"You have a draft of the name “{name}” already: go on with it, or throw it away.")
    return _made(user, name, Grid.of(table), base="", base_table={})


def begin_import(user: User, tail: Tail, name: str, table: ProcessTable) -> Draft:
    """Take the table of a file into the draft of a process, as one edit that can be undone."""
    draft = begin(user, tail, name)
    return change(draft, draft.edits, lambda _: Grid.of(table))


def table_of(draft: Draft) -> ProcessTable:
    """The table the draft would save."""
    return Grid.from_json(draft.grid).table()


def base_of(draft: Draft) -> ProcessTable:
    """The table the draft began from; without rows for a new process."""
    return ProcessTable.from_columns(draft.base_table)


def change(draft: Draft, edits: int, to: Callable[[Grid], Grid]) -> Draft:
    """One edit; raises GridError, and Refusal when the draft has moved on since `edits`."""
    with transaction.atomic():
        now = Draft.objects.select_for_update().get(pk=draft.pk)
        _check_current(now, edits)
        before = now.grid
        after = to(Grid.from_json(before)).to_json()
        if after != before:
            now.past, now.future, now.grid = [*now.past, before][-UNDO:], [], after
        now.edits += 1
        now.save()
    return now


def undo(draft: Draft, edits: int) -> Draft:
    """Back by one edit; nothing to undo changes nothing."""
    return _step(draft, edits, "past", "future")


def redo(draft: Draft, edits: int) -> Draft:
    """Forward again by one edit."""
    return _step(draft, edits, "future", "past")


def discard(draft: Draft) -> None:
    """Throw a draft away."""
    draft.delete()


def save(
    draft: Draft, tail: Tail, who: Actor, note: str, chosen: Mapping[tuple[str, str], Side] | None = None
) -> Merge | None:
    """Save a draft as a version and end it; None when that is done.

    When somebody saved meanwhile: what does not collide is merged and saved; where it collides and nothing is `chosen`,
    the merge is returned to be asked, and the draft stays as it is. Raises Refusal.
    """
    mine = table_of(draft)
    newest = tail.definition(draft.name)
    if newest is None or newest.version == draft.base:
        definitions.save(tail, who, draft.name, mine, note, base=draft.base)
        draft.delete()
        return None
    merged = merge(base_of(draft), mine, newest.table, chosen)
    if merged.conflicts:
        return merged
    definitions.save(tail, who, draft.name, merged.table, note, base=newest.version)
    draft.delete()
    return None


def edit_of(said: Mapping[str, Any]) -> Callable[[Grid], Grid]:
    """The edit a form or a script asks for (`do` and what it needs), to be made on the grid; raises GridError."""
    do = str(said.get("do", ""))
    row, rows = _whole(said.get("row", 0)), [_whole(n) for n in said.get("rows", [])]
    match do:
        case "put":
            block = _block(said.get("block"))
            return lambda grid: edit.put(grid, row, str(said.get("column", "")), block)
        case "add":
            return lambda grid: edit.add(grid, row)
        case "duplicate":
            return lambda grid: edit.duplicate(grid, row)
        case "move":
            return lambda grid: edit.move(grid, row, _whole(said.get("by", 0)))
        case "remove":
            return lambda grid: edit.remove(grid, rows)
        case "group":
            return lambda grid: edit.group(grid, rows, str(said.get("collection", "")))
        case "ungroup":
            return lambda grid: edit.ungroup(grid, row)
    raise GridError(f"“{do}” is nothing that can be done to a table")


def conflict_key(conflict: Conflict) -> tuple[str, str]:
    """By what a conflict is chosen: its task and column."""
    return conflict.task, conflict.column


def _made(user: User, name: str, grid: Grid, *, base: str, base_table: Mapping[str, Sequence[str]]) -> Draft:
    return Draft.objects.create(user=user, name=name, base=base, base_table=dict(base_table), grid=grid.to_json())


def _step(draft: Draft, edits: int, source: str, target: str) -> Draft:
    with transaction.atomic():
        now = Draft.objects.select_for_update().get(pk=draft.pk)
        _check_current(now, edits)
        found: list[dict[str, Any]] = list(getattr(now, source))
        if found:
            setattr(now, target, [*getattr(now, target), now.grid])
            now.grid = found.pop()
            setattr(now, source, found)
        now.edits += 1
        now.save()
    return now


def _check_current(draft: Draft, edits: int) -> None:
    if draft.edits != edits:
        raise Refusal("moved_on", "This draft was edited elsewhere meanwhile: here it is as it is now.")


def _whole(value: object) -> int:
    text = str(value)
    if not text.removeprefix("-").isdecimal() or len(text) > 6:
        raise GridError(f"“{text}” is no row")
    return int(text)


def _block(said: object) -> list[list[str]]:
    if not isinstance(said, list) or not all(isinstance(line, list) for line in said):
        raise GridError("a block of cells is a list of rows, each a list of texts")
    return [[str(cell) for cell in line] for line in said]
