"""Django system checks of what is around the board: the store, the jobs directory, interpreters and scripts.

They warn and never stop a command: a store that is away for a while must not keep anybody from looking at the rest.
None of them opens the database, for the worker runs them too. What depends on the account that runs the worker is
asked by `manage.py check --deploy` only.
"""

import grp
import os
import pwd
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register  # noqa: A004  Django's name

from board.log.definitions import Definition
from board.log.directory import Directory
from board.log.errors import LogError
from board.log.tail import shared
from board.log.worker_lock import OWNER
from board.process.definition.script_cell import INTERPRETERS, Function, ScriptFile, read_script, why_not

TAG = "foldboard"
NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "beegfs", "fuse.sshfs"}
)


@register(TAG)
def check_store(**_: Any) -> list[CheckMessage]:
    """The store can be written, and its locks can be relied on."""
    return [*_store_problems(Path(settings.FOLDBOARD_STORE))]


def _store_problems(store: Path) -> Iterator[CheckMessage]:
    there = next(path for path in (store, *store.parents) if path.exists())
    if not there.is_dir():
        yield Warning(f"The store {store} cannot be made: {there} is no directory.", _hint_store(), id="foldboard.W001")
        return
    if not os.access(there, os.W_OK | os.X_OK):
        yield Warning(f"The store {store} cannot be written by {_account()}.", _hint_store(), id="foldboard.W001")
    kind = file_system_of(there)
    if kind in NETWORK:
        yield Warning(
            f"The store {store} is on a network file system ({kind}), where locks and appends cannot be relied on.",
            "Put FOLDBOARD_STORE on a disk of this machine.",
            id="foldboard.W002",
        )


def _hint_store() -> str:
    return f"Give the directory to {_account()}, or set FOLDBOARD_STORE to one that is."


def file_system_of(path: Path, mounts: str = "/proc/self/mountinfo") -> str:
    """The type of the file system a path is on, "" where the system does not tell."""
    try:
        lines = Path(mounts).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    found, longest = "", -1
    wanted = os.path.realpath(path)
    for line in lines:
        before, _, after = line.partition(" - ")
        point = _unescaped(before.split()[4])
        if (wanted == point or wanted.startswith(point.rstrip("/") + "/")) and len(point) >= longest:
            found, longest = after.split()[0], len(point)
    return found


def _unescaped(point: str) -> str:
    for code, char in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        point = point.replace(code, char)
    return point


@register(TAG)
def check_scripts(**_: Any) -> list[CheckMessage]:
    """Every script that a saved process names is in the jobs directory, and something can run it."""
    jobs = Path(settings.FOLDBOARD_JOBS)
    if not jobs.is_dir():
        return [
            Warning(
                f"The jobs directory {jobs} does not exist.",
                "Make it, or set FOLDBOARD_JOBS to the directory with the scripts.",
                id="foldboard.W003",
            )
        ]
    return [*_script_problems(_definitions(), jobs)]


def _definitions() -> list[Definition]:
    if not (Path(settings.FOLDBOARD_STORE) / "events.jsonl").exists():
        return []
    try:
        return list(shared(settings.FOLDBOARD_STORE).definitions().values())
    except LogError:
        return []  # the check of the store says it


def _script_problems(definitions: list[Definition], jobs: Path) -> Iterator[CheckMessage]:
    missing: dict[str, str] = {}
    for definition in definitions:
        for row in definition.table.rows:
            if not row.is_script or why_not(row.script):
                continue
            named = read_script(row.script)
            program = _program(named)
            if program and not shutil.which(program):
                missing.setdefault(program, f"“{definition.name}” runs {row.script}")
            if isinstance(named, ScriptFile) and not (jobs / named.path).is_file():
                yield Warning(
                    f"“{definition.name}”, task {row.task}: there is no {row.script} in {jobs}.",
                    "Put the script there, or name another one in the process.",
                    id="foldboard.W005",
                )
    for program, why in missing.items():
        yield Warning(
            f"{program} is not installed for {_account()}: {why}.",
            "Install it, or tell the worker another one with --interpreter.",
            id="foldboard.W004",
        )


def _program(named: Function | ScriptFile) -> str:
    """The interpreter of a script, "" where only the worker's options can tell."""
    extension = named.extension if isinstance(named, ScriptFile) else {"R": ".R", "python": ".py"}[named.language]
    return INTERPRETERS.get(extension, ("",))[0]


@register(TAG, deploy=True)
def check_jobs_are_safe(**_: Any) -> list[CheckMessage]:
    """The jobs directory decides what may run: the account that runs it must not be able to change it."""
    jobs, uid = Path(settings.FOLDBOARD_JOBS), worker_uid()
    if uid == 0:
        return [
            Warning(
                "The worker runs as root, so every script may do everything.",
                "Give it an account of its own, as deploy/systemd does.",
                id="foldboard.W006",
            )
        ]
    writable = [path for path in (jobs, *jobs.rglob("*")) if not path.is_symlink() and may_write(path, uid)]
    if not writable:
        return []
    return [
        Warning(
            f"{_name(uid)}, who runs the worker, may write {writable[0]}"
            + (f" and {len(writable) - 1} more in the jobs directory." if writable[1:] else "."),
            f"Let somebody else own {jobs}: whoever may write there decides what runs.",
            id="foldboard.W007",
        )
    ]


def worker_uid() -> int:
    """Who runs the worker: the owner of its lock, or whoever runs this where there has been no worker yet."""
    try:
        return Directory(settings.FOLDBOARD_STORE).stat(OWNER).st_uid
    except OSError:
        return os.getuid()


def may_write(path: Path, uid: int) -> bool:
    """Whether an account may write a file or directory, by owner, group and mode."""
    fact = path.stat()
    if fact.st_uid == uid:
        return bool(fact.st_mode & stat.S_IWUSR)
    if fact.st_gid in _groups_of(uid):
        return bool(fact.st_mode & stat.S_IWGRP)
    return bool(fact.st_mode & stat.S_IWOTH)


def _groups_of(uid: int) -> set[int]:
    try:
        account = pwd.getpwuid(uid)
    except KeyError:
        return set()
    return {account.pw_gid, *(group.gr_gid for group in grp.getgrall() if account.pw_name in group.gr_mem)}


def _account() -> str:
    return _name(os.getuid())


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"the account number {uid}"
