"""A backup of a running store is whole, and goes back into an empty one only."""

import io
import sqlite3
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from board.log.errors import StoreError
from board.log.event import Event
from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.services.backup import backup
from board.services.restore import restore
from tests.log.writing import NOW, accounts, done, start


def quiet(_: str) -> None:
    pass


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store").ensure()
    open_log(store).append([*start("i", "a"), done("i", "review", "a")])
    for path, text in [
        (store.log_path("i", "review", "a", 1), "log"),
        (store.artifacts("i") / "sub" / "Bericht ü.html", "<p>"),
        (store.inbox / "1.json", "{}"),
        (store.processed / "0.json", "{}"),
        (store.failed / "x.json.error", "unreadable"),
        (store.worker_lock / "owner", "me"),
        (store.root / "no id!" / "x", "stray"),
    ]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (store.artifacts("i") / "link").symlink_to("/etc/passwd")
    return store


def files(store: Store) -> dict[str, bytes]:
    return {f.name: (store.root / f.name).read_bytes() for f in store.files(store.root)}


def test_what_is_backed_up_comes_back(store: Store, tmp_path: Path) -> None:
    said: list[str] = []
    made = backup(store, tmp_path / "b.tar.gz", accounts(tmp_path / "db", "ana"), said.append)
    assert len(made.files) == 7
    assert any("link" in line for line in said)
    assert any("no id!" in line for line in said)
    other = Store(tmp_path / "other")
    assert restore(other, tmp_path / "b.tar.gz", tmp_path / "new" / "db", quiet) == 7
    before = files(store)
    for left_out in (".worker.lock/owner", "no id!/x", "events.lock", "events.sync"):
        del before[left_out]
    assert files(other) == before | {"events.lock": b""}
    assert Tail(open_log(other)).newest() == "i"
    with closing(sqlite3.connect(tmp_path / "new" / "db")) as db:
        assert db.execute("select name from auth_user").fetchall() == [("ana",)]


def test_a_backup_is_for_its_owner_only_and_leaves_nothing_beside_it(store: Store, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    backup(store, tmp_path / "out" / "b.tar.gz", None, quiet)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.tar.gz"]
    assert (tmp_path / "out" / "b.tar.gz").stat().st_mode & 0o777 == 0o600


def test_a_backup_ends_at_the_last_whole_line(store: Store, tmp_path: Path) -> None:
    with store.events_path.open("ab") as file:
        file.write(b'{"half')
    backup(store, tmp_path / "b.tar.gz", None, quiet)
    other = Store(tmp_path / "other")
    restore(other, tmp_path / "b.tar.gz", None, quiet)
    assert open_log(other).read().events == open_log(store).read().events
    assert open_log(other).torn_bytes() == 0


@pytest.mark.worker
def test_a_backup_of_a_busy_store_holds_every_message_with_its_event(store: Store, tmp_path: Path) -> None:
    # A program that does what the inbox does: append the event of a message, then move it away.
    busy = """
import sys
from board.log.event import Event
from board.log.file import open_log
log = open_log(sys.argv[1])
store = log.store
(store.root / "i" / "logs").mkdir(parents=True, exist_ok=True)
for n in range(100000):
    name = f"m{n:06}.json"
    (store.inbox / name).write_text("{}")
    log.append([Event("t", "i", "review", "note", "x", "external", "a", name)])
    (store.inbox / name).rename(store.processed / name)
    with (store.root / "i" / "logs" / "grows.log").open("a") as file:
        file.write("line" * 200)
    print(n, flush=True)
"""
    worker = subprocess.Popen([sys.executable, "-c", busy, str(store.root)], stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    for _ in range(300):
        worker.stdout.readline()
    drain = threading.Thread(target=worker.stdout.read)
    drain.start()
    try:
        for n in range(5):
            backup(store, tmp_path / f"b{n}.tar.gz", None, quiet)
    finally:
        worker.kill()
        drain.join()
        worker.stdout.close()
        worker.wait()
    for n in range(5):
        other = Store(tmp_path / f"other{n}")
        restore(other, tmp_path / f"b{n}.tar.gz", None, quiet)
        tail = Tail(open_log(other))
        assert tail.bad_count == 0
        settled = [path.name for path in other.processed.glob("m*")]
        assert len(settled) >= 300
        assert all(tail.has_ref(name) for name in settled)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda store: (store.root / "i").mkdir() or (store.root / "i" / "x").write_text(""), "not empty"),
        (lambda store: (store.inbox / "1.json").write_text("{}"), "not empty"),
        (lambda store: open_log(store).append([Event(NOW, "i", "t", "f", "", "")]), "not empty"),
    ],
)
def test_a_store_that_is_not_empty_is_left_alone(
    store: Store, tmp_path: Path, spoil: Callable[[Store], object], words: str
) -> None:
    backup(store, tmp_path / "b.tar.gz", None, quiet)
    other = Store(tmp_path / "other").ensure()
    spoil(other)
    before = files(other)
    with pytest.raises(StoreError, match=words):
        restore(other, tmp_path / "b.tar.gz", None, quiet)
    assert files(other) == before


