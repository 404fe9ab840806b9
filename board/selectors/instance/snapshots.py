"""The sheets of the instances people look at, brought up to date by reading only what an event touched."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

from board.log.base import Position
from board.log.tail import Tail
from board.process.engine.events import INSTANCE
from board.process.engine.instance import Instance
from board.process.flow.flow import Flow
from board.selectors import current
from board.selectors.instance.rows import STALE, Sheet

KEPT_SHEETS = 64  # a sheet of 8,000 rows takes about 10 MB
KEPT_REPLAYS = 8
KEPT_ANEW = 256  # steps back to which it is known what looked different without an event; before them all rows did


class Facts(NamedTuple):
    """What a page says of an instance beside its rows."""

    id: str
    name: str
    version: str
    created: str
    created_by: str
    cancelled: str
    columns: tuple[str, ...]


class Anew(NamedTuple):
    """Rows that came to look different without an event of their own, and up to where the log was read then."""

    offset: int
    rows: frozenset[int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One instance at one position: safe to read from any thread, for nothing in it changes any more.

    `instance` is alive; it is to be read inside `tail.reading()` only. `anew` tells of rows that no event touched and
    that look different all the same, from the offset `anew_since` on.
    """

    position: Position
    sheet: Sheet
    facts: Facts
    instance: Instance
    anew_since: int
    anew: tuple[Anew, ...] = ()


class _Replay(NamedTuple):
    seq: int
    instance: Instance
    sheet: Sheet


class _Cache:
    """What is kept for one tail."""

    def __init__(self) -> None:
        self.snapshots: OrderedDict[str, Snapshot] = OrderedDict()
        self.replays: OrderedDict[str, _Replay] = OrderedDict()
        self.starts: dict[str, int] = {}
        self.lock = threading.Lock()


_CACHES: WeakKeyDictionary[Tail, _Cache] = WeakKeyDictionary()
_CACHES_LOCK = threading.Lock()


def _cache_of(tail: Tail) -> _Cache:
    with _CACHES_LOCK:
        return _CACHES.setdefault(tail, _Cache())


def snapshot(tail: Tail, instance_id: str) -> Snapshot | None:
    """Return an instance as it is now; None when there is none, or the log's part of it is broken."""
    cache = _cache_of(tail)
    with tail.reading() as position:
        instance = tail.get(instance_id)
        if instance is None:
            return None
        kept = cache.snapshots.get(instance.id)
        updated = _updated(tail, position, instance, kept)
        cache.snapshots[instance.id] = updated
        cache.snapshots.move_to_end(instance.id)
        while len(cache.snapshots) > KEPT_SHEETS:
            cache.snapshots.popitem(last=False)
    return updated


def _updated(tail: Tail, position: Position, instance: Instance, kept: Snapshot | None) -> Snapshot:
    if kept is None or kept.instance is not instance:
        return Snapshot(position, Sheet(instance, current.zone()), _facts(instance), instance, position.offset)
    if kept.position == position:
        return kept
    if kept.sheet.seq == instance.seq:
        return replace(kept, position=position)
    rows = tail.changed_since(instance.id, kept.position)
    if rows is None:
        return Snapshot(position, Sheet(instance, current.zone()), _facts(instance), instance, position.offset)
    marked = _marked_anew(instance, kept.sheet, rows)
    anew = (*kept.anew, Anew(position.offset, frozenset(marked))) if marked else kept.anew
    since = anew[-KEPT_ANEW - 1].offset if len(anew) > KEPT_ANEW else kept.anew_since
    sheet = Sheet(instance, current.zone(), kept.sheet, rows | marked)
    return Snapshot(position, sheet, _facts(instance), instance, since, anew[-KEPT_ANEW:])


