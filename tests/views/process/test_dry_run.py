"""The dry run: a definition played through by forms, and nothing of it written."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from board.log.tail import Tail, shared
from board.process.definition.table import ProcessTable
from board.process.editing.grid import Grid
from board.services import definitions
from board.services.actor import anybody
from board.web import drafts
from tests.views.conftest import Login

ROWS: list[dict[str, str | None]] = [
    {"task": "each", "name": "Each unit", "collection": "unit"},
    {"task": "load", "name": "Load", "parent": "each", "role": "system", "script": "load.py"},
    {"task": "qa", "name": "QA", "role": "analyst", "depends_on": "each, fix"},
    {"task": "fix", "name": "Fix", "role": "analyst", "depends_on": "qa:false"},
    {"task": "end", "name": "End", "role": "management", "depends_on": "qa:true"},
]
TRY = "/processes/P/try/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = shared(store)
    definitions.save(found, anybody("admin"), "P", ProcessTable.from_rows(ROWS), "")
    return found


class Player:
    """Somebody who plays: it presses the buttons of the page."""

    def __init__(self, client: Client, path: str = TRY) -> None:
        self.client, self.path = client, path
        self.page = client.get(path).text

    @property
    def moves(self) -> str:
        found = re.search(r'name="moves" value="([^"]*)"', self.page)
        assert found is not None
        return unescape(found[1])

    @property
    def buttons(self) -> list[list[str]]:
        return [json.loads(unescape(said)) for said in re.findall(r'name="finish" value="([^"]*)"', self.page)]

    def press(self, *step: str) -> None:
        assert list(step) in self.buttons
        self.send(finish=json.dumps(step))

    def send(self, **form: str) -> None:
        answer = self.client.post(self.path, {"moves": self.moves} | form)
        assert answer.status_code == 200
        self.page = answer.text

    @property
    def effects(self) -> list[str]:
        part = self.page.split('id="brought"')[1].split("</section>")[0]
        return [re.sub("<[^>]*>", "", line) for line in re.findall("<li[^>]*>(.*?)</li>", part)]


@pytest.fixture
def player(tail: Tail, login: Login) -> Player:
    return Player(login("ana"))


def test_it_is_played_through_a_loop_to_its_end_with_three_made_up_elements(player: Player, tail: Tail) -> None:
    before = tail.refresh()
    for element in ("first", "second", "third"):
        player.press("load", element, "done")
    assert player.effects == ["QA opened"]
    player.press("qa", "", "false")
    assert player.effects == ["Fix opened", "End skipped"]
    player.press("fix", "", "done")
    assert player.effects == ["QA put back to open", "End waits again"]
    assert "put back to open: <bdi>QA</bdi>" in player.page
    player.press("qa", "", "true")
    player.press("end", "", "done")
    assert "It has come to its end" in player.page
    assert tail.refresh() == before


def test_all_elements_are_answered_at_once(player: Player) -> None:
    player.press("load", "*", "done")
    assert player.effects == ["QA opened"]
    assert len(json.loads(player.moves)) == 3


def test_a_step_is_taken_back(player: Player) -> None:
    player.press("load", "first", "done")
    player.press("load", "second", "failed")
    player.send(do="back")
    assert json.loads(player.moves) == [["load", "first", "done"]]
    player.send(do="back")
    player.send(do="back")
    assert json.loads(player.moves) == []


def test_the_picture_is_coloured_by_the_states(player: Player) -> None:
    player.press("load", "*", "done")
    assert re.search(r'id="node-load" class="node script done"', player.page)
    assert re.search(r'id="node-qa" class="node user open"', player.page)


def test_a_script_can_fail_and_be_repaired(player: Player) -> None:
    player.press("load", "first", "failed")
    assert ["load", "first", "failed"] not in player.buttons
    player.press("load", "first", "done")


@pytest.mark.parametrize(
    "moves",
    ["nonsense", "[", '[["gone", "", "done"]]', '[["end", "", "true"]]', '[["load", "fourth", "done"]]', "[[1]]", "3"],
)
def test_moves_that_cannot_be_are_left_out_and_the_rest_is_played(player: Player, moves: str) -> None:
    answer = player.client.post(TRY, {"moves": moves})
    assert answer.status_code == 200
    assert "load" in answer.text
    good = [["load", "first", "done"]]
    answer = player.client.post(TRY, {"moves": json.dumps([*good, ["end", "", "done"], *good])})
    assert "begin the dry run anew" in answer.text
    player.page = answer.text
    assert json.loads(player.moves) == good


def test_a_draft_is_played_by_its_owner_alone(tail: Tail, login: Login, cast: dict[str, User]) -> None:
    draft = drafts.begin(cast["ed"], tail, "P")
    drafts.change(draft, 0, lambda _: Grid.of(ProcessTable.from_rows([{"task": "mine", "name": "Mine alone"}])))
    assert "Mine alone" in login("ed").get(TRY + "?draft=1").text
    for other in ("ana", "admin"):
        assert "Mine alone" not in login(other).get(TRY + "?draft=1").text
    player = Player(login("ed"), TRY + "?draft=1")
    player.press("mine", "", "done")
    assert "It has come to its end" in player.page


def test_an_older_version_is_played(tail: Tail, login: Login) -> None:
    old = tail.versions("P")[0].version
    definitions.save(tail, anybody("admin"), "P", ProcessTable.from_rows([{"task": "one", "name": "One"}]), "")
    assert "Load" in login("ana").get(TRY, {"version": old}).text
    assert "Load" not in login("ana").get(TRY).text


def test_a_table_with_errors_says_what_is_in_the_way(tail: Tail, login: Login, cast: dict[str, User]) -> None:
    draft = drafts.begin(cast["ed"], tail, "P")
    drafts.change(draft, 0, drafts.edit_of({"do": "put", "row": 4, "column": "depends_on", "block": [["gone"]]}))
    page = login("ed").get(TRY + "?draft=1").text
    assert "1 error keeps it from being started" in page
    assert "There is no task “gone”" in page


def test_groups_in_groups_say_that_they_cannot_be_started_yet(tail: Tail, login: Login) -> None:
    rows: list[dict[str, str | None]] = [
        {"task": "outer", "collection": "region"},
        {"task": "inner", "collection": "unit", "parent": "outer"},
        {"task": "work", "parent": "inner"},
    ]
    definitions.save(tail, anybody("admin"), "Nested", ProcessTable.from_rows(rows), "")
    assert "cannot be started yet" in login("ana").get("/processes/Nested/try/").text


def test_what_cannot_be_seen_cannot_be_played(tail: Tail, login: Login, settings: Any) -> None:
    assert login("ana").get("/processes/None/try/").status_code == 404
    settings.FOLDBOARD_VIEW = "roles"
    assert login("sam").get(TRY).status_code == 404
    assert login("mira").get(TRY).status_code == 200
