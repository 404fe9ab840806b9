"""Faults of our own, injected: each is in the log with its traceback and its ids, and the others go on."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from msgspec.structs import replace

from board.api import endpoints, tokens
from board.log.faults import Ids, JsonLines
from board.log.tail import Tail, shared
from board.process.engine import decide
from board.process.engine.instance import Instance
from board.selectors.instance import board as board_selectors
from board.services import inbox, message
from tests.views.boards import start as start_board
from tests.views.conftest import Login
from tests.worker.site import REPO, SHELL, Site, wait_for
from worker.heartbeat import Heartbeat
from worker.lock import WorkerLock

Entries = Callable[[], list[dict[str, str]]]
OURS = "Foldboard itself"


@pytest.fixture
def entries() -> Iterator[Entries]:
    """What is logged during a test, as the JSON lines an operator gets."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLines())
    handler.addFilter(Ids())
    loggers = [logging.getLogger(name) for name in ("", "django")]  # as LOGGING has them
    for logger in loggers:
        logger.addHandler(handler)
    yield lambda: [json.loads(line) for line in out.getvalue().splitlines()]
    for logger in loggers:
        logger.removeHandler(handler)


def only(found: list[dict[str, str]], text: str) -> dict[str, str]:
    """The one entry that has a text in its traceback."""
    fitting = [entry for entry in found if text in entry.get("traceback", "")]
    assert len(fitting) == 1, found
    return fitting[0]


def odd(method: Callable[..., Any], *, instance: str = "odd") -> Callable[..., Any]:
    """The method, with a fault for one instance."""

    def faulty(self: Instance, *args: Any) -> Any:
        if self.id == instance:
            raise KeyError("typo")
        return method(self, *args)

    return faulty


def test_a_fault_in_the_fold_names_request_and_instance_and_the_others_are_shown(
    login: Login, store: Path, monkeypatch: pytest.MonkeyPatch, entries: Entries
) -> None:
    start_board(store, "odd")
    start_board(store, "good")
    shared(store).cool("odd")
    monkeypatch.setattr(Instance, "apply", odd(Instance.apply))
    ana = login("ana")
    page = ana.get("/instances/odd/")
    assert page.status_code == 404
    entry = only(entries(), "KeyError: 'typo'")
    assert (entry["instance"], entry["request_id"]) == ("odd", page["X-Request-ID"])
    assert entry["message"] == "Instance odd cannot be folded"
    assert OURS in page.text
    assert page["X-Request-ID"] in page.text
    assert ana.get("/instances/good/").status_code == 200
    assert ana.get("/").status_code == 200


def test_an_event_that_cannot_be_taken_in_is_logged_with_its_place(site: Site, entries: Entries) -> None:
    class Fragile(Instance):
        def apply(self, event: Any) -> set[int]:
            if event.value == "boom":
                raise KeyError("typo")
            return super().apply(event)

    site.start([{"task": "t", "role": "analyst"}], instance="odd")
    tail = Tail(site.tail.log, Fragile.from_start)
    assert tail.get("odd") is not None
    place = site.store.events_path.stat().st_size
    site.append(replace(site.events("odd")[-1], task="t", field="comment", value="boom"))
    tail.refresh()
    entry = only(entries(), "KeyError: 'typo'")
    assert (entry["instance"], entry["message"]) == ("odd", f"Instance odd cannot take in the event at byte {place}")


def test_a_fault_in_what_an_instance_sums_up_to_leaves_my_work_to_the_others(
    login: Login, store: Path, monkeypatch: pytest.MonkeyPatch, entries: Entries
) -> None:
    start_board(store, "odd")
    start_board(store, "good")
    monkeypatch.setattr(Instance, "sentence", odd(Instance.sentence))
    page = login("ana").get("/instances/")
    assert page.status_code == 200
    entry = only(entries(), "KeyError: 'typo'")
    assert (entry["instance"], entry["request_id"]) == ("odd", page["X-Request-ID"])


