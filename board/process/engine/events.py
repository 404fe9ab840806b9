"""What the pure core knows of events: how it reads one, and what it proposes to append."""

from __future__ import annotations

from typing import NamedTuple, Protocol

INSTANCE = "@instance"
WORKER = "worker"
REGISTER = "register"


class EventLike(Protocol):
    """One event of the log as the fold reads it; all text, "" where not set."""

    @property
    def ts(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def field(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def actor(self) -> str: ...
    @property
    def element(self) -> str: ...
    @property
    def ref(self) -> str: ...
    @property
    def attempt(self) -> int | str: ...


class Draft(NamedTuple):
    """An event that is decided but not yet written: the writer adds the time and the instance."""

    task: str
    field: str
    value: str
    actor: str
    element: str = ""
    attempt: int | str = ""
    ref: str = ""


def account(actor: str) -> str:
    """Who stands behind an actor: `ana (re-arm)` is `ana`."""
    return actor.partition(" (")[0]


def signature(event: EventLike) -> str:
    """Who an event says it is by; a message may call itself as it likes, so that it came by one is always said."""
    return f"{event.actor} (by message {event.ref})" if event.ref else event.actor


def author(event: EventLike) -> str:
    """The account that acted, `ana` for `ana (re-arm)` too; what came by message is no account's."""
    return signature(event) if event.ref else account(event.actor)
