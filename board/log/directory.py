"""The store's directory by descriptor: whatever is below it is opened step by step, and never through a link.

Scripts, and other programs that may write into the store, can put a link, a pipe or a device where a file of ours was.
So every name below the root is walked from a descriptor of the root: no step follows a link, what is opened is a
regular file, and nothing blocks. The root itself is the operator's, who may have made it a link.

Every method takes names relative to the root, with `/`, and raises OSError: FileNotFoundError where there is nothing,
`NotPlain` where something else than a file or directory of ours is in its place.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_OURS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | _OURS
_MOST_OF_A_NOTE = 1 << 20


class NotPlain(OSError):
    """A link, a pipe or a device stands where a file or directory of the store belongs."""

    def __init__(self, name: str) -> None:
        super().__init__(errno.ELOOP, f"{name} is not a plain file or directory; remove it")


def open_plain(path: str | Path, flags: int, mode: int = 0o666, *, dir_fd: int | None = None, name: str = "") -> int:
    """Open a regular file, its last step not over a link, without blocking; the caller vouches for the steps before."""
    try:
        fd = os.open(path, flags | _OURS, mode, dir_fd=dir_fd)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise NotPlain(name or os.path.basename(path)) from error
        raise
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise NotPlain(name or os.path.basename(path))


class Directory:
    """A directory whose insides others may change at any moment."""

    def __init__(self, root: Path | str) -> None:
        self.root = os.fspath(root)

    def open(self, name: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        """Open a regular file; the descriptor is the caller's to close."""
        with self._at(name) as (parent, leaf):
            return open_plain(leaf, flags, mode, dir_fd=parent, name=name)

    def open_binary(self, name: str) -> BinaryIO:
        """Open a regular file for reading."""
        return os.fdopen(self.open(name), "rb")

    def read(self, name: str, most: int = _MOST_OF_A_NOTE) -> bytes:
        """Read a small file; at most `most` bytes of it."""
        with self.open_binary(name) as file:
            return file.read(most)

    def write(self, name: str, data: bytes, *, exclusive: bool = False) -> None:
        """Write a small file, in place of what it held; `exclusive`: FileExistsError when there is one."""
        how = os.O_EXCL if exclusive else os.O_TRUNC
        with os.fdopen(self.open(name, os.O_WRONLY | os.O_CREAT | how), "wb") as file:
            file.write(data)

    def stat(self, name: str) -> os.stat_result:
        """Tell what is at a name, a link itself where there is one."""
        with self._at(name) as (parent, leaf):
            return os.stat(leaf, dir_fd=parent, follow_symlinks=False)

    def has(self, name: str) -> bool:
        """Whether anything is at a name, whatever it is; no where there is no directory of ours to hold it."""
        try:
            self.stat(name)
        except (FileNotFoundError, NotPlain):
            return False
        return True

    @contextmanager
    def folder(self, name: str = "") -> Iterator[int]:
        """Open a directory; its descriptor is closed at the end."""
        fd = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in _parts(name) if name else ():
                below = _step(part, fd, name)
                os.close(fd)
                fd = below
            yield fd
        finally:
            os.close(fd)

    def scan(self, name: str = "") -> list[tuple[str, os.stat_result]]:
        """What is in a directory: names and facts, links themselves; what goes meanwhile is left out."""
        entries = []
        with self.folder(name) as fd, os.scandir(fd) as listing:
            for entry in listing:
                with suppress(FileNotFoundError):
                    entries.append((entry.name, os.stat(entry.name, dir_fd=fd, follow_symlinks=False)))
        return entries

    def make_folder(self, name: str) -> None:
        """Make a directory and those above it, where they are missing; NotPlain where something else is."""
        parts = _parts(name)
        for count in range(1, len(parts) + 1):
            part = "/".join(parts[:count])
            with self._at(part) as (parent, leaf), suppress(FileExistsError):
                os.mkdir(leaf, dir_fd=parent)
        with self.folder(name):
            pass

    def rename(self, old: str, new: str) -> None:
        """Give a file or directory another name; what bears the new one is replaced, as the system does."""
        with self._at(old) as (parent, leaf), self._at(new) as (new_parent, new_leaf):
            os.rename(leaf, new_leaf, src_dir_fd=parent, dst_dir_fd=new_parent)

    def link(self, old: str, new: str) -> None:
        """Give a file a second name; FileExistsError when it is taken."""
        with self._at(old) as (parent, leaf), self._at(new) as (new_parent, new_leaf):
            os.link(leaf, new_leaf, src_dir_fd=parent, dst_dir_fd=new_parent, follow_symlinks=False)

    def remove(self, name: str) -> None:
        """Remove a file, or a link or pipe in its place; nothing happens when there is none."""
        with suppress(FileNotFoundError), self._at(name) as (parent, leaf):
            os.unlink(leaf, dir_fd=parent)

    def remove_tree(self, name: str) -> None:
        """Remove whatever is at a name as far as that is possible; links in it are removed, not followed."""
        with suppress(OSError), self._at(name) as (parent, leaf):
            if stat.S_ISDIR(os.stat(leaf, dir_fd=parent, follow_symlinks=False).st_mode):
                shutil.rmtree(leaf, ignore_errors=True, dir_fd=parent)
            else:
                os.unlink(leaf, dir_fd=parent)

    def flush(self) -> None:
        """Put the names in the root on disk: a new file is durable only with its directory."""
        with self.folder() as fd:
            os.fsync(fd)

    @contextmanager
    def _at(self, name: str) -> Iterator[tuple[int, str]]:
        """The directory a name is in, as a descriptor, and the last part of the name."""
        parts = _parts(name)
        with self.folder("/".join(parts[:-1])) as fd:
            yield fd, parts[-1]


def _parts(name: str) -> list[str]:
    parts = name.split("/")
    if "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise NotPlain(repr(name))
    return parts


def _step(part: str, fd: int, name: str) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=fd)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            raise NotPlain(name) from error
        raise
