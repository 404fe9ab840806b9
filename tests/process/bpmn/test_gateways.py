"""Gateways dissolve into what rows wait for: the same order of work as drawn."""

import pytest

from board.process.bpmn import BpmnReading
from board.process.flow.flow import compile_flow
from board.process.validation.problems import check
from tests.process.bpmn.text import became, event, imported, node, tasks, waits

SPLIT, JOIN = "exclusiveGateway", "exclusiveGateway"


def gateways(kind: str, *ids: str, **names: str) -> str:
    return "".join(node(kind, each, name=names.get(each, "")) for each in ids)


def read_well(nodes: str, flows: str, **more: str) -> BpmnReading:
    """Import, and see that the table has no errors."""
    reading = imported(nodes, flows, **more)
    errors = [str(problem) for problem in check(reading.table) if problem.level == "error"]
    assert errors == []
    return reading


def test_a_sequence_becomes_rows_that_wait_for_one_another() -> None:
    nodes = event("startEvent", "s") + tasks("a", "b") + event("endEvent", "e")
    reading = read_well(nodes, "s -> a\na -> b\nb -> e")
    assert waits(reading.table) == {"a": "", "b": "a"}
    assert reading.whole
    assert set(became(reading)) == {"s", "a", "b", "e"}


def test_an_exclusive_split_asks_the_task_before_it() -> None:
    nodes = tasks("a", "b", "c") + gateways(SPLIT, "g", g="All right?")
    reading = read_well(nodes, "a -> g\ng -> b: yes\ng -> c: no")
    assert waits(reading.table) == {"a": "", "b": "a:yes", "c": "a:no"}
    row = reading.table.row("a")
    assert row is not None
    assert "All right?" in row.description
    assert reading.whole


def test_exclusive_branches_meet_at_any() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways(SPLIT, "g", "h")
    reading = read_well(nodes, "a -> g\ng -> b: yes\ng -> c: no\nb -> h\nc -> h\nh -> d")
    assert waits(reading.table)["d"] == "b, c [any]"
    assert reading.whole


def test_parallel_branches_meet_at_all() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways("parallelGateway", "g", "h")
    reading = read_well(nodes, "a -> g\ng -> b\ng -> c\nb -> h\nc -> h\nh -> d")
    assert waits(reading.table) == {"a": "", "b": "a", "c": "a", "d": "b, c"}
    assert reading.whole


def test_an_inclusive_join_waits_for_what_comes() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways("inclusiveGateway", "g", "h")
    flows = "a -> g\ng -> b: mail\ng -> c: letter\nb -> h\nc -> h\nh -> d"
    reading = read_well(nodes, flows)
    assert waits(reading.table) == {
        "a": "",
        "b": "a:mail, a:mail + letter [any]",
        "c": "a:letter, a:mail + letter [any]",
        "d": "b, c [inclusive]",
    }
    assert became(reading)["g"] == "approximated"


def test_many_inclusive_ways_are_asked_one_by_one() -> None:
    nodes = tasks("a", "w", "x", "y", "z") + gateways("inclusiveGateway", "g", g="Who?")
    reading = read_well(nodes, "a -> g\n" + "\n".join(f"g -> {way}: {way}" for way in "wxyz"))
    found = waits(reading.table)
    assert found["w"] == "g_1:yes"
    assert found["g_1"] == "a"
    assert found["g_none"] == "g_1:no, g_2:no, g_3:no, g_4:no [any]"


def test_a_flow_without_condition_beside_inclusive_ones_is_always_taken() -> None:
    nodes = tasks("a", "b", "c") + gateways("inclusiveGateway", "g")
    found = waits(read_well(nodes, "a -> g\ng -> b\ng -> c: also").table)
    assert (found["b"], found["c"]) == ("a", "a:also")


def test_inclusive_conditions_on_one_value_are_answers_that_exclude_each_other() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways("inclusiveGateway", "g")
    flows = 'a -> g\ng -> b: ? x = "1"\ng -> c: ? x = "1"\ng -> d: ? x = "2"'.replace('"', "'")
    found = waits(read_well(nodes, flows).table)
    assert found["b"] == found["c"]
    assert found["b"] != found["d"]


