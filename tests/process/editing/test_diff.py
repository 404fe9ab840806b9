from hypothesis import given
from hypothesis import strategies as st

from board.process.definition.table import ProcessTable
from board.process.editing.diff import Change, Conflict, diff, merge


def table(*lines: str) -> ProcessTable:
    """Read a table written as lines of `column=cell | column=cell`."""
    return ProcessTable.from_rows(dict(cell.strip().split("=", 1) for cell in line.split("|")) for line in lines)


BASE = table("task=a | name=A", "task=b | name=B | role=x", "task=c | name=C")


def test_changes_are_named_cell_by_cell() -> None:
    new = table("task=c | name=C", "task=a | name=A2 | role=y", "task=d | name=D | cost=7")
    assert diff(BASE, new) == [
        Change("added", "", "cost", "", "cost"),
        Change("moved", "c", "", "b", ""),
        Change("changed", "a", "name", "A", "A2"),
        Change("changed", "a", "role", "", "y"),
        Change("added", "d", "", "", "D"),
        Change("removed", "b", "", "B", ""),
    ]


def test_one_row_moved_is_one_change() -> None:
    new = table("task=b | name=B | role=x", "task=c | name=C", "task=a | name=A")
    assert diff(BASE, new) == [Change("moved", "a", "", "", "c")]


def test_rows_of_one_id_are_told_apart_by_their_place() -> None:
    assert diff(table("task=a | name=1", "task=a | name=2"), table("task=a | name=1", "task=a | name=3")) == [
        Change("changed", "a", "name", "2", "3")
    ]


def test_edits_of_different_cells_and_rows_go_together() -> None:
    mine = table("task=a | name=A1", "task=m | name=M", "task=b | name=B | role=x", "task=c | name=C")
    theirs = table("task=a | name=A | role=r", "task=b | name=B | role=y", "task=t | name=T", "task=c | name=C")
    merged = merge(BASE, mine, theirs)
    assert merged.conflicts == ()
    assert (
        merged.table.rows
        == table(
            "task=a | name=A1 | role=r",
            "task=m | name=M",
            "task=b | name=B | role=y",
            "task=t | name=T",
            "task=c | name=C",
        ).rows
    )


def test_a_cell_both_changed_is_a_conflict_until_somebody_chooses() -> None:
    mine = table("task=a | name=mine", "task=b | name=B | role=x", "task=c | name=C")
    theirs = table("task=a | name=theirs", "task=b | name=B | role=x", "task=c | name=C")
    merged = merge(BASE, mine, theirs)
    assert merged.conflicts == (Conflict("a", "name", "A", "mine", "theirs"),)
    assert merged.table == mine
    assert merge(BASE, mine, theirs, {("a", "name"): "mine"}).conflicts == ()
    assert merge(BASE, mine, theirs, {("a", "name"): "theirs"}).table == theirs


def test_a_row_one_removed_and_the_other_changed_is_a_conflict() -> None:
    mine = table("task=a | name=A", "task=c | name=C")
    theirs = table("task=a | name=A", "task=b | name=B2 | role=x", "task=c | name=C")
    merged = merge(BASE, mine, theirs)
    assert merged.conflicts == (Conflict("b", "", "B", "", "B2"),)
    assert merged.table.rows == mine.rows
    assert merge(BASE, mine, theirs, {("b", ""): "theirs"}).table.rows == theirs.rows


def test_a_row_one_removed_and_the_other_left_alone_is_gone() -> None:
    mine = table("task=a | name=A", "task=c | name=C")
    theirs = table("task=a | name=A2", "task=b | name=B | role=x", "task=c | name=C")
    merged = merge(BASE, mine, theirs)
    assert (merged.conflicts, [row.name for row in merged.table.rows]) == ((), ["A2", "C"])


def test_two_different_orders_are_a_conflict() -> None:
    mine = table("task=c | name=C", "task=a | name=A", "task=b | name=B | role=x")
    theirs = table("task=b | name=B | role=x", "task=a | name=A", "task=c | name=C")
    merged = merge(BASE, mine, theirs)
    assert merged.conflicts == (Conflict("", "", "a, b, c", "c, a, b", "b, a, c"),)
    assert merge(BASE, mine, theirs, {("", ""): "theirs"}).table.rows == theirs.rows


def test_an_order_one_changed_is_kept_with_the_new_rows_of_the_other() -> None:
    mine = table("task=c | name=C", "task=a | name=A", "task=b | name=B | role=x")
    theirs = table("task=a | name=A", "task=b | name=B | role=x", "task=n | name=N", "task=c | name=C")
    assert [row.task for row in merge(BASE, mine, theirs).table.rows] == ["c", "a", "b", "n"]
    assert [row.task for row in merge(BASE, theirs, mine).table.rows] == ["c", "a", "b", "n"]


ROWS = st.fixed_dictionaries(
    {"task": st.sampled_from("abcde")},
    optional={column: st.sampled_from(["", "1", "2"]) for column in ("name", "role", "cost", "own")},
)
TABLES = st.lists(ROWS, max_size=6).map(ProcessTable.from_rows)


@given(TABLES, TABLES)
def test_no_change_means_the_same_rows(one: ProcessTable, other: ProcessTable) -> None:
    assert diff(one, one) == []
    cells = [change for change in diff(one, other) if change.task]
    assert (not cells) == (one.version == other.version)


@given(TABLES, TABLES)
def test_a_merge_with_nobody_elses_edit_is_ones_own(base: ProcessTable, edit: ProcessTable) -> None:
    for merged in (merge(base, edit, base), merge(base, base, edit), merge(base, edit, edit)):
        assert merged.conflicts == ()
        assert merged.table.rows == edit.rows


@given(TABLES, TABLES, TABLES)
def test_every_conflict_can_be_settled_either_way(base: ProcessTable, mine: ProcessTable, theirs: ProcessTable) -> None:
    conflicts = merge(base, mine, theirs).conflicts
    for side in ("mine", "theirs"):
        settled = merge(base, mine, theirs, {(c.task, c.column): side for c in conflicts})
        assert settled.conflicts == ()
