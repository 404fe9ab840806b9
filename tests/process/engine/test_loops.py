"""Re-arming, the next round, and staleness: what goes back to open, and on whose behalf."""

import pytest

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.events import Draft
from board.process.engine.instance import Instance
from tests.process.engine.events import happened, written

EVERYBODY = Actor("ana", admin=True)


def instance_of(*rows: str, elements: tuple[str, ...] = ()) -> Instance:
    """An instance of rows written as `task | depends_on | role | script | parent | collection`."""
    names = ("task", "depends_on", "role", "script", "parent", "collection")
    cells = [dict(zip(names, (c.strip() for c in row.split("|")), strict=False)) for row in rows]
    return Instance("i", ProcessTable.from_rows(cells), ElementList.from_ids(elements))


def finish(instance: Instance, task: str, value: str = "done", element: str = "", actor: str = "ana") -> list[Draft]:
    """Finish a row as the services do: the finish and its consequences; returns the consequences."""
    row = instance.find(task, element)
    assert row is not None
    drafts = decide.finishing(instance, row, value, actor)
    for draft in drafts:
        instance.apply(written(draft))
    assert instance.owed() == []
    return drafts[1:]


def statuses(instance: Instance) -> dict[str, str]:
    return {
        instance.task_of(r) + (f"@{e}" if (e := instance.element_of(r)) else ""): instance.status(r)
        for r in range(instance.size)
    }


@pytest.mark.parametrize(
    "rows",
    [
        ("qa | fix", "fix | qa:false", "end | qa:true"),
        ("qa | | system | qa.py", "fix | qa:false | analyst", "end | qa:true"),
    ],
    ids=["the check lists its fix", "the short form"],
)
def test_a_fix_runs_the_check_again_three_times(rows: tuple[str, ...]) -> None:
    instance = instance_of(*rows)
    for _ in range(3):
        finish(instance, "qa", "false", actor="worker")
        assert statuses(instance) == {"qa": "false", "fix": "open", "end": "skipped"}
        assert finish(instance, "fix") == [Draft("qa", "status", "open", "ana (re-arm)")]
        assert statuses(instance) == {"qa": "open", "fix": "done", "end": "blocked"}
    finish(instance, "qa", "true", actor="worker")
    assert statuses(instance) == {"qa": "true", "fix": "done", "end": "open"}


def test_a_draft_is_sent_back_to_its_author() -> None:
    instance = instance_of("draft | review:false", "review | draft", "end | review:true")
    finish(instance, "draft")
    assert finish(instance, "review", "false") == [Draft("draft", "status", "open", "ana (re-arm)")]
    # the draft finishing again opens the next round of the review
    assert finish(instance, "draft") == [Draft("review", "status", "open", "ana (re-arm)")]
    finish(instance, "review", "true")
    assert statuses(instance) == {"draft": "done", "review": "true", "end": "open"}


def test_a_failure_re_arms_nothing_that_did_not_ask_for_it() -> None:
    instance = instance_of("qa | fix", "fix | qa:false")
    finish(instance, "qa", "false")
    assert finish(instance, "fix", "failed") == []


def test_assigning_or_starting_a_fix_re_arms_nothing() -> None:
    instance = instance_of("qa | fix", "fix | qa:false")
    finish(instance, "qa", "false")
    instance.apply(happened("fix", "ben", field="assignee"))
    instance.apply(happened("fix", "doing"))
    assert statuses(instance)["qa"] == "false"
    assert instance.owed() == []


def test_tasks_on_the_way_back_go_to_the_next_round_and_others_stay() -> None:
    instance = instance_of("a | c:again", "b | a", "c | b", "end | c:ok", "beside | a")
    for task in ("a", "b", "beside"):
        finish(instance, task)
    finish(instance, "c", "again")
    assert [d.task for d in finish(instance, "a")] == ["b", "c"]
    assert statuses(instance)["beside"] == "done"


def test_a_single_fix_re_arms_every_finished_element() -> None:
    rows = ("each | | | | | unit", "m | fix | | | each", "q | m | | | each", "fix | q:false")
    instance = instance_of(*rows, elements=("x", "y", "z"))
    for element in ("x", "y"):
        finish(instance, "m", element=element)
        finish(instance, "q", "false", element)
    finish(instance, "m", element="z")
    finish(instance, "q", "false", "z")
    assert {(d.task, d.element) for d in finish(instance, "fix")} == {("m", "x"), ("m", "y"), ("m", "z")}


def test_a_repeated_fix_re_arms_a_single_check_once_all_have_finished() -> None:
    rows = ("qa | each", "each | qa:false | | | | unit", "m | | | | each", "end | qa:true")
    instance = instance_of(*rows, elements=("x", "y"))
    finish(instance, "qa", "false")
    assert finish(instance, "m", element="x") == []
    assert [d.task for d in finish(instance, "m", element="y")] == ["qa"]


def test_of_two_fixes_the_last_one_runs_the_check_again() -> None:
    for first, last in (("fix1", "fix2"), ("fix2", "fix1")):
        instance = instance_of("data", "qa | data, fix1, fix2", "fix1 | qa:false", "fix2 | qa:false", "end | qa:true")
        finish(instance, "data")
        for _ in range(2):
            finish(instance, "qa", "false")
            assert finish(instance, first) == []
            assert (statuses(instance)["qa"], statuses(instance)[last]) == ("false", "open")
            assert [d.task for d in finish(instance, last)] == ["qa"]


