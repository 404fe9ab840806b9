"""The worker: `turn(now)` starts and collects attempts, `run()` owns the while, the waiting and the clock.

A turn looks at the log, takes in messages, ends what was moved by somebody, collects what has ended, and then writes
all that came of it and what starts next in one go under the append lock: one flush for several finishes and starts.
What cannot be written (a full disk, a store that is read-only for a while) is kept and tried again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from board.log.errors import LogError
from board.log.faults import note_fault
from board.log.notify import LOOK_S
from board.log.store import Store
from board.log.tail import Tail
from board.log.worker_lock import RunningScript, WorkerState
from board.services import attempts
from board.services.attempts import Attempt
from board.services.inbox import Inbox
from worker.config import Config
from worker.console import Report, reason
from worker.instances import Served, Standing
from worker.lock import LockLost, WorkerLock
from worker.prepare import Workshop
from worker.recover import end_leftovers, end_orphans
from worker.room import Room
from worker.running import Running
from worker.scheduler import Place
from worker.signals import Stop
from worker.wakeups import Wakeups

EXIT_OK, EXIT_STUCK, EXIT_HELD, EXIT_GAVE_UP = 0, 3, 4, 5
TROUBLE_PAUSE_S = 1.0
TROUBLE_PATIENCE_S = 10.0  # how long a worker that is to end by itself tries to write
RECOVER_AGAIN_S = 30.0
_logger = logging.getLogger(__name__)


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
        self.trouble = ""
        self._fault = self._fault_words = ""  # of ours, in the last turn: what was logged, and what people are told
        self._clock = clock
        self._workshop = Workshop(config, store)
        self._room = Room(store.root, config.reserve_bytes)
        self._inbox = Inbox(tail, store, status_for=config.inbox_status) if config.inbox else None
        self._wakeups = Wakeups(store, self.stop)
        self.running = Running(
            tail,
            self.served,
            self._workshop,
            self._wakeups,
            self.report,
            slots=config.slots,
            check_lock=self._check_lock,
            clock=clock,
        )
        self._trouble_until = self._inbox_at = self._orphans_at = 0.0
        self._trouble_since: float | None = None
        self._drain_until: float | None = None
        self._idle_since: float | None = None
        self._orphans: list[Attempt] = []

    # the while

    def run(self) -> int:
        """Work until stopped or until there is nothing left that this worker is for; the exit status."""
        self.report.hello(self.config.instance, self._workshop.code.read())
        if self.lock is not None:
            end_leftovers(self.store, self.config.grace_s)
        self.report.flush()
        while True:
            now = self._clock()
            again = self.turn(now)
            code = None if again else self.verdict(now)
            self.report.flush()
            if code is not None:
                self._wakeups.close()
                return code
            if not again:
                self._wait(now)

    def _wait(self, now: float) -> None:
        self._wakeups.settle()
        if self.tail.log.position() != self.served.position:
            return
        until = min(now + self.config.tick_s, self.running.next_look(), self.running.chooser.next_retry(now))
        if self.running.unwritten:
            until = min(until, max(now, self._trouble_until))
        # a file system may tell nothing, or forget to: between two ticks log and inbox are looked at all the same
        while not self._wakeups.wait(min(LOOK_S, until - self._clock())):
            news = self._wakeups.look_at_inbox() or self.tail.log.position() != self.served.position
            if news or self._clock() >= until:
                return

    def verdict(self, now: float) -> int | None:
        """The exit status when this worker has nothing more to do, None to go on; asked when a turn found nothing."""
        if self.stop.draining:
            return self._verdict_of_stop(now)
        if self.running.runs or self.served.unseen or self._trouble_since is not None:
            self._idle_since = None
            return self._verdict_of_trouble(now)
        standings = self.served.standings()
        self._report_unusable()
        for instance_id, standing in standings.items():
            self.report.standing(instance_id, standing.state, standing.says)
        if self.config.instance and not standings:
            self.report.once(self.config.instance, f"worker: there is no instance {self.config.instance} yet")
        if self._is_over(standings):
            if self._room.shortage and self.running.may_begin(now):
                return EXIT_GAVE_UP
            return EXIT_STUCK if any(s.state == "stuck" for s in standings.values()) else EXIT_OK
        if self._idle_since is None:
            self._idle_since = now
        if self.config.timeout_s is not None and now - self._idle_since >= self.config.timeout_s:
            self.report.line(f"worker: gave up waiting after {self.config.timeout_s:g}s")
            return EXIT_GAVE_UP
        return None

    def _verdict_of_stop(self, now: float) -> int | None:
        running = self.running.runs
        if self.stop.lost:
            return None if running else EXIT_HELD
        if not running:
            return EXIT_OK
        patience = (self._drain_until or now) + self.config.grace_s
        stuck = self._trouble_since is not None and all(run.outcome is not None for run in running)
        return EXIT_OK if stuck and (self.stop.at_once or now > patience) else None

    def _verdict_of_trouble(self, now: float) -> int | None:
        if self._trouble_since is None or not self.config.ends_by_itself:
            return None
        return EXIT_GAVE_UP if now - self._trouble_since > TROUBLE_PATIENCE_S else None

    def _is_over(self, standings: dict[str, Standing]) -> bool:
        if self.config.no_wait:
            return True
        if not self.config.ends_by_itself or (self.config.instance and not standings):
            return False
        return all(standing.state != "active" for standing in standings.values())

    def state(self) -> WorkerState:
        """What the board may tell people about this worker; may be asked from another thread."""
        owner = self.lock.owner if self.lock is not None else None
        return WorkerState(
            pid=owner.pid if owner else 0,
            host=owner.host if owner else "",
            since=self.report.since,
            jobs=str(self.config.jobs),
            slots=self.config.slots,
            code_version=self._workshop.code.last,
            instance=self.config.instance,
            trouble=self.trouble or self._room.shortage,
            running=tuple(
                RunningScript(a.instance, a.task, a.element, a.number, run.prepared.script, run.since)
                for run in tuple(self.running.runs)
                for a in (run.attempt,)
            ),
        )

    # one turn

    def turn(self, now: float) -> bool:
        """Do what there is to do now (monotonic seconds), without waiting; whether to go again at once."""
        again = False
        try:
            self._heed_stop(now)
            self._look_for_room()
            if not self.stop.draining and now >= self._trouble_until:
                self._take_in_messages(now)
            self.running.heed_moves(self.served.look(), now)
            if not self.stop.draining:
                again = self._meet(now)
            self.running.collect(now, short=bool(self._room.shortage), stopping=self.stop.draining)
            if now >= self._trouble_until:
                if not self.stop.lost:
                    again |= self.running.write(now, start=self._may_start) and self.running.unwritten
                self._note_well()
        except LockLost:
            self.stop.lose()
            again = True
        except (LogError, OSError) as error:
            self._note_trouble(reason(error), str(error), now)
        except Exception as error:  # what runs is looked after all the same, and tried again
            self._note_fault(error, now)
        if self.stop.lost:
            self.running.forget_ended()
        return again

    def _heed_stop(self, now: float) -> None:
        if not self.stop.draining:
            return
        if self._drain_until is None:
            self._drain_until = now + self.config.drain_s
            self.report.stopping(len(self.running.runs), self.config.drain_s, lost=self.stop.lost)
        if self.stop.at_once or now >= self._drain_until:
            self.running.stop(now, at_once=self.stop.at_once)

    @property
    def _may_start(self) -> bool:
        return not self.stop.draining and not self._room.shortage

    def _look_for_room(self) -> None:
        before = self._room.shortage
        if self._room.look() != before:
            self.report.room(self._room.shortage)

    def _take_in_messages(self, now: float) -> None:
        if self._inbox is not None and (self._wakeups.inbox or now >= self._inbox_at):
            self._wakeups.inbox = False
            self._inbox_at = now + self.config.tick_s
            self.report.messages(self._inbox.take_in(self._check_lock))

    def _meet(self, now: float) -> bool:
        """Fold one instance not seen yet, and put right what a worker that is gone left running in it."""
        met = self.served.meet()
        mine = {run.attempt for run in self.running.runs}
        self._orphans += [attempt for attempt in self.served.lost if attempt not in mine]
        self.served.lost.clear()
        self._report_unusable()
        if self._orphans and now >= self._orphans_at:
            self._recover(now)
        return met

    def _report_unusable(self) -> None:
        for instance_id, problem in self.served.unusable.items():
            self.report.unusable(instance_id, problem)
        self.served.unusable.clear()

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
        self.running.barred = [Place(a.instance, a.row, "") for a in self._orphans]

    def _check_lock(self) -> None:
        if self.lock is not None:
            self.lock.check()

    def _note_fault(self, error: Exception, now: float) -> None:
        """Log a fault of ours in a turn, once and not each second; people see it on the page of the worker."""
        if repr(error) != self._fault:
            self._fault = repr(error)
            self._fault_words = note_fault(_logger, error, "A turn of the worker cannot be finished")
        self._note_trouble(self._fault_words, f"{self._fault_words}.", now)

    def _note_trouble(self, why: str, says: str, now: float) -> None:
        self._trouble_until = now + TROUBLE_PAUSE_S
        self._trouble_since = now if self._trouble_since is None else self._trouble_since
        if self.trouble != why:
            self.trouble = why
            self.report.trouble(says)

    def _note_well(self) -> None:
        if self._trouble_since is not None:
            if not self._fault:
                self.report.well()
            self.trouble, self._trouble_since, self._fault = "", None, ""
