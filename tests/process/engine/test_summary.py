"""Where an instance stands: in a word, in a sentence, and what is no longer needed."""

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.instance import Instance
from tests.process.engine.events import happened


def instance_of(*rows: dict[str, str], elements: tuple[str, ...] = ("x", "y", "z")) -> Instance:
    return Instance("i", ProcessTable.from_rows(rows), ElementList.from_ids(elements))


GROUP = {"task": "each", "collection": "unit", "complete_when": "2"}
LOAD = {"task": "load", "name": "Load", "parent": "each", "role": "system", "script": "load.sh"}


def left_over(instance: Instance) -> set[str]:
    return {f"{instance.task_of(r)}@{instance.element_of(r)}" for r in instance.left_over()}


def test_rows_of_a_group_that_is_complete_enough_are_no_longer_needed() -> None:
    instance = instance_of(GROUP, LOAD, {"task": "end", "depends_on": "each", "role": "system"})
    instance.apply(happened("load", "done", "x"))
    assert left_over(instance) == set()
    instance.apply(happened("load", "done", "z"))
    assert left_over(instance) == {"load@y"}
    assert list(instance.ready_scripts()) == []
    assert instance.state == "active"
    instance.apply(happened("end", "done"))
    assert instance.state == "complete"


def test_a_row_something_outside_still_waits_for_is_needed() -> None:
    instance = instance_of(
        GROUP,
        LOAD,
        {"task": "after", "parent": "each", "depends_on": "load"},
        {"task": "other", "collection": "unit"},
        {"task": "use", "parent": "other", "depends_on": "after"},
    )
    for element in ("x", "z"):
        instance.apply(happened("load", "done", element))
        instance.apply(happened("after", "done", element))
    assert left_over(instance) == set()
    instance.apply(happened("use", "done", "y"))
    assert left_over(instance) == {"load@y", "after@y"}


def test_a_failed_row_that_is_no_longer_needed_makes_nothing_stuck() -> None:
    instance = instance_of(GROUP, LOAD)
    instance.apply(happened("load", "failed", "y"))
    assert instance.state == "active"
    for element in ("x", "z"):
        instance.apply(happened("load", "done", element))
    assert instance.state == "complete"


def test_a_failure_somebody_asks_for_is_settled_and_any_other_is_stuck() -> None:
    rows = [{"task": "a", "name": "Load"}, {"task": "b", "depends_on": "a:failed"}]
    instance = instance_of(*rows)
    instance.apply(happened("a", "failed"))
    assert instance.status(1) == "open"
    instance.apply(happened("b", "done"))
    assert instance.state == "complete"
    alone = instance_of(rows[0])
    alone.apply(happened("a", "failed"))
    assert (alone.state, alone.sentence()) == ("stuck", "Stuck: failed: Load (retry or repair it)")


def test_the_sentence_says_what_runs_and_whom_it_waits_for() -> None:
    rows = (
        {"task": "each", "collection": "unit"},
        LOAD,
        {"task": "sign", "name": "Sign off", "role": "management"},
        {"task": "mail", "name": "Answer of the bank", "role": "system"},
    )
    instance = instance_of(*rows)
    instance.apply(happened("load", "doing", "x", actor="worker"))
    assert instance.sentence() == (
        "The worker is running: Load; the worker may run: Load (2); waiting for people on: Sign off;"
        " waiting for messages on: Answer of the bank"
    )
    for element in ("x", "y", "z"):
        instance.apply(happened("load", "done", element))
    instance.apply(happened("sign", "done"))
    instance.apply(happened("mail", "done"))
    assert instance.sentence() == "Complete: nothing is left to do"


def test_an_empty_list_is_zero_elements_and_its_group_is_complete() -> None:
    instance = instance_of(
        {"task": "each", "collection": "unit"}, LOAD, {"task": "end", "depends_on": "each"}, elements=()
    )
    assert instance.size == 1
    assert instance.status(0) == "open"


def test_what_waits_for_an_unknown_task_is_stuck_and_says_so() -> None:
    instance = instance_of({"task": "a", "name": "A", "depends_on": "gone"})
    assert (instance.state, instance.sentence()) == ("stuck", "Stuck: A waits for gone")
