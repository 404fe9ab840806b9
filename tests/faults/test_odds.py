"""Against all odds: the disk is full, the store cannot be written, the clock is set, the jobs are exchanged."""

import contextlib
import errno
import fcntl
import os
import resource
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import time_machine

from board.services import tasks
from board.services.actor import anybody
from board.services.tasks import Place
from tests.tools import tool
from tests.worker.site import Site, end, wait_for

SHELL = {"role": "system", "script": "s.sh"}
IMMUTABLE = 0x10
GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602


def steps(site: Site, number: int = 6) -> None:
    """A chain of scripts that each take a moment."""
    site.script("s.sh", 'sleep 0.1; echo "$PROC_TASK" >> "$PROC_STORE/../ran"')
    rows = [{"task": f"t{n}", **SHELL, **({"depends_on": f"t{n - 1}"} if n else {})} for n in range(number)]
    site.start([*rows, {"task": "end", "role": "boss", "depends_on": f"t{number - 1}"}])


def ran(site: Site) -> list[str]:
    path = site.root / "ran"
    return path.read_text().split() if path.exists() else []


def test_a_disk_that_is_full_for_a_while_stops_the_work_and_loses_none_of_it(site: Site) -> None:
    steps(site)
    with site.working() as worker:
        wait_for(lambda: ran(site))
        size = site.store.events_path.stat().st_size
        _, hard = resource.prlimit(worker.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (size, hard))
        wait_for(lambda: "Trying again every second" in site.said)
        assert worker.poll() is None
        before = len(ran(site))
        time.sleep(1.5)
        assert len(ran(site)) <= before + 2
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (hard, hard))
        wait_for(lambda: site.status("t5") == "done")
        assert "the store can be written again" in site.said
    assert site.tail.bad_lines() == []
    assert ran(site) == [f"t{n}" for n in range(6)]
    assert site.values("attempt") == ["1"] * 6


