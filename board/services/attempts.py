"""What the worker appends: attempts begun, finished, refused, lost and stopped, and re-arming another program left out.

Each function is called inside `tail.acting()`, so it decides against the log as it then stands, and appends once. The
caller makes sure beforehand, under the same lock, that the store is still the worker's (`WorkerLock.check`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from board.log.event import Event, utcnow
from board.log.tail import Acting
from board.process.definition.times import read_time
from board.process.engine import decide
from board.process.engine.events import (
    REARM,
    RECOVERED,
    RETRY,
    STOPPED,
    WORKER,
    Draft,
    EventLike,
    account,
    on_behalf,
    read_author,
)
from board.process.engine.instance import Instance
from board.process.engine.status.status import UNFINISHED, is_finished
from board.services.write import Clock, events_of

MAX_INTERRUPTED = 5
MAX_ROUNDS = 100
MAX_DELAY_S = 3600.0
_STOPPED = on_behalf(WORKER, STOPPED)
_RECOVERED = on_behalf(WORKER, RECOVERED)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One start of a row: `number` from 1 on, `log` relative to the store."""

    instance: str
    row: int
    task: str
    element: str
    number: int
    log: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """How an attempt went: a status the script gave or earned, seconds taken, what it handed on."""

    status: str
    took_s: float
    error: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of a finish: the status now in the log, "" when it came too late; `retry_in_s` when tried again."""

    status: str
    retry_in_s: float | None = None


def next_attempt(instance: Instance, row: int, log: str = "") -> Attempt:
    """The attempt that would begin now."""
    number = instance.attempts(row) + 1
    return Attempt(instance.id, row, instance.task_of(row), instance.element_of(row), number, log)


def may_begin(instance: Instance, row: int) -> bool:
    """Whether a row is a script's and ready."""
    return not instance.cancelled and instance.status(row) == "open" and instance.definition(row).is_script


def begin(acting: Acting, attempt: Attempt, code_version: str, *, now: Clock = utcnow) -> list[Event]:
    """Append that an attempt starts; [] when the row is not ready any more, or the number was given meanwhile."""
    instance = acting.instance(attempt.instance)
    if instance is None or not may_begin(instance, attempt.row) or attempt.number <= instance.attempts(attempt.row):
        return []
    fields = {"status": "doing", "attempt": str(attempt.number), "code_version": code_version, "log": attempt.log}
    return acting.append(events_of(attempt.instance, [_draft(attempt, *item) for item in fields.items()], now()))


def refuse(acting: Acting, attempt: Attempt, reason: str, *, now: Clock = utcnow) -> list[Event]:
    """Append that a row may not run and so has failed: no try is left for what would be refused again."""
    instance = acting.instance(attempt.instance)
    if instance is None or not may_begin(instance, attempt.row):
        return []
    fields = {"attempt": str(attempt.number), "log": attempt.log, "error": reason}
    drafts = [_draft(attempt, name, value) for name, value in fields.items()]
    drafts += decide.finishing(instance, attempt.row, "failed", WORKER, attempt=attempt.number)
    return acting.append(events_of(attempt.instance, drafts, now()))


def finish(acting: Acting, attempt: Attempt, result: Result, *, now: Clock = utcnow) -> Finished:
    """Append how an attempt went, with its consequences; when the row was moved meanwhile, only as `late`.

    Semantics, section 3.3.
    """
    instance = acting.instance(attempt.instance)
    if instance is None:
        return Finished("")
    result = _checked(result)
    if not is_wanted(instance, attempt):
        late = [_draft(attempt, "late", result.status)]
        if is_current(instance, attempt):  # cancelled as a whole: whoever resumes it finds the row ready, not running
            late.append(_draft(attempt, "status", "open", _STOPPED))
        acting.append(events_of(attempt.instance, late, now()))
        return Finished("")
    drafts = [_draft(attempt, "took", f"{result.took_s:.1f}s")]
    drafts += [_draft(attempt, f"output.{key}", value) for key, value in result.outputs.items()]
    drafts += [_draft(attempt, "error", result.error)] if result.error else []
    definition = instance.definition(attempt.row)
    tried = instance.failures(attempt.row) + 1
    if result.status == "failed" and tried <= definition.retries:
        again = on_behalf(WORKER, RETRY, f"{tried}/{definition.retries}")
        drafts += [_draft(attempt, "status", "failed"), _draft(attempt, "status", "open", again)]
        acting.append(events_of(attempt.instance, drafts, now()))
        return Finished("open", delay_s(definition.retry_delay_s, tried))
    drafts += decide.finishing(instance, attempt.row, result.status, WORKER, attempt=attempt.number)
    acting.append(events_of(attempt.instance, drafts, now()))
    return Finished(result.status)


def stop(acting: Acting, attempt: Attempt, took_s: float, *, now: Clock = utcnow) -> list[Event]:
    """Append that the worker was stopped and took its script with it: the row is open again, no try is spent."""
    instance = acting.instance(attempt.instance)
    if instance is None or not is_current(instance, attempt):
        return []
    drafts = [_draft(attempt, "took", f"{took_s:.1f}s"), _draft(attempt, "status", "open", _STOPPED)]
    return acting.append(events_of(attempt.instance, drafts, now()))


