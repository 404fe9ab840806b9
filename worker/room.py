"""The reserve: room on the store's disk that scripts' output may not eat, so that events can still be written."""

from __future__ import annotations

import os
from pathlib import Path

_MB = 1024 * 1024


class Room:
    """Whether the file system of a store has more free space than the reserve (bytes, 0 for none)."""

    def __init__(self, store: Path, reserve_bytes: int) -> None:
        self._store, self._reserve_bytes = store, reserve_bytes
        self.shortage = ""

    def look(self) -> str:
        """Why no script may be started, as a sentence; "" when one may. OSError when the disk does not answer."""
        if self._reserve_bytes:
            found = os.statvfs(self._store)
            short = found.f_bavail * found.f_frsize < self._reserve_bytes
            self.shortage = self._sentence() if short else ""
        return self.shortage

    def _sentence(self) -> str:
        # No figure that moves: it is said once, not at every look.
        reserve = f"{self._reserve_bytes / _MB:g} MB (FOLDBOARD_RESERVE_MB)"
        return f"The disk of the store has less free than its reserve of {reserve}: no script is started until it has."
