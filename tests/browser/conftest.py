"""Chromium and a live board: `board.page("ana")` is a window logged in as ana."""

import shutil
from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from board.log.event import Event
from board.log.tail import Tail, shared
from tests.browser import live
from tests.browser.sheet import Sheet, opened
from tests.story import tell

# a busy machine is no fault of the page; how fast things are is what the benchmarks measure
expect.set_options(timeout=15_000)
_TOLD = count(1)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives Chromium."""
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One Chromium for all tests; every window has cookies of its own."""
    chromium = live.launch(playwright)
    yield chromium
    chromium.close()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> live.Prepared:
    """The accounts and the collected files, made once."""
    return live.prepare(tmp_path_factory.mktemp("prepared"))


@pytest.fixture(scope="session")
def served(prepared: live.Prepared, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[live.Board]:
    """One live board for all files: starting one takes longer than most tests."""
    with live.running(prepared, browser, tmp_path_factory.mktemp("live")) as running:
        yield running


@pytest.fixture
def board(served: live.Board) -> Iterator[live.Board]:
    """The live board; its windows are closed after the test, which a complaint on any of their consoles fails."""
    yield served
    served.close()
    troubles, served.troubles = served.troubles, []
    assert troubles == []


@pytest.fixture
def told(board: live.Board) -> Tail:
    """The live board's store with nothing in it but the story of tests/story.py."""
    for each in board.store.glob("*"):
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    # a first line of its own makes it another log, should the file get the number of the one before
    mark = Event("2026-01-01T00:00:00Z", f"told-{next(_TOLD)}", "x", "status", "open", "x")
    with shared(board.store).acting() as acting:
        acting.append([mark])
    return tell(board.store)


@pytest.fixture
def sheet(board: live.Board) -> Sheet:
    """A process of its own, open in the editor."""
    return opened(board)
