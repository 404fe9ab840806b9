"""Tasks, lanes, sub-processes, events and pools: what a table can say is taken, the rest is told of by name and id."""

import pytest

from board.process.bpmn import Remark, Unreadable, read
from board.process.definition.table import Row
from board.process.validation.problems import check
from tests.process.bpmn.text import arrows, became, drawing, event, imported, node, tasks, waits

TIMER = "<timerEventDefinition><timeDuration>{}</timeDuration></timerEventDefinition>"


def row_of(nodes: str, task: str, flows: str = "", **more: str) -> Row:
    row = imported(nodes, flows, **more).table.row(task)
    assert row is not None
    return row


def remark_on(key: str, nodes: str, flows: str = "", **more: str) -> Remark:
    found = [r for r in imported(nodes, flows, **more).remarks if r.element_id == key and r.became != "taken"]
    assert len(found) == 1, found
    return found[0]


def lane(name: str, *inside: str, more: str = "") -> str:
    refs = "".join(f"<flowNodeRef>{each}</flowNodeRef>" for each in inside)
    return f'<lane id="l_{name}" name="{name}">{refs}{more}</lane>'


# who does it


def test_lanes_become_roles() -> None:
    lanes = f"<laneSet>{lane('Office', 'a')}{lane('Store', 'b')}</laneSet>"
    reading = imported(tasks("a", "b", "c"), "a -> b", lanes=lanes)
    assert [row.role for row in reading.table.rows] == ["Office", "Store", ""]


def test_the_innermost_lane_counts() -> None:
    inner = f"<childLaneSet>{lane('Clerk', 'a')}</childLaneSet>"
    lanes = f"<laneSet>{lane('Office', 'a', 'b', more=inner)}</laneSet>"
    assert {row.task: row.role for row in imported(tasks("a", "b"), lanes=lanes).table.rows} == {
        "a": "Clerk",
        "b": "Office",
    }


def test_a_lane_without_a_name_is_the_pool() -> None:
    pool = '<collaboration id="c"><participant id="pool" name="Guest" processRef="p"/></collaboration>'
    lanes = '<laneSet><lane id="l"><flowNodeRef>a</flowNodeRef></lane></laneSet>'
    assert row_of(tasks("a"), "a", around=pool, lanes=lanes).role == "Guest"


def test_what_is_in_a_sub_process_is_in_its_lane() -> None:
    lanes = f"<laneSet>{lane('Office', 's')}</laneSet>"
    assert row_of(node("subProcess", "s", tasks("a")), "a", lanes=lanes).role == "Office"


def test_a_performer_is_the_role_where_there_is_no_lane() -> None:
    performer = """<potentialOwner><resourceAssignmentExpression><formalExpression>group(management)</formalExpression>
        </resourceAssignmentExpression></potentialOwner>"""
    assert row_of(node("userTask", "a", performer), "a").role == "management"


def test_candidate_groups_and_assignees_of_engines_are_taken_unless_they_are_expressions() -> None:
    camunda = 'xmlns:camunda="http://camunda.org/schema/1.0/bpmn"'
    given = f'<userTask id="a" {camunda} camunda:candidateGroups="sales,it" camunda:assignee="ana"/>'
    row = row_of(given, "a")
    assert (row.role, row.assignee) == ("sales, it", "ana")
    computed = given.replace("sales,it", "${groups}").replace('"ana"', '"${boss}"')
    row = row_of(computed, "a")
    assert (row.role, row.assignee) == ("", "")
    assert "camunda:candidateGroups, camunda:assignee" in remark_on("a", computed).message


@pytest.mark.parametrize("kind", ["task", "userTask", "manualTask"])
def test_a_task_of_people_becomes_a_row_without_more(kind: str) -> None:
    reading = imported(tasks("a", kind=kind))
    assert reading.table.to_rows() == [{"task": "a", "name": "a"}]
    assert reading.whole


@pytest.mark.parametrize("kind", ["serviceTask", "businessRuleTask", "scriptTask"])
def test_tasks_of_machines_have_the_role_system_and_offer_a_script(kind: str) -> None:
    row = row_of(tasks("a", kind=kind), "a")
    assert (row.role, row.script) == ("system", "")
    assert "`script`" in remark_on("a", tasks("a", kind=kind)).offer


def test_a_receive_task_is_one() -> None:
    reading = imported(tasks("a", kind="receiveTask"))
    assert reading.table.rows[0].is_receive
    assert reading.whole


