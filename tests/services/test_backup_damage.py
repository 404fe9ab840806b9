"""A backup that is not what was written is refused in one sentence, before anything of it is in the store."""

import errno
import gzip
import io
import itertools
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import CommandError, call_command

from board.log.directory import Directory
from board.log.errors import StoreError
from board.log.file import open_log
from board.log.store import Store
from board.services.backup import backup
from board.services.backup_format import FORMAT, Manifest, Writer, write_end, write_seal
from board.services.restore import restore, verify
from tests.log.writing import accounts, done, start


def quiet(_: str) -> None:
    pass


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store").ensure()
    open_log(store).append([*start("i", "a"), done("i", "review", "a")])
    log = store.log_path("i", "review", "a", 1)
    log.parent.mkdir(parents=True)
    log.write_text("what a script said")
    (store.processed / "0.json").write_text("{}")
    return store


@pytest.fixture
def whole(store: Store, tmp_path: Path) -> bytes:
    backup(store, tmp_path / "b.tar.gz", accounts(tmp_path / "db", "ana"), quiet)
    return (tmp_path / "b.tar.gz").read_bytes()


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def refused(tmp_path: Path, data: bytes, *, unverified: bool = False) -> str:
    """The sentence with which these bytes are refused, with nothing left in the place of the store."""
    (tmp_path / "damaged.tar.gz").write_bytes(data)
    other = Store(tmp_path / "other")
    with pytest.raises(StoreError) as caught:
        restore(other, tmp_path / "damaged.tar.gz", None, quiet, unverified=unverified)
    assert not other.root.exists()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_whole_backup_is_verified(store: Store, whole: bytes, tmp_path: Path) -> None:
    manifest = verify(tmp_path / "b.tar.gz")
    assert [member.name for member in manifest.files] == [
        "store/inbox/processed/0.json",
        "store/events.jsonl",
        "store/i/logs/review@a-1.log",
        "database.sqlite3",
    ]


def test_any_flipped_bit_is_noticed(whole: bytes, tmp_path: Path) -> None:
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << random.Random(at).randrange(8)
        refused(tmp_path, bytes(damaged))
        with pytest.raises(StoreError):
            verify(tmp_path / "damaged.tar.gz")


def test_a_backup_cut_short_anywhere_is_noticed(whole: bytes, tmp_path: Path) -> None:
    for size in range(0, len(whole), 7):
        assert "no manifest at its end" in refused(tmp_path, whole[:size])


@pytest.mark.parametrize("unverified", [False, True])
def test_what_was_added_behind_is_noticed(whole: bytes, tmp_path: Path, unverified: bool) -> None:
    for more in (b"\0", b"x" * 1000, gzip.compress(b"more"), whole[:-1]):
        refused(tmp_path, whole + more, unverified=unverified)


def test_tar_reads_a_backup_too(whole: bytes) -> None:
    with tarfile.open(fileobj=io.BytesIO(whole), mode="r:gz") as tar:
        assert tar.getnames()[-2:] == ["database.sqlite3", "manifest.json"]
        data = tar.extractfile("store/i/logs/review@a-1.log")
        assert data is not None
        assert data.read() == b"what a script said"


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"no gzip at all " * 100),
        lambda path: path.write_bytes(gzip.compress(b"no tar")),
        lambda path: path.write_bytes(gzip.compress(b"\0" * 20_000)),
        lambda path: path.mkdir(),
        lambda path: os.mkfifo(path),
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to(path),
        lambda _: None,
    ],
    ids=["empty", "no gzip", "no tar", "zeros", "folder", "pipe", "device", "circle", "missing"],
)
@pytest.mark.parametrize("command", ["backup --verify", "restore", "restore --unverified"])
def test_a_file_that_is_no_backup_is_one_sentence_and_exit_2(
    tmp_path: Path, settings: Any, make: Callable[[Path], object], command: str
) -> None:
    settings.FOLDBOARD_STORE = tmp_path / "other"
    make(tmp_path / "file")
    with pytest.raises(CommandError) as caught:
        call_command(*command.split(), "--no-database" * (command != "backup --verify") or "--json", tmp_path / "file")
    assert (caught.value.returncode, str(caught.value).count("\n")) == (2, 0)
    assert not (tmp_path / "other").exists()


