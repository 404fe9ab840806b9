"""Pictures of the main pages for a person to look at: `python -m tests.browser.shots [FOLDER]`."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import live
from tests.story import tell

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
    ("ana", "/instances/2026Q1/tasks/review@Rwanda/", "row"),
    ("ana", "/instances/2026Q1/log/", "log"),
    ("ana", "/instances/2026Q1/files/", "files"),
    ("olga", "/processes/", "processes"),
    ("ed", "/processes/Quarterly%20data%20collection/", "process"),
    ("olga", "/worker/", "worker"),
    ("ana", "/nowhere/", "not-here"),
]


def main(folder: Path) -> None:
    """Every page at both widths and in both schemes."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as here:
        browser = live.launch(playwright)
        prepared = live.prepare(Path(here) / "prepared")
        with live.running(prepared, browser, Path(here)) as board:
            tell(board.store)
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
