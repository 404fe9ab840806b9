"""How fast the board of an instance is at 12, 142 and 2,115 elements: `make bench-board` prints a line each.

Times are medians, over HTTP from gunicorn as it is deployed; the first request of each board is left out (it folds).
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

from board.log.tail import shared
from board.process.definition.table import ElementList, ProcessTable
from board.services import instances
from board.services.actor import anybody
from tests.bench.serving import Served, serving
from tests.views.boards import say

SIZES = (12, 142, 2115)
ROUNDS = 15
ROWS: list[dict[str, str | None]] = [
    {"task": "each", "name": "Each country", "collection": "country"},
    {"task": "delivery", "name": "Delivery", "role": "system", "parent": "each"},
    {"task": "validate", "name": "Validate", "role": "analyst", "parent": "each", "depends_on": "delivery"},
    {"task": "review", "name": "Review", "role": "analyst", "parent": "each", "depends_on": "validate", "due": "2d"},
    {"task": "approve", "name": "Approve", "role": "steward", "parent": "each", "depends_on": "review"},
]


def fill(store: Path, elements: int) -> str:
    """An instance of that many elements times four tasks, a third of it done; its id."""
    name = f"size-{elements}"
    tail = shared(store)
    listed = ElementList.from_rows(("country", "region"), [(f"Land {n}", f"Region {n % 12}") for n in range(elements)])
    instances.start(tail, anybody("olga"), "Bench", name, listed, table=ProcessTable.from_rows(ROWS))
    for n in range(elements):
        say(tail, "delivery", "done", f"Land {n}", instance=name)
        if n % 2:
            say(tail, "validate", "done", f"Land {n}", instance=name, actor="ana")
    return name


def median_ms(times: list[float]) -> float:
    return statistics.median(times) * 1000


def measure(served: Served, elements: int) -> dict[str, float]:
    """One board's figures: milliseconds, bytes, elements of HTML."""
    name = fill(served.store, elements)
    base = f"/instances/{name}/"
    for _ in range(6):  # both workers fold, import and compile their templates
        for path in ("", "sections/review/", "?text=land+7", "?status=open"):
            _, _, page = served.get(base + path)
    first = [served.get(base)[0] for _ in range(ROUNDS)]
    _, _, page = served.get(base)
    unfold = [served.get(f"{base}sections/review/", fragment=True)[1] for _ in range(ROUNDS)]
    text = [served.get(f"{base}?text=land+{n}")[1] for n in range(ROUNDS)]
    status = [served.get(f"{base}?status=open&f.region=Region+{n % 12}")[1] for n in range(ROUNDS)]
    position = re.search(rb'data-v="([^"]+)"', page)
    assert position is not None
    v = position[1].decode()
    idle = [served.get(f"{base}news/?v={v}", fragment=True)[1] for _ in range(ROUNDS)]
    event = []
    for n in range(ROUNDS):
        began = time.perf_counter()
        say(
            shared(served.store), "review", "doing", f"Land {1 + 2 * (n % (elements // 2))}", instance=name, actor="ben"
        )
        _, _, body = served.get(f"{base}news/?v={v}", fragment=True)
        event.append(time.perf_counter() - began)
        v = f"{v.rpartition('-')[0]}-{(served.store / 'events.jsonl').stat().st_size}"
        assert b'id="head"' in body
    return {
        "first byte": median_ms(first),
        "unfold 200": median_ms(unfold),
        "filter text": median_ms(text),
        "filter two": median_ms(status),
        "event": median_ms(event),
        "idle poll": median_ms(idle),
        "kB": len(page) / 1000,
        "elements": len(re.findall(rb"<[a-z]", page)),
    }


def main() -> int:
    """Print the table; 1 when a figure of the largest board is over its limit."""
    limits = {
        "first byte": 150,
        "unfold 200": 100,
        "filter text": 200,
        "filter two": 200,
        "event": 20,
        "kB": 150,
        "elements": 1500,
    }
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), 1) as served:
        found = {elements: measure(served, elements) for elements in SIZES}
        memory = served.memory_mb()
    print(
        "milliseconds, medians" + " " * 8 + "".join(f"{elements * 4:>10,} rows" for elements in SIZES) + "      limit"
    )
    for name in found[SIZES[0]]:
        cells = "".join(f"{found[elements][name]:>15.1f}" for elements in SIZES)
        print(f"{name:<24}     {cells} {limits.get(name, ''):>10}")
    print(f"memory of a worker with all three boards: {memory:.0f} MB")
    over = [name for name, limit in limits.items() if found[SIZES[-1]][name] > limit]
    if over:
        print(f"over the limit: {', '.join(over)}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