@pytest.mark.parametrize(
    ("said", "join"),
    [
        ("2 of 3", "n=2"),
        ("n=2", "n=2"),
        ("3", "n=3"),
        ("${activationCount >= 2}", "n=2"),
        ("when it is time", "inclusive"),
        ("", "inclusive"),
    ],
)
def test_a_complex_join_waits_for_as_many_as_it_says(said: str, join: str) -> None:
    condition = f"<activationCondition>{said.replace('>', '&gt;')}</activationCondition>"
    nodes = tasks("a", "b", "c", "d", "e") + node("parallelGateway", "g")
    nodes += node("complexGateway", "h", condition)
    flows = "a -> g\ng -> b\ng -> c\ng -> d\nb -> h\nc -> h\nd -> h\nh -> e"
    reading = read_well(nodes, flows)
    assert waits(reading.table)["e"] == f"b, c, d [{join}]"
    assert reading.whole == (join != "inclusive")


def test_a_default_flow_without_a_name_is_otherwise() -> None:
    nodes = tasks("a", "b", "c") + node(SPLIT, "g", default="f3")
    found = waits(read_well(nodes, "a -> g\ng -> b: big\ng -> c").table)
    assert found == {"a": "", "b": "a:big", "c": "a:otherwise"}


def test_a_default_flow_with_a_name_keeps_it() -> None:
    nodes = tasks("a", "b", "c") + node(SPLIT, "g", default="f3")
    assert waits(read_well(nodes, "a -> g\ng -> b: big\ng -> c: small").table)["c"] == "a:small"


def test_conditions_are_answers_where_there_are_no_names() -> None:
    nodes = tasks("a", "b", "c") + gateways(SPLIT, "g")
    found = waits(read_well(nodes, "a -> g\ng -> b: ? ${approved}\ng -> c: ? = not(approved)").table)
    assert found == {"a": "", "b": "a:approved", "c": "a:not approved"}


def test_flows_without_names_are_called_after_what_follows() -> None:
    nodes = tasks("a", "b", "c") + gateways(SPLIT, "g")
    reading = read_well(nodes, "a -> g\ng -> b\ng -> c")
    assert waits(reading.table) == {"a": "", "b": "a:b", "c": "a:c"}
    assert became(reading)["g"] == "approximated"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("yes, big", "yes; big"),
        ("open", "is open"),
        ("failed", "has failed"),
        ("a:b", "a:b"),
        ("two\nlines", "two lines"),
        ("done", "done"),
    ],
)
def test_names_become_answers_as_a_table_can_say_them(name: str, answer: str) -> None:
    nodes = tasks("a", "b", "c") + gateways(SPLIT, "g")
    flows = f"a -> g\ng -> b: {'X'}\ng -> c: no"
    reading = read_well(nodes, flows.replace("X", name.replace("\n", "&#10;")))
    assert reading.table.rows[1].dependencies[0].label == answer


def test_the_same_name_twice_is_two_answers() -> None:
    nodes = tasks("a", "b", "c") + gateways(SPLIT, "g")
    labels = {row.dependencies[0].label for row in read_well(nodes, "a -> g\ng -> b: Yes\ng -> c: yes").table.rows[1:]}
    assert labels == {"Yes", "c: yes"}


def test_a_second_question_is_a_row_of_its_own() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways(SPLIT, "g", "h", g="Right?", h="Large?")
    reading = read_well(nodes, "a -> g\ng -> h: yes\ng -> d: no\nh -> b: yes\nh -> c: no")
    assert waits(reading.table) == {"a": "", "h": "a:yes", "b": "h:yes", "c": "h:no", "d": "a:no"}
    row = reading.table.row("h")
    assert row is not None
    assert row.name == "Large?"


def test_a_chain_of_splits_without_names_is_one_question() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways(SPLIT, "g", "h")
    reading = read_well(nodes, "a -> g\ng -> h: yes\ng -> d: no\nh -> b: large\nh -> c: small")
    assert waits(reading.table) == {"a": "", "b": "a:large", "c": "a:small", "d": "a:no"}


def test_a_split_after_the_start_is_a_row_that_asks() -> None:
    nodes = event("startEvent", "s") + tasks("b", "c") + gateways(SPLIT, "g", g="Which?")
    reading = read_well(nodes, "s -> g\ng -> b: yes\ng -> c: no")
    assert waits(reading.table) == {"g": "", "b": "g:yes", "c": "g:no"}


def test_a_split_after_a_join_is_a_row_that_asks() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways("parallelGateway", "j") + gateways(SPLIT, "g", g="Which?")
    found = waits(read_well(nodes, "a -> j\nb -> j\nj -> g\ng -> c: yes\ng -> d: no").table)
    assert found == {"a": "", "b": "", "g": "a, b", "c": "g:yes", "d": "g:no"}


