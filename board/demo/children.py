"""The demo's programs: started together, their lines on one screen, ended together by their process ids."""

import signal
import subprocess  # nosec B404 # each call is judged where it stands
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType

STOP_S = 15.0
"""How long a program may take to end by itself."""
PAUSE_S = 0.5
"""How long after its end the worker is started again."""


class Child:
    """One program, whose every line is printed with its name before it."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self.name = name
        # a session of its own: Ctrl-C reaches the demo alone, which ends its programs in order
        self.process = subprocess.Popen(  # nosec B603 # our own words, no shell
            command, cwd=folder, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._repeat, daemon=True)
        self._reader.start()

    def _repeat(self) -> None:
        assert self.process.stdout  # nosec B101 # for the type checker: it is a pipe
        for line in self.process.stdout:
            say(self.name, line.rstrip())

    def end(self) -> None:
        """Ask it to stop, and insist after a while."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._reader.join(2)


def say(name: str, line: str) -> None:
    """One line of one program, written at once so that lines of two never mix."""
    sys.stdout.write(f"{name:<8} | {line}\n")
    sys.stdout.flush()


class Company:
    """All programs of a demo. `start` maps a name to a function that starts it."""

    def __init__(self, start: Mapping[str, Callable[[], Child]], changed: Callable[[list[int]], None]) -> None:
        self._start = start
        self._changed = changed
        self._children: dict[str, Child] = {}
        self._stop = False

    def begin(self, *names: str) -> None:
        """Start some of them."""
        for name in names:
            self._children[name] = self._start[name]()
        self._changed([child.process.pid for child in self._children.values()])

    def listen_to_signals(self) -> None:
        """From now on Ctrl-C and SIGTERM end the demo in order."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._asked_to_stop)

    def _asked_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._stop = True

    def is_up(self, ready: Callable[[], bool], patience_s: float) -> bool:
        """Wait until something answers; False when the time is over, a program has ended or somebody stopped us."""
        until = time.monotonic() + patience_s
        while time.monotonic() < until and not self._stop and self._ended("board") is None:
            if ready():
                return True
            time.sleep(0.1)
        return False

    def _ended(self, name: str) -> int | None:
        child = self._children.get(name)
        return child.process.poll() if child else None

    def watch(self) -> int:
        """Stay until somebody stops the demo (0) or the board ends (1); a worker that ends is started again."""
        while not self._stop:
            if self._ended("board") is not None:
                say("demo", "The board has ended; see above.")
                return 1
            ended = self._ended("worker")
            if ended is not None:
                say("demo", f"The worker has ended ({_how(ended)}); it is started again, as systemd would do.")
                time.sleep(PAUSE_S)
                self.begin("worker")
            time.sleep(0.2)
        return 0

    def end(self) -> None:
        """End what runs, the board last, so that people see everything that still happens."""
        for name in ("platform", "worker", "board"):
            if name in self._children:
                self._children[name].end()
        self._changed([])


def _how(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
