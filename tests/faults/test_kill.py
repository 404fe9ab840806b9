"""The worker is killed again and again while it works: nothing is lost, nothing is done twice, nothing is left."""

import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter

import pytest

from board.log.event import decode
from board.services import tasks
from board.services.actor import anybody
from board.services.tasks import Place
from tests.faults.conftest import scale
from tests.worker.site import Site, processes_with, wait_for
from worker.script import process_tree

# Each script holds a kernel lock of its row as long as any process of it lives: whoever cannot get it overlaps.
SCRIPT = """
row="$PROC_TASK@$PROC_ELEMENT"
exec 9>"$PROC_ARTIFACTS/lock-$row"
flock -n 9 || echo "$row $PROC_ATTEMPT" >> "$PROC_ARTIFACTS/overlaps"
echo "$row $PROC_ATTEMPT" >> "$PROC_ARTIFACTS/begun"
sleep 0.0$((PROC_ATTEMPT % 5 + 1)) &
wait
echo "$row $PROC_ATTEMPT" >> "$PROC_ARTIFACTS/ended"
echo "said by $row $PROC_ATTEMPT"
"""
FLAKY = SCRIPT + "test $((PROC_ATTEMPT % 3)) != 1\n"
CHECK = (
    SCRIPT
    + 'test "$PROC_ATTEMPT" -ge 3 && echo ::process-output status=true:: || echo ::process-output status=false::\n'
)
HALF = b'{"ts":"2026-11-29T10:00:00Z","instance":"i","task":"load","fie'


def story(site: Site, elements: int) -> int:
    """Start groups, retries, a check with its loop, a sequential group; returns the number of script rows."""
    for name, text in (("s.sh", SCRIPT), ("flaky.sh", FLAKY), ("check.sh", CHECK)):
        site.script(name, text)
    rows: list[dict[str, str]] = [
        {"task": "each", "collection": "unit"},
        {"task": "load", "script": "s.sh", "parent": "each"},
        {"task": "flaky", "script": "flaky.sh", "parent": "each", "depends_on": "load"},
        {"task": "line", "collection": "unit", "sequential": "yes", "depends_on": "each"},
        {"task": "one", "script": "s.sh", "parent": "line"},
        {"task": "check", "script": "check.sh", "depends_on": "line, fix"},
        {"task": "fix", "script": "s.sh", "depends_on": "check:false"},
        {"task": "publish", "script": "s.sh", "depends_on": "check:true"},
    ]
    # scripts are killed too: a killed one is tried again
    rows = [{**row, "role": "system", "retry": "90"} if "script" in row else row for row in rows]
    site.start(rows, [f"e{n}" for n in range(elements)])
    instance = site.instance()
    return sum(1 for row in range(instance.size) if instance.definition(row).is_script)


def test_a_run_survives_any_number_of_kills(site: Site) -> None:
    rows = story(site, scale(20, 200))
    chance = random.Random(20261129)
    kills = 0
    worker = site.spawn(slots=3, no_wait=True)
    while site.instance().state != "complete":
        if worker.poll() is not None:
            assert worker.returncode in (0, 3, -signal.SIGKILL), site.said
            retry_interrupted(site)
            worker = site.spawn(slots=3, no_wait=True)
        if kills < scale(9, 100):
            begun = len(site.events(field="attempt"))
            wait_for(lambda: worker.poll() is not None or len(site.events(field="attempt")) > begun, 120)  # noqa: B023
            time.sleep(chance.uniform(0.0, 0.15))
            kills += strike(worker, chance.choice(["worker", "worker", "script", "all"]))
        else:
            worker.wait(300)
    assert worker.wait(60) in (0, -signal.SIGKILL)
    assert site.spawn(slots=3, no_wait=True).wait(60) == 0
    assert kills >= scale(9, 100)
    print(f"{kills} kills, {len(site.events(field='attempt'))} attempts of {rows} rows")
    check_everything(site, rows)


def retry_interrupted(site: Site) -> None:
    """What was hit five times in a row has failed, as it should: an operator has it tried again."""
    instance = site.instance()
    for row in range(instance.size):
        if instance.status(row) == "failed":
            assert "interrupted 5 times in a row" in instance.value(row, "error"), site.said
            place = Place(instance.task_of(row), instance.element_of(row))
            tasks.retry(site.tail, "i", place, anybody("olga"))


