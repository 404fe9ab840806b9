"""What is known of one instance without folding it, and its fold once somebody has asked for it.

A stream keeps where the lines of its instance are in the log (16 bytes an event), what its `@instance` events say,
and, when it is warm, the folded instance with a ring of the rows that were touched lately.
"""

from __future__ import annotations

import logging
from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from sys import intern
from typing import NamedTuple

import msgspec

from board.log.base import View
from board.log.errors import LogError
from board.log.event import Event, decode
from board.log.faults import MAX_REASON, note_fault
from board.process.definition.text import heading, shown
from board.process.engine.events import INSTANCE
from board.process.engine.instance import Instance, InstanceError

Fold = Callable[[str, Sequence[Event]], Instance]
"""An instance from its `@instance` events; raises for what cannot be read."""

PASSING = (LogError, OSError, MemoryError)
"""What may be over at the next look: no fault of what the log holds."""

START_FIELDS = frozenset({"name", "process", "elements", "version", "created"})
RING = 1024
"""How many touching events a warm instance remembers."""
_logger = logging.getLogger(__name__)
_CHUNK = 512
_SHARED_VALUE = 40  # longer values are seldom said twice
_INSTANCE = INSTANCE.encode()
_GAP = 4096  # reading over so many foreign bytes is cheaper than another call


class InstanceHead(NamedTuple):
    """What a list shows of an instance; `name` is its process, `broken` why it cannot be read ("" when it can)."""

    id: str
    name: str
    version: str
    created: str
    created_by: str
    cancelled: str
    broken: str


class Entry(NamedTuple):
    """One event of the log and where it is: `seq` is the offset of its line, so it grows and names it for good."""

    seq: int
    event: Event


