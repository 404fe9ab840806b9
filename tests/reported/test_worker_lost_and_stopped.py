"""What users met when a worker was killed in the middle, and when a run was cancelled as it began."""

import subprocess
import time

from board.services import instances
from board.services.actor import anybody
from tests.worker.site import Site, processes_with, wait_for

BOSS = anybody("boss")
SCRIPT = {"role": "system", "script": "s.sh"}


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def test_only_what_ran_is_run_again_and_what_was_done_or_waited_costs_nothing(site: Site) -> None:
    """Users met: when a worker was lost in a task, the task before it was run again too.

    Work that was merely waiting on the lost worker spent its retries; after a kill the jobs stayed "doing" for ever,
    and what should rescue them got stuck the same way.
    """
    site.script("a.sh", "echo a >> ran")
    site.script("s.sh", 'echo "$PROC_ELEMENT $PROC_ATTEMPT" >> ran; test -e go || sleep 300')
    rows = [
        {"task": "a", "role": "system", "script": "a.sh"},
        {"task": "each", "collection": "unit", "depends_on": "a"},
        {"task": "b", **SCRIPT, "parent": "each", "retry": "1"},
    ]
    elements = [f"e{n}" for n in range(8)]
    site.start(rows, elements)
    process = site.spawn()
    wait_for(lambda: {"e0 1", "e1 1"} <= set(ran(site)))  # two of eight are running
    kill(process)
    (site.jobs / "go").touch()
    assert site.spawn(no_wait=True).wait(60) == 0
    assert ran(site)[0] == "a"
    assert ran(site).count("a") == 1
    assert {site.status("b", element) for element in elements} == {"done"}
    recovered = [e for e in site.events(task="b", field="status") if e.actor == "worker (recovered)"]
    assert [(e.element, e.attempt) for e in recovered] == [("e0", 1), ("e1", 1)]
    assert [e for e in site.events(task="b", field="status") if e.value == "failed"] == []
    assert sorted(ran(site)[1:]) == ["e0 1", "e0 2", "e1 1", "e1 2", *(f"e{n} 1" for n in range(2, 8))]


def ran(site: Site) -> list[str]:
    path = site.jobs / "ran"
    return path.read_text().splitlines() if path.exists() else []


def test_a_run_cancelled_as_it_begins_never_runs_on(site: Site) -> None:
    """Users met: a cancel sent right after the start was lost and the job ran on."""
    site.script("s.sh", "sleep 297.25; echo done")
    ids = [f"i{n}" for n in range(12)]
    site.start([{"task": "t", **SCRIPT}], instance="first")
    with site.working(slots=4, tick_s=0.05):
        wait_for(lambda: site.status("t", instance="first") == "doing")
        instances.cancel(site.tail, "first", BOSS, "wrong quarter")
        for n, instance in enumerate(ids):
            site.start([{"task": "t", **SCRIPT}, {"task": "u", **SCRIPT, "depends_on": "t"}], instance=instance)
            time.sleep(0.005 * (n % 6))  # before the worker picked it up, and right after
            instances.cancel(site.tail, instance, BOSS, "wrong quarter")
        wait_for(
            lambda: not processes_with("sleep\x00297.25") and all(site.status("t", instance=i) == "open" for i in ids)
        )
        time.sleep(0.2)
        assert processes_with("sleep\x00297.25") == []
    for instance in ids:
        assert site.instance(instance).state == "cancelled"
        assert len(site.events(instance, task="@instance", field="cancelled")) == 1
        finished = [e for e in site.events(instance, field="status") if e.value not in ("doing", "open")]
        assert finished == []
