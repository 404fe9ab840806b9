"""The demo's whole story in two browsers, and once more with a worker that is killed again and again."""

import contextlib
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from board.log.file import open_log
from board.log.tail import Tail
from board.process.definition.table import ElementList
from board.services import instances, tasks
from board.services.actor import Actor
from board.services.tasks import Place

from . import live
from .story import ROOT, Demo, Window, kill

pytestmark = pytest.mark.browser
COUNTRIES = ("Cambodia", "Norway", "Rwanda")
TO_KILL = {"validate", "qa", "forecast"}
NOTE = "War and genocide. Both figures are true."
OLGA = Actor("olga", operator=True)
ANA, SAM = Actor("ana", frozenset({"analyst"})), Actor("sam", frozenset({"steward"}))
MIRA = Actor("mira", frozenset({"management"}))


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The whole Chromium, as people have it."""
    chromium = live.launch(playwright, whole=True)
    yield chromium
    chromium.close()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """`make demo` with three countries, ended by Ctrl-C."""
    running = Demo(tmp_path_factory.mktemp("story"), countries=len(COUNTRIES), interval_s=0.5)
    try:
        yield running
    except BaseException:
        running.process.terminate()
        raise
    assert running.stop() == 0


@pytest.fixture
def windows(browser: Browser, demo: Demo) -> Iterator[tuple[Window, Window]]:
    """One window for those who act, one for somebody who looks on; neither's console may complain."""
    contexts = [browser.new_context(viewport={"width": 1400, "height": 1000}) for _ in range(2)]
    acting, watching = (Window(context, demo) for context in contexts)
    yield acting, watching
    for context in contexts:
        context.close()
    assert acting.troubles + watching.troubles == []


def test_the_demo_s_story_from_the_first_delivery_to_the_report(demo: Demo, windows: tuple[Window, Window]) -> None:
    people, watcher = windows
    delays: list[float] = []

    def shown(task: str, status: str, count: int = 1) -> None:
        """What was just done is on the other screen."""
        began = time.monotonic()
        watcher.sees(task, status, count)
        delays.append(time.monotonic() - began)

    watcher.log_in("olga", f"/instances/{demo.instance}/")
    people.log_in("ana")
    watcher.sees("delivery", "done", len(COUNTRIES))
    watcher.sees("validate", "done", len(COUNTRIES))
    for number, country in enumerate(COUNTRIES, start=1):
        people.finish("Review", country)
        shown("review", "done", number)

    people.log_in("sam")
    people.finish("Approve the collection")
    shown("approve", "done")
    watcher.sees("qa", "false")
    watcher.sees("reconcile", "open")

    people.log_in("ana")
    people.finish("Reconcile the findings", note=NOTE)
    shown("reconcile", "done")
    watcher.sees("qa", "true")

    people.log_in("mira")
    people.finish("Approve publication", answer="approved")
    shown("approve_publication", "approved")
    watcher.sees("publish", "done")
    watcher.page.locator("#head", has_text=re.compile("complete", re.IGNORECASE)).wait_for()

    assert statistics.median(delays) < 2, delays
    assert max(delays) < 8, delays
    report = (demo.store / demo.instance / "artifacts" / "report.html").read_text()
    assert NOTE in report
    assert "Publication approved</b> by mira" in report
    assert all(country in report for country in COUNTRIES)
    check_what_the_story_left(demo)


def check_what_the_story_left(demo: Demo) -> None:
    """Every script task was done once, and every field in the log is explained to people who read it."""
    expected = {("validate", country, "done"): 1 for country in COUNTRIES}
    expected |= {("qa", "", "false"): 1, ("qa", "", "true"): 1}
    expected |= {(task, "", "done"): 1 for task in ("consolidate", "forecast", "publish")}
    assert demo.finishes() == expected
    explained = (ROOT / "docs" / "developers.md").read_text()
    fields = {event["field"] for event in demo.events() if not event["task"].startswith("@")}
    assert [field for field in fields if f"`{field}`" not in explained and not field.startswith("output.")] == []


def test_a_killed_worker_is_started_again_and_every_script_task_is_done_once(demo: Demo) -> None:
    instance = "killed"
    tail = Tail(open_log(demo.store))
    process = tail.ids()[-1].name
    instances.start(tail, OLGA, process, instance, ElementList.from_ids(["Rwanda", "Norway"], "country"))
    killed: set[str] = set()

    def kill_while_running() -> None:
        """Kill the worker once for each of these tasks, the moment the log says that it has begun."""
        tail.refresh()
        found = tail.get(instance)
        assert found
        for row in found.doing_rows():
            task = found.task_of(row)
            if task in TO_KILL - killed:
                killed.add(task)
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    kill(demo.worker())

    def wait(task: str, status: str) -> None:
        def ready() -> bool:
            kill_while_running()
            found = tail.get(instance)
            assert found
            return all(found.status(row) == status for row in found.rows_of(task))

        demo.wait_for(ready, 30, f"{task} {status}")

    deliver(demo, instance)
    for country in ("Norway", "Rwanda"):
        wait("validate", "done")
        tasks.finish(tail, instance, Place("review", country), ANA)
    tasks.finish(tail, instance, Place("approve"), SAM)
    wait("reconcile", "open")
    tasks.finish(tail, instance, Place("reconcile"), ANA, note=NOTE)
    wait("qa", "true")
    tasks.finish(tail, instance, Place("approve_publication"), MIRA, "approved")
    wait("publish", "done")

    assert killed == TO_KILL
    assert demo.said().count("is started again") == len(TO_KILL)
    assert set(demo.finishes(instance).values()) == {1}
    found = tail.get(instance)
    assert found
    assert found.state == "complete"
    begun = [event for event in demo.events(instance) if event["field"] == "attempt"]
    logs = {event["value"] for event in demo.events(instance) if event["field"] == "log"}
    assert len(logs) == len(begun) > len(demo.finishes(instance))
    assert all((demo.store / log).exists() for log in logs)


def deliver(demo: Demo, instance: str) -> None:
    """What the delivery platform does, for the second instance."""
    names = demo.root / "two.csv"
    names.write_text("country\nNorway\nRwanda\n")
    command = [sys.executable, "deploy/demo/deliver.py", "--store", str(demo.store), "--instance", instance]
    subprocess.run([*command, "--countries", str(names), "--interval", "0"], cwd=ROOT, check=True, capture_output=True)
