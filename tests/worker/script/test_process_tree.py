"""Nothing of a script's processes survives its timeout, a stop, or its own end; and none holds the worker up."""

import os
import signal
import time

import pytest

from board.services import tasks
from board.services.actor import anybody
from board.services.tasks import Place
from tests.worker.site import Site, end, processes_with, wait_for

SHELL = {"role": "system", "script": "s.sh"}
# Each leaves a `sleep` behind that carries the test's own number of seconds, so it can be found.
BACKGROUND = "sleep {n} &"
DAEMON = "setsid sh -c 'trap \"\" TERM HUP; while :; do sleep {n}; done' </dev/null >/dev/null 2>&1 &"
DOUBLE_FORK = "sh -c 'setsid sleep {n} & exit 0'; sleep 0.05"
NOT_LISTENING = "(trap '' TERM INT HUP; sleep {n}; sleep {n}) &"
HOLDING_LOG = "setsid nohup sleep {n} &"
WITHOUT_ENVIRONMENT = "sh -c 'env -i setsid /bin/sleep {n} </dev/null >/dev/null 2>&1 & exit 0'; sleep 0.05"
FORKING = "(while :; do (sleep {n} &); sleep 0.005; done) &"
ESCAPES = {
    "in the background": BACKGROUND,
    "as a daemon that ignores TERM": DAEMON,
    "forked twice": DOUBLE_FORK,
    "not listening": NOT_LISTENING,
    "holding the log open": HOLDING_LOG,
    "without its environment": WITHOUT_ENVIRONMENT,
    "forking on and on": FORKING,
}


def unique() -> str:
    return f"3{os.getpid()}.{time.monotonic_ns() % 10**9}"


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
def test_a_timeout_takes_the_whole_tree(site: Site, escape: str) -> None:
    number = unique()
    site.script("s.sh", escape.format(n=number) + f"\nsleep {number}\n")
    site.start([{"task": "t", **SHELL, "timeout": "0.6"}])
    process = site.spawn(no_wait=True, grace_s=0.3)
    assert process.wait(60) == 3
    assert processes_with(number) == []
    assert site.values("error") == ["timeout after 0.6s"]


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
def test_what_a_script_leaves_behind_ends_with_it_and_holds_nobody_up(site: Site, escape: str) -> None:
    number = unique()
    site.script("s.sh", escape.format(n=number) + "\necho main is done\nexit 0\n")
    site.script("next.sh", "echo next")
    site.start([{"task": "t", **SHELL}, {"task": "next", "role": "system", "script": "next.sh", "depends_on": "t"}])
    process = site.spawn(no_wait=True)
    assert process.wait(60) == 0
    assert site.status("t") == "done"
    assert site.status("next") == "done"
    assert processes_with(number) == []
    assert "main is done" in site.log("t")


def test_a_script_beside_it_is_left_alone(site: Site) -> None:
    number = unique()
    site.script("leaves.sh", "setsid sleep 3000 & sleep 0.3")
    site.script(
        "other.sh", f"sh -c 'setsid sleep {number} & exit 0'; sleep 1.2; pgrep -f 'sleep {number}' && echo alive"
    )
    rows = [
        {"task": "other", "role": "system", "script": "other.sh"},
        {"task": "leaves", "role": "system", "script": "leaves.sh"},
    ]
    site.start(rows)
    assert site.spawn(no_wait=True).wait(60) == 0
    assert site.status("other") == "done"
    assert "alive" in site.log("other")
    assert processes_with(number) == []


def test_a_script_that_closes_its_output_and_lives_on_is_waited_for(site: Site) -> None:
    site.script("s.sh", "exec >&- 2>&-; sleep 0.5; touch finished")
    site.start([{"task": "t", **SHELL}])
    assert site.work() == 0
    assert (site.jobs / "finished").exists()


def test_a_script_may_end_by_any_signal(site: Site) -> None:
    harmless = {"SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU"}
    deadly = [number for number in signal.Signals if number.name not in harmless]
    site.script("s.sh", "kill -$PROC_PARAM_NUMBER $$; sleep 20")
    site.start([{"task": s.name, **SHELL, "timeout": "15", "params": f"number={s.value}"} for s in deadly])
    assert site.work() == 3
    assert {e.task: e.value for e in site.events(field="error")} == {s.name: f"ended by {s.name}" for s in deadly}


