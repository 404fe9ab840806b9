"""A backup of a running store in one tar.gz, and putting it back into an empty one.

The order makes it consistent without stopping anybody: first the waiting messages, then the settled ones, then the
log up to its last whole line, then the files. So a message on its way may be in the backup twice (waiting, and as the
`ref` of its event, which is not applied again) but never without its event; and what an event tells of is there.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import stat
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path, PurePosixPath
from typing import IO

from board.log.base import BLOCK
from board.log.errors import StoreError
from board.log.event import utcnow
from board.log.file import open_log
from board.log.store import OWN_FILES, Store, id_problem
from board.log.worker_lock import worker_alive

MANIFEST = "foldboard-backup.json"
EVENTS = "events.jsonl"
DATABASE = "database.sqlite3"
_STAGE = ".restoring"
Say = Callable[[str], None]


def backup(store: Store, target: Path, database: Path | None, say: Say) -> int:
    """Write a backup of the store (and of an SQLite database) to a new file; how many files are in it.

    Everything may go on running. StoreError: the target exists or is in the store, the store is missing, no room.
    """
    target = target.absolute()
    if os.path.lexists(target):
        raise StoreError(f"{target} exists already: give a new name.")
    if target.is_relative_to(store.root):
        raise StoreError(f"{target} is in the store itself: give a place outside of it.")
    if not store.root.is_dir():
        raise StoreError(f"There is no store at {store.root}.")
    partial = target.with_name(f".{target.name}.partial")
    try:
        # It holds the hashes of passwords.
        fd = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(fd, "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6, format=tarfile.PAX_FORMAT) as tar:
                count = _fill(tar, store, database, say)
            file.flush()
            os.fsync(file.fileno())
        partial.rename(target)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"The backup {target} cannot be written: {error}.") from error
    finally:
        with suppress(OSError):  # where nothing may be written there is nothing to take away
            partial.unlink(missing_ok=True)
    return count


def restore(store: Store, source: Path, database: Path | None, say: Say) -> int:
    """Put a backup into an empty store (and database, None: leave it); how many files were put there.

    StoreError, with nothing changed: the store or the database is not empty, a worker runs, no whole backup.
    """
    _refuse_unless_empty(store)
    if database is not None:
        _refuse_accounts(database)
    stage = store.root / _STAGE
    try:
        store.ensure()
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir()
        count = _unpack(source, stage, say)
        if database is not None and (stage / DATABASE).exists():
            say(f"database {database}")
            _copy_database(stage / DATABASE, database)
        (stage / DATABASE).unlink(missing_ok=True)
        _move_in(stage, store)
    except (tarfile.TarError, EOFError, OSError, ValueError, sqlite3.Error) as error:
        raise StoreError(f"{source} cannot be restored: {error}") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return count


# writing


def _fill(tar: tarfile.TarFile, store: Store, database: Path | None, say: Say) -> int:
    _add_bytes(tar, MANIFEST, json.dumps({"format": 1, "made": utcnow()}).encode())
    count = 0
    for folder in (store.inbox, store.processed, store.failed):
        say(f"messages in {folder.name}")
        count += sum(_add(tar, store, path, say) for path in _paths(folder, deep=False))
    count += _add_events(tar, store, say)
    for folder in sorted(path for path in store.root.iterdir() if path.is_dir() and not path.is_symlink()):
        if folder == store.inbox or folder.name.startswith("."):
            continue
        if folder.name != "archive" and id_problem(folder.name):
            say(f"left out: {folder.name} (no instance)")
            continue
        say(f"files of {folder.name}")
        count += sum(_add(tar, store, path, say) for path in _paths(folder, deep=True))
    if database is not None and database.exists():
        say(f"database {database}")
        with tempfile.TemporaryDirectory() as here:
            copy = Path(here) / DATABASE
            _copy_database(database, copy)
            tar.add(copy, DATABASE)
        count += 1
    return count


def _add_events(tar: tarfile.TarFile, store: Store, say: Say) -> int:
    view = open_log(store).view()
    say(f"{view.position.offset} bytes of events")
    info = _info(EVENTS, view.position.offset)
    tar.addfile(info, _Blocks(view.bytes_at, view.position.offset))
    return 1


def _paths(folder: Path, *, deep: bool) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(here) / name for name in sorted(names))
        if not deep:
            return


def _add(tar: tarfile.TarFile, store: Store, path: Path, say: Say) -> int:
    """Add one regular file as long as it is now; 0 when it is gone or not a regular file."""
    name = store.relative(path)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return 0
    except OSError as error:
        say(f"left out: {name} ({error.strerror})")
        return 0
    with os.fdopen(fd, "rb"):
        fact = os.fstat(fd)
        if not stat.S_ISREG(fact.st_mode):
            say(f"left out: {name} (no regular file)")
            return 0
        # A log may grow while it is read: what is written after this belongs to the next backup.
        size = fact.st_size
        tar.addfile(_info(name, size, fact.st_mtime), _Blocks(lambda a, b: os.pread(fd, b - a, a), size))
    return 1


def _add_bytes(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    tar.addfile(_info(name, len(data)), io.BytesIO(data))


def _info(name: str, size: int, changed: float | None = None) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o644
    info.mtime = int(time.time() if changed is None else changed)
    return info


class _Blocks(io.RawIOBase):
    """A file of a fixed size out of a way to read pieces of it; what was cut off meanwhile reads as zeros."""

    def __init__(self, piece: Callable[[int, int], bytes], size: int) -> None:
        self._piece, self._size, self._at = piece, size, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        end = min(self._size, self._at + (BLOCK if size < 0 else size))
        piece = self._piece(self._at, end).ljust(end - self._at, b"\0")
        self._at = end
        return piece


# putting back


def _refuse_unless_empty(store: Store) -> None:
    if worker_alive(store.root):
        raise StoreError(f"A worker runs on {store.root}: stop it first.")
    for path in _paths(store.root, deep=True):
        name = store.relative(path)
        empty = name in OWN_FILES and (name != EVENTS or path.stat().st_size == 0)
        if not empty and not name.startswith("."):
            raise StoreError(f"The store {store.root} is not empty, it has {name}: restore into an empty one.")


def _refuse_accounts(database: Path) -> None:
    if not database.exists():
        return
    with closing(sqlite3.connect(database)) as db:
        try:
            accounts = db.execute("select count(*) from auth_user").fetchone()[0]
        except sqlite3.Error as error:
            if "no such table" in str(error):
                return
            raise StoreError(f"The database {database} cannot be read: {error}.") from error
    if accounts:
        raise StoreError(f"The database {database} has {accounts} accounts: move it away, or restore without it.")


def _unpack(source: Path, stage: Path, say: Say) -> int:
    count = 0
    with tarfile.open(source, "r:gz") as tar:
        first = tar.next()
        manifest = tar.extractfile(first) if first is not None and first.name == MANIFEST else None
        if manifest is None or json.load(manifest).get("format") != 1:
            raise ValueError("it is no backup of this program")
        for member in tar:
            if member.name == MANIFEST:
                continue
            path = stage.joinpath(*_parts(member))
            data = tar.extractfile(member)
            assert data is not None  # nosec B101 # for the type checker: it is a file
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                shutil.copyfileobj(data, file, BLOCK)
                _settle(file)
            os.utime(path, (member.mtime, member.mtime))
            count += 1
            if member.name in (EVENTS, DATABASE):
                say(f"{member.size} bytes of {member.name}")
    if not (stage / EVENTS).exists():
        raise ValueError("it holds no events")
    return count


def _parts(member: tarfile.TarInfo) -> tuple[str, ...]:
    """Where a member goes, as names below the store; ValueError for what no backup of ours holds."""
    parts = PurePosixPath(member.name).parts
    plain = (
        member.isreg() and parts and not member.name.startswith("/") and ".." not in parts and "\0" not in member.name
    )
    known = (
        parts[0] in ("inbox", "archive") or not id_problem(parts[0])
        if len(parts) > 1
        else parts in ((EVENTS,), (DATABASE,))
    )
    if not (plain and known):
        raise ValueError(f"it holds {member.name!r}, which is no file of a store")
    return parts


def _settle(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _move_in(stage: Path, store: Store) -> None:
    # The log last: until it is there the store is an empty one, and a broken restore can be repeated.
    for path in sorted(stage.iterdir(), key=lambda path: path.name == EVENTS):
        if path.name == store.inbox.name:
            for inner in _paths(path, deep=True):
                inner.rename(store.root / inner.relative_to(stage))
        else:
            path.rename(store.root / path.name)
    fd = os.open(store.root, os.O_RDONLY)
    with suppress(OSError):
        os.fsync(fd)
    os.close(fd)


def _copy_database(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
