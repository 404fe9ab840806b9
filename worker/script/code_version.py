"""Which code an attempt ran: the git commit of the jobs directory, or a hash of what is in it (semantics, section 9.5).

Asked anew at each attempt. Files whose names, sizes, times and inodes are as before are not read again, and git is
not asked again while they and what git keeps of the commit are.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from worker.script.git import repository, text_of, version

_SKIPPED_DIRS = frozenset({".git", "__pycache__"})

Signature = tuple[object, ...]


class CodeVersion:
    """The version of one jobs directory; `read()` is cheap while nothing changed."""

    def __init__(self, jobs: Path) -> None:
        self._jobs = jobs
        self._hashes: dict[str, tuple[Signature, bytes]] = {}
        self._git = _GitLook(jobs)
        self._signature: Signature | None = None
        self.last = ""

    def read(self) -> str:
        """8 digits, `-dirty` behind a commit when the directory has changes that are not committed."""
        files = list(_walk(os.fspath(self._jobs)))
        signature = (tuple(files), self._git.look())
        if self._signature != signature:
            self._signature, self.last = signature, self._git.version() or self._content_hash(files)
        return self.last

    def _content_hash(self, files: list[tuple[str, Signature]]) -> str:
        fresh: dict[str, tuple[Signature, bytes]] = {}
        total = hashlib.sha256()
        for name, signature in files:
            known = self._hashes.get(name)
            digest = known[1] if known is not None and known[0] == signature else _digest(self._jobs, name, signature)
            fresh[name] = signature, digest
            total.update(b"%d:" % len(os.fsencode(name)) + os.fsencode(name) + digest)
        self._hashes = fresh
        return total.hexdigest()[:8]


def _walk(root: str) -> Iterator[tuple[str, Signature]]:
    """Every file and link below `root` by name, with what tells whether it changed."""
    pending = [""]
    signatures = []
    while pending:
        below = pending.pop()
        try:
            with os.scandir(os.path.join(root, below)) as entries:
                for entry in entries:
                    name = f"{below}{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _SKIPPED_DIRS:
                            pending.append(f"{name}/")
                    elif not entry.name.endswith(".pyc"):
                        signatures.append((name, _signature(entry)))
        except OSError:
            continue  # gone while we looked: the next look tells
    signatures.sort()
    return iter(signatures)


def _signature(entry: os.DirEntry[str]) -> Signature:
    try:
        facts = entry.stat(follow_symlinks=False)
        target = entry.stat() if stat.S_ISLNK(facts.st_mode) else facts
    except OSError:
        return (entry.name, "unreadable")
    return (facts.st_mode, target.st_ino, target.st_size, target.st_mtime_ns, target.st_ctime_ns)


def _digest(jobs: Path, name: str, signature: Signature) -> bytes:
    path = jobs / name
    digest = hashlib.sha256()
    try:
        if path.is_symlink():
            digest.update(b"link " + os.fsencode(os.readlink(path)))
        if not path.is_file():  # a pipe would block
            return hashlib.sha256(repr(signature[:1]).encode()).digest()
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        digest.update(f"unreadable {error.errno}".encode())
    return digest.digest()


class _GitLook:
    """What git keeps of the commit of a directory: HEAD, what it points to, the index; () outside of a working tree."""

    def __init__(self, directory: Path) -> None:
        self._directory = os.path.abspath(directory)
        self._where: Signature | None = None
        self._gits: tuple[str, ...] = ()
        self._head: Signature = ()
        self._watched: tuple[str, ...] = ()

    def look(self) -> Signature:
        git = self.git()
        if not git:
            return ()
        head = (git, _times(git), _times(os.path.join(git, "HEAD")), _times(self._watched[0]) if self._watched else ())
        if head != self._head:
            self._watched = tuple(os.fspath(path) for path in _git_files(Path(git)))
            self._head = (*head[:3], _times(self._watched[0]))
        return (self._head, *map(_times, self._watched))

    def version(self) -> str:
        """The commit, `-dirty` behind it; "" where git knows nothing of the directory."""
        checkout = repository(Path(self.git())) if self.git() and os.path.isdir(self._directory) else None
        return version(checkout, Path(os.path.realpath(self._directory))) if checkout is not None else ""

    def git(self) -> str:
        """The nearest `.git`, "" outside of a working tree."""
        return next((git for git in self._candidates() if os.path.lexists(git)), "")

    def _candidates(self) -> tuple[str, ...]:
        """Where the `.git` of the directory may be: in it and above it."""
        where = _times(self._directory)[:1]
        if where != self._where:
            real = Path(os.path.realpath(self._directory))
            self._where, self._gits = where, tuple(os.fspath(above / ".git") for above in (real, *real.parents))
        return self._gits


def _git_files(git: Path) -> tuple[Path, ...]:
    """HEAD, the branch it names, the packed branches and the index of the repository a `.git` leads to."""
    checkout = repository(git)
    if checkout is None:
        return (git / "HEAD",)
    try:
        head = text_of(checkout.own / "HEAD").strip()
    except OSError:
        head = ""
    branch = (checkout.common / head.removeprefix("ref: "),) if head.startswith("ref: ") else ()
    return (checkout.own / "HEAD", checkout.common / "packed-refs", checkout.own / "index", *branch)


def _times(path: str) -> Signature:
    try:
        facts = os.stat(path)
    except OSError:
        return ()
    return (facts.st_ino, facts.st_size, facts.st_mtime_ns)
