"""One wish for many rows: asked about once, done row by row, and said of each that was left."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from board.log.tail import Tail
from tests.views.boards import say, start, through_review
from tests.views.conftest import Login

BULK = "/instances/2026Q1/bulk/"
RWANDA, CAMBODIA, NORWAY, BRAZIL = 8, 9, 10, 11  # the rows of Review


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = start(store)
    through_review(found)
    return found


def finished(tail: Tail) -> list[tuple[str, str]]:
    found = tail.history("2026Q1", task="review", field="status")
    return [(entry.event.element, entry.event.actor) for entry in reversed(found)]


def send(client: Client, rows: list[int], **form: str) -> Any:
    return client.post(BULK, form | {"row": [str(row) for row in rows]})


def test_first_it_asks_and_says_how_many_and_which(tail: Tail, login: Login) -> None:
    response = send(login("ana", htmx=True), [RWANDA, NORWAY], do="finish")
    assert response.status_code == 200
    assert "Finish 2 rows" in response.text
    assert "Review · Rwanda" in response.text
    assert re.findall(r'name="row" value="(\d+)"', response.text) == ["8", "10"]
    assert finished(tail) == []


def test_sure_does_exactly_the_rows_that_were_asked_about(tail: Tail, login: Login) -> None:
    say(tail, "delivery", "done", "Brazil")
    response = send(login("ana", htmx=True), [RWANDA, NORWAY], do="finish", sure="yes", value="done", note="ok")
    assert finished(tail) == [("Rwanda", "ana"), ("Norway", "ana")]
    assert "2 of 2 finished." in response.text
    assert json.loads(response["HX-Trigger"])["ticked"] == {"keep": []}


def test_what_cannot_be_done_is_named_with_its_reason_and_stays_ticked(tail: Tail, login: Login) -> None:
    say(tail, "review", "done", "Norway", actor="ben")
    say(tail, "review", "ben", "Brazil", field="assignee", actor="sam")
    response = send(login("ana", htmx=True), [RWANDA, NORWAY, BRAZIL, 0], do="finish", sure="yes", value="done")
    assert "1 of 4 finished." in response.text
    assert "ben was first" in response.text
    assert "take it over first" in response.text
    assert "done by a message" in response.text
    assert json.loads(response["HX-Trigger"])["ticked"] == {"keep": [0, NORWAY, BRAZIL]}
    assert finished(tail) == [("Norway", "ben"), ("Rwanda", "ana")]


def test_sent_twice_it_does_nothing_twice(tail: Tail, login: Login) -> None:
    for _ in range(2):
        send(login("ana"), [RWANDA, NORWAY], do="finish", sure="yes", value="done")
    assert len(finished(tail)) == 2


def test_a_note_that_an_answer_asks_for_is_asked_for_once(tail: Tail, login: Login) -> None:
    for element in ("Rwanda", "Cambodia", "Norway", "Brazil"):
        say(tail, "review", "done", element, actor="ben")
    say(tail, "approve", "done", actor="sam")
    response = send(login("ana", htmx=True), [13], do="finish", sure="yes", value="false")
    assert response.status_code == 422
    assert "asks for a note" in response.text
    response = send(login("ana", htmx=True), [13], do="finish", sure="yes", value="false", note="gap")
    assert "1 of 1 finished." in response.text


def test_rows_without_an_answer_in_common_cannot_be_finished_together(tail: Tail, login: Login) -> None:
    response = send(login("ana", htmx=True), [RWANDA, 13], do="finish")
    assert "no answer in common" in response.text
    response = send(login("ana", htmx=True), [RWANDA], do="finish", sure="yes")
    assert response.status_code == 422
    assert finished(tail) == []


def test_assigning_many_offers_who_holds_the_role_and_appends_one_event_each(tail: Tail, login: Login) -> None:
    response = send(login("olga", htmx=True), [RWANDA, NORWAY], do="assign")
    assert 'value="ben"' in response.text
    assert 'value="sam"' not in response.text
    response = send(login("olga", htmx=True), [RWANDA, NORWAY], do="assign", sure="yes", assignee="ben")
    assert "2 of 2 assigned." in response.text
    response = send(login("olga", htmx=True), [CAMBODIA], do="assign", sure="yes", assignee="sam")
    assert "does not hold the role" in response.text
    found = tail.history("2026Q1", task="review", field="assignee")
    assert [(entry.event.element, entry.event.value) for entry in found] == [("Norway", "ben"), ("Rwanda", "ben")]


@pytest.mark.parametrize("rows", [[], ["x"], ["-1"], ["99999"], ["1e3"], ["٣"]])
def test_without_rows_nothing_is_done(tail: Tail, login: Login, rows: list[str]) -> None:
    response = login("ana", htmx=True).post(BULK, {"do": "finish", "sure": "yes", "value": "done", "row": rows})
    assert response.status_code == 422
    assert "Tick the rows first" in response.text


def test_who_has_no_right_changes_nothing(tail: Tail, login: Login) -> None:
    response = send(login("nobody", htmx=True), [RWANDA], do="finish", sure="yes", value="done")
    assert "0 of 1 finished." in response.text
    assert finished(tail) == []


def test_without_scripts_it_is_two_pages_and_leads_back_to_the_filter(tail: Tail, login: Login) -> None:
    client, back = login("ana"), "/instances/2026Q1/?status=open"
    asked = send(client, [RWANDA], do="finish", back=back)
    assert "<h1>" in asked.text
    assert f'value="{back}"' in asked.text
    assert send(client, [RWANDA], do="finish", sure="yes", value="done", back=back)["Location"] == back
    evil = send(client, [NORWAY], do="finish", sure="yes", value="done", back="https://evil.example/")
    assert evil["Location"] == "/instances/2026Q1/"
