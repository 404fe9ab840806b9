"""Which instances a worker keeps in mind: those with work; the others it folds again when the log moves them."""

import pytest

from board.log.event import Event
from tests.worker.site import Site
from worker import instances
from worker.loop import Worker

NOW = "2026-11-29T10:00:00Z"
ROWS = [
    {"task": "go", "role": "boss"},
    {"task": "t", "role": "system", "script": "s.sh", "depends_on": "go"},
]


def warm(worker: Worker) -> list[str]:
    return sorted(name for name, stream in worker.tail._streams.items() if stream.warm is not None)


def turn_until_idle(worker: Worker) -> None:
    while True:
        now = worker._clock()
        again = worker.turn(now)
        if not again and worker.verdict(now) is not None and not worker.running.runs:
            return
        if not again:
            worker._wait(now)


def test_what_is_complete_or_cancelled_leaves_the_memory_and_comes_back_when_it_is_moved(site: Site) -> None:
    site.script("s.sh", "exit 0")
    for n in range(12):
        site.start(ROWS, instance=f"i{n}")
        if n < 10:
            site.append(Event(NOW, f"i{n}", "go", "status", "done", "boss"))
    site.append(Event(NOW, "i10", "@instance", "cancelled", "wrong", "boss"))
    worker = site.worker(no_wait=True)
    turn_until_idle(worker)
    assert all(site.status("t", instance=f"i{n}") == "done" for n in range(10))
    assert warm(worker) == ["i11"]
    site.append(
        Event(NOW, "i3", "t", "status", "open", "boss"), Event(NOW, "i10", "@instance", "cancelled", "", "boss")
    )
    site.append(Event(NOW, "i10", "go", "status", "done", "boss"))
    turn_until_idle(worker)
    assert len(site.values("attempt", instance="i3")) == 2
    assert site.status("t", instance="i10") == "done"


def test_of_what_waits_only_so_much_is_kept_and_all_of_it_is_served(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instances, "MOST_WEIGHT", 40)
    site.script("s.sh", "exit 0")
    for n in range(30):
        site.start(ROWS, instance=f"i{n}")
    worker = site.worker(no_wait=True)
    turn_until_idle(worker)
    assert 1 <= len(warm(worker)) < 10
    for n in range(30):
        site.append(Event(NOW, f"i{n}", "go", "status", "done", "boss"))
    turn_until_idle(worker)
    assert all(site.status("t", instance=f"i{n}") == "done" for n in range(30))


def test_a_log_that_is_replaced_is_looked_at_anew(site: Site) -> None:
    site.script("s.sh", "exit 0")
    site.start(ROWS, instance="old")
    worker = site.worker(no_wait=True)
    turn_until_idle(worker)
    site.store.events_path.unlink()
    site.start(ROWS, instance="new")
    site.append(Event(NOW, "new", "go", "status", "done", "boss"))
    turn_until_idle(worker)
    assert site.status("t", instance="new") == "done"
    assert list(worker.served.standings()) == ["new"]
