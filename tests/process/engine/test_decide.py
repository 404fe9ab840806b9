"""Decisions: who may do what to which row, and the sentence for whoever may not."""

from collections.abc import Callable

import pytest

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.process.engine.events import Draft
from board.process.engine.instance import Instance
from tests.process.engine.events import happened, written

ANA = Actor("ana", frozenset({"analyst"}))
BEN = Actor("ben", frozenset({"analyst"}))
MIRA = Actor("mira", frozenset({"management"}))
OLGA = Actor("olga", operator=True)
ED = Actor("ed", editor=True)
NOBODY = Actor("nobody")
ADMIN = Actor("admin", admin=True)
CAST = (ANA, BEN, MIRA, OLGA, ED, NOBODY, ADMIN)

TABLE = ProcessTable.from_rows(
    [
        {"task": "each", "collection": "unit"},
        {"task": "delivery", "role": "system", "parent": "each"},
        {"task": "review", "role": "analyst", "parent": "each", "depends_on": "delivery", "assignee": ""},
        {"task": "check", "role": "system", "script": "check.py", "depends_on": "each"},
        {"task": "approve", "role": "management", "depends_on": "check:true", "not_by": "review"},
        {"task": "fix", "role": "analyst", "depends_on": "check:false"},
        {"task": "talk", "role": ""},
    ]
)


def fresh() -> Instance:
    return Instance("2026Q1", TABLE, ElementList.from_ids(["north", "south"]))


def at(instance: Instance, task: str, element: str = "") -> int:
    row = instance.find(task, element)
    assert row is not None
    return row


def go(instance: Instance, drafts: list[Draft]) -> None:
    for draft in drafts:
        instance.apply(written(draft))


