"""What My work and the frame need of an instance, worked out once an event for everybody who asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple
from weakref import WeakKeyDictionary

from board.log.base import Position
from board.log.tail import InstanceHead, Tail
from board.process.definition.table import Row
from board.process.definition.text import shown
from board.process.engine.instance import Instance
from board.selectors import current

MAX_SENTENCE = 1000


class OpenRow(NamedTuple):
    """A row that waits for a person. They sort in the order people want: what is due first, then what waits longest."""

    undated: bool
    due_utc: float
    opened: str
    row: int
    task: int
    assignee: str
    due: datetime | None

    @classmethod
    def of(cls, due: datetime | None, opened: str, row: int, task: int, assignee: str) -> OpenRow:
        """Return a row with its place in the order: that of moments, whatever zone its deadline is written in."""
        return cls(due is None, due.timestamp() if due is not None else 0.0, opened, row, task, assignee, due)


class Coming(NamedTuple):
    """A task of which some rows are not open yet: how many, and what the first of them waits for."""

    definition: Row
    number: int
    waits_for: str
    failed: bool


class Digest(NamedTuple):
    """One instance in a few numbers. `people`: open rows by (task, assignee); `failed`: rows that hold it up."""

    seq: int
    state: str
    sentence: str
    totals: dict[str, int]
    people: dict[tuple[int, str], int]
    failed: tuple[int, ...]
    scripts_ready: int
    coming: tuple[Coming, ...]


class _Kept:
    """What was worked out for one tail, as of a position."""

    def __init__(self) -> None:
        self.position: Position | None = None
        self.all: list[tuple[Instance, Digest]] = []


_TAILS: WeakKeyDictionary[Tail, _Kept] = WeakKeyDictionary()
_DIGESTS: WeakKeyDictionary[Instance, Digest] = WeakKeyDictionary()
_OPEN: WeakKeyDictionary[Instance, tuple[int, tuple[OpenRow, ...]]] = WeakKeyDictionary()


def digest(instance: Instance) -> Digest:
    """Return the digest of an instance as it stands; ask it inside `tail.reading()`."""
    kept = _DIGESTS.get(instance)
    if kept is None or kept.seq != instance.seq:
        kept = _DIGESTS[instance] = _made(instance)
    return kept


def all_of(tail: Tail) -> list[tuple[Instance, Digest]]:
    """Return every instance that can be read with its digest, the newest first; ask it inside `tail.reading()`."""
    with tail.reading() as position:
        kept = _TAILS.setdefault(tail, _Kept())
        if kept.position != position:
            pairs = (read(tail, head) for head in tail.ids())
            kept.all = [each for each in pairs if each is not None]
            kept.position = position
        return kept.all


def read(tail: Tail, head: InstanceHead) -> tuple[Instance, Digest] | None:
    """Return an instance with its digest, None when it cannot be read (its head says why); ask inside `reading()`."""
    instance = tail.get(head.id) if not head.broken else None
    if instance is None:
        return None
    with tail.isolating(head.id, "cannot say where it stands"):
        return instance, digest(instance)
    return None


def open_rows(instance: Instance) -> tuple[OpenRow, ...]:
    """Return the open rows for people in the order of the page; ask it inside `tail.reading()`."""
    kept = _OPEN.get(instance)
    if kept is None or kept[0] != instance.seq:
        kept = _OPEN[instance] = (instance.seq, tuple(sorted(_open(instance))))
    return kept[1]


def _made(instance: Instance) -> Digest:
    state = instance.state
    totals = dict.fromkeys(("total", "open", "doing", "failed", "done", "skipped"), 0)
    for number, task in enumerate(instance.flow.tasks):
        totals["total"] += len(instance.rows_of(task))
        for name in ("open", "doing", "failed", "done", "skipped"):
            totals[name] += instance.tally(number)[name]
    goes_on = state not in ("cancelled", "complete")
    return Digest(
        seq=instance.seq,
        state=state,
        sentence=shown(instance.sentence(), MAX_SENTENCE),
        totals=totals,
        people=dict(Counter(_people(instance))) if state != "cancelled" else {},
        failed=tuple(_failed(instance)) if state != "cancelled" else (),
        scripts_ready=sum(1 for _ in instance.ready_scripts()) if goes_on else 0,
        coming=tuple(_coming(instance)) if goes_on else (),
    )


def _rows_for_people(instance: Instance) -> Iterator[tuple[int, int, str]]:
    """Yield (row, task number, assignee) of every open row that waits for a person and still counts."""
    rest, task_of, rows = instance.left_over(), instance.statuses.task, instance.flow.rows
    for row in (*instance.doing_rows(), *instance.open_rows()):
        task = task_of[row]
        if rows[task].role != "system" and row not in rest:
            yield row, task, instance.value(row, "assignee")


def _people(instance: Instance) -> Iterator[tuple[int, str]]:
    return ((task, assignee) for _, task, assignee in _rows_for_people(instance))


def _open(instance: Instance) -> Iterator[OpenRow]:
    zone = current.zone()
    for row, task, assignee in _rows_for_people(instance):
        yield OpenRow.of(instance.due(row, zone), instance.opened_at(row), row, task, assignee)


def _failed(instance: Instance) -> Iterator[int]:
    rest = instance.left_over()
    for number, task in enumerate(instance.flow.tasks):
        if not instance.tally(number)["failed"] or instance.flow.is_asked(number, "failed"):
            continue
        for row in instance.rows_of(task):
            if instance.status(row) == "failed" and row not in rest:
                yield row


def _coming(instance: Instance) -> Iterator[Coming]:
    """Yield what people will have to do: rows that wait, and rows skipped only until a check is answered anew."""
    rest = instance.left_over()
    for number in instance.flow.order:
        definition, tally = instance.flow.rows[number], instance.tally(number)
        if definition.role == "system" or not (tally["blocked"] or tally["skipped"]):
            continue
        rows = [r for r in instance.rows_of(definition.task) if instance.status(r) == "blocked" and r not in rest]
        waiting = instance.held_by(rows[0]) if rows else None
        if waiting is not None:
            yield Coming(definition, len(rows), instance.name_of(waiting.id), waiting.failed)
            continue
        skipped = (r for r in instance.rows_of(definition.task) if instance.status(r) == "skipped")
        checks = [check for r in skipped if (check := instance.asked_again(r))]
        if checks:
            yield Coming(definition, len(checks), instance.name_of(checks[0]), failed=False)
