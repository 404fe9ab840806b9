"""The file under real processes, kills, full disks, and hands of others."""

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from board.log.base import NOWHERE
from board.log.errors import AppendError, LogError, NotDurable, ReadError
from board.log.event import encode
from board.log.file import FileLog, open_log
from board.log.store import Store
from board.log.sync import Handle
from tests.log.make import event

ROOT = Path(__file__).parents[2]
WRITER = """
import sys
from board.log.file import open_log
from tests.log.make import event
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


# full disks


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A store with little room: a small file system where one can be mounted, else a limit on the size of files."""
    store = tmp_path / "store"
    store.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(store)], capture_output=True, check=False
    )
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if mounted.returncode:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    yield store
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    if mounted.returncode == 0:
        subprocess.run(["umount", "-l", str(store)], check=True)


def test_a_full_disk_is_said_and_leaves_no_half_event(full_disk: Path) -> None:
    log = open_log(full_disk)
    log.append([event("first")])

    def fill() -> None:
        for _ in range(100):
            log.append([event("x" * 300)] * 5)

    with pytest.raises(AppendError, match="Nothing was recorded"):
        fill()
    whole = log.path.read_bytes()
    assert whole.endswith(b"\n")
    batch = open_log(full_disk).read()
    assert batch.bad == []
    assert (len(batch.events) - 1) % 5 == 0
    log.path.write_bytes(whole[: len(whole) // 2])
    log.append([event("room again")])
    assert log.read().events[-1].value == "room again"


def test_a_limit_on_file_size_tears_nothing(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([event("first")])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, before[1]))
    try:
        with pytest.raises(AppendError, match="largest size"):
            log.append([event("a"), event("b" * 1000)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [e.value for e in log.read().events] == ["first"]
    log.append([event("next")])
    assert [e.value for e in log.read().events] == ["first", "next"]


def test_a_torn_line_that_was_there_stays_for_inspection_when_our_write_fails(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([event("first")])
    with log.path.open("ab") as file:
        file.write(b'{"torn')
    torn = log.path.read_bytes()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(torn) + 10, before[1]))
    try:
        with pytest.raises(AppendError):
            log.append([event("second")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert log.path.read_bytes() == torn


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.EROFS, "read-only"), (errno.EACCES, "right"), (errno.ENOLCK, "local disk"), (errno.EIO, "Input/output")],
)
def test_a_store_that_cannot_be_written_names_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    log = open_log(tmp_path)
    log.append([event("first")])

    def refuse(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr("board.log.sync.fcntl.flock", refuse)
        with pytest.raises(AppendError, match=words):
            log.append([event("second")])
    assert [e.value for e in log.read().events] == ["first"]
    log.append([event("third")])


def test_a_store_whose_place_is_a_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = open_log(tmp_path / "file" / "store")
    with pytest.raises(AppendError, match="Nothing was recorded"):
        log.append([event()])
    with pytest.raises(ReadError, match="cannot be read"):
        log.position()


def test_every_error_of_the_log_is_a_log_error() -> None:
    assert all(issubclass(kind, LogError) for kind in (AppendError, NotDurable, ReadError))


# flushes


def test_what_the_disk_does_not_confirm_is_acknowledged_to_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, refused, flushing = open_log(tmp_path), [], threading.Event()
    log.append([event("first")])

    def refuse(_: int) -> None:
        flushing.wait(5)
        raise OSError(errno.EIO, "Input/output error")

    def act() -> None:
        try:
            log.append([event("lost?")])
        except NotDurable as error:
            refused.append(str(error))

    with monkeypatch.context() as patch:
        patch.setattr("board.log.sync._flush", refuse)
        threads = [threading.Thread(target=act) for _ in range(5)]
        for thread in threads:
            thread.start()
        while len(log.read().events) < 6:
            time.sleep(0.001)
        flushing.set()
        for thread in threads:
            thread.join()
    assert len(refused) == 5
    log.append([event("later")])


@pytest.mark.parametrize("processes", [1, 6])
def test_all_who_come_while_the_disk_is_busy_share_the_next_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    # Logs of their own on one store are what processes are: they know of each other by the lock files alone.
    logs = [open_log(tmp_path) for _ in range(processes)] * (6 // processes)
    logs[0].append([event("first")])
    flushed: list[int] = []
    busy = threading.Event()

    def flush(fd: int) -> None:
        flushed.append(fd)
        busy.wait(10)
        os.fdatasync(fd)

    monkeypatch.setattr("board.log.sync._flush", flush)
    threads = [threading.Thread(target=log.append, args=[[event()]]) for log in logs]
    for thread in threads:
        thread.start()
    while len(logs[0].read().events) < 7:
        time.sleep(0.001)
    time.sleep(0.02)  # for the last one to note that it has written
    busy.set()
    for thread in threads:
        thread.join()
    assert len(flushed) <= 3


def test_an_event_is_on_disk_before_it_is_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, flushed, flush = open_log(tmp_path), [], os.fdatasync

    def note(fd: int) -> None:
        flush(fd)
        flushed.append(os.fstat(fd).st_size)

    monkeypatch.setattr("board.log.sync._flush", note)
    for n in range(3):
        position = log.append([event(str(n))])
        assert flushed[-1] >= position.offset
    log.path.write_bytes(b"")  # cut in place: what was flushed before counts for nothing now
    log.append([event("new")])
    assert len(flushed) == 4


# hands of others


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
    assert Handle(tmp_path, os.O_RDONLY).is_at(tmp_path)
