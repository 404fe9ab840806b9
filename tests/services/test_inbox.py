"""Messages: what becomes of odd files, of a crash in between, of a file that cannot be moved."""

import json
import os
from pathlib import Path

import pytest

from board.log.errors import LogError
from board.log.event import Event
from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.services import instances, tasks
from board.services.actor import anybody
from board.services.inbox import Inbox, take_in
from board.services.message import MAX_BYTES
from board.services.tasks import Place

BOSS = anybody("boss")
ROWS = [
    {"task": "delivery", "name": "D", "role": "system"},
    {"task": "run", "name": "R", "role": "system", "script": "s.sh"},
    {"task": "review", "name": "V", "role": "analyst"},
    {"task": "sign", "name": "S", "role": "analyst", "not_by": "review"},
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store").ensure()


@pytest.fixture
def tail(store: Store) -> Tail:
    found = Tail(open_log(store))
    instances.start(found, BOSS, "P", "i", ElementList.from_ids([]), table=ProcessTable.from_rows(ROWS))
    return found


def put(store: Store, name: str, text: str | bytes) -> Path:
    path = store.inbox / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def status(tail: Tail, task: str) -> str:
    instance = tail.get("i")
    assert instance is not None
    row = instance.find(task)
    assert row is not None
    return instance.stored(row)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"task":"sign"}', "people_only"),
        ('{"task":"review","value":null}', "not_scalar"),
        ('{"task":"review","actor":["ana"]}', "not_scalar"),
        ('{"task":"review","actor":"worker"}', "reserved_actor"),
        ('{"task":"review","field":"note","actor":" Worker "}', "reserved_actor"),
        ('{"task":"review","actor":"ｗｏｒｋｅｒ"}', "reserved_actor"),
        ('{"task":"review","actor":"wor\\u200bker"}', "reserved_actor"),
        ('{"task":"review","actor":"register"}', "reserved_actor"),
        ('{"task":"review","actor":"ana (re-arm)"}', "reserved_actor"),
        ('{"task":"review","actor":"ana （re-arm）"}', "reserved_actor"),
        ('{"task":"review","actor":"worker (retry 1/9)"}', "reserved_actor"),
        ('{"task":"review","actor":"ana\\nworker"}', "reserved_actor"),
        ('{"task":null}', "no_task"),
        ('"task"', "no_task"),
        ('{"task":"review","field":"output.x"}', "worker_field"),
        ('{"task":"review","field":" took "}', "worker_field"),
        ('{"task":"review","value":" skipped "}', "bad_status"),
        ('{"task":"review","value":"  "}', "bad_status"),
        ('{"task":"review","element":"x"}', "element_on_single"),
        ('{"task":"review","instance":"../x"}', "bad_instance"),
        ('{"task":"review","instance":"inbox"}', "bad_instance"),
        ('{"task":"review","value":"\\ud800"}', "unreadable"),
        ('{"task":"review","value":NaN}', "unreadable"),
        (b'{"task":"review","value":"\xff"}', "unreadable"),
        ("[" * 100_000, "unreadable"),
        ('{"task":"review","value":"' + "x" * MAX_BYTES + '"}', "unreadable"),
        ("", "unreadable"),
        ('{"task":"@processes"}', "reserved_task"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_can_never_apply_is_put_aside_with_its_code(
    store: Store, tail: Tail, text: str | bytes, code: str
) -> None:
    put(store, "m.json", text)
    assert take_in(tail, store).rejected == {"m.json": code}
    assert (store.failed / "m.json.error").read_text().startswith(f"{code}: ")
    assert (store.failed / "m.json").exists()
    assert not (store.inbox / "m.json").exists()


@pytest.mark.parametrize(
    ("text", "task", "field", "value", "actor"),
    [
        ('{"task":"delivery","value":1.50}', "delivery", "status", "1.50", "external"),
        ('{"task":"delivery","value":1e5,"actor":7}', "delivery", "status", "1e5", "7"),
        ('{"task":"delivery","value":true}', "delivery", "status", "true", "external"),
        ('{"task":"delivery","field":null,"element":null,"actor":null}', "delivery", "status", "done", "external"),
        ('{"task":" delivery ","actor":""}', "delivery", "status", "done", "external"),
        ('{"task":"review","value":"open"}', "review", "status", "open", "external"),
        ('{"task":"sign","field":"note","value":" as is "}', "sign", "note", " as is ", "external"),
        ('{"task":"delivery","value":"a","value":"b"}', "delivery", "status", "b", "external"),
        ('\ufeff{"task":"delivery"}', "delivery", "status", "done", "external"),
    ],
)
def test_what_applies_is_text_as_it_was_written(
    store: Store, tail: Tail, text: str, task: str, field: str, value: str, actor: str
) -> None:
    put(store, "m.json", text)
    event = take_in(tail, store).applied["m.json"]
    assert (event.task, event.field, event.value, event.actor, event.ref) == (task, field, value, actor, "m.json")


def test_what_is_no_regular_file_is_put_aside_and_blocks_nobody(store: Store, tail: Tail) -> None:
    os.mkfifo(store.inbox / "a.json")
    (store.inbox / "b.json").symlink_to("/etc/passwd")
    (store.inbox / "c.json").mkdir()
    put(store, "d.json", '{"task":"delivery"}')
    report = take_in(tail, store)
    assert report.rejected == {"a.json": "unreadable", "b.json": "unreadable"}
    assert list(report.applied) == ["d.json"]
    assert (store.inbox / "c.json").is_dir()


def test_odd_names_are_taken_as_they_are(store: Store, tail: Tail) -> None:
    names = ["a\nb.json", "Ä.json", "A\u0308.json", "x y.json", "-e.json", "m.json.json"]
    for name in names:
        put(store, name, '{"task":"delivery"}')
    put(store, os.fsdecode(b"bad\xff.json"), '{"task":"delivery"}')
    for name in (".hidden.json", "m.json.tmp", "m.JSON"):
        put(store, name, '{"task":"delivery"}')
    report = take_in(tail, store)
    assert list(report.applied) == sorted(names)
    assert list(report.rejected.values()) == ["unreadable"]
    assert sorted(p.name for p in store.inbox.iterdir() if p.is_file()) == [".hidden.json", "m.JSON", "m.json.tmp"]


def test_a_message_still_being_written_is_left_until_it_is_whole(store: Store, tail: Tail) -> None:
    with (store.inbox / "m.json").open("w") as file:
        file.write('{"task":"deli')
        file.flush()
        assert take_in(tail, store).pending == ["m.json"]
        file.write('very"}')
    assert list(take_in(tail, store).applied) == ["m.json"]


def test_a_crash_between_the_event_and_the_move_applies_nothing_twice(
    store: Store, tail: Tail, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "m.json", '{"task":"delivery"}')

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Inbox, "_sort_out", crash)
        with pytest.raises(KeyboardInterrupt):
            take_in(tail, store)
    anew = Tail(open_log(store))
    assert take_in(anew, store).duplicate == ["m.json"]
    assert len(anew.history("i", task="delivery")) == 1


