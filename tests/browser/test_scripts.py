"""Scripts as the pages load them: native modules under hashed names, each once, and none that a page does not need."""

import re

import pytest
from playwright.sync_api import Page

from board.log.tail import Tail
from tests.browser.live import Board
from tests.browser.sheet import Sheet

pytestmark = pytest.mark.browser

LOADED = """() => performance.getEntriesByType("resource").map((entry) => new URL(entry.name).pathname)
    .filter((path) => path.startsWith("/static/js/"))"""
HASHED = re.compile(r"/static/js/(.+)\.[0-9a-f]{12}\.js")


def loaded(page: Page) -> list[str]:
    """The scripts of ours that a page has loaded, without their hashes; one without a hash stays as it is."""
    paths: list[str] = page.evaluate(LOADED)
    return [HASHED.sub(r"\1", path) for path in paths]


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("/", "work/work"),
        ("/instances/2026Q1/", "board/board"),
        ("/instances/2026Q1/tasks/review@Rwanda/", "tasks/row"),
    ],
)
def test_every_module_of_a_page_is_loaded_once_by_its_hashed_name(
    board: Board, told: Tail, path: str, entry: str
) -> None:
    scripts = loaded(board.go(board.page("ana"), path))
    assert {"shared/base", "shared/live", entry} <= set(scripts)
    assert len(scripts) == len(set(scripts))
    assert not [script for script in scripts if script.startswith("/")]


def test_every_module_of_the_editor_is_loaded_once_by_its_hashed_name(sheet: Sheet) -> None:
    scripts = loaded(sheet.page)
    assert {"editor/editor", "editor/table", "editor/input/keys"} <= set(scripts)
    assert len(scripts) == len(set(scripts))
    assert not [script for script in scripts if script.startswith("/")]


def test_no_script_leaves_a_name_of_its_own_in_the_window(board: Board, told: Tail) -> None:
    page = board.go(board.page("ana"), "/instances/2026Q1/")
    bare = board.go(board.page(), "/health/")
    names = "() => Object.getOwnPropertyNames(window)"
    grown = set(page.evaluate(names)) - set(bare.evaluate(names))
    assert {name for name in grown if not name.isdigit()} <= {"htmx"}
