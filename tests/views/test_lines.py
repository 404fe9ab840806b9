"""No line of the log, whoever wrote it, breaks a page of anything else, the worker's turn or the inbox."""

import json
import time
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from board.api import tokens
from board.log.event import Event, decode
from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.selectors import current
from board.selectors.instance.as_json import record
from board.services import definitions
from board.services.actor import anybody
from tests.cast import CAST
from tests.lines import GOOD, HOSTILE, MANY, NAME, SMALL, any_lines, line, stamp
from tests.views.boards import start, table, through_review
from tests.views.conftest import Login
from worker.config import Config
from worker.loop import Worker

LISTS = (
    "/", "/instances/", "/processes/", "/worker/", "/frame/", "/work/news/?v=0", "/instances/-/news/?v=0-0",
    "/worker/news/?v=0", "/health/",
)  # fmt: skip
OF_THE_GOOD = (
    "", "?at=3", "news/?v=0-0", "yours/", "log/", "log/events.csv", "files/", "tasks/approve/", "tasks/review@Rwanda/",
)  # fmt: skip
ENOUGH_S = 10.0  # for a look at lists after the worst line of a few megabytes, on a busy machine


class Board:
    """A store with a healthy instance and a saved process, seen by a running tail and by everybody of the cast."""

    def __init__(self, store: Path, login: Login, cast: Mapping[str, User]) -> None:
        self.store, self.login = store, login
        self.path = store / "events.jsonl"
        self.tail = start(store)
        through_review(self.tail, ["Rwanda"])
        definitions.save(self.tail, anybody("ed"), NAME, table(), "first")
        self.base = self.path.read_bytes()
        self.before = self.state()
        self.clients = {name: login(name) for name in (*CAST, "admin")}
        self.token = tokens.make(cast["ana"], "test")

    def put(self, *lines: bytes) -> Tail:
        """The healthy log, then these lines as another program appends them."""
        self.path.write_bytes(self.base)
        self.tail.refresh()
        with self.path.open("ab") as log:
            log.write(b"".join(line.replace(b"\n", b" ") + b"\n" for line in lines))
        return self.tail

    def state(self) -> Any:
        instance = self.tail.get(GOOD)
        assert instance is not None
        return record(instance, current.zone()), [each.version for each in self.tail.versions(NAME)][:1]

    def check(self, *names: str) -> None:
        """Everything answers everybody, the healthy instance is as it was, the worker and the inbox go on."""
        begun = time.perf_counter()
        for name in names or self.clients:
            for path in (*LISTS, *(f"/instances/{GOOD}/{rest}" for rest in OF_THE_GOOD), f"/processes/{NAME}/"):
                assert self.clients[name].get(path).status_code in (200, 204), (name, path)
            assert self.clients[name].get("/instances/-/start/").status_code in (200, 403)
        assert time.perf_counter() - begun < ENOUGH_S * len(names or self.clients)
        self._check_what_came(self.clients[(*names, "olga")[0]])
        for path in ("instances", f"instances/{GOOD}", f"instances/{GOOD}/events", "processes"):
            headers = {"Authorization": f"Bearer {self.token}"}
            assert Client().get(f"/api/{path}", headers=headers).status_code == 200
        assert self.state() == self.before
        self._check_work()
        assert self.state() == self.before

    def _check_what_came(self, client: Client) -> None:
        """What the lines made has pages of its own, or says there why not."""
        for head in self.tail.ids()[:6]:
            for rest in ("", "log/"):
                assert client.get(reverse("instance", args=[head.id]) + rest).status_code in (200, 404)
        for name in list(self.tail.definitions())[:6]:
            assert client.get(reverse("process", args=[name])).status_code == 200

    def _check_work(self) -> None:
        jobs = self.store.parent / "jobs"
        jobs.mkdir(exist_ok=True)
        config = Config(store=self.store, jobs=jobs, quiet=True, no_wait=True, lock=False)
        worker = Worker(config, Tail(open_log(self.store)), Store(self.store).ensure())
        for turn in range(30):
            if not worker.turn(float(turn)):
                break
        assert worker.trouble == ""
        (self.store / "inbox" / "m.json").write_text('{"instance":"odd","task":"a","status":"done"}')
        call_command("ingest", stdout=StringIO())


@pytest.fixture
def board(store: Path, login: Login, cast: dict[str, User]) -> Board:
    return Board(store, login, cast)


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_line_breaks_no_page_of_anybody(board: Board, what: str) -> None:
    board.put(*HOSTILE[what])
    board.check()


def test_bad_lines_are_told_on_the_page_of_the_operator_and_by_checklog(board: Board) -> None:
    tail = board.put(*stamp(SMALL, instance="a/b"))
    first = board.base.count(b"\n") + 1
    assert [each.line_no for each in tail.bad_lines()] == [first, first + 1]
    page = board.clients["olga"].get("/worker/").text
    assert f"2 lines are no events, the first in line {first}: no instance id: &#x27;a/b&#x27;" in page
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("checklog", stdout=out)
    assert f"events.jsonl:{first}: byte {len(board.base)}: no instance id: 'a/b'" in out.getvalue()


def test_an_unreadable_instance_says_why_on_its_page_and_in_the_list(board: Board) -> None:
    board.put(*stamp({"task": MANY}), *stamp({"task": ["a/b"]}, instance="other"))
    listed = board.clients["ana"].get("/instances/").text
    for instance, why in (("odd", "the table has 30,000 rows, at most 5,000 are possible"), ("other", "is no task id")):
        assert why in listed
        page = board.clients["ana"].get(f"/instances/{instance}/")
        assert page.status_code == 404
        assert why in page.text


def test_a_saved_process_that_cannot_be_read_is_told_on_the_page_of_the_operator(board: Board) -> None:
    board.put(line("@processes", "Large", "process", json.dumps({"task": MANY})))
    page = board.clients["olga"].get("/worker/").text
    assert "1 saved version is left out." in page
    assert "The process “Large” saved by x is unreadable: the table has 30,000 rows" in page


def test_an_instance_of_which_no_state_can_be_worked_out_is_unreadable_and_no_other(
    board: Board, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    board.put(*stamp(SMALL))
    odd = board.tail.get("odd")
    assert odd is not None
    monkeypatch.setattr(odd, "_tally", [])
    assert "IndexError: list index out of range" in board.clients["ana"].get("/instances/").text
    assert board.clients["ana"].get("/").status_code == 200
    assert "Instance odd cannot say where it stands" in caplog.text


def is_foreign(found: bytes, board: Board) -> bool:
    """Whether a line says nothing of a row of the healthy instance, which it may of course move."""
    event = decode(found.replace(b"\n", b" "))
    instance = board.tail.get(GOOD)
    assert instance is not None
    if not isinstance(event, Event) or event.instance != GOOD:
        return True
    return event.task != "@instance" and instance.find(event.task, event.element) is None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(any_lines, st.sampled_from([*CAST, "admin"]))
def test_no_lines_of_any_kind_break_a_page_of_anybody(board: Board, found: list[list[bytes]], name: str) -> None:
    board.put()
    board.put(*(each for some in found for each in some if is_foreign(each, board)))
    board.check(name)
