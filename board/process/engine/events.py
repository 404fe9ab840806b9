"""What the pure core knows of events: how it reads one, and what it proposes to append.

An actor is an account or a program; in parentheses stands the *occasion* of what was done on its behalf:

    ana                  she did it herself
    ana (re-arm)         she finished what puts this back to open
    worker (retry 1/2)   the worker tries again after a failure
    worker (recovered)   a worker that was lost left this behind
    worker (stopped)     the worker was stopped meanwhile
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

INSTANCE = "@instance"
WORKER = "worker"
REGISTER = "register"
REARM, RETRY, RECOVERED, STOPPED = "re-arm", "retry", "recovered", "stopped"


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


class Author(NamedTuple):
    """An actor of the log, taken apart: who stands behind it, on what occasion ("" for itself), and its detail."""

    account: str
    occasion: str = ""
    detail: str = ""

    def __str__(self) -> str:
        said = " ".join(part for part in (self.occasion, self.detail) if part)
        return f"{self.account} ({said})" if said else self.account


def read_author(actor: str) -> Author:
    """Take an actor of the log apart: `worker (retry 1/2)` is the worker, on `retry`, with detail `1/2`."""
    _, _, rest = actor.partition(" (")
    occasion, _, detail = rest.removesuffix(")").partition(" ")
    return Author(account(actor), occasion, detail)


def account(actor: str) -> str:
    """Who stands behind an actor: `ana (re-arm)` is `ana`."""
    return actor.partition(" (")[0]


def on_behalf(actor: str, occasion: str, detail: str = "") -> str:
    """The actor of what is done for somebody: `ana`, or what she did on another occasion, makes `ana (re-arm)`."""
    return str(Author(account(actor), occasion, detail))


def signature(event: EventLike) -> str:
    """Who an event says it is by; a message may call itself as it likes, so that it came by one is always said."""
    return f"{event.actor} (by message {event.ref})" if event.ref else event.actor


def author(event: EventLike) -> str:
    """The account that acted, `ana` for `ana (re-arm)` too; what came by message is no account's."""
    return signature(event) if event.ref else account(event.actor)