def test_a_stopped_script_is_still_ended_by_its_timeout(site: Site) -> None:
    site.script("s.sh", "kill -STOP $$")
    site.start([{"task": "t", **SHELL, "timeout": "0.3"}])
    assert site.work(grace_s=0.2) == 3
    assert site.values("error") == ["timeout after 0.3s"]


def test_a_script_that_ends_as_its_time_is_up_has_ended_or_timed_out_and_nothing_else(site: Site) -> None:
    site.script("s.sh", "sleep 0.0$((90 + $(echo $PROC_ELEMENT | tr -d e) % 20))")
    rows = [{"task": "each", "collection": "unit"}, {"task": "t", **SHELL, "parent": "each", "timeout": "0.1"}]
    site.start(rows, [f"e{n}" for n in range(40)])
    assert site.work(slots=4) in (0, 3)
    assert set(site.values("error")) <= {"timeout after 0.1s"}
    ended = [value for value in site.values("status", task="t") if value != "doing"]
    assert len(ended) == 40
    assert set(ended) <= {"done", "failed"}


def test_sigterm_lets_scripts_finish_and_starts_nothing_new(site: Site) -> None:
    site.script("s.sh", 'touch "$PROC_ARTIFACTS/started"; sleep 0.8; echo finished')
    site.start([{"task": "a", **SHELL}, {"task": "b", **SHELL, "depends_on": "a"}])
    process = site.spawn()
    wait_for(lambda: (site.store.artifacts("i") / "started").exists())
    process.terminate()
    assert process.wait(30) == 0
    assert site.status("a") == "done"
    assert site.status("b") == "open"
    assert "finished" in site.log("a")


def test_after_the_drain_scripts_are_ended_and_their_rows_are_open_again(site: Site) -> None:
    number = unique()
    site.script("s.sh", DAEMON.format(n=number) + f"\ntouch started; trap '' TERM; sleep {number}; sleep {number}")
    site.start([{"task": "t", **SHELL, "retry": "1"}])
    process = site.spawn(drain_s=0.3, grace_s=0.3)
    wait_for(lambda: (site.jobs / "started").exists())
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    assert processes_with(number) == []
    assert [(e.value, e.actor) for e in site.events(field="status")] == [
        ("doing", "worker"),
        ("open", "worker (stopped)"),
    ]
    assert site.values("error") == []
    site.script("s.sh", "exit 0")
    assert site.work() == 0
    assert site.values("attempt") == ["1", "2"]


def test_a_second_signal_ends_at_once(site: Site) -> None:
    site.script("s.sh", "trap '' TERM; touch started; while :; do sleep 0.1; done")
    site.start([{"task": "t", **SHELL}])
    process = site.spawn(drain_s=300.0, grace_s=300.0)
    wait_for(lambda: (site.jobs / "started").exists())
    process.terminate()
    wait_for(lambda: "stopping" in site.said)
    assert process.poll() is None
    process.terminate()
    assert process.wait(20) == 0
    assert site.events(field="status")[-1].actor == "worker (stopped)"


def test_the_worker_leaves_the_store_free_when_it_ends(site: Site) -> None:
    site.start([{"task": "t", "role": "boss"}])
    for _ in range(2):
        process = site.spawn()
        wait_for(lambda: "waiting for people on: t" in site.said)
        assert end(process) == 0
        (site.root / "worker.out").unlink()
    assert not site.store.worker_lock.exists()


@pytest.mark.parametrize("how", ["timeout", "failed by a person", "stop"])
def test_what_a_script_starts_to_clean_up_has_the_grace_for_it(site: Site, how: str) -> None:
    site.script("s.sh", "trap 'sleep 0.8; touch cleaned; exit 1' TERM; touch started; while :; do sleep 0.05; done")
    site.start([{"task": "t", "role": "system", "script": "s.sh", "timeout": "1" if how == "timeout" else ""}])
    with site.working(grace_s=8.0, drain_s=0.1, tick_s=0.05) as worker:
        wait_for(lambda: (site.jobs / "started").exists())
        if how == "failed by a person":
            tasks.fail(site.tail, "i", Place("t"), anybody("olga"), "it takes too long")
        elif how == "stop":
            worker.terminate()
        wait_for(lambda: (site.jobs / "cleaned").exists())
