"""What users met at branches, skipped steps and joins."""

from pathlib import Path

import pytest

from board.process.validation.problems import check
from tests.reported.playing import Case, table_of

PUBLISH = """
    task,role,depends_on,join
    qa,analyst,,
    fix,analyst,qa:false,
    pub,lead,"qa:true,fix",any
    """


def problems(text: str) -> list[tuple[str, str, str]]:
    return [(p.level, p.code, p.task) for p in check(table_of(text))]


def test_a_join_after_a_branch_opens_whichever_branch_was_taken() -> None:
    """Users met: whichever branch was taken, the common step after it was skipped."""
    case = Case(PUBLISH)
    case.finish("qa", "true")
    assert case.statuses() == {"qa": "true", "fix": "skipped", "pub": "open"}
    case = Case(PUBLISH)
    case.finish("qa", "false")
    assert case.statuses() == {"qa": "false", "fix": "open", "pub": "blocked"}
    case.finish("fix")
    assert case.statuses() == {"qa": "false", "fix": "done", "pub": "open"}


TWO_BRANCHES = """
    task,depends_on,join
    b1,,
    b2,,
    x,b1:go,
    y,b2,
    j,"x,y",any
    """


def test_a_join_is_not_decided_while_one_of_its_ways_is_still_going() -> None:
    """Users met: a join was skipped with its first skipped way, while the other was still going."""
    case = Case(TWO_BRANCHES)
    case.tell("b1", "other")
    assert case.statuses("x", "y", "j") == {"x": "skipped", "y": "blocked", "j": "blocked"}
    case.finish("b2")
    case.finish("y")
    assert case.status("j") == "open"


def test_a_join_of_which_every_way_was_skipped_is_skipped_and_the_outer_one_goes_on() -> None:
    """Users met: rule and behaviour differed when every way was skipped, and in nested branches."""
    case = Case("""
        task,depends_on,join
        outer,,
        inner,outer:yes,
        left,inner:l,
        right,inner:r,
        inner_join,"left,right",any
        end,"outer:no,inner_join",any
        """)
    case.finish("outer", "no")
    assert case.statuses() == {
        "outer": "no",
        "inner": "skipped",
        "left": "skipped",
        "right": "skipped",
        "inner_join": "skipped",
        "end": "open",
    }
    case.finish("end")
    assert case.instance.state == "complete"


TRUTH = [
    (states, join, shown)
    for states, *row in (
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in (Path(__file__).parents[2] / "docs" / "semantics.md").read_text().splitlines()
        if line.startswith(("| not yet", "| met", "| never"))
    )
    for join, shown in zip(("all", "any", "inclusive"), row, strict=True)
]


@pytest.mark.parametrize(("states", "join", "shown"), TRUTH)
def test_the_truth_table_of_the_semantics_is_what_happens(states: str, join: str, shown: str) -> None:
    """Users met: rule and behaviour differed when every way was skipped, and in nested branches."""
    case = Case(f"""
        task,depends_on,join
        a,,
        b,,
        no_a,a:x,
        no_b,b:x,
        j,"a:y,b:y",{join}
        """)
    for task, state in zip("ab", states.split(", "), strict=True):
        if state != "not yet":
            case.finish(task, {"met": "y", "never": "x"}[state])
    assert case.status("j") == shown


def test_the_semantics_have_the_whole_truth_table() -> None:
    assert len(TRUTH) == 18


@pytest.mark.parametrize("join", ["", "all", "any"])
def test_a_way_back_into_a_join_blocks_nothing(join: str) -> None:
    """Users met: a loop back into a join blocked the first pass for ever."""
    text = f"""
        task,depends_on,join
        start,,
        draft,"start,review:false",{join}
        review,draft,
        end,review:true,
        """
    assert [code for level, code, _ in problems(text) if level == "error"] == []
    case = Case(text)
    case.finish("start")
    for _ in range(3):
        case.finish("draft")
        case.finish("review", "false")
        assert case.statuses("draft", "review", "end") == {"draft": "open", "review": "false", "end": "skipped"}
    case.finish("draft")
    case.finish("review", "true")
    assert case.status("end") == "open"


XOR_IN_AND = """
    task,depends_on,join
    x,,
    y,,
    l1,x:l,
    r1,x:r,
    j,"l1,r1,y",{join}
    """


def test_a_join_of_all_over_branches_that_exclude_each_other_is_warned_about_before_it_is_saved() -> None:
    """Users met: a join of all waited for ever for the branch that was not taken."""
    warned = problems(XOR_IN_AND.format(join="all"))
    assert ("warning", "answers-exclude", "j") in warned
    assert problems(XOR_IN_AND.format(join="inclusive")) == []


