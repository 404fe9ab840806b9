"""Chromium and a live board: `board.page("ana")` is a window logged in as ana."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser import live

# a busy machine is no fault of the page; how fast things are is what the benchmarks measure
expect.set_options(timeout=15_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests; every window has cookies of its own."""
    with sync_playwright() as playwright:
        chromium = live.launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> live.Prepared:
    """The accounts and the collected files, made once."""
    return live.prepare(tmp_path_factory.mktemp("prepared"))


@pytest.fixture(scope="module")
def board(
    prepared: live.Prepared, browser: Browser, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[live.Board]:
    """A live board for the tests of one file, over an empty store; a console complaint of any window fails the file."""
    folder: Path = tmp_path_factory.mktemp("live")
    with live.running(prepared, browser, folder) as running:
        yield running
    assert running.troubles == []
