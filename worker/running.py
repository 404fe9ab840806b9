"""The scripts that run, and the writing of what becomes of them: one append lock and one flush for all there is."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from board.log.errors import LogError, NotDurable
from board.log.event import utcnow
from board.log.tail import Acting, Tail
from board.process.engine.instance import Instance
from board.services import attempts
from board.services.attempts import Attempt, Result
from worker.console import Report, reason
from worker.instances import Served
from worker.prepare import Prepared, Workshop
from worker.scheduler import Chooser, Place
from worker.script import process_tree
from worker.script.attempt import Outcome, Script
from worker.script.jail import Refused
from worker.wakeups import Wakeups

_OF_A_STOP = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
STOP_PATIENCE_S = 0.3
"""How much later than its script a worker may hear that both are stopped, in seconds."""


@dataclass(slots=True)
class Run:
    """One attempt that was begun: its script, None when it could not be started."""

    prepared: Prepared
    script: Script | None
    since: str
    outcome: Outcome | None = None
    next_look: float = 0.0
    hold_until: float = 0.0  # an end that may yet turn out to be a stop is not written before

    @property
    def attempt(self) -> Attempt:
        return self.prepared.attempt


class Running:
    """At most `slots` attempts; what ended stays here until the log has it."""

    def __init__(
        self,
        tail: Tail,
        served: Served,
        workshop: Workshop,
        wakeups: Wakeups,
        report: Report,
        *,
        slots: int,
        check_lock: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.runs: list[Run] = []
        self.barred: list[Place] = []  # rows of which a process of a lost attempt still lives
        self.chooser = Chooser(tail, served)
        self._tail, self._served, self._workshop = tail, served, workshop
        self._wakeups, self._report = wakeups, report
        self._slots, self._check_lock, self._clock = slots, check_lock, clock
        self._moment = utcnow()  # the time that events of one write carry

    # looking

    def stop(self, now: float, *, at_once: bool) -> None:
        """Begin to end every script because the worker stops; a second call can only hasten it."""
        for run in self.runs:
            if run.script is not None and (at_once or not run.script.is_ending):
                run.script.end("stopped", "the worker was stopped", now, at_once=at_once)
                run.next_look = now

    def heed_moves(self, moved: list[str], now: float) -> None:
        """End the scripts of rows that somebody moved, and of instances that were cancelled."""
        running = [run for run in self.runs if run.script is not None and run.attempt.instance in moved]
        if not running:
            return
        with self._tail.reading():
            for run in running:
                instance = self._tail.get(run.attempt.instance)
                if run.script is not None and (instance is None or not attempts.is_wanted(instance, run.attempt)):
                    run.script.end("moved", "moved by somebody while it ran", now)
                    run.next_look = now

    def collect(self, now: float, *, short: bool = False, stopping: bool = False) -> None:
        """Look at the scripts that have news or whose time has come.

        `short`: the disk has no room for their logs; `stopping`: this worker is being stopped.
        """
        for run in self.runs:
            script = run.script
            if script is None or run.outcome is not None:
                continue
            if script.pidfd not in self._wakeups.ended and now < run.next_look:
                continue
            others = {
                other.script.pid: other.script.mark
                for other in self.runs
                if other is not run and other.script is not None and other.outcome is None
            }
            had_ended = script.has_ended
            run.outcome = script.step(now, others, short=short)
            run.next_look = script.next_look(now)
            if script.has_ended and not had_ended:
                self._wakeups.forget(script.pidfd)
            if run.outcome is not None:
                run.prepared.forget_outputs()
                if run.outcome.signal in _OF_A_STOP and not run.outcome.ended:
                    run.hold_until = now + STOP_PATIENCE_S
                if script.met_orphans:
                    process_tree.collect_orphans(others)
        if stopping:
            self._take_for_stopped(now)

    def _take_for_stopped(self, now: float) -> None:
        """Whoever signals the worker and its scripts alike stops both: such a script did not fail."""
        for run in self.runs:
            if run.outcome is not None and run.hold_until > now:
                run.outcome, run.hold_until = replace(run.outcome, ended="stopped"), 0.0

    def forget_ended(self) -> None:
        """Drop what ended without writing it: the store is another worker's."""
        self.runs = [run for run in self.runs if run.outcome is None]

    def next_look(self) -> float:
        """When a script wants to be looked at again, monotonic; infinity when none does."""
        looks = (run.next_look if run.outcome is None else run.hold_until or float("inf") for run in self.runs)
        return min(looks, default=float("inf"))

    @property
    def unwritten(self) -> bool:
        """Whether something has ended that the log does not know yet."""
        return any(run.outcome is not None and not run.hold_until for run in self.runs)

    # writing

    def write(self, now: float, *, start: bool) -> bool:
        """Append what has ended and, if `start`, what begins, and start that; whether the log was written.

        Raises LogError or OSError when something could not be written: it is kept, and the next call tries again.
        """
        ended = [run for run in self.runs if run.outcome is not None and run.hold_until <= now]
        if not (ended or self._served.owed or (start and self.may_begin(now))):
            return False
        for run in ended:
            run.hold_until = 0.0
        begun: list[Prepared] = []
        failure: LogError | OSError | None = None
        durable = False
        try:
            with self._tail.acting() as acting:
                self._check_lock()
                self._moment = utcnow()
                try:
                    self._append_ends(acting, ended, now)
                    self._append_owed(acting)
                    if start:
                        self._append_starts(acting, begun, now)
                except (LogError, OSError) as error:
                    failure = error
            durable = True
        except NotDurable as error:
            failure = error
        finally:
            self._start(begun, now, durable=durable)
        if failure is not None:
            raise failure
        return True

    def _append_ends(self, acting: Acting, ended: list[Run], now: float) -> None:
        for run in ended:
            with self._served.isolating(run.attempt.instance, f"cannot take in the end of {run.attempt.task}"):
                self._append_end(acting, run, now)
        for instance_id in {run.attempt.instance for run in ended}:
            self._served.note(instance_id)

    def _append_end(self, acting: Acting, run: Run, now: float) -> None:
        attempt, outcome = run.attempt, run.outcome
        assert outcome is not None  # nosec B101 # for the type checker: it has ended
        if outcome.ended == "stopped":
            status = "open" if attempts.stop(acting, attempt, outcome.took_s, now=self._now) else ""
        else:
            finished = attempts.finish(acting, attempt, result_of(outcome), now=self._now)
            status = finished.status
            if finished.retry_in_s is not None:
                self.chooser.pause(attempt.instance, attempt.row, now + finished.retry_in_s)
        self.runs.remove(run)
        self._report.ended(attempt, outcome, status)

    def _append_owed(self, acting: Acting) -> None:
        for instance_id in list(self._served.owed):
            with self._served.isolating(instance_id, "cannot be opened anew"):
                attempts.settle_owed(acting, instance_id, now=self._now)
            self._served.note(instance_id)

    def _append_starts(self, acting: Acting, begun: list[Prepared], now: float) -> None:
        while len(self.runs) + len(begun) < self._slots:
            chosen = self.chooser.next(self._places(begun), now)
            if chosen is None:
                return
            instance, row = chosen
            with self._served.isolating(instance.id, f"cannot begin {instance.task_of(row)}"):
                self._append_start(acting, instance, row, begun, now)

    def _append_start(self, acting: Acting, instance: Instance, row: int, begun: list[Prepared], now: float) -> None:
        attempt = self._workshop.next(instance, row)
        self._report.slowed(attempt, self.chooser.begin(instance, row, now))
        try:
            prepared = self._workshop.prepare(instance, attempt)
        except Refused as refused:
            self._workshop.write_reason(attempt, str(refused))
            attempts.refuse(acting, attempt, str(refused), now=self._now)
            self._report.refused(attempt, instance.definition(row).script, str(refused))
            return
        try:
            attempts.begin(acting, attempt, self._workshop.code_version(prepared), now=self._now)
        except BaseException:
            prepared.close()
            raise
        begun.append(prepared)

    def _start(self, begun: list[Prepared], now: float, *, durable: bool) -> None:
        """Start what the log says has begun; what cannot be started has ended, with the reason."""
        for prepared in begun:
            run = Run(prepared, None, self._moment)
            self.runs.append(run)
            if not durable:  # the disk did not confirm that it began: it is put back as soon as the disk does
                prepared.close()
                run.outcome = Outcome(0.0, None, "", "stopped")
                continue
            try:
                run.script = self._workshop.start(prepared, self._clock())
            except (Refused, OSError, ValueError) as error:
                prepared.close()
                run.outcome = Outcome(0.0, None, f"could not be started: {reason(error)}")
                continue
            run.next_look = run.script.next_look(now)
            self._wakeups.expect(run.script.pidfd)
            self._report.begun(prepared.attempt, prepared.script)

    def may_begin(self, now: float) -> bool:
        """Whether a slot is free and a script is ready."""
        if not self._served.ready or len(self.runs) >= self._slots:
            return False
        with self._tail.reading():
            return self.chooser.next(self._places([]), now) is not None

    def _places(self, begun: list[Prepared]) -> list[Place]:
        prepared = (*(run.prepared for run in self.runs), *begun)
        return [*(Place(p.attempt.instance, p.attempt.row, p.sequential) for p in prepared), *self.barred]

    def _now(self) -> str:
        return self._moment


def result_of(outcome: Outcome) -> Result:
    """What an outcome means for the row: with exit code 0 the script's answer or `done`, else failed."""
    answer = outcome.outputs.get("status", "done")
    if outcome.ended or outcome.exit_code != 0:
        return Result("failed", outcome.took_s, outcome.error, outcome.outputs)
    error = "the script answered failed" if answer == "failed" else ""
    return Result(answer, outcome.took_s, error, outcome.outputs)
