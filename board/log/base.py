"""What every event log offers, whatever holds its bytes: a position, reading from it, appending, waiting for news.

A log is a sequence of bytes of which only whole lines count. `View` is one consistent sight of it: the bytes up to a
position; whatever is appended, truncated or replaced meanwhile belongs to the next view.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from board.log.event import BadLine, Event, decode

BLOCK = 1 << 20
"""How much of a log is read at a time, in bytes; a line may be longer."""


class Position(NamedTuple):
    """How much of which log was read: its identity and the bytes up to the end of its last whole line."""

    identity: str
    offset: int

    def __str__(self) -> str:
        return f"{self.identity}-{self.offset}"

    @classmethod
    def parse(cls, text: str) -> Position | None:
        """The position of a text like `3f2a-1024`; None for any other text."""
        identity, _, offset = text.partition("-")
        if not (identity and offset.isascii() and offset.isdigit() and len(offset) < 20):
            return None
        return cls(identity, int(offset))


NOWHERE = Position("0", 0)
"""The position of a log that has no line yet."""


class Batch(NamedTuple):
    """What was read: events in log order, where reading stopped, the lines that are none.

    `restarted`: the position read from is not in this log any more (replaced, truncated), so these are the
    events from its first line on and what was known before is void.
    """

    events: list[Event]
    position: Position
    bad: list[BadLine]
    restarted: bool = False


class Appender(Protocol):
    """Whoever holds the append lock."""

    def append(self, events: Iterable[Event]) -> Position:
        """Write the events in one call; the position after them. AppendError: none of them is in the log."""


class View(ABC):
    """One consistent sight of a log: the bytes before `position.offset`."""

    position: Position

    @abstractmethod
    def bytes_at(self, start: int, end: int) -> bytes:
        """The bytes of [start, end); shorter where the log was cut meanwhile."""

    def blocks(self, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Whole lines in blocks of about a megabyte: (offset of the block, bytes ending in a newline)."""
        end = self.position.offset if end is None else end
        size = BLOCK
        while start < end:
            block = self.bytes_at(start, min(start + size, end))
            cut = block.rfind(b"\n") + 1
            if cut:
                yield start, block[:cut]
                start, size = start + cut, BLOCK
            elif len(block) == size:
                size *= 4  # one line longer than the block
            else:
                return

    def blocks_back(self, end: int) -> Iterator[tuple[int, bytes]]:
        """The same from `end` (the start of a line) back to the first line."""
        size = BLOCK
        while end > 0:
            start = max(0, end - size)
            block = self.bytes_at(start, end)
            if start:
                cut = block.find(b"\n", 0, -1) + 1
                if not cut:
                    size *= 4
                    continue
                start, block = start + cut, block[cut:]
            yield start, block
            end, size = start, BLOCK

    def holds(self, since: Position | None) -> bool:
        """Whether `since` is a place in this very log that reading can go on from."""
        if since is None or since.identity != self.position.identity or since.offset > self.position.offset:
            return False
        return since.offset == 0 or self.bytes_at(since.offset - 1, since.offset) == b"\n"


class Log(ABC):
    """An append-only log of events; safe to use from several threads."""

    @abstractmethod
    def view(self) -> View:
        """The log as it is now; when nothing changed this costs one `stat`. ReadError when it cannot be read."""

    @abstractmethod
    def appending(self) -> AbstractContextManager[Appender]:
        """Hold the append lock (waits for it); when the context is left everything appended is on disk.

        AppendError and NotDurable are raised on the way out or by `append`. Do not enter it twice in one thread.
        """

    @abstractmethod
    def wait(self, position: Position, timeout_s: float) -> bool:
        """Sleep until the log is at another position than this one (True) or the time is over (False)."""

    def position(self) -> Position:
        """Where the last whole line ends."""
        return self.view().position

    def append(self, events: Iterable[Event]) -> Position:
        """Append the events durably in one write, without looking at what is there."""
        with self.appending() as appender:
            return appender.append(events)

    def read(self, since: Position | None = None) -> Batch:
        """The events after `since` (None: all); reading stops at the last newline."""
        view = self.view()
        goes_on = view.holds(since)
        start = since.offset if since and goes_on else 0
        if start == view.position.offset:
            return Batch([], view.position, [], not goes_on and since is not None)
        events: list[Event] = []
        bad: list[tuple[int, str]] = []
        for offset, line in lines(view.blocks(start)):
            event = decode(line)
            if isinstance(event, Event):
                events.append(event)
            else:
                bad.append((offset, event.reason))
        return Batch(events, view.position, number_lines(view, bad), not goes_on and since is not None)


def check(view: View) -> tuple[int, list[BadLine]]:
    """Return how many lines a log has, and those that are not events; nothing is kept in memory but these."""
    count, bad = 0, []
    for offset, line in lines(view.blocks()):
        count += 1
        event = decode(line)
        if not isinstance(event, Event):
            bad.append(BadLine(count, offset, event.reason))
    return count, bad


def lines(blocks: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """The lines of some blocks, each with its offset, without its newline."""
    for offset, block in blocks:
        for line in block.split(b"\n")[:-1]:
            yield offset, line
            offset += len(line) + 1


def number_lines(view: View, bad: Iterable[tuple[int, str]]) -> list[BadLine]:
    """Bad lines by (offset, reason), in order, with their line numbers: found by counting newlines, only when asked."""
    bad_lines: list[BadLine] = []
    at = number = 0
    for offset, reason in bad:
        number += sum(block.count(b"\n") for _, block in view.blocks(at, offset))
        at = offset
        bad_lines.append(BadLine(number + 1, offset, reason))
    return bad_lines