if os.geteuid() == 0:  # nobody else may mount a disk

    def test_a_small_disk_that_a_script_fills_is_survived(site: Site) -> None:
        subprocess.run([tool("mount"), "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(site.store.root)], check=True)
        try:
            site.store.ensure()
            big = "echo \"::process-output big=$(head -c 4090 /dev/zero | tr '\\0' x)::\""
            site.script("fill.sh", big + "; yes; yes > $PROC_ARTIFACTS/more; exit 0")
            site.script("s.sh", "exit 0")
            rows = [{"task": "fill", "role": "system", "script": "fill.sh"}]
            site.start([*rows, {"task": "next", **SHELL, "depends_on": "fill"}])
            with site.working() as worker:
                wait_for(lambda: "No space left on device" in site.said)
                assert worker.poll() is None
                os.truncate(site.store.log_path("i", "fill", "", 1), 5000)
                wait_for(lambda: site.status("next") == "done")
            assert site.tail.bad_lines() == []
            assert site.values("attempt") == ["1", "1"]
        finally:
            subprocess.run(["umount", "-l", str(site.store.root)], check=True)


@contextlib.contextmanager
def frozen(*paths: Path) -> Iterator[None]:
    """Nothing can be written to these for a while, whoever asks."""
    for path in paths:
        _freeze(path, on=True)
    try:
        yield
    finally:
        for path in paths:
            _freeze(path, on=False)


def _freeze(path: Path, *, on: bool) -> None:
    if os.geteuid() != 0:
        path.chmod(0o555 if on else 0o755)
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        flags = bytearray(8)
        fcntl.ioctl(fd, GET_FLAGS, flags)
        value = int.from_bytes(flags[:4], "little")
        value = value | IMMUTABLE if on else value & ~IMMUTABLE
        fcntl.ioctl(fd, SET_FLAGS, value.to_bytes(4, "little"))
    finally:
        os.close(fd)


def test_a_store_that_is_read_only_for_a_while_is_waited_for(site: Site) -> None:
    steps(site)
    site.store.logs("i").mkdir(parents=True, exist_ok=True)
    with site.working() as worker:
        wait_for(lambda: ran(site))
        with frozen(site.store.logs("i")):
            wait_for(lambda: "Trying again every second" in site.said)
            time.sleep(1.2)
            assert worker.poll() is None
        wait_for(lambda: site.status("t5") == "done")
    assert ran(site) == [f"t{n}" for n in range(6)]


def test_the_log_cannot_be_written_while_a_script_ends_and_its_end_is_kept(site: Site) -> None:
    steps(site, 3)
    with site.working() as worker:
        wait_for(lambda: ran(site))
        with frozen(site.store.events_path):
            wait_for(lambda: "Trying again every second" in site.said)
            assert worker.poll() is None
        wait_for(lambda: site.status("t2") == "done")
    assert ran(site) == ["t0", "t1", "t2"]
    assert site.values("attempt") == ["1"] * 3


def test_a_worker_that_is_to_exit_does_not_wait_for_ever_for_a_disk(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from board.log.errors import AppendError

    steps(site, 2)
    monkeypatch.setattr("worker.loop.TROUBLE_PATIENCE_S", 1.5)
    worker = site.worker(no_wait=True)

    def full(*_: object) -> None:
        raise AppendError("Nothing was recorded: No space left on device.")

    monkeypatch.setattr(worker.tail, "append", full)
    assert worker.run() == 5
    assert ran(site) == []


@pytest.mark.parametrize("hours", [24, -24], ids=["a day ahead", "a day back"])
def test_a_clock_that_is_set_while_scripts_run_changes_nothing(site: Site, hours: int) -> None:
    site.script("s.sh", "sleep 0.4")
    site.script("flaky.sh", 'test "$PROC_ATTEMPT" = 2')
    rows = [
        {"task": "t", **SHELL, "timeout": "20"},
        {"task": "f", "role": "system", "script": "flaky.sh", "retry": "1", "retry_delay": "1"},
        {"task": "u", **SHELL, "depends_on": "t, f"},
    ]
    site.start(rows)
    worker = site.worker(instance="i")
    worker._clock = worker.running._clock = lambda: time.clock_gettime(time.CLOCK_MONOTONIC)
    begun = time.clock_gettime(time.CLOCK_MONOTONIC)
    with time_machine.travel(time.time(), tick=True) as traveller:
        turns = 0
        code = None
        while code is None:
            now = worker._clock()
            again = worker.turn(now)
            turns += 1
            if turns == 2:
                traveller.shift(3600 * hours)
            code = None if again else worker.verdict(now)
            if code is None and not again:
                worker._wait(now)
    assert code == 0
    took = time.clock_gettime(time.CLOCK_MONOTONIC) - begun
    assert 1.0 <= took < 30
    assert site.values("error") == ["exit code 1"]
    assert {e.attempt for e in site.events(task="t", field="attempt")} == {1}
    assert all(float(value.rstrip("s")) < 20 for value in site.values("took"))


def test_a_jobs_directory_that_is_exchanged_is_used_from_the_next_attempt_on(site: Site) -> None:
    steps(site)
    new, current = site.root / "jobs.new", site.root / "current"
    new.mkdir()
    (new / "s.sh").write_text('echo "new-$PROC_TASK" >> "$PROC_STORE/../ran"; pwd -P')
    current.symlink_to(site.jobs)
    with site.working(jobs=str(current)):
        wait_for(lambda: ran(site))
        (site.root / "next").symlink_to(new)
        (site.root / "next").rename(current)
        wait_for(lambda: site.status("t5") == "done")
    versions = site.values("code_version")
    assert (ran(site)[0], ran(site)[-1]) == ("t0", "new-t5")
    assert versions[0] != versions[-1]
    assert site.log("t5").strip() == str(new)


def test_a_jobs_directory_that_is_gone_fails_what_runs_meanwhile_and_nothing_else(site: Site) -> None:
    steps(site)
    with site.working() as worker:
        wait_for(lambda: ran(site))
        site.jobs.rename(site.root / "jobs.old")
        wait_for(lambda: "failed" in {site.status(f"t{n}") for n in range(6)})
        failed = next(n for n in range(6) if site.status(f"t{n}") == "failed")
        (site.root / "jobs.old").rename(site.jobs)
        tasks.retry(site.tail, "i", Place(f"t{failed}"), anybody("olga"))
        wait_for(lambda: site.status("t5") == "done")
        assert worker.poll() is None


def test_a_log_that_is_moved_away_while_scripts_run_is_survived(site: Site) -> None:
    steps(site, 2)
    site.script("s.sh", "sleep 30")
    with site.working(drain_s=0.1) as worker:
        wait_for(lambda: site.status("t0") == "doing")
        kept = site.root / "events.kept"
        site.store.events_path.rename(kept)
        time.sleep(1.5)
        assert worker.poll() is None
        kept.rename(site.store.events_path)
        time.sleep(1.5)
        assert worker.poll() is None
        wait_for(lambda: len(site.values("attempt", task="t0")) == 2)
        assert end(worker) == 0


def test_a_process_that_cannot_be_started_has_failed_with_the_reason(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object, **__: object) -> int:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    site.script("s.sh", "exit 0")
    site.start([{"task": "t", **SHELL, "retry": "1"}])
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_spawn", none_left)
        assert site.work() == 3
    assert site.values("error") == ["could not be started: [Errno 11] Resource temporarily unavailable"] * 2


def test_a_log_that_another_program_locks_is_said_by_the_worker_and_waited_for(site: Site) -> None:
    site.script("s.sh", "exit 0")
    site.start([{"task": "t", **SHELL}])
    with site.store.lock_path.open() as file, site.working():
        fcntl.flock(file, fcntl.LOCK_EX)
        wait_for(lambda: "another program holds the lock" in site.said, 30)
        assert site.status("t") == "open"
        fcntl.flock(file, fcntl.LOCK_UN)
        wait_for(lambda: site.status("t") == "done")
    assert "the store can be written again" in site.said
    assert len(site.values("attempt")) == 1