def test_a_database_with_accounts_is_left_alone(store: Store, tmp_path: Path) -> None:
    backup(store, tmp_path / "b.tar.gz", accounts(tmp_path / "db", "ana"), quiet)
    there = accounts(tmp_path / "there", "ben")
    other = Store(tmp_path / "other")
    with pytest.raises(StoreError, match="accounts"):
        restore(other, tmp_path / "b.tar.gz", there, quiet)
    assert not other.root.exists()
    restore(other, tmp_path / "b.tar.gz", accounts(tmp_path / "fresh"), quiet)


@pytest.mark.parametrize("place", ["store/b.tar.gz", "exists.tar.gz"])
def test_a_bad_place_for_a_backup_is_refused(store: Store, tmp_path: Path, place: str) -> None:
    (tmp_path / "exists.tar.gz").write_text("precious")
    with pytest.raises(StoreError):
        backup(store, tmp_path / place, None, quiet)
    assert (tmp_path / "exists.tar.gz").read_text() == "precious"
    with pytest.raises(StoreError, match="no store"):
        backup(Store(tmp_path / "none"), tmp_path / "b.tar.gz", None, quiet)
    with pytest.raises(StoreError, match="cannot be written"):
        backup(store, tmp_path / "no" / "folder" / "b.tar.gz", None, quiet)
    with pytest.raises(StoreError, match="cannot be written"):
        backup(store, tmp_path / "exists.tar.gz" / "b.tar.gz", None, quiet)


def crafted(tmp_path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(tmp_path / "evil.tar.gz", "w:gz") as tar:
        for name in ("foldboard-backup.json", "events.jsonl"):
            info, data = tarfile.TarInfo(name), b'{"format": 1}'
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for member in members:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    return tmp_path / "evil.tar.gz"


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    info.size = 1 if kind == tarfile.REGTYPE else 0
    return info


@pytest.mark.parametrize(
    "evil",
    [
        member("../out"),
        member("i/../../out"),
        member("/tmp/out"),
        member("i/link", tarfile.SYMTYPE, "/etc"),
        member("i/hard", tarfile.LNKTYPE, "events.jsonl"),
        member("i/pipe", tarfile.FIFOTYPE),
        member("i/dev", tarfile.CHRTYPE),
        member("i", tarfile.DIRTYPE),
        member("stray"),
        member(".worker.lock/owner"),
        member("latest/x"),
        member("a b/x"),
        member("events.jsonl"),
    ],
    ids=lambda info: info.name,
)
def test_a_crafted_archive_writes_nothing(tmp_path: Path, evil: tarfile.TarInfo) -> None:
    store = Store(tmp_path / "deep" / "store")
    with pytest.raises(StoreError, match="cannot be restored"):
        restore(store, crafted(tmp_path, evil), None, quiet, unverified=True)
    assert not store.root.exists()
    assert not (tmp_path / "deep" / "out").exists()


@pytest.mark.parametrize("unverified", [False, True])
@pytest.mark.parametrize("cut", [0, 10, 200, -20])
def test_half_a_backup_restores_nothing(store: Store, tmp_path: Path, cut: int, unverified: bool) -> None:
    backup(store, tmp_path / "b.tar.gz", None, quiet)
    whole = (tmp_path / "b.tar.gz").read_bytes()
    (tmp_path / "half.tar.gz").write_bytes(whole[:cut])
    other = Store(tmp_path / "other")
    with pytest.raises(StoreError, match="cannot be restored"):
        restore(other, tmp_path / "half.tar.gz", None, quiet, unverified=unverified)
    assert not other.root.exists()
    restore(other, tmp_path / "b.tar.gz", None, quiet)
    with pytest.raises(StoreError):
        restore(Store(tmp_path / "third"), tmp_path / "none.tar.gz", None, quiet)
