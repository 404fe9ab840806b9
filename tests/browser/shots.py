"""Pictures of the main pages for a person to look at: `python -m tests.browser.shots [FOLDER]`."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from board.log.store import Store
from board.log.tail import Tail
from tests.browser import live
from tests.story import tell
from tests.views.boards import say, start

# (account, path, name of the picture)
PAGES: list[tuple[str | None, str, str]] = [
    (None, "/account/login/", "login"),
    ("ana", "/", "work-ana"),
    ("mira", "/", "work-mira"),
    ("olga", "/", "work-olga"),
    ("sam", "/", "work-empty"),
    ("ana", "/instances/", "instances"),
    ("olga", "/instances/-/start/?process=Quarterly%20data%20collection", "start"),
    ("ana", "/instances/2026Q1/", "board"),
    ("ana", "/instances/many/", "board-142"),
    ("ana", "/instances/2026Q1/tasks/review@Rwanda/", "row"),
    ("olga", "/instances/2026Q1/tasks/validate@Japan/", "row-failed"),
    ("ana", "/instances/2026Q1/log/", "log"),
    ("ana", "/instances/2026Q1/files/", "files"),
    ("olga", "/processes/", "processes"),
    ("ed", "/processes/Quarterly%20data%20collection/", "process"),
    ("ed", "/processes/Quarterly%20data%20collection/edit/", "editor"),
    ("olga", "/worker/", "worker"),
    ("olga", "/instances/odd/", "unreadable"),
    ("ana", "/nowhere/", "not-here"),
]


def furnish(tail: Tail, store: Path) -> None:
    """What the story has no need of: files, the log of a failed script, many elements, an instance that is broken."""
    found = Store(store)
    log = found.log_path("2026Q1", "validate", "Japan", 1)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("reading deliveries/Japan.csv\n1704 rows\nValueError: life expectancy of 1952 is 630.3\n")
    for name, text in (("deliveries/Rwanda.csv", "year,lifeExp\n1952,40\n"), ("qa/report.txt", "3 findings\n")):
        path = found.artifacts("2026Q1") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    names = [f"Country {n:03}" for n in range(142)]
    regions = ("Africa", "Asia", "Europe", "Americas")
    start(store, "many", elements=[(name, regions[n % 4]) for n, name in enumerate(names)])
    for n, name in enumerate(names[:90]):
        say(tail, "delivery", "done", name, instance="many")
        say(tail, "validate", "failed" if n % 30 == 7 else "done", name, instance="many", actor="worker", attempt="1")
        if n % 3 == 0 and n % 30 != 7:
            say(tail, "review", "done", name, instance="many", actor="ben")
    say(tail, "@instance", "its process is missing", field="name", instance="odd")


def main(folder: Path) -> None:
    """Every page at both widths and in both schemes."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as here:
        browser = live.launch(playwright)
        prepared = live.prepare(Path(here) / "prepared")
        with live.running(prepared, browser, Path(here)) as board:
            furnish(tell(board.store), board.store)
            for account, path, name in PAGES:
                page = board.go(board.page(account), path)
                for width in live.WIDTHS:
                    page.set_viewport_size({"width": width, "height": 1000 if width > 600 else 780})
                    for scheme in live.SCHEMES:
                        page.emulate_media(color_scheme=scheme)
                        page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
                page.context.close()
                print(f"{name}: {path}")
            for trouble in board.troubles:
                print(f"the console said: {trouble}", file=sys.stderr)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "var/shots"))
