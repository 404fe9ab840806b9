"""What users met when work was sent back."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User

from board.log.tail import shared
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.process.validation.problems import check
from board.selectors.instance.board import totals
from board.selectors.instance.row import attempts, rounds
from board.selectors.instance.rows import Sheet
from board.services import tasks
from board.services.tasks import Place
from tests.reported.playing import OLGA, Case, table_of
from tests.views.conftest import Login

ROUNDS = """
    task,role,depends_on,script
    draft,analyst,review:false,
    check,system,draft,check.sh
    review,lead,check,
    publish,lead,review:true,
    """


def three_rounds() -> Case:
    case = Case(ROUNDS)
    for number, answer in enumerate(("false", "false", "true"), start=1):
        case.finish("draft", who="ana", note=f"draft {number}")
        case.runs("check")
        case.finish("review", answer, who="mira", note=f"round {number}")
    return case


def test_after_three_rounds_every_finish_comment_and_signer_is_there_and_labelled() -> None:
    """Users met: sending back made earlier rounds vanish."""
    case = three_rounds()
    events = [entry.event for entry in reversed(case.tail.history("i", task="review"))]
    shown = rounds(case.instance, events)
    assert [r.number for r in shown] == [3, 2, 1]
    said = [(e.actor, e.value) for e in events if e.field == "status" and e.value not in ("open", "doing")]
    assert said == [("mira", "false"), ("mira", "false"), ("mira", "true")]
    assert [e.value for e in events if e.field == "note"] == ["round 1", "round 2", "round 3"]
    assert case.status("publish") == "open"


def test_logs_and_attempts_of_earlier_rounds_are_kept_under_their_round() -> None:
    """Users met: sending back made earlier rounds vanish."""
    case = three_rounds()
    events = [entry.event for entry in reversed(case.tail.history("i", task="check"))]
    assert [(a.number, a.round, a.outcome) for a in attempts(events)] == [
        (3, 3, "done"),
        (2, 2, "done"),
        (1, 1, "done"),
    ]


def test_who_sent_back_and_why_is_what_the_author_finds() -> None:
    case = Case(ROUNDS)
    case.finish("draft", who="ana")
    case.runs("check")
    case.finish("review", "false", who="mira", note="page 3 is missing")
    opened = case.events("draft")[-1]
    assert (opened.value, opened.actor) == ("open", "mira (re-arm)")
    assert case.instance.value(case.row("review"), "note") == "page 3 is missing"


SIBLINGS = """
    task,role,depends_on,script,collection,parent
    each,,,,unit,
    load,system,,load.sh,,each
    check,analyst,load,,,each
    total,analyst,each,,,
    beside,analyst,,,,
    """


def test_moving_one_failed_element_touches_neither_another_failed_one_nor_one_that_runs() -> None:
    """Users met: moving one element ran its unrelated siblings again."""
    case = Case(SIBLINGS, ["a", "b", "c"])
    case.runs("load", "failed", "a")
    case.runs("load", "failed", "b")
    case.begin("load", "c")
    before = len(case.events())
    case.tell("load", "done", "a", actor="olga")
    assert case.statuses("load") == {"load@a": "done", "load@b": "failed", "load@c": "doing"}
    assert case.statuses("check") == {"check@a": "open", "check@b": "blocked", "check@c": "blocked"}
    assert len(case.events()) == before + 1


def finished_siblings() -> Case:
    case = Case(SIBLINGS, ["a", "b"])
    for element in ("a", "b"):
        case.runs("load", element=element)
        case.finish("check", element=element)
    case.finish("total")
    case.finish("beside")
    return case


def test_reopening_names_what_it_would_take_along_and_takes_exactly_that() -> None:
    """Users met: moving one element ran its unrelated siblings again."""
    case = finished_siblings()
    row = case.row("load", "a")
    named = [decide.title(case.instance, r) for r in decide.would_reopen(case.instance, row)]
    assert named == ["check · a", "total"]
    tasks.reopen(case.tail, "i", Place("load", "a"), OLGA, "the file was wrong", along=True)
    moved = {name for name, status in case.statuses().items() if status != "done"}
    assert moved == {"load@a", "check@a", "total"}


def test_reopening_alone_keeps_what_follows_and_marks_it() -> None:
    """Users met: moving one element ran its unrelated siblings again."""
    case = finished_siblings()
    tasks.reopen(case.tail, "i", Place("load", "a"), OLGA, "the file was wrong")
    assert {name for name, status in case.statuses().items() if status != "done"} == {"load@a"}
    stale = {case.instance.element_of(r) for r in range(case.instance.size) if case.instance.is_stale(r)}
    assert stale == {"a", ""}  # its own check, and the total over all; the other element is what it was
    assert not case.instance.is_stale(case.row("beside"))


def test_sending_back_asks_for_a_reason_and_is_no_way_around_the_role() -> None:
    case = finished_siblings()
    with pytest.raises(Refusal, match="asks for a note"):
        tasks.reopen(case.tail, "i", Place("total"), OLGA, " ")
    with pytest.raises(Refusal, match="does not hold"):
        tasks.reopen(case.tail, "i", Place("total"), Actor("sam", frozenset({"steward"})), "why not")


def test_a_reopened_task_can_be_finished_by_whoever_it_belongs_to_and_four_eyes_look_at_the_last_round() -> None:
    case = Case("""
        task,role,depends_on,not_by
        draft,analyst,,
        sign,analyst,draft,draft
        """)
    case.finish("draft", who="ana")
    with pytest.raises(Refusal, match="somebody else"):
        case.finish("sign", who="ana")
    tasks.reopen(case.tail, "i", Place("draft"), Actor("ben", frozenset({"analyst"})), "again please")
    case.finish("draft", who="ben")
    case.finish("sign", who="ana")
    assert case.instance.state == "complete"


def test_the_history_is_only_ever_added_to() -> None:
    case = finished_siblings()
    before = [(e.task, e.field, e.value) for e in case.tail.log.read().events]
    tasks.reopen(case.tail, "i", Place("load", "a"), OLGA, "the file was wrong", along=True)
    after = [(e.task, e.field, e.value) for e in case.tail.log.read().events]
    assert after[: len(before)] == before
    assert len(after) == len(before) + 4  # the note, and one event a row


CHECKED = """
    task,role,depends_on,script
    qa,system,"fix,sign:rejected",qa.py
    fix,analyst,qa:false,
    sign,lead,qa:true,
    out,system,sign:approved,out.sh
    """


def test_what_is_skipped_until_the_check_is_answered_again_says_so() -> None:
    case = Case(CHECKED)
    case.runs("qa", "false")
    assert case.statuses("sign", "out") == {"sign": "skipped", "out": "skipped"}
    assert [case.instance.asked_again(case.row(task)) for task in ("fix", "sign", "out")] == ["", "qa", "qa"]
    case.finish("fix")
    case.runs("qa", "true")
    assert case.statuses("fix", "sign") == {"fix": "done", "sign": "open"}
    case.finish("sign", "approved")
    case.runs("out")
    assert case.instance.state == "complete"


def test_a_branch_that_was_not_taken_is_not_promised_to_come() -> None:
    case = Case(CHECKED)
    case.runs("qa", "true")
    assert case.status("fix") == "skipped"
    assert case.instance.asked_again(case.row("fix")) == ""  # only if the lead rejects


def test_after_the_author_got_it_back_what_follows_is_only_skipped_for_now() -> None:
    case = Case(ROUNDS)
    case.finish("draft")
    case.runs("check")
    case.finish("review", "false")
    assert case.statuses("draft", "review", "publish") == {"draft": "open", "review": "false", "publish": "skipped"}
    assert case.instance.asked_again(case.row("publish")) == "review"


def test_who_signs_later_sees_it_coming_while_the_findings_are_put_right(
    cast: dict[str, User], store: Path, login: Login
) -> None:
    case = Case(CHECKED.replace("lead", "management"), tail=shared(store))
    case.runs("qa", "false")
    page = login("mira").get("/").text
    assert "Coming next" in page
    assert "waits for <bdi>qa</bdi>" in page
    assert "for now: qa will be answered again" in login("mira").get("/instances/i/").text


def test_the_bar_of_an_instance_is_not_full_while_its_end_is_only_put_off(cast: dict[str, User], store: Path) -> None:
    case = Case(CHECKED, tail=shared(store))
    case.runs("qa", "false")
    put_off = totals(Sheet(case.instance, ZoneInfo("UTC")))
    assert (put_off.done, put_off.open, put_off.total) == (1, 1, 4)
    case.finish("fix")
    case.runs("qa", "true")
    case.finish("sign", "approved")
    case.runs("out")
    whole = totals(Sheet(case.instance, ZoneInfo("UTC")))
    assert (whole.done, whole.total) == (4, 4)


TWO_STARTS = """
    task,depends_on
    s,
    draw,"s,check:no"
    write,"s,check:no"
    check,"draw,write"
    ship,check:yes
    """


def test_a_check_of_two_parallel_starts_waits_for_both_and_sends_both_back() -> None:
    case = Case(TWO_STARTS)
    case.finish("s")
    for _ in range(2):
        case.finish("draw")
        assert case.statuses("write", "check") == {"write": "open", "check": "blocked"}
        case.finish("write")
        case.finish("check", "no")
        assert case.statuses("draw", "write", "ship") == {"draw": "open", "write": "open", "ship": "skipped"}


TWO_FIXES = """
    task,role,depends_on,script
    qa,system,,qa.sh
    figures,analyst,qa:false,
    wording,analyst,qa:false,
    publish,lead,qa:true,
    """


def test_a_check_runs_again_when_the_last_of_its_two_fixes_is_done() -> None:
    case = Case(TWO_FIXES)
    case.runs("qa", "false")
    case.finish("figures")
    assert case.statuses("qa", "wording") == {"qa": "false", "wording": "open"}
    case.finish("wording")
    assert case.status("qa") == "open"


def test_a_cycle_that_only_the_order_of_the_rows_decides_is_warned_about() -> None:
    (warning,) = check(table_of(TWO_STARTS.replace('"s,check:no"', '"s,check:maybe"', 1)))
    assert (warning.code, warning.task) == ("cycle-by-order", "draw")
    assert "`check:maybe` of `draw`" in warning.message
