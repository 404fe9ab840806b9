"""A board as it is deployed, for the benches: gunicorn with deploy/gunicorn.conf.py, accounts and many logins."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Served:
    """A running board: its port, its store, session keys of its watchers, and its processes."""

    port: int
    store: Path
    sessions: list[str]
    pid: int

    def cpu_s(self) -> float:
        """Processor seconds that gunicorn and its workers have used so far."""
        master = psutil.Process(self.pid)
        return sum(sum(each.cpu_times()[:2]) for each in (master, *master.children(recursive=True)))

    def memory_mb(self) -> float:
        """What the workers hold in memory, the largest one."""
        return max(each.memory_info().rss for each in psutil.Process(self.pid).children()) / 1e6

    def get(self, path: str, *, fragment: bool = False) -> tuple[float, float, bytes]:
        """(seconds to the first byte, seconds to the last, body) of one page, over a connection of its own."""
        connection = HTTPConnection("127.0.0.1", self.port)
        connection.connect()
        headers = {"Cookie": f"foldboard_session={self.sessions[0]}"} | ({"HX-Request": "true"} if fragment else {})
        began = time.perf_counter()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        first = time.perf_counter() - began
        body = answer.read()
        whole = time.perf_counter() - began
        connection.close()
        if answer.status not in (200, 204):
            raise RuntimeError(f"{path} answered {answer.status}")
        return first, whole, body


@contextmanager
def serving(folder: Path, watchers: int, *, workers: int = 2, application: str = "board.wsgi") -> Iterator[Served]:
    """Serve an empty store to some logged-in watchers; ended at exit."""
    var = folder / "var"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FOLDBOARD_")}
    env = clean | {
        "DJANGO_SETTINGS_MODULE": "board.settings",
        "FOLDBOARD_VAR": str(var),
        "FOLDBOARD_STATIC": str(folder / "static"),
        "FOLDBOARD_SECRET_KEY": "only for this bench, where nobody else is",
        "PYTHONPATH": str(ROOT),
        "WEB_CONCURRENCY": str(workers),
    }
    made = subprocess.run(
        [sys.executable, "-m", "tests.bench.accounts", str(watchers)], cwd=ROOT, env=env, capture_output=True, text=True
    )
    if made.returncode:
        raise RuntimeError(made.stderr)
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", "--bind", f"127.0.0.1:{port}"]
    with (folder / "gunicorn.log").open("wb") as log:
        server = subprocess.Popen([*command, application], cwd=ROOT, env=env, stdout=log, stderr=log)
    try:
        served = Served(port, var / "store", json.loads(made.stdout.splitlines()[-1]), server.pid)
        _wait(served, folder / "gunicorn.log")
        yield served
    finally:
        server.terminate()
        server.wait(20)


def _wait(served: Served, log: Path) -> None:
    for _ in range(200):
        try:
            served.get("/health/")
            return
        except (OSError, RuntimeError):
            time.sleep(0.1)
    raise RuntimeError(f"gunicorn did not come up:\n{log.read_text()}")
