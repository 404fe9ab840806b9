"""A worker that was killed: what it left is ended and put right once, however often the next one is killed too."""

import os
import signal
import subprocess
import time

import pytest

from board.log.event import Event
from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.services import attempts, tasks
from board.services.actor import anybody
from board.services.tasks import Place
from tests.worker.site import Site, processes_with, wait_for
from worker.recover import Marks, end_orphans

SHELL = {"role": "system", "script": "s.sh"}
LONG = 'echo "begin $PROC_ATTEMPT" >> ran; touch started; sleep {n}; echo "end $PROC_ATTEMPT" >> ran'


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def statuses(site: Site, task: str = "t") -> list[tuple[str, str]]:
    return [(e.value, e.actor) for e in site.events(task=task, field="status")]


def test_a_lost_attempt_is_recorded_once_and_its_orphan_ended_before_the_next_begins(site: Site) -> None:
    site.script("s.sh", LONG.format(n=3599.5))
    site.start([{"task": "t", **SHELL}])
    first = site.spawn()
    wait_for(lambda: (site.jobs / "started").exists())
    kill(first)
    assert processes_with("sleep\x003599.5")
    site.script("s.sh", LONG.format(n=0.1))
    assert site.spawn(no_wait=True).wait(60) == 0
    assert processes_with("sleep\x003599.5") == []
    assert statuses(site) == [
        ("doing", "worker"),
        ("open", "worker (recovered)"),
        ("doing", "worker"),
        ("done", "worker"),
    ]
    assert (site.jobs / "ran").read_text() == "begin 1\nbegin 2\nend 2\n"
    assert site.log("t", attempt=1) == site.log("t", attempt=2) == ""


def test_an_orphan_that_threw_its_environment_away_is_found_by_its_log(site: Site) -> None:
    site.script("s.sh", "touch started; exec env -i /bin/sleep 3598.25")
    site.start([{"task": "t", **SHELL}])
    first = site.spawn()
    wait_for(lambda: processes_with("3598.25") and (site.jobs / "started").exists())
    kill(first)
    site.script("s.sh", "exit 0")
    assert site.spawn(no_wait=True).wait(60) == 0
    assert processes_with("3598.25") == []


def test_killed_again_and_again_while_it_recovers_it_records_each_lost_attempt_once(site: Site) -> None:
    site.script("s.sh", "touch started; trap '' TERM; sleep 5; sleep 5")
    rows = [{"task": f"t{n}", **SHELL, "retry": "2"} for n in range(3)]
    site.start(rows)
    first = site.spawn(slots=3)
    wait_for(lambda: len(site.values("attempt")) == 3)
    kill(first)
    for wait_s in (0.15, 0.25, 0.35, 0.45):  # the orphans ignore TERM, so recovery takes the grace
        next_one = site.spawn(slots=3, no_wait=True, grace_s=0.2)
        time.sleep(wait_s)
        kill(next_one)
    site.script("s.sh", "exit 0")
    assert site.spawn(slots=3, no_wait=True, grace_s=0.2).wait(60) == 0
    for n in range(3):
        events = site.events(task=f"t{n}", field="status")
        begun = [e.attempt for e in events if e.value == "doing"]
        lost = [e.attempt for e in events if e.actor == "worker (recovered)"]
        assert begun == list(range(1, len(begun) + 1))
        assert lost == begun[:-1]
        assert events[-1].value == "done"
        assert not [e for e in events if "retry" in e.actor]


def test_after_five_lost_attempts_in_a_row_the_row_fails(site: Site) -> None:
    site.script("s.sh", "kill -9 $PPID; sleep 5")
    site.start([{"task": "t", **SHELL, "retry": "3"}, {"task": "u", "role": "system", "script": "u.sh"}])
    site.script("u.sh", "exit 0")
    codes = [site.spawn(slots=1, no_wait=True).wait(60) for _ in range(6)]
    assert codes == [-signal.SIGKILL] * 5 + [3]
    assert site.status("t") == "failed"
    assert site.values("attempt", task="t") == ["1", "2", "3", "4", "5"]
    assert "interrupted 5 times in a row" in site.values("error", task="t")[0]
    assert site.status("u") == "done"