def test_verify_says_what_a_backup_is(whole: bytes, tmp_path: Path) -> None:
    out = io.StringIO()
    call_command("backup", "--verify", tmp_path / "b.tar.gz", stdout=out)
    assert "whole, made 20" in out.getvalue()
    assert f"4 files, {len(whole)} bytes" in out.getvalue()
    out = io.StringIO()
    call_command("backup", "--verify", "--json", tmp_path / "b.tar.gz", stdout=out)
    assert json.loads(out.getvalue()).items() >= {"files": 4, "bytes": len(whole)}.items()


# sealed by somebody who means ill, or by a program with a fault


def sealed(tmp_path: Path, change: Callable[[Any], object] = lambda _: None, *, manifest: bytes = b"") -> Path:
    """A backup of two files whose manifest was changed, or is another, before it was sealed."""
    with (tmp_path / "sealed").open("w+b") as file, closing(Writer(file)) as writer:
        for name in ("store/events.jsonl", "store/i/x"):
            writer.add(name, 3, 0, lambda start, end: b"{}\n"[start:end])
        found = msgspec.to_builtins(Manifest(FORMAT, "2026", writer.files))
        change(found)
        writer.close()
        write_end(file, manifest or json.dumps(found).encode())
    return tmp_path / "sealed"


def test_a_sealed_backup_made_for_these_tests_is_taken(tmp_path: Path) -> None:
    assert restore(Store(tmp_path / "other"), sealed(tmp_path), None, quiet) == 2


@pytest.mark.parametrize(
    "manifest",
    [
        b"[]",
        b"{",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b'{"format": 2}',
        b'{"format": 1, "made": "", "files": []}',
        b"1" * 5000,
    ],
    ids=range(8),
)
def test_what_is_no_manifest_is_refused(tmp_path: Path, manifest: bytes) -> None:
    refused(tmp_path, sealed(tmp_path, manifest=manifest).read_bytes())


def test_a_manifest_that_unpacks_without_end_is_not_unpacked(tmp_path: Path) -> None:
    with (tmp_path / "bomb").open("w+b") as file:
        file.write(gzip.compress(bytes(1 << 20), 9) * 2000)
        write_seal(file, 0)
    assert "too long" in refused(tmp_path, (tmp_path / "bomb").read_bytes())


def name_it(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda found: found["files"][1].update(name=name)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        *((name_it(name), "no file of a store") for name in (
            "store/../out", "store/i/../../out", "/tmp/out", "store//etc/x", "../out", "store/i/", "store/i", "store",
            "store/.worker.lock/owner", "store/latest/x", "store/a b/x", "store/i/a\0b", "", "other/i/x",
            "store/events.lock", "store/i/./x", "store/inbox/failed", "store/inbox", "database.sqlite3/x",
        )),
        (name_it("store/events.jsonl"), "twice"),
        (lambda found: found["files"].pop(0), "no events"),
        (lambda found: found["files"].reverse(), "behind"),
        (lambda found: found.update(format=3), "format 3"),
        (lambda found: found.update(format="x" * 10_000), "format"),
        (lambda found: found.update(files={}), "array"),
        (lambda found: found["files"][1].update(size=1 << 50), "cut short"),
        (lambda found: found["files"][1].update(at=1 << 60), "cut short"),
        (lambda found: found["files"][1].update(size=-1), ">= 0"),
        (lambda found: found["files"][1].update(size=2), "damaged"),
        (lambda found: found["files"][1].update(sha256=""), "damaged"),
        (lambda found: found["files"][1].update(sha256="0" * 64), "damaged"),
        (lambda found: found["files"][1].update(changed=1 << 70), "restored"),
        (name_it("store/i/\ud800"), "restored"),
        (name_it("store/i/" + "x" * 300), "name too long"),
    ],
)  # fmt: skip
def test_a_manifest_that_lies_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    said = refused(tmp_path, sealed(tmp_path, change).read_bytes())
    assert words in said.lower()
    if words not in ("restored", "name too long"):  # what only the disk can tell
        with pytest.raises(StoreError, match="no whole backup"):
            verify(tmp_path / "damaged.tar.gz")
    assert len(said) < 600


