"""What a backup file is: a tar.gz whose end proves the rest.

    gzip   the files, as tar: store/events.jsonl, store/inbox/…, store/<instance>/…, database.sqlite3
    gzip   manifest.json, the last file of the tar: of each file its name, place, size, time and SHA-256
    gzip   the seal, empty: in its header where the manifest starts, and the SHA-256 of all bytes before the seal

`tar` reads it like any other. We never read it as tar: files are found by the manifest's places, so what a tar may
hold besides files (links, devices, names that leave the folder) has no meaning here. Only a backup of the first format,
which had no manifest, is looked through once as tar.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import stat
import struct
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, BinaryIO, cast

import msgspec

from board.log.base import BLOCK

FORMAT = 2
STORE, DATABASE, MANIFEST = "store/", "database.sqlite3", "manifest.json"
MOST_MANIFEST = 256 << 20
"""The largest manifest, in bytes: more than a million files."""
FAULTS = (OSError, EOFError, ValueError, OverflowError, RecursionError, MemoryError, zlib.error, tarfile.TarError)
"""What reading a damaged file may raise."""

_OLD_MANIFEST = "foldboard-backup.json"
_OLD_HEADER = 1 << 20
_SEAL = struct.Struct("<10sH4sQ32s10s")
_SEAL_HEAD = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff", 44, b"FB\x28\0"  # gzip with one extra field, FB, of 40 bytes
_SEAL_TAIL = b"\x03" + bytes(9)  # nothing compressed, its CRC and its size

type Natural = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]


class Member(msgspec.Struct, frozen=True):
    """A file in a backup: `at` is its first byte in the unpacked tar, `changed` seconds since 1970."""

    name: str
    at: Natural
    size: Natural
    changed: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """All files of a backup, in their order in it."""

    format: int
    made: str
    files: list[Member]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(member.size for member in self.files)


class Writer:
    """Writes a backup into an empty file that is open for reading and writing."""

    def __init__(self, file: BinaryIO) -> None:
        self.files: list[Member] = []
        self._file, self._at = file, 0
        self._gz = gzip.GzipFile("", "wb", 6, file)

    def add(self, name: str, size: int, changed: float, piece: Callable[[int, int], bytes]) -> None:
        """Add a file of a fixed size by a way to read [start, end); what was cut off meanwhile reads as zeros."""
        self._write(_header(name, size, int(changed)))
        at, digest = self._at, hashlib.sha256()
        for start in range(0, size, BLOCK):
            end = min(start + BLOCK, size)
            block = piece(start, end).ljust(end - start, b"\0")
            digest.update(block)
            self._write(block)
        self._write(bytes(-size % tarfile.BLOCKSIZE))
        self.files.append(Member(name, at, size, int(changed), digest.hexdigest()))

    def seal(self, made: str) -> Manifest:
        """Write the manifest, which it gives, and the seal. ValueError: more files than a manifest has room for."""
        self._gz.close()  # the tar goes on: its end is behind the manifest
        manifest = Manifest(FORMAT, made, self.files)
        write_end(self._file, json.dumps(msgspec.to_builtins(manifest)).encode())
        return manifest

    def close(self) -> None:
        """Let go of a backup that was given up; after `seal` nothing."""
        with suppress(OSError):
            self._gz.close()

    def _write(self, data: bytes) -> None:
        self._at += self._gz.write(data)


def write_end(file: BinaryIO, manifest: bytes) -> None:
    """Write a manifest behind the files, and the seal over everything. ValueError: it is too long."""
    if len(manifest) > MOST_MANIFEST:
        raise ValueError("the store has too many files for one backup")
    start = file.tell()
    padding = bytes(-len(manifest) % tarfile.BLOCKSIZE + 2 * tarfile.BLOCKSIZE)
    file.write(gzip.compress(_header(MANIFEST, len(manifest), 0) + manifest + padding))
    write_seal(file, start)


def write_seal(file: BinaryIO, start: int) -> None:
    """Write the seal over everything before it; `start`: where the manifest is."""
    digest = _digest(file, file.tell(), start)
    file.write(_SEAL.pack(*_SEAL_HEAD, start, digest, _SEAL_TAIL))


def _header(name: str, size: int, changed: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, 0o600, changed
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")


def _digest(file: BinaryIO, size: int, start: int) -> bytes:
    """The SHA-256 of the first `size` bytes and of where the manifest starts."""
    file.flush()
    file.seek(0)
    digest = hashlib.sha256()
    while size and (block := file.read(min(size, BLOCK))):
        digest.update(block)
        size -= len(block)
    digest.update(start.to_bytes(8, "little"))
    return digest.digest()


# reading


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a backup to read it; a pipe does not block. OSError, ValueError for what is no regular file."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise ValueError("it is no regular file")
        yield file


def read_manifest(file: BinaryIO) -> Manifest | None:
    """The manifest of a backup whose every byte is what was written; None where there is no seal at the end.

    One of FAULTS for a file that was altered and for a manifest of another version.
    """
    size = file.seek(0, io.SEEK_END) - _SEAL.size
    if size < 0:
        return None
    file.seek(size)
    *head, start, digest, tail = _SEAL.unpack(file.read(_SEAL.size))
    if (tuple(head), tail) != (_SEAL_HEAD, _SEAL_TAIL):
        return None
    if start >= size or _digest(file, size, start) != digest:
        raise ValueError("it is damaged: its bytes are not those that were written")
    file.seek(start)
    with gzip.GzipFile(fileobj=file) as unpacked:
        unpacked.read(tarfile.BLOCKSIZE)
        data = unpacked.read(MOST_MANIFEST + 4 * tarfile.BLOCKSIZE)
    if len(data) == MOST_MANIFEST + 4 * tarfile.BLOCKSIZE:
        raise ValueError("its manifest is too long")
    return _decoded(data.rstrip(b"\0"))


def _decoded(data: bytes) -> Manifest:
    found = json.loads(data)
    version = found.get("format") if isinstance(found, dict) else None
    if version != FORMAT:
        raise ValueError(f"its manifest has format {version!r:.20}; this version of Foldboard reads {FORMAT}")
    # JSON by the standard library: names of files may be no UTF-8, which msgspec's own reader refuses.
    manifest = msgspec.convert(found, Manifest)
    end = 0
    for member in manifest.files:
        if member.at < end:
            raise ValueError(f"{member.name!r:.200} is not behind the file before it")
        end = member.at + member.size
    return manifest


def read_old_manifest(file: BinaryIO) -> Manifest:
    """What the tar of a backup of the first format holds, read to its end; its files have no SHA-256."""
    file.seek(0)
    with _Bounded(fileobj=file) as unpacked, tarfile.open(fileobj=cast(BinaryIO, unpacked), mode="r:") as tar:
        first = tar.next()
        data = tar.extractfile(first) if first is not None and first.name == _OLD_MANIFEST else None
        if first is None or data is None or first.size > _OLD_HEADER:
            raise ValueError("it is no backup of this program")
        found = json.load(data)
        if not isinstance(found, dict) or found.get("format") != 1:
            raise ValueError("it is no backup of this program")
        files = [_old_member(info) for info in tar if info is not first]
        # What is compressed has a checksum of its own at its end.
        unpacked.seek(tar.offset)
        if len(unpacked.read(_OLD_HEADER)) == _OLD_HEADER:
            raise ValueError("it goes on behind its end")
    return Manifest(1, str(found.get("made", ""))[:40], files)


class _Bounded(gzip.GzipFile):
    """Refuses to hold much at once: a header of a tar may claim any length."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _OLD_HEADER:
            raise ValueError("a header in it is too long")
        return super().read(size)


