"""The file under real processes, kills, and hands of others."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from board.log.base import NOWHERE
from board.log.event import encode
from board.log.file import FileLog, open_log
from board.log.store import Store
from board.log.sync import Handle
from tests.log.writing import event

ROOT = Path(__file__).parents[2]


WRITER = """
import sys
from board.log.file import open_log
from tests.log.writing import event
log, me, count = open_log(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for n in range(count):
    size = 10_000 if n % 10 == 0 else n % 200
    log.append([event("x" * size, instance=me, task=f"n{n}")])
    print(n, flush=True)
"""


def writer(store: Path, name: str, count: int, code: str = WRITER) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, str(store), name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.worker
def test_eight_processes_lose_and_mix_nothing(tmp_path: Path) -> None:
    writers = [writer(tmp_path, f"w{n}", 500) for n in range(8)]
    log, seen, position = open_log(tmp_path), 0, NOWHERE
    while any(w.poll() is None for w in writers):
        log.wait(position, 0.2)
        batch = log.read(position)
        assert not batch.bad
        seen, position = seen + len(batch.events), batch.position
    assert [w.wait() for w in writers] == [0] * 8
    assert [len((w.communicate())[0].split()) for w in writers] == [500] * 8
    batch = open_log(tmp_path).read()
    assert seen + len(log.read(position).events) == len(batch.events) == 8 * 500
    assert batch.bad == []
    for n in range(8):
        mine = [e for e in batch.events if e.instance == f"w{n}"]
        assert [e.task for e in mine] == [f"n{i}" for i in range(500)]
        assert {len(e.value) for e in mine if int(e.task[1:]) % 10 == 0} == {10_000}


@pytest.mark.worker
def test_a_killed_appender_loses_nothing_it_acknowledged_and_holds_up_nobody(tmp_path: Path) -> None:
    acknowledged: dict[str, int] = {}
    for round_ in range(6):
        victim = writer(tmp_path, f"v{round_}", 100_000)
        assert victim.stdout is not None
        for _ in range(20 + 15 * round_):
            victim.stdout.readline()
        victim.send_signal(signal.SIGKILL)
        rest = victim.communicate()[0]
        acknowledged[f"v{round_}"] = 20 + 15 * round_ + rest.count("\n")
        open_log(tmp_path).append([event("after", instance=f"after{round_}")])
    batch = open_log(tmp_path).read()
    for name, count in acknowledged.items():
        mine = [e.task for e in batch.events if e.instance == name]
        assert mine[:count] == [f"n{n}" for n in range(count)]
        assert len(mine) <= count + 1
    assert [e.instance for e in batch.events if e.value == "after"] == [f"after{n}" for n in range(6)]
    assert len(batch.bad) <= 6


def test_a_reader_of_a_slow_writer_of_long_lines_never_sees_a_part(tmp_path: Path) -> None:
    log = open_log(Store(tmp_path).ensure())
    lines = [encode(event("é" * 500_000 + str(n))) for n in range(6)]

    def write_slowly() -> None:
        with log.path.open("ab", buffering=0) as file:
            for line in lines:
                for start in range(0, len(line), 100_001):
                    file.write(line[start : start + 100_001])
                    time.sleep(0.001)

    thread = threading.Thread(target=write_slowly)
    thread.start()
    found, position = 0, NOWHERE
    while found < len(lines):
        batch = log.read(position)
        assert batch.bad == []
        assert not batch.restarted or position == NOWHERE
        found, position = found + len(batch.events), batch.position
        time.sleep(0.001)
    thread.join()
    assert [encode(e) for e in log.read().events] == lines


def test_processes_agree_on_the_position(tmp_path: Path) -> None:
    one, other = open_log(tmp_path), open_log(tmp_path)
    for n in range(3):
        assert one.append([event(str(n))]) == other.position() == one.position()


def test_a_copy_of_the_store_has_positions_of_its_own(tmp_path: Path) -> None:
    log = open_log(tmp_path / "a")
    position = log.append([event()])
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "events.jsonl").write_bytes(log.path.read_bytes())
    assert open_log(tmp_path / "b").position().identity != position.identity


@pytest.mark.parametrize("rest", [b"", encode(event("1")), encode(event("other")) * 40])
def test_a_file_cut_or_rewritten_in_place_is_noticed(tmp_path: Path, rest: bytes) -> None:
    log = open_log(tmp_path)
    log.append([event("1")])
    before = log.append([event("2")])
    log.path.write_bytes(rest)
    batch = log.read(before)
    assert batch.restarted
    assert b"".join(map(encode, batch.events)) == rest
    log.append([event("3")])
    assert log.read(before).restarted


def test_a_file_cut_and_grown_again_unseen_is_noticed(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([event("1")])
    before = log.append([event("2")])
    log.path.write_bytes(encode(event("1")) + encode(event("3")) + encode(event("4")))
    batch = log.read(before)
    assert batch.restarted
    assert [e.value for e in batch.events] == ["1", "3", "4"]


def test_appending_goes_to_the_file_that_bears_the_name_now(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([event("1")])
    log.path.rename(tmp_path / "events.old")
    log.append([event("2")])
    assert [e.value for e in log.read().events] == ["2"]
    log.path.unlink()
    assert log.position() == NOWHERE
    log.append([event("3")])
    assert [e.value for e in log.read().events] == ["3"]


def test_removed_lock_files_are_made_anew_and_still_lock(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    with log.appending() as appender:
        appender.append([event("1")])
        log.store.lock_path.unlink()
    log.store.sync_path.unlink()
    log.append([event("2")])
    assert len(log.read().events) == 2


def test_our_files_are_not_inherited_by_programs_we_start(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    with log.appending() as appender:
        appender.append([event()])
        log.read()
        found = subprocess.run(
            ["ls", "-l", "/proc/self/fd"], close_fds=False, capture_output=True, text=True, check=True
        )
    assert str(tmp_path) not in found.stdout


def test_a_view_stays_what_it_was_while_the_file_is_replaced(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([event("1")])
    view = log.view()
    log.path.unlink()
    log.append([event("2")])
    assert view.bytes_at(0, 10**6) == encode(event("1"))


def test_looking_at_a_quiet_log_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(tmp_path)
    log.append([event()])
    log.position()
    monkeypatch.setattr("board.log.file.Handle", None)
    monkeypatch.setattr("board.log.file.os.pread", None)
    assert log.position() == log.position()


def test_waiting_wakes_within_milliseconds_and_costs_next_to_nothing(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    position = log.append([event()])
    used = time.process_time()
    assert not log.wait(position, 1.0)
    assert time.process_time() - used < 0.05
    woken: list[float] = []
    for n in range(10):
        written: list[float] = []

        def write(n: int = n, written: list[float] = written) -> None:
            time.sleep(0.02)
            written.append(time.monotonic())
            log.append([event(str(n))])

        thread = threading.Thread(target=write)
        thread.start()
        assert log.wait(position, 5)
        woken.append(time.monotonic() - written[0])
        thread.join()
        position = log.position()
    assert sorted(woken)[5] < 0.05


def test_where_nothing_tells_of_changes_waiting_looks_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("board.log.notify._open_inotify", lambda: -1)
    log = open_log(tmp_path)
    position = log.append([event()])
    timer = threading.Timer(0.1, log.append, [[event()]])
    timer.start()
    assert log.wait(position, 5)
    timer.join()


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    def count() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = count()
    log: FileLog | None = open_log(tmp_path)
    assert log is not None
    for n in range(50):
        log.append([event(str(n))])
        log.wait(log.position(), 0)
        log.path.rename(tmp_path / f"old{n}")
    assert count() < before + 10
    log = None
    assert count() <= before
    assert Handle(tmp_path / "old0", os.O_RDONLY).is_at(tmp_path / "old0")
