"""My work: what is open for one person, over all instances, and finishing it right there."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import Group, User
from django.test import Client
from django.test.utils import CaptureQueriesContext

from board.log.event import Event, utcnow
from board.log.tail import Tail, shared
from board.process.definition.table import ProcessTable
from board.selectors.work import work
from board.services import instances, tasks
from board.services.actor import anybody
from board.services.tasks import Place
from tests.story import BEN, tell
from tests.views.conftest import Login
from tests.views.test_worker import serve

RWANDA = "/work/2026Q1/review@Rwanda/"
BRAZIL = "/work/2026Q1/review@Brazil/"
GO = "/work/Release-4.2/go/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    return tell(store)


def cards(page: str) -> list[str]:
    """The titles of the cards, in the order of the page."""
    found = re.findall(r"<h3 id=\"[^\"]+\"><a href=\"[^\"]+\">(.*?)</a></h3>", page)
    return [re.sub(r"<[^>]+>", "", title) for title in found]


def status(tail: Tail, instance: str, task: str, element: str = "") -> str:
    with tail.reading():
        found = tail.get(instance)
        assert found is not None
        row = found.find(task, element)
        assert row is not None
        return found.status(row)


def said(response: Any) -> dict[str, str]:
    return json.loads(response["HX-Trigger"])["say"]  # type: ignore[no-any-return]


def test_what_is_assigned_to_me_comes_first_and_the_late_before_the_rest(tail: Tail, login: Login) -> None:
    page = login("ana").get("/").text
    assert cards(page) == ["Review · Rwanda", "Review · Cambodia", "Review · Brazil", "Review · Kenya"]
    assert "Assigned to you" in page
    assert "4 tasks are open" in page
    assert "1 is late" in page


def test_a_card_shows_what_the_check_before_it_found(tail: Tail, login: Login) -> None:
    with tail.acting() as acting:
        field, found = "output.finding", "life expectancy <fell> in 1992"
        acting.append([Event(utcnow(), "2026Q1", "validate", field, found, "worker", "Rwanda", attempt=1)])
    page = login("ana").get("/").text
    assert "finding" in page
    assert "life expectancy &lt;fell&gt; in 1992" in page


def test_what_somebody_else_is_at_is_not_mine(tail: Tail, login: Login) -> None:
    tasks.take(tail, "2026Q1", Place("review", "Brazil"), BEN)
    assert "Review · Brazil" not in cards(login("ana").get("/").text)
    assert "Review · Brazil" in cards(login("ben").get("/").text)


def test_what_is_assigned_to_an_account_that_is_gone_is_free_to_be_taken_over(
    tail: Tail, login: Login, cast: dict[str, User]
) -> None:
    tasks.take(tail, "2026Q1", Place("review", "Brazil"), BEN)
    cast["ben"].is_active = False
    cast["ben"].save()
    ana = login("ana")
    assert "Take over from Ben" in ana.get("/").text
    ana.post(BRAZIL, {"do": "take"})
    assert "Review · Brazil" in cards(ana.get("/").text)[:3]


def test_each_role_sees_its_own(tail: Tail, login: Login) -> None:
    assert cards(login("mira").get("/").text) == ["Go or no go"]
    assert cards(login("sam").get("/").text) == []


def test_who_did_the_work_is_not_offered_to_sign_it(tail: Tail, login: Login, cast: dict[str, User]) -> None:
    cast["ben"].groups.add(Group.objects.get(name="management"))
    assert "Go or no go" not in cards(login("ben").get("/").text)


def test_nothing_to_do_is_said_with_what_is_coming(tail: Tail, login: Login) -> None:
    page = login("sam").get("/").text
    assert "Nothing is waiting for you" in page
    assert "Approve the data" in page
    assert "waits for <bdi>Each country</bdi>, where something failed" in page


def test_an_account_without_role_is_told_who_can_help(tail: Tail, login: Login) -> None:
    assert "Your account has no role yet" in login("nobody").get("/").text


def test_an_empty_store_shows_an_empty_page(login: Login) -> None:
    assert "Nothing is waiting for you" in login("ana").get("/").text


def test_an_operator_sees_what_failed_and_tries_it_again(tail: Tail, login: Login) -> None:
    olga = login("olga")
    page = olga.get("/").text
    assert cards(page) == ["Ship", "Validate · Japan"]
    assert "timeout after 60s" in page
    assert olga.post("/work/Release-4.1/ship/", {"do": "retry"}).status_code == 302
    assert status(tail, "Release-4.1", "ship") == "open"


def test_failed_scripts_are_not_shown_to_who_cannot_help(tail: Tail, login: Login) -> None:
    assert "Try again" not in login("ana").get("/").text


def test_a_click_finishes_and_the_page_says_so(tail: Tail, login: Login) -> None:
    ana = login("ana")
    response = ana.post(RWANDA, {"do": "finish:done", "note": ""}, follow=True)
    assert "Review · Rwanda: finished." in response.text
    assert status(tail, "2026Q1", "review", "Rwanda") == "done"
    assert "Review · Rwanda" not in cards(response.text)


def test_a_click_by_htmx_answers_with_a_word_and_no_page(tail: Tail, login: Login) -> None:
    response = login("ana", htmx=True).post(RWANDA, {"do": "finish:done"})
    assert (response.status_code, response.content) == (204, b"")
    assert said(response) == {"text": "Review · Rwanda: finished.", "kind": "success"}


def test_a_note_is_kept_in_the_log(tail: Tail, login: Login) -> None:
    login("ana").post(RWANDA, {"do": "finish:done", "note": "Checked <b>twice</b>"})
    notes = tail.history("2026Q1", task="review", element="Rwanda", field="note")
    assert [(entry.event.value, entry.event.actor) for entry in notes] == [("Checked <b>twice</b>", "ana")]


def test_a_comment_alone_finishes_nothing(tail: Tail, login: Login) -> None:
    ana = login("ana")
    ana.post(RWANDA, {"do": "comment", "note": "<script>alert(1)</script>"})
    assert status(tail, "2026Q1", "review", "Rwanda") == "open"
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in ana.get("/").text


def test_what_is_started_says_since_when(tail: Tail, login: Login) -> None:
    ana = login("ana")
    ana.post(RWANDA, {"do": "start"})
    assert ana.get("/").text.count("you started") == 2


def test_an_answer_that_rejects_asks_for_a_note_and_keeps_what_was_typed(tail: Tail, login: Login) -> None:
    mira = login("mira")
    page = mira.post(GO, {"do": "finish:rejected", "note": "  "})
    assert page.status_code == 422
    assert "asks for a note" in page.text
    assert 'aria-describedby="refused"' in page.text
    assert status(tail, "Release-4.2", "go") == "open"
    mira.post(GO, {"do": "finish:rejected", "note": "Not yet"})
    assert status(tail, "Release-4.2", "go") == "rejected"


def test_an_answer_nobody_asked_for_is_refused_with_those_there_are(tail: Tail, login: Login) -> None:
    response = login("mira", htmx=True).post(GO, {"do": "finish:perhaps"})
    assert response.status_code == 422
    assert "“approved” or “rejected”" in said(response)["text"]


def test_who_comes_second_is_told_who_was_first_and_keeps_the_note(tail: Tail, login: Login) -> None:
    ben_first = datetime(2026, 11, 29, 9, 41, tzinfo=UTC)
    tasks.finish(tail, "2026Q1", Place("review", "Brazil"), BEN, now=lambda: "2026-11-29T09:41:00Z")
    with time_machine.travel(ben_first, tick=False):
        page = login("ana").post(BRAZIL, {"do": "finish:done", "note": "Mine was ready too"})
    assert page.status_code == 409
    assert "ben was first, today 09:41" in page.text
    assert "Mine was ready too" in page.text


def test_a_second_click_of_the_same_hand_is_no_fault(tail: Tail, login: Login) -> None:
    ana = login("ana", htmx=True)
    assert [ana.post(RWANDA, {"do": "finish:done"}).status_code for _ in range(3)] == [204] * 3
    entries = tail.history("2026Q1", task="review", element="Rwanda", field="status")
    assert [entry.event.value for entry in entries] == ["done"]


def test_what_is_anothers_is_taken_over_first(tail: Tail, login: Login) -> None:
    ben = login("ben", htmx=True)
    refused = ben.post(RWANDA, {"do": "finish:done"})
    assert refused.status_code == 409
    assert "take it over first" in said(refused)["text"]
    assert ben.post(RWANDA, {"do": "take"}).status_code == 204
    assert ben.post(RWANDA, {"do": "finish:done"}).status_code == 204


def test_who_does_not_hold_the_role_is_refused_with_403(tail: Tail, login: Login) -> None:
    response = login("sam", htmx=True).post(BRAZIL, {"do": "finish:done"})
    assert response.status_code == 403
    assert "which sam does not hold" in said(response)["text"]


@pytest.mark.parametrize("path", ["/work/2026Q1/none/", "/work/none/review/", "/work/2026Q1/review/", "/work/../x/"])
def test_a_row_that_is_not_there_is_404(tail: Tail, login: Login, path: str) -> None:
    assert login("ana").post(path, {"do": "finish:done"}).status_code == 404


@pytest.mark.parametrize("do", ["explode", "", "finish"])
def test_a_wish_that_is_none_is_refused(tail: Tail, login: Login, do: str) -> None:
    assert login("ana").post(RWANDA, {"do": do}).status_code == 422
    assert status(tail, "2026Q1", "review", "Rwanda") == "open"


def test_the_address_of_an_action_leads_to_the_row(tail: Tail, login: Login) -> None:
    assert login("ana").get(RWANDA)["Location"] == "/instances/2026Q1/tasks/review@Rwanda/"


def test_names_of_strangers_are_text(cast: dict[str, User], store: Path, login: Login) -> None:
    odd = '<img src=x onerror="alert(1)">'
    table = ProcessTable.from_rows([{"task": "t", "name": odd, "role": "analyst", "description": odd}])
    instances.start(shared(store), anybody("admin"), odd, "odd", table=table)
    page = login("ana").get("/").text
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


@pytest.mark.parametrize("element", ["a/b", "50%", "..", "ü ß", "a@b", "?x=1", "#1", "a b", "%2F"])
def test_every_element_can_be_acted_on_by_its_address(
    cast: dict[str, User], store: Path, login: Login, element: str
) -> None:
    from board.process.definition.table import ElementList

    rows: list[dict[str, str | None]] = [
        {"task": "g", "name": "Each", "collection": "unit"},
        {"task": "t", "name": "Do", "role": "analyst", "parent": "g"},
    ]
    tail = shared(store)
    table = ProcessTable.from_rows(rows)
    instances.start(tail, anybody("admin"), "P", "odd", ElementList.from_ids([element, "other"]), table=table)
    ana = login("ana")
    addresses = re.findall(r'action="(/work/odd/[^"]*)"', ana.get("/").text)
    assert len(addresses) == 2
    ana.post(addresses[0], {"do": "finish:done"})
    assert status(tail, "odd", "t", element) == "done"


# live


def news(client: Client, version: str) -> Any:
    return client.get("/work/news/", {"v": version})


def version_of(page: str) -> str:
    found = re.search(r'data-v="([^"]*)"', page)
    assert found
    return found.group(1)


def test_no_news_is_204(tail: Tail, login: Login) -> None:
    ana = login("ana", htmx=True)
    version = version_of(ana.get("/").text)
    assert news(ana, version).status_code == 204


def test_an_idle_poll_costs_one_query(tail: Tail, login: Login, django_assert_num_queries: Any) -> None:
    ana = login("ana", htmx=True)
    version = version_of(ana.get("/").text)
    with django_assert_num_queries(1):
        assert news(ana, version).status_code == 204


@pytest.mark.parametrize("more", ["\n", "\r\nSet-Cookie: a=b"])
def test_a_version_that_is_no_header_is_none(tail: Tail, login: Login, more: str) -> None:
    ana = login("ana", htmx=True)
    answer = news(ana, version_of(ana.get("/").text) + more)
    assert answer.status_code == 200
    assert answer["X-Position"].isprintable()


def test_what_is_not_mine_is_no_news_and_moves_the_position(tail: Tail, login: Login) -> None:
    mira = login("mira", htmx=True)
    version = version_of(mira.get("/").text)
    tasks.comment(tail, "2026Q1", Place("review", "Brazil"), BEN, "a word")
    answer = news(mira, version)
    assert answer.status_code == 204
    assert answer["X-Position"] != version
    assert news(mira, answer["X-Position"]).status_code == 204


def test_what_others_do_is_news(tail: Tail, login: Login) -> None:
    ana = login("ana", htmx=True)
    version = version_of(ana.get("/").text)
    tasks.finish(tail, "2026Q1", Place("review", "Brazil"), BEN)
    answer = news(ana, version)
    assert answer.status_code == 200
    assert "Review · Brazil" not in cards(answer.text)
    assert "<html" not in answer.text
    assert news(ana, answer["X-Position"]).status_code == 204


def test_a_role_given_while_the_page_is_open_is_news(tail: Tail, login: Login, cast: dict[str, User]) -> None:
    nobody = login("nobody", htmx=True)
    version = version_of(nobody.get("/").text)
    cast["nobody"].groups.add(Group.objects.get(name="management"))
    assert cards(news(nobody, version).text) == ["Go or no go"]


def test_a_worker_that_comes_alive_is_news(tail: Tail, store: Path, login: Login) -> None:
    ana = login("ana", htmx=True)
    page = ana.get("/").text
    assert "worker away" in page
    serve(store)
    answer = news(ana, version_of(page))
    assert "worker alive" in answer.text
    assert news(ana, answer["X-Position"]).status_code == 204


# what may be seen


def test_by_roles_nothing_of_another_process_is_shown_or_counted(tail: Tail, login: Login, settings: Any) -> None:
    settings.FOLDBOARD_VIEW = "roles"
    sam = login("sam").get("/").text
    assert "Release" not in sam
    assert "2026Q1" in sam
    nobody = login("nobody")
    page = nobody.get("/").text
    assert "2026Q1" not in page
    assert "Release" not in page
    assert nobody.post(BRAZIL, {"do": "finish:done"}).status_code == 404


def test_the_badge_counts_what_the_page_shows(tail: Tail, login: Login) -> None:
    for name, count in (("ana", 4), ("mira", 1), ("sam", 0)):
        page = login(name).get("/worker/").text
        assert (f'<span class="badge">{count}<' in page) == bool(count)


# size


def test_of_many_only_so_many_are_shown_and_the_rest_is_linked(
    cast: dict[str, User], store: Path, login: Login
) -> None:
    from board.process.definition.table import ElementList

    rows: list[dict[str, str | None]] = [
        {"task": "g", "name": "Each", "collection": "unit"},
        {"task": "t", "name": "Do", "role": "analyst", "parent": "g"},
    ]
    elements = ElementList.from_ids([f"unit {n}" for n in range(2115)])
    instances.start(shared(store), anybody("admin"), "P", "many", elements, table=ProcessTable.from_rows(rows))
    page = login("ana").get("/").text
    assert "2115 tasks are open" in page
    assert len(cards(page)) == work.MOST_OF_A_ROLE
    assert 'href="/instances/many/?status=open&amp;role=analyst"' in page
    assert len(page) < 150_000


def test_pages_with_many_instances_cost_the_same_number_of_queries(tail: Tail, login: Login) -> None:
    from django.db import connection

    ana, counts = login("ana"), []
    ana.get("/")
    for number in range(2):
        instances.start(tail, anybody("admin"), "Release", f"more-{number}")
        with CaptureQueriesContext(connection) as queries:
            ana.get("/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_who_acts_is_who_is_logged_in_on_every_way(tail: Tail, login: Login) -> None:
    login("ana").post(RWANDA, {"do": "finish:done", "actor": "mira"})
    login("mira", htmx=True).post(GO, {"do": "finish:approved"})
    last = [tail.history(i, field="status", limit=1)[0].event.actor for i in ("2026Q1", "Release-4.2")]
    assert last == ["ana", "mira"]


def test_an_admin_signs_by_the_same_rules(tail: Tail, login: Login) -> None:
    admin = login("admin", htmx=True)
    assert admin.post(RWANDA, {"do": "finish:done"}).status_code == 409
    assert admin.post(BRAZIL, {"do": "finish:done"}).status_code == 204


def test_a_task_of_several_roles_is_open_for_whoever_holds_one_of_them(
    cast: dict[str, User], store: Path, login: Login
) -> None:
    table = ProcessTable.from_rows([{"task": "sign", "name": "Sign", "role": "management, analyst"}])
    instances.start(shared(store), anybody("admin"), "P", "two", table=table)
    assert [cards(login(who).get("/").text) for who in ("ana", "mira", "sam")] == [["Sign"], ["Sign"], []]
    board = login("ana")
    for role, shown in (("management", True), ("analyst", True), ("steward", False)):
        assert ("No row matches" not in board.get(f"/instances/two/?role={role}").text) is shown
