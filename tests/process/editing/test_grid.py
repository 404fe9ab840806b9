"""Editing a table: every operation gives a new grid, and nothing that was typed is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.process.definition.table import ProcessTable
from board.process.editing import grid
from board.process.editing.grid import Grid, GridError

TABLE = ProcessTable.from_rows(
    [
        {"task": "a", "name": "A"},
        {"task": "b", "depends_on": "a, a:false", "not_by": "a", "note to self": "x"},
        {"task": "c", "depends_on": "ab,b : true"},
    ]
)


def ids(of: Grid) -> list[str]:
    return [of.cell(n, "task") for n in range(len(of.rows))]


def test_a_grid_and_its_table_say_the_same() -> None:
    found = Grid.of(TABLE)
    assert found.table().to_rows() == TABLE.to_rows()
    assert found.table().version == TABLE.version
    assert Grid.from_json(found.to_json()) == found


def test_a_renamed_task_is_renamed_where_it_is_referred_to_and_nowhere_else() -> None:
    found = grid.put(Grid.of(TABLE), 0, "task", [["load"]])
    assert found.cell(1, "depends_on") == "load, load:false"
    assert found.cell(1, "not_by") == "load"
    assert found.cell(2, "depends_on") == "ab,b : true"
    assert grid.put(found, 1, "task", [["bb"]]).cell(2, "depends_on") == "ab,bb : true"


def test_a_pasted_block_makes_the_rows_it_needs() -> None:
    found = grid.put(Grid.of(TABLE), 2, "task", [["x", "X"], ["y", "Y"], ["z", "Z"]])
    assert ids(found) == ["a", "b", "x", "y", "z"]
    assert found.cell(4, "name") == "Z"
    with pytest.raises(GridError, match="only 1 are left"):
        grid.put(found, 0, "note to self", [["1", "2"]])


def test_what_is_outside_of_the_table_is_refused() -> None:
    found = Grid.of(TABLE)
    for row in (-1, grid.MAX_EDITED, 10**6):
        with pytest.raises(GridError):
            grid.put(found, row, "task", [["x"]])
    for row in (-1, 3):
        for wrong in (grid.remove, grid.duplicate_all):
            with pytest.raises(GridError):
                wrong(found, [row])
        with pytest.raises(GridError):
            grid.group(found, [row], "unit")
        with pytest.raises(GridError):
            grid.move_all(found, [row], 1)
        with pytest.raises(GridError):
            grid.ungroup(found, row)


def test_rows_move_together_and_none_passes_another() -> None:
    found = grid.duplicate_all(Grid.of(TABLE), [0, 2])
    assert ids(found) == ["a", "a_2", "b", "c", "c_2"]
    assert ids(grid.move_all(found, [3, 4], -2)) == ["a", "c", "c_2", "a_2", "b"]
    assert ids(grid.move_all(found, [0, 2], -1)) == ["a", "b", "a_2", "c", "c_2"]
    assert ids(grid.move_all(found, [0, 1], 9)) == ["b", "c", "c_2", "a", "a_2"]
    assert ids(grid.move_all(found, [4, 2], 1)) == ["a", "a_2", "c", "b", "c_2"]


def test_blank_rows_stay_while_editing_and_are_none_of_the_table() -> None:
    found = grid.add(Grid.of(TABLE), 1)
    assert ids(found) == ["a", "", "b", "c"]
    assert found.numbers() == [0, 2, 3]
    assert found.table() == Grid.of(TABLE).table()


def test_a_row_added_below_a_member_is_a_member() -> None:
    found = grid.add(grid.group(Grid.of(TABLE), [1], "unit"), 3)
    assert found.cell(3, "parent") == "each_unit"


def test_rows_move_as_far_as_there_are_places() -> None:
    found = Grid.of(TABLE)
    assert ids(grid.move(found, 0, 1)) == ["b", "a", "c"]
    assert ids(grid.move(found, 0, 99)) == ["b", "c", "a"]
    assert ids(grid.move(found, 2, -99)) == ["c", "a", "b"]


def test_a_copy_has_an_id_of_its_own() -> None:
    found = grid.duplicate(grid.duplicate(Grid.of(TABLE), 0), 0)
    assert ids(found) == ["a", "a_3", "a_2", "b", "c"]


def test_rows_are_wrapped_in_a_group_and_taken_out_again() -> None:
    found = grid.group(Grid.of(TABLE), [0, 1], "country")
    assert ids(found) == ["each_country", "a", "b", "c"]
    assert [row.parent for row in found.table().rows] == ["", "each_country", "each_country", ""]
    back = grid.ungroup(found, 0)
    assert back == Grid.of(TABLE)
    with pytest.raises(GridError, match="no group"):
        grid.ungroup(back, 0)
    assert [row.parent for row in grid.remove(found, [0]).table().rows] == ["", "", ""]


def test_taking_a_group_apart_keeps_the_flow() -> None:
    table = ProcessTable.from_rows(
        [
            {"task": "y"},
            {"task": "each", "collection": "unit", "depends_on": "y:true"},
            {"task": "m", "parent": "each"},
            {"task": "n", "parent": "each", "depends_on": "m"},
            {"task": "end", "depends_on": "each:ok, y"},
        ]
    )
    found = grid.ungroup(Grid.of(table), 1).table()
    assert {row.task: row.depends_on for row in found.rows} == {"y": "", "m": "y:true", "n": "m", "end": "n:ok, y"}


@given(st.lists(st.tuples(st.sampled_from(["add", "copy", "up", "down", "put"]), st.integers(0, 2)), max_size=12))
def test_no_edit_loses_a_cell_that_was_typed(edits: list[tuple[str, int]]) -> None:
    found = Grid.of(TABLE)
    for number, (what, row) in enumerate(edits):
        if what == "add":
            found = grid.add(found, row)
        elif what == "copy":
            found = grid.duplicate(found, row)
        elif what == "put":
            found = grid.put(found, row, "description", [[f"typed {number}"]])
        else:
            found = grid.move(found, row, -1 if what == "up" else 1)
        assert {"a", "b", "c"} <= set(ids(found))
        assert all(len(line) == len(found.columns) for line in found.rows)
