"""What users met when two people, two tabs or two clicks came at once."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from board.log.tail import Tail, shared
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.services import instances, tasks
from board.services.tasks import Place
from tests.reported.playing import OLGA, Case
from tests.views.conftest import Login

ANA = Actor("ana", frozenset({"analyst"}))
BEN = Actor("ben", frozenset({"analyst"}))
QA = """
    task,role,depends_on
    qa,analyst,fix
    fix,analyst,qa:false
    pub,lead,qa:true
    """
ROW = "/instances/i/tasks/qa/act/"


@pytest.fixture
def case(cast: dict[str, User], store: Path) -> Case:
    return Case(QA, tail=shared(store))


def told(tail: Tail) -> list[tuple[str, str, str]]:
    return [(e.task, e.value, e.actor) for e in tail.log.read().events if e.field == "status"]


def test_of_two_different_answers_the_first_counts_and_the_other_is_told(case: Case, login: Login) -> None:
    """Users met: two answers to one task ended in an error, or the second was taken in silence."""
    assert login("ana").post(ROW, {"do": "finish", "value": "true"}).status_code == 302
    late = login("ben").post(ROW, {"do": "finish", "value": "false", "note": "totals are off"})
    assert late.status_code == 409
    assert "already “true”: ana was first" in late.text
    assert "totals are off" in late.text  # what was typed is not lost
    assert told(case.tail) == [("qa", "true", "ana")]


def test_one_person_cannot_answer_twice_by_a_second_tab(case: Case, login: Login) -> None:
    """Users met: two answers to one task ended in an error, or the second was taken in silence."""
    ana = login("ana")
    ana.post(ROW, {"do": "finish", "value": "true"})
    assert ana.post(ROW, {"do": "finish", "value": "false", "note": "no, wait"}).status_code == 409
    assert told(case.tail) == [("qa", "true", "ana")]


@pytest.mark.parametrize("do", ["take", "start", "finish", "comment"])
def test_a_click_sent_twice_is_done_once(case: Case, login: Login, do: str) -> None:
    """Users met: a double click sent two requests, and the guard against it was misspelt."""
    ana = login("ana")
    form = {"do": do, "value": "false", "note": "totals are off"}
    assert ana.post(ROW, form).status_code == 302
    position = case.tail.refresh()
    assert ana.post(ROW, form).status_code == 302
    assert case.tail.refresh() == position


def test_a_fix_finished_twice_by_a_double_click_runs_the_check_again_once(case: Case, login: Login) -> None:
    """Users met: a double click sent two requests, and the guard against it was misspelt."""
    case.finish("qa", "false", who="ben")
    ana = login("ana")
    for _ in range(2):
        assert (
            ana.post("/instances/i/tasks/fix/act/", {"do": "finish", "value": "done", "note": "put right"}).status_code
            == 302
        )
    assert told(case.tail) == [("qa", "false", "ben"), ("fix", "done", "ana"), ("qa", "open", "ana (re-arm)")]


def test_a_form_from_before_the_task_went_another_round_is_judged_as_the_log_stands_now(case: Case) -> None:
    case.finish("qa", "false", who="ben")
    with pytest.raises(Refusal, match="ben was first"):
        tasks.finish(case.tail, "i", Place("qa"), ANA, "true")
    case.finish("fix", who="ben")
    tasks.finish(case.tail, "i", Place("qa"), ANA, "true")  # it is open again: a new round
    assert case.status("pub") == "open"


def test_who_takes_while_another_finishes_is_told_so() -> None:
    case = Case(QA)
    tasks.finish(case.tail, "i", Place("qa"), ANA, "true")
    with pytest.raises(Refusal, match="ana was first"):
        tasks.take(case.tail, "i", Place("qa"), BEN)


def test_of_two_who_take_the_last_one_has_it_and_both_are_in_the_log() -> None:
    case = Case(QA)
    tasks.take(case.tail, "i", Place("qa"), ANA)
    tasks.take(case.tail, "i", Place("qa"), BEN)
    with pytest.raises(Refusal, match="assigned to ben"):
        tasks.finish(case.tail, "i", Place("qa"), ANA, "true")
    assert [e.value for e in case.events("qa", "assignee")] == ["ana", "ben"]


def test_a_cancellation_between_opening_the_page_and_the_click_is_told() -> None:
    case = Case(QA)
    instances.cancel(case.tail, "i", OLGA, "not this quarter")
    with pytest.raises(Refusal, match="cancelled: an operator may resume it"):
        tasks.finish(case.tail, "i", Place("qa"), ANA, "true")


def test_two_who_start_the_same_id_get_one_instance_and_a_reason(case: Case, login: Login) -> None:
    with pytest.raises(Refusal, match="There is an instance “i” already"):
        Case(QA, tail=case.tail)


def test_no_template_names_a_guard_that_does_nothing() -> None:
    """Users met: a double click sent two requests, and the guard against it was misspelt."""
    templates = Path(__file__).parents[2] / "templates"
    for path in templates.rglob("*.html"):
        assert not re.search(r"hx-disable-elt|hx-disabled=", path.read_text()), path
