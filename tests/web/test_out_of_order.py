"""When disk, log or database cannot be used: 503 with the reason, nothing typed is lost, and it can be sent again."""

import errno
import json
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import clear_url_caches, path

from board import urls
from board.api import tokens
from board.log.tail import Tail
from board.services import definitions
from board.services.actor import anybody
from tests.cast import PASSWORD
from tests.views.boards import start, table, through_review
from tests.views.conftest import Login

FROM_HERE = {"Sec-Fetch-Site": "same-origin"}
ROW = "/instances/2026Q1/tasks/review@Rwanda/act/"
EDIT = {"do": "put", "row": 0, "column": "name", "block": [["Other"]], "draft": 0, "edits": 0}
Full = Callable[[], AbstractContextManager[None]]

# who, where to, what is typed, and a word of it that has to come back
WRITES: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "finish": ("ana", ROW, {"do": "finish:done", "note": "looked <twice>"}, "looked &lt;twice&gt;"),
    "comment": ("ana", ROW, {"do": "comment", "note": "a long comment"}, "a long comment"),
    "my work": ("ana", "/work/2026Q1/review@Rwanda/", {"do": "finish:done", "note": "by hand"}, "by hand"),
    "bulk": (
        "ana",
        "/instances/2026Q1/bulk/",
        {"row": ["8", "10"], "do": "finish", "sure": "yes", "value": "done", "note": "both of them"},
        "both of them",
    ),
    "start": (
        "olga",
        "/instances/-/start/",
        {"process": "Saved", "id": "2026Q2", "elements": "country,region\nPeru,South"},
        "Peru,South",
    ),
    "save": ("ed", "/processes/Saved/edit/save/", {"edits": "1", "note": "clearer", "do": "save"}, "clearer"),
}


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Iterator[Tail]:
    """An instance on a small file system where one can be mounted; else on the disk that is there."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(store)]
    mounted = (
        shutil.which("mount") is not None and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    )
    found = start(store)
    through_review(found)
    definitions.save(found, anybody("ed"), "Saved", table(), "first")
    yield found
    if mounted:
        subprocess.run(["umount", "-l", str(store)], check=True)


@pytest.fixture
def full(store: Path) -> Full:
    """`with full():` there is no room for another event: the file system is filled, or the log may not grow."""

    @contextmanager
    def filled() -> Iterator[None]:
        if os.path.ismount(store):
            room = os.statvfs(store)
            (store / "filler").write_bytes(bytes(room.f_bavail * room.f_bsize))
            with (store / "events.jsonl").open("ab", buffering=0) as log:  # what is left of its last page
                log.write(b"\n" * (-log.tell() % 4096))
            yield
            (store / "filler").unlink()
            return
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, ((store / "events.jsonl").stat().st_size, before[1]))
        yield
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return filled


@contextmanager
def pragma(name: str, during: int, after: int) -> Iterator[None]:
    """The database as a full or a read-only disk makes it; the test's own transaction survives what was refused."""
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}={during}")
    try:
        yield
    finally:
        connection.set_rollback(False)
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA {name}={after}")


def patient(client: Client) -> Client:
    client.raise_request_exception = False
    return client


def refused(answer: Any, *words: str) -> None:
    assert answer.status_code == 503, answer.text
    assert int(answer["Retry-After"]) > 0
    for word in words:
        assert word in answer.text


def with_newest(tail: Tail, what: str, form: dict[str, Any]) -> dict[str, Any]:
    return form | {"newest": tail.versions("Saved")[-1].version} if what == "save" else form


@pytest.mark.parametrize("what", WRITES)
def test_on_a_full_disk_nothing_is_recorded_and_what_was_typed_can_be_sent_again(
    tail: Tail, login: Login, full: Full, what: str
) -> None:
    name, address, form, word = WRITES[what]
    client = patient(login(name))
    if what == "save":
        newest = tail.versions("Saved")[-1].version
        client.post("/processes/Saved/edit/op/", json.dumps(EDIT | {"base": newest}), "application/json")
    form = with_newest(tail, what, form)
    before = len(tail.log.read().events)
    with full():
        refused(client.post(address, form, headers=FROM_HERE), "Nothing was recorded", word, "Send it now")
    assert len(tail.log.read().events) == before
    assert client.post(address, form, headers=FROM_HERE).status_code in (200, 302)
    assert len(tail.log.read().events) > before