def _old_member(info: tarfile.TarInfo) -> Member:
    if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.issparse():
        raise ValueError(f"it holds {info.name!r:.200}, which is no file")
    name = info.name if info.name == DATABASE else STORE + info.name
    return Member(name, info.offset_data, info.size, int(info.mtime), "")


def copy_files(file: BinaryIO, manifest: Manifest, target: Callable[[Member], BinaryIO | None]) -> None:
    """Write each file into what `target` opens for it (None: only read it), and compare it with its SHA-256.

    One of FAULTS when one is not what the manifest says.
    """
    file.seek(0)
    with gzip.GzipFile(fileobj=file) as unpacked:
        for member in manifest.files:
            unpacked.seek(member.at)
            into = target(member)
            try:
                digest = _copy(unpacked, member, into)
            finally:
                if into is not None:
                    into.close()
            if member.sha256 not in ("", digest) or (manifest.format == FORMAT and not member.sha256):
                raise ValueError(f"{member.name!r:.200} in it is damaged")


def _copy(unpacked: gzip.GzipFile, member: Member, into: BinaryIO | None) -> str:
    digest, left = hashlib.sha256(), member.size
    while left:
        block = unpacked.read(min(left, BLOCK))
        if not block:
            raise EOFError(f"{member.name!r:.200} in it is cut short")
        digest.update(block)
        left -= len(block)
        if into is not None:
            into.write(block)
    if into is not None:
        into.flush()
        os.fsync(into.fileno())
    return digest.hexdigest()