def test_a_fault_in_the_making_of_a_board_is_a_page_with_the_request(
    login: Login, store: Path, monkeypatch: pytest.MonkeyPatch, entries: Entries
) -> None:
    start_board(store, "odd")
    start_board(store, "good")
    ana = login("ana")
    ana.raise_request_exception = False
    sections = board_selectors.sections

    def faulty(sheet: Any, wanted: Any, rendering: Any, opened: Any = ()) -> Any:
        return (_raising if "odd" in rendering.base else sections)(sheet, wanted, rendering, opened)

    monkeypatch.setattr(board_selectors, "sections", faulty)
    page = ana.get("/instances/odd/")
    assert page.status_code == 500
    entry = only(entries(), "KeyError: 'typo'")
    assert entry["message"] == "Internal Server Error: /instances/odd/"
    assert entry["request_id"] == page["X-Request-ID"]
    assert page["X-Request-ID"] in page.text
    assert ana.get("/instances/good/").status_code == 200


def _raising(*_: object, **__: object) -> Any:
    raise KeyError("typo")


def test_a_fault_in_a_message_keeps_it_in_the_inbox_and_lets_the_others_in(
    site: Site, monkeypatch: pytest.MonkeyPatch, entries: Entries
) -> None:
    site.start([{"task": "t", "role": "system"}], instance="odd")
    site.start([{"task": "t", "role": "system"}], instance="good")
    site.message("a", task="t", instance="odd")
    site.message("b", task="t", instance="good")
    finishing = decide.finishing

    def faulty(instance: Instance, *args: Any, **named: Any) -> Any:
        return (_raising if instance.id == "odd" else finishing)(instance, *args, **named)

    monkeypatch.setattr(inbox, "finishing", faulty)
    keeper = inbox.Inbox(site.tail, site.store)
    report = keeper.take_in()
    assert list(report.applied) == ["b.json"]
    assert OURS in report.unjudged["a.json"]
    entry = only(entries(), "KeyError: 'typo'")
    assert (entry["instance"], entry["message"]) == ("odd", "The message a.json cannot be judged")
    assert (site.store.inbox / "a.json").exists()
    assert keeper.take_in() == inbox.Report()  # it rests, and is not logged each second
    monkeypatch.setattr(inbox, "finishing", finishing)
    assert list(inbox.Inbox(site.tail, site.store).take_in().applied) == ["a.json"]


def test_a_fault_in_the_reading_of_a_message_keeps_it_in_the_inbox(
    site: Site, monkeypatch: pytest.MonkeyPatch, entries: Entries
) -> None:
    site.start([{"task": "t", "role": "system"}])
    site.message("a", task="t", instance="i")
    monkeypatch.setattr(message, "_object", _raising)
    assert list(inbox.take_in(site.tail, site.store).unjudged) == ["a.json"]
    assert only(entries(), "KeyError: 'typo'")["message"] == "The message a.json cannot be judged"


@pytest.mark.parametrize("method", ["ready_scripts", "owed", "doing_rows", "sentence", "tally", "attempts"])
@pytest.mark.worker
def test_a_fault_with_one_instance_leaves_the_worker_to_the_others(
    site: Site, monkeypatch: pytest.MonkeyPatch, entries: Entries, method: str
) -> None:
    site.script("s.sh", "true\n")
    site.start([{"task": "t", **SHELL}], instance="good")
    site.start([{"task": "t", **SHELL}], instance="odd")
    monkeypatch.setattr(Instance, method, odd(getattr(Instance, method)))
    out = io.StringIO()
    assert site.worker(out, no_wait=True, quiet=False).run() == 0
    assert site.status("t", instance="good") == "done"
    assert only(entries(), "KeyError: 'typo'")["instance"] == "odd"
    assert f"nothing of the instance 'odd' can be run: This is a fault of {OURS}" in out.getvalue()


@pytest.mark.worker
def test_an_end_that_cannot_be_taken_in_is_made_up_for_by_the_next_worker(
    site: Site, monkeypatch: pytest.MonkeyPatch, entries: Entries
) -> None:
    site.script("s.sh", "true\n")
    site.start([{"task": "t", **SHELL}], instance="odd")
    site.start([{"task": "t", **SHELL}], instance="good")
    with monkeypatch.context() as faulty:
        faulty.setattr(Instance, "failures", odd(Instance.failures))
        assert site.work() == 0
        entry = only(entries(), "KeyError: 'typo'")
        assert (entry["instance"], entry["message"]) == ("odd", "Instance odd cannot take in the end of t")
        assert site.status("t", instance="good") == "done"
    assert site.work() == 0
    assert site.status("t", instance="odd") == "done"


