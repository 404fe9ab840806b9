"""Signals: the handlers only set flags, and wake whoever waits by a pipe."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from types import FrameType


class Stop:
    """Whether to go on: `draining` after the first signal or a lost lock, `at_once` after the second."""

    def __init__(self) -> None:
        self.signals = 0
        self.lost = False
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def listen(self) -> None:
        """Take SIGTERM and SIGINT from now on; only the main thread can."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, self._on_signal)

    @property
    def draining(self) -> bool:
        return self.signals > 0 or self.lost

    @property
    def at_once(self) -> bool:
        return self.signals > 1 or self.lost

    def ask(self) -> None:
        """Do what a signal does, for a caller that is not one."""
        self.signals += 1
        self.wake()

    def lose(self) -> None:
        """The lock is another's: end everything at once and write nothing more."""
        self.lost = True
        self.wake()

    def wake(self) -> None:
        with contextlib.suppress(OSError):  # full: then it is awake already
            os.write(self._write, b"!")

    def fileno(self) -> int:
        return self._read

    def drain(self) -> None:
        """Forget the wake-ups so far."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._read, 4096):
                pass

    def close(self) -> None:
        os.close(self._read)
        os.close(self._write)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.ask()
