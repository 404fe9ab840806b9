"""The incremental statuses: always those worked out from scratch; every valid table can be finished."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.instance import STATES, Instance, InstanceError, state_class
from board.process.engine.status.status import Statuses, Waiting, is_finished
from board.process.flow.flow import compile_flow
from tests.process.engine.events import happened, written
from tests.process.engine.oracle import Oracle, loop_backs
from tests.process.tables import rows, startable

VALUES = ("done", "true", "false", "failed", "approved", "doing", "open", "skipped", "")


@settings(max_examples=300)
@given(rows(), st.integers(0, 3), st.data())
def test_after_any_events_the_statuses_are_those_worked_out_from_scratch(
    cells: list[dict[str, str]], size: int, data: st.DataObject
) -> None:
    table = ProcessTable.from_rows(cells)
    instance = Instance("i", table, ElementList.from_ids([f"e{n}" for n in range(size)]))
    for _ in range(data.draw(st.integers(0, 12))):
        if not instance.size:
            break
        row = data.draw(st.integers(0, instance.size - 1))
        value = data.draw(st.sampled_from(VALUES))
        before = list(instance.statuses.shown)
        touched = instance.apply(happened(instance.task_of(row), value, instance.element_of(row)))
        after = instance.statuses.shown
        assert {r for r, (old, new) in enumerate(zip(before, after, strict=True)) if old != new} <= touched
    scratch = Statuses(instance.flow, instance.statuses.sizes)
    scratch.store_all(enumerate(instance.statuses.stored))
    assert scratch.shown == instance.statuses.shown
    stored = {
        (t, row - base): instance.stored(row)
        for t, base in enumerate(instance.statuses.base[:-1])
        for row in range(base, instance.statuses.base[t + 1])
        if instance.stored(row) != "open"
    }
    oracle = Oracle(instance.flow, list(instance.statuses.sizes), stored)
    assert [oracle.shown[row] for row in oracle.rows] == instance.statuses.shown
    for task in instance.flow.tasks:
        shown = [state_class(instance.status(r)) for r in instance.rows_of(task)]
        assert list(instance.counts(task)[2:]) == [shown.count(state) for state in STATES]
    ready = [r for r in range(instance.size) if instance.status(r) == "open" and instance.definition(r).is_script]
    assert sorted(instance.ready_scripts()) == [r for r in ready if not instance.is_left_over(r)]


@settings(max_examples=300)
@given(startable(), st.data())
def test_a_table_without_errors_always_ends_complete_when_every_open_task_is_finished_in_turn(
    started: tuple[ProcessTable, ElementList], data: st.DataObject
) -> None:
    instance = Instance("i", *started)
    for _ in range(instance.size + 1):
        row = next(instance.open_rows(), None)
        if row is None:
            break
        task = instance.task_of(row)
        answers = [*instance.flow.answers(task), "something else"]
        instance.apply(happened(task, data.draw(st.sampled_from(answers)), instance.element_of(row)))
    assert instance.state == "complete", instance.sentence()


@settings(max_examples=200)
@given(rows(), st.data())
def test_asking_what_a_finish_puts_back_to_open_changes_nothing(
    cells: list[dict[str, str]], data: st.DataObject
) -> None:
    instance = Instance("i", ProcessTable.from_rows(cells), ElementList.from_ids(["e0", "e1"]))
    for _ in range(data.draw(st.integers(1, 10))):
        row = data.draw(st.integers(0, instance.size - 1))
        value = data.draw(st.sampled_from(VALUES))
        before = (list(instance.statuses.stored), list(instance.statuses.shown))
        again = instance.consequences(row, value)
        assert (instance.statuses.stored, instance.statuses.shown) == before
        assert all(is_finished(instance.stored(each)) for each in again)
        instance.apply(happened(instance.task_of(row), value, instance.element_of(row)))
        for draft in instance.rearm_drafts(again, "ana"):
            instance.apply(written(draft))
        assert not again or not is_finished(value) or instance.owed() == []
    scratch = Statuses(instance.flow, instance.statuses.sizes)
    scratch.store_all(enumerate(instance.statuses.stored))
    assert scratch.shown == instance.statuses.shown


@settings(max_examples=200)
@given(rows(most=10))
def test_without_its_loop_backs_a_flow_has_no_cycle(cells: list[dict[str, str]]) -> None:
    flow = compile_flow(ProcessTable.from_rows(cells))
    place = {t: n for n, t in enumerate(flow.order)}
    for s, targets in enumerate(flow.forward):
        for t in targets:
            assert place[s] < place[t]
    todo = {t: {s for s, label in waits if not flow.is_loop_back(s, label, t)} for t, waits in enumerate(flow.lowered)}
    while ready := {t for t, sources in todo.items() if not sources & todo.keys()}:
        for t in ready:
            del todo[t]
    assert not todo


@settings(max_examples=300)
@given(rows(most=10))
def test_the_loop_backs_are_those_worked_out_head_by_head(cells: list[dict[str, str]]) -> None:
    flow = compile_flow(ProcessTable.from_rows(cells))
    ghosts = {group for group, each in flow.groups.items() if "ghost" in each.row.depends_on}
    waits_for_ghost = {
        t
        for t, row in enumerate(flow.rows)
        if "ghost" in row.depends_on or any(t in flow.groups[group].entries for group in ghosts)
    }
    assert flow.backward == loop_backs(flow, waits_for_ghost)


def test_an_event_of_one_element_touches_no_other_row_of_its_chain() -> None:
    table = ProcessTable.from_rows(
        [
            {"task": "each", "collection": "unit"},
            {"task": "a", "parent": "each"},
            {"task": "b", "parent": "each", "depends_on": "a"},
            {"task": "end", "depends_on": "each"},
        ]
    )
    instance = Instance("i", table, ElementList.from_ids([f"e{n}" for n in range(50)]))
    assert instance.apply(happened("a", "done", "e7")) == {instance.find("a", "e7"), instance.find("b", "e7")}


def joining() -> Instance:
    """Branches x and b join in c; the check x can send its branch round again."""
    rows = [
        {"task": "s"},
        {"task": "a", "name": "Draw", "depends_on": "s, x:again"},
        {"task": "x", "depends_on": "a"},
        {"task": "b", "depends_on": "s"},
        {"task": "c", "name": "Join", "depends_on": "x:ok, b", "join": "inclusive"},
    ]
    instance = Instance("i", ProcessTable.from_rows(rows), None)
    for task, value in (("s", "done"), ("a", "done"), ("b", "done"), ("x", "again"), ("a", "open")):
        instance.apply(happened(task, value))
    return instance


def test_an_inclusive_join_says_what_goes_round_again_and_refuses_to_be_finished() -> None:
    instance = joining()
    join = instance.find("c") or 0
    assert (instance.status(join), instance.waiting(join)) == ("blocked", None)
    assert instance.held_by(join) == Waiting("a", "", failed=False)
    with pytest.raises(decide.Refusal, match="Join waits for Draw"):
        decide.finish(instance, join, Actor("ana", admin=True), "done")
    assert instance.flow.index["c"] in instance.statuses.askers(instance.flow.index["a"])  # its words follow the loop
    instance.apply(happened("a", "doing"))
    assert instance.status(join) == "blocked"
    instance.apply(happened("a", "done"))
    instance.apply(happened("x", "ok"))
    assert (instance.status(join), instance.held_by(join)) == ("open", None)


def test_an_inclusive_join_waits_for_what_a_re_arming_fix_brings_back() -> None:
    rows = [
        {"task": "qa", "role": "system", "script": "qa.py"},
        {"task": "fix", "role": "analyst", "depends_on": "qa:false"},
        {"task": "b"},
        {"task": "c", "depends_on": "qa:true, b", "join": "inclusive"},
    ]
    instance = Instance("i", ProcessTable.from_rows(rows), None)
    instance.apply(happened("b", "done"))
    instance.apply(happened("qa", "false"))
    assert instance.status(3) == "blocked"
    instance.apply(happened("fix", "failed"))
    assert instance.status(3) == "open"


def test_of_two_inclusive_joins_that_could_wait_for_each_other_the_first_goes_first() -> None:
    rows = [
        {"task": "s"},
        {"task": "j", "depends_on": "s, k:again", "join": "inclusive"},
        {"task": "p", "depends_on": "j:on"},
        {"task": "k", "depends_on": "s, p", "join": "inclusive"},
    ]
    instance = Instance("i", ProcessTable.from_rows(rows), None)
    instance.apply(happened("s", "done"))
    assert [instance.status(row) for row in range(4)] == ["done", "open", "blocked", "blocked"]
    instance.apply(happened("j", "off"))
    assert [instance.status(row) for row in range(4)] == ["done", "off", "skipped", "open"]


def test_a_join_that_opens_and_closes_again_while_all_settles_is_counted_once() -> None:
    rows = [
        {"task": "s"},
        {"task": "t", "depends_on": "s:yes"},
        {"task": "back", "depends_on": "all"},
        {"task": "join", "depends_on": "back, s", "join": "inclusive"},
        {"task": "all", "depends_on": "s, t, first"},
        {"task": "first", "depends_on": "s, t, back", "join": "any"},
    ]
    instance = Instance("i", ProcessTable.from_rows(rows), None)
    instance.apply(happened("s", "done"))
    assert instance.status(instance.find("join") or 0) == "blocked"
    for task in instance.flow.tasks:
        (row,) = instance.rows_of(task)
        assert instance.tally(instance.flow.index[task])[state_class(instance.status(row))] == 1
        assert (instance.opened_at(row) != "") == (instance.status(row) == "open")


def test_what_waits_for_a_group_without_elements_waits_for_what_the_group_waits_for() -> None:
    rows = [
        {"task": "approve"},
        {"task": "g", "collection": "unit", "depends_on": "approve:yes"},
        {"task": "w", "parent": "g"},
        {"task": "publish", "role": "system", "script": "publish.py", "depends_on": "g"},
    ]
    instance = Instance("i", ProcessTable.from_rows(rows), ElementList.from_ids([]))
    assert list(instance.ready_scripts()) == []
    assert instance.waiting(1) == Waiting("g", "", failed=False)
    instance.apply(happened("approve", "no"))
    assert instance.status(1) == "skipped"
    instance.apply(happened("approve", "yes"))
    assert list(instance.ready_scripts()) == [1]


def test_groups_inside_groups_are_refused_at_the_start() -> None:
    table = ProcessTable.from_rows(
        [
            {"task": "outer", "collection": "region"},
            {"task": "inner", "collection": "unit", "parent": "outer"},
            {"task": "a", "parent": "inner"},
        ]
    )
    with pytest.raises(InstanceError, match="groups inside groups"):
        Instance("i", table, ElementList.from_ids(["x"]))
