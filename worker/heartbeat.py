"""The sign of life, given by a thread of its own, however long scripts or disks take."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable

import msgspec

from board.log.directory import Directory
from board.log.faults import note_fault
from board.log.worker_lock import BEAT_INTERVAL_S, STATE, WorkerState
from worker.lock import WorkerLock

_LOOK_S = 0.5
_logger = logging.getLogger(__name__)


class Heartbeat:
    """Touches the lock every `interval_s`; twice a second it writes down what the worker says of itself."""

    def __init__(self, lock: WorkerLock, on_loss: Callable[[], None], interval_s: float = BEAT_INTERVAL_S) -> None:
        self.says: Callable[[], WorkerState] | None = None
        self.lock, self._on_loss, self._interval_s = lock, on_loss, interval_s
        self._files = Directory(lock.store)
        self._ended = threading.Event()
        self._written: WorkerState | None = None
        self._fault = ""
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread; the lock itself stays as it is."""
        self._ended.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        next_beat = 0.0
        while not self._ended.is_set():
            if time.monotonic() >= next_beat:
                next_beat = time.monotonic() + self._interval_s
                if not self._try(self.lock.beat, otherwise=True):
                    self._on_loss()
                    return
            self._try(self._tell, otherwise=None)
            self._ended.wait(_LOOK_S)

    def _try[T](self, act: Callable[[], T], *, otherwise: T) -> T:
        """Do something; a fault of ours is logged, once and not twice a second, and must not end the sign of life."""
        try:
            return act()
        except Exception as error:
            if repr(error) != self._fault:
                self._fault = repr(error)
                note_fault(_logger, error, "The heartbeat of the worker cannot do all it should")
            return otherwise

    def _tell(self) -> None:
        if self.says is None:
            return
        state = self.says()
        if state == self._written:
            return
        with contextlib.suppress(OSError):
            self._files.write(f"{STATE}.new", msgspec.json.encode(state) + b"\n")
            self._files.rename(f"{STATE}.new", STATE)
            self._written = state
