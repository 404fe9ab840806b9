"""The frame around every page: login, headers, errors, and what anybody may reach."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, path

from board import urls
from board.log.tail import Tail
from tests.story import tell
from tests.views.conftest import Login

OPEN_TO_ALL = {"/health/", "/account/login/", "/admin/login/"}
# what stands for each part of an address: things that are there, so that only rights can keep somebody out
PARTS = {
    "instance": "2026Q1", "row": "review@Rwanda", "name": "Release", "task": "review", "attempt": "1", "kind": "csv",
    "object_id": "1", "content_type_id": "1", "app_label": "auth", "url": "x", "version": "1", "element": "Rwanda",
    "process": "Release", "message": "m.json", "ref": "m.json",
}  # fmt: skip


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    return tell(store)


def addresses(patterns: Any = None, before: str = "/") -> Iterator[str]:
    """Every address of the board, with parts filled in."""
    for each in get_resolver().url_patterns if patterns is None else patterns:
        text = before + _filled(str(each.pattern))
        if isinstance(each, URLResolver):
            yield from addresses(each.url_patterns, text)
        elif isinstance(each, URLPattern):
            yield text


def _filled(pattern: str) -> str:
    pattern = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: PARTS.get(found.group(1), "x"), pattern.lstrip("^"))
    pattern = re.sub(r"\(\?P<(\w+)>[^)]*\)", lambda found: PARTS.get(found.group(1), "x"), pattern)
    return pattern.replace("\\Z", "").replace("$", "")


def test_a_stranger_is_sent_to_the_login_page(db: None, client: Client) -> None:
    response = client.get("/worker/?a=1")
    assert response.status_code == 302
    assert response["Location"] == "/account/login/?next=/worker/%3Fa%3D1"


@pytest.mark.parametrize("address", sorted(set(addresses()) - OPEN_TO_ALL))
def test_no_address_answers_a_stranger(db: None, client: Client, address: str) -> None:
    # a program may be told that the method is wrong, and nothing more
    refused = {401, 405} if address.startswith("/api/") else {401}
    assert client.get(address).status_code in (refused | {302})
    assert client.get(address, headers={"HX-Request": "true"}).status_code in refused
    assert client.post(address, {"a": "b"}).status_code in refused


@pytest.mark.parametrize(
    "address", sorted(a for a in set(addresses()) if a.startswith(("/instances/", "/work/", "/processes/R")))
)
def test_by_roles_no_address_shows_a_process_of_others(tail: Tail, login: Login, settings: Any, address: str) -> None:
    settings.FOLDBOARD_VIEW = "roles"
    nobody = login("nobody")
    for response in (nobody.get(address), nobody.get(address, headers={"HX-Request": "true"}), nobody.post(address)):
        body = response.getvalue().decode(errors="replace")
        assert response.status_code != 500
        assert "Rwanda" not in body.replace("review@Rwanda", "")
        assert "Quarterly data collection" not in body
        assert "Check the build" not in body


@pytest.mark.parametrize("address", ["/", "/instances/", "/processes/", "/worker/", "/account/password/", "/nowhere/"])
def test_every_page_has_its_headers_its_heading_and_the_frame(tail: Tail, login: Login, address: str) -> None:
    page = login("ana").get(address)
    assert page["Cache-Control"] == "no-store, private"
    assert "HX-Request" in page["Vary"]
    policy = page["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "base-uri 'none'" in policy
    assert "form-action 'self'" in policy
    assert "unsafe" not in policy
    assert page["X-Content-Type-Options"] == "nosniff"
    assert page["Referrer-Policy"] == "same-origin"
    assert page.text.count("<h1") == 1
    assert 'class="skip" href="#main"' in page.text
    assert "Ana Weiss" in page.text


def test_no_page_has_anything_inline(tail: Tail, login: Login) -> None:
    ana = login("ana")
    for address in ("/", "/instances/", "/instances/2026Q1/", "/processes/", "/worker/", "/account/password/"):
        page = ana.get(address).text
        assert not re.search(r"\sstyle=|<style|<script(?![^>]*\ssrc=)|\son\w+=|javascript:", page), address


def test_no_template_misspells_an_attribute_of_htmx() -> None:
    known = {
        "get", "post", "put", "patch", "delete", "swap", "swap-oob", "target", "trigger", "headers", "vals", "select",
        "select-oob", "push-url", "replace-url", "include", "indicator", "disabled-elt", "sync", "confirm", "encoding",
        "boost", "preserve", "params", "history", "history-elt", "ext", "disable", "disinherit", "inherit", "prompt",
        "request", "validate",
    }  # fmt: skip
    root = Path(__file__).resolve().parents[2] / "templates"
    for template in root.rglob("*.html"):
        used = set(re.findall(r"\shx-([a-z-]+)=", template.read_text()))
        assert used <= known, template


def test_health_is_open_and_short(db: None, client: Client) -> None:
    assert client.get("/health/").content == b"ok\n"


def test_health_asks_nothing_of_who_asks(db: None, client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        client.get("/health/")


def test_what_is_not_there_is_said_with_a_way_on(login: Login) -> None:
    page = login("ana").get("/nowhere/")
    assert page.status_code == 404
    assert "There is nothing here" in page.text
    assert 'href="/instances/"' in page.text


def test_a_stranger_sees_nothing_of_the_frame_on_an_error_page(db: None, client: Client) -> None:
    page = client.get("/nowhere/").text
    assert "<nav" not in page


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("for the test")


def forbidden(request: HttpRequest) -> HttpResponse:
    from django.core.exceptions import PermissionDenied

    raise PermissionDenied("Only an operator may do this.")


@pytest.fixture
def with_faults(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[None]:
    from django.urls import clear_url_caches

    extra = [path("broken/", broken), path("forbidden/", forbidden)]
    monkeypatch.setattr(urls, "urlpatterns", [*extra, *urls.urlpatterns])
    clear_url_caches()
    yield
    clear_url_caches()  # else the tests after this one walk these addresses too


@pytest.mark.usefixtures("with_faults")
def test_a_fault_is_said_with_the_time_and_what_was_typed(login: Login, caplog: pytest.LogCaptureFixture) -> None:
    ana = login("ana")
    ana.raise_request_exception = False
    page = ana.post("/broken/", {"note": "do not <lose> me"}, headers={"Sec-Fetch-Site": "same-origin"})
    assert page.status_code == 500
    assert "Something broke" in page.text
    assert "do not &lt;lose&gt; me" in page.text
    assert "for the test" not in page.text
    assert "RuntimeError: for the test" in caplog.text


@pytest.mark.usefixtures("with_faults")
def test_what_is_not_allowed_says_why(login: Login) -> None:
    page = login("ana").get("/forbidden/")
    assert page.status_code == 403
    assert "Only an operator may do this." in page.text


def test_the_admin_is_for_admins(login: Login) -> None:
    assert login("admin").get("/admin/").status_code == 200
    assert login("ana").get("/admin/").status_code == 302


def test_who_somebody_is_costs_one_query(login: Login, django_assert_num_queries: Any) -> None:
    ana = login("ana")
    with django_assert_num_queries(1):
        assert ana.get("/account/resume/").status_code == 302
