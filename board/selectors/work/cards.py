"""The cards of My work: one row each, with what made it open, what was said, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple

from board.accounts import names
from board.process.engine.actor import Actor
from board.process.engine.events import WORKER, account, author, signature
from board.process.engine.instance import Instance
from board.selectors.instance.last_line import failed_attempt
from board.selectors.instance.row import Offers, heard, offers

MAX_FOUND = 3  # outputs a card shows; the row's page has them all
MAX_NOTE = 240  # characters of what somebody said; the row's page has all of it


class Why(NamedTuple):
    """What made a row open: who did what, when, and what they said with it."""

    who: str
    verb: str
    what: str
    ts: str
    note: str = ""


class Said(NamedTuple):
    """The last thing somebody said about a row."""

    who: str
    text: str
    ts: str


class Job(NamedTuple):
    """One row somebody can do something about, as its card shows it."""

    instance: str
    process: str
    task: str
    element: str
    title: str
    instruction: str
    status: str
    due: datetime | None
    started: str
    why: Why | None
    said: Said | None
    error: str
    attempt: int  # the one it failed with; 0 for what has not failed by itself
    last: str  # what that one said last in its log
    found: tuple[tuple[str, str], ...]
    offers: Offers

    @property
    def key(self) -> str:
        """The id of the card: one a row, whatever characters the names have."""
        return key_of(self.instance, self.task, self.element)

    @property
    def row(self) -> tuple[str, str]:
        """For the addresses."""
        return self.task, self.element

    @property
    def version(self) -> str:
        """Changes whenever the card would look different."""
        return version_of(self)

    @property
    def asking(self) -> list[str]:
        """The answers that need a reason."""
        return [answer.word for answer in self.offers.answers if answer.asks_note]


def key_of(instance: str, task: str, element: str) -> str:
    """Return the id of a row's card."""
    return "j" + version_of((instance, task, element))


def job(instance: Instance, row: int, who: Actor, due: datetime | None = None) -> Job:
    """Return the card of a row; ask it inside `tail.reading()`. `last` is left out: no file is read under the lock."""
    definition = instance.definition(row)
    status = instance.latest(row, "status")
    doing = status is not None and instance.status(row) == "doing"
    return Job(
        instance=instance.id,
        process=instance.name,
        task=definition.task,
        element=instance.element_of(row),
        title=definition.name,
        instruction=definition.description,
        status=instance.status(row),
        due=due,
        started=status.ts if doing and status is not None else "",
        why=_why(instance, row),
        said=_said(instance, row),
        error=_short(instance.value(row, "error")) if instance.status(row) == "failed" else "",
        attempt=failed_attempt(instance, row),
        last="",
        found=_found(instance, row),
        offers=offers(instance, row, who),
    )


def _why(instance: Instance, row: int) -> Why | None:
    """Return the latest of what opened a row: its reopening, or the finish of what it waited for."""
    status = instance.latest(row, "status")
    if status is not None and instance.status(row) == "open" and account(status.actor) != WORKER:
        verb = "put it back" if "(" in status.actor else "sent it back"
        return Why(_who(author(status)), verb, "", status.ts)
    if status is not None and instance.status(row) == "failed":
        return Why(_who(signature(status)), "failed", "", status.ts)
    ends = [(e.ts, r, e) for r in _before(instance, row) if (e := instance.finished(r)) is not None]
    if not ends:
        return None
    _, before, last = max(ends, key=lambda end: end[:2])
    verb = "finished" if last.value == "done" else f"answered “{_short(last.value)}” on"
    said = instance.latest(before, "note")
    note = said.value if said is not None and (said.ts, signature(said)) == (last.ts, signature(last)) else ""
    return Why(_who(signature(last)), verb, instance.name_of(last.task), last.ts, _short(note))


def _before(instance: Instance, row: int) -> Iterator[int]:
    """Yield the rows a row directly waited for; of many alike (a whole group) none, for one of them says little."""
    for dependency in instance.flow.flow(instance.task_of(row)):
        rows = instance.related(row, instance.flow.index[dependency.task])
        if len(rows) == 1:
            yield rows[0]


def _found(instance: Instance, row: int) -> tuple[tuple[str, str], ...]:
    """Return what the rows it waited for handed on: nobody should sign off what a check found without seeing it."""
    outputs = (item for before in _before(instance, row) for item in sorted(instance.outputs(before).items()))
    return tuple((key, _short(value)) for key, value in outputs if key != "status")[:MAX_FOUND]


def _said(instance: Instance, row: int) -> Said | None:
    """Return the last word on a row: its own comment, or the reason somebody gave who sent it round again."""
    note, reason = instance.latest(row, "note"), heard(instance, row)
    if reason is not None and (note is None or reason.ts >= note.ts):
        return Said(f"{reason.who} on {reason.task}", _short(reason.text), reason.ts)
    if note is None or not note.value:
        return None
    return Said(_who(signature(note)), _short(note.value), note.ts)


def _who(actor: str) -> str:
    return _short(names.shown(actor))


def _short(text: str) -> str:
    return text if len(text) <= MAX_NOTE else text[:MAX_NOTE].rstrip() + " …"


def version_of(value: object) -> str:
    """Return a text that changes whenever a value would look different."""
    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