def test_an_interrupted_attempt_costs_no_retry(site: Site) -> None:
    site.script("s.sh", 'test "$PROC_ATTEMPT" = 2 && kill -9 $PPID && sleep 5; exit 1')
    site.start([{"task": "t", **SHELL, "retry": "1"}])
    assert site.spawn(no_wait=True).wait(60) == -signal.SIGKILL
    assert site.spawn(no_wait=True).wait(60) == 3
    assert [actor for _, actor in statuses(site) if actor != "worker"] == ["worker (retry 1/1)", "worker (recovered)"]
    assert site.values("attempt") == ["1", "2", "3"]


def test_recovery_called_twice_on_one_log_appends_once(site: Site) -> None:
    site.script("s.sh", "exit 0")
    site.start([{"task": "t", **SHELL}])
    with site.tail.acting() as acting:
        instance = site.instance()
        assert attempts.begin(acting, attempts.next_attempt(instance, 0), "code")
    lost = attempts.lost(site.instance())
    assert [a.number for a in lost] == [1]
    for tail in (site.tail, Tail(open_log(site.store))):
        with tail.acting() as acting:
            attempts.recover(acting, lost[0])
    assert len([a for _, a in statuses(site) if a == "worker (recovered)"]) == 1
    assert attempts.lost(site.instance()) == []


@pytest.mark.parametrize("actor", ["ana", "worker"])
def test_a_row_somebody_else_is_at_is_no_lost_attempt(site: Site, actor: str) -> None:
    site.start([{"task": "t", **SHELL}])
    site.append(Event("2026-11-29T10:00:00Z", "i", "t", "status", "doing", actor))
    assert site.work() == 0
    assert statuses(site) == [("doing", actor)]


def test_the_marks_of_a_copied_store_are_others(site: Site) -> None:
    import shutil

    site.start([{"task": "t", **SHELL}])
    attempt = attempts.next_attempt(site.instance(), 0)
    mark = Marks(site.store).of(attempt)
    assert Marks(Store(site.store.root)).of(attempt) == mark
    copy = shutil.copytree(site.store.root, site.root / "copy")
    assert Marks(Store(copy)).of(attempt) != mark


def test_what_cannot_be_ended_is_reported_and_not_started_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.start([{"task": "t", **SHELL}])
    marks = Marks(site.store)
    attempt = attempts.next_attempt(site.instance(), 0)
    monkeypatch.setattr("worker.recover.GIVE_UP_S", 0.2)
    monkeypatch.setattr("worker.script.process_tree.send", lambda pids, _: set(pids))  # as if it were another account's
    script = subprocess.Popen(["sleep", "60"], env={"PROC_RUN": marks.of(attempt)})
    try:
        assert end_orphans(marks, [attempt], 0.1) == [(attempt, [script.pid])]
    finally:
        script.kill()
        script.wait()


def test_a_script_whose_row_was_reopened_while_no_worker_ran_is_ended_before_the_next_begins(site: Site) -> None:
    site.script("s.sh", LONG.format(n=3597.75))
    site.start([{"task": "t", **SHELL}])
    first = site.spawn()
    wait_for(lambda: (site.jobs / "started").exists())
    kill(first)
    tasks.reopen(site.tail, "i", Place("t"), anybody("olga"), "again")
    site.script("s.sh", "exit 0")
    assert site.spawn(no_wait=True).wait(60) == 0
    assert processes_with("3597.75") == []
    assert site.values("attempt") == ["1", "2"]


def test_a_row_reopened_while_its_script_will_not_end_waits_for_that_end(site: Site) -> None:
    overlap = 'flock -n 9 || echo overlap; echo "$PROC_ATTEMPT" >> ran'
    site.script(
        "s.sh",
        f'trap "" TERM; exec 9>lock; {overlap}; test "$PROC_ATTEMPT" = 2 && exit 0; while :; do sleep 0.05; done',
    )
    site.start([{"task": "t", **SHELL}])
    with site.working(grace_s=1.0):
        wait_for(lambda: (site.jobs / "ran").exists())
        tasks.reopen(site.tail, "i", Place("t"), anybody("olga"), "again")
        wait_for(lambda: site.status("t") == "done")
    assert site.log("t", attempt=2) == ""
    assert site.values("late") == ["failed"]


