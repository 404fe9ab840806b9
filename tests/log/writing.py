"""Events for the tests of the log."""

import sqlite3
from contextlib import closing
from pathlib import Path

from board.log.event import Event
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.instance import Instance
from board.process.engine.start import start_drafts

NOW = "2026-11-29T16:04:31Z"


def event(value: str = "done", *, instance: str = "2026Q1", task: str = "review", field: str = "status") -> Event:
    return Event(NOW, instance, task, field, value, "ana")


def table() -> ProcessTable:
    return ProcessTable.from_rows(
        [
            {"task": "each", "name": "for each unit", "collection": "unit"},
            {"task": "review", "name": "Review", "role": "analyst", "parent": "each"},
            {"task": "approve", "name": "Approve", "role": "steward", "depends_on": "each"},
        ]
    )


def start(instance: str, *elements: str, name: str = "Collection") -> list[Event]:
    drafts = start_drafts(table(), ElementList.from_ids(elements, "unit"), name=name, created=NOW, actor="olga")
    return [Event(NOW, instance, d.task, d.field, d.value, d.actor, d.element, d.ref, d.attempt) for d in drafts]


def done(instance: str, task: str, element: str = "", value: str = "done") -> Event:
    return Event(NOW, instance, task, "status", value, "ana", element)


def accounts(path: Path, *names: str) -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.execute("create table if not exists auth_user (name text)")
        db.executemany("insert into auth_user values (?)", [(name,) for name in names])
        db.commit()
    return path


def statuses(instance: Instance | None) -> list[str]:
    """What each row shows, in the order of the rows."""
    assert instance is not None
    return [instance.status(row) for row in range(instance.size)]
