"""What validation says of how a table can come out, held against instances that are played."""

from hypothesis import given, settings
from hypothesis import strategies as st

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.instance import Instance
from board.process.validation.outcomes import Skips
from board.process.validation.problems import check
from tests.process.engine.events import happened
from tests.process.tables import startable


@settings(max_examples=100)
@given(startable(), st.data())
def test_a_row_said_to_be_always_skipped_never_opens(
    started: tuple[ProcessTable, ElementList], data: st.DataObject
) -> None:
    table, _ = started
    instance = Instance("i", table, ElementList.from_ids(["x", "y"]))
    never = {each.task for each in check(table) if each.code == "answers-exclude"}
    never |= {task for g in never & instance.flow.groups.keys() for task in _tasks(instance, g)}
    while (row := next(instance.open_rows(), None)) is not None:
        task = instance.task_of(row)
        assert task not in never
        asked = sorted(instance.flow.asked[instance.flow.index[task]])
        answer = data.draw(st.sampled_from([*instance.flow.answers(task), *asked, "something else"]))
        instance.apply(happened(task, answer, instance.element_of(row)))


@settings(max_examples=100)
@given(startable(), st.data())
def test_whatever_is_skipped_in_play_was_said_to_be_skippable(
    started: tuple[ProcessTable, ElementList], data: st.DataObject
) -> None:
    table, _ = started
    instance = Instance("i", table, ElementList.from_ids(["x"]))
    skips = Skips(instance.flow)
    while (row := next(instance.open_rows(), None)) is not None:
        task = instance.task_of(row)
        answer = data.draw(st.sampled_from(skips.answers(instance.flow.index[task])))
        instance.apply(happened(task, answer or "something else", instance.element_of(row)))
    for row in range(instance.size):
        if instance.status(row) == "skipped":
            assert skips.can_skip(instance.flow.index[instance.task_of(row)])


def _tasks(instance: Instance, group: str) -> set[str]:
    return {instance.flow.tasks[t] for t in instance.flow.groups[group].entries}
