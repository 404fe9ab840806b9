"""Folded instances follow the log and read what is new only."""

import threading
import time
from pathlib import Path

import pytest

from board.log.base import Appender, Log, Position, View
from board.log.errors import AppendError, LogError
from board.log.event import encode
from board.log.file import open_log
from board.log.memory import MemoryLog
from board.log.stream import RING
from board.log.tail import Tail, shared
from tests.log.writing import NOW, done, start, statuses, table


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
