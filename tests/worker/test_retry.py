"""What ends an attempt before its time, and when there is another one."""

import time

from board.services import tasks
from board.services.tasks import Place
from tests.worker.site import BOSS, SHELL, Site


def test_a_failed_attempt_is_tried_again_and_each_attempt_has_its_log(site: Site) -> None:
    site.script("s.sh", 'echo "try $PROC_ATTEMPT"; test "$PROC_ATTEMPT" = 3')
    site.start([{"task": "t", **SHELL, "retry": "2"}])
    assert site.work() == 0
    said = [(e.value, e.actor) for e in site.events(task="t", field="status")]
    assert said == [
        ("doing", "worker"),
        ("failed", "worker"),
        ("open", "worker (retry 1/2)"),
        ("doing", "worker"),
        ("failed", "worker"),
        ("open", "worker (retry 2/2)"),
        ("doing", "worker"),
        ("done", "worker"),
    ]
    assert [site.log("t", attempt=n) for n in (1, 2, 3)] == ["try 1\n", "try 2\n", "try 3\n"]


def test_a_retry_by_an_operator_counts_anew_and_the_numbers_go_on(site: Site) -> None:
    site.script("s.sh", "exit 1")
    site.start([{"task": "t", **SHELL, "retry": "1"}])
    assert site.work() == 3
    tasks.retry(site.tail, "i", Place("t"), BOSS)
    assert site.work() == 3
    assert site.values("attempt") == ["1", "2", "3", "4"]
    again = [e.actor for e in site.events(field="status") if "retry" in e.actor]
    assert again == ["worker (retry 1/1)", "worker (retry 1/1)"]


def test_a_retry_waits_its_delay_while_other_work_goes_on(site: Site) -> None:
    site.script("bad.sh", "date +%s.%N; exit 1")
    site.script("s.sh", "sleep 0.05")
    rows = [{"task": "bad", "role": "system", "script": "bad.sh", "retry": "2", "retry_delay": "0.4"}]
    site.start([*rows, *({"task": f"t{n}", **SHELL} for n in range(6))])
    assert site.work(no_wait=False, instance="i", slots=1) == 3
    times = [float(site.log("bad", attempt=n)) for n in (1, 2, 3)]
    assert 0.4 <= times[1] - times[0] < 2
    assert 0.8 <= times[2] - times[1] < 3
    between = [e.task for e in site.events(field="status")]
    assert between.index("t0") < len(between) - 1 - between[::-1].index("bad")


def test_a_delay_decided_by_an_earlier_worker_is_kept(site: Site) -> None:
    site.script("s.sh", "exit 1")
    site.start([{"task": "t", **SHELL, "retry": "1", "retry_delay": "3600"}])
    assert site.work() == 0
    assert site.status("t") == "open"
    assert site.work() == 0
    assert site.values("attempt") == ["1"]


def test_a_timeout_ends_the_script_and_fractions_count(site: Site) -> None:
    site.script("s.sh", "sleep 30")
    site.start([{"task": "t", **SHELL, "timeout": "0.3"}])
    begun = time.monotonic()
    assert site.work() == 3
    assert time.monotonic() - begun < 5
    assert site.values("error") == ["timeout after 0.3s"]
    assert site.status("t") == "failed"


def test_a_script_that_ignores_term_is_killed_after_the_grace(site: Site) -> None:
    site.script("s.sh", "trap '' TERM; while :; do sleep 0.05; done")
    site.start([{"task": "t", **SHELL, "timeout": "0.2"}])
    begun = time.monotonic()
    site.work(grace_s=0.5)
    assert 0.7 <= time.monotonic() - begun < 6
    assert site.values("error") == ["timeout after 0.2s"]


def test_a_log_beyond_the_limit_ends_the_attempt_with_that_error(site: Site) -> None:
    site.script("s.sh", "yes 'no end' ")
    site.start([{"task": "t", **SHELL}])
    site.work(max_log_bytes=1_000_000)
    assert site.values("error")[0].startswith("log larger than 0.95")
    assert site.store.log_path("i", "t", "", 1).stat().st_size < 1_100_000