def test_a_script_that_is_signalled_together_with_its_worker_was_stopped(site: Site) -> None:
    site.script("s.sh", "touch started; exec sleep 3598.5")
    site.start([{"task": "t", **SHELL}])
    worker = site.spawn(start_new_session=True)
    wait_for(lambda: processes_with("sleep\x003598.5"))
    for pid in (*processes_with("sleep\x003598.5"), worker.pid):  # the script first: the worker sees its end at once
        os.kill(pid, signal.SIGTERM)
    assert worker.wait(30) == 0
    assert statuses(site) == [("doing", "worker"), ("open", "worker (stopped)")]


def test_a_script_that_ends_itself_by_a_signal_has_failed(site: Site) -> None:
    site.script("s.sh", "kill -TERM $$")
    site.start([{"task": "t", **SHELL}])
    assert site.work() == 3
    assert statuses(site) == [("doing", "worker"), ("failed", "worker")]


def test_attempts_of_other_programs_are_counted_and_their_logs_never_written_over(site: Site) -> None:
    site.script("s.sh", "echo ours")
    site.start([{"task": "t", **SHELL}])
    path = site.store.log_path("i", "t", "", 1)
    path.parent.mkdir(parents=True)
    path.write_text("theirs\n")
    for field, value in (("status", "doing"), ("attempt", "1"), ("log", "i/logs/t-1.log"), ("status", "open")):
        site.tail.log.append([Event("2026-11-29T12:00:00Z", "i", "t", field, value, "other")])
    site.work()
    assert path.read_text() == "theirs\n"
    assert site.log("t", attempt=2) == "ours\n"
    assert site.values("attempt") == ["1", "2"]


def test_a_log_that_no_event_speaks_of_is_not_written_over(site: Site) -> None:
    site.script("s.sh", "echo ours")
    site.start([{"task": "t", **SHELL}])
    path = site.store.log_path("i", "t", "", 1)
    path.parent.mkdir(parents=True)
    path.write_text("theirs\n")
    site.work()
    assert path.read_text() == "theirs\n"
    assert site.log("t", attempt=2) == "ours\n"


def test_a_line_of_an_old_attempt_neither_ends_nor_finishes_a_running_one(site: Site) -> None:
    site.script("s.sh", "touch started; while [ ! -f go ]; do sleep 0.05; done")
    site.start([{"task": "t", **SHELL}])
    site.tail.log.append([Event("2026-11-29T12:00:00Z", "i", "t", "attempt", "4", "other")])
    with site.working(tick_s=0.05):
        wait_for(lambda: (site.jobs / "started").exists())
        late = Event("2026-11-29T12:00:01Z", "i", "t", "status", "done", "worker", attempt="3")
        site.tail.log.append([late])
        time.sleep(0.5)
        assert site.status("t") == "doing"
        (site.jobs / "go").touch()
        wait_for(lambda: site.status("t") == "done")
    assert site.values("attempt") == ["4", "5"]


def test_a_number_that_another_program_gives_meanwhile_hides_neither_a_finish_nor_a_loss(site: Site) -> None:
    site.script("s.sh", "touch started; while [ ! -f go ]; do sleep 0.05; done")
    site.start([{"task": "t", **SHELL}])
    number = Event("2026-11-29T12:00:00Z", "i", "t", "attempt", "9", "other")
    first = site.spawn()
    wait_for(lambda: (site.jobs / "started").exists())
    site.tail.log.append([number])
    kill(first)
    with site.working(tick_s=0.05):
        wait_for(lambda: site.values("attempt") == ["1", "9", "10"])
        site.tail.log.append([number])
        (site.jobs / "go").touch()
        wait_for(lambda: site.status("t") == "done")


def test_a_script_that_takes_its_worker_down_fails_alone(site: Site) -> None:
    site.script("guilty.sh", "sleep 0.2; kill -9 $PPID; sleep 5")
    site.script("s.sh", "sleep 0.6")
    rows = [{"task": f"t{n}", **SHELL} for n in range(3)]
    site.start([{"task": "guilty", "role": "system", "script": "guilty.sh"}, *rows])
    for _ in range(12):
        if site.spawn(slots=4, no_wait=True).wait(60) != -signal.SIGKILL:
            break
    assert site.status("guilty") == "failed"
    assert [site.status(f"t{n}") for n in range(3)] == ["done"] * 3
