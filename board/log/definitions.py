"""The saved process definitions: events of the instance `@processes`, a version each save (semantics, section 2.2)."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from board.log.event import PROCESSES, Event
from board.log.faults import note_fault
from board.process.definition.table import ProcessTable
from board.process.definition.text import heading, shown
from board.process.validation.bounds import read_table

__all__ = ["PROCESSES", "Definition", "Definitions"]

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Definition:
    """One saved version of a process; `seq` is the offset of its event in the log."""

    name: str
    table: ProcessTable
    version: str
    note: str
    ts: str
    actor: str
    seq: int


class Definitions:
    """Every version of every process, oldest first."""

    def __init__(self) -> None:
        self.versions: dict[str, list[Definition]] = {}
        self.unreadable: list[tuple[int, str]] = []
        self._notes: dict[tuple[str, str, str], str] = {}

    def tell(self, offset: int, event: Event) -> None:
        """Take in an event of `@processes`; a save that cannot be read is noted in `unreadable` and left out."""
        if event.field == "process":
            self._save(offset, event)
        elif event.field == "note":
            self._note(event)

    def _save(self, offset: int, event: Event) -> None:
        try:
            table = read_table(event.value)
        except Exception as error:  # an odd line must not take the other processes down
            reason = shown(str(error), 300)
            if not isinstance(error, (ValueError, RecursionError)):
                reason = note_fault(_logger, error, f"The process {event.task} saved at byte {offset} cannot be read")
            why = f"The process “{event.task}” saved by {heading(event.actor)} is unreadable: {reason}"
            self.unreadable.append((offset, why))
            return
        note = self._notes.pop((event.task, event.ts, event.actor), "")
        saved = Definition(event.task, table, table.version, note, event.ts, event.actor, offset)
        self.versions.setdefault(event.task, []).append(saved)

    def _note(self, event: Event) -> None:
        # A note belongs to the save it was appended with, whichever of the two comes first.
        saved = self.versions.get(event.task, [])
        if saved and (saved[-1].ts, saved[-1].actor) == (event.ts, event.actor):
            saved[-1] = replace(saved[-1], note=event.value)
        else:
            self._notes[event.task, event.ts, event.actor] = event.value