def _marked_anew(instance: Instance, before: Sheet, rows: Iterable[int]) -> set[int]:
    """Return rows no event touched that look different all the same: left over, stale, or skipped only for now."""
    flow, task = instance.flow, instance.statuses.task
    asking: set[int] = set()
    after: set[int] = set()
    for row in rows:
        asking.update(*(instance.related(row, t) for t in instance.statuses.askers(task[row])))
        after.update(*(instance.related(row, t) for t in _after_cycle(flow, flow.cycle_of(task[row]))))
    marked = set(before.left_over ^ instance.left_over())
    marked.update(r for r in asking if (STALE in before.views[r].marks) != instance.is_stale(r))
    marked.update(r for r in after if instance.status(r) == "skipped")
    return marked.difference(rows)


@lru_cache(maxsize=1024)
def _after_cycle(flow: Flow, cycle: int) -> tuple[int, ...]:
    """Return the tasks on a cycle and after it: what is skipped there may be so for now, depending on the cycle."""
    members = flow.cycles[cycle] if cycle < len(flow.cycles) else ()
    after = {flow.index[name] for t in members for name in flow.after(flow.tasks[t])}
    return tuple(sorted(after.union(members)))


def changed_rows(tail: Tail, instance_id: str, since: Position, snapshot: Snapshot) -> set[int] | None:
    """Return the rows that look different since a position; None when that is not known."""
    with tail.reading():
        rows = tail.changed_since(instance_id, since)
    if rows is None or since.offset < snapshot.anew_since:
        return None
    return rows.union(*(each.rows for each in snapshot.anew if each.offset > since.offset))


def _facts(instance: Instance) -> Facts:
    collections = {group.collection for group in instance.flow.groups.values()}
    columns = tuple(c for c in instance.elements.columns[1:] if c != "assignee" and c not in collections)
    return Facts(
        instance.id,
        instance.name,
        instance.version,
        instance.created,
        instance.created_by,
        instance.cancelled,
        columns,
    )


# replay


class Span(NamedTuple):
    """The events of an instance that replay can stop at, counted from 1: from the one its start is whole with."""

    first: int
    last: int
    seqs: list[int]


def span(tail: Tail, instance_id: str) -> Span:
    """Return how far replay reaches."""
    with tail.reading():
        seqs = list(tail.seqs(instance_id))
    starts = _cache_of(tail).starts
    if instance_id not in starts:
        stamped = tail.history(instance_id, task=INSTANCE)
        begun = [entry.seq for entry in stamped if entry.event.field != "cancelled"]
        starts[instance_id] = begun[0] if begun else seqs[0]
    first = seqs.index(starts[instance_id]) + 1 if starts[instance_id] in seqs else 1
    return Span(first, max(first, len(seqs)), seqs)


def replayed(tail: Tail, instance_id: str, seq: int) -> Sheet | None:
    """Return the sheet as of the event at `seq`.

    To go on from where the last replay stopped costs only the events between.
    """
    cache, key = _cache_of(tail), f"{tail.refresh().identity} {instance_id}"  # of another log, another replay
    with cache.lock:
        kept = cache.replays.get(key)
        replay = _moved_on(tail, instance_id, kept, seq) if kept is not None and kept.seq <= seq else None
        if replay is None:
            instance = tail.get_at(instance_id, seq)
            if instance is None:
                return None
            replay = _Replay(seq, instance, Sheet(instance, current.zone()))
        cache.replays[key] = replay
        cache.replays.move_to_end(key)
        while len(cache.replays) > KEPT_REPLAYS:
            cache.replays.popitem(last=False)
        return replay.sheet


def _moved_on(tail: Tail, instance_id: str, kept: _Replay, seq: int) -> _Replay:
    touched: set[int] = set()
    for entry in reversed(tail.history(instance_id, after=kept.seq, before=seq + 1)):
        touched |= kept.instance.apply(entry.event)
    touched |= _marked_anew(kept.instance, kept.sheet, touched)
    return _Replay(seq, kept.instance, Sheet(kept.instance, current.zone(), kept.sheet, touched))
