"""One worker a store: who is refused, which stale lock is broken, and who finds out that it was taken over."""

import dataclasses
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from board.log import worker_lock
from board.log.worker_lock import LOCK_DIR, OWNER_FILE, Owner, read_owner, read_state, worker_alive
from tests.worker.site import REPO, Site, end, wait_for
from worker.lock import LockError, LockHeld, LockLost, WorkerLock


@pytest.fixture
def store(tmp_path: Path) -> Path:
    found = tmp_path / "store"
    found.mkdir()
    return found


def hold(store: Path, *, age_s: float = 0.0, **changes: object) -> Owner:
    """A lock as another worker would have left it."""
    lock = WorkerLock.take(store)
    owner = msgspec.structs.replace(lock.owner, **changes)
    os.close(lock._fd)
    path = store / LOCK_DIR / OWNER_FILE
    path.write_bytes(msgspec.json.encode(owner))
    os.utime(path, (time.time() - age_s,) * 2)
    return owner


def dead_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_a_second_worker_is_told_who_holds_the_store(store: Path) -> None:
    lock = WorkerLock.take(store)
    with pytest.raises(LockHeld, match=f"process {os.getpid()} on .* since .*, last seen 0 s ago"):
        WorkerLock.take(store)
    assert worker_alive(store)
    lock.release()
    assert not worker_alive(store)
    WorkerLock.take(store).release()


def test_a_holder_that_died_on_this_host_is_followed_at_once(store: Path) -> None:
    hold(store, pid=dead_pid())
    assert not worker_alive(store)
    assert WorkerLock.take(store, watch_s=60).holds()


def test_a_pid_that_belongs_to_another_program_by_now_does_not_count(store: Path) -> None:
    for pid in (1, os.getpid(), os.getppid()):
        hold(store, pid=pid, started_ticks=12345)
        assert not worker_alive(store)
        WorkerLock.take(store, watch_s=60).release()


def test_a_holder_from_before_the_last_boot_is_gone(store: Path) -> None:
    hold(store, boot="another")
    WorkerLock.take(store, watch_s=60).release()


def test_a_zombie_holds_nothing(store: Path) -> None:
    process = subprocess.Popen(["sleep", "60"])
    try:
        hold(store, pid=process.pid, started_ticks=worker_lock.started_ticks(process.pid))
        assert worker_alive(store)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not worker_alive(store)
    finally:
        process.wait()


def test_another_host_is_believed_for_two_minutes(store: Path) -> None:
    hold(store, host="elsewhere", age_s=100)
    assert worker_alive(store)
    with pytest.raises(LockHeld, match="on elsewhere"):
        WorkerLock.take(store)
    hold_again = hold_stale(store, "elsewhere")
    assert not worker_alive(store)
    assert WorkerLock.take(store, watch_s=0.05).owner.token != hold_again.token


def hold_stale(store: Path, host: str) -> Owner:
    import shutil

    shutil.rmtree(store / LOCK_DIR)
    return hold(store, host=host, age_s=121)


def test_a_stale_lock_that_moves_while_it_is_watched_is_somebodys(store: Path) -> None:
    hold(store, host="elsewhere", age_s=500)
    path = store / LOCK_DIR / OWNER_FILE
    toucher = subprocess.Popen(
        [sys.executable, "-c", f"import os, time; time.sleep(0.3); os.utime({str(path)!r}, (1, 1))"]
    )
    with pytest.raises(LockHeld):
        WorkerLock.take(store, watch_s=1.5)
    toucher.wait()


@pytest.mark.parametrize("age_s", [86_400.0, -86_400.0], ids=["a day ahead", "a day back"])
def test_a_clock_that_was_set_costs_a_living_holder_nothing(store: Path, age_s: float) -> None:
    lock = WorkerLock.take(store)
    path = store / LOCK_DIR / OWNER_FILE
    os.utime(path, (time.time() - age_s,) * 2)
    script = f"import os, time; time.sleep(0.3); os.utime({str(path)!r})"
    toucher = subprocess.Popen([sys.executable, "-c", script])  # its next heartbeat
    with pytest.raises(LockHeld):
        WorkerLock.take(store, watch_s=1.5)
    toucher.wait()
    assert lock.holds()


def test_another_container_on_this_machine_is_told_by_its_kernel_lock(store: Path) -> None:
    hold(store, pid_namespace="pid:[1]", pid=1)
    path = store / LOCK_DIR / OWNER_FILE
    with path.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert worker_alive(store)
        with pytest.raises(LockHeld):
            WorkerLock.take(store)
    assert not worker_alive(store)
    WorkerLock.take(store, watch_s=60).release()


def test_half_a_lock_and_rubbish_are_no_obstacle(store: Path) -> None:
    (store / LOCK_DIR).mkdir()
    WorkerLock.take(store).release()
    (store / LOCK_DIR).mkdir()
    (store / LOCK_DIR / OWNER_FILE).write_bytes(b"\xff{not json")
    with pytest.raises(LockHeld, match="cannot be told"):
        WorkerLock.take(store)
    os.utime(store / LOCK_DIR / OWNER_FILE, (1, 1))
    WorkerLock.take(store, watch_s=0.05).release()


def test_whoever_lost_the_lock_finds_out_and_leaves_the_new_one_alone(store: Path) -> None:
    first = WorkerLock.take(store)
    (store / LOCK_DIR).rename(store / "gone")
    assert not first.holds()
    second = WorkerLock.take(store)
    with pytest.raises(LockLost):
        first.check()
    assert not first.beat()
    first.release()
    assert second.holds()
    second.release()


