"""Login, logout, the own password; what happens to a form when the login has expired."""

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client

from tests.cast import PASSWORD
from tests.views.conftest import Login

HERE = {"Sec-Fetch-Site": "same-origin", "Referer": "http://testserver/instances/"}


def credentials(name: str = "ana", password: str = PASSWORD, **more: str) -> dict[str, str]:
    return {"username": name, "password": password, **more}


def test_the_right_password_leads_to_my_work(cast: dict[str, User], client: Client) -> None:
    response = client.post("/account/login/", credentials())
    assert (response.status_code, response["Location"]) == (302, "/")


def test_a_login_leads_back_to_the_page_that_was_asked_for(cast: dict[str, User], client: Client) -> None:
    assert client.post("/account/login/", credentials(next="/worker/"))["Location"] == "/worker/"


def test_a_login_never_leads_to_another_site(cast: dict[str, User], client: Client) -> None:
    assert client.post("/account/login/", credentials(next="https://evil.example/"))["Location"] == "/"


def test_a_wrong_password_is_said_and_the_name_stays(cast: dict[str, User], client: Client) -> None:
    page = client.post("/account/login/", credentials(password="wrong")).text
    assert "correct username and password" in page
    assert 'value="ana"' in page


def test_five_wrong_passwords_lock_the_name_for_this_address_only(cast: dict[str, User], client: Client) -> None:
    for _ in range(5):
        last = client.post("/account/login/", credentials(password="wrong"))
    assert last.status_code == 429
    assert "15 minutes" in last.text
    assert client.post("/account/login/", credentials()).status_code == 429
    assert client.post("/account/login/", credentials("ben")).status_code == 302
    assert client.post("/account/login/", credentials(), REMOTE_ADDR="192.0.2.7").status_code == 302


def test_a_made_up_forwarded_address_does_not_dodge_the_lock(cast: dict[str, User], client: Client) -> None:
    for number in range(5):
        last = client.post(
            "/account/login/", credentials(password="x"), headers={"X-Forwarded-For": f"192.0.2.{number}"}
        )
    assert last.status_code == 429


def test_behind_our_proxy_the_address_it_saw_counts(cast: dict[str, User], client: Client, settings: Any) -> None:
    settings.FOLDBOARD_PROXIES = 1
    for number in range(5):
        chain = f"203.0.113.{number}, 192.0.2.1"
        last = client.post("/account/login/", credentials(password="x"), headers={"X-Forwarded-For": chain})
    assert last.status_code == 429
    assert client.post("/account/login/", credentials(), headers={"X-Forwarded-For": "192.0.2.2"}).status_code == 302


def guess(client: Client, name: str, address: str, password: str = "wrong") -> int:
    """The status of a login from an address."""
    return client.post("/account/login/", credentials(name, password), REMOTE_ADDR=address).status_code


def test_twelve_addresses_with_a_guess_each_lock_the_name_for_strangers(cast: dict[str, User], client: Client) -> None:
    assert [guess(client, "ana", f"192.0.2.{n}") for n in range(12)] == [200] * 9 + [429] * 3
    assert guess(client, "ana", "192.0.2.99", PASSWORD) == 429
    assert guess(client, "ben", "192.0.2.99", PASSWORD) == 302


def test_whose_name_is_guessed_elsewhere_gets_in_from_where_it_is_known(cast: dict[str, User]) -> None:
    assert guess(Client(), "ana", "198.51.100.1", PASSWORD) == 302
    for n in range(12):
        guess(Client(), "ana", f"192.0.2.{n}")
    assert guess(Client(), "ana", "198.51.100.1", PASSWORD) == 302
    assert guess(Client(), "ana", "198.51.100.2", PASSWORD) == 429
    assert [guess(Client(), "ana", "198.51.100.1") for _ in range(5)][-1] == 429  # guesses from there count too


@pytest.mark.parametrize("longer", ["2001:db8:1:2:{:x}::1", "2001:db8:1:2::{:x}"])
def test_an_address_of_ipv6_is_its_network_of_64_bits(cast: dict[str, User], client: Client, longer: str) -> None:
    assert [guess(client, "ana", longer.format(n)) for n in range(1, 6)][-1] == 429
    assert guess(client, "ana", "2001:db8:1:3::1", PASSWORD) == 302


def test_ipv4_written_as_ipv6_is_that_address(cast: dict[str, User], client: Client) -> None:
    for n in range(5):
        last = guess(client, "ana", "192.0.2.1" if n % 2 else "::ffff:192.0.2.1")
    assert (last, guess(client, "ana", "::ffff:192.0.2.2", PASSWORD)) == (429, 302)


def test_many_names_from_one_address_lock_the_address(cast: dict[str, User], client: Client) -> None:
    assert [guess(client, f"name{n}", "192.0.2.1") for n in range(30)][-2:] == [200, 429]
    assert guess(client, "ana", "192.0.2.1", PASSWORD) == 429
    assert guess(client, "ana", "192.0.2.2", PASSWORD) == 302


def test_a_login_of_ones_own_does_not_pay_for_guesses_at_other_names(cast: dict[str, User]) -> None:
    for _ in range(4):
        guess(Client(), "ana", "192.0.2.1")
    assert guess(Client(), "ben", "192.0.2.1", PASSWORD) == 302
    assert guess(Client(), "ana", "192.0.2.1") == 429


