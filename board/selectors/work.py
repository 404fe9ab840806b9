"""My work: what is open for one person now, over all instances, and what is coming."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple

from django.contrib.auth.models import User

from board.log.tail import Tail
from board.permissions import actor_for, may_view
from board.process import decide
from board.process.actor import Actor
from board.process.events import account
from board.process.instance import Instance
from board.selectors import names
from board.selectors.digest import Digest, OpenRow, all_of, holds, order
from board.selectors.people import roles_for
from board.selectors.row import Offers, offers

MOST_MINE = 60  # cards a page shows; the rest is one click away on the boards
MOST_OF_A_ROLE = 20
MOST_COMING = 8
MOST_STANDING = 6
MAX_NOTE = 240  # characters of what somebody said; the row's page has all of it
STATES = ("stuck", "active", "complete", "cancelled")


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
        return _hash(self)

    @property
    def asking(self) -> list[str]:
        """The answers that need a reason."""
        return [answer.word for answer in self.offers.answers if answer.asks_note]


class Pool(NamedTuple):
    """What is open for everybody of a role ("" = any role of the process); `more` cards are not shown."""

    role: str
    jobs: tuple[Job, ...]
    more: int
    boards: tuple[str, ...]


class ComingView(NamedTuple):
    """Work that will be open for somebody later."""

    instance: str
    name: str
    number: int
    waits_for: str
    failed: bool


class Standing(NamedTuple):
    """Where an instance stands, in a bar and a sentence."""

    id: str
    process: str
    state: str
    sentence: str
    totals: dict[str, int]


class MyWork(NamedTuple):
    """The page."""

    mine: tuple[Job, ...]
    more_mine: int
    pools: tuple[Pool, ...]
    failed: tuple[Job, ...]
    more_failed: int
    coming: tuple[ComingView, ...]
    standing: tuple[Standing, ...]
    open: int
    late: int

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.mine or self.pools or self.failed)

    @property
    def version(self) -> str:
        """Changes whenever the page would look different."""
        return _hash(self)


class _Found(NamedTuple):
    instance: Instance
    open: OpenRow


def key_of(instance: str, task: str, element: str) -> str:
    """The id of a row's card."""
    return "j" + _hash((instance, task, element))


def my_work(tail: Tail, user: User, now: datetime) -> MyWork:
    """Everything the page shows to `user`, at a time (for what is late)."""
    who = actor_for(user)
    with tail.reading():
        seen = [(i, d) for i, d in all_of(tail) if may_view(user, i.flow.roles)]
        mine, pools = _split(seen, who)
        failed = [(i, row) for i, d in seen for row in d.failed] if who.may_operate else []
        everything = [*mine, *(found for each in pools.values() for found in each)]
        told: set[tuple[str, str]] = set()
        return MyWork(
            mine=_told_once((_job(f.instance, f.open.row, who, f.open.due) for f in mine[:MOST_MINE]), told),
            more_mine=max(0, len(mine) - MOST_MINE),
            pools=tuple(_pool(role, found, who, told) for role, found in sorted(pools.items())),
            failed=tuple(_job(i, row, who) for i, row in failed[:MOST_OF_A_ROLE]),
            more_failed=max(0, len(failed) - MOST_OF_A_ROLE),
            coming=tuple(_coming(seen, who))[:MOST_COMING],
            standing=tuple(_standing(seen)),
            open=len(everything),
            late=sum(1 for f in everything if f.open.due is not None and f.open.due <= now),
        )


def number(tail: Tail, user: User) -> int:
    """How many rows are open for somebody, for the badge."""
    who = actor_for(user)
    with tail.reading():
        mine, pools = _split([(i, d) for i, d in all_of(tail) if may_view(user, i.flow.roles)], who)
    return len(mine) + sum(map(len, pools.values()))


def _split(seen: Iterable[tuple[Instance, Digest]], who: Actor) -> tuple[list[_Found], dict[str, list[_Found]]]:
    """What is assigned to somebody, and what is free by role; only what they may do, in the order of the page."""
    mine: list[_Found] = []
    pools: dict[str, list[_Found]] = {}
    for instance, found in seen:
        held = {t: holds(who, instance, row) for t, row in enumerate(instance.flow.rows)}
        for open_row in found.people:
            if not held[open_row.task]:
                continue
            if open_row.assignee == who.name:
                mine.append(_Found(instance, open_row))
            elif _is_free(instance, open_row, who):
                role = instance.flow.rows[open_row.task].role
                pools.setdefault(role, []).append(_Found(instance, open_row))
    for each in (mine, *pools.values()):
        each.sort(key=lambda f: order(f.open))
    return mine, pools


