"""What a drawing says is never lost without a word: what is taken plays the same."""

import pytest

from board.process.bpmn import read, write
from board.process.bpmn.conversion.words import condition
from board.process.engine.dry_run import Move, play
from tests.process.bpmn.test_tokens import open_rows
from tests.process.bpmn.text import arrows, became, event, imported, node, tasks, waits

BEGIN, END = node("startEvent", "s"), node("endEvent", "e")
GATEWAYS = "".join(
    (
        node("parallelGateway", "fork"),
        node("exclusiveGateway", "large", name="Large amount?"),
        node("exclusiveGateway", "merge"),
        node("parallelGateway", "join"),
    )
)
CHOICE_BESIDE_WORK = """
    s -> check
    check -> fork
    fork -> pack
    fork -> large
    large -> quotes: yes
    large -> label: no
    quotes -> merge
    label -> merge
    merge -> join
    pack -> join
    join -> ship
    ship -> e
"""


def test_a_choice_on_one_way_of_a_parallel_split_cannot_be_skipped() -> None:
    people = tasks("check", "pack", "quotes", "label", "ship")
    table = imported(BEGIN + END + GATEWAYS + people, CHOICE_BESIDE_WORK).table
    assert waits(table)["pack"] == "check:yes, check:no [any]"  # `done` is no answer of the row that is asked
    for answer, way in (("yes", "quotes"), ("no", "label")):
        moves = [Move("check", "", answer), Move("pack", "", "done"), Move(way, "", "done")]
        seen = [open_rows(play(table, moves[:n]).instance, table) for n in range(1, 4)]
        assert seen == [{"pack", way}, {way}, {"ship"}]


def test_a_border_event_written_outside_the_sub_process_of_its_task_leads_on() -> None:
    inside = node("startEvent", "s2") + tasks("work") + node("endEvent", "e2") + arrows("s2 -> work\nwork -> e2", "g")
    border = event("boundaryEvent", "border", "message", attachedToRef="work", name="too late")
    nodes = BEGIN + END + node("subProcess", "sub", inside) + border + tasks("after", "normal")
    reading = imported(nodes, "s -> sub\nsub -> normal\nnormal -> e\nborder -> after\nafter -> e")
    assert waits(reading.table) == {"work": "", "normal": "work:done", "after": "work:too late"}
    assert became(reading)["border"] == "approximated"


def test_a_border_event_on_what_is_not_there_says_so() -> None:
    border = event("boundaryEvent", "border", "message", attachedToRef="ghost")
    reading = imported(BEGIN + END + tasks("a", "after") + border, "s -> a\na -> e\nborder -> after\nafter -> e")
    assert became(reading)["border"] == "dropped"
    assert any("`ghost`" in remark.message for remark in reading.remarks)


def test_what_no_flow_leads_to_is_left_out_with_all_that_only_it_leads_to() -> None:
    reading = imported(BEGIN + END + tasks("a", "b", "c"), "s -> a\na -> e\nb -> c\nc -> e")
    assert waits(reading.table) == {"a": ""}
    told = {remark.element_id: remark for remark in reading.remarks if remark.became == "dropped"}
    assert set(told) == {"b", "c"}
    assert not reading.whole
    assert "No flow leads to it" in told["b"].message


def test_a_circle_that_no_flow_leads_to_is_left_out() -> None:
    reading = imported(BEGIN + END + tasks("a", "b", "c"), "s -> a\na -> e\nb -> c\nc -> b")
    assert waits(reading.table) == {"a": ""}


def test_without_a_start_event_everything_that_nothing_leads_to_begins() -> None:
    assert waits(imported(tasks("a", "b"), "").table) == {"a": "", "b": ""}


def test_a_receive_task_that_begins_the_process_is_reached() -> None:
    begins = node("receiveTask", "order", name="order", instantiate="true")
    reading = imported(BEGIN + END + begins + tasks("a", "b"), "s -> a\na -> e\norder -> b\nb -> e")
    assert set(waits(reading.table)) >= {"a", "order", "b"}


def test_what_follows_a_border_event_on_nothing_does_not_open_at_the_start() -> None:
    border = event("boundaryEvent", "border", "message", attachedToRef="ghost")
    reading = imported(BEGIN + END + tasks("a", "after") + border, "s -> a\na -> e\nborder -> after\nafter -> e")
    assert waits(reading.table) == {"a": ""}


def test_a_condition_in_code_is_asked_in_words_and_told_of() -> None:
    code = "${approved == true &amp;&amp; amount &lt; 1000, x}"
    nodes = BEGIN + END + tasks("approve", "pay", "reject") + node("exclusiveGateway", "g", name="Right?", default="f4")
    reading = imported(nodes, f"s -> approve\napprove -> g\ng -> pay: ? {code}\ng -> reject\npay -> e\nreject -> e")
    assert waits(reading.table) == {"approve": "", "pay": "approve:pay", "reject": "approve:otherwise"}
    assert "pay, if: `${approved == true && amount < 1000, x}`" in reading.table.rows[0].description
    assert became(reading)["f3"] == "approximated"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("${approved}", "approved"),
        ("${!approved}", "not approved"),
        ("=not(approved)", "not approved"),
        ("${size == 'large'}", "size is large"),
        ('size = "very large"', "size is very large"),
        ("order.total == 5", "order.total is 5"),
        ("amount > 5", ""),
        ("a && b", ""),
        ("${check(x)}", ""),
        ("not (a == 1)", ""),
    ],
)
def test_simple_conditions_have_words(code: str, words: str) -> None:
    assert condition(code) == words


