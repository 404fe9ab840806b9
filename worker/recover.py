"""After a crash: what the log says is running, and no worker runs (semantics, section 9.3).

The processes of a lost attempt are ended first, then its row is put back to open. Both may be interrupted and done
again: what is in the log already is not appended twice.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import signal
import time
from collections.abc import Callable, Iterable

from board.log.directory import Directory
from board.log.store import Store
from board.services.attempts import Attempt
from worker.script import process_tree

RUN_DIR = ".worker.run"
_KEY = f"{RUN_DIR}/key"
_LOOK_S = 0.05
GIVE_UP_S = 10.0


class Marks:
    """The PROC_RUN of every attempt in a store: worked out from a secret kept in the store and the store's own inode.

    So it is known again after a crash, and a copy of the store on the same machine has others.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        facts = os.stat(store.root)
        self._key = _key(store.directory)
        self._prefix = f"{self._key}\0{facts.st_dev}:{facts.st_ino}"

    def keep(self) -> None:
        """Make the directory of the secret anew, with the same secret, where a script has removed it."""
        if not self._store.directory.has(_KEY):
            self._store.directory.make_folder(RUN_DIR)
            self._store.directory.write(_KEY, f"{self._key}\n".encode())

    def of(self, attempt: Attempt) -> str:
        text = f"{self._prefix}\0{attempt.instance}\0{attempt.task}\0{attempt.element}\0{attempt.number}"
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]

    def log_of(self, attempt: Attempt) -> str:
        return str(self._store.log_path(attempt.instance, attempt.task, attempt.element, attempt.number))


def end_orphans(marks: Marks, attempts: Iterable[Attempt], grace_s: float) -> list[tuple[Attempt, list[int]]]:
    """End whatever still runs of lost attempts, TERM first; returns those of which something could not be ended."""
    lost = list(attempts)

    def alive() -> dict[Attempt, list[int]]:
        return {a: pids for a in lost if (pids := process_tree.tree(marks.of(a), log=marks.log_of(a)))}

    _end(lambda: [pid for pids in alive().values() for pid in pids], grace_s)
    return list(alive().items())


def end_leftovers(store: Store, grace_s: float) -> None:
    """End every script that a worker before this one started in the store; who holds the lock has started none yet.

    Their rows may have been moved by somebody since, and would begin anew beside them.
    """
    _end(lambda: process_tree.of_store(str(store.root)), grace_s)


def _end(living: Callable[[], list[int]], grace_s: float) -> None:
    """TERM once to each, KILL after the grace as often as it takes, until nothing is left or it is given up."""
    begun = time.monotonic()
    termed: set[int] = set()
    while pids := living():
        waited_s = time.monotonic() - begun
        if waited_s > grace_s + GIVE_UP_S:
            return
        if waited_s < grace_s:
            process_tree.send((pid for pid in pids if pid not in termed), signal.SIGTERM)
            termed.update(pids)
        else:
            process_tree.send(pids, signal.SIGKILL)
        time.sleep(_LOOK_S)


def _key(files: Directory) -> str:
    files.make_folder(RUN_DIR)
    with contextlib.suppress(FileNotFoundError):
        if kept := files.read(_KEY).decode().strip():
            return kept
    fresh = f"{_KEY}.{secrets.token_hex(4)}"
    files.write(fresh, f"{secrets.token_hex(16)}\n".encode())
    try:
        files.link(fresh, _KEY)
    except FileExistsError:
        if not files.read(_KEY).strip():  # torn by a crash of the machine: nothing of it lives
            files.rename(fresh, _KEY)
    finally:
        files.remove(fresh)
    return files.read(_KEY).decode().strip()