def test_a_send_task_is_done_by_people_and_told_of() -> None:
    remark = remark_on("a", tasks("a", kind="sendTask"))
    assert remark.became == "approximated"
    assert row_of(tasks("a", kind="sendTask"), "a").role == ""


@pytest.mark.parametrize("script", ["forecast.R", "sub/load.py", "mypkg::forecast", "mypkg.reports:forecast"])
def test_a_script_task_that_names_a_script_runs_it(script: str) -> None:
    given = node("scriptTask", "a", f"<script>{script}</script>")
    assert row_of(given, "a").script == script
    assert imported(given).whole


def test_code_in_a_script_task_is_not_taken_for_a_script() -> None:
    given = node("scriptTask", "a", "<script>x = 1; print(x)</script>")
    assert row_of(given, "a").script == ""
    assert "code" in remark_on("a", given).message


def test_documentation_and_texts_beside_a_task_are_its_description() -> None:
    nodes = node("task", "a", "<documentation>How to\ndo it</documentation>")
    nodes += '<textAnnotation id="n"><text>and mind the gap</text></textAnnotation>'
    nodes += '<textAnnotation id="m"><text>lonely</text></textAnnotation>'
    nodes += '<association id="x" sourceRef="a" targetRef="n"/>'
    assert row_of(nodes, "a").description == "How to\ndo it\n\nand mind the gap"
    assert "lonely" in remark_on("m", nodes).message


# ids and names


@pytest.mark.parametrize(
    ("given", "task"),
    [
        ("Task_1", "Task_1"),
        ("sid-8DF6B88C-36B5", "sid-8DF6B88C-36B5"),
        ("_35fe57a7", "_35fe57a7"),
        ("prüfen", "prüfen"),
        ("1st", "_1st"),
        ("a b/c", "a_b_c"),
        ("x" * 80, "x" * 63),
    ],
)
def test_ids_are_kept_where_a_table_can_have_them(given: str, task: str) -> None:
    assert imported(tasks(given)).table.rows[0].task == task


def test_ids_stay_unique() -> None:
    table = imported(tasks("a b", "a_b", "a/b", "y" * 70, "y" * 71)).table
    assert len({row.task for row in table.rows}) == 5
    assert [problem for problem in check(table) if problem.level == "error"] == []


def test_an_id_given_twice_is_two_rows() -> None:
    assert [row.task for row in imported(tasks("a", "a")).table.rows] == ["a", "a_2"]


def test_a_task_without_an_id_is_a_row() -> None:
    assert imported('<task name="Do it"/>').table.to_rows() == [{"task": "task", "name": "Do it"}]


def test_names_broken_to_fit_their_shapes_are_one_line() -> None:
    assert row_of('<task id="a" name="Check&#10;the  figures"/>', "a").name == "Check the figures"


# sub-processes


def test_a_plain_sub_process_gives_its_rows() -> None:
    inside = tasks("b", "c") + arrows("b -> c")
    nodes = tasks("a", "d") + node("subProcess", "s", inside.replace("f1", "g1"))
    reading = imported(nodes, "a -> s\ns -> d")
    assert waits(reading.table) == {"a": "", "b": "a", "c": "b", "d": "c"}
    assert reading.whole


def test_what_follows_a_sub_process_waits_for_all_that_is_taken_in_it() -> None:
    inside = tasks("b", "c") + node("parallelGateway", "g") + arrows("g -> b\ng -> c").replace('"f', '"g')
    nodes = tasks("a", "d") + node("subProcess", "s", inside)
    assert waits(imported(nodes, "a -> s\ns -> d").table)["d"] == "b, c [inclusive]"


def test_a_sub_process_with_several_instances_is_a_group() -> None:
    several = """<multiInstanceLoopCharacteristics isSequential="true"><inputDataItem name="country"/>
      <completionCondition>${nrOfCompletedInstances/nrOfInstances &gt;= 0.5}</completionCondition>
      </multiInstanceLoopCharacteristics>"""
    inside = several + tasks("b", "c") + arrows("b -> c").replace("f1", "g1")
    reading = imported(tasks("a", "d") + node("subProcess", "s", inside, name="Each"), "a -> s\ns -> d")
    assert reading.table.to_rows() == [
        {"task": "a", "name": "a"},
        {
            "task": "s",
            "name": "Each",
            "depends_on": "a",
            "collection": "country",
            "complete_when": "pct=50",
            "sequential": "yes",
        },
        {"task": "b", "name": "b", "parent": "s"},
        {"task": "c", "name": "c", "depends_on": "b", "parent": "s"},
        {"task": "d", "name": "d", "depends_on": "s"},
    ]
    assert reading.whole