@pytest.mark.parametrize("what", ["finish", "comment", "my work", "bulk"])
def test_a_fragment_is_told_at_the_foot_of_the_window(tail: Tail, login: Login, full: Full, what: str) -> None:
    name, address, form, _ = WRITES[what]
    with full():
        answer = patient(login(name, htmx=True)).post(address, form)
    refused(answer, "Nothing was recorded")
    assert "<" not in answer.text
    said = json.loads(answer["HX-Trigger"])["say"]
    assert said == {"text": answer.text, "kind": "error"}


def test_programs_are_told_in_json(tail: Tail, cast: dict[str, User], full: Full) -> None:
    headers = {"Authorization": f"Bearer {tokens.make(cast['ana'], 'test')}"}
    wish = {"task": "review", "element": "Rwanda", "do": "finish"}
    client = patient(Client(headers=headers))
    with full():
        answer = client.post("/api/instances/2026Q1/act", json.dumps(wish), "application/json")
    refused(answer)
    assert answer.json()["code"] == "unavailable"
    assert "Nothing was recorded" in answer.json()["message"]
    assert client.post("/api/instances/2026Q1/act", json.dumps(wish), "application/json").status_code == 200


PAGES = ["/", "/instances/", "/instances/2026Q1/", "/processes/"]


@pytest.mark.parametrize(
    ("address", "method"),
    [("/api/instances", "get"), *((page, method) for page in PAGES for method in ("get", "head"))],
)
def test_a_log_that_cannot_be_read_is_said(
    tail: Tail, cast: dict[str, User], login: Login, settings: Any, tmp_path: Path, address: str, method: str
) -> None:
    client = patient(login("olga"))
    headers = {"Authorization": f"Bearer {tokens.make(cast['olga'], 'test')}"}
    (tmp_path / "file").write_text("")
    settings.FOLDBOARD_STORE = tmp_path / "file" / "store"
    answer = getattr(client, method)(address, headers=headers)
    refused(answer, *(["cannot be read"] if method == "get" else []))
    assert answer["Content-Type"].startswith("application/json" if "/api/" in address else "text/html")


def test_a_draft_that_cannot_be_written_is_said(tail: Tail, login: Login) -> None:
    ed, newest = patient(login("ed")), tail.versions("Saved")[-1].version

    def put(text: str, **more: int) -> Any:
        said = EDIT | {"block": [[text]], "base": newest} | more
        return ed.post("/processes/Saved/edit/op/", json.dumps(said), "application/json")

    with pragma("query_only", 1, 0):
        refused(put("Other"), "readonly database")
    saved = put("Other")
    assert saved.status_code == 200
    there = {name: saved.json()[name] for name in ("draft", "edits")}
    with pragma("max_page_count", 1, 1_073_741_823):
        refused(put("x" * 9_000, **there), "disk is full")


def test_a_login_on_a_database_that_cannot_be_written_is_said_without_the_password(cast: dict[str, User]) -> None:
    stranger, form = patient(Client()), {"username": "ana", "password": PASSWORD}
    with pragma("query_only", 1, 0):
        answer = stranger.post("/account/login/", form, headers=FROM_HERE)
        refused(answer, "readonly database", "Try again")
        assert PASSWORD not in answer.text
    assert stranger.post("/account/login/", form).status_code == 302


def test_a_logout_on_a_database_that_cannot_be_written_is_no_fault(login: Login) -> None:
    ana = patient(login("ana"))
    with pragma("query_only", 1, 0):
        assert ana.post("/account/logout/").status_code == 200


def failing(request: HttpRequest, number: int) -> HttpResponse:
    raise OSError(number, os.strerror(number))


@pytest.mark.parametrize(("number", "status"), [(errno.ENOSPC, 503), (errno.EIO, 503), (errno.ENOENT, 500)])
def test_a_disk_that_fails_is_503_and_a_fault_of_ours_stays_500(
    login: Login, monkeypatch: pytest.MonkeyPatch, number: int, status: int
) -> None:
    monkeypatch.setattr(urls, "urlpatterns", [path("failing/<int:number>/", failing), *urls.urlpatterns])
    clear_url_caches()
    answer = patient(login("ana")).get(f"/failing/{number}/")
    clear_url_caches()
    assert answer.status_code == status
    assert (os.strerror(number) in answer.text) == (status == 503)
