"""The sign of life, given by a thread of its own, however long scripts or disks take."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from board.log.worker_lock import BEAT_INTERVAL_S, LOCK_DIR, STATE_FILE, WorkerState
from worker.lock import WorkerLock

_BETWEEN_WRITES_S = 0.25


class Heartbeat:
    """Touches the lock every `interval_s` and writes what the worker says about itself when that changed."""

    def __init__(self, lock: WorkerLock, on_loss: Callable[[], None], interval_s: float = BEAT_INTERVAL_S) -> None:
        self._lock, self._on_loss, self._interval_s = lock, on_loss, interval_s
        self._state: WorkerState | None = None
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def tell(self, state: WorkerState) -> None:
        """What to write for people; written at once, but no more than four times a second."""
        self._state = state
        self._wake.set()

    def stop(self) -> None:
        """End the thread; the lock itself stays as it is."""
        self._ended.set()
        self._wake.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        written: WorkerState | None = None
        while not self._ended.is_set():
            if not self._lock.beat():
                self._on_loss()
                return
            state = self._state
            if state is not None and state != written:
                written = state
                with contextlib.suppress(OSError):
                    _write(self._lock.store / LOCK_DIR, state)
                self._ended.wait(_BETWEEN_WRITES_S)
            self._wake.wait(self._interval_s)
            self._wake.clear()


def _write(directory: Path, state: WorkerState) -> None:
    fresh = directory / f"{STATE_FILE}.new"
    fresh.write_bytes(msgspec.json.encode(state) + b"\n")
    os.replace(fresh, directory / STATE_FILE)
