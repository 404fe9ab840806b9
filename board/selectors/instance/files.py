"""Artifacts and logs of an instance, read without ever leaving the store.

What scripts write is a stranger's: names, contents and links. Files are opened by `Store.open_file`, which follows no
link; what is here only looks at names and facts, and reads what was opened.
"""

from __future__ import annotations

import csv
import io
import mimetypes
import os
import stat
from contextlib import suppress
from datetime import UTC, datetime
from typing import BinaryIO, NamedTuple

from board.log.directory import Directory
from board.log.store import Store

MAX_LISTED = 2000
MAX_DEPTH = 8
PREVIEW_BYTES = 64 * 1024
PREVIEW_ROWS = 100
PREVIEW_COLUMNS = 30
CHUNK = 256 * 1024
_LAST_SECOND = 253_370_764_800.0  # the last year a calendar has, in every zone
IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif"})
TABLES = {".csv": ",", ".tsv": "\t"}
TEXTS = frozenset({".txt", ".md", ".json", ".log", ".xml", ".yaml", ".yml", ".r", ".py", ".sh", ".sql"})


class Artifact(NamedTuple):
    """One file under an instance's artifacts. `path` is relative, with `/`; `refused` says why it cannot be read."""

    path: str
    size: int
    changed: datetime
    kind: str  # image, table, page, text or other
    refused: str = ""

    @property
    def shown(self) -> str:
        """The path as text."""
        return shown_name(self.path)


class ArtifactList(NamedTuple):
    """The artifacts of an instance, and whether there are more than are listed."""

    files: list[Artifact]
    cut: bool


class Preview(NamedTuple):
    """What a page shows of a file: text, or a header and rows; `cut` where there is more."""

    text: str
    header: list[str]
    rows: list[list[str]]
    cut: bool


def artifacts(store: Store, instance: str) -> ArtifactList:
    """Return every file an instance's scripts left, newest first; links are listed as refused, never followed."""
    files: list[Artifact] = []
    cut = _walk(store.directory, store.relative(store.artifacts(instance)), "", 0, files)
    files.sort(key=lambda each: (-each.changed.timestamp(), each.path))
    return ArtifactList(files, cut)


def _walk(directory: Directory, folder: str, prefix: str, depth: int, files: list[Artifact]) -> bool:
    try:
        entries = sorted(directory.scan(folder), key=lambda entry: entry[0])
    except OSError:
        return False
    cut = False
    for name, facts in entries:
        if len(files) >= MAX_LISTED:
            return True
        if stat.S_ISDIR(facts.st_mode):
            inner = (f"{folder}/{name}", f"{prefix}{name}/", depth + 1)
            cut = depth >= MAX_DEPTH or _walk(directory, *inner, files) or cut
        else:
            files.append(_artifact(prefix + name, facts))
    return cut


def _artifact(path: str, facts: os.stat_result) -> Artifact:
    refused = ""
    if stat.S_ISLNK(facts.st_mode):
        refused = "a link: only files written here are shown"
    elif not stat.S_ISREG(facts.st_mode):
        refused = "not a regular file"
    return Artifact(path, facts.st_size, moment_of(facts.st_mtime), kind(path), refused)


def moment_of(seconds: float) -> datetime:
    """Return the time of a file; its writer may have set it to anything: what no calendar has reads as its end."""
    return datetime.fromtimestamp(min(max(seconds, 0.0), _LAST_SECOND), UTC)


