"""How fast the event log is, beside a floor measured in the same run: `make bench-log`.

Appending: N threads that each append one event and wait for the disk, beside a bare loop that writes the same
bytes and flushes each. Cold start: a log of 300,000 events over 500 instances, beside a bare read of the file.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from board.log import sync
from board.log.event import Event, encode
from board.log.file import open_log
from board.log.tail import Tail
from tests.log.writing import NOW, start

EVENTS = int(os.environ.get("BENCH_EVENTS", "300000"))
INSTANCES = 500


def one(n: int) -> Event:
    return Event(NOW, f"i{n % INSTANCES}", "review", "status", "done", "ana", f"e{n % 100}")


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def together(count: int, work: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=work, args=[n]) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def bench_append(folder: Path, threads: int, total: int, flush_s: float) -> None:
    """`flush_s`: what a flush takes more than here, as on a slower disk."""
    lines = [encode(one(n)) for n in range(total)]

    def flush(fd: int) -> None:
        os.fdatasync(fd)
        time.sleep(flush_s)

    def bare() -> None:
        fd = os.open(folder / "floor", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for line in lines:
            os.write(fd, line)
            flush(fd) if flush_s else os.fdatasync(fd)
        os.close(fd)

    log = open_log(Path(tempfile.mkdtemp(dir=folder)))
    log.append([one(0)])

    def append(thread: int) -> None:
        for n in range(thread, total, threads):
            log.append([one(n)])

    sync._flush = flush if flush_s else os.fdatasync
    floor, ours = timed(bare), timed(lambda: together(threads, append))
    disk = f"+{flush_s * 1000:.0f} ms a flush" if flush_s else "this disk"
    print(
        f"append, {disk:14} {threads:3} threads: {total / ours:7.0f} events/s, {log.sync.flushes - 1:4} flushes;"
        f" bare write+flush {total / floor:7.0f}/s; time ratio {ours / floor:.2f}"
    )


def memory_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def bench_cold(folder: Path) -> None:
    log = open_log(folder / "big")
    log.append([event for n in range(INSTANCES) for event in start(f"i{n}", *(f"e{e}" for e in range(100)))])
    shuffle = random.Random(1)
    for first in range(0, EVENTS, 10_000):
        log.append([one(shuffle.randrange(50_000)) for _ in range(first, min(first + 10_000, EVENTS))])
    floor = timed(log.path.read_bytes)
    before = memory_mb()
    tail = Tail(log)
    scan = timed(tail.refresh)
    grown = memory_mb() - before
    position = tail.refresh()
    first_page, fold = timed(lambda: tail.history("i7", limit=100)), timed(lambda: tail.get("i7"))
    rare, all_of = timed(lambda: tail.history("i7", task="none")), timed(lambda: tail.history(limit=100))
    log.append([one(7)])
    news, rest = timed(tail.refresh), timed(lambda: [tail.refresh() for _ in range(1000)]) / 1000
    size = position.offset / 1e6
    print(
        f"cold start, {EVENTS} events, {INSTANCES} instances, {size:.0f} MB: {scan:.2f} s, {grown:.0f} MB more memory;"
    )
    print(f"  a bare read {floor * 1000:.0f} ms: ratio {scan / floor:.0f}; {scan / EVENTS * 1e6:.2f} us an event")
    print(f"  folding one instance of {len(tail.seqs('i7'))} events {fold * 1000:.1f} ms; a page of its history")
    print(
        f"  {first_page * 1000:.1f} ms, of all instances {all_of * 1000:.1f} ms, one with no match {rare * 1000:.1f} ms"
    )
    print(f"  a look with one new event {news * 1e6:.0f} us, with none {rest * 1e6:.1f} us")


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        for threads in (1, 2, 8, 32):
            bench_append(Path(name), threads, 2000, 0)
        for threads in (1, 8, 32):
            bench_append(Path(name), threads, 400, 0.005)
        bench_cold(Path(name))


if __name__ == "__main__":
    main()
