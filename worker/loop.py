"""The worker: `turn(now)` starts and collects attempts, `run()` owns the while, the waiting and the clock.

A turn looks at the log, takes in messages, ends what was moved by somebody, collects what has ended, and then writes
all that came of it and what starts next in one go under the append lock: one flush for several finishes and starts.
What cannot be written (a full disk, a store that is read-only for a while) is kept and tried again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from board.log.errors import LogError, NotDurable
from board.log.event import utcnow
from board.log.store import Store
from board.log.tail import Acting, Tail
from board.log.worker_lock import Running as Told
from board.log.worker_lock import WorkerState
from board.services import attempts
from board.services.attempts import Attempt, Result
from board.services.inbox import Inbox
from worker import processes
from worker.attempt import Outcome, Script
from worker.choose import Chooser
from worker.config import Config
from worker.jail import Refused
from worker.lock import LockLost, WorkerLock
from worker.news import News
from worker.prepare import Prepared, Workshop
from worker.recover import end_orphans
from worker.report import Report
from worker.served import Served, Standing
from worker.stop import Stop

EXIT_OK, EXIT_STUCK, EXIT_HELD, EXIT_GAVE_UP = 0, 3, 4, 5
TROUBLE_PAUSE_S = 1.0
RECOVER_AGAIN_S = 30.0


@dataclass(slots=True)
class Running:
    """One attempt that was begun: its script, None when it could not be started."""

    prepared: Prepared
    script: Script | None
    since: str
    outcome: Outcome | None = None
    next_look: float = 0.0

    @property
    def attempt(self) -> Attempt:
        return self.prepared.attempt


class Worker:
    """One worker of one store; everything it knows can be read again from the log."""

    def __init__(
        self,
        config: Config,
        tail: Tail,
        store: Store,
        *,
        lock: WorkerLock | None = None,
        stop: Stop | None = None,
        report: Report | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.config, self.tail, self.store, self.lock = config, tail, store, lock
        self.stop = stop or Stop()
        self.report = report or Report(config)
        self.served = Served(tail, config.instance)
        self.running: list[Running] = []
        self.trouble = ""
        self._clock = clock
        self._workshop = Workshop(config, store)
        self._inbox = Inbox(tail, store, status_for=config.inbox_status) if config.inbox else None
        self._news = News(store, self.stop)
        self._chooser = Chooser(tail, self.served)
        self._trouble_until = self._inbox_at = self._orphans_at = 0.0
        self._drain_until: float | None = None
        self._idle_since: float | None = None
        self._orphans: list[Attempt] = []

    # the while

    def run(self, tell: Callable[[WorkerState], None] = lambda _: None) -> int:
        """Work until stopped or until there is nothing left that this worker is for; the exit status."""
        self.report.hello(self.config.instance, self._workshop.code.read())
        while True:
            now = self._clock()
            again = self.turn(now)
            code = None if again else self.verdict(now)
            tell(self.state())
            if code is not None:
                self._news.close()
                return code
            if not again:
                self._wait(now)

    def _wait(self, now: float) -> None:
        self._news.settle()
        if self.tail.log.position() != self.served.position:
            return
        until = now + self.config.tick_s
        for run in self.running:
            until = min(until, run.next_look if run.outcome is None else max(now, self._trouble_until))
        self._news.wait(min(until, self._chooser.next_retry(now)) - self._clock())

    def verdict(self, now: float) -> int | None:
        """The exit status when this worker has nothing more to do, None to go on; asked when a turn found nothing."""
        if self.stop.draining:
            return self._verdict_of_stop(now)
        if self.running or self.served.unseen or self.trouble:
            self._idle_since = None
            return None
        standings = self.served.standings()
        for instance_id, standing in standings.items():
            self.report.standing(instance_id, standing.state, standing.says)
        if self._is_over(standings):
            return EXIT_STUCK if any(s.state == "stuck" for s in standings.values()) else EXIT_OK
        if self._idle_since is None:
            self._idle_since = now
        if self.config.timeout_s is not None and now - self._idle_since >= self.config.timeout_s:
            self.report.line(f"worker: gave up waiting after {self.config.timeout_s:g}s")
            return EXIT_GAVE_UP
        return None

    def _verdict_of_stop(self, now: float) -> int | None:
        if self.stop.lost:
            return None if self.running else EXIT_HELD
        if not self.running:
            return EXIT_OK
        patience = (self._drain_until or now) + self.config.grace_s
        unwritten = self.trouble and all(run.outcome is not None for run in self.running)
        return EXIT_OK if unwritten and (self.stop.at_once or now > patience) else None

    def _is_over(self, standings: dict[str, Standing]) -> bool:
        if self.config.no_wait:
            return True
        if not self.config.ends_by_itself or (self.config.instance and not standings):
            return False
        return all(standing.state != "active" for standing in standings.values())

    def state(self) -> WorkerState:
        """What the board may tell people about this worker."""
        owner = self.lock.owner if self.lock is not None else None
        return WorkerState(
            pid=owner.pid if owner else 0,
            host=owner.host if owner else "",
            since=self.report.since,
            jobs=str(self.config.jobs),
            slots=self.config.slots,
            code_version=self._workshop.code.last,
            instance=self.config.instance,
            trouble=self.trouble,
            running=tuple(
                Told(a.instance, a.task, a.element, a.number, run.prepared.script, run.since)
                for run in self.running
                for a in (run.attempt,)
            ),
        )

    # one turn

    def turn(self, now: float) -> bool:
        """Do what there is to do now (monotonic seconds), without waiting; whether to go again at once."""
        again = False
        try:
            self._heed_stop(now)
            if not self.stop.draining and now >= self._trouble_until:
                self._take_in_messages(now)
            self._heed_moves(self.served.look(), now)
            if not self.stop.draining:
                again = self._meet(now)
            self._collect(now)
            if not self.stop.lost and now >= self._trouble_until:
                again |= self._write(now)
        except LockLost:
            self.stop.lose()
            again = True
        except (LogError, OSError) as error:
            self._note_trouble(error, now)
        if self.stop.lost:
            self.running = [run for run in self.running if run.outcome is None]
        return again

    def _heed_stop(self, now: float) -> None:
        if not self.stop.draining:
            return
        if self._drain_until is None:
            self._drain_until = now + self.config.drain_s
            self.report.stopping(len(self.running), self.config.drain_s, lost=self.stop.lost)
        if self.stop.at_once or now >= self._drain_until:
            for run in self.running:
                if run.script is not None and (self.stop.at_once or not run.script.is_ending):
                    run.script.end("stopped", "the worker was stopped", now, at_once=self.stop.at_once)
                    run.next_look = now

    def _take_in_messages(self, now: float) -> None:
        if self._inbox is not None and (self._news.inbox or now >= self._inbox_at):
            self._news.inbox = False
            self._inbox_at = now + self.config.tick_s
            self.report.messages(self._inbox.take_in(self._check_lock))

    def _heed_moves(self, moved: list[str], now: float) -> None:
        """End the scripts of rows that somebody moved, and of instances that were cancelled."""
        running = [run for run in self.running if run.script is not None and run.attempt.instance in moved]
        if not running:
            return
        with self.tail.reading():
            for run in running:
                instance = self.tail.get(run.attempt.instance)
                if run.script is not None and (instance is None or not attempts.is_wanted(instance, run.attempt)):
                    run.script.end("moved", "moved by somebody while it ran", now)
                    run.next_look = now

    def _meet(self, now: float) -> bool:
        """Fold one instance not seen yet, and put right what a worker that is gone left running in it."""
        met = self.served.meet()
        mine = {run.attempt for run in self.running}
        with self.tail.reading():
            for instance_id in self.served.first_seen:
                instance = self.tail.get(instance_id)
                self._orphans += [] if instance is None else [a for a in attempts.lost(instance) if a not in mine]
        self.served.first_seen.clear()
        for instance_id, problem in self.served.unusable.items():
            self.report.unusable(instance_id, problem)
        self.served.unusable.clear()
        if self._orphans and now >= self._orphans_at:
            self._recover(now)
        return met

    def _recover(self, now: float) -> None:
        alive = dict(end_orphans(self._workshop.marks, self._orphans, self.config.grace_s))
        for attempt, pids in alive.items():
            self.report.still_alive(attempt, pids)
        with self.tail.acting() as acting:
            self._check_lock()
            for attempt in [orphan for orphan in self._orphans if orphan not in alive]:
                if attempts.recover(acting, attempt):
                    self.report.recovered(attempt)
                self._orphans.remove(attempt)
                self.served.note(attempt.instance)
        self._orphans_at = now + RECOVER_AGAIN_S if self._orphans else 0.0

    def _collect(self, now: float) -> None:
        """Look at the scripts that have news or whose time has come."""
        for run in self.running:
            script = run.script
            if script is None or run.outcome is not None:
                continue
            if script.pidfd not in self._news.ended and now < run.next_look:
                continue
            others = {
                other.script.pid: other.script.mark
                for other in self.running
                if other is not run and other.script is not None and other.outcome is None
            }
            had_ended = script.has_ended
            run.outcome = script.step(now, others)
            run.next_look = script.next_look(now)
            if script.has_ended and not had_ended:
                self._news.forget(script.pidfd)
            if run.outcome is not None:
                run.prepared.forget_outputs()
                processes.collect_orphans(others)

    # writing

    def _write(self, now: float) -> bool:
        """Append what has ended and what begins, and start that; whether anything came of it that needs a look."""
        ended = [run for run in self.running if run.outcome is not None]
        if not (ended or self.served.owed or self._may_begin(now)):
            return False
        begun: list[Prepared] = []
        failure: LogError | OSError | None = None
        durable = False
        try:
            with self.tail.acting() as acting:
                self._check_lock()
                try:
                    self._append_ends(acting, ended, now)
                    self._append_owed(acting)
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
        if self.trouble:
            self.trouble = ""
            self.report.well()
        return any(run.outcome is not None for run in self.running)

    def _append_ends(self, acting: Acting, ended: list[Running], now: float) -> None:
        for run in ended:
            attempt, outcome = run.attempt, run.outcome
            assert outcome is not None
            if outcome.ended == "stopped":
                status = "open" if attempts.stop(acting, attempt, outcome.took_s) else ""
            else:
                finished = attempts.finish(acting, attempt, result_of(outcome))
                status = finished.status
                if finished.retry_in_s is not None:
                    self._chooser.pause(attempt.instance, attempt.row, now + finished.retry_in_s)
            self.running.remove(run)
            self.served.note(attempt.instance)
            self.report.ended(attempt, outcome, status)

    def _append_owed(self, acting: Acting) -> None:
        for instance_id in list(self.served.owed):
            attempts.settle_owed(acting, instance_id)
            self.served.note(instance_id)

    def _append_starts(self, acting: Acting, begun: list[Prepared], now: float) -> None:
        while not self.stop.draining and len(self.running) + len(begun) < self.config.slots:
            chosen = self._chooser.next(self._places(begun), now)
            if chosen is None:
                return
            instance, row = chosen
            attempt = self._workshop.next(instance, row)
            try:
                prepared = self._workshop.prepare(instance, attempt)
            except Refused as refused:
                self._workshop.write_reason(attempt, str(refused))
                attempts.refuse(acting, attempt, str(refused))
                self.report.refused(attempt, instance.definition(row).script, str(refused))
            else:
                try:
                    attempts.begin(acting, attempt, self._workshop.code_version(prepared))
                except BaseException:
                    prepared.close()
                    raise
                begun.append(prepared)
            self.served.note(attempt.instance)

    def _start(self, begun: list[Prepared], now: float, *, durable: bool) -> None:
        """Start what the log says has begun; what cannot be started has ended, with the reason."""
        for prepared in begun:
            run = Running(prepared, None, utcnow())
            self.running.append(run)
            if not durable:  # the disk did not confirm that it began: it is put back as soon as the disk does
                prepared.close()
                run.outcome = Outcome(0.0, None, "", "stopped")
                continue
            try:
                run.script = self._workshop.start(prepared, self._clock())
            except (Refused, OSError, ValueError) as error:
                prepared.close()
                run.outcome = Outcome(0.0, None, f"could not be started: {error}")
                continue
            run.next_look = run.script.next_look(now)
            self._news.expect(run.script.pidfd)
            self.report.begun(prepared.attempt, prepared.script)

    def _may_begin(self, now: float) -> bool:
        if self.stop.draining or not self.served.ready or len(self.running) >= self.config.slots:
            return False
        with self.tail.reading():
            return self._chooser.next(self._places([]), now) is not None

    def _places(self, begun: list[Prepared]) -> list[tuple[str, str]]:
        running = [run.prepared for run in self.running]
        return [(prepared.attempt.instance, prepared.sequential) for prepared in (*running, *begun)]

    def _check_lock(self) -> None:
        if self.lock is not None:
            self.lock.check()

    def _note_trouble(self, error: Exception, now: float) -> None:
        self._trouble_until = now + TROUBLE_PAUSE_S
        if self.trouble != str(error):
            self.trouble = str(error)
            self.report.trouble(self.trouble)


def result_of(outcome: Outcome) -> Result:
    """What an outcome means for the row: with exit code 0 the script's answer or `done`, else failed."""
    answer = outcome.outputs.get("status", "done")
    if outcome.ended or outcome.exit_code != 0:
        return Result("failed", outcome.took_s, outcome.error, outcome.outputs)
    error = "the script answered failed" if answer == "failed" else ""
    return Result(answer, outcome.took_s, error, outcome.outputs)