def test_a_name_in_processed_is_not_applied_again_even_if_the_log_lost_it(store: Store, tail: Tail) -> None:
    (store.processed / "m.json").write_text("")
    put(store, "m.json", '{"task":"delivery"}')
    assert take_in(tail, store).duplicate == ["m.json"]
    assert sorted(path.name for path in store.processed.iterdir()) == ["m.json", "m.json.2"]


def test_a_file_that_cannot_be_moved_is_applied_once_and_told_once(
    store: Store, tail: Tail, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "m.json", '{"task":"delivery"}')
    inbox = Inbox(tail, store)

    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", read_only)
        first = inbox.take_in()
        reports = [inbox.take_in() for _ in range(5)]
    assert first.stuck == {"m.json": "Read-only file system"}
    assert not any(report.applied or report.stuck or report.duplicate for report in reports)
    assert len(tail.history("i", task="delivery")) == 1


def test_a_message_for_what_is_not_started_waits_and_is_not_read_again_meanwhile(
    store: Store, tail: Tail, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "m.json", '{"task":"delivery","instance":"later"}')
    inbox = Inbox(tail, store)
    assert inbox.take_in().pending == ["m.json"]
    with monkeypatch.context() as patch:
        patch.setattr(inbox, "_read", lambda _: pytest.fail("read again"))
        assert inbox.take_in().pending == ["m.json"]
    put(store, "m.json", '{"task":"nope","instance":"later"}')
    assert inbox.take_in().pending == ["m.json"]
    instances.start(tail, BOSS, "P", "later", None, table=ProcessTable.from_rows(ROWS))
    assert inbox.take_in().rejected == {"m.json": "unknown_task"}


def test_a_cancelled_instance_takes_no_message_and_one_that_is_resumed_does(store: Store, tail: Tail) -> None:
    instances.cancel(tail, "i", BOSS, "wrong")
    put(store, "m.json", '{"task":"delivery"}')
    assert take_in(tail, store).rejected == {"m.json": "cancelled"}
    instances.resume(tail, "i", BOSS)
    os.rename(store.failed / "m.json", store.inbox / "m.json")
    assert list(take_in(tail, store).applied) == ["m.json"]


