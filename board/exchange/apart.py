"""Heavy work in a short-lived process of its own: bounded in time and memory, while the board goes on answering.

One is at work at a time in each process of the board; a few wait a moment, everybody else is told to come again. The
child knows nothing of settings and secrets. `apart` is called with a function of a module that needs no Django.
"""

from __future__ import annotations

import os
import pickle  # nosec B403  between us and a process we started, over pipes nobody else holds
import resource
import subprocess  # nosec B404
import sys
from collections.abc import Callable
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 20
MEMORY = 1 << 30  # bytes of address space
WAITING = 2  # beside the one at work; each holds one of the server's threads
WAIT_S = 3
LIGHT_BYTES = 20_000  # a file or a text up to this is read where it is
_HANDED_ON = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "LD_LIBRARY_PATH")
_NO_MEMORY = 3

_places = BoundedSemaphore(1 + WAITING)
_turn = Lock()


class Busy(Exception):
    """Others are having something heavy done; `again_s` is when to come again, in seconds."""

    again_s = SECONDS // 2


class TooDear(Exception):
    """The work took more time or memory than any may; the message says which."""


def apart[T](work: Callable[..., T], *given: object) -> T:
    """Do `work(*given)` in a process of its own and give what it gives, or raise what it raises; Busy, TooDear."""
    if not _places.acquire(blocking=False):
        raise Busy
    try:
        if not _turn.acquire(timeout=WAIT_S):
            raise Busy
        try:
            found: T = _asked(pickle.dumps((work, given)))
        finally:
            _turn.release()
    finally:
        _places.release()
    return found


def _asked(task: bytes) -> Any:
    env = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
    command = [sys.executable, "-m", "board.exchange.apart"]
    try:
        # nothing a stranger wrote is in the command
        done = subprocess.run(command, input=task, capture_output=True, timeout=SECONDS, cwd=ROOT, env=env)  # nosec B603
    except subprocess.TimeoutExpired:
        raise TooDear(f"takes more than {SECONDS} seconds") from None
    if done.returncode == _NO_MEMORY or done.returncode < 0:
        raise TooDear(f"needs more than {MEMORY >> 30} GB of memory")
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-4000:])
    found = pickle.loads(done.stdout)  # nosec B301
    if isinstance(found, Exception):
        raise found
    return found


def _main() -> int:
    """Do the work that comes in, within the limits; a refusal is an answer too."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + 1, SECONDS + 1))  # should the board be gone by then
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    work, given = pickle.load(sys.stdin.buffer)  # nosec B301
    try:
        try:
            found = work(*given)
        except ValueError as refused:  # Unreadable, Unwritable, ElementError: what a caller has words for
            found = refused
        sys.stdout.buffer.write(pickle.dumps(found))
    except MemoryError:
        return _NO_MEMORY
    return 0


if __name__ == "__main__":
    sys.exit(_main())
