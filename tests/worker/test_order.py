"""In which order scripts are served, and what happens to a row besides."""

import itertools
import sys
import time

from board.log.event import Event
from board.services import tasks
from board.services.tasks import Place
from tests.worker.site import BOSS, SHELL, Site, wait_for

SPAN = f"""#!{sys.executable}
import os, time
begun = time.monotonic()
time.sleep(0.1)
row = os.environ["PROC_TASK"] + "@" + os.environ["PROC_ELEMENT"]
with open(os.environ["PROC_ARTIFACTS"] + "/spans", "a") as file:
    file.write(f"{{begun}} {{time.monotonic()}} {{row}}\\n")
"""


def read_spans(site: Site) -> list[tuple[float, float, str]]:
    lines = (site.store.artifacts("i") / "spans").read_text().splitlines()
    return [(float(a), float(b), row) for a, b, row in (line.split() for line in lines)]


def test_a_sequential_group_runs_one_script_at_a_time_and_the_earlier_element_first(site: Site) -> None:
    site.script("s.py", SPAN)
    rows = [
        {"task": "each", "collection": "unit", "sequential": "yes"},
        {"task": "a", "role": "system", "script": "s.py", "parent": "each"},
        {"task": "b", "role": "system", "script": "s.py", "parent": "each", "depends_on": "a"},
    ]
    site.start(rows, ["1", "2", "3"])
    site.work(slots=4)
    spans = sorted(read_spans(site))
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))
    assert [span[2] for span in spans] == ["a@1", "b@1", "a@2", "b@2", "a@3", "b@3"]


def test_slots_are_shared_over_instances(site: Site) -> None:
    site.script("s.py", SPAN)
    rows = [{"task": "each", "collection": "unit"}, {"task": "t", "role": "system", "script": "s.py", "parent": "each"}]
    site.start(rows, [str(n) for n in range(12)], instance="long")
    site.start(rows, ["x", "y"], instance="short")
    site.work(slots=2)
    order = [e.instance for e in site.events("", field="attempt")]
    assert "short" in order[:2]
    assert order[:4].count("short") == 2


def test_as_many_scripts_run_at_a_time_as_there_are_slots(site: Site) -> None:
    site.script("s.py", SPAN)
    rows = [{"task": "each", "collection": "unit"}, {"task": "t", "role": "system", "script": "s.py", "parent": "each"}]
    site.start(rows, [str(n) for n in range(9)])
    site.work(slots=3)
    spans = read_spans(site)
    most = max(sum(1 for other in spans if other[0] <= span[0] < other[1]) for span in spans)
    assert most == 3


def test_a_check_and_its_loop_run_on_until_the_answer_is_true(site: Site) -> None:
    site.script(
        "check.sh",
        'test "$PROC_ATTEMPT" = 3 && echo ::process-output status=true:: || echo ::process-output status=false::',
    )
    site.script("fix.sh", "echo fixed")
    rows = [
        {"task": "check", "role": "system", "script": "check.sh", "depends_on": "fix"},
        {"task": "fix", "role": "system", "script": "fix.sh", "depends_on": "check:false"},
        {"task": "end", "role": "system", "script": "fix.sh", "depends_on": "check:true"},
    ]
    site.start(rows)
    assert site.work() == 0
    assert site.status("end") == "done"
    assert [e.value for e in site.events(task="check", field="status") if e.value not in ("doing", "open")] == [
        "false",
        "false",
        "true",
    ]


def test_a_loop_of_scripts_alone_stops_after_a_hundred_rounds(site: Site) -> None:
    site.script("s.sh", "echo ::process-output status=false::")
    rows = [
        {"task": "check", **SHELL, "depends_on": "fix"},
        {"task": "fix", **SHELL, "depends_on": "check:false"},
    ]
    site.start(rows)
    assert site.work() == 3
    assert site.status("check") == "failed"
    assert len([e for e in site.events(task="check", field="status") if e.value == "false"]) == 100
    assert "100 rounds" in site.values("error", task="check")[0]


def test_rows_no_longer_needed_are_not_run(site: Site) -> None:
    site.script("s.sh", "sleep 0.7")
    rows = [
        {"task": "each", "collection": "unit", "complete_when": "1"},
        {"task": "t", **SHELL, "parent": "each"},
        {"task": "after", **SHELL, "depends_on": "each"},
    ]
    site.start(rows, [str(n) for n in range(6)])
    assert site.work(slots=1) == 0
    assert site.status("after") == "done"
    assert len(site.values("attempt", task="t")) < 4


def test_a_finish_of_another_program_is_followed_by_what_it_left_out(site: Site) -> None:
    rows = [
        {"task": "draft", "role": "boss", "depends_on": "qa:false"},
        {"task": "qa", "role": "boss", "depends_on": "draft"},
    ]
    site.start(rows)
    now = "2026-11-29T10:00:00Z"
    site.append(Event(now, "i", "draft", "status", "done", "ana"), Event(now, "i", "qa", "status", "false", "ben"))
    site.work()
    last = site.events(task="draft", field="status")[-1]
    assert (last.value, last.actor) == ("open", "ben (re-arm)")
    site.work()
    assert len([e for e in site.events(task="draft") if "re-arm" in e.actor]) == 1


def test_a_row_finished_by_somebody_is_late_for_its_script(site: Site) -> None:
    site.script("s.sh", "touch started; sleep 30")
    site.start([{"task": "t", **SHELL}])
    with site.working() as process:
        wait_for(lambda: (site.jobs / "started").exists())
        tasks.fail(site.tail, "i", Place("t"), BOSS, "enough")
        wait_for(lambda: site.values("late"))
        assert process.poll() is None
    assert site.values("late") == ["failed"]
    assert site.status("t") == "failed"
    assert site.events(task="t", field="status")[-1].actor == "boss"


def test_a_cancelled_instance_ends_its_scripts_and_opens_nothing(site: Site) -> None:
    from board.services import instances

    site.script("s.sh", "touch started; sleep 30")
    site.script("quick.sh", ":")
    site.start([{"task": "t", **SHELL}, {"task": "u", "role": "system", "script": "quick.sh", "depends_on": "t"}])
    with site.working():
        wait_for(lambda: (site.jobs / "started").exists())
        instances.cancel(site.tail, "i", BOSS, "wrong quarter")
        wait_for(lambda: site.status("t") == "open")
        site.message("m", task="u", instance="i")
        wait_for(lambda: (site.store.failed / "m.json.error").exists())
        (site.jobs / "s.sh").write_text(":")
        instances.resume(site.tail, "i", BOSS)
        wait_for(lambda: site.status("u") == "done")
    assert site.values("late") == ["failed"]


def test_work_wakes_at_once_for_events_and_for_messages(site: Site) -> None:
    site.script("s.sh", "date +%s.%N")
    rows = [{"task": "go", "role": "boss"}, {"task": "t", **SHELL, "depends_on": "go"}]
    rows += [{"task": "come", "role": "system"}, {"task": "u", **SHELL, "depends_on": "come"}]
    site.start(rows)
    with site.working(tick_s=30.0):
        wait_for(lambda: "waiting for people on: go" in site.said)
        begun = time.time()
        tasks.finish(site.tail, "i", Place("go"), BOSS)
        wait_for(lambda: site.status("t") == "done")
        assert float(site.log("t")) - begun < 10
        begun = time.time()
        site.message("m", task="come")
        wait_for(lambda: site.status("u") == "done")
        assert float(site.log("u")) - begun < 10
