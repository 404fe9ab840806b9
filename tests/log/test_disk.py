"""The file on disks that are full, slow or fail: nothing half-written, nothing acknowledged that is not there."""

import errno
import os
import resource
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from board.log.errors import AppendError, LogError, NotDurable, ReadError
from board.log.file import open_log
from tests.log.writing import event


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A store with little room: a small file system where one can be mounted, else a limit on the size of files."""
    store = tmp_path / "store"
    store.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(store)]
    mounted = shutil.which("mount") is not None and subprocess.run(mount, capture_output=True).returncode == 0
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if not mounted:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    yield store
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    if mounted:
        subprocess.run(["umount", "-l", str(store)], check=True)


def test_a_full_disk_is_said_and_leaves_no_half_event(full_disk: Path) -> None:
    log = open_log(full_disk)
    log.append([event("first")])

    def fill() -> None:
        for _ in range(100):
            log.append([event("x" * 300)] * 5)

    with pytest.raises(AppendError, match="Nothing was recorded") as said:
        fill()
    assert str(full_disk) not in str(said.value)  # every viewer reads it
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
