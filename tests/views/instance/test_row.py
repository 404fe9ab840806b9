"""The page of a row, and what people do to it: granted, refused, too late, twice, all at once."""

import json
import re
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import Group, User
from django.db import connections
from django.test import Client

from board.log.tail import Tail
from board.process.flow.flow import compile_flow
from board.selectors.instance.rows import row_path
from tests.cast import make_cast
from tests.views.boards import say, start, table, through_review
from tests.views.conftest import Login

ROW = "/instances/2026Q1/tasks/review@Rwanda/"
APPROVE = "/instances/2026Q1/tasks/approve/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = start(store)
    through_review(found)
    return found


def status(tail: Tail, task: str, element: str = "") -> str:
    with tail.reading():
        instance = tail.get("2026Q1")
        assert instance is not None
        row = instance.find(task, element)
        assert row is not None
        return instance.status(row)


def told(tail: Tail, field: str, task: str = "review", element: str | None = "Rwanda") -> list[tuple[str, str]]:
    """(value, actor) of every event of a row with this field, the newest first."""
    found = tail.history("2026Q1", task=task, element=element, field=field)
    return [(entry.event.value, entry.event.actor) for entry in found]


def do(client: Client, path: str, **form: str) -> Any:
    return client.post(f"{path}act/", form)


# the page


def test_the_page_shows_the_instruction_the_gates_and_what_comes_after(tail: Tail, login: Login) -> None:
    page = login("ana").get(ROW).text
    assert "<strong>last year</strong>" in page
    assert "&lt;script&gt;alert(1)" in page
    assert re.search(r'tasks/validate@Rwanda/"><bdi>Validate</bdi></a> <span class="soft"><bdi>finished', page)
    assert "After it: <bdi>Approve data</bdi>" in page
    assert "Africa" in page


def test_a_blocked_row_says_what_it_waits_for(tail: Tail, login: Login) -> None:
    page = login("sam").get(APPROVE).text
    assert "for Each country" in page
    assert "waits for it" in page
    assert "Approve data waits for Each country." in page


def test_rounds_comments_and_their_people_are_kept_and_labelled(tail: Tail, login: Login) -> None:
    client = login("ana")
    for n in (1, 2, 3):
        do(client, ROW, do="finish", value="done", note=f"note {n}")
        if n < 3:
            do(client, ROW, do="reopen", note=f"again {n}")
    page = client.get(ROW).text
    for n in (1, 2, 3):
        assert f"Round {n}" in page
        assert f"note {n}" in page
    assert "again 2" in page


@pytest.mark.parametrize(
    "element", ["a/b", "..", ".", "a%2Fb", "a b", "x?y#z", "Côte d'Ivoire", "日本", "a;b&c=d", "\\", "a/act/", "1"]
)
def test_any_element_has_an_address_of_its_own(cast: dict[str, User], store: Path, login: Login, element: str) -> None:
    elements = [(each, "x") for each in ("a/b", "a%2Fb", "1", element) if each != element] + [(element, "it")]
    through_review(start(store, elements=elements), [element])
    path = f"/instances/2026Q1/tasks/{row_path('review', element)}/"
    assert re.fullmatch(r"[A-Za-z0-9_.~%@/-]+", path)
    client = login("ana")
    page = client.get(path)
    assert page.status_code == 200
    assert do(client, path, do="finish", value="done").status_code == 302
    assert f'action="{path}act/"' in page.text
    assert path in client.get("/instances/2026Q1/").text


def test_an_element_encoded_once_is_found_too(tail: Tail, login: Login) -> None:
    for address in ("review@Rwanda", "review%40Rwanda", "review@" + quote("Rwanda")):
        assert login("ana").get(f"/instances/2026Q1/tasks/{address}/").status_code == 200
    for unknown in ("review", "review@Atlantis", "nonsense", "approve@Rwanda", "country"):
        assert login("ana").get(f"/instances/2026Q1/tasks/{unknown}/").status_code == 404


