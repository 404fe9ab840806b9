"""Boards to look at: a process of every kind of task, started with some elements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from board.log.event import Event
from board.log.tail import Tail, shared
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.events import Draft
from board.services import instances
from board.services.actor import Actor, anybody
from board.services.write import events_of

ANA = Actor("ana", frozenset({"analyst"}))
OLGA = Actor("olga", frozenset({"operator"}), operator=True)
ROWS: list[dict[str, str | None]] = [
    {"task": "country", "name": "Each country", "collection": "country"},
    {"task": "delivery", "name": "Delivery", "role": "system", "parent": "country"},
    {
        "task": "validate",
        "name": "Validate",
        "role": "system",
        "script": "validate.py",
        "retry": "1",
        "depends_on": "delivery",
        "parent": "country",
    },
    {
        "task": "review",
        "name": "Review",
        "role": "analyst",
        "depends_on": "validate",
        "parent": "country",
        "due": "2d",
        "description": "Compare with **last year**.\n\n- look at the gaps\n- <script>alert(1)</script>",
    },
    {"task": "approve", "name": "Approve data", "role": "steward", "depends_on": "country", "not_by": "review"},
    {"task": "qa", "name": "QA check", "role": "analyst", "depends_on": "approve"},
    {"task": "fix", "name": "Reconcile", "role": "analyst", "depends_on": "qa:false", "rearm": ""},
    {"task": "publish", "name": "Publish", "role": "management", "depends_on": "qa:true"},
]
ELEMENTS = [("Rwanda", "Africa"), ("Cambodia", "Asia"), ("Norway", "Europe"), ("Brazil", "Americas")]


def table() -> ProcessTable:
    """The process above."""
    return ProcessTable.from_rows(ROWS)


def start(
    store: Path,
    instance: str = "2026Q1",
    elements: Sequence[tuple[str, str]] = ELEMENTS,
    rows: list[dict[str, str | None]] | None = None,
) -> Tail:
    """An instance of it in a store."""
    tail = shared(store)
    found = ElementList.from_rows(("country", "region"), elements)
    process = table() if rows is None else ProcessTable.from_rows(rows)
    instances.start(tail, anybody("olga"), "Quarterly data collection", instance, found, table=process)
    return tail


def say(
    tail: Tail,
    task: str,
    value: str,
    element: str = "",
    *,
    field: str = "status",
    actor: str = "platform",
    instance: str = "2026Q1",
    attempt: str = "",
    ts: str = "2026-11-29T12:00:00Z",
) -> list[Event]:
    """One event as another program would append it."""
    drafts = [Draft(task, field, value, actor, element, attempt)]
    with tail.acting() as acting:
        return acting.append(events_of(instance, drafts, ts))


def through_review(tail: Tail, elements: Sequence[str] = ("Rwanda", "Cambodia", "Norway", "Brazil")) -> None:
    """Deliver and validate, so that the reviews are open."""
    for element in elements:
        say(tail, "delivery", "done", element)
        say(tail, "validate", "done", element, actor="worker")