def test_an_inclusive_join_counts_the_branch_that_was_not_taken_as_settled() -> None:
    """Users met: a join of all waited for ever for the branch that was not taken."""
    case = Case(XOR_IN_AND.format(join="inclusive"))
    case.finish("x", "l")
    case.finish("l1")
    assert case.statuses("r1", "j") == {"r1": "skipped", "j": "blocked"}
    case.finish("y")
    assert case.status("j") == "open"


def test_an_inclusive_join_waits_for_every_branch_that_was_activated_and_no_other() -> None:
    """Users met: an inclusive join went on after the first of two branches."""
    text = """
        task,depends_on,join
        a,,
        b,,
        c,,
        a1,a:yes,
        b1,b:yes,
        c1,c:yes,
        no,"a:no,b:no,c:no",any
        j,"a1,b1,c1",inclusive
        """
    case = Case(text)
    case.finish("a", "yes")
    case.finish("b", "yes")
    case.finish("a1")
    assert case.status("j") == "blocked"  # c has not said whether its branch is wanted
    case.finish("c", "no")
    assert case.status("j") == "blocked"
    case.finish("b1")
    assert case.status("j") == "open"


APPROVALS = """
    task,role,depends_on,join
    a1,first,,
    a2,second,,
    a3,third,,
    rej,lead,"a1:no,a2:no,a3:no",any
    ok,lead,"a1:yes,a2:yes,a3:yes",all
    """


ROUNDS = """
    task,depends_on,join
    pick,last:again,
    load,"pick:long,check:again",
    check,load,
    ready,check:on,
    other,pick:short,
    sum,"ready,other",inclusive
    last,sum,
    """


def test_an_inclusive_join_counts_earlier_rounds_and_waits_while_an_inner_loop_goes_round() -> None:
    case = Case(ROUNDS)
    for task, answer in (("pick", "short"), ("other", "done"), ("sum", "done"), ("last", "again")):
        case.finish(task, answer)
    for task, answer in (("pick", "long"), ("load", "done"), ("check", "again")):
        case.finish(task, answer)
    assert case.statuses("load", "other", "ready", "sum") == {
        "load": "open", "other": "done", "ready": "skipped", "sum": "blocked",
    }  # fmt: skip
    for task, answer in (("load", "done"), ("check", "on"), ("ready", "done")):
        case.finish(task, answer)
    assert case.status("sum") == "open"


def test_one_rejection_decides_at_once_and_the_other_way_is_seen_to_be_impossible() -> None:
    """Users met: one of three rejected, and the instance still waited for the others."""
    case = Case(APPROVALS)
    case.finish("a2", "no")
    assert case.statuses() == {"a1": "open", "a2": "no", "a3": "open", "rej": "open", "ok": "skipped"}


def test_approvals_in_a_group_of_which_one_rejection_is_enough_are_no_longer_needed() -> None:
    """Users met: one of three rejected, and the instance still waited for the others."""
    case = Case(
        """
        task,role,depends_on,collection,parent,complete_when
        each,,,approver,,any
        approve,analyst,,,each,
        rej,lead,approve:no,,,
        """,
        ["x", "y", "z"],
    )
    case.finish("approve", "no", "y")
    assert case.status("rej") == "open"
    assert {case.instance.element_of(row) for row in case.instance.left_over()} == {"x", "z"}
    case.finish("rej")
    assert case.instance.state == "complete"


def test_whatever_waits_only_for_what_was_skipped_is_skipped_in_turn_and_read_anew_when_the_answer_changes() -> None:
    case = Case("""
        task,depends_on
        qa,fix
        fix,qa:false
        pub,qa:true
        report,pub
        """)
    case.finish("qa", "false")
    assert case.statuses("pub", "report") == {"pub": "skipped", "report": "skipped"}
    case.finish("fix")
    assert case.statuses("qa", "pub", "report") == {"qa": "open", "pub": "blocked", "report": "blocked"}


def test_a_typo_in_a_dependency_is_an_error_and_opens_nothing() -> None:
    text = """
        task,depends_on
        review,
        publish,reviev
        """
    assert problems(text) == [("error", "dependency-unknown", "publish")]


ENOUGH_BUT_ROUND = """
    task,collection,complete_when,parent,depends_on,join
    each,unit,any,,,
    draw,,,each,x:again,
    x,,,each,draw,
    b,,,,,
    sum,,,,"x:ok,b",inclusive
    """


def test_a_join_held_by_an_element_that_is_no_longer_needed_is_stuck_until_somebody_finishes_it() -> None:
    case = Case(ENOUGH_BUT_ROUND, ["n", "m"])
    case.finish("b")
    for element, answer in (("n", "other"), ("m", "again")):
        case.finish("draw", element=element)
        case.tell("x", answer, element)
    assert case.status("draw", "m") == "open"
    assert case.instance.is_left_over(case.row("draw", "m"))
    assert case.instance.sentence() == "Stuck: sum waits for draw"
    case.finish("draw", element="m")
    case.tell("x", "other", "m")
    assert case.status("sum") == "open"
