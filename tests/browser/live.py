"""A real board for a real browser: gunicorn on a free port with accounts, collected files and a store of its own."""

import json
import os
import secrets
import shutil
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
Scheme = Literal["light", "dark"]
WIDTHS = (360, 1600)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def launch(playwright: Playwright) -> Browser:
    """The system's Chromium, without a window and without calls to its makers."""
    return playwright.chromium.launch(executable_path=tool("chromium"), args=CHROMIUM_FLAGS)


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


@dataclass
class Board:
    """A running board: where it is, its store, and browsers looking at it."""

    url: str
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

    def go(self, page: Page, path: str) -> Page:
        """Open a path of this board."""
        page.goto(self.url + path)
        return page

    def _heard(self, message: ConsoleMessage) -> None:
        # an answer of 4xx is said by the page; everything else, a broken policy above all, is a fault
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.troubles.append(message.text)

    def close(self) -> None:
        """Close the windows."""
        for context in self.contexts:
            context.close()


@contextmanager
def running(prepared: Prepared, browser: Browser, folder: Path, **settings: str) -> Iterator[Board]:
    """A board over a copy of the prepared accounts and an empty store, ended at exit."""
    var = folder / "var"
    shutil.copytree(prepared.var, var)
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "board.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--worker-class", "gthread", "--threads", "8", "--keep-alive", "15", "--no-control-socket"]
    env = environment(var, prepared.static, FOLDBOARD_SECRET_KEY=prepared.key, **settings)
    with (folder / "gunicorn.log").open("wb") as log:
        server = subprocess.Popen([*command, "--graceful-timeout", "1"], cwd=ROOT, env=env, stdout=log, stderr=log)
    board = Board(f"http://127.0.0.1:{port}", var / "store", browser, prepared.sessions)
    try:
        _wait_for(board.url + "/health/", server, folder / "gunicorn.log")
        yield board
    finally:
        board.close()
        server.terminate()
        server.wait(10)


def _wait_for(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(300):
        if server.poll() is not None:
            break
        try:
            with urlopen(url, timeout=2):
                return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise RuntimeError(f"gunicorn did not come up:\n{log.read_text()}")


def faults(page: Page) -> dict[str, list[str]]:
    """What is wrong with a page at every width in both schemes: what axe finds, and what sticks out of the window."""
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 1000 if width > 600 else 780})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            wide = overflow(page)
            said = violations(page) + ([f"sticks out: {wide}"] if wide else [])
            if said:
                found[f"{width} px, {scheme}"] = said
    return found


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong on the page as it stands, one line a finding."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    result = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
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
