"""The editor by its addresses: every edit a POST, with a script and without; drafts, saving, rights."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from board.log.tail import Tail, shared
from board.models import Draft
from board.process.definition.table import COLUMNS, ProcessTable
from board.process.editing import grid
from board.services import definitions
from board.services.actor import anybody
from board.web import drafts
from tests.views.conftest import Login

ROWS: list[dict[str, str | None]] = [
    {"task": "load", "name": "Load", "role": "analyst"},
    {"task": "qa", "name": "QA", "role": "steward", "depends_on": "load, fix"},
    {"task": "fix", "name": "Fix", "role": "analyst", "depends_on": "qa:false"},
    {"task": "end", "name": "End", "role": "management", "depends_on": "qa:true", "due": "2d"},
]
EDIT = "/processes/P/edit/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = shared(store)
    definitions.save(found, anybody("admin"), "P", ProcessTable.from_rows(ROWS), "first")
    return found


@pytest.fixture
def ed(tail: Tail, login: Login) -> Client:
    return login("ed")


class Page:
    """A window with the editor in it: it sends edits as the script does and keeps what the answers say."""

    def __init__(self, client: Client, tail: Tail) -> None:
        newest = tail.definition("P")
        self.client, self.draft, self.edits, self.base = client, 0, 0, newest.version if newest else ""
        self.client.get(EDIT)

    def send(self, do: str, *, status: int = 200, **more: Any) -> dict[str, Any]:
        said = {"do": do, "draft": self.draft, "edits": self.edits, "base": self.base, **more}
        answer = self.client.post(EDIT + "op/", json.dumps(said), "application/json", headers={"HX-Request": "true"})
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        self.draft, self.edits, self.base = found["draft"], found["edits"], found["base"]
        return found

    def put(self, row: int, column: str, text: str, **more: Any) -> dict[str, Any]:
        return self.send("put", row=row, column=column, block=[[text]], **more)


def cells(user: User, column: str) -> list[str]:
    draft = drafts.find(user, "P")
    assert draft is not None
    found = grid.Grid.from_json(draft.grid)
    return [found.cell(n, column) for n in range(len(found.rows))]


# the page


def test_the_page_shows_the_table_its_problems_and_its_picture(ed: Client) -> None:
    page = ed.get(EDIT).text
    assert 'role="grid"' in page
    assert '<tr id="row-qa"' in page
    assert "<em><bdi>false</bdi></em>" in page
    assert "No problems" in page
    assert 'href="#row-load"' in page
    assert "as saved, version" in page


def test_looking_at_the_editor_makes_no_draft(ed: Client, cast: dict[str, User]) -> None:
    ed.get(EDIT)
    ed.get(EDIT, {"row": "1"})
    assert not Draft.objects.exists()


def test_strange_cells_are_escaped(ed: Client, tail: Tail) -> None:
    page = Page(ed, tail)
    said = page.put(0, "name", '<script>alert("1")</script>')
    html = "".join(row for row in said["rows"] if isinstance(row, str)) + said["problems"] + said["picture"]
    assert "<script" not in html + ed.get(EDIT).text.split("<main", 1)[1].split('<script id="choices"')[0]


def test_numbers_of_rows_are_put_in_and_nothing_typed_is_taken_for_one(ed: Client, tail: Tail) -> None:
    Page(ed, tail).put(0, "name", 'value="N" ?row=N#row "mN-x')
    page = ed.get(EDIT).text
    assert "value=&quot;N&quot; ?row=N#row &quot;mN-x" in page
    assert [f'name="rows" value="{n}"' in page for n in range(5)] == [True, True, True, True, False]


# edits


def test_the_first_edit_makes_the_draft_and_says_what_changed(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    page = Page(ed, tail)
    said = page.put(3, "name", "The end")
    assert said["rows"][:3] == [0, 1, 2]
    assert "The end" in said["rows"][3]
    assert (said["edits"], said["undo"], said["redo"], said["errors"]) == (1, True, False, 0)
    assert "1 change" in said["state"]
    assert "The end" in said["picture"]
    assert cells(cast["ed"], "name") == ["Load", "QA", "Fix", "The end"]


def test_a_renamed_task_changes_the_rows_that_refer_to_it(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    said = Page(ed, tail).put(1, "task", "check")
    assert [isinstance(row, int) for row in said["rows"]] == [True, False, False, False]
    assert cells(cast["ed"], "depends_on") == ["", "load, fix", "check:false", "check:true"]


def test_rows_that_only_moved_are_sent_by_their_places(ed: Client, tail: Tail) -> None:
    page = Page(ed, tail)
    assert page.send("move", rows=[3], by=-1)["rows"] == [0, 1, 3, 2]
    assert page.send("undo")["rows"] == [0, 1, 3, 2]
    assert page.send("remove", rows=[2, 3])["rows"][:1] == [0]


def test_rows_are_added_copied_moved_removed_grouped_and_ungrouped(
    ed: Client, tail: Tail, cast: dict[str, User]
) -> None:
    page = Page(ed, tail)
    page.send("add", row=4)
    page.put(4, "task", "more")
    page.send("duplicate", rows=[0, 4])
    assert cells(cast["ed"], "task") == ["load", "load_2", "qa", "fix", "end", "more", "more_2"]
    page.send("move", rows=[5, 6], by=-4)
    assert cells(cast["ed"], "task") == ["load", "more", "more_2", "load_2", "qa", "fix", "end"]
    page.send("remove", rows=[1, 2, 3])
    page.send("group", rows=[1, 2], collection="unit")
    assert cells(cast["ed"], "parent") == ["", "", "each_unit", "each_unit", ""]
    page.send("ungroup", row=1)
    assert cells(cast["ed"], "task") == ["load", "qa", "fix", "end"]


def test_problems_are_beside_their_cells_and_in_a_list_that_leads_there(ed: Client, tail: Tail) -> None:
    said = Page(ed, tail).put(3, "depends_on", "gone")
    (row,) = (row for row in said["rows"] if isinstance(row, str) and "row-end" in row)
    assert 'class="c-depends_on bad"' in row
    assert 'aria-invalid="true"' in row
    assert 'data-row="3" data-column="depends_on"' in said["problems"]
    assert said["errors"] == 1
    assert 'aria-disabled="true"' in said["state"]
    assert "keeps this from being saved" in said["state"]


def test_problems_of_seldom_columns_are_shown_where_they_are_summed_up(ed: Client, tail: Tail) -> None:
    said = Page(ed, tail).put(3, "due", "soon")
    (row,) = (row for row in said["rows"] if isinstance(row, str))
    assert 'class="c-more bad"' in row
    assert "due soon" in row


def test_problems_below_a_blank_row_are_in_the_right_one(ed: Client, tail: Tail) -> None:
    page = Page(ed, tail)
    page.send("add", row=0)
    assert 'data-row="4" data-column="due"' in page.put(4, "due", "soon")["problems"]


def test_the_picture_is_left_out_while_more_edits_are_on_their_way(ed: Client, tail: Tail) -> None:
    page = Page(ed, tail)
    assert "picture" not in page.put(0, "name", "x", more=True)
    assert "picture" in page.put(0, "name", "y")


def test_edits_are_undone_and_done_again(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    page = Page(ed, tail)
    page.put(0, "name", "one")
    page.put(0, "name", "two")
    assert page.send("undo")["redo"] is True
    assert cells(cast["ed"], "name")[0] == "one"
    assert page.send("undo")["undo"] is False
    page.send("redo")
    assert cells(cast["ed"], "name")[0] == "one"


def test_an_edit_sent_again_after_a_lost_answer_is_made_once(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    page = Page(ed, tail)
    for _ in range(2):  # the answer to the first was lost: the page still knows of no draft
        page.draft = page.edits = 0
        said = page.send("add", row=0, called="this one")
    assert cells(cast["ed"], "task") == ["", "load", "qa", "fix", "end"]
    assert said["edits"] == 1
    assert said["rows"][1:] == [0, 1, 2, 3]
    page.send("add", row=0, called="another")
    assert len(cells(cast["ed"], "task")) == 6


def test_an_edit_against_an_older_draft_gets_the_one_there_is(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    one, other = Page(ed, tail), Page(ed, tail)
    one.put(0, "name", "from the first window")
    said = other.put(0, "name", "from the second", status=409)
    assert "edited elsewhere" in said["message"]
    assert "from the first window" in said["rows"][0]
    other.put(0, "name", "from the second")
    assert cells(cast["ed"], "name")[0] == "from the second"


def test_an_edit_in_a_draft_that_was_thrown_away_is_refused(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    page = Page(ed, tail)
    page.put(0, "name", "x")
    drafts.discard(drafts.find(cast["ed"], "P") or Draft())
    said = page.put(0, "name", "y", status=409)
    assert (said["draft"], said["edits"]) == (0, 0)


def test_a_first_edit_on_a_version_that_is_no_longer_the_newest_is_refused(ed: Client, tail: Tail) -> None:
    page = Page(ed, tail)
    definitions.save(tail, anybody("admin"), "P", ProcessTable.from_rows(ROWS[:3]), "")
    page.put(3, "name", "x", status=409)
    assert not Draft.objects.exists()


def test_an_edit_that_makes_no_sense_is_refused_with_the_reason(ed: Client, tail: Tail) -> None:
    page = Page(ed, tail)
    assert page.send("move", rows=[9], by=1, status=422)["message"] == "There is no row 10: the table has 4."
    assert "is nothing that can be done" in page.send("explode", status=422)["message"]
    assert "no longer “nothing”" in page.put(0, "name", "x", task="nothing", status=422)["message"]


@pytest.mark.parametrize("body", ["[]", "{", '{"do": "put", "rows": 3}', "[" * 100_000])
def test_what_is_no_edit_at_all_is_a_bad_request(ed: Client, body: str) -> None:
    assert ed.post(EDIT + "op/", body, "application/json").status_code == 400


def test_a_block_pasted_makes_the_rows_it_needs(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    Page(ed, tail).send("put", row=3, column="task", block=[["a", "A"], ["b", "B"]])
    assert cells(cast["ed"], "task") == ["load", "qa", "fix", "a", "b"]


# without scripts


def form(ed: Client, cast: dict[str, User]) -> dict[str, Any]:
    draft = drafts.find(cast["ed"], "P")
    page = ed.get(EDIT).text
    base = page.split('data-base="')[1].split('"')[0]
    return {"draft": draft.pk if draft else 0, "edits": draft.edits if draft else 0, "base": base, "count": "4"}


def test_without_scripts_rows_are_ticked_and_a_button_does_it(ed: Client, cast: dict[str, User]) -> None:
    for do, rows in (("add", []), ("down", ["0", "1"]), ("duplicate", ["4"]), ("remove", ["5"]), ("up", ["3"])):
        answer = ed.post(EDIT + "op/", form(ed, cast) | {"do": do, "rows": rows})
        assert (answer.status_code, answer.headers["Location"]) == (302, EDIT)
    assert cells(cast["ed"], "task") == ["fix", "load", "end", "qa", ""]
    ed.post(EDIT + "op/", form(ed, cast) | {"do": "group", "rows": ["1"], "collection": "unit"})
    ed.post(EDIT + "op/", form(ed, cast) | {"do": "ungroup", "rows": ["1"]})
    ed.post(EDIT + "op/", form(ed, cast) | {"do": "undo"})
    assert cells(cast["ed"], "task")[:3] == ["fix", "each_unit", "load"]


def test_without_scripts_a_row_has_a_form_of_its_own(ed: Client, cast: dict[str, User]) -> None:
    page = ed.get(EDIT, {"row": "3"}).text
    assert 'value="qa:true"' in page
    fields = {f"cell.{n}": "" for n in range(len(COLUMNS))} | {"cell.0": "fin", "cell.1": "Fin"}
    answer = ed.post(EDIT + "op/", form(ed, cast) | fields | {"do": "row", "row": "3", "back": "3"})
    assert answer.headers["Location"] == EDIT + "?row=3#row"
    assert cells(cast["ed"], "task") == ["load", "qa", "fix", "fin"]
    assert cells(cast["ed"], "due")[3] == ""


def test_without_scripts_a_refusal_is_said_on_the_page(ed: Client, cast: dict[str, User]) -> None:
    answer = ed.post(EDIT + "op/", form(ed, cast) | {"do": "group", "rows": ["1"], "collection": ""}, follow=True)
    assert "Say what the rows are repeated per" in answer.text


# saving


def test_saving_asks_for_a_note_and_makes_a_version(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    Page(ed, tail).put(0, "name", "Load it")
    page = ed.get(EDIT + "save/").text
    assert "What you changed" in page
    assert "<ins><bdi>Load it</bdi></ins>" in page
    form = {"edits": "1", "newest": tail.versions("P")[-1].version, "note": "clearer", "do": "save"}
    answer = ed.post(EDIT + "save/", form, follow=True)
    newest = tail.definition("P")
    assert newest is not None
    assert f"Saved as version {newest.version}" in answer.text
    assert (newest.note, newest.actor, newest.table.rows[0].name) == ("clearer", "ed", "Load it")
    assert not Draft.objects.exists()
    assert "There is nothing to save" in ed.get(EDIT + "save/", follow=True).text


def test_a_table_with_errors_is_not_saved_one_with_warnings_is(ed: Client, tail: Tail) -> None:
    page = Page(ed, tail)
    page.put(0, "role", "nobody_has_this")
    page.put(3, "depends_on", "gone")
    assert "keeps it from being saved" in ed.get(EDIT + "save/").text
    newest = tail.versions("P")[-1].version
    assert ed.post(EDIT + "save/", {"edits": "2", "newest": newest, "do": "save"}).status_code == 422
    page.put(3, "depends_on", "qa:true")
    shown = ed.get(EDIT + "save/").text
    assert "can be saved all the same" in shown
    assert ed.post(EDIT + "save/", {"edits": "3", "newest": newest, "do": "save"}).status_code == 302
    assert len(tail.versions("P")) == 2


def other_saves(tail: Tail, **cells: str) -> str:
    rows = [dict(row) for row in ROWS]
    rows[3] |= cells
    definitions.save(tail, anybody("eva"), "P", ProcessTable.from_rows(rows), "theirs")
    return tail.versions("P")[-1].version


def test_what_two_editors_changed_apart_is_merged_and_shown_before(ed: Client, tail: Tail) -> None:
    Page(ed, tail).put(0, "name", "Mine")
    newest = other_saves(tail, name="Theirs")
    assert "saved a newer version" in ed.get(EDIT).text
    shown = ed.get(EDIT + "save/").text
    assert "Nothing of it collides with yours" in shown
    assert "<ins><bdi>Theirs</bdi></ins>" in shown
    ed.post(EDIT + "save/", {"edits": "1", "newest": newest, "do": "save"})
    saved = tail.definition("P")
    assert saved is not None
    assert [row.name for row in saved.table.rows] == ["Mine", "QA", "Fix", "Theirs"]


def test_what_collides_is_asked_cell_by_cell(ed: Client, tail: Tail) -> None:
    page = Page(ed, tail)
    page.put(3, "name", "Mine")
    page.put(3, "due", "1d")
    form: dict[str, Any] = {"edits": "2", "newest": other_saves(tail, name="Theirs", due="9d"), "do": "save"}
    shown = ed.get(EDIT + "save/").text
    assert "2 places you both changed" in shown
    assert ed.post(EDIT + "save/", form).status_code == 422
    form |= {"task": ["end", "end"], "column": ["name", "due"], "side.0": "theirs", "note": "agreed"}
    half = ed.post(EDIT + "save/", form)
    assert half.status_code == 422
    assert "agreed" in half.text
    assert 'name="side.0" value="theirs" required checked' in half.text
    assert ed.post(EDIT + "save/", form | {"side.1": "mine"}).status_code == 302
    saved = tail.definition("P")
    assert saved is not None
    assert (saved.table.rows[3].name, saved.table.rows[3].due) == ("Theirs", "1d")


def test_a_third_save_in_between_is_shown_before_anything_is_saved(ed: Client, tail: Tail) -> None:
    Page(ed, tail).put(0, "name", "Mine")
    seen = tail.versions("P")[-1].version
    other_saves(tail, name="Theirs")
    answer = ed.post(EDIT + "save/", {"edits": "1", "newest": seen, "do": "save"})
    assert answer.status_code == 422
    assert "changed elsewhere meanwhile" in answer.text
    assert len(tail.versions("P")) == 2


def test_a_merge_with_errors_is_taken_into_the_draft_to_be_put_right(ed: Client, tail: Tail) -> None:
    Page(ed, tail).put(2, "depends_on", "load:x, end:true")
    rows = [ROWS[0], ROWS[1], ROWS[2] | {"name": "Fix it"}]
    definitions.save(tail, anybody("eva"), "P", ProcessTable.from_rows(rows), "the end is gone")
    newest = tail.versions("P")[-1].version
    shown = ed.get(EDIT + "save/").text
    assert "Put together with what was saved meanwhile, it has 1 error" in shown
    form = {"edits": "1", "newest": newest}
    assert ed.post(EDIT + "save/", form | {"do": "save"}).status_code == 422
    answer = ed.post(EDIT + "save/", form | {"do": "take"}, follow=True)
    assert "What others saved is in your draft now" in answer.text
    assert "There is no task “end”" in answer.text
    assert f"version <code>{newest}</code>" in answer.text


def test_a_draft_is_thrown_away_and_what_is_saved_stays(ed: Client, tail: Tail) -> None:
    Page(ed, tail).put(0, "name", "x")
    answer = ed.post(EDIT + "discard/", follow=True)
    assert "thrown away" in answer.text
    assert not Draft.objects.exists()
    assert ed.get(EDIT + "discard/").status_code == 405


def test_an_edit_made_while_the_draft_is_being_saved_is_not_lost(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    Page(ed, tail).put(0, "name", "saved")
    seen = drafts.find(cast["ed"], "P")
    assert seen is not None
    drafts.change(seen, 1, drafts.edit_of({"do": "put", "row": 1, "column": "name", "block": [["meanwhile"]]}))
    assert drafts.save(seen, tail, anybody("ed"), "") is None
    assert cells(cast["ed"], "name")[:2] == ["saved", "meanwhile"]
    left = drafts.find(cast["ed"], "P")
    assert left is not None
    assert left.base == tail.versions("P")[-1].version


# rights


@pytest.mark.parametrize("name", ["ana", "sam", "mira", "olga", "nobody"])
def test_only_a_process_editor_edits(tail: Tail, login: Login, name: str) -> None:
    client = login(name)
    assert "/edit/" not in client.get("/processes/P/").text
    assert client.get(EDIT).status_code == 403
    assert client.get(EDIT + "save/").status_code == 403
    for path in ("op/", "save/", "discard/"):
        assert client.post(EDIT + path, {"do": "add"}).status_code == 403
    answer = client.post(EDIT + "op/", '{"do": "add"}', "application/json")
    assert answer.status_code == 403
    assert not Draft.objects.exists()


def test_a_draft_is_its_owner_s_alone(ed: Client, tail: Tail, login: Login) -> None:
    page = Page(ed, tail)
    page.put(0, "name", "of ed")
    admin = login("admin")
    assert "of ed" not in admin.get(EDIT).text
    said = {"do": "put", "row": 0, "column": "name", "block": [["x"]], "draft": page.draft, "edits": 1, "base": ""}
    assert admin.post(EDIT + "op/", json.dumps(said), "application/json").status_code == 409
    assert "of ed" in ed.get(EDIT).text


def test_a_login_that_expired_is_401_for_a_script(tail: Tail) -> None:
    answer = Client().post(EDIT + "op/", "{}", "application/json", headers={"HX-Request": "true"})
    assert answer.status_code == 401


@pytest.mark.parametrize("path", ["", "op/", "save/", "discard/"])
def test_what_is_no_process_cannot_be_edited(ed: Client, path: str) -> None:
    address = f"/processes/None/edit/{path}"
    body = {"do": "add", "draft": "0", "edits": "0", "base": ""}
    assert (ed.get(address) if path in ("", "save/") else ed.post(address, body)).status_code in (302, 404)