def test_a_task_with_several_instances_is_a_group_of_one() -> None:
    nodes = tasks("a", "c") + node("task", "b", "<multiInstanceLoopCharacteristics/>", name="B")
    table = imported(nodes, "a -> b\nb -> c").table
    assert waits(table) == {"a": "", "each_b": "a", "b": "", "c": "each_b"}
    assert (table.rows[1].is_group, table.rows[2].parent) == (True, "each_b")


def test_a_number_of_instances_and_an_odd_completion_are_told_of() -> None:
    several = """<multiInstanceLoopCharacteristics><loopCardinality>5</loopCardinality>
      <completionCondition>${enough}</completionCondition></multiInstanceLoopCharacteristics>"""
    messages = [r.message for r in imported(node("task", "b", several)).remarks if r.became != "taken"]
    assert any("(5)" in message for message in messages)
    assert any("${enough}" in message for message in messages)


def test_a_group_in_a_group_keeps_its_parent() -> None:
    several = "<multiInstanceLoopCharacteristics/>"
    inner = node("subProcess", "t", several + tasks("b"))
    table = imported(node("subProcess", "s", several + inner)).table
    assert {row.task: row.parent for row in table.rows} == {"s": "", "t": "s", "b": "t"}


def test_a_choice_after_a_group_is_a_row_that_asks() -> None:
    nodes = node("subProcess", "s", "<multiInstanceLoopCharacteristics/>" + tasks("a")) + tasks("b", "c")
    found = waits(imported(nodes + node("exclusiveGateway", "g"), "s -> g\ng -> b: yes\ng -> c: no").table)
    assert (found["g"], found["b"]) == ("s", "g:yes")


def test_an_empty_sub_process_is_one_row() -> None:
    nodes = tasks("a") + node("subProcess", "s", name="Later")
    assert waits(imported(nodes, "a -> s").table) == {"a": "", "s": "a"}
    assert "not in the file" in remark_on("s", nodes).message


@pytest.mark.parametrize("kind", ["transaction", "adHocSubProcess"])
def test_other_sub_processes_give_their_rows_and_are_told_of(kind: str) -> None:
    nodes = node(kind, "s", tasks("b", "c")) + tasks("d")
    assert waits(imported(nodes, "s -> d").table)["d"].startswith("b, c")
    assert remark_on("s", nodes).became == "approximated"


def test_a_sub_process_begun_by_an_event_is_left_out_with_all_that_is_in_it() -> None:
    nodes = tasks("a") + node(
        "subProcess", "s", event("startEvent", "t", "timer") + tasks("b"), triggeredByEvent="true"
    )
    reading = imported(nodes)
    assert waits(reading.table) == {"a": ""}
    assert {key: what for key, what in became(reading).items() if what == "dropped"} == dict.fromkeys("stb", "dropped")


def test_a_call_activity_waits_for_a_message() -> None:
    nodes = tasks("a") + node("callActivity", "b", calledElement="Other")
    reading = imported(nodes, "a -> b")
    assert reading.table.rows[1].is_receive
    assert "`Other`" in remark_on("b", nodes, "a -> b").message


def test_a_called_global_task_is_that_task() -> None:
    nodes = node("callActivity", "b", calledElement="gt")
    reading = imported(nodes, around='<globalUserTask id="gt"/>')
    assert reading.whole
    assert reading.table.rows[0].role == ""


def test_a_loop_marker_is_told_of() -> None:
    nodes = node(
        "task",
        "a",
        "<standardLoopCharacteristics><loopCondition>not done</loopCondition></standardLoopCharacteristics>",
    )
    assert "not done" in remark_on("a", nodes).message


# events


@pytest.mark.parametrize("trigger", ["message", "timer", "signal", "conditional"])
def test_events_that_start_are_told_of(trigger: str) -> None:
    reading = imported(event("startEvent", "s", trigger) + tasks("a"), "s -> a")
    assert waits(reading.table) == {"a": ""}
    assert became(reading)["s"] == "approximated"


def test_several_start_events_are_a_question() -> None:
    nodes = event("startEvent", "s", name="by mail") + event("startEvent", "t", name="by phone") + tasks("a", "b", "c")
    nodes += node("exclusiveGateway", "j")
    found = waits(imported(nodes, "s -> a\nt -> b\na -> j\nb -> j\nj -> c").table)
    assert found == {"start": "", "a": "start:by mail", "b": "start:by phone", "c": "a, b [any]"}