def code(wish: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as refused:
        wish()
    assert refused.value.message.endswith(".")
    return refused.value.code


def who_may(wish: str, instance: Instance, row: int) -> set[str]:
    return {who.name for who in CAST if decide.may(wish, instance, row, who)}


def ready() -> Instance:
    instance = fresh()
    for element in ("north", "south"):
        instance.apply(happened("delivery", "done", element, actor="external"))
    return instance


def test_only_holders_of_its_role_take_start_and_finish_a_task() -> None:
    instance = ready()
    row = at(instance, "review", "north")
    for wish in ("take", "start", "finish", "comment"):
        assert who_may(wish, instance, row) == {"ana", "ben", "admin"}


def test_a_task_without_role_is_for_whoever_holds_a_role_of_the_process() -> None:
    instance = fresh()
    assert who_may("finish", instance, at(instance, "talk")) == {"ana", "ben", "mira", "admin"}


def test_holders_and_operators_assign_and_reopen() -> None:
    instance = ready()
    row = at(instance, "review", "north")
    assert who_may("assign", instance, row) == {"ana", "ben", "admin", "olga"}
    go(instance, decide.finish(instance, row, ANA, "done"))
    assert who_may("reopen", instance, row) == {"ana", "ben", "admin", "olga"}


def test_only_operators_retry_and_fail_scripts_and_finish_receive_tasks() -> None:
    instance = fresh()
    delivery = at(instance, "delivery", "north")
    assert who_may("finish", instance, delivery) == {"olga", "admin"}
    assert code(lambda: decide.finish(instance, delivery, OLGA, "done")) == "note_needed"
    instance = ready()
    for element in ("north", "south"):
        go(instance, decide.finish(instance, at(instance, "review", element), ANA, "done"))
    check = at(instance, "check")
    assert who_may("fail", instance, check) == {"olga", "admin"}
    go(instance, decide.fail(instance, check, OLGA, "wrong data"))
    assert who_may("retry", instance, check) == {"olga", "admin"}
    assert code(lambda: decide.finish(instance, check, ADMIN, "true")) == "no_right"


def test_a_role_outside_of_the_assignee_is_refused() -> None:
    instance = ready()
    row = at(instance, "review", "north")
    assert code(lambda: decide.assign(instance, row, OLGA, "mira", holds_role=False)) == "no_right"


def test_another_persons_task_is_taken_over_before_it_is_finished_by_an_admin_too() -> None:
    instance = ready()
    row = at(instance, "review", "north")
    go(instance, decide.take(instance, row, BEN))
    assert code(lambda: decide.finish(instance, row, ANA, "done")) == "assigned"
    assert code(lambda: decide.finish(instance, row, ADMIN, "done")) == "assigned"
    go(instance, decide.take(instance, row, ANA))
    go(instance, decide.finish(instance, row, ANA, "done"))
    assert instance.status(row) == "done"


def test_whoever_was_slower_is_told_who_was_first_and_when() -> None:
    instance = ready()
    row = at(instance, "review", "north")
    go(instance, decide.finish(instance, row, ANA, "done"))
    with pytest.raises(Refusal, match=r"already “done”: ana was first, 2026-11-29T16:00:00Z"):
        decide.finish(instance, row, BEN, "done")


def test_four_eyes_are_by_account_and_for_admins_too() -> None:
    instance = ready()
    boss = Actor("ana", frozenset({"analyst", "management"}))
    for element in ("north", "south"):
        go(instance, decide.finish(instance, at(instance, "review", element), BEN, "done"))
    go(instance, decide.reopen(instance, at(instance, "review", "south"), BEN, "again"))
    go(instance, decide.take(instance, at(instance, "review", "south"), boss))
    go(instance, decide.finish(instance, at(instance, "review", "south"), boss, "done"))
    go(instance, decide.finishing(instance, at(instance, "check"), "true", "worker"))
    approve = at(instance, "approve")
    assert code(lambda: decide.finish(instance, approve, boss, "done")) == "four_eyes"
    assert code(lambda: decide.finish(instance, approve, Actor("ana", admin=True), "done")) == "four_eyes"
    go(instance, decide.finish(instance, approve, MIRA, "done"))


def test_a_blocked_task_says_what_it_waits_for() -> None:
    instance = fresh()
    with pytest.raises(Refusal, match=r"Review|review.*waits for delivery"):
        decide.finish(instance, at(instance, "review", "north"), ANA, "done")


def test_an_answer_nobody_offers_is_refused_and_a_rejecting_one_asks_for_a_note() -> None:
    table = ProcessTable.from_rows(
        [{"task": "ok", "role": "analyst"}, {"task": "b", "depends_on": "ok:yes"}, {"task": "c", "depends_on": "ok:no"}]
    )
    instance = Instance("i", table, None)
    assert code(lambda: decide.finish(instance, 0, ANA, "done")) == "answer"
    assert code(lambda: decide.finish(instance, 0, ANA, "no")) == "note_needed"
    drafts = decide.finish(instance, 0, ANA, "no", "figures are old")
    assert drafts == [Draft("ok", "note", "figures are old", "ana"), Draft("ok", "status", "no", "ana")]


def test_in_a_cancelled_instance_nothing_moves_until_it_is_resumed() -> None:
    instance = ready()
    row = at(instance, "review", "north")
    assert code(lambda: decide.cancel(instance, ANA, "no longer needed")) == "no_right"
    assert code(lambda: decide.cancel(instance, OLGA, " ")) == "note_needed"
    go(instance, decide.cancel(instance, OLGA, "no longer needed"))
    assert (instance.state, instance.sentence()) == ("cancelled", "Cancelled by olga: no longer needed")
    for wish in ("take", "start", "finish", "assign", "reopen"):
        assert who_may(wish, instance, row) == set()
    go(instance, decide.resume(instance, OLGA))
    assert instance.state == "active"


def test_a_task_of_several_roles_is_for_whoever_holds_one_of_them() -> None:
    table = ProcessTable.from_rows([{"task": "approve", "role": "management, analyst"}])
    instance = Instance("r1", table, ElementList.from_ids([]))
    row = at(instance, "approve")
    assert instance.flow.roles == {"management", "analyst"}
    for who in (ANA, MIRA):
        assert decide.may("finish", instance, row, who)
    sam = Actor("sam", frozenset({"steward"}))
    assert not decide.may("finish", instance, row, sam)
    with pytest.raises(Refusal, match="any of the roles management, analyst, which sam does not hold"):
        decide.finish(instance, row, sam, "done")
