"""The event log in a file: JSON lines, appended under a lock beside it, read from a position.

**Writing.** Our own appenders hold an exclusive `flock` on `events.lock`, end a torn last line of somebody else
first, and write all their lines with one call. What a full disk tears is cut off again before
the lock is let go. The flush happens after that, shared by all who wait for one (`sync.py`); only then is an event
acknowledged. Other programs may append whole lines in append mode without the lock.

**Position.** Identity and the length up to the last newline. The identity is a hash of the file's inode and its first
line: the same for every process that looks at the file, another one when the file is replaced, and for a copy. A
file that was cut or rewritten in place is noticed by its size and by the bytes before the last position read; then the
identity gets a counter, which is this process's own: other processes that noticed count alike, younger ones make
a client load its page once more.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from board.log.base import NOWHERE, Log, Position, View
from board.log.directory import NotPlain
from board.log.errors import AppendError, ReadError
from board.log.event import Event, encode
from board.log.notify import wait_until
from board.log.store import Store
from board.log.sync import LOCK_PATIENCE_S, GroupSync, Handle, Ticket, flocked

_TAIL = 64
_FIRST = 1024


def open_log(store: Path | str | Store) -> FileLog:
    """The event log of a store; the store is made if missing."""
    return FileLog(store if isinstance(store, Store) else Store(store))


class FileView(View):
    """The file as it was when looked at; it stays open, so a replaced file can be read to its end."""

    def __init__(self, position: Position, file: Handle | None) -> None:
        self.position = position
        self._file = file

    def bytes_at(self, start: int, end: int) -> bytes:
        end = min(end, self.position.offset)
        if self._file is None or start >= end:
            return b""
        try:
            return os.pread(self._file.fd, end - start, start)
        except OSError as error:
            raise ReadError(f"The event log cannot be read at byte {start}: {error.strerror}.") from error


class FileLog(Log):
    """The event log of one store, shared by any number of threads and processes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.path = store.events_path
        self.sync = GroupSync(store.sync_path)
        self._seen = _Seen()
        self._look_lock = threading.Lock()
        self._append_lock = threading.Lock()
        self._file: Handle | None = None

    def view(self) -> View:
        try:
            # Most looks find nothing new. They take no lock: hundreds that do wait for one another, each for a turn of
            # the interpreter.
            key, view = self._seen.now
            if key == _key(self.path):
                return view
            with self._look_lock:
                return self._seen.look(self.path)
        except OSError as error:
            raise ReadError(f"The event log {self.path.name} cannot be read: {error.strerror}.") from error

    @contextmanager
    def appending(self) -> Iterator[FileAppender]:
        appender = FileAppender(self)
        try:
            with ExitStack() as stack:
                appender.lock = self._take_lock(stack)
                yield appender
        finally:
            appender.lock = None
            # Outside of the lock: others write while this flush runs, and share the next.
            if appender.ticket:
                self.sync.settle(appender.ticket)

    def wait(self, position: Position, timeout_s: float) -> bool:
        return wait_until(lambda: self.position() != position, [self.store.root], timeout_s)

    def torn_bytes(self) -> int:
        """How many bytes come after the last newline: half a line, or one that is being written."""
        view = self.view()
        try:
            return max(0, self.path.lstat().st_size - view.position.offset)
        except OSError:
            return 0

    def open_to_append(self) -> Handle:
        """The file as it is named now, made if missing; the caller holds the append lock."""
        if self._file is None or not self._file.is_at(self.path):
            self._file = Handle(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            if os.fstat(self._file.fd).st_size == 0:
                self.store.directory.flush()
        return self._file

    def _take_lock(self, stack: ExitStack) -> Handle:
        ends = time.monotonic() + LOCK_PATIENCE_S
        if not self._append_lock.acquire(timeout=LOCK_PATIENCE_S):
            raise append_error(self.store, OSError(errno.EBUSY, "others of this program wait for the log"))
        stack.callback(self._append_lock.release)
        try:
            try:
                return stack.enter_context(flocked(self.store.lock_path, ends - time.monotonic()))
            except FileNotFoundError:
                self.store.root.mkdir(parents=True, exist_ok=True)
                return stack.enter_context(flocked(self.store.lock_path, ends - time.monotonic()))
        except OSError as error:
            raise append_error(self.store, error) from error


class FileAppender:
    """Whoever holds the append lock of a file."""

    def __init__(self, log: FileLog) -> None:
        self._log = log
        self.lock: Handle | None = None
        self.ticket: Ticket | None = None

    def append(self, events: Iterable[Event]) -> Position:
        data = b"".join(map(encode, events))
        if self.lock is None:
            raise AppendError("The append lock was let go before this; nothing was written.")
        if not data:
            return self._log.position()
        try:
            file = self._log.open_to_append()
            end = _write(file, data)
        except OSError as error:
            raise append_error(self._log.store, error) from error
        self.ticket = self._log.sync.wrote(file, self.lock)
        return Position(self._log.position().identity, end)


def append_error(store: Store, error: OSError) -> AppendError:
    """What to tell people about an error of the system while appending."""
    remedy = {
        errno.ENOSPC: "The disk is full; make room and repeat.",
        errno.EDQUOT: "The quota of the disk is used up; make room and repeat.",
        errno.EFBIG: "The log has reached the largest size allowed here.",
        errno.EROFS: "The store is read-only; make it writable and repeat.",
        errno.EACCES: "The store may not be written by this account; give it the right and repeat.",
        errno.EBUSY: "Repeat in a moment; if this stays, end the program that holds events.lock.",
        errno.ELOOP: "Something was put into the store where the log belongs; an operator has to look.",
        errno.ENOLCK: "This file system has no locks; put the store on a local disk.",
    }.get(error.errno or 0, "")
    return AppendError(f"Nothing was recorded: {error.strerror or error}. {remedy}".strip())


def _write(file: Handle, data: bytes) -> int:
    """Append whole lines, after a newline when the file ends in half a line; where they end, in bytes.

    A program that takes no lock may write half a line between our look at the last byte and our write. So the bytes
    before ours are looked at again afterwards: was our first line glued to such a half, it is not an event, and all
    is written once more. What came after the first line is then there twice, and folds to the same.
    """
    while True:
        behind = data if _ends_line(file, os.fstat(file.fd).st_size) else b"\n" + data
        end = _write_all(file, behind)
        if behind is not data or _ends_line(file, end - len(data)):
            return end


def _ends_line(file: Handle, at: int) -> bool:
    """Whether a line that begins at an offset begins as a line: nothing but white space is between it and a newline."""
    before = os.pread(file.fd, min(at, _TAIL), max(0, at - _TAIL))
    return not before.rpartition(b"\n")[2].strip(b" \t\r") and (at <= _TAIL or b"\n" in before)


def _write_all(file: Handle, data: bytes) -> int:
    done = 0
    try:
        while done < len(data):  # once, but for a disk that takes a part only
            done += os.write(file.fd, data[done:] if done else data)
    except OSError:
        _take_back(file, done)
        raise
    return os.lseek(file.fd, 0, os.SEEK_CUR)


def _take_back(file: Handle, done: int) -> None:
    # If another program has appended behind our part it has to stay; the next appender ends it like any torn line.
    end = os.lseek(file.fd, 0, os.SEEK_CUR)
    if done and os.fstat(file.fd).st_size == end:
        with suppress(OSError):
            os.ftruncate(file.fd, end - done)


Key = tuple[int, ...]


class _Seen:
    """What the last look at the file found; a look that finds nothing new is one `stat`."""

    def __init__(self) -> None:
        # one attribute, so that whoever reads it without a lock gets two that belong together
        self.now: tuple[Key, FileView] = ((), FileView(NOWHERE, None))
        self._file: Handle | None = None
        self._tail = b""
        self._name = ""
        self._cuts = 0

    def look(self, path: Path) -> FileView:
        key = _key(path)
        if not key:
            self.now, self._file, self._tail = ((), FileView(NOWHERE, None)), None, b""
        elif key != self.now[0]:
            self._look_closely(path, key)
        return self.now[1]

    def _look_closely(self, path: Path, key: Key) -> None:
        file, known = self._file, self.now[1].position.offset
        if file is None or file.file != key[:2]:
            file, known, self._name, self._cuts = Handle(path, os.O_RDONLY), 0, "", 0
            self._tail = b""
        size = os.fstat(file.fd).st_size
        if size < known or os.pread(file.fd, len(self._tail), known - len(self._tail)) != self._tail:
            known, self._name, self._cuts = 0, "", self._cuts + 1
        end = _last_newline(file.fd, size, known)
        if end and not self._name:
            first = os.pread(file.fd, min(end, _FIRST), 0).partition(b"\n")[0]
            self._name = hashlib.sha256(b"%d " % file.file[1] + first).hexdigest()[:12]
        tail = min(end, _TAIL)
        self._file, self._tail = file, os.pread(file.fd, tail, end - tail)
        identity = f"{self._name}.{self._cuts}" if self._cuts else self._name
        self.now = key, FileView(Position(identity, end) if end else NOWHERE, file)


def _key(path: Path) -> Key:
    """What changes whenever the file does; () when there is none. NotPlain when it is a link or a pipe."""
    try:
        facts = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return ()
    if not stat.S_ISREG(facts.st_mode):
        raise NotPlain(path.name)
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _last_newline(fd: int, high: int, low: int) -> int:
    """Where the last whole line before `high` ends, looking back no further than `low`."""
    while high > low:
        start = max(low, high - 65536)
        cut = os.pread(fd, high - start, start).rfind(b"\n")
        if cut >= 0:
            return start + cut + 1
        high = start
    return low