def test_a_gateway_that_joins_and_splits_at_once() -> None:
    nodes = tasks("a", "b", "c", "d", "e") + gateways(SPLIT, "g", "h")
    found = waits(read_well(nodes, "a -> g\ng -> b: 1\ng -> c: 2\nb -> h\nc -> h\nh -> d: x\nh -> e: y").table)
    assert found["h"] == "b, c [any]"
    assert (found["d"], found["e"]) == ("h:x", "h:y")


def test_conditions_on_the_flows_of_a_task_are_answers() -> None:
    reading = read_well(tasks("a", "b", "c"), "a -> b: yes ? ok\na -> c: no ? not ok")
    assert waits(reading.table) == {"a": "", "b": "a:yes", "c": "a:no"}
    assert became(reading)["a"] == "approximated"


def test_flows_of_a_task_without_conditions_are_all_taken() -> None:
    assert waits(read_well(tasks("a", "b", "c"), "a -> b\na -> c").table) == {"a": "", "b": "a", "c": "a"}


def test_flows_that_meet_at_a_task_after_a_choice_need_one() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways(SPLIT, "g")
    reading = read_well(nodes, "a -> g\ng -> b: 1\ng -> c: 2\nb -> d\nc -> d")
    assert waits(reading.table)["d"] == "b, c [any]"
    assert reading.whole


def test_flows_that_meet_at_a_task_side_by_side_are_told_of() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways("parallelGateway", "g")
    reading = read_well(nodes, "a -> g\ng -> b\ng -> c\nb -> d\nc -> d")
    assert waits(reading.table)["d"] == "b, c [inclusive]"
    assert became(reading)["d"] == "approximated"


def test_sending_back_through_an_exclusive_join() -> None:
    nodes = event("startEvent", "s") + tasks("draft", "review", "publish") + gateways(SPLIT, "j", "g")
    reading = read_well(nodes, "s -> j\nj -> draft\ndraft -> review\nreview -> g\ng -> j: no\ng -> publish: yes")
    assert waits(reading.table) == {"draft": "review:no", "review": "draft", "publish": "review:yes"}
    flow = compile_flow(reading.table)
    assert flow.loop_backs("draft") == ["review"]
    assert reading.whole


def test_a_loop_entered_beside_another_flow_begins_where_it_is_drawn() -> None:
    nodes = event("startEvent", "s") + tasks("draft", "review", "x") + gateways("parallelGateway", "p")
    nodes += gateways(SPLIT, "j", "k", "g")
    flows = "s -> p\np -> j\np -> x\nj -> draft\ndraft -> k\nx -> k\nk -> review\nreview -> g\ng -> j: no"
    reading = read_well(nodes, flows)
    flow = compile_flow(reading.table)
    assert flow.loop_backs("draft") == ["review"]
    assert flow.loop_backs("review") == []
    assert "start" in waits(reading.table)


def test_a_task_that_is_repeated_until_it_is_right_asks_beside_itself() -> None:
    nodes = tasks("a", "b") + gateways(SPLIT, "g", g="Right?")
    found = waits(read_well(nodes, "a -> g\ng -> a: no\ng -> b: yes").table)
    assert found == {"a": "g:no", "g": "a", "b": "g:yes"}


def test_a_flow_from_a_task_to_itself_is_put_aside() -> None:
    reading = read_well(tasks("a", "b"), "a -> a\na -> b")
    assert waits(reading.table) == {"a": "", "b": "a"}
    assert became(reading)["a"] == "approximated"


def test_a_circle_of_gateways_asks_somewhere() -> None:
    nodes = tasks("a", "b") + gateways(SPLIT, "j", "g", g="Again?")
    found = waits(read_well(nodes, "a -> j\nj -> g\ng -> j: yes\ng -> b: no").table)
    assert found == {"a": "", "g": "a", "b": "g:no", **{k: v for k, v in found.items() if k not in "agb"}}


def test_a_circle_of_parallel_gateways_is_cut() -> None:
    nodes = tasks("a", "b") + gateways("parallelGateway", "j", "g")
    reading = read_well(nodes, "a -> j\nj -> g\ng -> j\ng -> b")
    assert waits(reading.table) == {"a": "", "b": "a"}
    assert "dropped" in became(reading).values()


