"""The list of instances, starting a new one, ending one."""

import html
import json
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from board.log.tail import Tail, shared
from board.process.definition.table import ProcessTable
from board.services import definitions, instances
from board.services.actor import anybody
from tests.views.boards import OLGA, say, start, table
from tests.views.conftest import Login

START = "/instances/-/start/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = shared(store)
    definitions.save(found, anybody("ed"), "Collection", table(), "first")
    single = ProcessTable.from_rows([{"task": "a", "name": "A", "role": "analyst"}])
    definitions.save(found, anybody("ed"), "Single", single, "first")
    return found


def table_of_one() -> str:
    """A process as the log has it."""
    table = ProcessTable.from_rows([{"task": "a", "name": "A", "role": "analyst"}])
    return json.dumps(table.to_columns())


def listed(page: str) -> list[str]:
    return re.findall(r'<h2><a href="/instances/([^/]+)/">', page)


def test_what_is_stuck_comes_first_and_what_is_over_last(tail: Tail, store: Path, login: Login) -> None:
    for name in ("over", "cancelled", "stuck", "goes-on"):
        instances.start(tail, OLGA, "Single", name)
    say(tail, "a", "done", instance="over", actor="ana")
    say(tail, "a", "failed", instance="stuck", actor="ana")
    instances.cancel(tail, "cancelled", OLGA, "no")
    page = login("nobody").get("/instances/").text
    assert listed(page) == ["stuck", "goes-on", "over", "cancelled"]
    assert "Stuck: failed: A" in page
    assert "0 / 1" in page
    assert listed(login("nobody").get("/instances/?state=stuck").text) == ["stuck"]
    assert listed(login("nobody").get("/instances/?text=GOES+single").text) == ["goes-on"]
    assert "No instance matches" in login("nobody").get("/instances/?text=none").text


def test_an_empty_list_says_what_to_do(cast: dict[str, User], login: Login) -> None:
    assert "make one first" in login("ed").get("/instances/").text
    assert "An operator or a process editor can start one." in login("ana").get("/instances/").text


def test_a_long_list_comes_in_pages(tail: Tail, login: Login) -> None:
    for n in range(70):
        instances.start(tail, OLGA, "Single", f"i{n:02}")
    page = login("ana").get("/instances/").text
    assert len(listed(page)) == 60
    assert "The next 10" in page
    assert listed(login("ana").get("/instances/?from=60").text) == [f"i{n:02}" for n in range(9, -1, -1)]


def test_with_view_by_roles_the_list_holds_ones_own_only(tail: Tail, login: Login, settings: object) -> None:
    settings.FOLDBOARD_VIEW = "roles"  # type: ignore[attr-defined]
    instances.start(tail, OLGA, "Single", "one")
    assert listed(login("ana").get("/instances/").text) == ["one"]
    assert listed(login("sam").get("/instances/").text) == []


def test_an_instance_is_started_from_a_pasted_list_with_facets_and_assignees(tail: Tail, login: Login) -> None:
    pasted = "country\tregion\tassignee\nRwanda\tAfrica\tana\nNorway\tEurope\t"
    response = login("olga").post(START, {"process": "Collection", "id": "2027Q1", "elements": pasted}, follow=True)
    assert "2027Q1 is started." in response.text
    assert "Any region" in response.text
    found = tail.get("2027Q1")
    assert found is not None
    assert found.value(found.find("review", "Rwanda") or 0, "assignee") == "ana"
    assert found.created_by == "olga"


def test_the_elements_of_last_time_are_one_click_away(tail: Tail, login: Login) -> None:
    olga, again = login("olga"), f"{START}?process=Collection&same=1"
    assert "last time" not in olga.get(f"{START}?process=Collection").text
    pasted = "country\tregion\tassignee\nRwanda\tAfrica\tana\nNo <b>\tEurope\t"
    olga.post(START, {"process": "Collection", "id": "2026Q4", "elements": pasted})
    olga.post(START, {"process": "Collection", "id": "none-this-time", "none": "yes"})
    page = olga.get(f"{START}?process=Collection").text
    assert "Same elements as last time" in page
    assert "2 from <bdi>2026Q4</bdi>" in page
    assert "Rwanda" not in page
    assert "last time" not in olga.get(f"{START}?process=Single").text
    filled = re.search(r"<textarea[^>]*>(.*?)</textarea>", olga.get(again).text, re.DOTALL)
    assert filled is not None
    assert html.unescape(filled[1]).strip() == pasted.strip()
    olga.post(START, {"process": "Collection", "id": "2027Q1", "elements": html.unescape(filled[1])})
    first, second = tail.get("2026Q4"), tail.get("2027Q1")
    assert first is not None
    assert second is not None
    assert first.elements == second.elements


def test_an_instance_is_started_from_a_file(tail: Tail, login: Login) -> None:
    file = SimpleUploadedFile("list.csv", b"\xef\xbb\xbfcountry;region\r\nRwanda;Africa\r\nCote d'Ivoire;Africa\r\n")
    login("ed").post(START, {"process": "Collection", "id": "f", "elements": "", "file": file})
    found = tail.get("f")
    assert found is not None
    assert found.elements.ids == ("Rwanda", "Cote d'Ivoire")


