"""What gates see of the things they ask: a small state for each element, and a count for those who ask from outside.

row ──> source (task + label, or group + label) ──> asked by
        states: one per element                     same   each task for its own element
        count:  how many elements are met, never    fan    repeated tasks of a single one
                                                    count  tasks outside the collection
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from board.process.engine.status.coming import Coming
from board.process.flow.gates import Gate

WAITING, MET, NEVER, STALLED = range(4)  # STALLED: waiting for what has failed


@dataclass(slots=True)
class Count:
    """The elements of a source by state, and how many are enough."""

    need: int
    total: int
    met: int = 0
    never: int = 0
    stalled: int = 0

    @property
    def state(self) -> int:
        if self.met >= self.need:
            return MET
        if self.total - self.never < self.need:
            return NEVER
        return STALLED if self.stalled else WAITING

    def moves(self, before: int, after: int) -> bool:
        """Note that one element went from a state to another; returns whether that moves the state of all."""
        state = self.state
        self.add(before, -1)
        self.add(after, 1)
        return self.state != state

    def add(self, state: int, by: int) -> None:
        if state == MET:
            self.met += by
        elif state == NEVER:
            self.never += by
        elif state == STALLED:
            self.stalled += by


@dataclass(slots=True)
class Source:
    """One thing a gate can ask, and the tasks that ask it (by number).

    Without elements it is `hollow`: a single state, which is that of the gates of its `entries`.
    """

    gate: Gate
    states: list[int]
    count: Count
    entries: tuple[int, ...] = ()
    same: list[int] = field(default_factory=list)
    fan: list[int] = field(default_factory=list)
    counted: list[int] = field(default_factory=list)
    is_counted: bool = False

    @property
    def hollow(self) -> bool:
        return bool(self.entries)

    @property
    def askers(self) -> Iterator[int]:
        yield from self.same
        yield from self.fan
        yield from self.counted


class Asked(NamedTuple):
    """A gate as one task asks it of a source: for its own element (`own`), for a single one, or of the count."""

    gate: Gate
    source: Source | None
    fixed: int = WAITING  # the state of a gate without a source: an unknown task, or a group without members
    counted: bool = False
    own: bool = False
    coming: Coming | None = None  # of an inclusive join


class AskedSet(NamedTuple):
    """A gate set made ready to judge: `wanted` gates are enough; an inclusive one wants all that are taken."""

    wanted: int
    inclusive: bool
    asked: tuple[Asked, ...]


def seen_from_outside(verdicts: Collection[str]) -> int:
    """The state of a source without elements, by the verdicts on the gates of its entries."""
    return WAITING if "blocked" in verdicts else NEVER if "skipped" in verdicts else MET


def verdict(asked_set: AskedSet, states: Sequence[int]) -> str:
    """Judge one gate set: open, blocked or skipped."""
    met = states.count(MET)
    waiting = len(states) - met - states.count(NEVER)
    if asked_set.inclusive:
        return "blocked" if waiting else "open" if met else "skipped"
    return "open" if met >= asked_set.wanted else "skipped" if met + waiting < asked_set.wanted else "blocked"