def test_a_peer_without_an_address_is_counted_too(cast: dict[str, User], client: Client) -> None:
    assert [guess(client, "ana", "") for _ in range(5)][-1] == 429


def test_tries_during_the_lock_do_not_prolong_it_and_it_ends(cast: dict[str, User], client: Client) -> None:
    for n in range(10):
        guess(client, "ana", f"192.0.2.{n}")
    begun = AccessAttempt.objects.latest("attempt_time").attempt_time
    assert guess(client, "ana", "192.0.2.3") == 429
    assert AccessAttempt.objects.latest("attempt_time").attempt_time == begun
    AccessAttempt.objects.update(attempt_time=begun - timedelta(minutes=15))
    assert guess(client, "ana", "192.0.2.3", PASSWORD) == 302


def test_an_admin_unlocks_a_name(cast: dict[str, User], client: Client) -> None:
    for n in range(12):
        guess(client, "ana", f"192.0.2.{n}")
    call_command("axes_reset_username", "ana")
    assert guess(client, "ana", "192.0.2.99", PASSWORD) == 302


def test_a_logout_is_a_post_and_ends_the_session(login: Login) -> None:
    ana = login("ana")
    assert ana.get("/account/logout/").status_code == 405
    assert ana.post("/account/logout/")["Location"] == "/account/login/"
    assert ana.get("/").status_code == 302


def test_who_is_logged_in_does_not_see_the_login_page(login: Login) -> None:
    assert login("ana").get("/account/login/")["Location"] == "/"


def test_a_form_sent_after_the_login_expired_comes_back_after_it(cast: dict[str, User], client: Client) -> None:
    note = 'Two <b>values</b> & "one" gap\nin Rwanda'
    expired = client.post("/worker/?a=1", {"note": note, "select": ["a", "b"]}, headers=HERE)
    assert expired.status_code == 401
    kept = html.unescape(re.search(r'name="kept" value="([^"]*)"', expired.text).group(1))  # type: ignore[union-attr]
    logged_in = client.post("/account/login/", credentials(kept=kept))
    assert logged_in["Location"] == "/account/resume/"
    page = client.get("/account/resume/").text
    assert 'action="/worker/?a=1"' in page
    assert html.escape(note, quote=True).replace("&#x27;", "'") in page
    assert page.count('name="select"') == 2
    assert 'href="/instances/"' in page


def test_what_was_chosen_is_said_in_words_when_a_form_comes_back(cast: dict[str, User]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast["ana"])
    page = client.post("/work/a/b/", {"note": "x", "do": "finish:rejected"}, headers=HERE).text
    assert '<dt>Your choice</dt><dd class="typed">rejected</dd>' in page
    assert 'name="do" value="finish:rejected"' in page


def test_a_form_of_another_site_is_not_kept(cast: dict[str, User], client: Client) -> None:
    expired = client.post("/worker/", {"note": "pay them"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert expired.status_code == 401
    assert "pay them" not in expired.text


@pytest.mark.parametrize("path", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""])
def test_a_kept_form_never_leads_to_another_site(cast: dict[str, User], client: Client, path: str) -> None:
    kept = f'{{"path":"{path}","back":"/","pairs":[["a","b"]],"files":false}}'
    assert client.post("/account/login/", credentials(kept=kept))["Location"] == "/"


def test_without_a_kept_form_there_is_nothing_to_resume(login: Login) -> None:
    assert login("ana").get("/account/resume/")["Location"] == "/"


def test_a_stale_form_comes_back_filled_to_be_sent_again(cast: dict[str, User]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast["ana"])
    page = client.post("/worker/", {"note": "kept <i>note</i>"}, headers=HERE)
    assert page.status_code == 403
    assert "send it once more" in page.text
    assert 'value="kept &lt;i&gt;note&lt;/i&gt;"' in page.text


def test_a_forged_form_is_refused_and_not_shown(cast: dict[str, User]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast["ana"])
    page = client.post("/worker/", {"note": "forged"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert page.status_code == 403
    assert "forged" not in page.text


def test_the_own_password_can_be_changed(login: Login, cast: dict[str, User]) -> None:
    ana = login("ana")
    new = "another-horse-battery"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert ana.post("/account/password/", form)["Location"] == "/"
    assert "Your password is changed" in ana.get("/").text
    assert cast["ana"].__class__.objects.get(username="ana").check_password(new)


def test_a_weak_password_is_refused_with_the_reason(login: Login) -> None:
    form = {"old_password": PASSWORD, "new_password1": "12345", "new_password2": "12345"}
    page = login("ana").post("/account/password/", form).text
    assert "too short" in page
    assert "aria-invalid" in page


@pytest.mark.parametrize("name", ["worker", "Worker", "register", "external", "ana (re-arm)", "a)"])
def test_no_account_is_named_like_something_in_the_log(db: None, name: str) -> None:
    with pytest.raises(ValidationError):
        User.objects.create_user(name)


def test_the_admin_says_beside_the_field_why_a_name_is_refused(login: Login) -> None:
    form = {"username": "worker", "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    page = login("admin").post("/admin/auth/user/add/", form)
    assert page.status_code == 200
    assert "is what the log calls itself" in page.text
