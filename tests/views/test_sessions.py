"""Sessions end for every process: by a logout, by command, and when somebody empties the table."""

import json
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from board.accounts import sessions
from board.accounts.changes import changes
from tests.views.conftest import Login


@pytest.fixture(autouse=True)
def var(tmp_path: Path, settings: Any) -> None:
    settings.FOLDBOARD_VAR = tmp_path


def run(*words: str) -> str:
    out = StringIO()
    call_command("logout", *words, stdout=out)
    return out.getvalue()


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_an_account_is_logged_out_in_every_browser_and_nobody_else(login: Login) -> None:
    one, other, ben = login("ana"), login("ana"), login("ben")
    assert all(map(is_in, (one, other, ben)))
    before = changes()
    assert run("ana") == "Ended 2 login(s) of ana.\n"
    assert changes() > before  # what stands in front of Django hears of it
    assert [is_in(each) for each in (one, other, ben)] == [False, False, True]


def test_everybody_is_logged_out(login: Login) -> None:
    ana, ben = login("ana"), login("ben")
    assert all(map(is_in, (ana, ben)))
    assert json.loads(run("--all", "--json")) == {"account": None, "ended": 2}
    assert [is_in(ana), is_in(ben)] == [False, False]
    assert json.loads(run("ana", "--json")) == {"account": "ana", "ended": 0}


@pytest.mark.parametrize(
    ("words", "says"), [((), "Say whose"), (("ana", "--all"), "Say whose"), (("eve",), "There is no account “eve”")]
)
def test_what_cannot_be_ended_is_one_line_and_status_2(
    cast: dict[str, User], words: tuple[str, ...], says: str
) -> None:
    with pytest.raises(CommandError, match=says) as error:
        run(*words)
    assert error.value.returncode == 2


def test_sessions_deleted_by_django_are_ended_at_once(
    login: Login, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    ana = login("ana")
    assert is_in(ana)
    before = changes()
    with django_capture_on_commit_callbacks(execute=True):
        Session.objects.all().delete()
    assert changes() > before
    assert not is_in(ana)


def test_an_emptied_table_logs_out_once_the_database_is_asked_again(login: Login) -> None:
    ana = login("ana")
    assert is_in(ana)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_session")
    assert is_in(ana)  # for CHECKED_S
    before = changes()
    with patch.object(sessions, "CHECKED_S", 0.0):
        assert not is_in(ana)
    assert changes() > before
    assert not is_in(ana)


def test_a_cookie_of_a_session_that_is_gone_is_remembered_by_nobody(login: Login) -> None:
    before = dict(sessions._checked)
    stranger = Client()
    stranger.cookies["foldboard_session"] = "x" * 32
    assert not is_in(stranger)
    assert sessions._checked == before


@pytest.fixture
def read_only(cast: dict[str, User]) -> Iterator[Callable[[], None]]:
    """Called, it makes the database one that cannot be written."""
    raw = connection.connection  # past Django, which runs nothing more in a transaction that has failed
    yield lambda: raw.execute("PRAGMA query_only = ON")
    raw.execute("PRAGMA query_only = OFF")


def test_a_logout_on_a_read_only_database_is_one_of_this_browser_and_says_so(
    login: Login, read_only: Callable[[], None]
) -> None:
    ana = login("ana")
    assert is_in(ana)
    read_only()
    page = ana.post("/account/logout/")
    assert page.status_code == 200
    assert "cannot write its database" in page.text
    assert page.cookies["foldboard_session"].value == ""
    assert page.cookies["foldboard_session"]["max-age"] == 0
