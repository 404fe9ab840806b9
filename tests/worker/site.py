"""A store, a jobs directory and a worker for the tests: in this process, or as one of its own that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from board.log.event import Event
from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.process.definition.script_cell import INTERPRETERS
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.instance import Instance
from board.services import instances
from board.services.actor import anybody
from worker.config import Config
from worker.console import Report
from worker.loop import Worker

REPO = Path(__file__).parents[2]
# python3 on the path may be a wrapper that takes a quarter of a second; one test runs that one
PYTHON = {**INTERPRETERS, ".py": (sys.executable,)}
BOSS = anybody("boss")
SHELL = {"role": "system", "script": "s.sh"}


class Site:
    """Where one test works."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.jobs = root / "jobs"
        self.jobs.mkdir(parents=True)
        self.store = Store(root / "store").ensure()
        self.tail = Tail(open_log(self.store))

    def script(self, name: str, text: str) -> None:
        path = self.jobs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def start(self, rows: Iterable[Mapping[str, str]], elements: list[str] | None = None, instance: str = "i") -> None:
        table = ProcessTable.from_rows([{"name": row["task"], **row} for row in rows])
        listed = None if elements is None else ElementList.from_ids(elements)
        instances.start(self.tail, anybody("olga"), "P", instance, listed, table=table)

    def config(self, **options: Any) -> Config:
        return Config(
            **{
                "interpreters": PYTHON,
                "store": self.store.root,
                "jobs": self.jobs,
                "slots": 2,
                "grace_s": 1.0,
                "quiet": True,
                **options,
            }
        )

    def work(self, **options: Any) -> int:
        """Work in this process until nothing is ready; the exit status."""
        return self.worker(**{"no_wait": True, **options}).run()

    def worker(self, out: Any = None, **options: Any) -> Worker:
        config = self.config(**options)
        return Worker(config, Tail(open_log(self.store)), self.store, report=Report(config, out))

    def spawn(
        self, *, environment: Mapping[str, str] | None = None, start_new_session: bool = False, **options: Any
    ) -> subprocess.Popen[str]:
        """A worker as a process of its own, without Django; it says what it does to `worker.out`."""
        said = {"store": str(self.store.root), "jobs": str(self.jobs), "slots": 2, "grace_s": 1.0, **options}
        with (self.root / "worker.out").open("a") as out:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.worker.child", json.dumps(said)],
                cwd=REPO,
                env={**os.environ, **(environment or {})},
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=start_new_session,
                text=True,
            )

    @contextlib.contextmanager
    def working(self, **options: Any) -> Iterator[subprocess.Popen[str]]:
        """A worker process that is stopped at the end, whatever happens."""
        process = self.spawn(**options)
        try:
            yield process
        finally:
            end(process)

    @property
    def said(self) -> str:
        path = self.root / "worker.out"
        return path.read_text() if path.exists() else ""

    def instance(self, instance: str = "i") -> Instance:
        self.tail.refresh()
        found = self.tail.get(instance)
        assert found is not None
        return found

    def status(self, task: str, element: str = "", instance: str = "i") -> str:
        found = self.instance(instance)
        row = found.find(task, element)
        assert row is not None
        return found.status(row)

    def events(self, instance: str = "i", **filters: str) -> list[Event]:
        """Matching events, oldest first."""
        self.tail.refresh()
        return [entry.event for entry in reversed(self.tail.history(instance, **filters))]  # type: ignore[arg-type]

    def values(self, field: str, **filters: str) -> list[str]:
        return [event.value for event in self.events(field=field, **filters)]

    def log(self, task: str, element: str = "", attempt: int = 1, instance: str = "i") -> str:
        return self.store.log_path(instance, task, element, attempt).read_text(errors="replace")

    def append(self, *events: Event) -> None:
        """What another program writes: whole lines, without the lock."""
        from board.log.event import encode

        with self.store.events_path.open("ab") as file:
            file.write(b"".join(map(encode, events)))

    def message(self, name: str, **said: Any) -> None:
        fresh = self.store.inbox / f".{name}.tmp"
        fresh.write_text(json.dumps(said))
        fresh.rename(self.store.inbox / f"{name}.json")


def wait_for(happened: Callable[[], object], timeout_s: float = 60.0, what: str = "") -> None:
    """Wait until something is true; fails the test after the time."""
    ends = time.monotonic() + timeout_s
    while not happened():
        assert time.monotonic() < ends, f"waited {timeout_s:g}s for {what or happened}"
        time.sleep(0.01)


def end(process: subprocess.Popen[str]) -> int:
    """Stop a worker for good; its exit status."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


def processes_with(text: str) -> list[int]:
    """The processes whose command line or environment holds a text, this one aside."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            said = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            if text.encode() in said and b") Z " not in (entry / "stat").read_bytes():
                found.append(int(entry.name))
    return found
