"""Links and pipes at every name of the store, one after the other: no page shows what is behind them, nothing hangs."""

import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from board.log.errors import LogError
from board.log.store import Store
from board.log.tail import shared
from tests import story
from tests.views.conftest import Login, cast, login, store
from worker.config import Config
from worker.console import Report
from worker.loop import Worker

__all__ = ["cast", "login", "store"]

SECRET = "the key that signs every session"
INSTANCE = "2026Q1"
PAGES = [
    "/", "/instances/", "/worker/", "/processes/", "/health/", "/instances/-/news/", "/worker/news/",
    *(f"/instances/{INSTANCE}/{page}" for page in (
        "", "log/", "files/", "files/report.txt", "files/report.txt?view", "files/secret_key", "news/",
        "tasks/validate@Rwanda/", "tasks/validate@Rwanda/attempts/1/", "tasks/validate@Rwanda/attempts/1/log",
    )),
    "/api/instances", f"/api/instances/{INSTANCE}",
]  # fmt: skip
NAMES = [
    "events.jsonl", "events.lock", "events.sync", ".worker.lock", ".worker.lock/owner", ".worker.lock/state.json",
    ".worker.lock.guard", ".worker.run", ".worker.run/key", "inbox", "inbox/processed", "inbox/failed", "inbox/m.json",
    "inbox/failed/x.json", "inbox/failed/x.json.error", INSTANCE, f"{INSTANCE}/logs", f"{INSTANCE}/artifacts",
    f"{INSTANCE}/artifacts/report.txt", f"{INSTANCE}/logs/validate@~100...",
]  # fmt: skip
MAKE: dict[str, Callable[[Path, Path], None]] = {
    "a link to a file": lambda path, private: path.symlink_to(private / "secret_key"),
    "a link to a folder": lambda path, private: path.symlink_to(private),
    "a link to nowhere": lambda path, private: path.symlink_to(private / "none"),
    "a pipe": lambda path, _: os.mkfifo(path),
}


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise TimeoutError when the block hangs."""

    def late(*_: object) -> None:
        raise TimeoutError(f"it took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    folder = tmp_path / "private"
    for name in ("processed", "failed", "logs", "artifacts"):
        (folder / name).mkdir(parents=True)
    for path in (folder, folder / "artifacts"):
        (path / "secret_key").write_text(SECRET)
        (path / "report.txt").write_text(SECRET)
        (path / "events.jsonl").write_text(SECRET)
    return folder


def look(client: Client, page: str) -> str:
    """What a page says; the body of a download is read to its end."""
    client.raise_request_exception = False
    response = client.get(page)
    assert response.status_code != 500, page
    return b"".join(response).decode("utf-8", "replace")


def turn(store: Path, jobs: Path) -> None:
    """One turn of a worker, or its refusal in words."""
    with contextlib.suppress(LogError, OSError):
        config = Config(store=store, jobs=jobs, slots=1, quiet=True, no_wait=True, lock=False)
        Worker(config, shared(store), Store(store), report=Report(config)).run()


@pytest.mark.parametrize("kind", MAKE)
def test_nothing_at_any_name_of_the_store_is_followed_or_waited_for(
    kind: str, store: Path, cast: dict[str, User], login: Login, private: Path, tmp_path: Path
) -> None:
    story.tell(store)
    (store / INSTANCE / "artifacts").mkdir(parents=True, exist_ok=True)
    (store / INSTANCE / "artifacts" / "report.txt").write_text("a report")
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    client, before = login("olga"), sorted(private.rglob("*"))
    for name in NAMES:
        path = store / name
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(path.name + ".aside")
        if path.exists():
            path.rename(aside)
        MAKE[kind](path, private)
        with within(30):
            for page in PAGES:
                assert SECRET not in look(client, page), f"{page} with {kind} at {name}"
            turn(store, jobs)
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
        else:
            shutil.rmtree(path)
        if aside.exists():
            aside.rename(path)
    assert sorted(private.rglob("*")) == before
    assert {path.read_text() for path in before if path.is_file()} == {SECRET}
