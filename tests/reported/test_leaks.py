"""What users met where something was seen or done by people who should not."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from board.accounts import names
from board.api import tokens
from board.log.tail import shared
from board.process.engine.decide import Refusal
from board.services import tasks
from board.services.tasks import Place
from tests.reported.playing import OLGA, Case
from tests.views.conftest import Login

CHECK = "task,role\ncheck,analyst\nsign,management"
ROW = "/instances/i/tasks/check/act/"


@pytest.fixture
def case(cast: dict[str, User], store: Path) -> Case:
    return Case(CHECK, tail=shared(store))


def move(user: User, *, to: str = "", out_of: str = "") -> None:
    """Change what somebody holds, as an admin does while pages are open."""
    if out_of:
        user.groups.remove(Group.objects.get(name=out_of))
    if to:
        user.groups.add(Group.objects.get(name=to))
    names.forget()


def test_who_comes_into_a_role_sees_its_open_tasks_and_who_leaves_it_does_not(
    case: Case, cast: dict[str, User], login: Login
) -> None:
    """Users met: who came into a role did not see its open tasks, and who left it kept them."""
    sam, ana = login("sam"), login("ana")
    assert "/tasks/check/" not in sam.get("/").text
    assert "/tasks/check/" in ana.get("/").text
    move(cast["sam"], to="analyst")
    move(cast["ana"], out_of="analyst")
    assert "/tasks/check/" in sam.get("/").text
    assert "/tasks/check/" not in ana.get("/").text


def test_a_role_taken_away_while_the_page_is_open_counts_at_the_click(
    case: Case, cast: dict[str, User], login: Login
) -> None:
    """Users met: who came into a role did not see its open tasks, and who left it kept them."""
    ana = login("ana")
    assert 'value="done"' in ana.get("/instances/i/tasks/check/").text
    move(cast["ana"], out_of="analyst")
    answer = ana.post(ROW, {"do": "finish", "value": "done"})
    assert answer.status_code == 403
    assert "which ana does not hold" in answer.text
    assert case.status("check") == "open"


def test_an_account_switched_off_while_its_page_is_open_does_nothing_more(
    case: Case, cast: dict[str, User], login: Login
) -> None:
    """Users met: who came into a role did not see its open tasks, and who left it kept them."""
    ana = login("ana")
    ana.get("/")
    cast["ana"].is_active = False
    cast["ana"].save()
    assert ana.post(ROW, {"do": "finish", "value": "done"}).status_code in (302, 401)
    assert ana.get("/instances/i/news/?v=x", headers={"HX-Request": "true"}).status_code == 401
    assert case.status("check") == "open"


@pytest.mark.parametrize("gone", ["switched off", "role taken away", "never held the role", "no such account"])
def test_what_is_assigned_to_somebody_who_cannot_do_it_is_offered_to_the_role(
    case: Case, cast: dict[str, User], login: Login, gone: str
) -> None:
    """Users met: who came into a role did not see its open tasks, and who left it kept them."""
    who = {"never held the role": "sam", "no such account": "anna"}.get(gone, "ana")
    tasks.assign(case.tail, "i", Place("check"), OLGA, who)
    ben = login("ben")
    if gone == "role taken away":
        assert "/tasks/check/" not in ben.get("/").text
        move(cast["ana"], out_of="analyst")
    elif gone == "switched off":
        cast["ana"].is_active = False
        cast["ana"].save()
        names.forget()
    page = ben.get("/").text
    assert "/tasks/check/" in page
    assert "Take over from" in page
    ben.post(ROW, {"do": "take"})
    assert ben.post(ROW, {"do": "finish", "value": "done"}).status_code == 302


def test_where_roles_decide_my_work_the_lists_the_boards_and_the_numbers_agree(
    case: Case, login: Login, settings: Any
) -> None:
    """Users met: a list by history forgot who may see what.

    People with a right on one process saw its pages, but empty lists.
    """
    settings.FOLDBOARD_VIEW = "roles"
    mira, nobody = login("mira"), login("nobody")
    assert "/tasks/sign/" in mira.get("/").text
    assert "/instances/i/" in mira.get("/instances/").text
    assert mira.get("/instances/i/").status_code == 200
    assert mira.get("/instances/i/log/").status_code == 200
    assert "/instances/i/" not in nobody.get("/instances/").text
    for page in (
        "",
        "log/",
        "log/events.csv",
        "log/events.jsonl",
        "files/",
        "tasks/check/",
        "tasks/check/menu/",
        "news/?v=x",
    ):
        assert nobody.get(f"/instances/i/{page}").status_code in (404, 409), page


def test_the_page_of_a_message_that_names_what_one_may_not_see_is_for_operators(
    case: Case, store: Path, login: Login, settings: Any
) -> None:
    """Users met: a list by history forgot who may see what."""
    settings.FOLDBOARD_VIEW = "roles"
    (store / "inbox").mkdir(exist_ok=True)
    (store / "inbox" / "rwanda-secret.json").write_text('{"task": "x", "instance": "later"}')
    assert "rwanda-secret" not in login("sam").get("/worker/").text
    assert "rwanda-secret" in login("olga").get("/worker/").text


def test_every_way_to_sign_off_says_who(case: Case, cast: dict[str, User], login: Login) -> None:
    """Users met: a second way to sign off recorded nobody's name."""
    case = Case("task,role\n" + "\n".join(f"c{n},analyst" for n in range(6)), tail=case.tail, instance="j")
    ana, fast = login("ana"), login("ana", htmx=True)
    ana.post("/instances/j/tasks/c0/act/", {"do": "finish", "value": "done"})
    fast.post("/instances/j/tasks/c1/act/", {"do": "finish", "value": "done", "place": "board"})
    ana.post("/work/j/c2/", {"do": "finish", "value": "done"})
    fast.post("/work/j/c3/", {"do": "finish", "value": "done"})
    ana.post("/instances/j/bulk/", {"do": "finish", "value": "done", "row": "4", "sure": "yes"})
    headers = {"Authorization": f"Bearer {tokens.make(cast['ana'], 'test')}"}
    wish = {"task": "c5", "do": "finish", "value": "done"}
    Client(headers=headers).post("/api/instances/j/act", wish, content_type="application/json")
    signed = [(e.task, e.actor) for e in case.tail.log.read().events if (e.instance, e.field) == ("j", "status")]
    assert signed == [(f"c{n}", "ana") for n in range(6)]


def test_who_was_named_in_the_list_is_not_said_to_be_assigned_by_a_register(case: Case) -> None:
    case = Case("task,role,assignee\ncheck,analyst,ana", tail=case.tail, instance="j")
    with pytest.raises(Refusal, match=r"is assigned to ana \(2\d{3}-[^,]*\): take it over first"):
        case.finish("check", who="ben")
