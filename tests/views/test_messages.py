"""What came by message says so wherever it is shown: a message may call itself as it likes."""

import html
import json
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from board.log.store import Store
from board.log.tail import Tail
from board.services.inbox import Inbox
from tests.views.boards import ROWS, start, through_review
from tests.views.conftest import Login

BOARD = "/instances/2026Q1/"
# `mira` is a person who never did anything here
SAID = [
    {"task": "review", "element": "Norway", "field": "note", "value": "looks fine"},
    {"task": "review", "element": "Norway", "field": "assignee", "value": "ben"},
    {"task": "review", "element": "Norway", "field": "colour", "value": "blue"},
    {"task": "review", "element": "Rwanda", "value": "doing"},
    {"task": "review", "element": "Brazil"},
    {"task": "review", "element": "Cambodia"},
    {"task": "review", "element": "Cambodia", "value": "open"},
    {"task": "delivery", "element": "Norway", "value": "failed"},
    {"task": "qa", "field": "note", "value": "the sum is off"},
    {"task": "qa", "value": "false"},
    {"task": "fix"},
]


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = start(store, rows=[row | {"depends_on": "approve, fix"} if row["task"] == "qa" else row for row in ROWS])
    through_review(found)
    return found


def send(tail: Tail, store: Path, said: list[dict[str, str]]) -> None:
    place = Store(store).ensure()
    for number, message in enumerate(said):
        (place.inbox / f"{number:02}.json").write_text(json.dumps(message | {"instance": "2026Q1", "actor": "mira"}))
    assert len(Inbox(tail, place).take_in().applied) == len(said)


def words(page: str) -> str:
    body = page[page.find("<main") :]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


PAGES = (
    BOARD, f"{BOARD}?at=99999", f"{BOARD}log/", "/work/", "/instances/", "/worker/",
    *(f"{BOARD}tasks/review@{name}/" for name in ("Norway", "Rwanda", "Brazil", "Cambodia")),
    f"{BOARD}tasks/qa/", f"{BOARD}tasks/fix/", f"{BOARD}tasks/delivery@Norway/",
)  # fmt: skip


@pytest.mark.parametrize("many", range(1, len(SAID) + 1))
def test_no_page_shows_a_message_as_a_person(tail: Tail, store: Path, login: Login, many: int) -> None:
    send(tail, store, SAID[:many])
    shown = 0
    for name in ("ana", "olga"):
        client = login(name)
        for page in PAGES:
            said = re.findall(r"[Mm]ira\b(.{0,40})", words(client.get(page).text))
            assert all(re.match(r"( \(re-arm\))? \(by message \d\d\.json\)", after) for after in said), (page, said)
            shown += len(said)
    assert shown


def test_a_refusal_says_that_a_message_was_first(tail: Tail, store: Path, login: Login) -> None:
    send(tail, store, [{"task": "review", "element": "Norway"}])
    answer = login("ana").post(f"{BOARD}tasks/review@Norway/act/", {"do": "finish", "value": "done"}, follow=True)
    assert "mira (by message 00.json) was first" in words(answer.text)


def test_a_message_is_nobodys_own_work(tail: Tail, store: Path, login: Login) -> None:
    send(tail, store, [{"task": "review", "element": "Norway", "value": "doing"}])
    page = login("olga").get(f"{BOARD}?mine=mira").text
    assert "No row matches" in page


def test_the_events_as_files_keep_the_ref(tail: Tail, store: Path, login: Login) -> None:
    send(tail, store, SAID)
    data = b"".join(login("ana").get(f"{BOARD}log/events.jsonl"))
    events = [event for event in map(json.loads, data.splitlines()) if event["actor"].startswith("mira")]
    assert {event["ref"] for event in events} == {f"{number:02}.json" for number in range(len(SAID))}
    assert "mira (re-arm)" in {event["actor"] for event in events}
