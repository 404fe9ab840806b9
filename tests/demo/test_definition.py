"""The demo's process, with a real worker and without a browser: what the browser story leaves out."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from board.demo import story
from board.log.file import open_log
from board.log.tail import Tail
from board.process.definition.table import ElementList
from board.process.engine.decide import Refusal
from board.process.engine.instance import Instance
from board.process.validation.problems import check
from board.services import instances, tasks
from board.services.actor import Actor
from board.services.tasks import Place
from tests.browser.live import environment

ROOT = Path(__file__).resolve().parents[2]
OLGA = Actor("olga", operator=True)
ANA, SAM = Actor("ana", frozenset({"analyst"})), Actor("sam", frozenset({"steward"}))
MIRA = Actor("mira", frozenset({"management"}))
ALL_ROLES = frozenset({"analyst", "steward", "management"})


class Play:
    """One instance of the demo's process, and a worker that serves it until it is complete."""

    def __init__(self, store: Path) -> None:
        self.tail = Tail(open_log(store))
        self.store = store
        elements = ElementList.from_ids(["Rwanda"], "country")
        instances.start(self.tail, OLGA, story.PROCESS, "I", elements, table=story.definition())

    def instance(self) -> Instance:
        """As the log stands now."""
        self.tail.refresh()
        found = self.tail.get("I")
        assert found
        return found

    def wait(self, task: str, status: str) -> None:
        """Until the only row of a task has a status."""
        until = time.monotonic() + 60
        while (found := self.instance().status(self.instance().rows_of(task)[0])) != status:
            assert time.monotonic() < until, f"{task} is {found}, not {status}"
            time.sleep(0.05)

    def deliver(self) -> None:
        """What the platform does."""
        names = self.store / "names.csv"
        names.write_text("country\nRwanda\n")
        command = [sys.executable, "deploy/demo/deliver.py", "--store", str(self.store), "--instance", "I"]
        subprocess.run([*command, "--countries", str(names), "--interval", "0"], cwd=ROOT, check=True)

    def finish(self, who: Actor, task: str, element: str = "", *, value: str = "done", note: str = "") -> None:
        """Finish a row as somebody."""
        tasks.finish(self.tail, "I", Place(task, element), who, value, note)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """The instance with its worker running."""
    playing = Play(tmp_path / "store")
    command = [sys.executable, "manage.py", "runworker", "--instance", "I", "--tick", "0.2"]
    command += ["--store", str(playing.store)]
    with (tmp_path / "worker.log").open("wb") as log:
        settings = environment(tmp_path / "var", tmp_path / "static")
        worker = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=log, stderr=log)
    yield playing
    if playing.instance().state != "complete":  # then it ends by itself
        worker.terminate()
    assert worker.wait(20) == 0


def test_the_definition_has_no_error_and_no_warning() -> None:
    found = check(story.definition(), roles_held=ALL_ROLES, scripts_found=lambda name: (ROOT / "jobs" / name).is_file())
    assert found == []


def test_without_r_the_forecast_is_made_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    row = story.definition().row("forecast")
    assert row
    assert row.script == "forecast.py"


def test_a_rejected_publication_comes_back_through_the_check_and_needs_another_note(play: Play) -> None:
    play.deliver()
    play.wait("review", "open")
    play.finish(ANA, "review", "Rwanda")
    play.finish(SAM, "approve")
    play.wait("reconcile", "open")
    play.finish(ANA, "reconcile", note="It is true.")
    play.wait("approve_publication", "open")
    play.finish(MIRA, "approve_publication", value="rejected", note="Say which source.")
    play.wait("reconcile", "open")
    play.finish(ANA, "reconcile", note="The census of 1991 and the survey of 1992.")
    play.wait("approve_publication", "open")
    play.finish(MIRA, "approve_publication", value="approved")
    play.wait("publish", "done")
    assert play.instance().state == "complete"
    report = (play.store / "I" / "artifacts" / "report.html").read_text()
    assert "The census of 1991 and the survey of 1992." in report
    assert "It is true." not in report


def test_whoever_reviewed_may_not_approve(play: Play) -> None:
    both = Actor("ana", ALL_ROLES)
    play.deliver()
    play.wait("review", "open")
    play.finish(both, "review", "Rwanda")
    with pytest.raises(Refusal, match="ana"):
        play.finish(both, "approve")


@pytest.mark.parametrize("count", [1, 12, 142])
def test_the_countries_with_something_to_find_come_first(count: int) -> None:
    rows = story.countries(count)
    assert len({row["country"] for row in rows}) == count
    assert "Rwanda" in {row["country"] for row in rows}
    assert ("Cambodia" in {row["country"] for row in rows}) == (count > 1)
    assert all(row["continent"] for row in rows)