def shown_name(path: str) -> str:
    """A name as text, whatever bytes it is made of."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def kind(path: str) -> str:
    """Return what a file can be previewed as, by its name."""
    ending = os.path.splitext(path)[1].lower()
    if ending in IMAGES:
        return "image"
    if ending in TABLES:
        return "table"
    if ending in (".html", ".htm"):
        return "page"
    return "text" if ending in TEXTS else "other"


def file_name(path: str) -> str:
    """Return the name a download is saved under: the last part of the path, without characters that end a header."""
    return "".join(c if c.isprintable() else "_" for c in shown_name(path).rpartition("/")[2])


def media_type(path: str) -> str:
    """Return the type a download is sent with."""
    guessed, encoding = mimetypes.guess_type(path)
    return "application/octet-stream" if guessed is None or encoding else guessed


def size_of(file: BinaryIO) -> int:
    """Return the bytes of an open file."""
    return os.fstat(file.fileno()).st_size


def preview(file: BinaryIO, path: str) -> Preview:
    """Return the beginning of a text or a table; closes the file."""
    with file:
        size, head = size_of(file), file.read(PREVIEW_BYTES)
    text = head[: len(head) - unfinished(head)].decode("utf-8", "replace").removeprefix("\ufeff")
    cut = size > len(head)
    if kind(path) != "table":
        return Preview(text, [], [], cut)
    rows = _table(text, path, cut)
    wide = any(len(row) > PREVIEW_COLUMNS for row in rows)
    shown = [row[:PREVIEW_COLUMNS] for row in rows[: PREVIEW_ROWS + 1]]
    return Preview("", shown[0] if shown else [], shown[1:], cut or wide or len(rows) > PREVIEW_ROWS + 1)


def _table(text: str, path: str, cut: bool) -> list[list[str]]:
    first = text.partition("\n")[0]
    mark = TABLES[os.path.splitext(path)[1].lower()]
    if mark == "," and first.count(";") > first.count(","):
        mark = ";"
    rows: list[list[str]] = []
    # a cell larger than the reader takes, or a NUL: what was read so far is shown
    with suppress(csv.Error):
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark):
            if row:
                rows.append(row)
            if len(rows) > PREVIEW_ROWS + 1:
                break
    return rows[:-1] if cut and 1 < len(rows) <= PREVIEW_ROWS + 1 else rows


def unfinished(data: bytes) -> int:
    """Return how many bytes at the end begin a UTF-8 character that is not whole yet."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            width = 2 if byte & 0xE0 == 0xC0 else 3 if byte & 0xF0 == 0xE0 else 4 if byte & 0xF8 == 0xF0 else 1
            return back if width > back else 0
    return 0


class LogPart(NamedTuple):
    """A piece of a log: its text, the offset to ask from next, and the size of the whole, in bytes."""

    text: str
    start: int
    next: int
    size: int

    @property
    def shown(self) -> int:
        """How many bytes this piece is."""
        return self.next - self.start


def log_tail(file: BinaryIO, tail_bytes: int) -> LogPart:
    """Return the last bytes of a log, from the beginning of a line where there is one; closes the file."""
    size = size_of(file)
    start = max(0, size - tail_bytes)
    data = _read_at(file, start, tail_bytes)
    skipped = _first_whole(data) if start else 0
    return _part(data[skipped:], start + skipped, size)


def log_after(file: BinaryIO, offset: int, most_bytes: int) -> LogPart:
    """Return what a log has after an offset that `log_tail` or this gave; a cut character waits for the next call."""
    size = size_of(file)
    start = min(max(offset, 0), size)
    return _part(_read_at(file, start, most_bytes), start, size)


def _read_at(file: BinaryIO, start: int, most: int) -> bytes:
    with file:
        file.seek(start)
        return file.read(most)


def _first_whole(data: bytes) -> int:
    """Return where the first whole line begins, if it is near; else the first whole character."""
    newline = data.find(b"\n", 0, 2000)
    return newline + 1 if newline >= 0 else _continued(data)


def _continued(data: bytes) -> int:
    """Return how many bytes at the beginning belong to a character that began before them."""
    return next((n for n, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)


def _part(data: bytes, start: int, size: int) -> LogPart:
    kept = data[: len(data) - unfinished(data)]
    return LogPart(_printable(kept.decode("utf-8", "replace")), start, start + len(kept), size)


def _printable(text: str) -> str:
    """Return control characters shown as such: a terminal's colours and a NUL would vanish or break the page."""
    return text.translate(_CONTROLS)


_CONTROLS = {c: 0x2400 + c for c in range(32) if c not in (9, 10, 13)} | {0x7F: 0x2421}
