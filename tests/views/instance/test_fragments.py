"""Live: what a poll costs when nothing happens, and what it brings when something did."""

import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from board.log.tail import Tail
from board.selectors.instance.board import news_html
from board.services import instances
from tests.views.boards import OLGA, say, start, through_review
from tests.views.conftest import Login

BOARD = "/instances/2026Q1/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = start(store)
    through_review(found, ["Rwanda", "Norway"])
    return found


def position(client: Client, path: str = BOARD) -> str:
    found = re.search(r'data-v="([^"]+)"', client.get(path).text)
    assert found is not None
    return found[1]


def ask(client: Client, v: str, query: str = "", path: str = BOARD) -> Any:
    return client.get(f"{path}news/?v={v}{query}")


def ids(html: str) -> set[str]:
    """The ids of the fragments of an answer."""
    return set(re.findall(r'<(?:tr|span|g|div|ul)[^>]* id="([^"]+)"', html))


def test_an_idle_poll_is_204_with_one_query_and_without_a_fold_or_a_template(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    v = position(client)
    ask(client, v)
    with (
        patch("board.selectors.instance.snapshots.snapshot", side_effect=AssertionError("folded")),
        patch("django.template.base.Template.render", side_effect=AssertionError("rendered")),
        CaptureQueriesContext(connection) as queries,
    ):
        response = ask(client, v)
    assert response.status_code == 204
    assert response["X-Position"] == v
    assert len(queries) <= 1, [query["sql"] for query in queries]


def test_what_another_does_comes_as_the_changed_fragments_only(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    v = position(client)
    say(tail, "review", "doing", "Norway", actor="ben")
    response = ask(client, v)
    assert response.status_code == 200
    assert {"r10", "h2", "head", "feed"} <= ids(response.text)
    assert "r8" not in ids(response.text)
    assert 'id="node-review"' in response.text
    assert 'id="node-qa"' not in response.text
    assert ask(client, response["X-Position"]).status_code == 204


def test_events_of_another_instance_are_no_news_here_but_move_the_position(
    tail: Tail, login: Login, store: Path
) -> None:
    client = login("ana", htmx=True)
    v = position(client)
    start(store, "other")
    response = ask(client, v)
    assert response.status_code == 204
    assert response["X-Position"] != v
    assert ask(client, response["X-Position"]).status_code == 204


def test_what_touches_no_row_is_news_all_the_same(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    v = position(client)
    instances.cancel(tail, "2026Q1", OLGA, "wrong quarter")
    response = ask(client, v)
    assert response.status_code == 200
    assert "wrong quarter" in response.text


def test_a_row_that_no_longer_matches_the_filter_is_sent_and_marked(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    v = position(client)
    say(tail, "review", "done", "Norway", actor="ben")
    response = ask(client, v, "&status=open")
    assert "r10" in ids(response.text)
    assert re.search(r'data-gone="[^"]*\br10\b', response.text)
    assert re.search(r'id="h2"[^>]*data-matches="1"', response.text)
    say(tail, "review", "open", "Norway", actor="ben")
    assert not re.search(r'data-gone="[^"]*\br10\b', ask(client, v, "&status=open").text)


def test_the_answer_is_made_once_for_all_who_look_at_the_same(tail: Tail, login: Login) -> None:
    v = position(login("ana"))
    say(tail, "review", "done", "Norway", actor="ben")
    with patch("board.selectors.instance.board.news_html", wraps=news_html) as made:
        answers = {ask(login(name, htmx=True), v).text for name in ("ana", "ben", "sam", "nobody")}
        ask(login("ana", htmx=True), v, "&status=open")
    assert len(answers) == 1
    assert made.call_count == 2


def test_nothing_in_the_news_is_personal(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    v = position(client)
    say(tail, "review", "ana", "Norway", field="assignee", actor="ana")
    text = ask(client, v).text
    assert "csrf" not in text
    assert "<form" not in text
    assert "Weiss" not in text


def test_many_changed_rows_make_a_section_load_itself_anew(cast: dict[str, User], store: Path, login: Login) -> None:
    rows: list[dict[str, str | None]] = [
        {"task": "go", "name": "Go", "role": "analyst"},
        {"task": "each", "name": "Each", "collection": "unit"},
        {"task": "do", "name": "Do", "role": "analyst", "parent": "each", "depends_on": "go"},
    ]
    tail = start(store, elements=[(f"e{n}", "x") for n in range(1500)], rows=rows)
    client = login("ana", htmx=True)
    v = position(client)
    say(tail, "go", "done", actor="ben")
    response = ask(client, v)
    assert 'data-reload="s1"' in response.text
    assert len(response.content) < 20_000


@pytest.mark.parametrize("v", ["", "x", "nonsense-1", "65eedb701d11-99", "-5", "0-0", "a" * 2000])
def test_a_position_that_cannot_be_relied_on_asks_for_the_page_again(tail: Tail, login: Login, v: str) -> None:
    assert ask(login("ana", htmx=True), v).status_code in (200, 409)


def test_a_position_ahead_of_the_log_asks_for_the_page_again(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    identity, _, offset = position(client).rpartition("-")
    assert ask(client, f"{identity}-{int(offset) + 5}").status_code == 409


def test_who_may_not_see_the_instance_hears_nothing_of_it(tail: Tail, login: Login, settings: Any) -> None:
    client = login("nobody", htmx=True)
    v = position(client)
    settings.FOLDBOARD_VIEW = "roles"
    say(tail, "review", "done", "Norway", actor="ben")
    assert ask(client, v).status_code == 404


def test_the_page_of_a_row_hears_of_its_row_only(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    path = f"{BOARD}tasks/review@Norway/"
    v = position(client, path)
    say(tail, "review", "done", "Rwanda", actor="ben")
    quiet = ask(client, v, path=path)
    assert quiet.status_code == 204
    say(tail, "review", "fine", "Norway", field="note", actor="ben")
    response = ask(client, quiet["X-Position"], path=path)
    assert 'id="row-state"' in response.text
    assert "fine" in response.text
    assert "<form" not in response.text


def test_the_list_and_the_log_hear_of_what_is_new(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    lists, log = position(client, "/instances/"), position(client, f"{BOARD}log/")
    assert client.get(f"/instances/-/news/?v={lists}").status_code == 204
    say(tail, "review", "done", "Rwanda", actor="ben")
    assert 'id="lines"' in client.get(f"/instances/-/news/?v={lists}").text
    assert "finished" in client.get(f"{BOARD}log/news/?v={log}").text


def test_what_is_seen_by_polls_equals_what_a_reload_shows(tail: Tail, login: Login) -> None:
    client = login("ana", htmx=True)
    page = client.get(BOARD).text
    v = position(client)
    shown = dict(re.findall(r'<tr id="(r\d+)".*?data-s="([^"]*)"', page))
    story = [
        ("review", "doing", "Norway"), ("review", "done", "Norway"), ("delivery", "done", "Brazil"),
        ("validate", "failed", "Brazil"), ("validate", "open", "Brazil"), ("validate", "done", "Brazil"),
        ("review", "open", "Norway"), ("review", "done", "Brazil"), ("review", "done", "Norway"),
    ]  # fmt: skip
    for task, value, element in story:
        say(tail, task, value, element, actor="ben")
        response = ask(client, v)
        v = response["X-Position"]
        shown |= dict(re.findall(r'<tr id="(r\d+)".*?data-s="([^"]*)"', response.text))
    assert shown == dict(re.findall(r'<tr id="(r\d+)".*?data-s="([^"]*)"', client.get(BOARD).text))


def shown(html: str) -> dict[str, tuple[str, str]]:
    """Per row its state and its marks."""
    found = re.findall(r'<tr id="(r\d+)"(.*?)</tr>', html, re.DOTALL)
    return {
        name: (re.findall(r'data-s="([^"]*)"', rest)[0], " ".join(re.findall(r'class="mark">([^<]*)', rest)))
        for name, rest in found
    }


def test_marks_that_no_event_touched_are_news_too(cast: dict[str, User], store: Path, login: Login) -> None:
    process: list[dict[str, str | None]] = [
        {"task": "each", "name": "Each", "collection": "unit", "complete_when": "2"},
        {"task": "do", "name": "Do", "role": "analyst", "parent": "each"},
        {"task": "sum", "name": "Sum up", "role": "steward", "depends_on": "each"},
        {"task": "tell", "name": "Tell", "role": "steward", "depends_on": "sum"},
    ]
    tail = start(store, elements=[(f"e{n}", "x") for n in range(4)], rows=process)
    client = login("ana", htmx=True)
    page, v = client.get(BOARD).text, position(client)
    seen = shown(page)
    story = [("do", "done", "e0"), ("do", "done", "e1"), ("sum", "done", ""), ("tell", "done", ""),
             ("do", "open", "e1"), ("do", "done", "e1"), ("do", "done", "e3"),
             ("sum", "open", ""), ("sum", "done", "")]  # fmt: skip
    for task, value, element in story:
        say(tail, task, value, element, actor="ben")
        response = ask(client, v)
        v = response["X-Position"]
        seen |= shown(response.text)
        assert seen == shown(client.get(BOARD).text), (task, value, element)
    assert "no longer needed" in str(seen)
    assert "stale" in str(seen)
