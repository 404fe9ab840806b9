"""The store directory and its parts; no path made here leaves it.

    events.jsonl  events.lock  events.sync     the log, the append lock beside it, the lock of its flushes
    inbox/  inbox/processed/  inbox/failed/    messages
    .worker.lock/                              who runs the scripts
    <instance>/logs/  <instance>/artifacts/    one log file an attempt; what the scripts made

Ids and names come from people, messages and logs of other programs, so each is checked here, where it turns into
a path.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from board.log.directory import Directory, NotPlain
from board.log.errors import StoreError

RESERVED = frozenset({"latest", "inbox", "archive", "processes"})
OWN_FILES = frozenset({"events.jsonl", "events.lock", "events.sync"})
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_LONGEST = 150
_HASH = 24


def id_problem(instance: str) -> str:
    """Return why this cannot be the id of an instance, as a sentence; "" when it can."""
    if not instance:
        return "An instance needs an id."
    if len(instance) > 64 or len(instance.encode("utf-8", "replace")) > 200:
        return f"The id {instance[:20]}… has {len(instance)} characters; 64 are allowed."
    if not all(c.isalpha() or c.isdecimal() or c in "._-" for c in instance):
        return f"The id {instance!r} may have letters, digits, '.', '_' and '-' only."
    if instance[0] in ".-":
        return f"The id {instance} may not start with '{instance[0]}'."
    if instance.casefold() in RESERVED or instance.casefold() in OWN_FILES:
        return f"The name {instance} is reserved; choose another id."
    return ""


def log_name(task: str, element: str, attempt: int) -> str:
    """The file name of one attempt's log: `task-1.log` or `task@element-1.log`.

    No two rows share a name, on a case-insensitive disk neither: unsafe characters are percent-encoded, capitals are
    marked behind a `~` (a hexadecimal number with one bit a character, the last character lowest), and a name over
    150 bytes is cut and completed by a hash behind a `~~`.
    """
    row = _encoded(task) + ("@" + _encoded(element) if element else "")
    capitals = sum(1 << i for i, c in enumerate(reversed(row)) if c.isupper())
    name = f"{row}~{capitals:x}" if capitals else row
    if len(name) > _LONGEST:
        digest = hashlib.sha256(f"{task}\0{element}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
        name = f"{row[: _LONGEST - _HASH - 2]}~~{digest}"
    return f"{name}-{attempt}.log"


def _encoded(text: str) -> str:
    # A leading dot would hide the file.
    raw = text.encode("utf-8", "surrogatepass")
    return "".join(chr(b) if b in _PLAIN and (i or b != 0x2E) else f"%{b:02x}" for i, b in enumerate(raw))


class FileFact(NamedTuple):
    """A file below a folder of the store: its name with `/`, bytes, time of change (seconds since 1970)."""

    name: str
    size: int
    changed: float


class Store:
    """The directory that holds the log and everything the scripts leave behind."""

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root).absolute()
        self.directory = Directory(self.root)
        self.events_path = self.root / "events.jsonl"
        self.lock_path = self.root / "events.lock"
        self.sync_path = self.root / "events.sync"
        self.worker_lock = self.root / ".worker.lock"
        self.inbox = self.root / "inbox"
        self.processed = self.inbox / "processed"
        self.failed = self.inbox / "failed"

    def __repr__(self) -> str:
        return f"Store({str(self.root)!r})"

    def ensure(self) -> Store:
        """Make what is missing of the store. StoreError when that is not possible."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            for folder in (self.inbox, self.processed, self.failed):
                self.directory.make_folder(self.relative(folder))
        except OSError as error:
            raise StoreError(f"The store {self.root} cannot be made: {error.strerror}. Set FOLDBOARD_STORE.") from error
        return self

    def folder(self, instance: str) -> Path:
        """The folder of one instance. StoreError for what cannot be an id."""
        problem = id_problem(instance)
        if problem:
            raise StoreError(problem)
        return self.root / instance

    def logs(self, instance: str) -> Path:
        """Where the logs of an instance's attempts are."""
        return self.folder(instance) / "logs"

    def artifacts(self, instance: str) -> Path:
        """Where the scripts of an instance put what they make."""
        return self.folder(instance) / "artifacts"

    def log_path(self, instance: str, task: str, element: str, attempt: int) -> Path:
        """The log of one attempt, worked out from ids: what an event says about a path is never followed."""
        return self.logs(instance) / log_name(task, element, attempt)

    def relative(self, path: Path) -> str:
        """A path below the store as events tell it: relative, with `/`. StoreError for one outside."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            raise StoreError(f"{path} is not in the store {self.root}.") from None

    def files(self, folder: Path) -> Iterator[FileFact]:
        """The regular files below a folder of the store, by name; links are not followed and not listed."""
        facts: list[FileFact] = []
        with suppress(FileNotFoundError), self.directory.folder(self.relative(folder).removeprefix(".")) as top:
            for here, folders, names, fd in os.fwalk(dir_fd=top):
                folders.sort()
                for name in names:
                    try:
                        fact = os.stat(name, dir_fd=fd, follow_symlinks=False)
                    except OSError:
                        continue  # removed while we looked
                    if stat.S_ISREG(fact.st_mode):
                        path = os.path.normpath(os.path.join(here, name))
                        facts.append(FileFact(path, fact.st_size, fact.st_mtime))
        yield from sorted(facts)

    def strangers(self, most: int = 20) -> list[str]:
        """Names of what stands where files and folders of the store belong and is neither: links, pipes, devices.

        Relative, with `/`, at most `most`. They are never opened; an operator removes them.
        """
        names: list[str] = []
        for folder in self._folders():
            with suppress(OSError):
                for name, fact in self.directory.scan(folder):
                    if not stat.S_ISREG(fact.st_mode) and not stat.S_ISDIR(fact.st_mode):
                        names.append(f"{folder}/{name}" if folder else name)
            if len(names) >= most:
                break
        return sorted(names)[:most]

    def _folders(self) -> Iterator[str]:
        """Where our own files are: the root, the lock's folder, the inbox, each instance and its logs."""
        yield from ("", self.worker_lock.name, "inbox", "inbox/processed", "inbox/failed")
        for name, fact in self.directory.scan():
            if stat.S_ISDIR(fact.st_mode) and not id_problem(name):
                yield from (name, f"{name}/logs")

    def open_file(self, folder: Path, name: str) -> BinaryIO:
        """Open a regular file below a folder of the store for reading, whatever `name` says.

        StoreError for a name that leaves the folder, a link on the way, and what is not a regular file; a pipe does
        not block. FileNotFoundError when there is none. Checked while opening, so nothing can be swapped in between.
        """
        try:
            return self.directory.open_binary(f"{self.relative(folder)}/{name}")
        except NotPlain as error:
            raise StoreError(f"{name!r} is a link, or no part of this folder: {error.strerror}.") from error
