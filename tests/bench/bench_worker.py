"""What a script costs: 500 that do nothing on 2 slots, beside `xargs -P2`; and whether 10,000 cost more each.

Run by `make bench-worker`. The rounds alternate, so both sides see the same machine; the best round of each counts.
Events are durable: every start and every finish is on disk before the worker goes on.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.services import instances
from board.services.actor import anybody
from worker.config import Config
from worker.loop import Worker
from worker.main import keep_to_ourselves

SLOTS = 2
ROWS = [
    {"task": "each", "name": "Each", "collection": "unit"},
    {"task": "nop", "name": "Nothing", "role": "system", "script": "nop.sh", "parent": "each"},
]


def main() -> None:
    """Print the ratio and the growth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scripts", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--many", type=int, default=10_000, help="elements of the second part, 0 to leave it out")
    parser.add_argument("--limit", type=float, help="exit 1 when the ratio is above this")
    options = parser.parse_args()
    keep_to_ourselves()
    with tempfile.TemporaryDirectory(prefix="bench-worker-") as name:
        scratch = Path(name)
        (scratch / "jobs").mkdir()
        (scratch / "jobs" / "nop.sh").write_text(":\n")
        ratio = compare(scratch, options.scripts, options.rounds)
        if options.many:
            growth(scratch, options.many)
    print(f"memory of the worker at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    if options.limit and ratio > options.limit:
        sys.exit(1)


def compare(scratch: Path, scripts: int, rounds: int) -> float:
    """Milliseconds a script, the best of some rounds each, and their ratio."""
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(run_xargs(scratch, scripts) / scripts * 1000)
        ours.append(run_worker(scratch, scripts)[0] / scripts * 1000)
    ratio = min(ours) / min(theirs)
    print(f"{scripts} scripts, {SLOTS} slots, best of {rounds}: worker {min(ours):.2f} ms a script,", end=" ")
    print(f"xargs -P{SLOTS} {min(theirs):.2f} ms, ratio {ratio:.2f} (rounds: {shown(ours)} against {shown(theirs)})")
    return ratio


def growth(scratch: Path, elements: int) -> None:
    """Time a script in the first and in the last tenth of many elements."""
    _, ends = run_worker(scratch, elements)
    tenth = len(ends) // 10
    first, last = (ends[tenth] - ends[0]) / tenth * 1000, (ends[-1] - ends[-1 - tenth]) / tenth * 1000
    print(
        f"{elements} elements: {first:.2f} ms a script in the first tenth, {last:.2f} in the last, {last / first:.2f} x"
    )


def run_worker(scratch: Path, elements: int) -> tuple[float, list[float]]:
    """Seconds from the first look to the end, and the times at which the logs of the scripts were made."""
    root = scratch / "store"
    shutil.rmtree(root, ignore_errors=True)
    store = Store(root).ensure()
    tail = Tail(open_log(store))
    ids = ElementList.from_ids([f"e{n}" for n in range(elements)])
    instances.start(tail, anybody("bench"), "Bench", "b", ids, table=ProcessTable.from_rows(ROWS))
    config = Config(store=root, jobs=scratch / "jobs", slots=SLOTS, instance="b", quiet=True)
    begun = time.perf_counter()
    code = Worker(config, tail, store).run()
    took = time.perf_counter() - begun
    instance = tail.get("b")
    assert code == 0
    assert instance is not None
    assert instance.state == "complete"
    return took, sorted(path.stat().st_mtime for path in (root / "b" / "logs").iterdir())


def run_xargs(scratch: Path, scripts: int) -> float:
    """Seconds for the same scripts, the output of each in a file of its own."""
    out = scratch / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    numbers = "\n".join(map(str, range(scripts)))
    line = f"sh {scratch}/jobs/nop.sh > {out}/{{}}.log 2>&1"
    begun = time.perf_counter()
    subprocess.run(["xargs", f"-P{SLOTS}", "-I{}", "sh", "-c", line], input=numbers, text=True, check=True)
    return time.perf_counter() - begun


def shown(times: list[float]) -> str:
    """Figures in a row."""
    return " ".join(f"{value:.2f}" for value in times)


if __name__ == "__main__":
    main()
