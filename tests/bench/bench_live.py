"""Hundreds of people watching one board: `make bench-live` prints how late they see what others do, and what it costs.

Every watcher has a login and a connection of its own and asks once a second, like js/shared/live.js. The load runs in
processes of its own; what is counted is gunicorn's processor time alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from board.log.tail import shared
from tests.bench.bench_board import fill
from tests.bench.serving import ROOT, Served, serving
from tests.views.boards import say

PERIOD_S = 1.0
WARM_S = 4.0  # five hundred connections opened at once are a storm of their own: not counted, in any column


@dataclass
class Watcher:
    """One open tab: what it shows, when it saw a position for the first time, how long the answers took."""

    v: str
    seen: list[tuple[float, int]] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    lost: int = 0

    async def watch(self, port: int, path: str, session: str, until: float, first: float) -> None:
        """Ask every second until the time is over; answers count once everybody is there."""
        warm = first + WARM_S
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        at = first
        while at < until:
            await asyncio.sleep(max(0.0, at - time.time()))
            began = time.time()
            writer.write(
                f"GET {path}?v={self.v} HTTP/1.1\r\nHost: 127.0.0.1\r\nHX-Request: true\r\n"
                f"Cookie: foldboard_session={session}\r\n\r\n".encode()
            )
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, ConnectionError):
                self.lost += 1
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                continue
            lines = (line.partition(":") for line in head.decode().split("\r\n"))
            headers = {name.lower(): value.strip() for name, _, value in lines}
            if int(headers.get("content-length", "0")):
                await reader.readexactly(int(headers["content-length"]))
            ended = time.time()
            if began > warm:
                self.answers.append(ended - began)
            now = headers.get("x-position", self.v)
            if now != self.v:
                self.v = now
                self.seen.append((ended, int(now.rpartition("-")[2])))
            at = max(at + PERIOD_S, ended)
        writer.close()


async def _load(port: int, path: str, v: str, sessions: list[str], seconds: float) -> list[Watcher]:
    watchers = [Watcher(v) for _ in sessions]
    start = time.time() + 0.5
    dice = random.Random(4)
    await asyncio.gather(
        *(
            each.watch(port, path, session, start + seconds, start + dice.random() * PERIOD_S)
            for each, session in zip(watchers, sessions, strict=True)
        )
    )
    return watchers


def watch(served: Served, path: str, v: str, seconds: float) -> subprocess.Popen[str]:
    """The watchers in a process of their own."""
    command = [sys.executable, "-m", "tests.bench.bench_live", "--watch"]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write(json.dumps([served.port, path, v, served.sessions, seconds]))
    process.stdin.close()
    return process


def _watching() -> int:
    watchers = asyncio.run(_load(*json.loads(sys.stdin.read())))
    print(json.dumps([[w.seen, w.answers, w.lost] for w in watchers]))
    return 0


def phase(served: Served, name: str, seconds: int, events: bool) -> dict[str, float]:
    """Watch for some seconds, with an event a second or none; the figures."""
    base, events_path = f"/instances/{name}/", served.store / "events.jsonl"
    v = str(shared(served.store).refresh())
    process = watch(served, f"{base}news/", v, seconds)
    time.sleep(1.5 + WARM_S)
    cpu, began = served.cpu_s(), time.time()
    appended: list[tuple[float, int]] = []
    for n in range(seconds - 3 - int(WARM_S)):
        if events:
            say(shared(served.store), "review", "doing", f"Land {1 + 2 * n}", instance=name, actor="ben")
            appended.append((time.time(), events_path.stat().st_size))
        time.sleep(max(0.0, began + n + 1 - time.time()))
    used = (served.cpu_s() - cpu) / (time.time() - began)
    assert process.stdout is not None
    found = json.loads(process.stdout.read())
    process.wait()
    delays = [
        next((seen - at for seen, position in watcher[0] if position >= offset), 99.0)
        for at, offset in appended
        for watcher in found
    ]
    answers = [took for watcher in found for took in watcher[1]]
    return {
        "answers": len(answers),
        "lost": sum(watcher[2] for watcher in found),
        "answer p50 ms": statistics.median(answers) * 1000,
        "answer p95 ms": statistics.quantiles(answers, n=20)[-1] * 1000,
        "seen p50 s": statistics.median(delays) if delays else 0,
        "seen p95 s": statistics.quantiles(delays, n=20)[-1] if delays else 0,
        "seen worst s": max(delays, default=0),
        "cpu % of one core": used * 100,
    }


def main() -> int:
    """Print both phases; 1 when a figure is over its limit."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--watch", action="store_true")
    parser.add_argument("--watchers", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=37)
    parser.add_argument("--elements", type=int, default=142)
    options = parser.parse_args()
    if options.watch:
        return _watching()
    bare = "tests.bench.floor"
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), options.watchers, application=bare) as served:
        floor = phase(served, "floor", 17, events=False)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), options.watchers) as served:
        name = fill(served.store, options.elements)
        for _ in range(8):
            served.get(f"/instances/{name}/")
        idle = phase(served, name, 17, events=False)
        busy = phase(served, name, options.seconds, events=True)
    limits = {"answer p95 ms": 20, "seen p95 s": 1.1, "cpu % of one core": 40}
    print(f"{options.watchers} watchers of {options.elements * 4} rows, asking each second, gunicorn with 2 workers")
    print(f"{'':<20}{'bare WSGI':>10}{'idle':>10}{'an event a second':>20}{'limit':>8}")
    for key, value in busy.items():
        print(f"{key:<20}{floor[key]:>10.2f}{idle[key]:>10.2f}{value:>20.2f}{limits.get(key, ''):>8}")
    over = [key for key, limit in limits.items() if busy[key] > limit]
    if over:
        print(f"over the limit: {', '.join(over)}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
