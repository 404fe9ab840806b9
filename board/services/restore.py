"""Verifying a backup, and putting it back into an empty store: all of it or nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import BinaryIO

from board.log.errors import StoreError
from board.log.file import open_log
from board.log.store import OWN_FILES, Store, id_problem
from board.log.worker_lock import worker_alive
from board.services.backup import EVENTS, Say, copy_database, said
from board.services.backup_format import (
    DATABASE,
    FAULTS,
    STORE,
    Manifest,
    Member,
    copy_files,
    opened,
    read_manifest,
    read_old_manifest,
)

_STAGE = ".restoring"
_NO_MANIFEST = (
    "it has no manifest at its end: it was cut short, something was added to it, it is no backup, "
    "or one of a version before manifests, which restore --unverified takes"
)
_FOLDERS = ("inbox", "inbox/processed", "inbox/failed")  # of an empty store


def restore(store: Store, source: Path, database: Path | None, say: Say, *, unverified: bool = False) -> int:
    """Put a backup into an empty store (and database, None: leave it); how many files were put there.

    It is verified before anything is written; `unverified`: one without a manifest is taken as it is. StoreError, with
    nothing changed: the store or the database is not empty, a worker runs, no whole backup, no room.
    """
    _refuse_unless_empty(store)
    if database is not None:
        _refuse_accounts(database)
    try:
        with opened(source) as file, ExitStack() as undo:
            manifest = _verified(file, say, unverified=unverified)
            _restore(store, file, manifest, database, say, undo)
            undo.pop_all()
    except (*FAULTS, sqlite3.Error) as error:
        raise StoreError(f"{source} cannot be restored: {said(error)}.") from error
    return len(manifest.files)


def verify(source: Path) -> Manifest:
    """Read a backup to its end as `restore` does; its manifest. StoreError, one sentence, when it is not whole."""
    try:
        with opened(source) as file:
            return _verified(file, lambda _: None, unverified=False)
    except FAULTS as error:
        raise StoreError(f"{source} is no whole backup: {said(error)}.") from error


# before anything is written


def _refuse_unless_empty(store: Store) -> None:
    if worker_alive(store.root):
        raise StoreError(f"A worker runs on {store.root}: stop it first.")
    for name, fact in _entries(store):
        if not _is_of_an_empty_store(name, fact):
            what = "a link, " if stat.S_ISLNK(fact.st_mode) else ""
            raise StoreError(f"The store {store.root} is not empty, it has {what}{name}: restore into an empty one.")


def _entries(store: Store) -> Iterator[tuple[str, os.stat_result]]:
    """What is in the folders of an empty store; a link is told before anything behind it would be looked at."""
    for folder in ("", *_FOLDERS):
        try:
            for name, fact in sorted(store.directory.scan(folder)):
                yield f"{folder}/{name}".lstrip("/"), fact
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreError(f"The store {store.root} cannot be read: {said(error)}.") from error


def _is_of_an_empty_store(name: str, fact: os.stat_result) -> bool:
    if name in _FOLDERS:
        return stat.S_ISDIR(fact.st_mode)
    own = name in OWN_FILES and stat.S_ISREG(fact.st_mode) and (name != EVENTS or fact.st_size == 0)
    return own or name.startswith(".")


def _refuse_accounts(database: Path) -> None:
    if not database.exists():
        return
    try:
        with closing(sqlite3.connect(database)) as db:
            accounts = db.execute("select count(*) from auth_user").fetchone()[0]
    except sqlite3.Error as error:
        if "no such table" in str(error):
            return
        raise StoreError(f"The database {database} cannot be read: {error}.") from error
    if accounts:
        raise StoreError(f"The database {database} has {accounts} accounts: move it away, or restore without it.")


def _verified(file: BinaryIO, say: Say, *, unverified: bool) -> Manifest:
    manifest = read_manifest(file)
    if manifest is None:
        if not unverified:
            raise ValueError(_NO_MANIFEST)
        say("it has no manifest: nothing says whether its files are those that were backed up")
        manifest = read_old_manifest(file)
    names: set[str] = set()
    for member in manifest.files:
        _parts(member.name)
        if member.name in names:
            raise ValueError(f"it holds {member.name!r:.200} twice")
        names.add(member.name)
    if STORE + EVENTS not in names:
        raise ValueError("it holds no events")
    copy_files(file, manifest, lambda _: None)
    return manifest


def _parts(name: str) -> tuple[str, ...]:
    """Where a file goes, as names below the stage; ValueError for what no backup of ours holds."""
    parts = tuple(name.split("/"))
    if not (name == DATABASE or _is_of_a_store(parts)) or {"", ".", ".."} & set(parts) or "\0" in name:
        raise ValueError(f"it holds {name!r:.200}, which is no file of a store")
    return parts


def _is_of_a_store(parts: tuple[str, ...]) -> bool:
    if parts[0] + "/" != STORE or len(parts) < 2 or "/".join(parts[1:]) in _FOLDERS:
        return False
    if len(parts) == 2:
        return parts[1] == EVENTS
    return parts[1] in ("inbox", "archive") or not id_problem(parts[1])


# writing


def _restore(
    store: Store, file: BinaryIO, manifest: Manifest, database: Path | None, say: Say, undo: ExitStack
) -> None:
    """Write everything; what takes each step back is put on `undo`."""
    _make(store, undo)
    stage = store.root / _STAGE
    store.directory.remove_tree(_STAGE)
    stage.mkdir(mode=0o700)  # nobody else puts anything there
    undo.callback(store.directory.remove_tree, _STAGE)
    _unpack(file, manifest, stage, say)
    # A board that runs cannot start an instance that would be overwritten.
    with open_log(store).appending():
        _refuse_unless_empty(store)  # nothing has come meanwhile
        if database is not None and (stage / DATABASE).exists():
            say(f"database {database}")
            _put_database(stage, database, undo)
        _move_in(store)
    store.directory.remove_tree(_STAGE)


def _make(store: Store, undo: ExitStack) -> None:
    for folder in (store.root, store.inbox, store.processed, store.failed):
        if not folder.exists():
            undo.callback(_remove_folder, folder)
    undo.callback(_remove_lock, store, store.lock_path.exists())
    store.ensure()


def _remove_folder(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _remove_lock(store: Store, was_there: bool) -> None:
    if not was_there:
        with suppress(OSError):
            store.lock_path.unlink(missing_ok=True)


def _unpack(file: BinaryIO, manifest: Manifest, stage: Path, say: Say) -> None:
    room = os.statvfs(stage)
    if manifest.size > room.f_bavail * room.f_frsize:
        raise ValueError(f"its files have {manifest.size} bytes, {room.f_bavail * room.f_frsize} are free for them")

    def target(member: Member) -> BinaryIO:
        path = stage.joinpath(*_parts(member.name))
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name in (EVENTS, DATABASE):
            say(f"{member.size} bytes of {path.name}")
        return path.open("xb")

    copy_files(file, manifest, target)
    for member in manifest.files:
        os.utime(stage.joinpath(*_parts(member.name)), (member.changed, member.changed))


def _put_database(stage: Path, database: Path, undo: ExitStack) -> None:
    if not database.exists():
        undo.callback(database.unlink, missing_ok=True)
        copy_database(stage / DATABASE, database)
        return
    before = stage / "before.sqlite3"
    copy_database(database, before)
    copy_database(stage / DATABASE, database)
    undo.callback(copy_database, before, database)


def _move_in(store: Store) -> None:
    """Move each file and folder to where nothing is; the log last: until it is there the store is an empty one."""
    files = store.directory
    with ExitStack() as undo:
        for folder in (*reversed(_FOLDERS), ""):
            here = f"{_STAGE}/{STORE}{folder}".rstrip("/")
            names = [name for name, _ in files.scan(here)] if files.has(here) else []
            for name in sorted(names, key=lambda name: name == EVENTS):
                new = f"{folder}/{name}".lstrip("/")
                if new in _FOLDERS:
                    continue
                if new != EVENTS and files.has(new):
                    raise ValueError(f"{new} is in the store already")
                files.rename(f"{here}/{name}", new)
                undo.callback(files.rename, new, f"{here}/{name}")
        undo.pop_all()
        with suppress(OSError):
            files.flush()
