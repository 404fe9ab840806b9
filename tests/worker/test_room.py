"""The reserve of disk space: no script eats it, the worker says so, and goes on by itself."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from board.log.worker_lock import read_state
from tests.worker.site import SHELL, Site, wait_for
from worker.config import ConfigError
from worker.loop import EXIT_GAVE_UP, EXIT_OK

MB = 1024 * 1024


def ample(site: Site) -> int:
    """A reserve that no disk has, in bytes."""
    found = os.statvfs(site.store.root)
    return found.f_blocks * found.f_frsize + MB


def test_below_the_reserve_no_script_starts_and_that_is_said(site: Site) -> None:
    site.script("s.sh", "exit 0")
    site.start([{"task": "t", **SHELL}])
    out = io.StringIO()
    assert site.worker(out, no_wait=True, quiet=False, reserve_bytes=ample(site)).run() == EXIT_GAVE_UP
    assert out.getvalue().count("less free than its reserve") == 1
    assert site.status("t") == "open"
    assert site.work(reserve_bytes=MB) == EXIT_OK
    assert site.status("t") == "done"


def test_below_the_reserve_what_needs_no_script_goes_on(site: Site) -> None:
    site.start([{"task": "t", "role": "boss"}])
    site.message("m", instance="i", task="t")
    assert site.work(reserve_bytes=ample(site)) == EXIT_OK
    assert site.status("t") == "done"


def test_a_reserve_below_zero_is_refused(site: Site) -> None:
    with pytest.raises(ConfigError, match="FOLDBOARD_RESERVE_MB"):
        site.config(reserve_bytes=-1)


if os.geteuid() == 0:  # nobody else may mount a disk

    @pytest.fixture
    def disk(site: Site) -> Iterator[Path]:
        """The store on a disk of its own of 16 MB."""
        root = site.store.root
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(root)], check=True)
        site.store.ensure()
        yield root
        subprocess.run(["umount", "-l", str(root)], check=True)

    def test_the_worker_waits_for_room_and_goes_on_by_itself(site: Site, disk: Path) -> None:
        site.script("s.sh", "exit 0")
        site.start([{"task": "t", **SHELL}])
        (disk / "big").write_bytes(bytes(14 * MB))
        with site.working(reserve_bytes=4 * MB) as worker:
            wait_for(lambda: "less free than its reserve of 4 MB" in site.said)
            wait_for(lambda: (state := read_state(disk)) is not None and "reserve of 4 MB" in state.trouble)
            assert worker.poll() is None
            assert site.status("t") == "open"
            (disk / "big").unlink()
            wait_for(lambda: site.status("t") == "done")
            wait_for(lambda: (state := read_state(disk)) is not None and state.trouble == "")
        assert "has room again" in site.said
        assert site.said.count("less free than its reserve") == 1

    def test_a_script_whose_log_eats_the_reserve_is_ended_and_the_reserve_comes_back(site: Site, disk: Path) -> None:
        site.script("quiet.sh", "while [ ! -e $PROC_STORE/../enough ]; do sleep 0.1; done")
        site.script("loud.sh", "echo first; sleep 1; yes; sleep 100")
        site.start([
            {"task": "loud", "role": "system", "script": "loud.sh"},
            {"task": "quiet", "role": "system", "script": "quiet.sh"},
        ])  # fmt: skip
        with site.working(reserve_bytes=4 * MB):
            wait_for(lambda: site.status("loud") == "failed")
            assert "while the disk of the store was nearly full" in site.values("error", task="loud")[0]
            assert site.log("loud").startswith("first\n")
            found = os.statvfs(disk)
            assert found.f_bavail * found.f_frsize > 4 * MB
            assert site.status("quiet") == "doing"
            (site.root / "enough").touch()
            wait_for(lambda: site.status("quiet") == "done")
            wait_for(lambda: "has room again" in site.said)
        assert site.tail.bad_lines() == []

    def test_a_script_that_says_little_outlives_a_shortage(site: Site, disk: Path) -> None:
        site.script("s.sh", "while [ ! -e $PROC_STORE/../enough ]; do echo step; sleep 0.1; done")
        site.start([{"task": "t", **SHELL}])
        with site.working(reserve_bytes=4 * MB):
            wait_for(lambda: site.status("t") == "doing")
            (disk / "big").write_bytes(bytes(14 * MB))
            wait_for(lambda: "less free than its reserve" in site.said)
            (site.root / "enough").touch()
            wait_for(lambda: site.status("t") == "done")

    def test_a_worker_that_starts_on_a_full_store_says_so_in_one_line(site: Site, disk: Path) -> None:
        with pytest.raises(OSError, match="No space"):
            (disk / "big").write_bytes(bytes(32 * MB))
        assert os.statvfs(disk).f_bavail == 0
        done = subprocess.run(
            [sys.executable, "manage.py", "runworker", "--no-wait"],
            env={
                **os.environ,
                "FOLDBOARD_VAR": str(site.root / "var"),
                "FOLDBOARD_STORE": str(disk),
                "FOLDBOARD_JOBS": str(site.jobs),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 1
        assert "No space left on device" in done.stderr
        assert len(done.stderr.splitlines()) == 1
