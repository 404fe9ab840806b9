"""Drafts: kept per person, undone and redone, saved as a version, merged with what others saved meanwhile."""

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from board.log.memory import MemoryLog
from board.log.tail import Tail
from board.models import Draft
from board.process.definition.table import ProcessTable
from board.process.editing import grid
from board.process.editing.grid import Grid, GridError
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.services import definitions
from board.web import drafts

pytestmark = pytest.mark.django_db
ED = Actor("ed", editor=True)
TABLE = ProcessTable.from_rows([{"task": "a", "name": "A"}, {"task": "b", "depends_on": "a"}])


@pytest.fixture
def tail() -> Tail:
    found = Tail(MemoryLog())
    definitions.save(found, ED, "P", TABLE, "first")
    return found


@pytest.fixture
def ed() -> User:
    return User.objects.create_user("ed")


def put(draft: Draft, row: int, column: str, text: str) -> Draft:
    return drafts.change(draft, draft.edits, lambda g: grid.put(g, row, column, [[text]]))


def name_of(draft: Draft, row: int) -> str:
    return Grid.from_json(draft.grid).cell(row, "name")


def test_a_draft_is_kept_for_its_person_until_it_is_saved(tail: Tail, ed: User) -> None:
    put(drafts.begin(ed, tail, "P"), 0, "name", "Load")
    other = drafts.begin(User.objects.create_user("eva"), tail, "P")
    assert (name_of(drafts.begin(ed, tail, "P"), 0), name_of(other, 0)) == ("Load", "A")
    assert drafts.save(drafts.begin(ed, tail, "P"), tail, ED, "a better name") is None
    assert drafts.find(ed, "P") is None
    newest = tail.definition("P")
    assert newest is not None
    assert (newest.table.rows[0].name, newest.note) == ("Load", "a better name")


def test_edits_are_undone_and_redone(tail: Tail, ed: User) -> None:
    draft = put(put(drafts.begin(ed, tail, "P"), 0, "name", "one"), 0, "name", "two")
    draft = drafts.undo(draft, draft.edits)
    assert name_of(draft, 0) == "one"
    draft = drafts.undo(drafts.undo(draft, draft.edits), draft.edits + 1)
    assert name_of(draft, 0) == "A"
    draft = drafts.redo(draft, draft.edits)
    assert name_of(draft, 0) == "one"
    draft = put(draft, 1, "name", "B")
    assert drafts.redo(draft, draft.edits).grid == draft.grid


@given(st.data())
def test_undo_and_redo_lead_through_every_grid_there_was(data: st.DataObject) -> None:
    seen = [Grid.of(TABLE).to_json()]
    edits = st.sampled_from(["add", "duplicate", "move", "remove", "put", "group", "import"])
    draft = Draft(grid=seen[0])
    for do in data.draw(st.lists(edits, max_size=8)):
        row = data.draw(st.integers(0, max(0, len(draft.grid["rows"]) - 1)))
        said = {"do": do, "row": row, "rows": [row], "by": 1, "column": "name", "block": [["x"]], "collection": "u"}
        before = Grid.from_json(draft.grid)
        try:
            other = Grid.of(ProcessTable.from_rows([{"task": "z", "own": "1"}]))
            after = other if do == "import" else drafts.edit_of(said)(before)
        except GridError:
            continue
        draft.past, draft.grid = [*draft.past, drafts._way(after.to_json(), draft.grid)], after.to_json()
        seen.append(draft.grid)
    for there in reversed(seen[:-1]):
        drafts._step(draft, "past", "future")
        assert draft.grid == there
    for there in seen[1:]:
        drafts._step(draft, "future", "past")
        assert draft.grid == there


def test_an_edit_against_an_older_draft_is_refused_and_loses_nothing(tail: Tail, ed: User) -> None:
    draft = drafts.begin(ed, tail, "P")
    put(draft, 0, "name", "first tab")
    with pytest.raises(Refusal, match="edited elsewhere"):
        put(draft, 0, "name", "second tab")
    assert name_of(drafts.begin(ed, tail, "P"), 0) == "first tab"


def test_an_edit_that_makes_no_sense_changes_nothing(tail: Tail, ed: User) -> None:
    draft = drafts.begin(ed, tail, "P")
    for wrong in ({"do": "explode"}, {"do": "put", "row": "x"}, {"do": "put", "block": "text"}, {"do": "ungroup"}):
        with pytest.raises(GridError):
            drafts.change(draft, 0, drafts.edit_of(wrong))
    assert drafts.begin(ed, tail, "P").edits == 0


def test_what_two_editors_changed_apart_is_merged(tail: Tail, ed: User) -> None:
    mine = put(drafts.begin(ed, tail, "P"), 0, "name", "Mine")
    theirs = put(drafts.begin(User.objects.create_user("eva"), tail, "P"), 1, "name", "Theirs")
    assert drafts.save(theirs, tail, Actor("eva", editor=True), "") is None
    assert drafts.save(mine, tail, ED, "") is None
    newest = tail.definition("P")
    assert newest is not None
    assert [row.name for row in newest.table.rows] == ["Mine", "Theirs"]


def test_what_collides_is_asked_cell_by_cell(tail: Tail, ed: User) -> None:
    mine = put(drafts.begin(ed, tail, "P"), 0, "name", "Mine")
    theirs = put(drafts.begin(User.objects.create_user("eva"), tail, "P"), 0, "name", "Theirs")
    drafts.save(theirs, tail, Actor("eva", editor=True), "")
    asked = drafts.save(mine, tail, ED, "")
    assert asked is not None
    (conflict,) = asked.conflicts
    assert (conflict.task, conflict.column, conflict.mine, conflict.theirs) == ("a", "name", "Mine", "Theirs")
    assert drafts.find(ed, "P") is not None
    assert drafts.save(mine, tail, ED, "mine it is", {(conflict.task, conflict.column): "mine"}) is None
    newest = tail.definition("P")
    assert newest is not None
    assert newest.table.rows[0].name == "Mine"


def test_a_new_process_begins_from_a_table_and_needs_a_free_name(tail: Tail, ed: User) -> None:
    draft = drafts.begin_new(ed, tail, "New one", TABLE)
    for taken in ("P", "New one"):
        with pytest.raises(Refusal, match="already"):
            drafts.begin_new(ed, tail, taken, TABLE)
    for wrong in ("", " ", "@x", "a\nb"):
        with pytest.raises(Refusal):
            drafts.begin_new(ed, tail, wrong, TABLE)
    assert drafts.save(draft, tail, ED, "") is None
    assert tail.definition("New one") is not None


def test_a_draft_with_errors_is_not_saved_and_stays(tail: Tail, ed: User) -> None:
    draft = put(drafts.begin(ed, tail, "P"), 1, "depends_on", "gone")
    with pytest.raises(Refusal, match="error"):
        drafts.save(draft, tail, ED, "")
    assert drafts.find(ed, "P") is not None


def test_a_file_comes_into_the_draft_as_one_edit_that_can_be_undone(tail: Tail, ed: User) -> None:
    draft = drafts.begin_import(ed, tail, "P", ProcessTable.from_rows([{"task": "z"}]))
    assert [row.task for row in drafts.table_of(draft).rows] == ["z"]
    draft = drafts.undo(draft, draft.edits)
    assert [row.task for row in drafts.table_of(draft).rows] == ["a", "b"]