@pytest.mark.worker
def test_a_fault_in_a_turn_is_logged_once_and_the_turn_is_tried_again(
    site: Site, monkeypatch: pytest.MonkeyPatch, entries: Entries
) -> None:
    site.script("s.sh", "true\n")
    site.start([{"task": "t", **SHELL}])
    worker = site.worker()
    with monkeypatch.context() as faulty:
        faulty.setattr(worker.running, "collect", _raising)
        for second in range(5):
            worker.turn(float(second))
        assert OURS in worker.state().trouble
        entry = only(entries(), "KeyError: 'typo'")
        assert entry["message"] == "A turn of the worker cannot be finished"
    ends = time.monotonic() + 30
    later = 10.0
    while site.status("t") != "done":
        assert time.monotonic() < ends
        worker.turn(later)
        later += 1
    assert worker.state().trouble == ""


def test_a_fault_in_the_heartbeat_is_logged_once_and_the_lock_is_touched_on(site: Site, entries: Entries) -> None:
    lost = threading.Event()
    heartbeat = Heartbeat(WorkerLock.take(site.store.root), lost.set, interval_s=0.05)
    heartbeat.says = _raising
    beaten: list[float] = []
    beat = heartbeat.lock.beat
    heartbeat.lock.beat = lambda: beaten.append(time.monotonic()) or beat()  # type: ignore[func-returns-value,method-assign]
    heartbeat.start()
    try:
        wait_for(lambda: len(beaten) >= 3, what="three signs of life")
    finally:
        heartbeat.stop()
        heartbeat.lock.release()
    assert not lost.is_set()
    assert only(entries(), "KeyError: 'typo'")["message"] == "The heartbeat of the worker cannot do all it should"


def test_a_fault_of_the_api_is_json_with_the_request(
    cast: dict[str, User], store: Path, monkeypatch: pytest.MonkeyPatch, entries: Entries
) -> None:
    start_board(store)
    monkeypatch.setattr(endpoints, "may_view", _raising)
    secret = tokens.make(cast["ana"], "test")
    client = Client(raise_request_exception=False)
    page = client.get("/api/instances/2026Q1", headers={"Authorization": f"Bearer {secret}"})
    assert page.status_code == 500
    assert page.json()["code"] == "fault"
    assert page["X-Request-ID"] in page.json()["message"]
    assert only(entries(), "KeyError: 'typo'")["request_id"] == page["X-Request-ID"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_settings_say_how_it_is_logged(tmp_path: Path, form: str) -> None:
    script = (
        "import django, logging; django.setup()\n"
        "from board.log.faults import note_fault, request_id\n"
        "request_id.set('r-1')\n"
        "logging.getLogger('board').warning('less')\n"
        "note_fault(logging.getLogger('board.x'), KeyError('typo'), 'It broke', instance='i')\n"
    )
    more = {"FOLDBOARD_VAR": str(tmp_path), "FOLDBOARD_LOG_FORMAT": form, "FOLDBOARD_LOG_LEVEL": "ERROR"}
    env = {**os.environ, **more, "DJANGO_SETTINGS_MODULE": "board.settings"}
    done = subprocess.run([sys.executable, "-c", script], cwd=REPO, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    if form == "text":
        assert "ERROR board.x: It broke [request r-1] [instance i]\nKeyError: 'typo'" in done.stderr
        return
    (line,) = done.stderr.splitlines()
    said = json.loads(line)
    assert said.pop("time").endswith("+00:00")
    assert said == {
        "level": "ERROR", "logger": "board.x", "message": "It broke", "request_id": "r-1", "instance": "i",
        "traceback": "KeyError: 'typo'",
    }  # fmt: skip


def test_an_id_is_taken_from_a_proxy_of_ours_only(login: Login, settings: Any) -> None:
    ana, given = login("ana"), "5f0c61d0a1b2c3d4"
    assert ana.get("/", headers={"X-Request-ID": given})["X-Request-ID"] != given
    settings.FOLDBOARD_PROXIES = 1
    assert ana.get("/", headers={"X-Request-ID": given})["X-Request-ID"] == given
    assert ana.get("/", headers={"X-Request-ID": "a forged\tline"})["X-Request-ID"] != "a forged\tline"
    assert ana.get("/")["X-Request-ID"] != ana.get("/")["X-Request-ID"]
