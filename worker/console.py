"""What the worker says it does: a line each on standard output, and the same for the board's page."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from board.log.event import utcnow
from board.process.engine.instance import Instance
from board.services.attempts import Attempt
from board.services.inbox import Report as Messages
from worker.config import Config
from worker.script.attempt import Outcome


class Report:
    """Lines for people, written out once a turn."""

    def __init__(self, config: Config, out: TextIO | None = None) -> None:
        self._out: TextIO | None = None if config.quiet else out or sys.stdout
        self._config = config
        self._said: dict[str, str] = {}
        self._lines: list[str] = []
        self.since = utcnow()

    def hello(self, instance: str, code_version: str) -> None:
        store, jobs = shown(self._config.store), shown(self._config.jobs)
        self.line(f"worker: instance={instance or 'all'} store={store} jobs={jobs} code={code_version}")

    def begun(self, attempt: Attempt, script: str) -> None:
        """Say what starts; of which instance, when all are served."""
        of = "" if self._config.instance else f"{attempt.instance} "
        self.line(f"* {of}{name(attempt)} -> {script}")

    def ended(self, attempt: Attempt, outcome: Outcome, status: str) -> None:
        """Say how an attempt went; `status` is the row's now, "" when somebody else had moved it."""
        how = {"": "late, the row was moved", "open": "stopped" if outcome.ended == "stopped" else "failed"}.get(
            status, status
        )
        error = f": {outcome.error}" if outcome.error else ""
        again = ", tried again" if how == "failed" and status == "open" else ""
        self.line(f"  {how} in {outcome.took_s:.1f}s ({attempt.log}){error}{again}")

    def refused(self, attempt: Attempt, script: str, reason: str) -> None:
        self.begun(attempt, script)
        self.line(f"  refused: {reason}")

    def recovered(self, attempt: Attempt) -> None:
        self.line(f"worker: attempt {attempt.number} of {attempt.instance} {name(attempt)} was lost with its worker")

    def still_alive(self, attempt: Attempt, pids: list[int]) -> None:
        alive = ", ".join(map(str, pids))
        self.line(f"worker: {attempt.instance} {name(attempt)} still runs and cannot be ended: process {alive}")

    def messages(self, messages: Messages) -> None:
        if messages.applied:
            self.line(f"worker: {len(messages.applied)} message(s) applied")
        for file, code in messages.rejected.items():
            self.line(f"worker: message {file!r} rejected: {code} (see inbox/failed)")
        for file, why in messages.stuck.items():
            self.line(f"worker: message {file!r} cannot be moved out of the inbox: {why}")
        for file, why in messages.unjudged.items():
            self.line(f"worker: message {file!r} stays in the inbox and is tried again: {why}")

    def unusable(self, instance: str, problem: str) -> None:
        self.once(instance, f"worker: nothing of the instance {instance!r} can be run: {problem}")

    def standing(self, instance: str, state: str, waiting: str) -> None:
        """Say where an instance stands, once."""
        of = "" if self._config.instance else f" {instance}:"
        self.once(instance, f"worker:{of} {waiting or state}")

    def slowed(self, attempt: Attempt, wait_s: float) -> None:
        """Say that a row is opened again and again, when that makes its next attempt wait."""
        if wait_s > 0:
            self.line(f"worker: {name(attempt)} is opened again and again: its next attempt waits {wait_s:.0f}s")

    def stopping(self, running: int, drain_s: float, *, lost: bool) -> None:
        if lost:
            self.line("worker: another worker took the store over; ending without writing anything more")
        else:
            self.line(
                "worker: stopping" + (f", waiting {drain_s:g}s at most for {running} script(s)" if running else "")
            )

    def trouble(self, why: str) -> None:
        self.line(f"worker: {why} Trying again every second.")

    def well(self) -> None:
        self.line("worker: the store can be written again")

    def room(self, shortage: str) -> None:
        self.line(f"worker: {shortage}" if shortage else "worker: the disk of the store has room again")

    def once(self, about: str, text: str) -> None:
        """Say something about a thing unless it was the last thing said about it."""
        if self._said.get(about) != text:
            self._said[about] = text
            self.line(text)

    def line(self, text: str) -> None:
        """Say a line at the next `flush`: nobody who holds a lock waits for a terminal."""
        if self._out is not None:
            self._lines.append(text + "\n")

    def flush(self) -> None:
        """Write what was said. A standard output that is gone is given up."""
        if not self._lines or self._out is None:
            return
        try:
            self._out.write("".join(self._lines))
            self._out.flush()
        except (OSError, ValueError):
            self._out = None
        self._lines.clear()


def name(attempt: Attempt) -> str:
    """How a row is written: `task` or `task@element`."""
    return f"{attempt.task}@{attempt.element}" if attempt.element else attempt.task


def reason(error: Exception) -> str:
    """What went wrong, for everybody who looks at the board: files by their name, not by their place."""
    if isinstance(error, OSError) and error.filename:
        return f"{os.path.basename(os.fsdecode(error.filename))}: {error.strerror}"
    return str(error)


def shown(path: os.PathLike[str]) -> str:
    """A path as people know it: relative to where they stand, if it is below."""
    relative = os.path.relpath(path)
    return os.fspath(path) if relative.startswith("..") else relative


def waiting_for(instance: Instance) -> str:
    """`waiting for people on: sign_off; waiting for messages on: delivery (12)`; "" when for neither."""
    people: list[str] = []
    messages: list[str] = []
    rest = instance.left_over()
    for t in instance.flow.order:
        definition = instance.flow.rows[t]
        if definition.is_script:
            continue
        tally = instance.tally(t)
        count = tally["open"] + tally["doing"]
        if count and rest:
            rows = instance.rows_of(definition.task)
            count -= sum(1 for row in rows if row in rest and instance.status(row) in ("open", "doing"))
        if count > 0:
            text = definition.task + (f" ({count})" if count > 1 else "")
            (messages if definition.role == "system" else people).append(text)
    said = (("waiting for people on: ", people), ("waiting for messages on: ", messages))
    return "; ".join(start + ", ".join(names) for start, names in said if names)