# backups of the first format, which had no manifest


def old_format(store: Store, path: Path) -> bytes:
    """A backup as the first version wrote it."""
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for name, data in [
            ("foldboard-backup.json", b'{"format": 1, "made": "2026-01-01T00:00:00Z"}'),
            ("inbox/processed/0.json", b"{}"),
            ("events.jsonl", store.events_path.read_bytes()),
            ("i/logs/review@a-1.log", b"what a script said"),
        ]:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1_790_000_000
            tar.addfile(info, io.BytesIO(data))
    return path.read_bytes()


def test_a_backup_without_a_manifest_is_taken_only_when_told_to(
    store: Store, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.FOLDBOARD_STORE = tmp_path / "other"
    assert "--unverified" in refused(tmp_path, old_format(store, tmp_path / "old.tar.gz"))
    call_command("restore", tmp_path / "old.tar.gz", "--no-database", "--unverified")
    assert "nothing says whether" in capsys.readouterr().err
    before, after = contents(store.root), contents(tmp_path / "other")
    for name in ("events.lock", "events.sync"):
        before.pop(name), after.pop(name, None)
    assert after == before


def test_a_damaged_one_without_a_manifest_never_ends_in_a_traceback(store: Store, tmp_path: Path) -> None:
    old = old_format(store, tmp_path / "old.tar.gz")
    restore(Store(tmp_path / "right"), tmp_path / "old.tar.gz", None, quiet, unverified=True)
    right = contents(tmp_path / "right")
    passed = 0
    for at in range(len(old)):
        damaged = bytearray(old)
        damaged[at] ^= 1 << random.Random(at).randrange(8)
        (tmp_path / "damaged.tar.gz").write_bytes(damaged)
        place = tmp_path / f"other{at}"
        try:
            restore(Store(place), tmp_path / "damaged.tar.gz", None, quiet, unverified=True)
        except StoreError:
            assert not place.exists()
        else:
            passed += 1
            assert contents(place) == right
    assert passed < 20  # the time and the name in the header of gzip


@pytest.mark.parametrize(
    "kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.REGTYPE], ids=["pax", "name", "file"]
)
def test_a_tar_that_claims_terabytes_is_refused_at_once(tmp_path: Path, kind: bytes) -> None:
    info = tarfile.TarInfo("foldboard-backup.json")
    info.type, info.size = kind, 1 << 40
    refused(tmp_path, gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20)), unverified=True)


def test_what_a_tar_unpacks_to_behind_its_end_is_not_read(tmp_path: Path, store: Store) -> None:
    tar = gzip.decompress(old_format(store, tmp_path / "old.tar.gz"))
    assert "behind its end" in refused(tmp_path, gzip.compress(tar + bytes(50 << 20)), unverified=True)


