"""A real board for a real browser: gunicorn on a free port with accounts, collected files and a store of its own."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.error import URLError
from urllib.request import urlopen

import axe_playwright_python  # type: ignore[import-untyped]
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright

from tests.tools import tool

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
# an answer of 4xx, and none at all; everything else the console says, a broken policy above all, is a fault
SAID_BY_THE_PAGE = ("Failed to load resource", "htmx:afterRequest", "htmx:sendError")
Scheme = Literal["light", "dark"]
WIDTHS = (360, 1600)
NARROWEST = 320  # what 1280 px are at 400 %: WCAG's reflow
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def launch(playwright: Playwright, *, whole: bool = False) -> Browser:
    """The system's Chromium, without a window and without calls to its makers.

    Where its headless shell is installed beside it, that one unless it is to be the whole browser: the same engine of
    the same version, for a third less processor time.
    """
    shell = None if whole else shutil.which("chromium-headless-shell")
    return playwright.chromium.launch(executable_path=shell or tool("chromium"), args=CHROMIUM_FLAGS)


def environment(var: Path, static: Path, **more: str) -> dict[str, str]:
    """Production settings over a directory of their own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FOLDBOARD_")}
    return clean | {
        "DJANGO_SETTINGS_MODULE": "board.settings",
        "FOLDBOARD_VAR": str(var),
        "FOLDBOARD_STATIC": str(static),
        "PYTHONPATH": str(ROOT),
        **more,
    }


@dataclass(frozen=True)
class Prepared:
    """Accounts, sessions and collected files, made once; every live board starts from a copy."""

    var: Path
    static: Path
    sessions: dict[str, str]  # account -> session key
    key: str


def prepare(folder: Path) -> Prepared:
    """Migrate, collect, make the cast and log everybody in, all in one process."""
    var, static, key = folder / "var", folder / "static", secrets.token_urlsafe(48)
    done = subprocess.run(
        [sys.executable, "-m", "tests.browser.prepare"],
        cwd=ROOT,
        env=environment(var, static, FOLDBOARD_SECRET_KEY=key),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"the accounts could not be prepared:\n{done.stderr}")
    return Prepared(var, static, json.loads(done.stdout.splitlines()[-1]), key)


class Server:
    """gunicorn with the product's own settings on a port of its own, with all the processes it starts."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.url, self.log, self.env = f"http://{address}", folder / "gunicorn.log", env
        self.command = [sys.executable, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", "--bind", address]
        self.command += ["--workers", "1", "--graceful-timeout", "1", "board.wsgi"]

    def start(self) -> None:
        """Begin, and come back when it answers."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=ROOT, env=self.env, stdout=log, stderr=log, start_new_session=True
            )
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                with urlopen(self.url + "/health/", timeout=2):
                    return
            except (URLError, ConnectionError, TimeoutError):
                time.sleep(0.05)
        raise RuntimeError(f"gunicorn did not come up:\n{self.log.read_text()}")

    def kill(self) -> None:
        """End all of it at once, as a machine that loses its power does."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        """Ask it to end."""
        self.process.terminate()
        self.process.wait(10)


@dataclass
class Board:
    """A running board: where it is, its store, and browsers looking at it."""

    server: Server
    store: Path
    browser: Browser
    sessions: dict[str, str]
    troubles: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def page(self, name: str | None = None, *, width: int = 1600, scheme: Scheme = "light", **more: Any) -> Page:
        """A browser window of its own, logged in as `name`; what its console complains about fails the test."""
        context = self.browser.new_context(
            viewport={"width": width, "height": 1000 if width > 600 else 780}, color_scheme=scheme, **more
        )
        context.set_default_timeout(30_000)
        self.contexts.append(context)
        if name:
            context.add_cookies([{"name": "foldboard_session", "value": self.sessions[name], "url": self.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: self.troubles.append(f"{page.url}: {error}"))
        page.on("console", self._heard)
        return page

    @property
    def url(self) -> str:
        """Where it is; the same after a restart."""
        return self.server.url

    def go(self, page: Page, path: str) -> Page:
        """Open a path of this board."""
        page.goto(self.url + path)
        return page

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(SAID_BY_THE_PAGE):
            self.troubles.append(message.text)

    def close(self) -> None:
        """Close the windows."""
        for context in self.contexts:
            context.close()
        self.contexts.clear()


@contextmanager
def running(prepared: Prepared, browser: Browser, folder: Path, **settings: str) -> Iterator[Board]:
    """A board over a copy of the prepared accounts and an empty store, ended at exit."""
    var = folder / "var"
    shutil.copytree(prepared.var, var)
    env = environment(var, prepared.static, FOLDBOARD_SECRET_KEY=prepared.key, **settings)
    server = Server(folder, env)
    board = Board(server, var / "store", browser, prepared.sessions)
    try:
        server.start()
        yield board
    finally:
        board.close()
        server.stop()


def faults(page: Page) -> dict[str, list[str]]:
    """What is wrong with a page at every width in both schemes: what axe finds, and what sticks out of the window."""
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 1000 if width > 600 else 780})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            wide = overflow(page)
            said = violations(page, scheme) + ([f"sticks out: {wide}"] if wide else [])
            if said:
                found[f"{width} px, {scheme}"] = said
    page.set_viewport_size({"width": NARROWEST, "height": 640})
    if wide := overflow(page):
        found[f"{NARROWEST} px"] = [f"sticks out: {wide}"]
    return found


def violations(page: Page, scheme: Scheme = "light") -> list[str]:
    """What axe-core finds wrong on the page as it stands, one line a finding; in the dark only colours can differ."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if scheme == "dark":
        options["runOnly"] = ["color-contrast", "link-in-text-block"]
    result = page.evaluate("(options) => axe.run(document, options)", options)
    return [
        f"{found['id']} ({found['impact']}): {found['help']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for found in result["violations"]
        for node in found["nodes"]
    ]


def overflow(page: Page) -> str:
    """The widest thing that makes the page scroll sideways; "" when nothing does."""
    return str(
        page.evaluate(
            """() => {
                const limit = document.documentElement.clientWidth;
                if (document.documentElement.scrollWidth <= limit) return "";
                const wide = [...document.body.querySelectorAll("*")]
                    .filter((e) => e.getBoundingClientRect().right > limit + 0.5);
                return wide.length ? wide[wide.length - 1].outerHTML.slice(0, 200) : "something";
            }"""
        )
    )