def strike(worker: subprocess.Popen[str], whom: str) -> int:
    """Kill the worker, a script of it, or both at once."""
    scripts = [int(pid) for pid in children(worker.pid)]
    if whom != "worker":
        process_tree.send(scripts[:1] if whom == "script" else scripts, signal.SIGKILL)
    if whom != "script":
        worker.kill()
        worker.wait()
    return 1


def children(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return file.read().split()
    except OSError:
        return []


def check_everything(site: Site, rows: int) -> None:
    instance = site.instance()
    assert instance.state == "complete"
    assert not (site.store.artifacts("i") / "overlaps").exists()
    mark = str(site.store.root)
    assert processes_with(f"PROC_STORE={mark}") == []
    lines = site.store.events_path.read_bytes().splitlines(keepends=True)
    assert all(line.endswith(b"\n") for line in lines)
    events = [decode(line) for line in lines]
    assert all(type(event).__name__ == "Event" for event in events)
    check_attempts(site, rows)


def check_attempts(site: Site, rows: int) -> None:
    events = site.events()
    begun = [(e.task, e.element, e.attempt) for e in events if e.field == "attempt"]
    assert len(set(begun)) == len(begun)
    for task, element, attempt in begun:
        assert site.store.log_path("i", task, element, int(attempt)).exists()
    ended = Counter(
        (e.task, e.element, e.attempt)
        for e in events
        if e.field == "status" and e.attempt and e.value != "doing" and "(retry" not in e.actor
    )
    assert set(ended) == set(begun)  # each attempt came to exactly one end
    assert set(ended.values()) == {1}
    finished = Counter((e.task, e.element) for e in events if e.field == "status" and e.value == "done")
    assert len({(task, element) for task, element, _ in begun}) == rows
    assert all(count == 1 for (task, _), count in finished.items() if task != "fix")
    ran = set((site.store.artifacts("i") / "begun").read_text().splitlines())
    assert ran <= {f"{task}@{element} {attempt}" for task, element, attempt in begun}
    done = {f"{e.task}@{e.element} {e.attempt}" for e in events if e.field == "status" and e.value == "done"}
    assert done <= set((site.store.artifacts("i") / "ended").read_text().splitlines())


def finish_the_rest(site: Site) -> None:
    """Let one more worker do what is left."""
    while site.instance().state != "complete":
        retry_interrupted(site)
        assert site.spawn(slots=3, no_wait=True).wait(120) in (0, 3), site.said


def test_a_kill_of_the_whole_process_group_is_no_different(site: Site) -> None:
    rows = story(site, scale(4, 16))
    for _ in range(scale(2, 10)):
        retry_interrupted(site)
        worker = site.spawn(slots=3, no_wait=True, start_new_session=True)
        begun = len(site.events(field="attempt"))
        wait_for(lambda: len(site.events(field="attempt")) > begun or worker.poll() is not None, 60)  # noqa: B023
        time.sleep(0.1)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
    finish_the_rest(site)
    check_everything(site, rows)


def test_a_log_that_ends_in_half_a_line_loses_no_event(site: Site) -> None:
    rows = story(site, 3)
    for _ in range(scale(3, 20)):
        with site.store.events_path.open("ab") as file:
            file.write(HALF)
        worker = site.spawn(slots=2, no_wait=True)
        time.sleep(0.5)
        worker.kill()
        worker.wait()
    finish_the_rest(site)
    lines = site.store.events_path.read_bytes().splitlines()
    torn = [line for line in lines if type(decode(line)).__name__ != "Event"]
    assert all(set(line.split(HALF)) == {b""} for line in torn)
    check_attempts(site, rows)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_script_that_is_killed_has_failed_and_is_tried_again(site: Site, number: signal.Signals) -> None:
    site.script("s.sh", f'test "$PROC_ATTEMPT" = 1 && kill -{number.value} $$; exit 0')
    site.start([{"task": "t", "role": "system", "script": "s.sh", "retry": "1"}])
    assert site.work() == 0
    assert site.values("error") == [f"ended by {number.name}"]
