"""Be woken when something changes in a directory: inotify where the system has it, else a short sleep.

One small descriptor and no thread. Whoever waits looks again for itself: a wake-up is a hint, and between hints it
looks every `LOOK_S`, so a file system that tells nothing (a network mount) costs time and no event.
"""

from __future__ import annotations

import ctypes
import os
import select
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

LOOK_S = 0.5
"""How often to look without having been told, in seconds."""
POLL_S = 0.05
"""The same where nothing ever tells, in seconds."""

# IN_MODIFY, IN_CLOSE_WRITE, IN_MOVED_TO, IN_CREATE, IN_DELETE: copies and moves into a directory both wake
_MASK = 0x02 | 0x08 | 0x80 | 0x100 | 0x200


class Watch:
    """Changes below some directories (not their subdirectories); `fileno()` fits `select`, -1 where nothing tells."""

    def __init__(self, directories: Iterable[Path]) -> None:
        self._fd = _open_inotify()
        told = self._fd >= 0
        for directory in directories:
            told = told and _add(self._fd, directory)
        if not told:
            self.close()

    def fileno(self) -> int:
        return self._fd

    def wait(self, timeout_s: float) -> None:
        """Sleep until something changed or the time is over; at most `LOOK_S` (`POLL_S` where nothing tells)."""
        if self._fd < 0:
            time.sleep(max(0.0, min(timeout_s, POLL_S)))
            return
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        if poll.poll(max(0.0, min(timeout_s, LOOK_S)) * 1000):
            self.drain()

    def drain(self) -> None:
        """Forget the changes told so far."""
        with suppress(BlockingIOError):
            while self._fd >= 0 and os.read(self._fd, 65536):
                pass

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def wait_until(happened: Callable[[], bool], directories: Iterable[Path], timeout_s: float) -> bool:
    """Sleep until `happened()` (looked at when something changes in the directories) or the time is over."""
    ends = time.monotonic() + timeout_s
    if happened():
        return True
    with Watch(directories) as watch:
        while not happened():  # again: it may have happened before the watch began
            left = ends - time.monotonic()
            if left <= 0:
                return False
            watch.wait(left)
    return True


def _open_inotify() -> int:
    try:
        return int(_libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    except (OSError, AttributeError):
        return -1


def _add(fd: int, directory: Path) -> bool:
    return int(_libc().inotify_add_watch(fd, os.fsencode(directory), _MASK)) >= 0


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
