"""The demo as somebody starts it: `manage.py demo` in a directory of its own, and people in front of it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = {"validate", "consolidate", "qa", "forecast", "publish"}


class Demo:
    """A running demo: its address, its instance, its store, its processes."""

    def __init__(self, folder: Path, countries: int, interval_s: float) -> None:
        self.root = folder / "demo"
        self.output = folder / "output"
        command = [sys.executable, "manage.py", "demo", "--port", "0", "--dir", str(self.root)]
        command += ["--countries", str(countries), "--interval", str(interval_s)]
        with self.output.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            self.wait_for(lambda: "Ctrl-C ends everything" in self.said(), 240, "the demo")
        except BaseException:
            self.process.terminate()
            self.process.wait()
            raise
        self.url = re.findall(r"http://127\.0\.0\.1:\d+", self.said())[0]
        self.instance = re.findall(r"files of (\w+)\.", self.said())[0]
        self.store = self.root / "store"

    def said(self) -> str:
        """What it has printed so far."""
        return self.output.read_text(errors="replace")

    def wait_for(self, ready: Callable[[], bool], patience_s: float, what: str) -> None:
        """Look again and again; when the time is over, fail with what the demo has said."""
        until = time.monotonic() + patience_s
        while not ready():
            if time.monotonic() > until or self.process.poll() is not None:
                raise AssertionError(f"{what} did not come:\n{self.said()[-4000:]}")
            time.sleep(0.02)

    def events(self, instance: str = "") -> list[dict[str, Any]]:
        """The log of one instance as any program would read it."""
        lines = (self.store / "events.jsonl").read_bytes().splitlines()
        read = (json.loads(line) for line in lines)
        return [event for event in read if event["instance"] == (instance or self.instance)]

    def finishes(self, instance: str = "") -> "Counter[tuple[str, str, str]]":
        """How often each script task was finished, by task, element and answer."""
        done = Counter[tuple[str, str, str]]()
        for event in self.events(instance):
            if event["task"] in SCRIPTS and event["field"] == "status" and event["value"] not in ("open", "doing"):
                done[event["task"], event.get("element", ""), event["value"]] += 1
        return done

    def worker(self) -> int:
        """The process that holds the store."""
        owner = json.loads((self.store / ".worker.lock" / "owner").read_text())
        return int(owner["pid"])

    def stop(self) -> int:
        """End it as Ctrl-C does; its exit code. Nothing that it started may be left."""
        family = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(30)
        left = [process for process in family if process.is_running()]
        assert left == []
        return code


class Window:
    """One browser window in which people log in, one after another."""

    def __init__(self, context: BrowserContext, demo: Demo) -> None:
        self.troubles: list[str] = []
        self.context = context
        self.demo = demo
        self.page: Page = context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("console", self._heard)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.troubles.append(message.text)

    def log_in(self, name: str, path: str = "/") -> None:
        """Leave whoever was here, and come in by the login page."""
        self.context.clear_cookies()
        self.page.goto(f"{self.demo.url}/account/login/?next={path}")
        self.page.get_by_label("Username").fill(name)
        self.page.get_by_label("Password").fill("demo")
        self.page.get_by_role("button", name="Log in").click()
        self.page.wait_for_url(f"{self.demo.url}{path}")

    def job(self, title: str, element: str = "") -> Locator:
        """A task in My work."""
        found = self.page.locator("article.job").filter(has=self.page.locator("h3", has_text=title))
        return found.filter(has_text=element) if element else found

    def finish(self, title: str, element: str = "", *, answer: str = "done", note: str = "") -> None:
        """Finish a task where it stands in My work, with a note if there is one."""
        job = self.job(title, element)
        button = job.locator(f'button[value="finish:{answer}"]')
        if note:
            job.locator("summary").click()
            job.locator("textarea").fill(note)
            button = job.locator(f'.menu-body button[value="finish:{answer}"]')
        button.last.click()

    def sees(self, task: str, status: str, count: int = 1) -> None:
        """Wait until so many rows of a task have a status on the board of the instance."""
        rows = self.page.locator(f'[data-task="{task}"] tr[data-s="{status}"]')
        rows.nth(count - 1).wait_for(state="attached")


def kill(pid: int) -> None:
    """The end that no program can prepare for."""
    os.kill(pid, signal.SIGKILL)
