"""What users met with torn, odd and large logs: whatever stands in the log, the board and its pages go on."""

import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User

from board.log.event import Event, encode
from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail, shared
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.services import tasks
from board.services.tasks import Place
from tests.reported.playing import Case
from tests.views.conftest import Login

EACH = """
    task,role,depends_on,script,collection,parent,due
    each,,,,unit,,
    load,system,,load.sh,,each,
    check,analyst,load,,,each,2d
    """
PAGES = (
    "/", "/work/news/?v=x", "/instances/", "/instances/i/", "/instances/i/?at=60", "/instances/i/?sort=status",
    "/instances/i/?open=check", "/instances/i/sections/check/", "/instances/i/log/", "/instances/i/log/events.csv",
    "/instances/i/log/events.jsonl", "/instances/i/files/", "/worker/", "/processes/",
)  # fmt: skip


def line(field: str, value: object, *, task: str = "check", ts: object = "2026-11-29T16:00:00Z", **more: object) -> Any:
    return {"ts": ts, "instance": "i", "task": task, "field": field, "value": value, "actor": "x"} | more


ODD = {
    "a year that ends the calendar": line("due", "9999-12-31"),
    "the last minute of the calendar": line("due", "9999-12-31T23:59"),
    "a year of one digit": line("due", "0001-01-01"),
    "the first minute of the calendar": line("due", "0001-01-01T00:00"),
    "a slip of the year": line("due", "0026-12-24T17:00"),
    "no deadline at all": line("due", "as soon as possible"),
    "a deadline that is a number": line("due", 20261231),
    "a time without a zone": line("status", "open", ts="2026-11-29T16:00:00"),
    "a date for a time": line("note", "x", ts="2026-11-29"),
    "a time with another zone": line("status", "doing", ts="2026-11-29T16:00:00.123456+05:30"),
    "a time before any zone": line("status", "done", ts="0001-01-01T00:00:00Z"),
    "a time after every deadline": line("status", "open", ts="9999-12-31T23:59:59Z"),
    "no time at all": line("status", "done", ts=None),
    "a number for a time": line("note", "x", ts=1764432000),
    "words for a time": line("status", "done", ts="yesterday"),
    "an attempt that is a word": line("status", "doing", task="load", attempt="third", actor="worker"),
    "an attempt below nought": line("status", "failed", task="load", attempt=-1, actor="worker"),
    "an attempt beyond all bounds": line("status", "doing", task="load", attempt=10**30, actor="worker"),
    "a log that lies elsewhere": line("log", "../../../../proc/self/environ", task="load", attempt=1),
    "a duration of words": line("took", "long", task="load", attempt=1, actor="worker"),
    "an actor without a name": line("status", "done", actor=""),
    "a status of many letters": line("status", "x" * 5000),
    "a status with a newline": line("status", "approved\nor not"),
    "control characters": line("note", "a\x00b\x1b[31mc\u202e"),
    "half a character": line("note", "\ud800"),
    "a field that ends in a dot": line("output.", "x"),
    "a field that is a path": line("../../x", "x"),
    "an element of another program": line("status", "done", element="Atlantis"),
    "a task of another program": line("status", "done", task="brand new", element=""),
    "an instance field": line("cancelled", "", task="@instance", element=""),
    "a list for a value": line("status", ["done"]),
    "an object for a value": line("note", {"a": 1}),
}


def test_no_line_of_another_program_however_odd_breaks_a_page(cast: dict[str, User], store: Path, login: Login) -> None:
    case = Case(EACH, ODD, tail=shared(store))
    loads = [json.dumps(line("status", "done", task="load", element=odd)) for odd in ODD if ODD[odd]["task"] == "check"]
    odd_lines = [json.dumps({"element": odd} | said) for odd, said in ODD.items()]
    with (store / "events.jsonl").open("a") as file:
        file.write("\n".join([*loads, *odd_lines, ""]))
    assert case.status("check", "an element of another program") == "open"
    rows = [f"/instances/i/tasks/{ODD[odd]['task']}@{odd}/" for odd in ODD if ODD[odd].get("element") is None]
    for who, pages in (("ana", (*PAGES, *rows)), ("olga", PAGES)):
        client = login(who)
        for page in pages:
            response = client.get(page)
            assert response.status_code == 200, (page, response.status_code)
            response.getvalue()


