"""Tokens of the API end: with their time, with the password of their account, and with the account."""

import json
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from board.api import tokens
from board.models import Token
from tests.cast import PASSWORD
from tests.views.conftest import Login

NEW = "another-horse-battery"


def run(*words: str) -> str:
    out = StringIO()
    call_command("apitoken", *words, stdout=out)
    return out.getvalue().strip()


def show(secret: str) -> tuple[int, dict[str, Any]]:
    answer = Client().get("/api/processes", headers={"Authorization": f"Bearer {secret}"})
    return answer.status_code, answer.json() if answer.status_code != 200 else {}


def refusal(secret: str) -> str:
    status, said = show(secret)
    assert (status, said["code"]) == (401, "token_ended")
    return str(said["message"])


def test_a_token_is_made_and_ended_by_command(cast: dict[str, User]) -> None:
    secret = run("ana", "--name", "platform")
    assert show(secret)[0] == 200
    assert run("ana", "--name", "platform", "--end") == "Ended 1 token(s) of ana."
    assert show(secret) == (401, {"detail": "Unauthorized"})


def test_a_token_lasts_a_year_or_as_many_days_as_are_said(cast: dict[str, User]) -> None:
    run("ana", "--name", "year")
    made = json.loads(run("ana", "--name", "short", "--days", "2", "--json"))
    days = {token.name: round((token.ends - token.created) / timedelta(days=1), 3) for token in Token.objects.all()}
    assert days == {"year": 365, "short": 2}
    assert show(made["token"])[0] == 200
    Token.objects.filter(name="short").update(ends=timezone.now() - timedelta(seconds=1))
    assert "its time was over on" in refusal(made["token"])


@pytest.mark.parametrize("days", ["0", "-1", "3651", "999999999999"])
def test_days_that_are_none_make_no_token(cast: dict[str, User], days: str) -> None:
    with pytest.raises(CommandError, match="from 1 to 3650") as error:
        run("ana", "--name", "x", f"--days={days}")
    assert error.value.returncode == 2
    assert not Token.objects.exists()


def by_its_owner(_: User, login: Login) -> None:
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    login("ana").post("/account/password/", form)


def by_an_admin(ana: User, login: Login) -> None:
    form = {"password1": NEW, "password2": NEW, "usable_password": "true"}
    login("admin").post(f"/admin/auth/user/{ana.pk}/password/", form)


def by_code(ana: User, _: Login) -> None:
    ana.set_password(NEW)
    ana.save()


def by_code_that_saves_nothing_else(ana: User, _: Login) -> None:
    ana.set_password(NEW)
    ana.save(update_fields=["password"])


def to_none(ana: User, _: Login) -> None:
    ana.set_unusable_password()
    ana.save(update_fields=["password"])


CHANGES = (by_its_owner, by_an_admin, by_code, by_code_that_saves_nothing_else, to_none)


@pytest.mark.parametrize("how", CHANGES)
def test_a_changed_password_ends_the_tokens_of_its_account_and_no_others(
    cast: dict[str, User], login: Login, how: Callable[[User, Login], None]
) -> None:
    secret, other = tokens.make(cast["ana"], "platform"), tokens.make(cast["ben"], "platform")
    before = cast["ana"].password
    how(cast["ana"], login)
    assert User.objects.get(username="ana").password != before
    assert "the password of its account was changed on 20" in refusal(secret)
    assert show(other)[0] == 200
    assert show(tokens.make(User.objects.get(username="ana"), "new"))[0] == 200


def test_who_changes_the_password_is_told_that_programs_need_a_new_token(cast: dict[str, User], login: Login) -> None:
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    ana, ben = login("ana"), login("ben")
    tokens.make(cast["ana"], "platform")
    for each in (ana, ben):
        each.post("/account/password/", form)
    assert "need a new one" in ana.get("/").text
    assert "need a new one" not in ben.get("/").text


def test_a_password_that_is_only_hashed_anew_ends_nothing(cast: dict[str, User], settings: Any) -> None:
    secret, before = tokens.make(cast["ana"], "platform"), cast["ana"].password
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.ScryptPasswordHasher", *settings.PASSWORD_HASHERS]
    assert Client().post("/account/login/", {"username": "ana", "password": PASSWORD}).status_code == 302
    assert User.objects.get(username="ana").password != before
    assert show(secret)[0] == 200


def test_other_changes_of_an_account_end_nothing(cast: dict[str, User]) -> None:
    secret = tokens.make(cast["ana"], "platform")
    cast["ana"].first_name = "Anna"
    cast["ana"].save()
    assert show(secret)[0] == 200


def test_an_account_switched_off_ends_its_tokens_for_good(cast: dict[str, User]) -> None:
    secret, ana = tokens.make(cast["ana"], "platform"), cast["ana"]
    for active in (False, True):
        ana.is_active = active
        ana.save()
        assert "its account was switched off on 20" in refusal(secret)
    ana.set_password(NEW)
    ana.save()
    assert "switched off" in refusal(secret)  # what came first stays the reason


def test_an_account_switched_off_past_django_has_no_good_token_while_it_is(cast: dict[str, User]) -> None:
    secret = tokens.make(cast["ana"], "platform")
    User.objects.filter(username="ana").update(is_active=False)
    assert "its account was switched off" in refusal(secret)
    with pytest.raises(CommandError, match="switched off"):
        run("ana", "--name", "other")


def test_the_list_has_every_token_with_its_end(cast: dict[str, User]) -> None:
    for name in ("ana", "ben"):
        secret = tokens.make(cast[name], "platform", 10)
    cast["ben"].set_password(NEW)
    cast["ben"].save()
    ana, ben = run("--list").splitlines()
    day = timezone.localdate(timezone.now() + timedelta(days=10))
    assert ana.startswith("ana: platform, made ")
    assert ana.endswith(f"ends {day}")
    assert "ended: the password of its account was changed on" in ben
    listed = json.loads(run("ana", "--list", "--json"))
    assert [(each["account"], each["ends"], each["ended"]) for each in listed] == [("ana", str(day), "")]
    assert secret not in run("--list") + run("--list", "--json")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Say whose"),
        (("ana",), "Say what"),
        (("eve", "--name", "x"), "no account"),
        (("eve", "--list"), "no account"),
        (("ana", "--name", "x", "--end"), "has no token"),
    ],
)
def test_what_the_command_cannot_do_is_one_line_and_status_2(
    cast: dict[str, User], words: tuple[str, ...], says: str
) -> None:
    with pytest.raises(CommandError, match=says) as error:
        run(*words)
    assert error.value.returncode == 2


def test_tokens_from_before_there_were_ends_get_a_year_from_the_upgrade() -> None:
    migration = import_module("board.migrations.0005_token_ends")
    [ends] = [o for o in migration.Migration.operations if o.name == "ends"]
    assert abs(ends.field.get_default() - timezone.now() - timedelta(days=365)) < timedelta(minutes=1)