@pytest.mark.parametrize("trigger", ["message", "signal", "terminate", "error"])
def test_events_that_end_with_something_are_told_of(trigger: str) -> None:
    reading = imported(tasks("a") + event("endEvent", "e", trigger), "a -> e")
    assert waits(reading.table) == {"a": ""}
    assert became(reading)["e"] == "approximated"


@pytest.mark.parametrize("trigger", ["message", "timer", "signal", "conditional"])
def test_events_to_wait_for_are_receive_tasks(trigger: str) -> None:
    reading = imported(tasks("a", "b") + event("intermediateCatchEvent", "m", trigger, name="M"), "a -> m\nm -> b")
    assert waits(reading.table) == {"a": "", "m": "a", "b": "m"}
    assert reading.table.rows[1].is_receive
    assert became(reading)["m"] == "approximated"


def test_a_message_thrown_is_a_row_of_a_person() -> None:
    reading = imported(tasks("a", "b") + event("intermediateThrowEvent", "m", "message"), "a -> m\nm -> b")
    assert waits(reading.table) == {"a": "", "m": "a", "b": "m"}
    assert reading.table.rows[1].role == ""


@pytest.mark.parametrize(("trigger", "what"), [("signal", "dropped"), ("escalation", "dropped"), ("", "approximated")])
def test_other_events_in_the_flow_are_passed(trigger: str, what: str) -> None:
    reading = imported(tasks("a", "b") + event("intermediateThrowEvent", "m", trigger), "a -> m\nm -> b")
    assert waits(reading.table) == {"a": "", "b": "a"}
    assert became(reading)["m"] == what


def test_links_are_followed() -> None:
    throws = node("intermediateThrowEvent", "m", '<linkEventDefinition name="L"/>')
    catches = node("intermediateCatchEvent", "n", '<linkEventDefinition name="L"/>')
    reading = imported(tasks("a", "b") + throws + catches, "a -> m\nn -> b")
    assert waits(reading.table) == {"a": "", "b": "a"}
    assert reading.whole


def test_an_interrupting_event_on_a_border_is_an_answer() -> None:
    nodes = tasks("a", "b", "c") + node("boundaryEvent", "t", TIMER.format("P7D"), name="too late", attachedToRef="a")
    reading = imported(nodes, "a -> b\nt -> c")
    assert waits(reading.table) == {"a": "", "b": "a:done", "c": "a:too late"}
    assert reading.table.rows[0].due == "1w"
    assert "`due`" in remark_on("t", nodes, "a -> b\nt -> c").offer


def test_a_timer_on_a_script_is_offered_as_its_timeout() -> None:
    nodes = node("scriptTask", "a", "<script>a.py</script>") + tasks("b", "c")
    nodes += node("boundaryEvent", "t", TIMER.format("PT2M"), attachedToRef="a")
    assert "`120` under `timeout`" in remark_on("t", nodes, "a -> b\nt -> c").offer


def test_an_error_on_the_border_of_a_script_is_its_failure() -> None:
    nodes = node("scriptTask", "a", "<script>a.py</script>") + tasks("b", "c")
    nodes += event("boundaryEvent", "x", "error", attachedToRef="a")
    assert waits(imported(nodes, "a -> b\nx -> c").table)["c"] == "a:failed"


def test_an_event_on_a_border_that_does_not_interrupt_goes_beside() -> None:
    nodes = tasks("a", "b", "c")
    nodes += event("boundaryEvent", "m", "message", name="asked", attachedToRef="a", cancelActivity="false")
    assert waits(imported(nodes, "a -> b\nm -> c").table) == {"a": "", "b": "a", "c": "a:asked"}


def test_the_plain_finish_can_be_given_where_only_the_border_event_is_followed() -> None:
    nodes = tasks("a", "c") + event("endEvent", "e", name="Over")
    nodes += event("boundaryEvent", "m", "message", name="asked", attachedToRef="a", cancelActivity="false")
    assert waits(imported(nodes, "a -> e\nm -> c").table) == {"a": "", "c": "a:asked", "e": "a:done"}


def test_an_event_on_a_border_beside_a_question() -> None:
    nodes = tasks("a", "b", "c", "d") + node("exclusiveGateway", "g")
    nodes += event("boundaryEvent", "m", "message", name="late", attachedToRef="a")
    found = waits(imported(nodes, "a -> g\ng -> b: yes\ng -> c: no\nm -> d").table)
    assert found == {"a": "", "b": "a:yes", "c": "a:no", "d": "a:late"}