@pytest.mark.parametrize(
    "due", ["9999-12-31", "0026-12-24", "0001-01-01T00:00", "tomorrow", "2026-13-01", "31.12.2026"]
)
def test_a_deadline_nobody_can_mean_is_refused_where_it_is_typed(due: str) -> None:
    case = Case("task,role\ncheck,analyst")
    with pytest.raises(Refusal, match="no deadline: write 2026-12-24"):
        tasks.set_due(case.tail, "i", Place("check"), Actor("ana", admin=True), due)


def test_a_torn_last_line_swallows_neither_the_next_sign_off_nor_the_one_after(tmp_path: Path) -> None:
    """Users met: a torn last line swallowed the next event."""
    store = Store(tmp_path / "store").ensure()
    case = Case("task,role\nfirst,analyst\nsecond,analyst", tail=Tail(open_log(store)))
    with store.events_path.open("ab") as file:
        file.write(b'{"seq":9,"ty')
    case.finish("first")
    again = Tail(open_log(store))  # as after a restart
    tasks.finish(again, "i", Place("second"), Actor("ana", admin=True))
    found = again.get("i")
    assert found is not None
    assert found.state == "complete"
    batch = again.log.read()
    assert [bad.reason.partition(":")[0] for bad in batch.bad] == ["no JSON object"]
    assert b'{"seq":9,"ty\n' in store.events_path.read_bytes()  # kept for inspection


def test_a_bad_line_in_the_middle_is_told_on_the_worker_page(cast: dict[str, User], store: Path, login: Login) -> None:
    """Users met: a torn last line swallowed the next event."""
    case = Case("task,role\nfirst,analyst\nsecond,analyst", tail=shared(store))
    with (store / "events.jsonl").open("ab") as file:
        file.write(b"5\n")
    case.finish("first")
    page = login("olga").get("/worker/").text
    assert "checklog" in page
    assert case.status("first") == "done"


def test_a_reader_of_a_writer_of_long_lines_sees_whole_events_only(tmp_path: Path) -> None:
    """Users met: a reader met the half-written line of a live writer."""
    store = Store(tmp_path / "store").ensure()
    case = Case("task,role\nfirst,analyst", tail=Tail(open_log(store)))
    encoded = encode(Event("2026-11-29T16:00:00Z", "i", "first", "note", "é" * 500_000, "ben"))
    with store.events_path.open("ab", buffering=0) as file:
        for part in (encoded[:70_001], encoded[70_001:-1], encoded[-1:]):
            assert case.instance.value(0, "note") == ""
            file.write(part)
    assert case.instance.value(0, "note") == "é" * 500_000
    assert case.tail.log.read().bad == []


def test_what_a_newer_version_wrote_is_kept_in_the_history_and_changes_nothing_here() -> None:
    """Users met: what an older version had kept could not be loaded any more."""
    case = Case("task,role\nfirst,analyst")
    new = {"ts": "2030-01-01T00:00:00Z", "instance": "i", "task": "first", "field": "seal", "value": "x", "actor": "y"}
    case.tail.log.put(json.dumps(new | {"chain": ["a", 1]}).encode() + b"\n")  # type: ignore[attr-defined]
    assert case.status("first") == "open"
    kept = case.tail.history("i", field="seal")[0].event
    assert (kept.value, kept.others) == ("x", {"chain": ["a", 1]})


def test_the_second_look_reads_only_what_is_new_however_much_there_is(tmp_path: Path) -> None:
    """Users met: a large log was read whole for every request."""
    store = Store(tmp_path / "store").ensure()
    case = Case(EACH, [f"n{n}" for n in range(300)], tail=Tail(open_log(store)))
    event = Event("2026-11-29T16:00:00Z", "i", "load", "note", "x" * 40, "ben", "n1")
    other = [encode(msgspec.structs.replace(event, instance=f"o{n % 50}")) for n in range(30_000)]
    with store.events_path.open("ab") as file:
        file.write(b"".join(other))
    started = time.perf_counter()
    assert case.status("load", "n1") == "open"
    first_s = time.perf_counter() - started
    case.tell("load", "done", "n1")
    started = time.perf_counter()
    for _ in range(10):
        assert case.status("load", "n1") == "done"
    again_s = (time.perf_counter() - started) / 10
    assert again_s < first_s / 5
