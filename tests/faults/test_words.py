"""Words and programs of strangers: messages under any name, rows opened for ever, a hostile repository."""

import json
import subprocess
import threading
import time
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from board.log.event import Event
from board.services.message import Rejected, read_message
from tests.faults.conftest import scale
from tests.worker.script.test_git import Trap, clean_filter, included_filter, monitor
from tests.worker.site import SHELL, Site
from worker.backoff import FREE

LIKE_OURS = st.sampled_from(["worker", "register", "ana (re-arm)", "worker (retry 1/2)", "ana"])
ODD = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=3)
NAMES = st.one_of(
    st.tuples(ODD, LIKE_OURS, ODD).map("".join),
    LIKE_OURS.map(lambda name: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name)),
    st.text(max_size=40),
)


@settings(max_examples=scale(300, 20_000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(NAMES)
def test_a_message_that_calls_itself_anything_passes_for_nobody(name: str) -> None:
    try:
        actor = read_message("m.json", json.dumps({"task": "t", "actor": name}).encode()).actor
    except Rejected:
        return
    plain = unicodedata.normalize("NFKC", actor)
    assert plain.casefold().strip() not in ("worker", "register")
    assert not set("()") & set(plain)
    assert plain.isprintable()


@pytest.mark.parametrize("way", ["message", "line", "script"])
def test_a_row_that_is_opened_for_ever_is_not_run_for_ever(site: Site, way: str) -> None:
    again = '{\\"task\\":\\"t\\",\\"value\\":\\"open\\"}'
    drop = f'printf "{again}" > "$PROC_STORE/inbox/$PROC_ATTEMPT.json"' if way == "script" else "exit 0"
    site.script("s.sh", drop)
    site.start([{"task": "t", **SHELL}])
    seconds = scale(4, 30)
    ended = threading.Event()

    def reopen() -> None:
        number = 0
        while not ended.wait(0.01):
            number += 1
            if way == "message":
                site.message(f"{number:06}", task="t", value="open")
            elif way == "line":
                site.append(Event("2026-11-29T10:00:00Z", "i", "t", "status", "open", "sap"))

    thread = threading.Thread(target=reopen)
    with site.working(tick_s=0.05):
        thread.start()
        time.sleep(seconds)
        ended.set()
        thread.join()
    attempts = len(site.values("attempt"))
    assert FREE <= attempts <= FREE + 2 + seconds.bit_length()


def test_a_worker_runs_nothing_of_the_repository_its_jobs_are_in(site: Site) -> None:
    trap = Trap(site.root)
    for attack in (clean_filter, included_filter, monitor):
        attack(trap)
    (trap.root / "jobs" / "s.sh").write_text('touch -d @1 a.sh; : >"new-$PROC_TASK"\n')
    trap.git("-c", "filter.evil.clean=cat", "-c", "core.fsmonitor=false", "add", "jobs/s.sh")
    trap.ran()
    site.start([{"task": f"t{n}", **SHELL} for n in range(scale(3, 50))])
    assert site.work(jobs=trap.root / "jobs", slots=1) == 0
    assert not trap.ran()
    versions = site.values("code_version")
    assert len(versions) == scale(3, 50)
    assert versions[-1].endswith("-dirty")
    subprocess.run(["git", "status"], cwd=trap.root, capture_output=True, check=False)
    assert trap.ran(), "the repository is not hostile at all"
