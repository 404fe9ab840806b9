"""What every event log promises: one suite, run against the file and against memory."""

import threading
import time
from collections.abc import Callable

import pytest

from board.log.base import BLOCK, NOWHERE, Log, Position
from board.log.errors import AppendError
from board.log.event import encode
from board.log.file import FileLog
from board.log.memory import MemoryLog
from tests.log.writing import event


def put(log: Log, data: bytes) -> None:
    """Write as another program does: without the lock."""
    if isinstance(log, FileLog):
        log.store.ensure()
        with log.path.open("ab") as file:
            file.write(data)
    else:
        assert isinstance(log, MemoryLog)
        log.put(data)


def replace(log: Log, data: bytes) -> None:
    if isinstance(log, FileLog):
        other = log.path.with_suffix(".new")
        other.write_bytes(data)
        other.replace(log.path)
    else:
        assert isinstance(log, MemoryLog)
        log.replace(data)


def test_an_empty_log_is_nowhere(log: Log) -> None:
    assert log.position() == NOWHERE
    assert log.read() == ([], NOWHERE, [], False)


def test_what_is_appended_is_read_in_order(log: Log) -> None:
    wanted = [event(str(n)) for n in range(5)]
    log.append(wanted[:2])
    log.append(wanted[2:])
    assert log.read().events == wanted


def test_reading_goes_on_from_a_position(log: Log) -> None:
    first = log.append([event("1")])
    assert first == log.position()
    log.append([event("2")])
    batch = log.read(first)
    assert [e.value for e in batch.events] == ["2"]
    assert not batch.restarted
    assert log.read(batch.position) == ([], batch.position, [], False)


def test_a_position_is_a_text_and_back(log: Log) -> None:
    position = log.append([event()])
    assert Position.parse(str(position)) == position
    assert [Position.parse(text) for text in ("", "x", "-3", "a-", "a--1", "a-b", "a-" + "9" * 30)] == [None] * 7


def test_equal_positions_are_equal_logs(log: Log) -> None:
    positions = [log.append([event("x" * n)]) for n in range(5)]
    assert len(set(positions)) == 5
    assert log.position() == positions[-1]


def test_a_half_line_is_not_read_until_it_is_whole(log: Log) -> None:
    line = encode(event("slow"))
    for cut in range(1, len(line)):
        put(log, line[cut - 1 : cut])
        assert log.read().events == []
    put(log, line[-1:])
    assert [e.value for e in log.read().events] == ["slow"]


def test_a_torn_last_line_is_ended_and_swallows_no_event(log: Log) -> None:
    log.append([event("1")])
    put(log, b'{"seq":9,"ty')
    log.append([event("2")])
    log.append([event("3")])
    batch = log.read()
    assert [e.value for e in batch.events] == ["1", "2", "3"]
    assert [bad.line_no for bad in batch.bad] == [2]


def test_bad_lines_are_skipped_and_reported_with_number_and_offset(log: Log) -> None:
    log.append([event("1")])
    at = log.position().offset
    put(log, b"nonsense\n\n[1]\n")
    log.append([event("2")])
    batch = log.read()
    assert [e.value for e in batch.events] == ["1", "2"]
    assert [(b.line_no, b.offset) for b in batch.bad] == [(2, at), (3, at + 9), (4, at + 10)]
    later = log.read(Position(batch.position.identity, at))
    assert later.bad == batch.bad


def test_a_replaced_log_is_noticed_and_read_anew(log: Log) -> None:
    before = log.append([event("1"), event("2")])
    replace(log, encode(event("other")) * 9)
    batch = log.read(before)
    assert batch.restarted
    assert [e.value for e in batch.events] == ["other"] * 9
    assert batch.position.identity != before.identity


def test_a_log_replaced_by_its_own_beginning_is_noticed(log: Log) -> None:
    log.append([event("1")])
    before = log.append([event("2")])
    replace(log, encode(event("1")))
    batch = log.read(before)
    assert batch.restarted
    assert [e.value for e in batch.events] == ["1"]


def test_a_position_of_another_log_reads_everything(log: Log) -> None:
    log.append([event("1")])
    assert log.read(Position("elsewhere", 3)).restarted
    assert log.read(Position(log.position().identity, 10**9)).restarted


def test_lines_longer_than_a_block_are_read_forwards_and_backwards(log: Log) -> None:
    wanted = [event("a"), event("b" * (2 * BLOCK)), event("c"), event("d" * (BLOCK + 7)), event("e")]
    log.append(wanted)
    assert log.read().events == wanted
    view = log.view()
    back = b"".join(block for _, block in reversed(list(view.blocks_back(view.position.offset))))
    assert back == b"".join(map(encode, wanted))


def test_nothing_to_append_writes_nothing(log: Log) -> None:
    before = log.append([event()])
    assert log.append([]) == before == log.position()


def test_the_lock_is_for_one_at_a_time(log: Log) -> None:
    inside: list[int] = []
    most: list[int] = []

    def act() -> None:
        for _ in range(20):
            with log.appending() as appender:
                inside.append(1)
                most.append(len(inside))
                appender.append([event(), event()])
                inside.pop()

    run_together(act, 4)
    assert max(most) == 1
    assert len(log.read().events) == 4 * 20 * 2


def test_who_lets_go_of_the_lock_cannot_append_any_more(log: Log) -> None:
    with log.appending() as appender:
        pass
    with pytest.raises(AppendError):
        appender.append([event()])
    assert log.position() == NOWHERE


def test_a_failure_under_the_lock_lets_go_of_it(log: Log) -> None:
    def fail() -> None:
        with log.appending() as appender:
            appender.append([event("kept")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    log.append([event("next")])
    assert [e.value for e in log.read().events] == ["kept", "next"]


def test_waiting_ends_when_the_time_is_over(log: Log) -> None:
    position = log.append([event()])
    began = time.monotonic()
    assert not log.wait(position, 0.05)
    assert 0.04 < time.monotonic() - began < 1


def test_waiting_for_what_has_happened_does_not_wait(log: Log) -> None:
    log.append([event()])
    began = time.monotonic()
    assert log.wait(NOWHERE, 10)
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("write", [lambda log: log.append([event()]), lambda log: put(log, encode(event()))])
def test_news_wakes_who_waits(log: Log, write: Callable[[Log], object]) -> None:
    position = log.append([event()])
    timer = threading.Timer(0.1, write, [log])
    timer.start()
    began = time.monotonic()
    assert log.wait(position, 10)
    assert time.monotonic() - began < 2
    timer.join()


def run_together(act: Callable[[], None], count: int) -> None:
    threads = [threading.Thread(target=act) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