class Stream:
    """One instance: the places of its lines, its head, its fold."""

    __slots__ = ("_start", "_unreadable", "cancelled", "failure", "floor", "id", "lengths", "offsets", "ring", "warm")

    def __init__(self, instance_id: str) -> None:
        self.id = instance_id
        self.offsets = array("Q")
        self.lengths = array("Q")
        self.cancelled = ""
        self.failure = ""
        self.warm: Instance | None = None
        self.floor = 0
        self.ring: deque[tuple[int, set[int]]] = deque()
        self._start: dict[str, Event] = {}
        self._unreadable = ""

    @property
    def is_started(self) -> bool:
        """Whether the log holds any part of its start."""
        return bool(self._start)

    @property
    def head(self) -> InstanceHead:
        name, version = self._said("name"), self._said("version")
        begun = self._start.get("created") or self._start.get("process") or next(iter(self._start.values()), None)
        created = begun.value if begun and begun.field == "created" else begun.ts if begun else ""
        missing = "" if "process" in self._start else "Its start is not whole in the log: the process is missing."
        broken = self._unreadable or self.failure or missing
        return InstanceHead(self.id, name, version, created, begun.actor if begun else "", self.cancelled, broken)

    def add(self, offset: int, length: int) -> None:
        """Note where a line of this instance is."""
        self.offsets.append(offset)
        self.lengths.append(length)

    def tell(self, event: Event) -> None:
        """Take in an `@instance` event; a part of the start that comes late makes the fold anew."""
        if event.field == "cancelled":
            self.cancelled = shown(event.value, MAX_REASON)
        elif event.field in START_FIELDS and event.field not in self._start:
            # Tables are long, and the log keeps them: only whether they can be read is kept here.
            if event.field in ("process", "elements"):
                self._unreadable = self._unreadable or _unreadable(self.id, event)
                event = msgspec.structs.replace(event, value="")
            said = {"value": heading(event.value), "ts": heading(event.ts), "actor": heading(event.actor)}
            self._start[event.field] = msgspec.structs.replace(event, **said)
            self.failure = ""
            self.forget()

    def apply(self, offset: int, event: Event) -> None:
        """Take one new event into the warm instance."""
        if self.warm is None:
            return
        try:
            self._touch(offset, self.warm.apply(_sharing(event)))
        except PASSING:
            self.forget()
        except Exception as error:  # one odd event must not take the other instances down
            self.fail(error, f"cannot take in the event at byte {offset}")

    def fold(self, view: View, fold: Fold) -> Instance | None:
        """The folded instance; None when it cannot be folded, which its head then explains.

        ReadError and the like are raised, and the next look tries again: only faults of what the log holds stay.
        """
        if self.warm is None and not self.head.broken:
            try:
                warm = fold(self.id, list(self._starts(view)))
                self.ring.clear()
                self.floor = 0
                for entry in self.entries(view):
                    self._touch(entry.seq, warm.apply(_sharing(entry.event)))
                self.warm = warm
            except PASSING:
                raise
            except Exception as error:  # one odd instance must not take the others down
                self.fail(error, "cannot be folded")
        return self.warm

    def fold_until(self, view: View, fold: Fold, seq: int) -> Instance | None:
        """A fresh fold of the events up to this one; None when its start is not among them."""
        events = [entry.event for entry in self.entries(view, bisect_right(self.offsets, seq))]
        if not any(e.task == INSTANCE and e.field == "process" for e in events):
            return None
        instance = fold(self.id, [event for event in events if event.task == INSTANCE])
        for event in events:
            instance.apply(event)
        return instance

    def forget(self) -> None:
        """Fold anew when asked next."""
        self.warm = None
        self.ring.clear()

    def fail(self, error: Exception, problem: str) -> None:
        """Be unreadable from now on: the log itself says why (InstanceError), or a fault of ours is noted."""
        self.forget()
        if isinstance(error, InstanceError):
            self.failure = shown(str(error), MAX_REASON)
        else:
            self.failure = note_fault(_logger, error, f"Instance {self.id} {problem}", instance=self.id)

    def changed_since(self, offset: int) -> set[int] | None:
        """The rows touched by events from `offset` on; None when that is further back than the ring tells."""
        if self.warm is None or offset < self.floor:
            return None
        rows: set[int] = set()
        for at, touched in reversed(self.ring):
            if at < offset:
                break
            rows |= touched
        return rows

    def entries(self, view: View, count: int | None = None) -> Iterator[Entry]:
        """Its events in log order, the first `count` of them."""
        count = len(self.offsets) if count is None else count
        for first in range(0, count, _CHUNK):
            yield from _decoded(self.lines(view, first, min(first + _CHUNK, count)))

    def _starts(self, view: View) -> Iterator[Event]:
        """The `@instance` events, found without decoding the others and without holding them all."""
        for first in range(0, len(self.offsets), _CHUNK):
            lines = self.lines(view, first, min(first + _CHUNK, len(self.offsets)))
            # a backslash may hide the id
            likely = [(offset, line) for offset, line in lines if _INSTANCE in line or b"\\u" in line]
            yield from (entry.event for entry in _decoded(likely) if entry.event.task == INSTANCE)

    def lines_back(self, view: View, before: int | None) -> Iterator[tuple[int, bytes]]:
        """Its lines from the newest (before this offset) to the oldest: (offset, line)."""
        last = len(self.offsets) if before is None else bisect_left(self.offsets, before)
        while last > 0:
            first = max(0, last - _CHUNK)
            yield from reversed(self.lines(view, first, last))
            last = first

    def lines(self, view: View, first: int, last: int) -> list[tuple[int, bytes]]:
        """Some of its lines by number, read in as few calls as the gaps between them allow."""
        pairs: list[tuple[int, bytes]] = []
        while first < last:
            start = self.offsets[first]
            upto, end = first + 1, start + self.lengths[first]
            while upto < last and self.offsets[upto] - end < _GAP:
                end = self.offsets[upto] + self.lengths[upto]
                upto += 1
            block = view.bytes_at(start, end)
            for n in range(first, upto):
                at = self.offsets[n] - start
                pairs.append((self.offsets[n], block[at : at + self.lengths[n]]))
            first = upto
        return pairs

    def _touch(self, offset: int, rows: set[int]) -> None:
        if not rows:
            return
        if len(self.ring) == RING:
            self.floor = self.ring.popleft()[0] + 1
        self.ring.append((offset, rows))

    def _said(self, field: str) -> str:
        event = self._start.get(field)
        return event.value if event else ""


def _sharing(event: Event) -> Event:
    """The same event, its texts shared with other events that say the same: an instance keeps thousands of them."""
    value = intern(event.value) if len(event.value) < _SHARED_VALUE else event.value
    return Event(
        intern(event.ts),
        intern(event.instance),
        intern(event.task),
        intern(event.field),
        value,
        intern(event.actor),
        intern(event.element),
        event.ref,
        event.attempt,
        event.extra,
    )


def _decoded(pairs: list[tuple[int, bytes]]) -> Iterator[Entry]:
    for offset, line in pairs:
        event = decode(line)
        if isinstance(event, Event):
            yield Entry(offset, event)


def _unreadable(instance_id: str, event: Event) -> str:
    try:
        if isinstance(msgspec.json.decode(event.value), dict):
            return ""
    except (msgspec.DecodeError, RecursionError):
        pass
    if event.field == "elements" and not event.value:
        return ""
    return f"The {event.field} of instance {instance_id} in the log is no JSON object."