# what people do


def test_a_holder_takes_starts_and_finishes(tail: Tail, login: Login) -> None:
    client = login("ana")
    assert do(client, ROW, do="take").status_code == 302
    assert told(tail, "assignee") == [("ana", "ana")]
    do(client, ROW, do="start")
    assert status(tail, "review", "Rwanda") == "doing"
    response = client.post(f"{ROW}act/", {"do": "finish", "value": "done", "note": "fine"}, follow=True)
    assert "Review · Rwanda: finished." in response.text
    assert told(tail, "note") == [("fine", "ana")]
    assert told(tail, "status")[0] == ("done", "ana")


def test_without_scripts_the_form_leads_back_where_it_was_sent_from_and_nowhere_else(tail: Tail, login: Login) -> None:
    client = login("ana")
    assert do(client, ROW, do="take", next="/instances/2026Q1/?text=x")["Location"] == "/instances/2026Q1/?text=x"
    for evil in ("https://evil.example/", "//evil.example/", "javascript:alert(1)", "\\\\evil"):
        assert do(client, ROW, do="comment", note=f"to {evil}", next=evil)["Location"] == ROW


def test_on_the_board_the_answer_is_the_row_as_it_is_now(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    response = do(client, ROW, do="finish", value="done", place="board")
    assert response.status_code == 200
    assert re.search(r'<template><table><tbody><tr id="r8" data-s="done"', response.text)
    assert json.loads(response["HX-Trigger"])["acted"] == {"row": "r8", "said": "Review · Rwanda: finished."}


def test_an_answer_that_rejects_asks_for_a_note_and_keeps_the_form(tail: Tail, login: Login) -> None:
    for element in ("Rwanda", "Cambodia", "Norway", "Brazil"):
        say(tail, "review", "done", element, actor="ben")
    say(tail, "approve", "done", actor="sam")
    qa, client = "/instances/2026Q1/tasks/qa/", login("ana", htmx=True)
    assert 'value="false"' in login("ana").get(qa).text
    response = do(client, qa, do="finish", value="false")
    assert response.status_code == 422
    assert "asks for a note" in response.text
    assert 'aria-invalid="true"' in response.text
    assert do(client, qa, do="finish", value="false", note="gap in 1992").status_code == 204
    assert status(tail, "qa") == "false"


@pytest.mark.parametrize(
    "form",
    [{}, {"do": ""}, {"do": "delete"}, {"do": "finish"}, {"do": "finish", "value": "open"}, {"do": "comment"},
     {"do": "reopen"}, {"do": "due", "due": "next week"}, {"do": "assign", "assignee": "sam"},
     {"do": "assign", "assignee": "no such person"}],
)  # fmt: skip
def test_a_form_that_says_too_little_changes_nothing(tail: Tail, login: Login, form: dict[str, str]) -> None:
    before = tail.refresh()
    response = do(login("ana"), ROW, **form)
    assert response.status_code in (403, 409, 422)
    assert 'role="alert"' in response.text
    assert tail.refresh() == before


def test_what_was_typed_comes_back_with_the_reason(tail: Tail, login: Login) -> None:
    response = do(login("ana"), ROW, do="due", due="someday", note="")
    assert "someday" in response.text
    say(tail, "review", "done", "Rwanda", actor="ben")
    response = do(login("ana"), ROW, do="finish", value="done", note="my long note")
    assert response.status_code == 409
    assert "ben was first" in response.text
    assert "my long note" in response.text


def test_whoever_comes_second_is_told_who_was_first_and_when(tail: Tail, login: Login) -> None:
    do(login("ben"), ROW, do="finish", value="done")
    response = do(login("ana", htmx=True), ROW, do="finish", value="done", place="board")
    assert response.status_code == 409
    assert "already “done”: ben was first, today" in response.text
    assert 'data-s="done"' in response.text
    assert len(told(tail, "status")) == 1


def test_the_same_form_sent_twice_does_one_thing_and_says_it_twice(tail: Tail, login: Login) -> None:
    client = login("ana")
    wishes: list[dict[str, str]] = [
        {"do": "take"},
        {"do": "start"},
        {"do": "comment", "note": "hm"},
        {"do": "due", "due": "2027-01-01"},
        {"do": "assign", "assignee": "ana"},
        {"do": "finish", "value": "done", "note": "ok"},
        {"do": "reopen", "note": "again"},
    ]
    for wish in wishes:
        do(client, ROW, **wish)
        before = tail.refresh()
        assert do(client, ROW, **wish).status_code == 302, wish
        assert tail.refresh() == before, wish


@pytest.mark.parametrize("name", ["sam", "ed", "nobody", "mira"])
def test_who_does_not_hold_the_role_may_do_nothing_to_a_row(tail: Tail, login: Login, name: str) -> None:
    client, before = login(name), tail.refresh()
    for wish in ("take", "start", "comment", "reopen", "assign", "finish", "retry", "fail", "due"):
        response = do(client, ROW, do=wish, value="done", note="x", assignee="ana", due="2027-01-01")
        assert response.status_code == 403, wish
    assert tail.refresh() == before
    assert "<textarea" not in client.get(ROW).text


def test_a_task_of_another_is_taken_over_before_it_is_finished(tail: Tail, login: Login) -> None:
    say(tail, "review", "ben", "Rwanda", field="assignee", actor="sam")
    client = login("ana")
    assert "Take over from Ben" in client.get(ROW).text
    response = do(client, ROW, do="finish", value="done")
    assert response.status_code == 409
    assert "take it over first" in response.text
    do(client, ROW, do="take")
    assert do(client, ROW, do="finish", value="done").status_code == 302
    assert told(tail, "assignee")[0] == ("ana", "ana")


def test_four_eyes_hold_for_the_account_and_not_for_the_role(tail: Tail, login: Login, cast: dict[str, User]) -> None:
    cast["ana"].groups.add(Group.objects.get(name="steward"))
    for element in ("Rwanda", "Cambodia", "Norway", "Brazil"):
        say(tail, "review", "done", element, actor="ben")
    say(tail, "review", "open", "Norway", actor="ben")
    do(login("ana"), "/instances/2026Q1/tasks/review@Norway/", do="finish", value="done")
    response = do(login("ana"), APPROVE, do="finish", value="done")
    assert response.status_code == 403
    assert "takes somebody else" in response.text
    assert do(login("sam"), APPROVE, do="finish", value="done").status_code == 302


def test_reopening_shows_what_would_be_reopened_and_takes_it_along_if_asked(tail: Tail, login: Login) -> None:
    for element in ("Rwanda", "Cambodia", "Norway", "Brazil"):
        say(tail, "review", "done", element, actor="ben")
    say(tail, "approve", "done", actor="sam")
    say(tail, "qa", "true", actor="ben")
    client = login("ana")
    page = client.get(ROW).text
    assert "Reopen what comes after it too: 2 rows" in page
    assert "<li><bdi>Approve data</bdi></li><li><bdi>QA check</bdi></li>" in page
    do(client, ROW, do="reopen", note="wrong year")
    assert status(tail, "review", "Rwanda") == "open"
    assert status(tail, "approve") == "done"
    assert "stale" in client.get("/instances/2026Q1/").text
    do(client, ROW, do="finish", value="done")
    do(client, ROW, do="reopen", note="all of it", along="yes")
    assert status(tail, "approve") == "blocked"
    assert status(tail, "qa") == "blocked"


def test_an_operator_retries_and_fails_scripts_and_finishes_what_comes_from_outside(tail: Tail, login: Login) -> None:
    say(tail, "validate", "failed", "Norway", actor="worker", attempt="1")
    script = "/instances/2026Q1/tasks/validate@Norway/"
    olga = login("olga")
    assert "Retry" in olga.get(script).text
    assert do(olga, script, do="retry").status_code == 302
    assert status(tail, "validate", "Norway") == "open"
    assert do(olga, script, do="fail", note="hangs").status_code == 302
    assert status(tail, "validate", "Norway") == "failed"
    outside = "/instances/2026Q1/tasks/delivery@Norway/"
    say(tail, "delivery", "open", "Norway", actor="platform")
    assert do(olga, outside, do="finish", value="done").status_code == 422
    assert do(olga, outside, do="finish", value="done", note="came by mail").status_code == 302
    assert do(login("ana"), script, do="retry").status_code == 403


def test_assigning_stays_within_the_role_and_can_be_taken_back(tail: Tail, login: Login, cast: dict[str, User]) -> None:
    olga = login("olga")
    do(olga, ROW, do="assign", assignee="ben")
    assert told(tail, "assignee")[0] == ("ben", "olga")
    cast["ben"].is_active = False
    cast["ben"].save()
    assert do(olga, "/instances/2026Q1/tasks/review@Norway/", do="assign", assignee="ben").status_code == 403
    do(olga, ROW, do="assign", assignee="")
    assert told(tail, "assignee")[0] == ("", "olga")


def test_a_menu_is_for_one_person_and_never_part_of_the_board(tail: Tail, login: Login) -> None:
    assert "csrfmiddlewaretoken" in login("ana").get(f"{ROW}menu/?place=board").text
    assert 'value="done"' not in login("sam").get(f"{ROW}menu/?place=board").text
    board = login("ana").get("/instances/2026Q1/").text
    assert "act/" not in board


def test_an_expired_login_answers_a_fragment_with_401_and_a_form_with_the_kept_form(tail: Tail) -> None:
    assert Client(headers={"HX-Request": "true"}).post(f"{ROW}act/", {"do": "take"}).status_code == 401
    assert Client(headers={"HX-Request": "true"}).get("/instances/2026Q1/news/?v=a-1").status_code == 401
    response = Client().post(f"{ROW}act/", {"do": "take"})
    assert response.status_code in (302, 401)
    assert told(tail, "assignee") == []


def test_a_form_without_its_token_is_refused(tail: Tail, cast: dict[str, User]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast["ana"])
    assert do(client, ROW, do="take").status_code == 403
    assert told(tail, "assignee") == []


@pytest.mark.django_db(transaction=True)
def test_of_twelve_people_pressing_at_once_one_wins_and_the_others_hear_who(store: Path, settings: Any) -> None:
    cast = make_cast()
    tail = start(store)
    through_review(tail, ["Rwanda"])
    clients = []
    for name in ("ana", "ben") * 6:
        client = Client()
        client.force_login(cast[name])
        clients.append(client)
    ready, answers = threading.Barrier(len(clients)), []

    def press(client: Client) -> None:
        ready.wait()
        answers.append(do(client, ROW, do="finish", value="done"))
        real = connections["default"].connection  # Django leaves one to a database in memory open
        connections["default"].connection = None
        real.close()

    threads = [threading.Thread(target=press, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told(tail, "status")) == 1
    winner = told(tail, "status")[0][1]
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [302] * 6 + [409] * 6  # the winner's own further clicks are no conflict
    assert all(f"{winner} was first" in answer.text for answer in answers if answer.status_code == 409)


def test_the_paths_of_rows_differ_whatever_their_elements_are() -> None:
    elements = ["x.1", "x_1", "X.1", "x 1", "x:1", "a/b", "a%2Fb", "a%252Fb", "", ".."]
    assert len({row_path("t", element) for element in elements}) == len(elements)


def test_the_process_of_these_tests_is_sound() -> None:
    assert compile_flow(table()).tasks[-1] == "publish"
