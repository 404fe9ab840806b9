"""The worker's attempts as the log gets them: late finishes, retries, interruptions, what is owed."""

from datetime import UTC, datetime

import pytest

from board.log.event import Event
from board.log.memory import MemoryLog
from board.log.tail import Tail
from board.process.definition.table import ProcessTable
from board.process.engine.instance import Instance
from board.services import attempts, instances, tasks
from board.services.actor import anybody
from board.services.attempts import Attempt, Result
from board.services.tasks import Place

BOSS = anybody("boss")
ROWS = [
    {"task": "t", "name": "T", "role": "system", "script": "s.sh", "retry": "2", "retry_delay": "10"},
    {"task": "u", "name": "U", "role": "boss", "depends_on": "t"},
]


@pytest.fixture
def tail() -> Tail:
    found = Tail(MemoryLog())
    instances.start(found, BOSS, "P", "i", table=ProcessTable.from_rows(ROWS))
    return found


def instance_of(tail: Tail) -> Instance:
    found = tail.get("i")
    assert found is not None
    return found


def begin(tail: Tail) -> Attempt:
    with tail.acting() as acting:
        attempt = attempts.next_attempt(instance_of(tail), 0, "i/logs/t-1.log")
        assert attempts.begin(acting, attempt, "0067d2a2")
    return attempt


def finish(tail: Tail, attempt: Attempt, status: str = "done", error: str = "") -> attempts.Finished:
    with tail.acting() as acting:
        return attempts.finish(acting, attempt, Result(status, 0.25, error, {"rows": "3"} if status == "done" else {}))


def said(tail: Tail) -> list[tuple[str, str, str]]:
    entries = reversed(tail.history("i", task="t"))
    return [(e.event.field, e.event.value, e.event.actor) for e in entries]


def test_a_row_begins_once(tail: Tail) -> None:
    attempt = begin(tail)
    with tail.acting() as acting:
        assert attempts.begin(acting, attempt, "x") == []


def test_an_attempt_of_a_number_that_was_given_does_not_begin(tail: Tail) -> None:
    tail.log.append([Event("2026-11-29T10:00:00Z", "i", "t", "attempt", "7", "other")])
    with tail.acting() as acting:
        assert attempts.begin(acting, Attempt("i", 0, "t", "", 7), "x") == []
        assert attempts.begin(acting, Attempt("i", 0, "t", "", 8), "x") != []
        assert attempts.begin(acting, Attempt("nowhere", 0, "t", "", 1), "x") == []


@pytest.mark.parametrize("how", ["failed", "reopened", "finished", "cancelled", "by a message"])
def test_a_finish_that_comes_after_somebody_moved_the_row_changes_nothing(tail: Tail, how: str) -> None:
    attempt = begin(tail)
    if how == "failed":
        tasks.fail(tail, "i", Place("t"), BOSS, "too slow")
    elif how == "reopened":
        tasks.reopen(tail, "i", Place("t"), BOSS, "again")
    elif how == "cancelled":
        instances.cancel(tail, "i", BOSS, "wrong")
    else:
        value = "doing" if how == "by a message" else "done"
        tail.log.append([Event("2026-11-29T10:00:00Z", "i", "t", "status", value, "other")])
    before = instance_of(tail).status(0)
    assert finish(tail, attempt).status == ""
    assert [entry for entry in said(tail) if entry[0] == "late"] == [("late", "done", "worker")]
    assert instance_of(tail).status(0) == ("open" if how == "cancelled" else before)
    assert not [entry for entry in said(tail) if entry[0].startswith("output")]


def test_a_failure_is_tried_again_as_often_as_the_table_says(tail: Tail) -> None:
    waits = [finish(tail, begin(tail), "failed", "exit code 1").retry_in_s for _ in range(3)]
    assert waits == [10.0, 20.0, None]
    assert instance_of(tail).status(0) == "failed"
    assert [actor for field, value, actor in said(tail) if value == "open"] == [
        "worker (retry 1/2)",
        "worker (retry 2/2)",
    ]


def test_a_retry_by_somebody_counts_anew(tail: Tail) -> None:
    for _ in range(3):
        finish(tail, begin(tail), "failed")
    tasks.retry(tail, "i", Place("t"), BOSS)
    assert finish(tail, begin(tail), "failed").retry_in_s == 10.0
    assert instance_of(tail).attempts(0) == 4


