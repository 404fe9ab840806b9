"""The saved processes: the list and each of them to read."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from board.log.tail import Tail, shared
from board.process.definition.table import ProcessTable
from board.selectors.editor.processes import Changed, changes
from board.services import definitions
from board.services.actor import anybody
from board.web import drafts
from tests.story import COLLECTION, tell
from tests.views.conftest import Login

PAGE = "/processes/Quarterly%20data%20collection/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    return tell(store)


def table(*rows: dict[str, str | None]) -> ProcessTable:
    return ProcessTable.from_rows(rows)


def test_the_list_shows_each_process_with_its_roles_and_instances(tail: Tail, login: Login) -> None:
    page = login("ana").get("/processes/").text
    assert COLLECTION in page
    assert "2 versions" in page
    assert "steward" in page
    assert "1 stuck" in page
    assert "The report is published by a script now" in page


def test_only_who_may_start_an_instance_is_offered_to(tail: Tail, login: Login) -> None:
    for name, offered in (("ana", False), ("olga", True), ("ed", True), ("admin", True)):
        for path in ("/processes/", PAGE):
            assert ("/instances/-/start/?process=Quarterly" in login(name).get(path).text) == offered


def test_an_empty_store_says_how_a_process_comes_in(login: Login) -> None:
    assert "importprocess" in login("ed").get("/processes/").text


def test_a_process_is_shown_as_its_table_with_what_is_wrong(tail: Tail, login: Login) -> None:
    page = login("ana").get(PAGE).text
    assert "each_country" in page
    assert "<em><bdi>false</bdi></em>" in page
    assert "There is no “publish.sh”" in page
    assert "waits for" in page


def test_an_older_version_is_shown_as_such(tail: Tail, login: Login) -> None:
    old = tail.versions(COLLECTION)[0].version
    page = login("ana").get(PAGE, {"version": old}).text
    assert "This is an older version" in page
    assert "publish.sh" not in page.split("versions", 1)[0]


@pytest.mark.parametrize("path", ["/processes/None/", PAGE + "?version=00000000"])
def test_what_was_never_saved_is_404(tail: Tail, login: Login, path: str) -> None:
    assert login("ana").get(path).status_code == 404


@pytest.mark.parametrize("name", ["a/b", "100 %", "..", ".", "ü", "<i>x</i>", "a?b#c", "%2F"])
def test_every_name_has_an_address(cast: dict[str, User], store: Path, login: Login, name: str) -> None:
    definitions.save(shared(store), anybody("ed"), name, table({"task": "t", "name": "T", "role": "analyst"}), "")
    ana = login("ana")
    page = ana.get("/processes/").text
    address = page.split('class="strong" href="')[1].split('"')[0]
    shown = ana.get(address)
    assert shown.status_code == 200
    assert "<i>x</i>" not in shown.text


def test_by_roles_only_processes_of_the_own_roles_are_listed(tail: Tail, login: Login, settings: Any) -> None:
    settings.FOLDBOARD_VIEW = "roles"
    sam = login("sam")
    page = sam.get("/processes/").text
    assert COLLECTION in page
    assert "/processes/Release/" not in page
    assert sam.get("/processes/Release/").status_code == 404
    assert sam.get(PAGE).status_code == 200


def test_what_changed_is_told_cell_by_cell() -> None:
    before = table({"task": "a", "name": "A", "due": "2d"}, {"task": "b", "name": "B"}, {"task": "c", "name": "C"})
    after = table(
        {"task": "a", "name": "A", "due": "3d", "role": "x"}, {"task": "b", "name": "B"}, {"task": "d", "name": "D"}
    )
    assert changes(before, after) == [
        Changed("a", "changed", (("role", "", "x"), ("due", "2d", "3d"))),
        Changed("d", "added", (("name", "", "D"),)),
        Changed("c", "removed", (("name", "C", ""),)),
    ]


def test_rows_that_moved_are_said_to_be_below_which() -> None:
    a: dict[str, str | None] = {"task": "a", "name": "A"}
    b: dict[str, str | None] = {"task": "b", "name": "B"}
    moved = b | {"due": "1d"}
    assert changes(table(a, b), table(b, a)) == [Changed("b", "moved", (), moved=True, above="")]
    assert changes(table(a, b), table(moved, a)) == [Changed("b", "changed", (("due", "", "1d"),), moved=True)]


def test_a_column_of_ones_own_that_comes_or_goes_is_told() -> None:
    a: dict[str, str | None] = {"task": "a", "name": "A"}
    assert changes(table(a), table(a | {"cost": ""})) == [Changed("", "added", (("cost", "", "cost"),))]


def test_the_versions_tell_who_when_why_and_what_changed(tail: Tail, login: Login) -> None:
    page = login("ana").get(PAGE).text
    assert "1 row differs from the version before" in page
    assert "<ins><bdi>publish.sh</bdi></ins>" in page
    assert "The report is published by a script now" in page


def test_an_editor_restores_an_older_version_as_a_new_one(tail: Tail, login: Login) -> None:
    old = tail.versions(COLLECTION)[0].version
    ed = login("ed")
    assert "Restore…" in ed.get(PAGE).text
    done = ed.post(PAGE + "restore/", {"version": old}, follow=True)
    assert "the older version is the newest again" in done.text
    newest = tail.definition(COLLECTION)
    assert newest is not None
    assert (newest.version, newest.actor, len(tail.versions(COLLECTION))) == (old, "ed", 3)
    assert newest.note.startswith(f"Restored version {old}")
    assert "has no version" in ed.post(PAGE + "restore/", {"version": "00000000"}, follow=True).text


@pytest.mark.parametrize("name", ["ana", "sam", "mira", "olga", "nobody"])
def test_only_a_process_editor_restores(tail: Tail, login: Login, name: str) -> None:
    old = tail.versions(COLLECTION)[0].version
    client = login(name)
    assert "Restore…" not in client.get(PAGE).text
    assert client.post(PAGE + "restore/", {"version": old}).status_code == 403
    assert len(tail.versions(COLLECTION)) == 2


def test_who_has_unsaved_changes_is_told_on_the_page_of_the_process(tail: Tail, login: Login, cast: Any) -> None:
    ed = login("ed")
    assert "unsaved changes" not in ed.get(PAGE).text
    drafts.begin(cast["ed"], tail, COLLECTION)
    page = ed.get(PAGE).text
    assert "You have unsaved changes since version" in page
    assert "Go on editing" in page
    assert "your draft" in ed.get("/processes/").text
    assert "unsaved changes" not in login("ana").get(PAGE).text
    ed.post(PAGE + "edit/discard/")
    assert "unsaved changes" not in ed.get(PAGE).text


def test_a_draft_that_was_never_saved_is_listed_for_its_owner_alone(tail: Tail, login: Login, cast: Any) -> None:
    drafts.begin_new(cast["ed"], tail, "Fresh", table())
    assert "Fresh" in login("ed").get("/processes/").text
    assert login("ed").get("/processes/Fresh/").headers["Location"] == "/processes/Fresh/edit/"
    assert "Fresh" not in login("admin").get("/processes/").text
    assert login("admin").get("/processes/Fresh/").status_code == 404


def test_the_picture_is_on_the_page_of_a_process(tail: Tail, login: Login) -> None:
    page = login("ana").get(PAGE).text
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="pic"' in page
    assert 'href="#row-qa"' in page