def test_a_store_that_cannot_be_locked_says_what_to_do(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(fd: int, operation: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(LockError, match=r"No locks available.*--no-lock"):
        WorkerLock.take(store)


@pytest.mark.parametrize("before", ["nothing", "a stale lock", "a lock of a reused pid", "a half lock"])
def test_of_twenty_starters_exactly_one_wins(store: Path, before: str) -> None:
    if before == "a stale lock":
        hold(store, host="elsewhere", age_s=600)
    elif before == "a lock of a reused pid":
        hold(store, pid=1, started_ticks=5)
    elif before == "a half lock":
        (store / LOCK_DIR).mkdir()
    done = subprocess.run(
        [sys.executable, "-c", RACE, str(store)], cwd=REPO, capture_output=True, text=True, timeout=120
    )
    assert sorted(done.stdout.split()) == ["lost"] * 19 + ["won"], done.stderr
    assert not list(store.glob(f"{LOCK_DIR}.new-*"))


# Twenty processes wait for one another, then all take at once; the winner stays until the others have tried.
RACE = """
import os, pathlib, sys, time
from worker.lock import LockHeld, WorkerLock
store = pathlib.Path(sys.argv[1])
read, write = os.pipe()
starters = []
for _ in range(20):
    pid = os.fork()
    if pid == 0:
        os.close(write)
        os.read(read, 1)
        try:
            lock = WorkerLock.take(store, watch_s=0.3)
        except LockHeld:
            os.write(1, b"lost\\n")
            os._exit(0)
        os.write(1, b"won\\n")
        ends = time.monotonic() + 3
        while time.monotonic() < ends:
            lock.beat() or os.write(1, b"taken-over\\n")
            time.sleep(0.05)
        os._exit(0)
    starters.append(pid)
time.sleep(0.1)
os.close(read)
os.close(write)
for pid in starters:
    os.waitpid(pid, 0)
"""


def test_a_worker_that_was_asleep_while_another_took_over_writes_nothing_more(site: Site) -> None:
    site.script(
        "s.sh", 'echo "$PROC_ATTEMPT" >> ran; test "$PROC_ATTEMPT" = 2 || sleep 90; echo "$PROC_ATTEMPT" >> finished'
    )
    site.start([{"task": "t", "role": "system", "script": "s.sh"}])
    first = site.spawn()
    wait_for(lambda: (site.jobs / "ran").exists())
    first.send_signal(signal.SIGSTOP)
    path = site.store.worker_lock / OWNER_FILE
    os.utime(path, (time.time() - 300,) * 2)  # as if it slept for five minutes
    second = site.spawn()
    wait_for(lambda: site.status("t") == "done")
    before = len(site.events())
    first.send_signal(signal.SIGCONT)
    assert first.wait(30) == 4
    time.sleep(0.2)
    assert len(site.events()) == before
    assert second.poll() is None
    assert end(second) == 0
    assert [(e.value, e.actor) for e in site.events(field="status")] == [
        ("doing", "worker"),
        ("open", "worker (recovered)"),
        ("doing", "worker"),
        ("done", "worker"),
    ]
    assert (site.jobs / "finished").read_text() == "2\n"


def test_the_heartbeat_goes_on_while_a_script_runs_and_the_board_reads_what_runs(site: Site) -> None:
    site.script("s.sh", "touch started; sleep 6")
    site.start(
        [{"task": "each", "collection": "u"}, {"task": "t", "role": "system", "script": "s.sh", "parent": "each"}],
        ["x"],
    )
    with site.working(slots=3) as process:
        wait_for(lambda: (site.jobs / "started").exists())
        first = worker_lock.last_beat(site.store.root)
        wait_for(lambda: worker_lock.last_beat(site.store.root) != first, 10)
        wait_for(lambda: (state := read_state(site.store.root)) is not None and state.running)
        state = read_state(site.store.root)
        assert state is not None
        assert (state.pid, state.slots, state.jobs) == (process.pid, 3, str(site.jobs))
        run = state.running[0]
        assert (run.instance, run.task, run.element, run.attempt, run.script) == ("i", "t", "x", 1, "s.sh")
        assert len(state.code_version) == 8
        owner = read_owner(site.store.root)
        assert owner is not None
        assert owner.pid == process.pid
        second = site.spawn()
        assert second.wait(30) == 4
        assert f"process {process.pid}" in site.said


def test_the_lock_is_not_inherited_by_scripts(site: Site) -> None:
    site.script("s.sh", "touch started; sleep 60")
    site.start([{"task": "t", "role": "system", "script": "s.sh"}])
    first = site.spawn()
    wait_for(lambda: (site.jobs / "started").exists())
    first.kill()
    first.wait()
    assert not worker_alive(site.store.root)
    second = site.spawn(drain_s=0.0)
    wait_for(lambda: len(site.values("attempt")) == 2)
    second.terminate()
    assert second.wait(30) == 0


def test_without_a_lock_two_may_work(site: Site) -> None:
    site.start([{"task": "t", "role": "boss"}])
    with site.working():
        wait_for(lambda: "waiting" in site.said)
        assert site.spawn(lock=False, no_wait=True).wait(30) == 0


def test_a_config_is_frozen() -> None:
    from worker.config import Config, ConfigError

    with pytest.raises(ConfigError, match="slots"):
        Config(store=Path(), jobs=Path(), slots=0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config(store=Path(), jobs=Path()).slots = 3  # type: ignore[misc]


def test_a_script_that_runs_longer_than_the_stale_limit_never_loses_the_lock(site: Site) -> None:
    site.script("s.sh", "touch started; sleep 600")
    site.start([{"task": "t", "role": "system", "script": "s.sh"}])
    with site.working(drain_s=0.0):
        wait_for(lambda: (site.jobs / "started").exists())
        with pytest.raises(LockHeld):
            WorkerLock.take(site.store.root, stale_after_s=-1.0, watch_s=3)
