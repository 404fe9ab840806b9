"""The worker's page."""

import os
import re
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
import time_machine
from django.contrib.auth.models import User

from board.log.store import Store
from board.log.tail import Tail, shared
from board.log.worker_lock import (
    LOCK_DIR,
    OWNER_FILE,
    STATE_FILE,
    Owner,
    RunningScript,
    WorkerState,
    boot_id,
    pid_namespace,
    started_ticks,
)
from board.process.definition.table import ProcessTable
from board.services import instances
from board.services.actor import anybody
from tests.story import Teller, tell
from tests.views.conftest import Login

SINCE = "2026-11-29T08:00:00Z"


def serve(store: Path, *, alive: bool = True, running: tuple[RunningScript, ...] = (), trouble: str = "") -> None:
    """A lock as a worker of this process would hold it, or one whose process is gone."""
    import socket

    ticks = started_ticks(os.getpid()) if alive else 1
    owner = Owner(os.getpid(), socket.gethostname(), SINCE, "t", ticks, boot_id(), pid_namespace())
    state = WorkerState(
        os.getpid(), socket.gethostname(), SINCE, "/srv/jobs", 2, "3f9a21bc", trouble=trouble, running=running
    )
    (store / LOCK_DIR).mkdir(exist_ok=True)
    (store / LOCK_DIR / OWNER_FILE).write_bytes(msgspec.json.encode(owner))
    (store / LOCK_DIR / STATE_FILE).write_bytes(msgspec.json.encode(state))


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    return tell(store)


@pytest.fixture
def ready(cast: dict[str, User], store: Path) -> Tail:
    """One instance with a script that is ready to run."""
    rows: list[dict[str, str | None]] = [
        {"task": "t", "name": "Load", "role": "system", "script": "load.sh"},
        {"task": "s", "name": "Sign", "role": "analyst", "depends_on": "t"},
    ]
    tail = shared(store)
    instances.start(tail, anybody("admin"), "P", "one", table=ProcessTable.from_rows(rows))
    return tail


def test_a_worker_that_lives_is_shown_with_its_code_and_since_when(ready: Tail, store: Path, login: Login) -> None:
    serve(store)
    page = login("ana").get("/worker/").text
    assert "alive" in page
    assert "3f9a21bc" in page
    assert f'datetime="{SINCE[:-1]}' in page
    assert "no worker is alive" not in page


def test_what_is_ready_without_a_worker_is_said_on_every_page(ready: Tail, login: Login) -> None:
    ana = login("ana")
    for path in ("/", "/processes/"):
        assert "1 script is ready to run, but no worker is alive" in ana.get(path).text
    page = ana.get("/worker/").text
    assert "No worker serves this store" in page
    assert "manage.py runworker" in page


def test_nothing_is_said_on_other_pages_when_nothing_is_ready(cast: dict[str, User], store: Path, login: Login) -> None:
    assert "no worker is alive" not in login("ana").get("/").text


def test_a_worker_that_is_gone_leaves_its_rows_unconfirmed(ready: Tail, store: Path, login: Login) -> None:
    Teller(store).say(SINCE, "one", "t", "doing", actor="worker", attempt=1)
    serve(store, alive=False)
    page = login("ana").get("/worker/").text
    assert "The worker that served this store is gone" in page
    assert "Unconfirmed" in page
    assert "Load" in page


def test_what_runs_is_listed_with_its_attempt(ready: Tail, store: Path, login: Login) -> None:
    teller = Teller(store)
    for attempt in (1, 2):
        teller.say(SINCE, "one", "t", "doing", actor="worker", attempt=attempt)
        if attempt == 1:
            teller.say(SINCE, "one", "t", "open", actor="worker (retry 1/1)", attempt=1)
    serve(store)
    page = login("ana").get("/worker/").text
    assert "It runs 1 script" in page
    assert "attempt 2" in page


def test_a_worker_in_trouble_says_why(ready: Tail, store: Path, login: Login) -> None:
    serve(store, trouble="the disk is full")
    assert "the disk is full" in login("ana").get("/worker/").text


def test_a_worker_that_is_silent_for_a_while_is_said(ready: Tail, store: Path, login: Login) -> None:
    serve(store)
    old = time.time() - 60
    os.utime(store / LOCK_DIR / OWNER_FILE, (old, old))
    assert "last sign of life" in login("ana").get("/worker/").text


def test_what_failed_is_listed_for_everybody(tail: Tail, login: Login) -> None:
    page = login("sam").get("/worker/").text
    assert "Failed, with no tries left" in page
    assert "validate.py" in page


def test_the_inbox_shows_what_waits_and_what_was_refused_with_the_reason(tail: Tail, store: Path, login: Login) -> None:
    inbox = Store(store).ensure()
    (inbox.inbox / "b.json").write_text("{}")
    (inbox.inbox / ".hidden.json").write_text("{}")
    (inbox.inbox / "notes.txt").write_text("")
    (inbox.failed / "<b>x.json").write_text("{")
    (inbox.failed / "<b>x.json.error").write_text("unreadable: this is no JSON: line 1 <i>\n")
    (inbox.failed / "y.json").write_text("{")
    page = login("ana").get("/worker/").text
    assert "1 message waits" in page
    assert "2 messages were refused" in page
    assert "this is no JSON: line 1 &lt;i&gt;" in page
    assert "&lt;b&gt;x.json" in page
    assert "No reason was left beside it" in page
    assert ".hidden.json" not in page


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_what_is_no_file_in_the_inbox_blocks_nothing(tail: Tail, store: Path, login: Login, kind: str) -> None:
    inbox = Store(store).ensure().inbox
    path = inbox / "odd.json"
    if kind == "link":
        path.symlink_to("/etc/passwd")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert "drop their messages" in login("ana").get("/worker/").text


