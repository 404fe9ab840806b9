"""What My work and the frame need of an instance, worked out once an event for everybody who asks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple
from weakref import WeakKeyDictionary

from board.log.tail import Tail
from board.process.actor import Actor
from board.process.instance import Instance
from board.process.table import Row
from board.selectors import desk


class OpenRow(NamedTuple):
    """A row that waits for a person, in the order people want: the earliest deadline first, then the oldest."""

    due: datetime | None
    opened: str
    row: int
    task: int
    assignee: str


class Coming(NamedTuple):
    """A task of which some rows are not open yet: how many, and what the first of them waits for."""

    definition: Row
    number: int
    waits_for: str
    failed: bool


class Digest(NamedTuple):
    """One instance in a few numbers. `people`: rows for people; `failed`: scripts that failed and hold it back."""

    seq: int
    state: str
    sentence: str
    totals: dict[str, int]
    people: tuple[OpenRow, ...]
    failed: tuple[int, ...]
    scripts_ready: int
    coming: tuple[Coming, ...]


_KEPT: WeakKeyDictionary[Instance, Digest] = WeakKeyDictionary()


def digest(instance: Instance) -> Digest:
    """The digest of an instance as it stands; ask it inside `tail.reading()`."""
    kept = _KEPT.get(instance)
    if kept is None or kept.seq != instance.seq:
        kept = _KEPT[instance] = _made(instance)
    return kept


def all_of(tail: Tail) -> Iterator[tuple[Instance, Digest]]:
    """Every instance that can be read with its digest, the newest first; ask it inside `tail.reading()`."""
    for head in tail.ids():
        instance = None if head.broken else tail.get(head.id)
        if instance is not None:
            yield instance, digest(instance)


def holds(who: Actor, instance: Instance, definition: Row) -> bool:
    """Whether a task is for somebody by role."""
    return who.holds(definition, instance.flow)


def _made(instance: Instance) -> Digest:
    state = instance.state
    totals = dict.fromkeys(("total", "open", "doing", "failed", "done", "skipped"), 0)
    for t, task in enumerate(instance.flow.tasks):
        totals["total"] += len(instance.rows_of(task))
        for name in ("open", "doing", "failed", "done", "skipped"):
            totals[name] += instance.tally(t)[name]
    goes_on = state not in ("cancelled", "complete")
    return Digest(
        seq=instance.seq,
        state=state,
        sentence=instance.sentence(),
        totals=totals,
        people=tuple(_people(instance)) if state != "cancelled" else (),
        failed=tuple(_failed(instance)) if state != "cancelled" else (),
        scripts_ready=sum(1 for _ in instance.ready_scripts()) if goes_on else 0,
        coming=tuple(_coming(instance)) if goes_on else (),
    )


def _people(instance: Instance) -> list[OpenRow]:
    rest, zone = instance.left_over(), desk.zone()
    found = []
    for row in (*instance.doing_rows(), *instance.open_rows()):
        definition = instance.definition(row)
        if definition.role == "system" or row in rest:
            continue
        task = instance.statuses.task[row]
        assignee = instance.value(row, "assignee")
        found.append(OpenRow(instance.due(row, zone), instance.opened_at(row), row, task, assignee))
    return sorted(found, key=order)


def order(row: OpenRow) -> tuple[bool, str, str, int]:
    """What is due first, then what waits longest."""
    return row.due is None, row.due.astimezone(UTC).isoformat() if row.due else "", row.opened, row.row


def _failed(instance: Instance) -> Iterator[int]:
    rest = instance.left_over()
    for t, task in enumerate(instance.flow.tasks):
        if not instance.tally(t)["failed"] or instance.flow.is_asked(t, "failed"):
            continue
        for row in instance.rows_of(task):
            if instance.status(row) == "failed" and row not in rest:
                yield row


def _coming(instance: Instance) -> Iterator[Coming]:
    rest = instance.left_over()
    for t in instance.flow.order:
        definition = instance.flow.rows[t]
        if definition.role == "system" or not instance.tally(t)["blocked"]:
            continue
        rows = [r for r in instance.rows_of(definition.task) if instance.status(r) == "blocked" and r not in rest]
        waiting = instance.waiting(rows[0]) if rows else None
        if waiting is not None:
            yield Coming(definition, len(rows), instance.name_of(waiting.id), waiting.failed)
