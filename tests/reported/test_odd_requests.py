"""What users met when an address was mistyped, shortened, or made up: an answer that says so, and never a fault."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from board.api import tokens
from tests.story import tell
from tests.views.conftest import Login
from tests.views.test_frame import addresses

ODD = ("", "-1", "9" * 20, "٣", "\x00", "../..", "x" * 3000, "'\"<>%")
NAMES = (
    "v", "at", "from", "rows", "open", "status", "person", "role", "text", "sort", "mine", "f.continent", "f.", "q",
    "after", "task", "element", "actor", "field", "view", "state", "process", "version", "place", "limit", "before",
)  # fmt: skip


@pytest.mark.parametrize("htmx", [False, True], ids=["a page", "a fragment"])
def test_no_query_however_odd_is_a_fault(cast: dict[str, User], store: Path, login: Login, htmx: bool) -> None:
    tell(store)
    admin = login("admin", htmx=htmx)
    for address in sorted(set(addresses())):
        if address.startswith(("/admin/", "/account/logout")):
            continue
        for odd in ODD:
            query = "&".join(f"{name}={quote(odd)}" for name in NAMES)
            response = admin.get(f"{address}?{query}")
            assert response.status_code < 500, (address, odd)


LONG = "review@" + "y" * 5000


@pytest.mark.parametrize("odd", ["a@b@c", "@", "review@", "@Rwanda", "%00", "review@%FF", "x" * 500, "..", LONG])
def test_no_row_however_named_is_a_fault(cast: dict[str, User], store: Path, login: Login, odd: str) -> None:
    tell(store)
    ana = login("ana")
    for part in ("", "menu/", "news/?v=x", "attempts/1/", "attempts/1/log", "attempts/99999999999999999999/"):
        assert ana.get(f"/instances/2026Q1/tasks/{odd}/{part}").status_code in (400, 404, 409), part
    assert ana.post(f"/work/2026Q1/{odd}/", {"do": "take"}).status_code == 404


FORMS: list[dict[str, Any]] = [
    {},
    {"do": "\x00"},
    {"do": "finish", "value": "\x00"},
    {"do": "finish", "value": "done", "note": "\x00\u202e"},
    {"do": "finish", "value": "x" * 100_000},
    {"do": "comment", "note": "y" * 1_000_000},
    {"do": "assign", "assignee": "\x00"},
    {"do": "due", "due": "9999-99-99"},
    {"do": ["take", "finish"], "row": ["1", "x", "-1", "9" * 30]},
]


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_no_form_however_odd_is_a_fault(cast: dict[str, User], store: Path, login: Login, number: int) -> None:
    tell(store)
    admin = login("admin")
    for address in sorted(set(addresses())):
        if not address.startswith(("/admin/", "/account/logout", "/api/")):
            assert admin.post(address, FORMS[number]).status_code < 500, address


COLLECTION = "Quarterly data collection"
BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff",
    b'{"do": 1}',
    b'{"task": {"a": 1}}',
    b'{"task": "review", "do": "due", "value": "9999-12-31"}',
    b'{"process": "Release", "instance": "../x"}',
    b'{"process": "\\u0000", "instance": "x"}',
    b'{"process": "%s", "instance": "n", "elements": {"a": ["x"], "b": 3}}' % COLLECTION.encode(),
    b'{"process": "%s", "instance": "n", "elements": ["\\ud800"]}' % COLLECTION.encode(),
]
CALLS = [
    ("post", "instances"),
    ("post", "instances/2026Q1/act"),
    ("put", "messages/m"),
    ("get", "instances?state=%00"),
    ("get", "instances/2026Q1/events?after=%00"),
    ("get", "instances/2026Q1/events?limit=-5"),
    ("get", "processes/%00"),
]


@pytest.mark.parametrize("body", BODIES)
def test_no_body_however_odd_is_a_fault_of_the_api(cast: dict[str, User], store: Path, body: bytes) -> None:
    tell(store)
    client = Client(headers={"Authorization": f"Bearer {tokens.make(cast['admin'], 'test')}"})
    for method, path in CALLS:
        answer = client.generic(method.upper(), f"/api/{path}", body, "application/json")
        assert answer.status_code < 500, (method, path)