def test_a_name_of_odd_bytes_is_shown_as_far_as_it_can_be(tail: Tail, store: Path, login: Login) -> None:
    (Store(store).ensure().inbox / os.fsdecode(b"bad\xff.json")).touch()
    assert "bad�.json" in login("ana").get("/worker/").text


def test_of_many_messages_the_number_is_said_and_some_are_shown(tail: Tail, store: Path, login: Login) -> None:
    inbox = Store(store).ensure().inbox
    for number in range(120):
        (inbox / f"m{number:04}.json").write_text("{}")
    page = login("ana").get("/worker/").text
    assert "120 messages wait" in page
    assert "And 70 more." in page
    assert "m0000.json" in page
    assert "m0119.json" not in page


def test_lines_of_the_log_that_are_none_are_said(tail: Tail, store: Path, login: Login) -> None:
    with (store / "events.jsonl").open("ab") as file:
        file.write(b"5\nnot json\n")
    assert "2 lines are no events" in login("ana").get("/worker/").text


def test_no_news_is_204_and_a_sign_of_life_is_none(ready: Tail, store: Path, login: Login) -> None:
    serve(store)
    ana = login("ana", htmx=True)
    found = re.search(r'data-v="([^"]*)"', ana.get("/worker/").text)
    assert found
    os.utime(store / LOCK_DIR / OWNER_FILE)
    assert ana.get("/worker/news/", {"v": found.group(1)}).status_code == 204
    serve(store, alive=False)
    answer = ana.get("/worker/news/", {"v": found.group(1)})
    assert answer.status_code == 200
    assert 'id="w-head"' in answer.text


def test_by_roles_messages_and_rows_of_others_are_not_named(
    tail: Tail, store: Path, login: Login, settings: Any
) -> None:
    settings.FOLDBOARD_VIEW = "roles"
    (Store(store).ensure().inbox / "secret-name.json").write_text("{}")
    serve(store, running=(RunningScript("2026Q1", "validate", "Rwanda", 1, "validate.py", SINCE),))
    page = login("nobody").get("/worker/").text
    assert "secret-name" not in page
    assert "1 message waits" in page
    assert "2026Q1" not in page
    assert "Ship" not in page
    assert "secret-name" in login("olga").get("/worker/").text


def frame_of(page: str) -> str:
    """Where a page asks for its frame anew."""
    found = re.search(r' data-frame="([^"]+)"', page)
    assert found is not None
    return found[1]


def test_the_frame_of_an_open_page_is_asked_for_anew(ready: Tail, store: Path, login: Login) -> None:
    ana = login("ana", htmx=True)
    first = frame_of(ana.get("/processes/").text)
    assert ana.get(first).status_code == 204
    serve(store)
    answer = ana.get(first)
    assert "worker alive" in answer.text
    assert "no worker is alive" not in answer.text
    Teller(store).say(SINCE, "one", "t", "done", actor="worker", attempt=1)
    serve(store, alive=False)
    answer = ana.get(frame_of(answer.text))
    assert "worker away" in answer.text
    assert '1<span class="sr"> open</span>' in answer.text
    assert ana.get(frame_of(answer.text)).status_code == 204


def test_another_day_makes_another_frame(ready: Tail, login: Login) -> None:
    with time_machine.travel("2026-11-29T23:59:30Z", tick=False) as clock:
        ana = login("ana", htmx=True)
        first = frame_of(ana.get("/processes/").text)
        assert ana.get(first).status_code == 204
        clock.shift(60)
        assert 'data-day="2026-11-30"' in ana.get(first).text


@pytest.mark.parametrize("path", ["/worker/", "/worker/news/", "/", "/instances/one/", "/instances/one/tasks/t/"])
def test_places_of_the_machine_are_for_those_who_operate_it(
    ready: Tail, store: Path, login: Login, path: str, settings: Any
) -> None:
    settings.FOLDBOARD_JOBS = "/srv/secret-place/jobs"
    serve(store)
    for name in ("ana", "nobody", "ed"):
        page = login(name).get(path).text
        assert not re.search(r"/srv|/tmp|/var|/home", page)
    if "worker" in path:
        assert '<dd class="path">jobs</dd><dt>Store</dt><dd class="path">store</dd>' in login("ana").get(path).text
        for name in ("olga", "admin"):
            assert f'/srv/jobs</dd><dt>Store</dt><dd class="path">{store}</dd>' in login(name).get(path).text


def test_without_a_worker_the_jobs_of_the_board_are_named(
    ready: Tail, store: Path, login: Login, settings: Any
) -> None:
    settings.FOLDBOARD_JOBS = "/srv/secret-place/jobs"
    assert '<dd class="path">jobs</dd>' in login("ana").get("/worker/").text
    assert '<dd class="path">/srv/secret-place/jobs</dd>' in login("olga").get("/worker/").text