def test_two_fixes_in_the_short_form_are_one_team_too() -> None:
    instance = instance_of("qa | | system | qa.py", "fix1 | qa:false | analyst", "fix2 | qa:false | analyst")
    finish(instance, "qa", "false")
    assert finish(instance, "fix1") == []
    assert [d.task for d in finish(instance, "fix2")] == ["qa"]


def test_a_team_mate_that_the_finish_itself_skips_is_not_waited_for() -> None:
    instance = instance_of("qa | fix1, fix2", "fix1 | qa:false", "fix2 | qa:false, fix1:more", "end | qa:true")
    finish(instance, "qa", "false")
    assert statuses(instance)["fix2"] == "blocked"
    assert [d.task for d in finish(instance, "fix1", "enough")] == ["qa"]


def test_a_loop_back_with_a_label_sends_back_at_once() -> None:
    instance = instance_of("draft | legal:no, tax:no", "legal | draft", "tax | draft", "end | legal:yes, tax:yes")
    finish(instance, "draft")
    assert [d.task for d in finish(instance, "legal", "no")] == ["draft"]
    assert statuses(instance)["tax"] == "blocked"


def test_a_check_of_two_branches_sends_both_back() -> None:
    instance = instance_of("s", "a | s, chk:false", "b | s, chk:false", "chk | a, b", "end | chk:ok")
    finish(instance, "s")
    finish(instance, "a")
    assert statuses(instance)["chk"] == "blocked"
    finish(instance, "b")
    assert [d.task for d in finish(instance, "chk", "false")] == ["a", "b"]
    finish(instance, "a")
    assert statuses(instance)["chk"] == "blocked"


def test_what_another_program_left_out_is_owed_once() -> None:
    instance = instance_of("qa | fix", "fix | qa:false")
    finish(instance, "qa", "false")
    instance.apply(happened("fix", "done", actor="sap"))
    owed = instance.owed()
    assert owed == [Draft("qa", "status", "open", "sap (re-arm)")]
    instance.apply(written(owed[0]))
    assert instance.owed() == []
    assert instance.status(0) == "open"


def test_a_finished_task_is_stale_when_what_it_depends_on_moved_later() -> None:
    instance = instance_of("a", "b | a", "c | b")
    for task in ("a", "b", "c"):
        finish(instance, task)
    instance.apply(happened("a", "open"))
    assert [instance.is_stale(r) for r in range(3)] == [False, True, False]
    finish(instance, "a")
    assert instance.is_stale(1)
    finish(instance, "b")
    assert [instance.is_stale(r) for r in range(3)] == [False, False, True]


def test_tasks_of_one_cycle_do_not_make_each_other_stale() -> None:
    for rows in (("qa | fix", "fix | qa:false"), ("qa | | system | q.py", "fix | qa:false | analyst")):
        instance = instance_of(*rows)
        finish(instance, "qa", "false")
        finish(instance, "fix")
        finish(instance, "qa", "true")
        assert not instance.is_stale(0)
        assert not instance.is_stale(1)


def test_reopening_along_takes_everything_after_it_of_that_element() -> None:
    rows = ("each | | | | | unit", "m | | | | each", "q | m | | | each", "end | each", "beside")
    instance = instance_of(*rows, elements=("x", "y"))
    for element in ("x", "y"):
        finish(instance, "m", element=element)
        finish(instance, "q", element=element)
    finish(instance, "end")
    finish(instance, "beside")
    row = instance.find("m", "x")
    assert row is not None
    named = [(instance.task_of(r), instance.element_of(r)) for r in decide.would_reopen(instance, row)]
    assert named == [("q", "x"), ("end", "")]
    drafts = decide.reopen(instance, row, EVERYBODY, "wrong figures", along=True)
    assert [(d.task, d.field) for d in drafts] == [("m", "note"), ("m", "status"), ("q", "status"), ("end", "status")]


def test_answers_offered_are_those_asked_for_and_done_where_any_will_do() -> None:
    flow = instance_of("qa", "fix | qa:false", "end | qa:true", "log | qa", "load", "repair | load:failed").flow
    assert flow.answers("qa") == ("done", "false", "true")
    assert flow.answers("log") == ("done",)
    assert flow.answers("load") == ("done",)
    assert instance_of("qa", "fix | qa:false", "end | qa:true").flow.answers("qa") == ("false", "true")


def test_a_note_is_asked_for_what_rejects_re_arms_or_opens_a_fix() -> None:
    flow = instance_of("qa | fix", "fix | qa:repair", "end | qa:fine", "talk").flow
    assert flow.asks_note("qa", "repair")
    assert flow.asks_note("fix", "done")
    assert flow.asks_note("talk", "Rejected")
    assert not flow.asks_note("qa", "fine")
    assert not flow.asks_note("talk", "done")


def test_a_failure_that_is_tried_again_owes_nothing() -> None:
    instance = instance_of("qa | fix:failed", "fix | qa:false | system | fix.py")
    finish(instance, "qa", "false")
    instance.apply(happened("fix", "failed", actor="worker"))
    assert [d.task for d in instance.owed()] == ["qa"]
    instance.apply(happened("fix", "open", actor="worker (retry 1/2)"))
    assert instance.owed() == []
