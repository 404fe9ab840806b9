"""Acting through the services: decided under the lock, appended once, told who was first."""

import threading

import pytest

from board.log.memory import MemoryLog
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal, finish
from board.services import definitions, instances, tasks
from board.services.tasks import Place

ANA = Actor("ana", frozenset({"analyst"}))
BEN = Actor("ben", frozenset({"analyst"}))
OLGA = Actor("olga", operator=True)
ED = Actor("ed", editor=True)
ROWS = [
    {"task": "each", "collection": "unit"},
    {"task": "review", "role": "analyst", "parent": "each"},
    {"task": "qa", "role": "analyst", "depends_on": "each, fix"},
    {"task": "fix", "role": "analyst", "depends_on": "qa:false"},
]


@pytest.fixture
def tail() -> Tail:
    found = Tail(MemoryLog())
    definitions.save(found, ED, "Quarterly", ProcessTable.from_rows(ROWS), "first")
    instances.start(found, OLGA, "Quarterly", "2026Q1", ElementList.from_ids(["north", "south"]))
    return found


def status(tail: Tail, task: str, element: str = "") -> str:
    instance = tail.get("2026Q1")
    assert instance is not None
    row = instance.find(task, element)
    assert row is not None
    return instance.status(row)


def test_a_finish_and_what_it_re_arms_are_one_append(tail: Tail) -> None:
    for element in ("north", "south"):
        tasks.finish(tail, "2026Q1", Place("review", element), ANA)
    tasks.finish(tail, "2026Q1", Place("qa"), ANA, "false", "totals are off")
    before = tail.refresh()
    events = tasks.finish(tail, "2026Q1", Place("fix"), BEN, note="fixed")
    assert [(e.task, e.field, e.value, e.actor) for e in events] == [
        ("fix", "note", "fixed", "ben"),
        ("fix", "status", "done", "ben"),
        ("qa", "status", "open", "ben (re-arm)"),
    ]
    assert [e.value for e in tail.log.read(before).events] == [e.value for e in events]


def test_of_twenty_people_one_finishes_and_the_others_are_told_who(tail: Tail) -> None:
    said: list[str] = []
    won: list[str] = []
    gate = threading.Barrier(20)

    def go(number: int) -> None:
        gate.wait()
        try:
            tasks.finish(tail, "2026Q1", Place("review", "north"), Actor(f"p{number}", frozenset({"analyst"})))
            won.append(f"p{number}")
        except Refusal as refusal:
            said.append(refusal.message)

    threads = [threading.Thread(target=go, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert len(said) == 19
    assert all(f"{won[0]} was first" in message for message in said)
    assert sum(e.field == "status" for e in tail.log.read().events) == 1


def test_a_wish_for_many_rows_does_the_valid_ones_and_names_the_others(tail: Tail) -> None:
    tasks.take(tail, "2026Q1", Place("review", "south"), BEN)
    places = [Place("review", "north"), Place("review", "south"), Place("qa"), Place("review", "nowhere")]
    found = tasks.many(tail, "2026Q1", places, lambda i, r: finish(i, r, ANA, "done"))
    assert found.done == (Place("review", "north"),)
    assert [(place.element or place.task, why.code) for place, why in found.refused] == [
        ("south", "assigned"),
        ("qa", "not_ready"),
        ("nowhere", "unknown_element"),
    ]


def test_an_id_starts_one_instance_only(tail: Tail) -> None:
    with pytest.raises(Refusal, match="already"):
        instances.start(tail, OLGA, "Quarterly", "2026q1", ElementList.from_ids(["x"]))
    for wrong in ("latest", "inbox", "../x", ".hidden", "a b", ""):
        with pytest.raises(Refusal):
            instances.start(tail, OLGA, "Quarterly", wrong, ElementList.from_ids(["x"]))


def test_a_process_with_groups_needs_a_list_and_an_empty_list_is_none(tail: Tail) -> None:
    with pytest.raises(Refusal, match=r"element list is missing.*unit"):
        instances.start(tail, OLGA, "Quarterly", "q2", None)
    instances.start(tail, OLGA, "Quarterly", "q2", ElementList.from_ids([]))
    assert status(tail, "qa") == "blocked"
    instance = tail.get("q2")
    assert instance is not None
    row = instance.find("qa")
    assert row is not None
    assert instance.status(row) == "open"


def test_assignees_of_the_list_win_over_the_tables(tail: Tail) -> None:
    table = ProcessTable.from_rows([ROWS[0], ROWS[1] | {"assignee": "ana"}])
    elements = ElementList.from_columns({"unit": ["north", "south"], "assignee": ["ben", ""]})
    instances.start(tail, OLGA, "Ad hoc", "q3", elements, table=table)
    instance = tail.get("q3")
    assert instance is not None
    assert [instance.value(r, "assignee") for r in instance.rows_of("review")] == ["ben", "ana"]
    assert {e.actor for e in tail.log.read().events if e.field == "assignee"} == {"register"}


def test_who_may_not_start_or_save_is_told_so(tail: Tail) -> None:
    with pytest.raises(Refusal, match="operator or a process editor"):
        instances.start(tail, ANA, "Quarterly", "q4", ElementList.from_ids([]))
    with pytest.raises(Refusal, match="Only a process editor"):
        definitions.save(tail, OLGA, "X", ProcessTable.from_rows(ROWS), "")


def test_a_table_with_errors_is_neither_saved_nor_started(tail: Tail) -> None:
    wrong = ProcessTable.from_rows([{"task": "a", "depends_on": "gone"}])
    with pytest.raises(Refusal, match="error"):
        definitions.save(tail, ED, "Wrong", wrong, "")
    with pytest.raises(Refusal, match="error"):
        instances.start(tail, OLGA, "Wrong", "w", None, table=wrong)


def test_a_second_editor_never_overwrites_silently(tail: Tail) -> None:
    base = tail.definitions()["Quarterly"].version
    mine = ProcessTable.from_rows([*ROWS, {"task": "mine"}])
    definitions.save(tail, ED, "Quarterly", mine, "mine", base=base)
    with pytest.raises(Refusal, match="saved meanwhile by ed") as refused:
        definitions.save(tail, ED, "Quarterly", ProcessTable.from_rows([*ROWS, {"task": "yours"}]), "", base=base)
    assert refused.value.code == "conflict"
    definitions.restore(tail, ED, "Quarterly", base)
    assert [d.version for d in tail.versions("Quarterly")] == [base, mine.version, base]


def test_editing_a_process_leaves_running_instances_alone(tail: Tail) -> None:
    definitions.save(tail, ED, "Quarterly", ProcessTable.from_rows([{"task": "other"}]), "new")
    assert status(tail, "review", "north") == "open"