def lost(instance: Instance) -> list[Attempt]:
    """The attempts the log says are running; those of no living worker are lost."""
    attempts = []
    for row in instance.doing_rows():
        event = instance.latest(row, "status")
        number = str(event.attempt) if event is not None else ""
        if not number.isdecimal():
            continue
        attempt = Attempt(instance.id, row, instance.task_of(row), instance.element_of(row), int(number))
        if is_current(instance, attempt):
            attempts.append(attempt)
    return attempts


def recover(acting: Acting, attempt: Attempt, *, now: Clock = utcnow) -> list[Event]:
    """Append that an attempt was lost with its worker; [] when that is in the log already.

    The caller has made sure that none of its processes lives. After 5 in a row the row fails.
    """
    instance = acting.instance(attempt.instance)
    if instance is None or not is_current(instance, attempt):
        return []
    times = instance.interrupted(attempt.row) + 1
    if times < MAX_INTERRUPTED:
        return acting.append(events_of(attempt.instance, [_draft(attempt, "status", "open", _RECOVERED)], now()))
    reason = f"interrupted {times} times in a row: the worker was gone before the script had ended"
    drafts = [_draft(attempt, "error", reason, _RECOVERED)]
    drafts += decide.finishing(instance, attempt.row, "failed", _RECOVERED, attempt=attempt.number)
    return acting.append(events_of(attempt.instance, drafts, now()))


def settle_owed(acting: Acting, instance_id: str, *, now: Clock = utcnow) -> list[Event]:
    """Append the re-arming that another program's finish left out."""
    instance = acting.instance(instance_id)
    owed = instance.owed() if instance is not None and not instance.cancelled else []
    return acting.append(events_of(instance_id, owed, now())) if owed else []


def is_current(instance: Instance, attempt: Attempt) -> bool:
    """Whether a row is still being done in this very attempt: nobody has moved it since, no cancellation either."""
    event = instance.latest(attempt.row, "status")
    return (
        event is not None
        and event.value == "doing"
        and event.actor == WORKER
        and str(event.attempt) == str(attempt.number)
    )


def is_wanted(instance: Instance, attempt: Attempt) -> bool:
    """Whether a running attempt may go on: its row was not moved and its instance not cancelled."""
    return not instance.cancelled and is_current(instance, attempt)


def too_many_rounds(instance: Instance, row: int) -> str:
    """Why a row in a loop of scripts may not begin yet another round; "" when it may (semantics, section 6.5)."""
    flow, t = instance.flow, instance.statuses.task[row]
    if flow.cycle_of(t) == len(flow.cycles):
        return ""
    # the check is to fail, not a script on the way to it, whose count is ahead
    limit = MAX_ROUNDS if flow.rearms[t] else MAX_ROUNDS + 2
    if instance.script_rounds(row) < limit:
        return ""
    return f"stopped after {MAX_ROUNDS} rounds of a loop in which nobody but scripts took part"


def is_own(status: EventLike) -> bool:
    """Whether the worker appended a status event."""
    return account(status.actor) == WORKER


def is_own_return(status: EventLike) -> bool:
    """Whether the worker put back what it had begun itself: a retry, a stop, an attempt lost."""
    return is_own(status) and read_author(status.actor).occasion != REARM


def is_retry(status: EventLike) -> bool:
    """Whether a status event put a row back to open to be tried again."""
    return read_author(status.actor)[:2] == (WORKER, RETRY)


def retry_wait_s(instance: Instance, row: int, now: datetime) -> float:
    """Seconds until a row that is to be tried again may begin, by the times in the log; 0 when it may at once."""
    event = instance.latest(row, "status")
    if event is None or not is_retry(event):
        return 0.0
    tried = read_author(event.actor).detail.partition("/")[0]
    wait_s = delay_s(instance.definition(row).retry_delay_s, int(tried) if tried.isdigit() else 1)
    since = read_time(event.ts)
    gone_s = (now - since).total_seconds() if since is not None else wait_s
    return min(wait_s, max(0.0, wait_s - gone_s))  # a clock that was set back adds nothing


def delay_s(first_s: float, tried: int) -> float:
    """Seconds before a retry: doubled each time, an hour at most."""
    return min(first_s * float(2 ** min(tried - 1, 30)), MAX_DELAY_S)


def _checked(result: Result) -> Result:
    """A status no script may give is a failure."""
    if is_finished(result.status) and result.status:
        return result
    answers = ", ".join(sorted(UNFINISHED))
    reason = f"the script answered {result.status!r}, which is no answer ({answers} never are)"
    return Result("failed", result.took_s, reason, result.outputs)


def _draft(attempt: Attempt, name: str, value: str, actor: str = WORKER) -> Draft:
    return Draft(attempt.task, name, value, actor, attempt.element, attempt.number)