def test_an_exclusive_branch_in_a_parallel_one_that_never_merges() -> None:
    """Users met: a join of three flows, of which only two can come, waited for ever."""
    nodes = tasks("x", "l1", "r1", "y", "j") + gateways("parallelGateway", "p", "q") + gateways(SPLIT, "g")
    flows = "p -> x\np -> y\nx -> g\ng -> l1: l\ng -> r1: r\nl1 -> q\nr1 -> q\ny -> q\nq -> j"
    reading = read_well(nodes, flows)
    assert waits(reading.table)["j"] == "l1, r1, y [inclusive]"
    assert became(reading)["j"] == "approximated"


def test_a_choice_that_merges_before_a_parallel_join_is_exactly_said() -> None:
    nodes = tasks("x", "l1", "y", "j") + gateways("parallelGateway", "p", "q") + gateways(SPLIT, "g", "m")
    flows = "p -> x\np -> y\nx -> g\ng -> l1: l\ng -> m: r\nl1 -> m\nm -> q\ny -> q\nq -> j"
    reading = read_well(nodes, flows)
    assert waits(reading.table)["j"] == "x:r, l1, y [inclusive]"
    assert reading.whole


def test_joins_that_cannot_be_one_word_are_told_of() -> None:
    nodes = tasks("a", "b", "c", "d") + gateways("parallelGateway", "p") + gateways(SPLIT, "x")
    reading = read_well(nodes, "a -> x\nb -> x\nx -> p\nc -> p\np -> d")
    assert waits(reading.table)["d"] == "a, b, c [inclusive]"
    assert became(reading)["d"] == "approximated"


def test_an_answer_after_which_nothing_follows_can_still_be_given() -> None:
    nodes = tasks("a", "b") + gateways(SPLIT, "g") + event("endEvent", "e", name="Refused")
    reading = read_well(nodes, "a -> g\ng -> b: yes\ng -> e: no")
    assert waits(reading.table) == {"a": "", "b": "a:yes", "e": "a:no"}
    flow = compile_flow(reading.table)
    assert set(flow.answers("a")) == {"yes", "no"}
    row = reading.table.row("e")
    assert row is not None
    assert row.name == "Refused"


def test_an_answer_that_goes_straight_to_the_join_before_the_end_can_be_given() -> None:
    nodes = tasks("a", "b") + gateways(SPLIT, "g", "h") + event("endEvent", "e", name="Over")
    reading = read_well(nodes, "a -> g\ng -> b: yes\ng -> h: no\nb -> h\nh -> e")
    assert set(compile_flow(reading.table).answers("a")) == {"yes", "no"}
    assert waits(reading.table)["f3"] == "a:no"


def test_an_event_gateway_waits_for_what_comes_first() -> None:
    nodes = tasks("a", "b", "c") + node("eventBasedGateway", "g")
    nodes += event("intermediateCatchEvent", "m", "message", name="paid")
    week = "<timerEventDefinition><timeDuration>P7D</timeDuration></timerEventDefinition>"
    nodes += node("intermediateCatchEvent", "t", week, name="late")
    reading = read_well(nodes, "a -> g\ng -> m\ng -> t\nm -> b\nt -> c")
    assert waits(reading.table) == {"a": "", "g": "a", "b": "g:paid", "c": "g:late"}
    row = reading.table.row("g")
    assert row is not None
    assert (row.role, row.due, row.is_receive) == ("system", "1w", True)
    assert {became(reading)[each] for each in "gmt"} == {"approximated"}


def test_the_order_of_rows_is_the_order_of_the_flow() -> None:
    nodes = tasks("z", "y", "x", "w")
    assert [row.task for row in read_well(nodes, "w -> x\nx -> y\ny -> z").table.rows] == ["w", "x", "y", "z"]


def test_a_lattice_of_gateways_is_read_in_time() -> None:
    layers = 40
    nodes = tasks("a", "b", "c", "z")
    flows = ["a -> n0x", "b -> n0x", "b -> n0y", "c -> n0y"]
    for n in range(layers):
        kind = "parallelGateway" if n % 2 else "exclusiveGateway"
        nodes += gateways(kind, f"n{n}x", f"n{n}y")
        if n:
            flows += [f"n{n - 1}{p} -> n{n}{q}" for p in "xy" for q in "xy"]
    flows += [f"n{layers - 1}x -> z"]
    assert waits(imported(nodes, "\n".join(flows)).table)["z"]
