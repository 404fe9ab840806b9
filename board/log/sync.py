"""One flush of the disk for everybody who waits for one: threads of a process, and processes of a machine.

Whoever has written holds a `Ticket`. The first to come flushes for all that have written by then; who comes
meanwhile waits and is served by the next flush. Between processes the same is told by three numbers in the lock
file of the log: how many writes were made, how many of them a flush has covered, and of which file.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from board.log.directory import open_plain
from board.log.errors import NotDurable

_RECORD = struct.Struct("<QQQ")  # writes made, writes covered by a flush, inode flushed
_ALONE = 1 << 63
_flush = getattr(os, "fdatasync", os.fsync)


class Handle:
    """An open file, closed when the last one who uses it lets go; its device and inode name it."""

    def __init__(self, path: Path, flags: int) -> None:
        self.fd = open_plain(path, flags)
        stat = os.fstat(self.fd)
        self.file = (stat.st_dev, stat.st_ino)

    def is_at(self, path: Path) -> bool:
        """Whether the path still names this very file."""
        try:
            stat = os.stat(path, follow_symlinks=False)
        except OSError:
            return False
        return self.file == (stat.st_dev, stat.st_ino)

    def __del__(self) -> None:
        with suppress(AttributeError, OSError):
            os.close(self.fd)


class Ticket(NamedTuple):
    """One write that waits for the disk: the file written to, and its number among the writes of all and of ours."""

    file: Handle
    lock: Handle
    shared: int
    own: int


LOCK_PATIENCE_S = 5.0
"""How long a lock that another program holds is waited for, in seconds."""
_LOOK_S = (0.0002, 0.02)  # between two looks at a lock: at first, and at most


@contextmanager
def flocked(path: Path, patience_s: float = LOCK_PATIENCE_S) -> Iterator[Handle]:
    """Hold the exclusive lock on the file at `path`, made if missing; OSError (EBUSY) when it is not to be had."""
    ends = time.monotonic() + patience_s
    while True:
        handle = Handle(path, os.O_RDWR | os.O_CREAT)
        take_lock(handle.fd, ends)
        if handle.is_at(path):  # else somebody removed the file while we waited, and another may hold the new one
            break
    try:
        yield handle
    finally:
        # said, not left to closing: a forked child may still have the file open
        fcntl.flock(handle.fd, fcntl.LOCK_UN)


def take_lock(fd: int, ends: float) -> None:
    """Lock an open file for us alone, looking again until `ends` (monotonic): the kernel's own wait has no end."""
    pause = _LOOK_S[0]
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= ends:
                raise OSError(errno.EBUSY, "another program holds the lock") from None
        time.sleep(pause)
        pause = min(2 * pause, _LOOK_S[1])


class GroupSync:
    """Flushes for the threads of this process, sharing with other processes by way of the lock files."""

    def __init__(self, sync_path: Path) -> None:
        self._path = sync_path
        self._turn = threading.Condition()
        self._busy = False
        self._own = 0
        self._covered: tuple[tuple[int, int], int] = ((0, 0), 0)
        self._lost = (0, "")
        self.flushes = 0

    def wrote(self, file: Handle, lock: Handle) -> Ticket:
        """Note one finished write; the caller holds the append lock (`lock` is its file)."""
        number = _ALONE
        with suppress(OSError):  # a full disk: the event is written, so it only cannot share another's flush
            made, covered, inode = _read(lock)
            os.pwrite(lock.fd, _RECORD.pack(made + 1, covered, inode)[:8], 0)
            number = made + 1
        with self._turn:
            self._own += 1
            return Ticket(file, lock, number, self._own)

    def settle(self, ticket: Ticket) -> None:
        """Wait until the write is on disk, flushing if nobody else does. NotDurable when the disk refuses."""
        with self._turn:
            while self._busy and not self._is_settled(ticket):
                self._turn.wait()
            if self._is_settled(ticket):
                return
            self._busy = True
            upto = self._own
        try:
            covered = self._lead(ticket, upto)
        except OSError as error:
            # The system tells of a lost write once: all that waited for this flush must hear of it.
            self._end(None, (upto, str(error)))
            raise NotDurable(f"The disk did not confirm the events in {self._path.parent}: {error}") from error
        except BaseException:
            self._end(None, self._lost)
            raise
        self._end((ticket.file.file, covered), self._lost)

    def _is_settled(self, ticket: Ticket) -> bool:
        if ticket.own <= self._lost[0]:
            raise NotDurable(f"The disk did not confirm the events in {self._path.parent}: {self._lost[1]}")
        return self._covered[0] == ticket.file.file and ticket.own <= self._covered[1]

    def _lead(self, ticket: Ticket, upto: int) -> int:
        with ExitStack() as stack:
            with suppress(OSError):
                stack.enter_context(flocked(self._path))
            made, covered, inode = _read(ticket.lock)
            if covered >= ticket.shared and inode == ticket.file.file[1]:
                return ticket.own
            self.flushes += 1
            _flush(ticket.file.fd)
            with suppress(OSError):
                os.pwrite(ticket.lock.fd, _RECORD.pack(made, made, ticket.file.file[1])[8:], 8)
        return upto

    def _end(self, covered: tuple[tuple[int, int], int] | None, lost: tuple[int, str]) -> None:
        with self._turn:
            self._busy = False
            self._covered = covered or self._covered
            self._lost = lost
            self._turn.notify_all()


def _read(lock: Handle) -> tuple[int, int, int]:
    raw = os.pread(lock.fd, _RECORD.size, 0)
    if len(raw) != _RECORD.size:
        with suppress(OSError):
            os.pwrite(lock.fd, bytes(_RECORD.size), 0)
        return 0, 0, 0
    made, covered, inode = _RECORD.unpack(raw)
    return made, covered, inode