def test_a_process_without_groups_needs_no_list(tail: Tail, login: Login) -> None:
    assert login("olga").post(START, {"process": "Single", "id": "s"})["Location"] == "/instances/s/"


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"process": "", "id": "", "elements": "a\nb"}, "2 things are in the way"),
        ({"process": "Collection", "id": "x", "elements": ""}, "An element list is missing"),
        ({"process": "Collection", "id": "../x", "elements": "Rwanda"}, "may have letters"),
        ({"process": "Collection", "id": "latest", "elements": "Rwanda"}, "reserved"),
        ({"process": "Collection", "id": "taken", "elements": "Rwanda"}, "already: choose another id"),
        ({"process": "Collection", "id": "x", "elements": "Rwanda\nRwanda"}, "Rwanda"),
        ({"process": "No such", "id": "x", "elements": "Rwanda"}, "There is no process"),
    ],
)
def test_problems_are_shown_and_nothing_typed_is_lost(
    tail: Tail, store: Path, login: Login, form: dict[str, str], says: str
) -> None:
    start(store, "taken")
    before = tail.refresh()
    response = login("olga").post(START, form)
    assert response.status_code == 422
    assert says in response.text
    assert f'value="{form["id"]}"' in response.text
    assert form["elements"] in response.text
    assert tail.refresh() == before


def test_an_uploaded_list_with_problems_comes_back_as_text_to_be_mended(tail: Tail, login: Login) -> None:
    file = SimpleUploadedFile("list.csv", b"country,region\nRwanda,Africa\nRwanda,Asia\n")
    response = login("olga").post(START, {"process": "Collection", "id": "x", "file": file})
    assert response.status_code == 422
    assert "Rwanda,Asia" in response.text


def test_zero_elements_are_started_when_it_is_said_so(tail: Tail, login: Login) -> None:
    response = login("olga").post(START, {"process": "Collection", "id": "zero", "elements": "", "none": "yes"})
    assert response.status_code == 302
    found = tail.get("zero")
    assert found is not None
    assert found.elements.ids == ()


@pytest.mark.parametrize("name", ["ana", "sam", "nobody"])
def test_who_neither_operates_nor_edits_starts_and_cancels_nothing(tail: Tail, login: Login, name: str) -> None:
    instances.start(tail, OLGA, "Single", "one")
    assert login(name).get(START).status_code == 403
    assert login(name).post(START, {"process": "Single", "id": "x"}).status_code == 403
    assert login(name).post("/instances/one/cancel/", {"do": "cancel", "reason": "x"}).status_code == 403
    assert "Cancel…" not in login(name).get("/instances/one/").text
    assert tail.get("x") is None


def test_an_operator_cancels_with_a_reason_and_resumes(tail: Tail, login: Login) -> None:
    instances.start(tail, OLGA, "Single", "one")
    client = login("olga")
    assert "Cancel…" in client.get("/instances/one/").text
    assert client.post("/instances/one/cancel/", {"do": "cancel", "reason": " "}).status_code == 422
    assert client.post("/instances/one/cancel/", {"do": "cancel", "reason": "wrong"})["Location"] == "/instances/one/"
    assert "wrong" in client.get("/instances/one/").text
    assert client.post("/instances/one/cancel/", {"do": "resume"})["Location"] == "/instances/one/"
    assert "Resume…" not in client.get("/instances/one/").text
    assert login("ed").get("/instances/one/cancel/").status_code == 403


def test_what_the_log_holds_of_an_instance_may_be_broken_and_the_list_still_stands(
    tail: Tail, store: Path, login: Login
) -> None:
    with (store / "events.jsonl").open("a") as log:
        log.write(
            '{"ts":"2026-11-29T16:04:31Z","instance":"odd","task":"@instance","field":"name","value":"x","actor":"x"}\n'
        )
    instances.start(tail, OLGA, "Single", "one")
    page = login("ana").get("/instances/").text
    assert "cannot be read" in page
    assert listed(page) == ["odd", "one"]
    for path in ("", "log/", "tasks/a/"):
        told = login("ana").get(f"/instances/odd/{path}")
        assert told.status_code == 404
        assert "odd</bdi> cannot be shown" in told.text
        assert "the process is missing" in told.text
        assert "Show this page to an operator" in told.text
    assert b'"field":"name"' in login("ana").get("/instances/odd/log/events.jsonl").getvalue()
    assert "/instances/-/start/?process=x" in login("olga").get("/instances/odd/").text
    say(tail, "@instance", table_of_one(), field="process", instance="odd")
    assert login("ana").get("/instances/odd/").status_code == 200


def test_by_roles_what_cannot_be_read_is_for_operators_and_editors(tail: Tail, login: Login, settings: object) -> None:
    settings.FOLDBOARD_VIEW = "roles"  # type: ignore[attr-defined]
    say(tail, "@instance", "Secret", field="name", instance="odd")
    assert listed(login("ana").get("/instances/").text) == []
    assert "cannot be shown" not in login("ana").get("/instances/odd/").text
    assert login("ana").get("/instances/odd/log/events.jsonl").status_code == 404
    assert "cannot be shown" in login("olga").get("/instances/odd/").text