def _is_free(instance: Instance, open_row: OpenRow, who: Actor) -> bool:
    """Whether anybody of the role may do it: not if it is assigned to who can do it, and never against four eyes."""
    definition = instance.flow.rows[open_row.task]
    if open_row.assignee and names.can_do(open_row.assignee, roles_for(definition, instance.flow)):
        return False
    if not definition.not_by:
        return True
    return decide.may("finish" if not open_row.assignee else "take", instance, open_row.row, who)


def _told_once(jobs: Iterable[Job], told: set[tuple[str, str]]) -> tuple[Job, ...]:
    """The jobs with their instruction on the first of each task only: nobody reads the same twenty times."""
    found = []
    for job in jobs:
        known = (job.process, job.task) in told
        told.add((job.process, job.task))
        found.append(job._replace(instruction="") if known else job)
    return tuple(found)


def _pool(role: str, found: list[_Found], who: Actor, told: set[tuple[str, str]]) -> Pool:
    shown, rest = found[:MOST_OF_A_ROLE], found[MOST_OF_A_ROLE:]
    return Pool(
        role,
        _told_once((_job(f.instance, f.open.row, who, f.open.due) for f in shown), told),
        len(rest),
        tuple(dict.fromkeys(f.instance.id for f in rest))[:MOST_STANDING],
    )


def _job(instance: Instance, row: int, who: Actor, due: datetime | None = None) -> Job:
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
        error=instance.value(row, "error") if instance.status(row) == "failed" else "",
        offers=offers(instance, row, who),
    )


def _why(instance: Instance, row: int) -> Why | None:
    """The latest of what opened a row: its reopening, or the finish of what it waited for."""
    status = instance.latest(row, "status")
    if status is not None and instance.status(row) == "open" and account(status.actor) != "worker":
        verb = "put it back" if "(" in status.actor else "sent it back"
        return Why(names.shown(account(status.actor)), verb, "", status.ts)
    if status is not None and instance.status(row) == "failed":
        return Why(names.shown(status.actor), "failed", "", status.ts)
    ends = [(e.ts, r, e) for r in _before(instance, row) if (e := instance.finished(r)) is not None]
    if not ends:
        return None
    _, before, last = max(ends, key=lambda end: end[:2])
    verb = "finished" if last.value == "done" else f"answered “{last.value}” on"
    said = instance.latest(before, "note")
    note = said.value if said is not None and (said.ts, said.actor) == (last.ts, last.actor) else ""
    return Why(names.shown(last.actor), verb, instance.name_of(last.task), last.ts, _short(note))


def _before(instance: Instance, row: int) -> Iterator[int]:
    """The rows a row directly waited for; of many alike (a whole group) none, for one of them says little."""
    for dependency in instance.flow.flow(instance.task_of(row)):
        rows = instance.related(row, instance.flow.index[dependency.task])
        if len(rows) == 1:
            yield rows[0]


def _said(instance: Instance, row: int) -> Said | None:
    note = instance.latest(row, "note")
    if note is None or not note.value:
        return None
    return Said(names.shown(note.actor), _short(note.value), note.ts)


def _short(text: str) -> str:
    return text if len(text) <= MAX_NOTE else text[:MAX_NOTE].rstrip() + " …"


def _coming(seen: Iterable[tuple[Instance, Digest]], who: Actor) -> Iterator[ComingView]:
    for instance, found in seen:
        for each in found.coming:
            if holds(who, instance, each.definition):
                yield ComingView(instance.id, each.definition.name, each.number, each.waits_for, each.failed)


def _standing(seen: Iterable[tuple[Instance, Digest]]) -> list[Standing]:
    going = [(i, d) for i, d in seen if d.state in ("stuck", "active")]
    going.sort(key=lambda pair: STATES.index(pair[1].state))
    return [Standing(i.id, i.name, d.state, d.sentence, d.totals) for i, d in going[:MOST_STANDING]]


def _hash(value: object) -> str:
    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
