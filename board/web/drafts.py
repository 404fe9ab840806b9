"""Drafts: a process being edited, kept per person in the database until it is saved or thrown away.

Every edit names the `edits` count it was made against. An edit against an older one (another tab, a click sent twice)
is refused, and nothing of the draft is lost. An edit that carries a name is made once, however often it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from board.log.tail import Tail
from board.models import Draft
from board.process.definition.table import ProcessTable
from board.process.editing import grid as edit
from board.process.editing.diff import Merge, Side, merge
from board.process.editing.grid import Grid, GridError
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.services import definitions

UNDO = 100
NAMES_KEPT = 50
ELSEWHERE = "This draft was edited elsewhere meanwhile: here it is as it is now."


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


def begin_at(user: User, tail: Tail, name: str, draft: int, base: str, called: str = "") -> Draft:
    """The draft an edit was made in: number `draft`, or for 0 the one that now begins from the version `base`.

    `called`: the edit's name, by which one that was sent again is known. Refusal: the draft has been saved or thrown
    away, or somebody saved a newer version before the first edit.
    """
    found = find(user, name)
    if found is None and not draft:
        definition = tail.definition(name)
        if definition is not None and definition.version == base:
            return begin(user, tail, name)
        if definition is not None and base:
            said = f"{definition.actor} saved “{name}” meanwhile, {definition.ts}: here it is as it is now."
            raise Refusal("moved_on", said)
    if found is None or (found.pk != draft and called not in found.made):
        raise Refusal("moved_on", ELSEWHERE)
    return found


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


def change(draft: Draft, edits: int, to: Callable[[Grid], Grid], called: str = "") -> Draft:
    """One edit; raises GridError, and Refusal when the draft has moved on since `edits`.

    `called` is the sender's name for it: a second one of that name changes nothing.
    """

    def edited(now: Draft) -> None:
        before = now.grid
        after = to(Grid.from_json(before)).to_json()
        if after != before:
            now.past, now.future, now.grid = [*now.past, _way(after, before)][-UNDO:], [], after

    return _edited(draft, edits, edited, called)


def undo(draft: Draft, edits: int, called: str = "") -> Draft:
    """Back by one edit; nothing to undo changes nothing."""
    return _edited(draft, edits, lambda now: _step(now, "past", "future"), called)


def redo(draft: Draft, edits: int, called: str = "") -> Draft:
    """Forward again by one edit."""
    return _edited(draft, edits, lambda now: _step(now, "future", "past"), called)


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
        _end(draft, mine)
        return None
    merged = merge(base_of(draft), mine, newest.table, chosen)
    if merged.conflicts:
        return merged
    definitions.save(tail, who, draft.name, merged.table, note, base=newest.version)
    _end(draft, merged.table)
    return None


def take_in(
    draft: Draft, tail: Tail, edits: int, chosen: Mapping[tuple[str, str], Side] | None = None
) -> tuple[Draft, Merge]:
    """Put what others saved meanwhile into the draft, which then goes on from the newest version; mine where it
    collides and nothing is `chosen`. There is no undo across it, for that would take the others' work back unseen.
    """
    newest = tail.definition(draft.name)
    if newest is None:
        raise Refusal("no_process", f"Nobody has saved “{draft.name}” yet: there is nothing to take in.")
    merged = merge(base_of(draft), table_of(draft), newest.table, chosen)

    def edited(now: Draft) -> None:
        now.grid, now.past, now.future = Grid.of(merged.table).to_json(), [], []
        now.base, now.base_table = newest.version, newest.table.to_columns()

    return _edited(draft, edits, edited, ""), merged


def edit_of(said: Mapping[str, Any]) -> Callable[[Grid], Grid]:
    """The edit a form or a script asks for (`do` and what it needs), to be made on the grid; raises GridError."""
    do = str(said.get("do", ""))
    row, rows = _whole(said.get("row", 0)), [_whole(n) for n in said.get("rows", [])]
    match do:
        case "put":
            block, column = _block(said.get("block")), str(said.get("column", ""))
            return lambda grid: edit.put(_with_row(grid, row, said.get("task")), row, column, block)
        case "add":
            return lambda grid: edit.add(grid, row)
        case "duplicate":
            return lambda grid: edit.duplicate_all(grid, rows)
        case "move":
            return lambda grid: edit.move_all(grid, rows, _whole(said.get("by", 0)))
        case "remove":
            return lambda grid: edit.remove(grid, rows)
        case "group":
            return lambda grid: edit.group(grid, rows, str(said.get("collection", "")))
        case "ungroup":
            return lambda grid: edit.ungroup(grid, row)
    raise GridError(f"“{do}” is nothing that can be done to a table")


def _made(user: User, name: str, grid: Grid, *, base: str, base_table: Mapping[str, Sequence[str]]) -> Draft:
    cells = {"base": base, "base_table": dict(base_table), "grid": grid.to_json()}
    return Draft.objects.get_or_create(user=user, name=name, defaults=cells)[0]


def _edited(draft: Draft, edits: int, to: Callable[[Draft], None], called: str) -> Draft:
    """One edit of a draft as it now is, unless it was made already."""
    with transaction.atomic():
        now = Draft.objects.select_for_update().filter(pk=draft.pk).first()
        if now is None:
            raise Refusal("moved_on", ELSEWHERE)
        if called and called in now.made:
            return now
        if now.edits != edits:
            raise Refusal("moved_on", ELSEWHERE)
        to(now)
        now.edits += 1
        now.made = [*now.made, called][-NAMES_KEPT:] if called else now.made
        now.save()
    return now


def _step(now: Draft, source: str, target: str) -> None:
    found: list[dict[str, Any]] = list(getattr(now, source))
    if found:
        before, now.grid = now.grid, _gone(now.grid, found.pop())
        setattr(now, source, found)
        setattr(now, target, [*getattr(now, target), _way(now.grid, before)])


def _way(start: dict[str, Any], end: dict[str, Any]) -> dict[str, Any]:
    """What turns one grid into another: the rows that differ, for a draft is written whole with every edit; all of it
    where the columns differ."""
    if start["columns"] != end["columns"]:
        return end
    old, new = start["rows"], end["rows"]
    most = min(len(old), len(new))
    above = next((n for n in range(most) if old[n] != new[n]), most)
    below = next((n for n in range(most - above) if old[-1 - n] != new[-1 - n]), most - above)
    return {"at": above, "drop": len(old) - above - below, "rows": new[above : len(new) - below]}


def _gone(grid: dict[str, Any], way: dict[str, Any]) -> dict[str, Any]:
    """The grid a way leads to."""
    if "columns" in way:
        return way
    at, rows = way["at"], grid["rows"]
    return {"columns": grid["columns"], "rows": [*rows[:at], *way["rows"], *rows[at + way["drop"] :]]}


def _end(draft: Draft, saved: ProcessTable) -> None:
    """A saved draft ends; one that was edited while it was being saved goes on from what was saved."""
    if not Draft.objects.filter(pk=draft.pk, edits=draft.edits).delete()[0]:
        going_on = Draft.objects.filter(pk=draft.pk)
        going_on.update(base=saved.version, base_table=saved.to_columns(), past=[], future=[])


def _with_row(grid: Grid, row: int, task: object) -> Grid:
    """The grid, if the row is still the one that was edited: the one of this id, where the sender says which."""
    there = grid.cell(row, "task") if row < len(grid.rows) else ""
    if task is not None and there != str(task):
        raise GridError(f"row {row + 1} is “{there}” by now and no longer “{task}”")
    return grid


def _whole(value: object) -> int:
    text = str(value)
    if not text.removeprefix("-").isdecimal() or len(text) > 6:
        raise GridError(f"“{text}” is no row")
    return int(text)


def _block(said: object) -> list[list[str]]:
    if not isinstance(said, list) or not all(isinstance(line, list) for line in said):
        raise GridError("a block of cells is a list of rows, each a list of texts")
    return [[str(cell) for cell in line] for line in said]