def test_with_the_setting_receive_a_message_moves_system_tasks_only(store: Store, tail: Tail) -> None:
    for number, task in enumerate(("delivery", "run", "review")):
        put(store, f"{number}.json", f'{{"task":"{task}"}}')
    put(store, "3.json", '{"task":"review","field":"assignee","value":"ana"}')
    report = take_in(tail, store, status_for="receive")
    assert list(report.applied) == ["0.json", "1.json", "3.json"]
    assert report.rejected == {"2.json": "people_only"}


def test_a_status_by_message_has_the_same_consequences_as_a_click(store: Store) -> None:
    tail = Tail(open_log(store))
    rows = [
        {"task": "draft", "name": "D", "role": "boss", "depends_on": "qa:false"},
        {"task": "qa", "name": "Q", "role": "system", "depends_on": "draft"},
    ]
    instances.start(tail, BOSS, "P", "i", None, table=ProcessTable.from_rows(rows))
    put(store, "1.json", '{"task":"draft","actor":"mail"}')
    put(store, "2.json", '{"task":"qa","value":false,"actor":"bot"}')
    take_in(tail, store)
    last = tail.history("i", task="draft")[0].event
    assert (last.value, last.actor, last.ref) == ("open", "bot (re-arm)", "2.json")


def test_a_message_rejected_again_keeps_the_first_one(store: Store, tail: Tail) -> None:
    for text in ("{one", "{two"):
        put(store, "m.json", text)
        take_in(tail, store)
    assert (store.failed / "m.json").read_text() == "{two"
    assert (store.failed / "m.json.old").read_text() == "{one"


def test_who_asks_may_forbid_it_under_the_lock(store: Store, tail: Tail) -> None:
    put(store, "m.json", '{"task":"delivery"}')

    def no() -> None:
        raise LogError("not ours")

    with pytest.raises(LogError):
        Inbox(tail, store).take_in(no)
    assert (store.inbox / "m.json").exists()
    assert status(tail, "delivery") == "open"


def test_a_message_applied_by_another_program_is_known_by_its_ref(store: Store, tail: Tail) -> None:
    tail.log.append([Event("2026-11-29T10:00:00Z", "i", "delivery", "note", "x", "other", ref="m.json")])
    put(store, "m.json", '{"task":"delivery"}')
    assert take_in(tail, store).duplicate == ["m.json"]


def api(tail: Tail, store: Store, account: str, name: str, **said: str) -> bool:
    """Whether a message of an account is applied, and not known already."""
    data = json.dumps({"instance": "i", "task": "delivery", "actor": account} | said).encode()
    return Inbox(tail, store).deliver(account, name, data) is not None


def test_no_source_of_messages_swallows_anothers(store: Store, tail: Tail) -> None:
    put(store, "m.json", '{"task":"delivery","actor":"platform"}')
    assert list(take_in(tail, store).applied) == ["m.json"]
    assert [api(tail, store, who, "m") for who in ("platform", "platform", "other", "other")] == [True, False] * 2
    put(store, "api.json", '{"task":"delivery","actor":"platform"}')
    assert api(tail, store, "platform", "api")
    assert list(take_in(tail, store).applied) == ["api.json"]
    refs = [entry.event.ref for entry in tail.history("i", task="delivery")]
    assert refs == ["api.json", "api/platform/api", "api/other/m", "api/platform/m", "m.json"]


def test_a_message_of_an_account_stays_known_by_the_ref_it_had_before_refs_told_their_source(
    store: Store, tail: Tail
) -> None:
    tail.log.append([Event("2026-11-29T10:00:00Z", "i", "delivery", "note", "x", "platform", ref="old.json")])
    assert not api(tail, store, "platform", "old")
    assert api(tail, store, "other", "old")
    put(store, "old.json", '{"task":"delivery"}')
    assert take_in(tail, store).duplicate == ["old.json"]


@pytest.mark.parametrize("calls_itself", ["ben", "external", "ana"])
def test_a_message_does_not_undo_who_signed(store: Store, tail: Tail, calls_itself: str) -> None:
    ana = Actor("ana", roles=frozenset({"analyst"}))
    tasks.finish(tail, "i", Place("review"), ana, "done")
    put(store, "1.json", '{"task":"review","value":"open"}')
    put(store, "2.json", f'{{"task":"review","actor":"{calls_itself}"}}')
    assert len(take_in(tail, store).applied) == 2
    with pytest.raises(Refusal, match="somebody else"):
        tasks.finish(tail, "i", Place("sign"), ana, "done")
    sam = Actor("sam", roles=frozenset({"analyst"}))
    assert tasks.finish(tail, "i", Place("sign"), sam, "done")
