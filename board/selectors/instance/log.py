"""The event log as people read it: one line an event, newest first, filtered; and as files for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils.safestring import SafeString

from board.accounts.names import shown
from board.log.event import Event, encode
from board.log.tail import Entry, Tail
from board.process.engine.events import INSTANCE, WORKER, account, author, signature
from board.process.files.formulas import mark
from board.process.flow.flow import Flow
from board.selectors.words import state_word, when

PAGE = 200
CHUNK = 500
MAX_REST = 400
COLUMNS = ("ts", "instance", "task", "element", "field", "value", "actor", "ref", "attempt")
QUIET = frozenset({"attempt", "log", "took", "code_version"})


def is_quiet(event: Event) -> bool:
    """Return whether an event is bookkeeping of the worker: in the log, but no news for people."""
    return event.field in QUIET or event.field.startswith("output.")


class EventLine(NamedTuple):
    """One event in words."""

    time: SafeString | str
    actor: str
    verb: str
    task: str
    element: str
    rest: str


def say(event: Event, flow: Flow) -> EventLine:
    """Return what happened, for people: who did what to which row."""
    row = flow.table.row(event.task)
    task = "" if event.task == INSTANCE else row.name if row is not None else event.task
    verb, rest = _verb(event)
    return EventLine(when(event.ts), signature(event), verb, task, event.element, rest[:MAX_REST])


def _verb(event: Event) -> tuple[str, str]:
    value = event.value
    if event.task == INSTANCE:
        return _of_instance(event)
    if event.field == "status":
        return _of_status(value, event.actor)
    if event.field == "assignee":
        if not value:
            return "took the assignment from", ""
        return ("took", "") if value == author(event) else ("assigned", f"to {shown(value)}")
    if event.field == "note":
        return "noted", value
    if event.field == "due":
        return ("set the deadline of", value) if value else ("took the own deadline from", "")
    if event.field == "error":
        return "reported", value
    if event.field == "late":
        return "answered too late on", value
    return "set", f"{event.field} = {value}"


def _of_status(value: str, actor: str) -> tuple[str, str]:
    if value == "doing":
        return "started", ""
    if value == "done":
        return "finished", ""
    if value == "failed":
        return ("failed" if account(actor) == WORKER else "gave up"), ""
    if value in ("", "open", "blocked"):
        return ("reopened", "") if "(" not in actor or "re-arm" in actor else ("put back", "")
    return "answered", f"with {state_word(value)}"


def _of_instance(event: Event) -> tuple[str, str]:
    if event.field == "cancelled":
        return ("cancelled the instance", event.value) if event.value else ("resumed the instance", "")
    if event.field == "created":
        return "started the instance", ""
    return f"stamped the {event.field}", event.value if event.field in ("name", "version") else ""


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which events a page shows; empty text means any."""

    task: str = ""
    element: str = ""
    actor: str = ""
    field: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> LogFilter:
        """Return the filter of an address."""
        return cls(*(query.get(name, "").strip()[:200] for name in ("task", "element", "actor", "field")))

    @property
    def query(self) -> str:
        named = ((name, getattr(self, name)) for name in ("task", "element", "actor", "field"))
        return urlencode([(name, value) for name, value in named if value])

    def wants(self, event: Event) -> bool:
        """Return whether an event is shown; an actor stands for what was done on their behalf too."""
        return (
            (not self.task or event.task == self.task)
            and (not self.element or event.element == self.element)
            and (not self.actor or event.actor == self.actor or event.actor.startswith(f"{self.actor} ("))
            and (not self.field or event.field == self.field)
        )


def page(tail: Tail, instance_id: str, wanted: LogFilter, before: int | None = None) -> tuple[list[Event], int | None]:
    """Return the newest events a filter wants before a seq, and the seq before which the next page begins, if any."""
    entries = list(islice(_walk(tail, instance_id, wanted, before), PAGE + 1))
    return [entry.event for entry in entries[:PAGE]], entries[PAGE - 1].seq if len(entries) > PAGE else None


def _walk(tail: Tail, instance_id: str, wanted: LogFilter, before: int | None) -> Iterator[Entry]:
    # what was done on somebody's behalf counts as theirs, so the actor is compared here and not in the log
    task, element, field = wanted.task or None, wanted.element or None, wanted.field or None
    while True:
        entries = tail.history(instance_id, task=task, element=element, field=field, before=before, limit=CHUNK)
        yield from (entry for entry in entries if wanted.wants(entry.event))
        if len(entries) < CHUNK:
            return
        before = entries[-1].seq


def everything(tail: Tail, instance_id: str, wanted: LogFilter) -> list[Event]:
    """Return all events a filter wants, oldest first."""
    return [entry.event for entry in _walk(tail, instance_id, wanted, None)][::-1]


def as_jsonl(events: Iterable[Event]) -> Iterator[bytes]:
    """Return the events as the log has them, one line each."""
    return map(encode, events)


def as_csv(events: Iterable[Event]) -> Iterator[bytes]:
    """Yield the events as a table for spreadsheets; a cell that a spreadsheet would compute is defused by a `'`."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    yield b"\xef\xbb\xbf"  # without it a spreadsheet takes UTF-8 for its own code page
    for event in events:
        yield _taken(buffer)
        writer.writerow([mark(str(getattr(event, column))) for column in COLUMNS])
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    data = buffer.getvalue().encode("utf-8", "replace")
    buffer.seek(0)
    buffer.truncate()
    return data
