"""What people stumbled over where they sign: what they see before the button, and which button is the first."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from board.log.event import Event
from board.log.tail import shared
from tests.reported.playing import Case
from tests.views.conftest import Login

TABLE = """
    task,name,role,depends_on,script,not_by,description
    load,Load the figures,system,,load.sh,,
    review,Review,analyst,load,,,Look at what was found.
    fix,Put right,analyst,sign:rejected,,,
    sign,Sign off,management,review,,review,
    out,Publish,steward,sign:approved,,,
    """


@pytest.fixture
def case(cast: dict[str, User], store: Path) -> Case:
    case = Case(TABLE, tail=shared(store))
    attempt = case.begin("load")
    with case.tail.acting() as acting:
        said = {"output.finding": "23.599 in 1992 is outside 25 to 90", "output.status": "done"}
        acting.append([Event("2026-11-29T16:00:00Z", "i", "load", f, v, "worker", attempt=1) for f, v in said.items()])
    case.end(attempt)
    return case


def test_what_the_script_before_found_stands_on_the_page_where_it_is_judged(case: Case, login: Login) -> None:
    page = login("ana").get("/instances/i/tasks/review/").text
    assert "23.599 in 1992 is outside 25 to 90" in page
    assert page.index("Look at what was found.") < page.index('value="done"')  # the instruction before the button


def test_the_first_button_is_never_the_one_that_rejects(case: Case, login: Login) -> None:
    case.finish("review", who="ana")
    mira = login("mira")
    for page in ("/instances/i/tasks/sign/", "/instances/i/tasks/sign/menu/?place=board"):
        buttons = re.findall(r'class="btn( primary)?" name="value" value="(\w+)"', mira.get(page).text)
        assert buttons == [(" primary", "approved"), ("", "rejected")]
    asked = mira.post("/instances/i/bulk/", {"do": "finish", "row": str(case.row("sign"))}).text
    assert re.findall(r'class="btn( primary)?" name="value" value="(\w+)"', asked) == [
        (" primary", "approved"),
        ("", "rejected"),
    ]


def test_four_eyes_name_the_task_as_people_know_it(case: Case, login: Login) -> None:
    case.finish("review", who="ana")
    assert re.search(r"not by whoever finished\s+<bdi>Review</bdi>", login("mira").get("/instances/i/tasks/sign/").text)


LOOP = """
    task,name,role,depends_on,script
    qa,Check,system,"fix,sign:rejected",qa.py
    fix,Put right,analyst,qa:false,
    sign,Sign off,management,qa:true,
    """


def test_who_gets_work_back_reads_why_on_the_card_and_on_the_page(
    cast: dict[str, User], store: Path, login: Login
) -> None:
    case = Case(LOOP, tail=shared(store))
    case.runs("qa", "false")
    case.finish("fix", who="ana", note="Both are real.")
    case.runs("qa", "true")
    case.finish("sign", "rejected", who="mira", note="Please explain Cambodia better.")
    case.runs("qa", "false")
    assert case.status("fix") == "open"
    for page in ("/", "/instances/i/tasks/fix/"):
        text = re.sub(r"<[^>]+>", "", login("ana").get(page).text)
        assert re.search(r"Please explain Cambodia better\. Mira on Sign off", text), page
    case.finish("fix", who="ana", note="Cambodia: see the census.")
    assert "Please explain" not in login("ana").get("/instances/i/tasks/fix/").text


def test_the_history_of_a_script_tells_what_happened_and_not_the_bookkeeping(case: Case, login: Login) -> None:
    text = re.sub(r"<[^>]+>", "", login("olga").get("/instances/i/tasks/load/").text)
    assert "worker started" in text
    assert "worker finished" in text
    assert "code_version" not in text
    assert "What it does" not in text  # nothing is described here
