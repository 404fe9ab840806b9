"""The list of instances: how far each is, where it stands in words, what is stuck first."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from board.log.tail import InstanceHead, Tail
from board.process.definition.elements import ElementList
from board.selectors import summaries
from board.selectors.instance.board import Totals
from board.selectors.words import INSTANCE_STATES

PAGE = 60


class InstanceLine(NamedTuple):
    """One instance of the list. `broken`: why the log's part of it cannot be read, "" when it can."""

    id: str
    process: str
    version: str
    state: str
    sentence: str
    total: Totals
    failed: int
    created: str
    created_by: str
    broken: str
    roles: frozenset[str]


class InstanceList(NamedTuple):
    """A page of the list: the lines, how many match in all, and how many instances there are of each state."""

    lines: list[InstanceLine]
    matches: int
    start: int
    states: list[tuple[str, int]]

    @property
    def more(self) -> int:
        return max(0, self.matches - self.start - len(self.lines))

    @property
    def next(self) -> int:
        return self.start + len(self.lines)


def listing(lines: Collection[InstanceLine], text: str = "", state: str = "", start: int = 0) -> InstanceList:
    """Return the lines a filter wants: what is stuck first, then what goes on, then what is over, each newest first."""
    words = text.casefold().split()
    named = [line for line in lines if all(word in f"{line.id} {line.process}".casefold() for word in words)]
    counts = [(each, sum(1 for line in named if line.state == each)) for each in INSTANCE_STATES]
    wanted = [line for line in named if not state or line.state == state]
    wanted.sort(key=lambda line: (INSTANCE_STATES.index(line.state), -bool(line.failed)))
    return InstanceList(wanted[start : start + PAGE], len(wanted), start, [(each, n) for each, n in counts if n])


def lines(tail: Tail) -> list[InstanceLine]:
    """Return every instance, the newest first."""
    with tail.reading():
        return [_line(tail, head) for head in tail.ids()]


class LastElements(NamedTuple):
    """The elements of the newest instance of a process that has any."""

    id: str
    elements: ElementList


def last_elements(tail: Tail, process: str, seen: Callable[[Collection[str]], bool]) -> LastElements | None:
    """Return what "as last time" means for a process, from instances whose roles `seen` lets through, or None."""
    with tail.reading():
        for head in tail.ids():
            instance = tail.get(head.id) if head.name == process and not head.broken else None
            if instance is not None and instance.elements.ids and seen(instance.flow.roles):
                return LastElements(instance.id, instance.elements)
    return None


def _line(tail: Tail, head: InstanceHead) -> InstanceLine:
    read = summaries.read(tail, head)
    if read is None:
        fresh_head = tail.head(head.id)
        broken = (fresh_head.broken if fresh_head is not None else "") or "it cannot be read"
        empty = Totals(0, 0, 0, 0, 0)
        facts = ("stuck", "", empty, 0, head.created, head.created_by, broken, frozenset[str]())
        return InstanceLine(head.id, head.name, head.version, *facts)
    instance, digest = read
    counts = digest.totals
    total = Totals(
        counts["done"], counts["doing"], counts["open"], counts["failed"], counts["total"] - counts["skipped"]
    )
    return InstanceLine(
        id=instance.id,
        process=instance.name,
        version=instance.version,
        state=digest.state,
        sentence=digest.sentence,
        total=total,
        failed=len(digest.failed),
        created=instance.created,
        created_by=instance.created_by,
        broken="",
        roles=instance.flow.roles,
    )
