"""A store in which others put links, pipes, half lines and locks: nothing is followed, hangs or is lost."""

import errno
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from board.log import file as file_log
from board.log.directory import Directory, NotPlain
from board.log.errors import AppendError, ReadError, StoreError
from board.log.event import Event, encode
from board.log.file import open_log
from board.log.store import Store
from board.log.sync import Handle
from board.log.tail import Tail
from board.log.worker_lock import LOCK_DIR, last_beat, read_owner, read_state, worker_alive
from worker.lock import WorkerLock

SECRET = b"the key that signs every session"


def event(value: str = "1") -> Event:
    return Event("2026-11-29T12:00:00Z", "i", "t", "note", value, "ana")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "private" / "secret_key"
    path.parent.mkdir()
    path.write_bytes(SECRET)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store").ensure()


def test_a_link_or_a_pipe_in_place_of_the_log_is_neither_read_nor_written(store: Store, secret: Path) -> None:
    for put in (store.events_path.symlink_to, lambda _: os.mkfifo(store.events_path)):
        put(secret)
        with pytest.raises(ReadError, match=r"events\.jsonl"):
            open_log(store).read()
        with pytest.raises(AppendError):
            open_log(store).append([event()])
        store.events_path.unlink()
    assert secret.read_bytes() == SECRET


@pytest.mark.parametrize("name", ["events.lock", "events.sync"])
def test_a_link_in_place_of_a_lock_leaves_the_file_behind_it_as_it_is(store: Store, secret: Path, name: str) -> None:
    (store.root / name).symlink_to(secret)
    log = open_log(store)
    if name == "events.lock":
        with pytest.raises(AppendError):
            log.append([event()])
    else:  # only what shares flushes: the event is on disk all the same
        log.append([event()])
        assert len(log.read().events) == 1
    assert secret.read_bytes() == SECRET


def test_a_pipe_in_place_of_a_lock_is_not_waited_for(store: Store) -> None:
    os.mkfifo(store.lock_path)
    with pytest.raises(AppendError):
        open_log(store).append([event()])


