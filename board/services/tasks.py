"""What people do to rows: each wish is decided again under the append lock and raises Refusal when it is too late."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zoneinfo import ZoneInfo

from board.log.event import Event, utcnow
from board.log.tail import Tail
from board.process.definition.times import read_deadline
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.process.engine.events import Draft
from board.process.engine.instance import Instance
from board.services.write import Clock, events_of, existing, row_of, write

_ANY_ZONE = ZoneInfo("UTC")  # whether a deadline can be read is the same in every zone
Decision = Callable[[Instance, int], Sequence[Draft]]


class Place(NamedTuple):
    """One row by name."""

    task: str
    element: str = ""


@dataclass(frozen=True, slots=True)
class Many:
    """What became of a wish for several rows: events appended per row, and who was refused why."""

    done: tuple[Place, ...]
    refused: tuple[tuple[Place, Refusal], ...]


def take(tail: Tail, instance: str, at: Place, who: Actor, *, now: Clock = utcnow) -> list[Event]:
    """Assign a row to oneself, or take it over."""
    return _one(tail, instance, at, lambda i, r: decide.take(i, r, who), now)


def start(tail: Tail, instance: str, at: Place, who: Actor, *, now: Clock = utcnow) -> list[Event]:
    """Say that one is at it."""
    return _one(tail, instance, at, lambda i, r: decide.start(i, r, who), now)


def finish(
    tail: Tail, instance: str, at: Place, who: Actor, value: str = "done", note: str = "", *, now: Clock = utcnow
) -> list[Event]:
    """Finish a row with `done` or an answer."""
    return _one(tail, instance, at, lambda i, r: decide.finish(i, r, who, value, note), now)


def reopen(
    tail: Tail, instance: str, at: Place, who: Actor, note: str, *, along: bool = False, now: Clock = utcnow
) -> list[Event]:
    """Put a row back to open, with everything after it if `along`."""
    return _one(tail, instance, at, lambda i, r: decide.reopen(i, r, who, note, along=along), now)


def comment(tail: Tail, instance: str, at: Place, who: Actor, text: str, *, now: Clock = utcnow) -> list[Event]:
    """Say something about a row."""
    return _one(tail, instance, at, lambda i, r: decide.comment(i, r, who, text), now)


def assign(
    tail: Tail, instance: str, at: Place, who: Actor, assignee: str, *, holds_role: bool = True, now: Clock = utcnow
) -> list[Event]:
    """Assign a row to somebody; whether they hold its role is the caller's to know (accounts are not in the log)."""
    return _one(tail, instance, at, lambda i, r: decide.assign(i, r, who, assignee, holds_role=holds_role), now)


def set_due(tail: Tail, instance: str, at: Place, who: Actor, due: str, *, now: Clock = utcnow) -> list[Event]:
    """Give a row a deadline of its own: a date, or a date and time."""
    due = due.strip()
    if due and read_deadline(due, _ANY_ZONE) is None:
        raise Refusal("due", f"“{due}” is no deadline: write 2026-12-24 or 2026-12-24T17:00.")
    return _one(tail, instance, at, lambda i, r: decide.set_due(i, r, who, due), now)


def retry(tail: Tail, instance: str, at: Place, who: Actor, *, now: Clock = utcnow) -> list[Event]:
    """Let the worker try a failed script again."""
    return _one(tail, instance, at, lambda i, r: decide.retry(i, r, who), now)


def fail(tail: Tail, instance: str, at: Place, who: Actor, note: str, *, now: Clock = utcnow) -> list[Event]:
    """End a script that runs or is ready, as failed."""
    return _one(tail, instance, at, lambda i, r: decide.fail(i, r, who, note), now)


def many(tail: Tail, instance: str, places: Iterable[Place], wish: Decision, *, now: Clock = utcnow) -> Many:
    """One wish for several rows: each decided by itself under one lock, one event a row, the refused ones named."""
    done: list[Place] = []
    refused: list[tuple[Place, Refusal]] = []
    with tail.acting() as acting:
        found = existing(acting, instance)
        for place in dict.fromkeys(places):
            try:
                drafts = wish(found, row_of(found, *place))
            except Refusal as refusal:
                refused.append((place, refusal))
                continue
            acting.append(events_of(found.id, drafts, now()))
            done.append(place)
    return Many(tuple(done), tuple(refused))


def _one(tail: Tail, instance: str, at: Place, wish: Decision, now: Clock) -> list[Event]:
    return write(tail, instance, lambda i: wish(i, row_of(i, *at)), now)
