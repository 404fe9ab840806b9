"""The saved processes: the list and each of them to read."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from board.log.tail import Tail, shared
from board.process.table import ProcessTable
from board.selectors.processes import changes
from board.services import definitions
from board.services.actor import anybody
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
    found = [tuple(change) for change in changes(before, after)]
    assert found == [
        ("c", "removed", ()),
        ("a", "changed", (("due", "2d", "3d"), ("role", "", "x"))),
        ("d", "added", ()),
    ]


def test_rows_that_only_moved_are_said() -> None:
    a: dict[str, str | None] = {"task": "a", "name": "A"}
    b: dict[str, str | None] = {"task": "b", "name": "B"}
    assert [tuple(change) for change in changes(table(a, b), table(b, a))] == [("", "moved", ())]
