"""Whatever people, messages and scripts do to whatever process: the fold is that of the log, every page is shown."""

import contextlib
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from board.log.memory import MemoryLog
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.process.engine.instance import Instance
from board.selectors import current
from board.selectors.instance import row, snapshots
from board.selectors.instance.rows import Sheet
from board.selectors.summaries import digest
from board.selectors.work import cards
from board.services import attempts, instances, tasks
from board.services.actor import anybody
from board.services.tasks import Place
from board.services.write import write
from tests.process.tables import startable

BERLIN = ZoneInfo("Europe/Berlin")
PEOPLE = [Actor(name, admin=True) for name in ("ana", "ben", "olga")]
WISHES = (
    "finish",
    "finish",
    "finish",
    "reopen",
    "along",
    "take",
    "comment",
    "retry",
    "fail",
    "script",
    "message",
    "cancel",
)
ANSWERS = ("done", "true", "false", "failed")
STEP = st.tuples(st.sampled_from(WISHES), st.integers(0, 999), st.sampled_from(ANSWERS), st.sampled_from(PEOPLE))


def step(tail: Tail, instance: Instance, wish: str, number: int, value: str, who: Actor) -> None:
    """One thing somebody does, to a row that is there; a refusal changes nothing."""
    at = number % instance.size
    place = Place(instance.task_of(at), instance.element_of(at))
    match wish:
        case "finish":
            offered = instance.flow.answers(place.task)
            tasks.finish(tail, "i", place, who, offered[number % len(offered)], "because")
        case "reopen" | "along":
            tasks.reopen(tail, "i", place, who, "again", along=wish == "along")
        case "take":
            tasks.take(tail, "i", place, who)
        case "comment":
            tasks.comment(tail, "i", place, who, f"note {number}")
        case "retry":
            tasks.retry(tail, "i", place, who)
        case "fail":
            tasks.fail(tail, "i", place, who, "because")
        case "message":
            write(tail, "i", lambda i: decide.finishing(i, at, value, "platform"))
        case "cancel":
            instances.cancel(tail, "i", who, "because") if number % 7 == 0 else instances.resume(tail, "i", who)
        case "script":
            script(tail, value)


def script(tail: Tail, value: str) -> None:
    with tail.acting() as acting:
        instance = acting.instance("i")
        assert instance is not None
        ready = next((r for r in instance.ready_scripts() if attempts.may_begin(instance, r)), None)
        if ready is not None:
            attempt = attempts.next_attempt(instance, ready)
            assert attempts.begin(acting, attempt, "c0de")
            attempts.finish(acting, attempt, attempts.Result(value, 0.1))


def seen(instance: Instance) -> list[tuple[object, ...]]:
    """Everything the fold says of every row."""
    return [
        (instance.status(r), instance.waiting(r), instance.is_stale(r), instance.is_left_over(r), instance.attempts(r),
         instance.opened_at(r), instance.asked_again(r), instance.due(r, BERLIN))
        for r in range(instance.size)
    ]  # fmt: skip


@pytest.mark.django_db
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(startable(), st.lists(STEP, max_size=25))
def test_whatever_is_done_the_fold_is_that_of_the_log_and_every_page_is_shown(
    given: tuple[ProcessTable, ElementList], steps: list[tuple[str, int, str, Actor]]
) -> None:
    table, elements = given
    tail = Tail(MemoryLog())
    instances.start(tail, anybody("olga"), "P", "i", elements, table=table)
    instance = tail.get("i")
    assert instance is not None
    for each in steps if instance.size else ():
        before = tail.refresh()
        try:
            step(tail, instance, *each)
        except Refusal:
            assert tail.refresh() == before
        assert instance.owed() == []
    again = Tail(tail.log).get("i")
    assert again is not None
    assert seen(again) == seen(instance)
    assert (again.state, again.sentence()) == (instance.state, instance.sentence())
    assert digest(instance).state == instance.state
    for number in range(instance.size):
        row.gates(instance, number)
        assert cards.job(instance, number, PEOPLE[0]).status == instance.status(number)


@pytest.mark.django_db
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(startable(), st.lists(STEP, max_size=25), st.integers(1, 4))
def test_what_a_live_board_is_told_is_everything_that_looks_different(
    given: tuple[ProcessTable, ElementList], steps: list[tuple[str, int, str, Actor]], looks_every: int
) -> None:
    table, elements = given
    tail = Tail(MemoryLog())
    instances.start(tail, anybody("olga"), "P", "i", elements, table=table)
    now = snapshots.snapshot(tail, "i")
    assert now is not None
    instance, shown = now.instance, now
    for number, each in enumerate(steps if instance.size else ()):
        with contextlib.suppress(Refusal):
            step(tail, instance, *each)
        now = snapshots.snapshot(tail, "i")
        assert now is not None
        fresh = Sheet(instance, current.zone())
        assert now.sheet.views == fresh.views
        if number % looks_every:
            continue
        told = snapshots.changed_rows(tail, "i", shown.position, now)
        different = {r for r in range(instance.size) if shown.sheet.views[r] != fresh.views[r]}
        assert told is not None
        assert different <= told
        shown = now
