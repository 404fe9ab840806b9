"""My work: what is open for one person now, over all instances, and what is coming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from heapq import merge
from itertools import islice, takewhile
from typing import NamedTuple

from django.contrib.auth.models import User

from board.accounts import names
from board.accounts.people import roles_for
from board.accounts.permissions import actor_for, may_view
from board.log.tail import Tail
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.instance import Instance
from board.selectors import current
from board.selectors.instance.last_line import last_line
from board.selectors.summaries import Digest, OpenRow, all_of, open_rows
from board.selectors.words import INSTANCE_STATES
from board.selectors.work.cards import Job, job, version_of

MOST_MINE = 60  # cards a page shows; the rest is one click away on the boards
MOST_OF_A_ROLE = 20
MOST_COMING = 8
MOST_STANDING = 6


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
        return version_of(self)


def my_work(tail: Tail, user: User, now: datetime) -> MyWork:
    """Return everything the page shows to `user`, at a time (for what is late)."""
    who = actor_for(user)
    with tail.reading():
        seen = [(i, d) for i, d in all_of(tail) if may_view(user, i.flow.roles)]
        shares = [_Share(i, d, who) for i, d in seen]
        mine, pools = _counted(shares)
        failed = [(i, row) for i, d in seen for row in d.failed] if who.may_operate else []
        told: set[tuple[str, str]] = set()
        page = MyWork(
            mine=tuple(_told_once(_jobs(shares, who, None, MOST_MINE), told)),
            more_mine=max(0, mine - MOST_MINE),
            pools=tuple(_pool(role, pools[role], shares, who, told) for role in sorted(pools)),
            failed=tuple(job(i, row, who) for i, row in failed[:MOST_OF_A_ROLE]),
            more_failed=max(0, len(failed) - MOST_OF_A_ROLE),
            coming=tuple(_coming(seen, who))[:MOST_COMING],
            standing=tuple(_standing(seen)),
            open=mine + sum(pools.values()),
            late=sum(share.late(now) for share in shares),
        )
    return page._replace(failed=tuple(map(_with_last_line, page.failed)))


def _with_last_line(failed: Job) -> Job:
    if not failed.attempt:
        return failed
    said = last_line(current.store(), failed.instance, failed.task, failed.element, failed.attempt)
    return failed._replace(last=said)


def number(tail: Tail, user: User) -> int:
    """Return how many rows are open for somebody, for the badge."""
    who = actor_for(user)
    with tail.reading():
        mine, pools = _counted(_Share(i, d, who) for i, d in all_of(tail) if may_view(user, i.flow.roles))
    return mine + sum(pools.values())


class _Share:
    """What of one instance is for one person: assigned to them, or free for a role they hold."""

    def __init__(self, instance: Instance, digest: Digest, who: Actor) -> None:
        self.instance, self.digest, self.who = instance, digest, who
        self.held = {t for t, _ in digest.people if who.holds(instance.flow.rows[t], instance.flow)}

    def counts(self) -> Iterator[tuple[str | None, int]]:
        """Yield (role, how many) for each pool of free rows; the role None for what is assigned."""
        for (task, assignee), many in self.digest.people.items():
            if task not in self.held:
                continue
            if assignee == self.who.name:
                yield None, many
            elif self._is_free(task, assignee):
                definition = self.instance.flow.rows[task]
                if definition.not_by:
                    many = sum(1 for r in open_rows(self.instance) if r.task == task and self.pool(r) is not _NOT)
                yield definition.role, many

    def rows(self, pool: str | None) -> Iterator[tuple[OpenRow, Instance]]:
        """Return the rows of a pool (None: the assigned ones), in the order of the page."""
        return ((row, self.instance) for row in open_rows(self.instance) if self.pool(row) == pool)

    def late(self, now: datetime) -> int:
        """Return how many of them are late: those with a deadline come first."""
        dated = takewhile(lambda r: r.due is not None and r.due <= now, open_rows(self.instance) if self.held else ())
        return sum(1 for row in dated if self.pool(row) is not _NOT)

    def pool(self, row: OpenRow) -> str | None:
        """Return the role whose pool a row is in, None for what is assigned, `_NOT` for what is not theirs to do."""
        if row.task not in self.held:
            return _NOT
        if row.assignee == self.who.name:
            return None
        if not self._is_free(row.task, row.assignee):
            return _NOT
        definition = self.instance.flow.rows[row.task]
        wish = "take" if row.assignee else "finish"
        if definition.not_by and not decide.may(wish, self.instance, row.row, self.who):
            return _NOT
        return definition.role

    def _is_free(self, task: int, assignee: str) -> bool:
        """Return whether anybody of the role may do it: it is nobody's, or of somebody who cannot do it any more."""
        flow = self.instance.flow
        return not assignee or not names.can_do(assignee, roles_for(flow.rows[task], flow))


_NOT = "\0"  # no role has this name


def _counted(shares: Iterable[_Share]) -> tuple[int, dict[str, int]]:
    """Return how many rows are assigned, and how many are free by role."""
    mine, pools = 0, Counter[str]()
    for share in shares:
        for role, many in share.counts():
            if role is None:
                mine += many
            else:
                pools[role] += many
    return mine, {role: many for role, many in pools.items() if many}


def _jobs(shares: Iterable[_Share], who: Actor, pool: str | None, most: int) -> Iterator[Job]:
    """Return the first cards of a pool over all instances."""
    merged = merge(*(share.rows(pool) for share in shares if share.held), key=lambda opened: opened[0][:4])
    return (job(instance, row.row, who, row.due) for row, instance in islice(merged, most))


def _told_once(jobs: Iterable[Job], told: set[tuple[str, str]]) -> Iterator[Job]:
    """Yield the jobs with their instruction on the first of each task only: nobody reads the same twenty times."""
    for each in jobs:
        known = (each.process, each.task) in told
        told.add((each.process, each.task))
        yield each._replace(instruction="") if known else each


def _pool(role: str, total: int, shares: list[_Share], who: Actor, told: set[tuple[str, str]]) -> Pool:
    boards = [share.instance.id for share in shares if any(each == role for each, _ in share.counts())]
    more = max(0, total - MOST_OF_A_ROLE)
    jobs = tuple(_told_once(_jobs(shares, who, role, MOST_OF_A_ROLE), told))
    return Pool(role, jobs, more, tuple(boards[:MOST_STANDING]) if more else ())


def _coming(seen: Iterable[tuple[Instance, Digest]], who: Actor) -> Iterator[ComingView]:
    for instance, digest in seen:
        for each in digest.coming:
            if who.holds(each.definition, instance.flow):
                yield ComingView(instance.id, each.definition.name, each.number, each.waits_for, each.failed)


def _standing(seen: Iterable[tuple[Instance, Digest]]) -> list[Standing]:
    going = [(i, d) for i, d in seen if d.state in ("stuck", "active")]
    going.sort(key=lambda pair: INSTANCE_STATES.index(pair[1].state))
    return [Standing(i.id, i.name, d.state, d.sentence, d.totals) for i, d in going[:MOST_STANDING]]
