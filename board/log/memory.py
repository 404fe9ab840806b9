"""The event log in memory: the same contract and the same bytes as the file, for tests."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from board.log.base import NOWHERE, Log, Position, View
from board.log.errors import AppendError
from board.log.event import Event, encode


class MemoryView(View):
    """A copy-free sight of the buffer: it only ever grows, or is replaced as a whole."""

    def __init__(self, position: Position, buffer: bytearray) -> None:
        self.position = position
        self._buffer = buffer

    def bytes_at(self, start: int, end: int) -> bytes:
        return bytes(self._buffer[start : min(end, self.position.offset)])


class MemoryLog(Log):
    """An event log that is gone with the process."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._replaced = 0
        self._lock = threading.Lock()
        self._news = threading.Condition()

    def view(self) -> View:
        with self._news:
            end = self._buffer.rfind(b"\n") + 1
            position = Position(f"memory{self._replaced}", end) if end else NOWHERE
            return MemoryView(position, self._buffer)

    @contextmanager
    def appending(self) -> Iterator[MemoryLog._Appender]:
        with self._lock:
            appender = self._Appender(self)
            try:
                yield appender
            finally:
                appender.holds = False

    def wait(self, position: Position, timeout_s: float) -> bool:
        with self._news:
            return self._news.wait_for(lambda: self._end() != position, timeout_s)

    def put(self, data: bytes) -> None:
        """Append raw bytes as another program might, without the lock."""
        with self._news:
            self._buffer += data
            self._news.notify_all()

    def replace(self, data: bytes) -> None:
        """Put another log in this one's place, as a restored backup would."""
        with self._news:
            self._buffer = bytearray(data)
            self._replaced += 1
            self._news.notify_all()

    def _end(self) -> Position:
        end = self._buffer.rfind(b"\n") + 1
        return Position(f"memory{self._replaced}", end) if end else NOWHERE

    class _Appender:
        def __init__(self, log: MemoryLog) -> None:
            self._log = log
            self.holds = True

        def append(self, events: Iterable[Event]) -> Position:
            if not self.holds:
                raise AppendError("The append lock was let go before this; nothing was written.")
            data = b"".join(map(encode, events))
            with self._log._news:
                torn = self._log._buffer and self._log._buffer[-1:] != b"\n"
                self._log._buffer += b"\n" + data if torn and data else data
                self._log._news.notify_all()
                return self._log._end()
