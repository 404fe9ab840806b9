"""One script as a process: started, watched against its limits, ended with its whole tree, its outcome read.

Nothing here knows the event log or waits: `step(now)` looks and returns an outcome or None, so any number of scripts
share one loop. Times are monotonic seconds.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field

from worker.script import process_tree
from worker.script.outputs import read_outputs

LOOK_S = 0.25  # how often limits and orphans are looked at while a script runs
ENDING_LOOK_S = 0.02
SMALL_LOG = 64 * 1024  # bytes that a script may still write to its log while the disk is short of room
GIVE_UP_S = 10.0  # how long a tree is killed again and again before what is left is reported
_RESET = [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGCHLD, signal.SIGHUP]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one attempt may use: seconds (0 = no limit), bytes of log, seconds from TERM to KILL."""

    timeout_s: float = 0.0
    max_log_bytes: int = 100 * 1024 * 1024
    grace_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a script ended. `ended` says who ended it: "" itself, else timeout, log, room, stopped or moved."""

    took_s: float
    exit_code: int | None  # None when a signal ended it
    error: str  # "" for exit code 0
    ended: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)
    signal: int = 0  # the one that ended its first process, 0 for none


class Script:
    """A started script; it owns its process group, its log descriptor and whatever it starts."""

    def __init__(self, pid: int, mark: str, log: int, limits: Limits, now: float, log_start: int) -> None:
        self.pid = pid
        self.mark = mark
        self.started = now
        self.met_orphans = False  # whether this process has other children than first processes of scripts
        self._log, self._log_start = log, log_start
        self._roomy_size = log_start
        self._limits = limits
        self._took_s = 0.0
        self._status: int | None = None  # as waitpid gives it, once the first process has ended
        self._ended = self._why = ""
        self._kill_at = self._give_up_at = float("inf")
        self._termed: set[int] = set()
        self.pidfd = os.pidfd_open(pid)

    @classmethod
    def start(
        cls,
        program: str,
        arguments: tuple[str, ...],
        environment: Mapping[str, str],
        directory: str,
        log: int,
        limits: Limits,
        now: float,
    ) -> Script:
        """Start a program in `directory`, its output going to the open `log`; raises OSError or ValueError."""
        log_start = os.fstat(log).st_size
        pid = _spawn(program, arguments, environment, directory, log)
        return cls(pid, environment["PROC_RUN"], log, limits, now, log_start)

    def step(self, now: float, others: Mapping[int, str], *, short: bool = False) -> Outcome | None:
        """Look once; the outcome when everything of this script has ended.

        `others`: the first processes of the scripts that run beside it, and their marks; `short`: the disk has no room
        for its log.
        """
        if self._status is None:
            self._look(now)
        if self._ended:
            return self._finish(now) if self._is_gone(now, others) else None
        if self._status is None:
            self._check_limits(now)
            self._check_room(now, short=short)
            return None
        if not self._left_behind(others):
            return self._finish(now)
        self._ended, self._kill_at = "itself", now
        return self.step(now, others)

    def next_look(self, now: float) -> float:
        """When to look again even if the first process says nothing."""
        if self._ended:
            return now + ENDING_LOOK_S
        deadline = self.started + self._limits.timeout_s if self._limits.timeout_s else float("inf")
        return min(now + LOOK_S, deadline)

    def end(self, ended: str, why: str, now: float, *, at_once: bool = False) -> None:
        """Begin to end the whole tree: TERM, and KILL after the grace; a later call can only hasten it."""
        if not self._ended:
            self._ended, self._why = ended, why
            self._kill_at = now + self._limits.grace_s
        if at_once:
            self._kill_at = min(self._kill_at, now)

    @property
    def is_ending(self) -> bool:
        return bool(self._ended)

    @property
    def has_ended(self) -> bool:
        """Whether the first process has ended, whatever may be left of its tree."""
        return self._status is not None

    def _look(self, now: float) -> None:
        # The dead process is left uncollected until its tree is gone, so that its number cannot become another's.
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is not None:
            self._status = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
            self._took_s = now - self.started

    def _check_limits(self, now: float) -> None:
        if self._limits.timeout_s and now >= self.started + self._limits.timeout_s:
            self.end("timeout", f"timeout after {self._limits.timeout_s:g}s", now)
        elif self._log_size() - self._log_start > self._limits.max_log_bytes:
            megabytes = self._limits.max_log_bytes / (1024 * 1024)
            self.end("log", f"log larger than {megabytes:g} MB", now, at_once=True)

    def _check_room(self, now: float, *, short: bool) -> None:
        """End a script whose log grows while the disk is short of room; what it wrote since there was some is cut."""
        size = self._log_size()
        if not short:
            self._roomy_size = size
        elif size > self._roomy_size + SMALL_LOG:
            self.end("room", "it wrote to its log while the disk of the store was nearly full", now, at_once=True)

    def _left_behind(self, others: Mapping[int, str]) -> bool:
        """Whether anything of the tree outlives its first process: then some of it is a child of this process now."""
        self.met_orphans = not process_tree.children() <= {self.pid, *others}
        return self.met_orphans and bool(self._tree(others))

    def _tree(self, others: Mapping[int, str]) -> list[int]:
        return process_tree.tree(self.mark, root=self.pid, others=others)

    def _is_gone(self, now: float, others: Mapping[int, str]) -> bool:
        tree = self._tree(others)
        if self._status is None:
            self._look(now)
        if not tree:
            return self._status is not None
        if now < self._kill_at:
            if not self._termed:  # what begins from here on cleans up, and has the grace for it
                process_tree.send(tree, signal.SIGTERM)
                self._termed.update(tree)
            return False
        if self._give_up_at == float("inf"):
            self._give_up_at = now + GIVE_UP_S
        refused = process_tree.send(tree, signal.SIGKILL)
        if now >= self._give_up_at and self._status is not None:
            self._note(f"could not end these processes: {', '.join(map(str, sorted(refused) or tree))}")
            return True
        return False

    def _finish(self, now: float) -> Outcome:
        os.waitpid(self.pid, 0)
        os.close(self.pidfd)
        size = self._log_size()
        scanner = read_outputs(self._log, self._log_start, min(size, self._log_start + self._limits.max_log_bytes))
        self._tidy_log(size, scanner.left_out)
        os.close(self._log)
        status = self._status if self._status is not None else 0
        took_s = (now - self.started) if self._ended not in ("", "itself") else self._took_s
        ended = "" if self._ended == "itself" else self._ended
        error = self._why if ended else _why(status)
        return Outcome(took_s, status if status >= 0 else None, error, ended, scanner.found, max(0, -status))

    def _tidy_log(self, size: int, left_out: int) -> None:
        if self._ended == "log":
            os.ftruncate(self._log, self._log_start + self._limits.max_log_bytes)
        elif self._ended == "room":
            os.ftruncate(self._log, self._roomy_size)
        if left_out:
            self._note(f"{left_out} outputs are left out: a script has at most 1,000 different ones")
        if self._ended == "itself":
            self._note("ended what the script left running behind it")
        elif self._why:
            self._note(self._why)

    def _note(self, text: str) -> None:
        with contextlib.suppress(OSError):  # a full disk: the event says it too
            os.write(self._log, f"\nworker: {text}\n".encode())

    def _log_size(self) -> int:
        return os.fstat(self._log).st_size


def _spawn(program: str, arguments: tuple[str, ...], environment: Mapping[str, str], directory: str, log: int) -> int:
    """Start the program in its own session, with nothing open but /dev/null and the log."""
    back = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.chdir(directory)  # the new process begins where this one stands
        return os.posix_spawn(
            program,
            arguments,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, log, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
                (os.POSIX_SPAWN_CLOSEFROM, 3),
            ],
            setsid=True,
            setsigmask=[],
            setsigdef=_RESET,
        )
    finally:
        os.fchdir(back)
        os.close(back)


def _why(status: int) -> str:
    if status == 0:
        return ""
    if status > 0:
        return f"exit code {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"