def test_people_and_messages_that_touch_a_row_use_up_no_try(tail: Tail) -> None:
    for value in ("failed", "open", "failed", "open"):
        tail.log.append([Event("2026-11-29T10:00:00Z", "i", "t", "status", value, "ana")])
    assert finish(tail, begin(tail), "failed").retry_in_s == 10.0


def test_an_attempt_field_of_another_program_is_counted(tail: Tail) -> None:
    tail.log.append([Event("2026-11-29T10:00:00Z", "i", "t", "attempt", "9", "other")])
    assert begin(tail).number == 10


def test_the_delay_of_a_retry_is_read_from_the_log(tail: Tail) -> None:
    with tail.acting() as acting:
        attempt = attempts.next_attempt(instance_of(tail), 0)
        attempts.begin(acting, attempt, "x", now=lambda: "2026-11-29T10:00:00Z")
        attempts.finish(acting, attempt, Result("failed", 0.1), now=lambda: "2026-11-29T10:00:00Z")
    at = datetime(2026, 11, 29, 10, 0, 4, tzinfo=UTC)
    instance = instance_of(tail)
    assert attempts.retry_wait_s(instance, 0, at) == 6.0
    assert attempts.retry_wait_s(instance, 0, at.replace(hour=11)) == 0.0
    assert attempts.retry_wait_s(instance, 0, at.replace(day=28)) == 10.0  # the clock was set back
    tasks.fail(tail, "i", Place("t"), BOSS, "never mind")
    tasks.retry(tail, "i", Place("t"), BOSS)
    assert attempts.retry_wait_s(instance_of(tail), 0, at) == 0.0


def test_a_delay_doubles_up_to_an_hour() -> None:
    assert [attempts.delay_s(60.0, n) for n in (1, 2, 3, 10, 1000)] == [60.0, 120.0, 240.0, 3600.0, 3600.0]
    assert attempts.delay_s(0.0, 5) == 0.0


def test_a_refusal_takes_a_number_and_no_retry(tail: Tail) -> None:
    with tail.acting() as acting:
        attempt = attempts.next_attempt(instance_of(tail), 0, "i/logs/t-1.log")
        attempts.refuse(acting, attempt, "an absolute path")
        assert attempts.refuse(acting, attempt, "again") == []
    assert said(tail) == [
        ("attempt", "1", "worker"),
        ("log", "i/logs/t-1.log", "worker"),
        ("error", "an absolute path", "worker"),
        ("status", "failed", "worker"),
    ]
    tasks.retry(tail, "i", Place("t"), BOSS)
    assert begin(tail).number == 2


def test_a_stopped_attempt_spends_no_try_and_counts_as_no_interruption(tail: Tail) -> None:
    for _ in range(7):
        attempt = begin(tail)
        with tail.acting() as acting:
            assert attempts.stop(acting, attempt, 1.0)
    instance = instance_of(tail)
    assert (instance.interrupted(0), instance.failures(0), instance.status(0)) == (0, 0, "open")


def test_interruptions_count_only_in_a_row(tail: Tail) -> None:
    for _ in range(4):
        recover(tail, begin(tail))
    finish(tail, begin(tail), "failed")
    recover(tail, begin(tail))
    assert instance_of(tail).status(0) == "open"
    for _ in range(4):
        recover(tail, begin(tail))
    assert instance_of(tail).status(0) == "failed"


def recover(tail: Tail, attempt: Attempt) -> None:
    with tail.acting() as acting:
        assert attempts.recover(acting, attempt)
        assert attempts.recover(acting, attempt) == []


def test_what_is_owed_is_settled_once(tail: Tail) -> None:
    rows = [
        {"task": "draft", "name": "D", "role": "boss", "depends_on": "qa:false"},
        {"task": "qa", "name": "Q", "role": "boss", "depends_on": "draft"},
    ]
    instances.start(tail, BOSS, "P", "j", table=ProcessTable.from_rows(rows))
    now = "2026-11-29T10:00:00Z"
    tail.log.append([Event(now, "j", "draft", "status", "done", "a"), Event(now, "j", "qa", "status", "false", "b")])
    with tail.acting() as acting:
        settled = attempts.settle_owed(acting, "j")
        assert [(e.task, e.value, e.actor) for e in settled] == [("draft", "open", "b (re-arm)")]
        assert attempts.settle_owed(acting, "j") == []