def test_a_lock_that_another_program_holds_is_waited_for_some_seconds_only(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("board.log.file.LOCK_PATIENCE_S", 0.3)
    log = open_log(store)
    log.append([event()])
    with store.lock_path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        begun = time.monotonic()
        with pytest.raises(AppendError, match="another program holds the lock"):
            log.append([event("2")])
        assert time.monotonic() - begun < 5
    log.append([event("3")])
    assert [each.value for each in log.read().events] == ["1", "3"]


def test_the_patience_of_all_who_wait_in_one_program_is_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("board.log.file.LOCK_PATIENCE_S", 0.2)
    log = open_log(store)
    with log._append_lock, pytest.raises(AppendError):
        log.append([event()])


def test_a_log_behind_a_link_of_folders_is_not_read(store: Store, secret: Path) -> None:
    (secret.parent / "logs").mkdir()
    (secret.parent / "logs" / "t-1.log").write_bytes(SECRET)
    for target, link in ((secret.parent, store.root / "i"), (secret.parent / "logs", store.root / "j" / "logs")):
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(target)
        path = store.log_path(link.name if link.name == "i" else "j", "t", "", 1)
        with pytest.raises(StoreError):
            store.open_file(path.parent, path.name)
    with pytest.raises(NotPlain):
        list(store.files(store.artifacts("i")))


def test_a_pipe_or_a_link_as_owner_is_no_worker_and_stops_none(store: Store, secret: Path) -> None:
    for put in (os.mkfifo, lambda path: path.symlink_to(secret)):
        (store.root / LOCK_DIR).mkdir()
        put(store.root / LOCK_DIR / "owner")
        put(store.root / LOCK_DIR / "state.json")
        assert read_owner(store.root) is None
        assert read_state(store.root) is None
        assert not worker_alive(store.root)
        lock = WorkerLock.take(store.root)
        assert lock.holds()
        assert last_beat(store.root) is not None
        lock.release()
    assert secret.read_bytes() == SECRET


def test_a_lock_folder_that_is_a_link_is_another_workers_store(store: Store, tmp_path: Path) -> None:
    lock = WorkerLock.take(store.root)
    (store.root / LOCK_DIR).rename(tmp_path / "aside")
    (store.root / LOCK_DIR).symlink_to(tmp_path / "aside")
    assert not lock.holds()
    lock.release()
    assert (tmp_path / "aside" / "owner").exists()


def test_names_lead_nowhere_but_down(store: Store) -> None:
    for name in ("", "..", "a/../b", "/etc/passwd", "a//b", ".", "a\0b"):
        with pytest.raises(NotPlain):
            store.directory.open(name)


def test_folders_are_made_step_by_step_and_never_through_a_link(store: Store, tmp_path: Path) -> None:
    files = store.directory
    files.make_folder("a/b/c")
    assert (store.root / "a/b/c").is_dir()
    (store.root / "x").symlink_to(tmp_path)
    with pytest.raises(NotPlain):
        files.make_folder("x/y")
    (store.root / "f").write_text("")
    with pytest.raises(NotPlain):
        files.make_folder("f")
    assert not (tmp_path / "y").exists()


def test_the_root_itself_may_be_a_link_of_the_operator(store: Store, tmp_path: Path) -> None:
    (tmp_path / "short").symlink_to(store.root)
    log = open_log(tmp_path / "short")
    log.append([event()])
    assert len(open_log(store).read().events) == 1
    assert Directory(tmp_path / "short").has("events.jsonl")


HALVES = """
import os, sys, time
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
ends = time.monotonic() + float(sys.argv[2])
while time.monotonic() < ends:
    os.write(fd, b'{"instance":"i","task":"half')
"""


def test_no_acknowledged_event_is_lost_behind_half_a_line_and_none_is_there_twice(store: Store) -> None:
    log = open_log(store)
    log.append([event("first")])
    rude = subprocess.Popen([sys.executable, "-c", HALVES, str(store.events_path), "3"])
    try:
        written = 0
        while rude.poll() is None:
            log.append([event(str(written))])
            written += 1
    finally:
        rude.kill()
        rude.wait()
    values = [each.value for each in log.read().events]
    assert values == ["first", *map(str, range(written))]


def test_a_half_line_that_slips_in_is_seen_after_the_write(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(store)
    log.append([event("first")])
    write = file_log._write_all

    def slips_in(file: Handle, data: bytes) -> int:
        monkeypatch.setattr("board.log.file._write_all", write)
        os.write(file.fd, b'{"half')
        return write(file, data)

    monkeypatch.setattr("board.log.file._write_all", slips_in)
    log.append([event("second")])
    assert [each.value for each in log.read().events] == ["first", "second"]
    assert len(log.read().bad) == 1


def test_white_space_that_slips_in_spoils_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(store)
    log.append([event("first")])
    write = file_log._write_all

    def slips_in(file: Handle, data: bytes) -> int:
        monkeypatch.setattr("board.log.file._write_all", write)
        os.write(file.fd, b"  ")
        return write(file, data)

    monkeypatch.setattr("board.log.file._write_all", slips_in)
    log.append([event("second")])
    assert [each.value for each in log.read().events] == ["first", "second"]


def test_a_half_line_before_the_look_is_ended_first(store: Store) -> None:
    log = open_log(store)
    with store.events_path.open("ab") as file:
        file.write(encode(event("whole")) + b'{"torn')
    log.append([event("mine")])
    assert [each.value for each in log.read().events] == ["whole", "mine"]


def test_what_is_no_plain_file_says_so_in_words(store: Store) -> None:
    os.mkfifo(store.inbox / "m.json")
    with pytest.raises(NotPlain) as said:
        store.directory.open("inbox/m.json")
    assert said.value.errno == errno.ELOOP
    assert "inbox/m.json is not a plain file" in str(said.value)


def test_a_tail_of_a_log_that_became_a_pipe_goes_on_when_it_is_a_file_again(store: Store) -> None:
    tail = Tail(open_log(store))
    tail.log.append([event()])
    tail.refresh()
    store.events_path.rename(store.root / "aside")
    os.mkfifo(store.events_path)
    with pytest.raises(ReadError):
        tail.refresh()
    store.events_path.unlink()
    (store.root / "aside").rename(store.events_path)
    assert tail.refresh().offset > 0
