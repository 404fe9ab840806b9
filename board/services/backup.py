"""A backup of a running store and its accounts in one tar.gz.

The order makes it consistent without stopping anybody: first the waiting messages, then the settled ones, then the
log up to its last whole line, then the files. So a message on its way may be in the backup twice (waiting, and as the
`ref` of its event, which is not applied again) but never without its event; and what an event tells of is there.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from board.log.directory import open_plain
from board.log.errors import StoreError
from board.log.event import utcnow
from board.log.file import open_log
from board.log.store import OWN_FILES, Store, id_problem
from board.services.backup_format import DATABASE, STORE, Manifest, Writer

EVENTS = "events.jsonl"
_PATIENCE_S = 10.0  # with a locked database
Say = Callable[[str], None]


def backup(store: Store, target: Path, database: Path | None, say: Say) -> Manifest:
    """Write a backup of the store (and of an SQLite database) to a new file; its manifest.

    Everything may go on running. StoreError: the target exists or is in the store, the store is missing, no room.
    """
    target = target.absolute()
    if os.path.lexists(target):
        raise StoreError(f"{target} exists already: give a new name.")
    if target.is_relative_to(store.root):
        raise StoreError(f"{target} is in the store itself: give a place outside of it.")
    if not store.root.is_dir():
        raise StoreError(f"There is no store at {store.root}.")
    try:
        with _new_file(target) as file, closing(Writer(file)) as writer:
            _fill(writer, store, database, say)
            manifest = writer.seal(utcnow())
    except (OSError, ValueError, sqlite3.Error) as error:
        raise StoreError(f"The backup {target} cannot be written: {said(error)}.") from error
    return manifest


def said(error: BaseException) -> str:
    """What an error says, in one line without a full stop."""
    text = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    return " ".join((text or type(error).__name__).split()).rstrip(".")


@contextmanager
def _new_file(target: Path) -> Iterator[BinaryIO]:
    """A file that has its name only when it is whole and on disk."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    # It holds the hashes of passwords.
    fd = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "w+b") as file:
            yield file
            file.flush()
            os.fsync(fd)
        partial.rename(target)
    finally:
        partial.unlink(missing_ok=True)


def _fill(writer: Writer, store: Store, database: Path | None, say: Say) -> None:
    with store.directory.folder() as root:
        say("messages")
        _add_folder(writer, root, store.inbox.name, say, only=(store.processed.name, store.failed.name))
        view = open_log(store).view()
        say(f"{view.position.offset} bytes of events")
        writer.add(STORE + EVENTS, view.position.offset, time.time(), view.bytes_at)
        for name in sorted(os.listdir(root)):
            if name == store.inbox.name or name.startswith(".") or name in OWN_FILES:
                continue
            if name != "archive" and id_problem(name):
                say(f"left out: {name} (no instance)")
                continue
            say(f"files of {name}")
            _add_folder(writer, root, name, say)
    if database is not None and database.exists():
        say(f"database {database}")
        _add_database(writer, database)


def _is_folder(root: int, name: str) -> bool:
    with suppress(OSError):
        return stat.S_ISDIR(os.stat(name, dir_fd=root, follow_symlinks=False).st_mode)
    return False


def _add_folder(writer: Writer, root: int, top: str, say: Say, only: tuple[str, ...] | None = None) -> None:
    """Add what is below a folder of the store, no step over a link; `only`: the folders in it that are looked into."""

    if not _is_folder(root, top):
        say(f"left out: {top} (no folder)")
        return

    def left_out(error: OSError) -> None:
        say(f"left out: {error.filename} ({error.strerror})")

    for here, folders, names, fd in os.fwalk(top, onerror=left_out, dir_fd=root):
        folders[:] = sorted(folders) if only is None else [name for name in only if name in folders and here == top]
        for name in [name for name in folders if not _is_folder(fd, name)]:
            folders.remove(name)
            say(f"left out: {here}/{name} (a link)")
        for name in sorted(names):
            _add(writer, fd, f"{here}/{name}", say)


def _add(writer: Writer, folder: int, path: str, say: Say) -> None:
    """Add one regular file as long as it is now, none when it is gone."""
    try:
        fd = open_plain(path.rpartition("/")[2], os.O_RDONLY, dir_fd=folder, name=path)
    except FileNotFoundError:
        return
    except OSError as error:
        say(f"left out: {path} ({error.strerror})")
        return
    with os.fdopen(fd, "rb"):
        fact = os.fstat(fd)
        # A log may grow while it is read: what is written after this belongs to the next backup.
        writer.add(STORE + path, fact.st_size, fact.st_mtime, lambda start, end: os.pread(fd, end - start, start))


def _add_database(writer: Writer, database: Path) -> None:
    with tempfile.TemporaryDirectory() as here:
        copy = Path(here) / DATABASE
        copy_database(database, copy)
        with copy.open("rb") as file:
            size = copy.stat().st_size
            writer.add(DATABASE, size, time.time(), lambda start, end: os.pread(file.fileno(), end - start, start))


def copy_database(source: Path, target: Path) -> None:
    """Copy an SQLite database that others may be using, as one transaction. OSError, sqlite3.Error."""
    until = time.monotonic() + _PATIENCE_S

    def look(status: int, _left: int, _pages: int) -> None:
        # Left alone, it would wait for ever for one that somebody else has locked.
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > until:
            raise sqlite3.OperationalError(f"the database {target} or {source} is locked by another program")

    target.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new, progress=look)
