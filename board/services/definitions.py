"""Saving process definitions: each version is events of the instance `@processes`."""

from __future__ import annotations

import json

from board.log.event import PROCESSES, Event, id_fault, utcnow
from board.log.tail import Tail
from board.process.definition.table import ProcessTable
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.process.engine.events import Draft
from board.process.validation.problems import check
from board.services.write import Clock, events_of

MAX_NAME = 128


def save(
    tail: Tail,
    who: Actor,
    name: str,
    table: ProcessTable,
    note: str,
    *,
    base: str | None = None,
    now: Clock = utcnow,
) -> list[Event]:
    """Save a definition as a new version; raises Refusal.

    `base` is the version the edit began from ("" for a new process): a save over a newer one is refused with code
    `conflict`, so that it can be merged; None overwrites whatever is there.
    """
    if not who.may_edit:
        raise Refusal("no_right", "Only a process editor may save a process.")
    name, note = name.strip(), note.strip()
    check_name(name)
    errors = [p for p in check(table) if p.level == "error"]
    if errors:
        said = "; ".join(p.message for p in errors[:3]) + (" …" if len(errors) > 3 else "")
        raise Refusal("errors", f"“{name}” has {len(errors)} error(s) and cannot be saved: {said}")
    with tail.acting() as acting:
        there = tail.definition(name)
        newest = there.version if there is not None else ""
        if base is not None and newest != base:
            who_saved = f" by {there.actor}, {there.ts}" if there is not None else ""
            raise Refusal("conflict", f"“{name}” was saved meanwhile{who_saved}: look at the changes and merge them.")
        if there is not None and newest == table.version:
            raise Refusal("unchanged", f"“{name}” is saved like that already: nothing was changed.")
        said_table = json.dumps(table.to_columns(), ensure_ascii=False, separators=(",", ":"))
        fields = {"process": said_table, "version": table.version, "note": note}
        drafts = [Draft(name, field, value, who.name) for field, value in fields.items()]
        return acting.append(events_of(PROCESSES, drafts, now()))


def restore(tail: Tail, who: Actor, name: str, version: str, *, now: Clock = utcnow) -> list[Event]:
    """Save an older version anew, as the newest."""
    old = next((d for d in reversed(tail.versions(name)) if d.version == version), None)
    if old is None:
        raise Refusal("no_version", f"“{name}” has no version {version}.")
    return save(tail, who, name, old.table, f"Restored version {version} of {old.ts}", now=now)


def check_name(name: str) -> None:
    """Refuse what is no name of a process."""
    if not name or len(name) > MAX_NAME or not name.isprintable() or id_fault(PROCESSES, name, ""):
        raise Refusal("name", f"A process needs a name of 1 to {MAX_NAME} printable characters, not beginning with @.")
