"""The outputs a script prints: `::process-output key=value::`, anywhere in its log (semantics, section 9.6).

The log is read in pieces of a fixed size and no more than one value is held, so neither its length nor its lines
nor its bytes matter.
"""

from __future__ import annotations

import os
import re

MAX_VALUE_CHARS = 4096
MAX_KEYS = 1000
_MAX_KEY_CHARS = 1000
_OPENING = b"::process-output "
_PIECE_BYTES = 1 << 20
# Four bytes a character at most: whatever is held beyond this can never be part of the value.
_HELD_BYTES = 4 * MAX_VALUE_CHARS + 4
_KEY = re.compile(rb"([A-Za-z_][A-Za-z0-9_.-]*)=")
_ENDING = re.compile(rb"::|[\r\n]")


class OutputScanner:
    """Takes a log piece by piece; `found` holds the outputs so far, the last of a key winning."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self.left_out = 0  # outputs beyond MAX_KEYS different keys
        self._rest = b""
        self._key = b""
        self._value = b""

    def feed(self, piece: bytes, *, last: bool = False) -> None:
        """Look through the next bytes of the log; `last` says that no more follow."""
        data, at = self._rest + piece, 0
        self._rest = b""
        while at < len(data):
            if not self._key:
                at = self._open(data, at, last)
                if at < 0:
                    return
            ending = _ENDING.search(data, at)
            if ending is None:
                held_back = data.endswith(b":") and not last
                self._hold(data[at : len(data) - held_back])
                self._rest = data[len(data) - held_back :]
                return
            self._hold(data[at : ending.start()])
            if ending[0] == b"::":
                self._keep()
            self._key, at = b"", ending.end()

    def _open(self, data: bytes, at: int, last: bool) -> int:
        """Where the next value begins; -1 when there is none in `data`, whose tail is kept if it may be an opening."""
        while (opening := data.find(_OPENING, at)) >= 0:
            at = opening + len(_OPENING)
            key = _KEY.match(data, at, at + _MAX_KEY_CHARS)
            if key is not None:
                self._key, self._value = key[1], b""
                return key.end()
            if len(data) - at < _MAX_KEY_CHARS and not last:
                self._rest = data[opening:]
                return -1
        self._rest = data[max(at, len(data) - len(_OPENING) + 1) :]
        return -1

    def _hold(self, piece: bytes) -> None:
        if len(self._value) < _HELD_BYTES:
            self._value = (self._value + piece[: _HELD_BYTES + len(piece) - len(piece.lstrip())]).lstrip()[:_HELD_BYTES]

    def _keep(self) -> None:
        # NUL cannot be handed on in an environment
        value = self._value.decode("utf-8", "replace").replace("\0", "\ufffd").strip()[:MAX_VALUE_CHARS]
        key = self._key.decode("ascii")
        if not value:
            return
        if key in self.found or len(self.found) < MAX_KEYS:
            self.found[key] = value
        else:
            self.left_out += 1


def read_outputs(fd: int, start: int = 0, end: int | None = None) -> OutputScanner:
    """Scan the bytes `start` to `end` (default: all) of an open file."""
    scanner = OutputScanner()
    at, end = start, os.fstat(fd).st_size if end is None else end
    while at < end and (piece := os.pread(fd, min(_PIECE_BYTES, end - at), at)):
        at += len(piece)
        scanner.feed(piece, last=at >= end)
    return scanner