@pytest.mark.parametrize(
    ("drawn", "task"),
    [
        ("sid-83B90C46-0F17-4C5D-8D7A-1A2B3C4D5E6F", "check_the_goods"),
        ("Activity_0x1y2z3", "check_the_goods"),
        ("_93c466ab-b271-4376-a427-f4c353d55ce8", "check_the_goods"),
        ("_6-203", "check_the_goods"),
        ("review_2025", "review_2025"),
        ("Task_2", "Task_2"),
    ],
)
def test_an_id_that_a_tool_made_up_becomes_one_from_the_name(drawn: str, task: str) -> None:
    reading = imported(BEGIN + END + node("userTask", drawn, name="Check the goods!"), f"s -> {drawn}\n{drawn} -> e")
    assert [row.task for row in reading.table.rows] == [task]
    written = write(reading.table)
    assert f'id="{drawn}"'.encode() in written
    assert read(written).table == reading.table


def test_two_tasks_of_one_name_have_two_ids() -> None:
    people = node("userTask", "_6-1", name="Sign") + node("userTask", "_6-2", name="Sign") + node("userTask", "_6-3")
    table = imported(BEGIN + END + people, "s -> _6-1\n_6-1 -> _6-2\n_6-2 -> _6-3\n_6-3 -> e").table
    assert waits(table) == {"sign": "", "sign_2": "sign", "_6-3": "sign_2"}


@pytest.mark.parametrize("order", [("x", "y"), ("y", "x")])
def test_a_way_back_through_a_parallel_join_waits_for_all_of_it_in_every_round(order: tuple[str, str]) -> None:
    gateways = node("exclusiveGateway", "m") + node("exclusiveGateway", "g")
    gateways += node("parallelGateway", "fork") + node("parallelGateway", "join")
    flows = "s -> a\na -> m\nm -> t\nt -> chk\nchk -> g\ng -> fork: no\ng -> last: yes\nfork -> x\nfork -> y"
    flows += "\nx -> join\ny -> join\njoin -> m\nlast -> e"
    table = imported(BEGIN + END + gateways + tasks("a", "t", "chk", "x", "y", "last"), flows).table
    first, second = order
    once = [Move("t", "", "done"), Move("chk", "", "no"), Move(first, "", "done"), Move(second, "", "done")]
    moves = [Move("a", "", "done"), *once, *once]
    seen = [open_rows(play(table, moves[:n]).instance, table) for n in range(1, len(moves) + 1)]
    assert seen == [{"t"}, *[{"chk"}, {"x", "y"}, {second}, {"t"}] * 2]


def test_a_way_back_that_joins_answers_is_told_of() -> None:
    gateways = "".join(node("exclusiveGateway", each) for each in ("m", "g", "h"))
    gateways += node("parallelGateway", "fork") + node("parallelGateway", "join")
    flows = "s -> t\nt -> chk\nchk -> g\ng -> fork: no\ng -> last: yes\nfork -> x\nfork -> y"
    flows += "\nx -> h\nh -> join: ok\nh -> z: stop\nz -> e\ny -> join\njoin -> m\nm -> t\nlast -> e"
    reading = imported(BEGIN + END + gateways + tasks("t", "chk", "x", "y", "z", "last"), flows)
    assert became(reading)["t"] == "approximated"
    assert any("after the first of them" in remark.message for remark in reading.remarks)


def test_a_join_waits_for_a_branch_that_goes_round_again() -> None:
    gateways = "".join(node("exclusiveGateway", each) for each in ("g", "merge", "again"))
    gateways += node("exclusiveGateway", "q", name="All offers?")
    gateways += node("parallelGateway", "fork") + node("parallelGateway", "join")
    flows = "s -> fork\nfork -> pack\npack -> join\nfork -> pick\npick -> g\ng -> label: no\nlabel -> merge"
    flows += "\ng -> again: yes\nagain -> get\nget -> q\nq -> again: no\nq -> choose: yes\nchoose -> merge"
    flows += "\nmerge -> join\njoin -> ship\nship -> e"
    people = tasks("pack", "pick", "label", "get", "choose", "ship")
    table = imported(BEGIN + END + gateways + people, flows).table
    moves = [Move("pack", "", "done"), Move("pick", "", "yes"), Move("get", "", "done"), Move("q", "", "no")]
    moves += [Move("get", "", "done"), Move("q", "", "yes"), Move("choose", "", "done")]
    seen = [open_rows(play(table, moves[:n]).instance, table) for n in range(1, len(moves) + 1)]
    assert seen == [{"pick"}, {"get"}, {"q"}, {"get"}, {"q"}, {"choose"}, {"ship"}]
