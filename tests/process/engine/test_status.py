"""The incremental statuses: always those worked out from scratch; every valid table can be finished."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.flow.flow import compile_flow
from board.process.engine.instance import STATES, Instance, InstanceError, state_class
from board.process.engine.status.status import Statuses
from tests.process.engine.events import happened
from tests.process.engine.oracle import Oracle
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
@given(rows(most=10))
def test_without_its_loop_backs_a_flow_has_no_cycle(cells: list[dict[str, str]]) -> None:
    flow = compile_flow(ProcessTable.from_rows(cells))
    place = {t: n for n, t in enumerate(flow.order)}
    for s, targets in enumerate(flow.forward):
        for t in targets:
            assert place[s] < place[t] or (s, t) not in flow.back
    todo = {t: {s for s, _ in flow.lowered[t] if (s, t) not in flow.back} for t in range(len(flow.tasks))}
    while ready := {t for t, sources in todo.items() if not sources & todo.keys()}:
        for t in ready:
            del todo[t]
    assert not todo


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
