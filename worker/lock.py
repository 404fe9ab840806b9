"""One worker a store: taking, holding and losing the lock (semantics, section 9.4).

Taking is done under a kernel lock on a file beside it, so of any number of starters exactly one wins, also when they
find the same stale lock. What is held afterwards is a directory with a file in it, which a machine that shares the
store can judge by its age.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from board.log.directory import Directory, NotPlain
from board.log.event import utcnow
from board.log.sync import LOCK_PATIENCE_S, take_lock
from board.log.worker_lock import (
    BEAT_INTERVAL_S,
    LOCK_DIR,
    OWNER,
    OWNER_FILE,
    STALE_AFTER_S,
    Owner,
    boot_id,
    is_gone,
    pid_namespace,
    read_owner,
    started_ticks,
)

GUARD_FILE = ".worker.lock.guard"
# A lock that looks old is watched this long before it is broken: a clock that was set makes any heartbeat look old.
WATCH_S = 2.5 * BEAT_INTERVAL_S


class LockError(Exception):
    """The store's lock cannot be had."""


class LockHeld(LockError):
    """Another worker holds the store; the message says who, since when, and how lately it was seen."""


class LockLost(LockError):
    """This worker no longer holds the store and may not write any more."""


class WorkerLock:
    """The lock of one store while this process holds it."""

    def __init__(self, store: Path, owner: Owner, fd: int) -> None:
        self.store, self.owner = store, owner
        self._fd = fd
        facts = os.fstat(fd)
        self._identity = facts.st_dev, facts.st_ino  # not given to another file while `fd` is open
        self._files = Directory(store)

    @classmethod
    def take(cls, store: Path, *, watch_s: float = WATCH_S, stale_after_s: float = STALE_AFTER_S) -> WorkerLock:
        """Take the lock, breaking one whose holder is gone. LockHeld; LockError where nothing can be locked."""
        watched: tuple[Owner | None, float] | None = None
        while True:
            with _guard(store):
                seen = _seen(store)
                if seen is None or (seen[0] is not None and is_gone(seen[0], store)) or seen == watched:
                    return cls._replace(store)
                if abs(time.time() - seen[1]) <= stale_after_s:
                    raise LockHeld(_held(*seen))
            if watched is not None:
                raise LockHeld(_held(*seen))  # it moved while it was watched: somebody is alive
            watched = seen
            time.sleep(watch_s)

    @classmethod
    def _replace(cls, store: Path) -> WorkerLock:
        token = secrets.token_hex(8)
        owner = Owner(
            os.getpid(), socket.gethostname(), utcnow(), token, started_ticks(os.getpid()), boot_id(), pid_namespace()
        )
        files, fresh = Directory(store), f"{LOCK_DIR}.new-{token}"
        files.make_folder(fresh)
        fd = files.open(f"{fresh}/{OWNER_FILE}", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        os.write(fd, msgspec.json.encode(owner) + b"\n")
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(FileNotFoundError):
            files.rename(LOCK_DIR, f"{LOCK_DIR}.old-{token}")
        files.rename(fresh, LOCK_DIR)
        for name, _ in files.scan():
            if name.startswith((f"{LOCK_DIR}.new-", f"{LOCK_DIR}.old-")):
                files.remove_tree(name)
        return cls(store, owner, fd)

    def holds(self) -> bool:
        """Whether the lock is still this one: one look at the file."""
        try:
            facts = self._files.stat(OWNER)
        except (FileNotFoundError, NotPlain):
            return False
        except OSError:  # the disk does not answer: nobody else can have taken it there either
            return True
        return (facts.st_dev, facts.st_ino) == self._identity

    def check(self) -> None:
        """Raise LockLost unless the lock is still this one."""
        if not self.holds():
            raise LockLost("another worker took the store over; this one ends its scripts and writes nothing more")

    def beat(self) -> bool:
        """Give a sign of life; returns whether the lock is still held."""
        if not self.holds():
            return False
        with contextlib.suppress(OSError):
            os.utime(self._fd)
        return True

    def release(self) -> None:
        """Give the store free for the next worker; nothing happens to a lock that is another's by now."""
        with contextlib.suppress(LockError, OSError), _guard(self.store):
            if self.holds():
                gone = f"{LOCK_DIR}.old-{self.owner.token}"
                self._files.rename(LOCK_DIR, gone)
                self._files.remove_tree(gone)
        with contextlib.suppress(OSError):
            os.close(self._fd)


@contextlib.contextmanager
def _guard(store: Path) -> Iterator[None]:
    fd = -1
    try:
        fd = Directory(store).open(GUARD_FILE, os.O_RDWR | os.O_CREAT, 0o644)
        take_lock(fd, time.monotonic() + LOCK_PATIENCE_S)
    except OSError as error:
        if fd >= 0:
            os.close(fd)
        raise LockError(
            f"the store {store} cannot be locked ({error.strerror}); "
            "put it on a local disk, or see to it yourself that one worker runs and use --no-lock"
        ) from error
    try:
        yield
    finally:
        os.close(fd)


def _seen(store: Path) -> tuple[Owner | None, float] | None:
    """The holder and its last sign of life; None when there is no lock, or one that was never finished.

    A link or a pipe in the place of the file is not a lock: no worker makes one.
    """
    try:
        fact = Directory(store).stat(OWNER)
    except (FileNotFoundError, NotPlain):
        return None
    return (read_owner(store), fact.st_mtime) if stat.S_ISREG(fact.st_mode) else None


def _held(owner: Owner | None, beat: float) -> str:
    age = max(0, round(time.time() - beat))
    if owner is None:
        return f"the store is held by a worker that cannot be told (its lock was touched {age} s ago)"
    return (
        f"another worker holds the store: process {owner.pid} on {owner.host}, "
        f"since {owner.since}, last seen {age} s ago"
    )