# a failure half-way


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Path]:
    """A place with little room: a small file system where one can be mounted, else a limit on the size of files."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(place)], capture_output=True, check=False
    )
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if mounted.returncode:
        resource.setrlimit(resource.RLIMIT_FSIZE, (128 << 10, before[1]))
    yield place
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    if mounted.returncode == 0:
        subprocess.run(["umount", "-l", str(place)], check=True)


def big(store: Store) -> None:
    (store.artifacts("i")).mkdir()
    (store.artifacts("i") / "big").write_bytes(random.Random(1).randbytes(600_000))


def test_no_room_for_a_backup_is_said_and_leaves_nothing(store: Store, empty: Path) -> None:
    big(store)
    with pytest.raises(StoreError, match=r"cannot be written: (No space left|File too large)"):
        backup(store, empty / "b.tar.gz", None, quiet)
    assert list(empty.iterdir()) == []


def test_no_room_for_a_restore_is_said_and_leaves_nothing(store: Store, tmp_path: Path, empty: Path) -> None:
    big(store)
    backup(store, tmp_path / "b.tar.gz", None, quiet)
    with pytest.raises(StoreError, match=r"are free for them|File too large"):
        restore(Store(empty / "store"), tmp_path / "b.tar.gz", None, quiet)
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize("moved", range(4))
def test_a_failure_half_way_leaves_store_and_accounts_as_they_were(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: int
) -> None:
    (store.inbox / "1.json").write_text("{}")
    backup(store, tmp_path / "b.tar.gz", accounts(tmp_path / "other-db", "ana"), quiet)
    calls, rename = itertools.count(), Directory.rename

    def fail(self: Directory, old: str, new: str) -> None:
        if next(calls) == moved:
            raise OSError(errno.EIO, "Input/output error")
        rename(self, old, new)

    monkeypatch.setattr(Directory, "rename", fail)
    other, there = Store(tmp_path / "other").ensure(), accounts(tmp_path / "db")
    before = sorted(other.root.rglob("*"))
    with pytest.raises(StoreError, match="Input/output error"):
        restore(other, tmp_path / "b.tar.gz", there, quiet)
    assert sorted(other.root.rglob("*")) == before
    with closing(sqlite3.connect(there)) as db:
        assert db.execute("select count(*) from auth_user").fetchone() == (0,)
    monkeypatch.setattr(Directory, "rename", rename)
    assert restore(other, tmp_path / "b.tar.gz", there, quiet) == 5


def test_a_database_that_is_in_use_leaves_everything_as_it_was(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("board.services.backup._PATIENCE_S", 0.5)
    there = accounts(tmp_path / "there")
    with closing(sqlite3.connect(there)) as db:
        db.execute("begin immediate")
        with pytest.raises(StoreError, match="locked"):
            restore(Store(tmp_path / "other"), tmp_path / "b.tar.gz", there, quiet)
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("name", ["inbox", "inbox/processed", "events.jsonl", "events.lock", "i"])
def test_a_link_in_the_store_is_no_empty_store(whole: bytes, tmp_path: Path, name: str) -> None:
    outside, other = tmp_path / "outside", Store(tmp_path / "other").ensure()
    outside.mkdir()
    place = other.root / name
    if place.exists():
        shutil.rmtree(place)
    place.symlink_to(outside)
    with pytest.raises(StoreError, match="it has a link"):
        restore(other, tmp_path / "b.tar.gz", None, quiet)
    assert list(outside.iterdir()) == []
    assert place.is_symlink()


# what other programs put into a store that is backed up


def test_links_and_pipes_do_not_get_into_a_backup_and_do_not_stop_it(store: Store, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    (secret / "logs").mkdir(parents=True)
    (secret / "logs" / "key").write_text("the secret key")
    (store.root / "j").symlink_to(secret)
    (store.root / "archive").symlink_to(secret)
    store.failed.rmdir()
    store.failed.symlink_to(secret / "logs")
    store.artifacts("i").symlink_to(secret)
    (store.logs("i") / "link.log").symlink_to(secret / "logs" / "key")
    os.mkfifo(store.logs("i") / "pipe.log")
    os.mkfifo(store.inbox / "pipe.json")
    said: list[str] = []
    made = backup(store, tmp_path / "b.tar.gz", None, said.append)
    assert [member.name for member in made.files] == [
        "store/inbox/processed/0.json", "store/events.jsonl", "store/i/logs/review@a-1.log",
    ]  # fmt: skip
    left_out = " ".join(line for line in said if line.startswith("left out"))
    for name in ("inbox/failed", "i/artifacts", "link.log", "pipe.log", "inbox/pipe.json", ": j ", "archive"):
        assert name in left_out


def test_an_instance_may_have_the_name_of_the_database(store: Store, tmp_path: Path) -> None:
    store.logs("database.sqlite3").mkdir(parents=True)
    (store.logs("database.sqlite3") / "x-1.log").write_text("log")
    backup(store, tmp_path / "b.tar.gz", accounts(tmp_path / "db", "ana"), quiet)
    assert restore(Store(tmp_path / "other"), tmp_path / "b.tar.gz", tmp_path / "new", quiet) == 5


def test_names_that_are_no_text_come_back(store: Store, tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\n\\ \xc3\xa9 " + b"x" * 200)
    (store.logs("i") / name).write_text("log")
    backup(store, tmp_path / "b.tar.gz", None, quiet)
    restore(Store(tmp_path / "other"), tmp_path / "b.tar.gz", None, quiet)
    assert (tmp_path / "other" / "i" / "logs" / name).read_text() == "log"
