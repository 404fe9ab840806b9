"""What users met when a process was edited while instances of it were running."""

import pytest

from board.log.memory import MemoryLog
from board.log.tail import Tail
from board.process.definition.table import ProcessTable
from board.process.editing.diff import diff
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.services import definitions, instances, tasks
from board.services.tasks import Place
from tests.reported.playing import OLGA, table_of

ED = Actor("ed", editor=True)
ANA = Actor("ana", frozenset({"analyst"}))
FIRST = table_of("""
    task,name,role,depends_on
    collect,Collect,analyst,
    check,Check,analyst,collect
    """)


@pytest.fixture
def tail() -> Tail:
    found = Tail(MemoryLog())
    definitions.save(found, ED, "Quarterly", FIRST, "first")
    instances.start(found, OLGA, "Quarterly", "old")
    tasks.finish(found, "old", Place("collect"), ANA)
    return found


def save(tail: Tail, text: str) -> ProcessTable:
    table = table_of(text)
    definitions.save(tail, ED, "Quarterly", table, "changed")
    return table


def test_a_task_removed_from_the_process_stays_in_the_instances_that_have_it(tail: Tail) -> None:
    """Users met: after a change of the definition an instance lost or doubled its steps."""
    save(tail, "task,name,role\ncollect,Collect,analyst")
    instances.start(tail, OLGA, "Quarterly", "new")
    old, new, newest = tail.get("old"), tail.get("new"), tail.definition("Quarterly")
    assert old is not None
    assert new is not None
    assert newest is not None
    assert [old.task_of(row) for row in range(old.size)] == ["collect", "check"]
    assert [new.task_of(row) for row in range(new.size)] == ["collect"]
    tasks.finish(tail, "old", Place("check"), ANA)
    assert old.state == "complete"
    assert (old.version, new.version) == (FIRST.version, newest.version)


def test_a_name_can_be_changed_and_the_history_stays(tail: Tail) -> None:
    """Users met: a name could not be changed without losing its history."""
    save(
        tail,
        """
        task,name,role,depends_on
        collect,Gather the figures,data team,
        check,Check,analyst,collect
        """,
    )
    old = tail.get("old")
    assert old is not None
    assert old.definition(0).name == "Collect"  # as it was when it was started
    assert old.status(0) == "done"
    instances.start(tail, OLGA, "Quarterly", "new")
    new = tail.get("new")
    assert new is not None
    assert (new.task_of(0), new.definition(0).name, new.definition(0).role) == (
        "collect",
        "Gather the figures",
        "data team",
    )


def test_a_changed_id_is_told_as_one_task_gone_and_another_come(tail: Tail) -> None:
    """Users met: a name could not be changed without losing its history."""
    table = save(
        tail,
        """
        task,name,role,depends_on
        gather,Collect,analyst,
        check,Check,analyst,gather
        """,
    )
    told = {(c.kind, c.task, c.column, c.before, c.after) for c in diff(FIRST, table)}
    assert told == {
        ("removed", "collect", "", "Collect", ""),
        ("added", "gather", "", "", "Collect"),
        ("changed", "check", "depends_on", "collect", "gather"),
    }
    old = tail.get("old")
    assert old is not None
    assert old.find("collect") is not None  # what was done under the old id is still there


def test_a_definition_saved_twice_by_two_editors_never_overwrites_silently(tail: Tail) -> None:
    save(tail, "task,name,role\ncollect,Collect,analyst")
    with pytest.raises(Refusal, match="saved meanwhile by ed"):
        definitions.save(tail, ED, "Quarterly", FIRST, "mine", base=FIRST.version)