def test_an_event_on_the_border_of_a_sub_process_is_asked_after_it() -> None:
    nodes = node("subProcess", "s", tasks("a"), name="S") + tasks("b", "c")
    nodes += event("boundaryEvent", "m", "message", name="stopped", attachedToRef="s")
    found = waits(imported(nodes, "s -> b\nm -> c").table)
    assert found == {"a": "", "s_outcome": "a", "b": "s_outcome:done", "c": "s_outcome:stopped"}


def test_an_error_raised_inside_goes_on_at_the_border() -> None:
    inside = tasks("a") + node("exclusiveGateway", "g") + event("endEvent", "ok") + event("endEvent", "bad", "error")
    inside += arrows("a -> g\ng -> ok: yes\ng -> bad: no").replace('"f', '"g')
    nodes = node("subProcess", "s", inside) + tasks("b", "c")
    nodes += event("boundaryEvent", "x", "error", attachedToRef="s")
    reading = imported(nodes, "s -> b\nx -> c")
    assert waits(reading.table) == {"a": "", "b": "a:yes", "c": "a:no"}
    assert reading.whole


def test_an_event_on_a_border_that_nothing_follows_is_told_of() -> None:
    nodes = tasks("a") + node("boundaryEvent", "t", TIMER.format("PT36H"), attachedToRef="a")
    assert row_of(nodes, "a").due == "36h"
    assert remark_on("t", nodes).became == "dropped"


def test_compensation_is_told_of() -> None:
    nodes = tasks("a") + node("task", "undo", isForCompensation="true")
    nodes += event("boundaryEvent", "x", "compensate", attachedToRef="a")
    reading = imported(nodes)
    assert waits(reading.table) == {"a": ""}
    assert (became(reading)["undo"], became(reading)["x"]) == ("dropped", "dropped")


@pytest.mark.parametrize("kind", ["dataObjectReference", "dataStoreReference", "group"])
def test_what_is_drawn_beside_the_flow_is_told_of(kind: str) -> None:
    assert remark_on("x", tasks("a") + node(kind, "x")).became == "dropped"


# pools


POOLS = (
    '<collaboration id="c"><participant id="one" name="Shop" processRef="p"/>'
    '<participant id="two" name="Customer" processRef="q"/><participant id="three" name="Bank"/>'
    '<messageFlow id="mf" name="order" sourceRef="b" targetRef="a"/></collaboration>'
    f'<process id="q" name="">{tasks("b", "c")}</process>'
)


def test_the_pool_with_most_to_do_is_read_and_the_others_are_told_of() -> None:
    reading = imported(tasks("a"), around=POOLS)
    assert waits(reading.table) == {"b": "", "c": ""}
    assert {"one", "three", "mf"} <= {r.element_id for r in reading.remarks if r.became == "dropped"}
    assert reading.name == "Customer"
    assert reading.pools == ("Customer", "P")


@pytest.mark.parametrize("pool", ["p", "P", "one", "Shop"])
def test_another_pool_can_be_chosen_by_id_or_name(pool: str) -> None:
    reading = read(drawing(tasks("a"), around=POOLS), pool=pool)
    assert waits(reading.table) == {"a": ""}
    assert reading.table.rows[0].role == "Shop"


def test_a_pool_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(Unreadable, match="“Customer”, “P”"):
        read(drawing(tasks("a"), around=POOLS), pool="Nobody")


def test_message_flows_name_their_ends() -> None:
    remark = next(r for r in imported(tasks("a"), around=POOLS).remarks if r.element_id == "mf")
    assert "from “b” to “a”" in remark.message
    assert remark.element_name == "order"


def test_each_element_is_told_of_by_name_and_id() -> None:
    nodes = event("startEvent", "s") + tasks("a", "b") + event("endEvent", "e")
    nodes += node("exclusiveGateway", "g", name="Well?")
    reading = imported(nodes, "s -> a\na -> g\ng -> b: yes\ng -> e: no")
    assert set(became(reading)) >= {"s", "a", "b", "g", "e"}
    remark = next(r for r in reading.remarks if r.element_id == "g")
    assert (remark.element_name, remark.element_type, remark.became) == ("Well?", "exclusiveGateway", "taken")
    assert str(remark).startswith("taken: exclusiveGateway Well? [g]: ")
