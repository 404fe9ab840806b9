"""Folded instances follow the log, read what is new only, and stand odd lines."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board.log.base import Appender, Log, Position, View
from board.log.errors import AppendError, LogError
from board.log.event import Event, encode
from board.log.file import open_log
from board.log.memory import MemoryLog
from board.log.story import RING
from board.log.tail import Tail, shared
from board.process.instance import Instance
from tests.log.make import NOW, done, event, start, table


@pytest.fixture(params=["file", "memory"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Log:
    return open_log(tmp_path / "store") if request.param == "file" else MemoryLog()


def statuses(instance: Instance | None) -> list[str]:
    assert instance is not None
    return [instance.status(row) for row in range(instance.size)]


def test_an_instance_is_folded_from_the_log_alone(log: Log) -> None:
    log.append([*start("i", "a", "b"), done("i", "review", "a")])
    tail = Tail(log)
    assert statuses(tail.get("i")) == ["done", "open", "blocked"]
    assert tail.get("nobody") is None
    assert tail.head("nobody") is None


def test_heads_are_newest_first_and_latest_is_the_newest(log: Log) -> None:
    log.append(start("one", "a"))
    log.append(start("two", "a", name="Other"))
    tail = Tail(log)
    assert [(h.id, h.name, h.version, h.created, h.created_by, h.broken) for h in tail.ids()] == [
        ("two", "Other", table().version, NOW, "olga", ""),
        ("one", "Collection", table().version, NOW, "olga", ""),
    ]
    assert tail.newest() == "two"
    latest = tail.get("latest")
    assert latest is tail.get("two")
    assert latest is not None


def test_what_others_append_moves_a_warm_instance(log: Log) -> None:
    log.append(start("i", "a", "b"))
    tail, other = Tail(log), Tail(log)
    assert statuses(tail.get("i")) == ["open", "open", "blocked"]
    with other.acting() as acting:
        acting.append([done("i", "review", "a"), done("i", "review", "b")])
    assert statuses(tail.get("i")) == ["done", "done", "open"]


def test_a_second_look_reads_new_bytes_only(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append(start("i", "a", "b"))
    tail = Tail(log)
    tail.get("i")
    read: list[int] = []
    kind = type(log.view())
    whole = kind.bytes_at

    def note(view: View, start: int, end: int) -> bytes:
        read.append(end - start)
        return whole(view, start, end)

    monkeypatch.setattr(kind, "bytes_at", note)
    tail.get("i")
    tail.refresh()
    assert read == []
    log.append([done("i", "review", "a")])
    tail.get("i")
    assert sum(read) < len(encode(done("i", "review", "a"))) + 80


def test_acting_sees_what_it_appends_and_writes_it_once(log: Log) -> None:
    tail = Tail(log)
    with tail.acting() as acting:
        assert not acting.exists("i")
        assert acting.instance("i") is None
        acting.append(start("i", "a"))
        assert acting.exists("i")
        assert statuses(acting.instance("i")) == ["open", "blocked"]
        events = acting.append([done("i", "review", "a")])
        assert statuses(acting.instance("i")) == ["done", "open"]
    assert events == [done("i", "review", "a")]
    assert log.read().events == start("i", "a") + events


def test_two_who_act_on_one_row_cannot_both_win(log: Log) -> None:
    log.append(start("i", "a"))
    tails = [Tail(log), Tail(log)]
    won: list[int] = []

    def act(n: int) -> None:
        with tails[n % 2].acting() as acting:
            instance = acting.instance("i")
            assert instance is not None
            if instance.status(0) == "open":
                acting.append([done("i", "review", "a")])
                won.append(n)

    threads = [threading.Thread(target=act, args=[n]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert len(tails[0].history("i", task="review")) == 1


def test_a_failed_write_leaves_the_fold_as_the_log_is(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append(start("i", "a"))
    tail = Tail(log)
    tail.get("i")

    def refuse(*_: object) -> Position:
        raise AppendError("full")

    with tail.acting() as acting, monkeypatch.context() as patch:
        patch.setattr(acting._appender, "append", refuse)
        with pytest.raises(AppendError):
            acting.append([done("i", "review", "a")])
        assert statuses(acting.instance("i")) == ["open", "blocked"]
    with tail.acting() as acting:
        acting.append([done("i", "review", "a")])
    assert statuses(tail.get("i")) == ["done", "open"]


def test_who_has_let_go_cannot_append(log: Log) -> None:
    tail = Tail(log)
    with tail.acting() as acting:
        pass
    with pytest.raises(LogError, match="let go"):
        acting.append(start("i", "a"))


def test_the_append_lock_is_never_asked_for_from_within(log: Log) -> None:
    tail = Tail(log)
    for holding in (tail.reading, tail.acting):
        with holding(), pytest.raises(RuntimeError), tail.acting():
            pass
    with tail.acting():
        pass


def test_reading_holds_everything_still(log: Log) -> None:
    log.append(start("i", "a"))
    tail = Tail(log)
    with tail.reading() as position:
        log.append([done("i", "review", "a")])
        assert statuses(tail.get("i")) == ["open", "blocked"]
        with tail.reading() as same:
            assert same == position
    assert statuses(tail.get("i")) == ["done", "open"]


# what changed


def test_changed_rows_since_a_position(log: Log) -> None:
    log.append(start("i", "a", "b") + start("j", "a"))
    tail = Tail(log)
    tail.get("i")
    before = tail.refresh()
    assert tail.changed_since("i", before) == set()
    log.append([done("i", "review", "a"), done("j", "review", "a")])
    middle = tail.refresh()
    log.append([done("i", "review", "b")])
    assert tail.changed_since("i", before) == {0, 1, 2}
    assert 0 not in (tail.changed_since("i", middle) or set())
    assert tail.changed_since("i", tail.refresh()) == set()


def test_changed_rows_are_known_as_far_back_as_the_fold(log: Log) -> None:
    position = log.append(start("i", "a", "b"))
    log.append([done("i", "review", "a")])
    tail = Tail(log)
    tail.get("i")
    assert 0 in (tail.changed_since("i", position) or set())


def test_which_instances_moved_since_a_position(log: Log) -> None:
    log.append(start("i", "a") + start("j", "a"))
    tail = Tail(log)
    before = tail.refresh()
    assert tail.moved_since(before) == []
    log.append([done("i", "review", "a"), done("j", "review", "a"), done("i", "approve")])
    assert tail.moved_since(before) == ["i", "j"]
    assert tail.moved_since(Position("elsewhere", 0)) is None
    assert tail.moved_since(Position(before.identity, 10**9)) is None


def test_a_cooled_instance_is_folded_anew_when_asked_for(log: Log) -> None:
    log.append(start("i", "a"))
    tail = Tail(log)
    warm = tail.get("i")
    tail.cool("i")
    tail.cool("nobody")
    log.append([done("i", "review", "a")])
    assert tail.get("i") is not warm
    assert statuses(tail.get("i")) == ["done", "open"]


def test_what_is_unknown_or_too_old_means_read_all(log: Log) -> None:
    log.append(start("i", "a"))
    tail = Tail(log)
    position = tail.refresh()
    assert tail.changed_since("i", position) is None  # cold
    tail.get("i")
    assert tail.changed_since("i", None) is None
    assert tail.changed_since("nobody", position) is None
    assert tail.changed_since("i", Position("elsewhere", position.offset)) is None
    assert tail.changed_since("i", Position(position.identity, position.offset + 1)) is None
    log.append([done("i", "review", "a", str(n)) for n in range(RING + 1)])
    assert tail.changed_since("i", position) is None
    assert tail.changed_since("i", Position(position.identity, tail.history("i", limit=1)[0].seq)) is not None


# definitions and refs


def save(name: str, note: str, ts: str = NOW, columns: object = None) -> list[Event]:
    fields = {"process": json.dumps(columns or table().to_columns()), "version": "x", "note": note}
    return [Event(ts, "@processes", name, field, value, "ed") for field, value in fields.items()]


def test_saved_versions_of_processes(log: Log) -> None:
    log.append(save("Collection", "first"))
    log.append(save("Collection", "second", "2026-11-30T00:00:00Z", {"task": ["x"], "name": ["X"]}))
    log.append(list(reversed(save("Another", "note before"))))
    tail = Tail(log)
    assert [(d.note, d.version, d.actor) for d in tail.versions("Collection")] == [
        ("first", table().version, "ed"),
        ("second", tail.versions("Collection")[1].table.version, "ed"),
    ]
    assert list(tail.definitions()) == ["Another", "Collection"]
    newest = tail.definition("Collection")
    assert newest is not None
    assert newest.note == "second"
    another = tail.definition("Another")
    assert another is not None
    assert another.note == "note before"
    assert tail.definition("none") is None
    assert tail.versions("none") == []
    assert tail.ids() == []


def test_an_unreadable_saved_process_is_left_out_and_told(log: Log) -> None:
    log.append(save("Collection", "good"))
    log.append([Event(NOW, "@processes", "Collection", "process", value, "x") for value in ("{", "3", "[[")])
    tail = Tail(log)
    assert [d.note for d in tail.versions("Collection")] == ["good"]
    assert len(tail.unreadable_definitions()) == 3


def test_refs_of_messages_are_known(log: Log) -> None:
    log.append([Event(NOW, "i", "t", "status", "done", "x", ref="001.json")])
    tail = Tail(log)
    assert tail.has_ref("001.json")
    assert not tail.has_ref("002.json")
    log.append([Event(NOW, "i", "t", "status", "done", "x", ref="002.json")])
    assert tail.has_ref("002.json")


# odd lines


@contextmanager
def one_good_one_odd(log: Log, odd: Sequence[Event]) -> Iterator[Tail]:
    log.append(start("good", "a"))
    log.append(odd)
    tail = Tail(log)
    yield tail
    assert statuses(tail.get("good")) == ["open", "blocked"]
    assert {h.id for h in tail.ids()} == {"good", "odd"}


@pytest.mark.parametrize(
    "process", ["", "{", "3", "[]", '"x"', "null", '{"task":["a"],"parent":["a"],"collection":["u"]}']
)
def test_an_unreadable_start_is_listed_with_its_reason_and_breaks_nothing_else(log: Log, process: str) -> None:
    with one_good_one_odd(log, [Event(NOW, "odd", "@instance", "process", process, "x")]) as tail:
        tail.get("odd")
        head = tail.head("odd")
        assert head is not None
        assert head.broken or process.startswith('{"')
        assert tail.newest() in ("good", "odd")


def test_a_start_without_a_process_is_broken_until_the_process_comes(log: Log) -> None:
    first, *rest = start("odd", "a")
    with one_good_one_odd(log, [first]) as tail:
        assert tail.get("odd") is None
        head = tail.head("odd")
        assert head is not None
        assert "process" in head.broken
        assert tail.newest() == "good"
    for part in rest:
        log.append([part])
        tail.get("odd")
    assert statuses(tail.get("odd")) == ["open", "blocked"]
    assert tail.newest() == "odd"


def test_a_fold_that_fails_breaks_its_own_instance_only(log: Log) -> None:
    class Fragile(Instance):
        def apply(self, event: object) -> set[int]:
            if getattr(event, "value", "") == "boom":
                raise KeyError("boom")
            return super().apply(event)  # type: ignore[arg-type]

    log.append(start("good", "a") + start("odd", "a"))
    tail = Tail(log, Fragile.from_start)
    assert tail.get("odd") is not None
    log.append([event("boom", instance="odd"), done("good", "review", "a")])
    assert tail.get("odd") is None
    head = tail.head("odd")
    assert head is not None
    assert "boom" in head.broken
    assert statuses(tail.get("good")) == ["done", "open"]


def test_a_second_start_changes_nothing(log: Log) -> None:
    log.append(start("i", "a"))
    log.append([done("i", "review", "a")])
    log.append(start("i", "x", "y", name="Other"))
    assert statuses(Tail(log).get("i")) == ["done", "open"]
    assert Tail(log).ids()[0].name == "Collection"


def test_cancelling_shows_in_the_head(log: Log) -> None:
    log.append(start("i", "a"))
    tail = Tail(log)
    log.append([Event(NOW, "i", "@instance", "cancelled", "no money", "olga")])
    assert tail.ids()[0].cancelled == "no money"
    log.append([Event(NOW, "i", "@instance", "cancelled", "", "olga")])
    assert tail.ids()[0].cancelled == ""


def test_bad_lines_are_counted_and_the_same_as_a_full_reading_finds(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append(start("i", "a"))
    odd = [
        b"half", b"", b'{"instance":"i","task":"review","field":"x","note":"\xff"}',
        b'{"instance":7,"task":"t","field":"f","ref":5}', b'{"instance":"i","task":"t"}',
        b'{"instance":"i","task":"","field":"f","ref":"no reason"}',
    ]  # fmt: skip
    with log.path.open("ab") as file:
        file.write(b"".join(line + b"\n" for line in odd))
    tail = Tail(log)
    assert tail.bad_lines() == log.read().bad
    assert tail.bad_count == 5
    assert tail.has_ref("5")
    assert statuses(tail.get("i")) == ["open", "blocked"]


@settings(max_examples=60)
@given(
    st.lists(
        st.binary(max_size=60) | st.sampled_from([encode(e) for e in [*start("i", "a"), done("i", "review", "a")]]),
        max_size=12,
    ),
    st.data(),
)
def test_reading_in_any_steps_is_reading_at_once(pieces: list[bytes], data: st.DataObject) -> None:
    log = MemoryLog()
    stepwise = Tail(log)
    for piece in pieces:
        log.put(piece)
        if data.draw(st.booleans()):
            stepwise.get("i")
    at_once = Tail(log)
    assert stepwise.ids() == at_once.ids() or any(h.broken for h in stepwise.ids())
    assert stepwise.bad_lines() == at_once.bad_lines() == log.read().bad
    assert [e.event for e in reversed(stepwise.history())] == log.read().events
    folded, again = stepwise.get("i"), at_once.get("i")
    assert (folded is None) == (again is None)
    if folded is not None:
        assert statuses(folded) == statuses(again)


# a log that is not the same any more


def test_a_replaced_log_is_folded_anew(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([*start("i", "a"), done("i", "review", "a"), Event(NOW, "i", "t", "x", "", "", ref="r")])
    tail = Tail(log)
    position = tail.refresh()
    assert statuses(tail.get("i")) == ["done", "open"]
    other = open_log(tmp_path / "other")
    other.append(start("i", "a") + start("j", "a") + [done("i", "review", "a")] * 9)
    other.path.replace(log.path)
    assert tail.changed_since("i", position) is None
    assert [h.id for h in tail.ids()] == ["j", "i"]
    assert not tail.has_ref("r")
    log.path.unlink()
    assert tail.ids() == []


# history


def test_history_is_newest_first_filtered_and_paged(log: Log) -> None:
    log.append(start("i", "a", "b") + start("j", "a"))
    log.append([done("i", "review", "a" if n % 2 else "b", f"v{n}") for n in range(1200)])
    log.append([Event(NOW, "i", "approve", "note", 'é \\ " / 10', "émile", element="10")])
    tail = Tail(log)
    pages, before = [], None
    while page := tail.history("i", task="review", element="a", before=before, limit=100):
        pages.append(page)
        before = page[-1].seq
    values = [entry.event.value for page in pages for entry in page]
    assert values == [f"v{n}" for n in range(1199, -1, -1) if n % 2]
    assert [len(page) for page in pages] == [100] * 6
    assert len(tail.history("i", actor="émile")) == 1
    assert len(tail.history("i", element="10")) == 1
    assert len(tail.history("i", field="note", task="approve", actor="émile", element="10")) == 1
    assert tail.history("i", task="approve", element="") == []
    assert len(tail.history("j", field="created")) == 1
    assert tail.history("nobody") == []


def test_history_of_all_instances(log: Log) -> None:
    log.append(start("i", "a") + start("j", "a"))
    tail = Tail(log)
    assert [e.event for e in tail.history()] == list(reversed(log.read().events))
    newest = tail.history(limit=2)
    assert tail.history(before=newest[1].seq) == tail.history()[2:]
    assert tail.history(after=newest[1].seq) == newest[:1]
    assert {e.event.instance for e in tail.history(field="created")} == {"i", "j"}


def test_history_finds_what_other_programs_wrote_their_way(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append(start("i", "a"))
    with log.path.open("ab") as file:
        file.write(b'{"instance":"i","task":"rev\\u0069ew","field":"status","value":1,"element":10,"actor":true}\n')
    tail = Tail(log)
    assert len(tail.history("i", task="review", element="10", actor="true", field="status")) == 1


def test_an_instance_as_it_was_after_any_event(log: Log) -> None:
    log.append(start("i", "a"))
    log.append([done("i", "review", "a"), done("i", "approve")])
    tail = Tail(log)
    seqs = tail.seqs("i")
    assert statuses(tail.get_at("i", seqs[-2])) == ["done", "open"]
    assert statuses(tail.get_at("i", seqs[-1])) == ["done", "done"]
    assert tail.get_at("i", seqs[0]) is None
    assert statuses(tail.get("i")) == ["done", "done"]
    assert list(tail.seqs("nobody")) == []


# processes and threads


def test_one_tail_a_store_and_process(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert shared(tmp_path) is shared(str(tmp_path)) is shared(tmp_path / "link")
    assert shared(tmp_path) is not shared(tmp_path / "other")


def test_many_threads_read_and_act_at_once(tmp_path: Path) -> None:
    tail = Tail(open_log(tmp_path))
    with tail.acting() as acting:
        acting.append(start("i", *"abcdefgh"))
    stop, failed = threading.Event(), []

    def look() -> None:
        position: Position = tail.refresh()
        try:
            while not stop.is_set():
                with tail.reading() as now:
                    instance = tail.get("i")
                    assert instance is not None
                    assert instance.counts("review").total == 8
                    assert tail.changed_since("i", position) is not None
                    position = now
                tail.history("i", limit=5)
        except Exception as error:
            failed.append(error)

    def act(element: str) -> None:
        for n in range(25):
            with tail.acting() as acting:
                acting.append([done("i", "review", element, "done" if n % 2 else "open")])

    lookers = [threading.Thread(target=look) for _ in range(3)]
    actors = [threading.Thread(target=act, args=[element]) for element in "abcd"]
    for thread in lookers + actors:
        thread.start()
    for thread in actors:
        thread.join()
    stop.set()
    for thread in lookers:
        thread.join()
    assert failed == []
    assert len(tail.history("i", task="review")) == 100


def test_waiting_on_a_tail_is_waiting_on_its_log(tmp_path: Path) -> None:
    tail = Tail(open_log(tmp_path))
    position = tail.refresh()
    timer = threading.Timer(0.05, lambda: open_log(tmp_path).append(start("i", "a")))
    timer.start()
    began = time.monotonic()
    assert tail.wait(position, 5)
    assert time.monotonic() - began < 2
    timer.join()


def test_an_appender_is_all_a_tail_needs_of_a_log() -> None:
    log = MemoryLog()
    with log.appending() as appender:
        checked: Appender = appender
        checked.append(start("i", "a"))
    assert Tail(log).newest() == "i"
