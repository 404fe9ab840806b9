"""A process of its own in the editor, with the hands to work on it."""

from __future__ import annotations

from itertools import count
from urllib.parse import quote

from playwright.sync_api import Page

from board.log.tail import shared
from board.process.definition.table import ProcessTable
from board.services import definitions
from board.services.actor import anybody
from tests.browser.live import Board

ROWS: list[dict[str, str | None]] = [
    {"task": "load", "name": "Load", "role": "analyst"},
    {"task": "qa", "name": "QA check", "role": "steward", "depends_on": "load, fix"},
    {"task": "fix", "name": "Fix", "role": "analyst", "depends_on": "qa:false"},
    {"task": "end", "name": "End", "role": "management", "depends_on": "qa:true"},
]
COLUMNS = ("sel", "task", "name", "role", "depends_on", "script", "collection", "parent", "more")
_numbers = count(1)


class Sheet:
    """A window with a process of its own in the editor."""

    def __init__(self, board: Board, page: Page, name: str) -> None:
        self.board, self.page, self.name = board, page, name
        self.open()

    def open(self) -> None:
        self.board.go(self.page, f"/processes/{quote(self.name)}/edit/")
        self.page.locator(".scripted").wait_for()

    def click(self, row: int, column: str) -> None:
        self.page.locator("#sheet tbody tr").nth(row).locator("td").nth(COLUMNS.index(column)).click()

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    @property
    def at(self) -> tuple[int, str]:
        """The cell that has the focus."""
        found = self.page.evaluate(
            "() => { const td = document.activeElement.closest('td');"
            " return td ? [Number(td.parentElement.dataset.n), td.cellIndex] : [-1, 0]; }"
        )
        return found[0], COLUMNS[found[1]]

    def _module(self, name: str) -> str:
        """The address, with its hash, from which the page has loaded a module of the editor."""
        url: str = self.page.evaluate(
            "(name) => performance.getEntriesByType('resource').map((entry) => entry.name)"
            ".find((url) => url.includes(`/js/editor/${name}.`))",
            name,
        )
        return url

    def shown(self, column: str) -> list[str]:
        """The texts of a column as the page has them, edits on their way included."""
        place = COLUMNS.index(column)
        found: list[str] = self.page.evaluate(
            "async ([url, place]) => (await import(url)).table.view.map((row) => row.texts[place])",
            [self._module("table"), place - 1],
        )
        return found

    def settle(self) -> None:
        """Wait until the board has taken every edit."""
        self.page.evaluate("async (url) => (await import(url)).settled()", self._module("queue"))

    def kept(self, column: str) -> list[str]:
        """The texts of a column as the board has them in the draft."""
        self.settle()
        answer = self.page.request.get(f"{self.board.url}/processes/{quote(self.name)}/export/?format=json&draft=1")
        return [row.get(column, "") for row in rows_of(answer.json())]

    def copied(self) -> str:
        """What a copy of the selected cells puts on the clipboard."""
        found: str = self.page.evaluate(
            "() => { const data = new DataTransfer(); document.activeElement.dispatchEvent("
            "new ClipboardEvent('copy', {clipboardData: data, bubbles: true, cancelable: true}));"
            " return data.getData('text/plain'); }"
        )
        return found

    def paste(self, text: str) -> None:
        self.page.evaluate(
            "(text) => { const data = new DataTransfer(); data.setData('text/plain', text);"
            " document.activeElement.dispatchEvent("
            "new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})); }",
            text,
        )


def slow(page: Page) -> None:
    """Every question takes half a second from now on."""
    page.evaluate(
        "() => { const ask = window.fetch; window.fetch = async (...what) => {"
        " await new Promise((go) => setTimeout(go, 500)); return ask(...what); }; }"
    )


def rows_of(said: object) -> list[dict[str, str]]:
    rows = said["rows"] if isinstance(said, dict) and "rows" in said else said
    assert isinstance(rows, list)
    return rows


def opened(board: Board) -> Sheet:
    """A new process in a window of ed's."""
    name = f"Process {next(_numbers)}"
    definitions.save(shared(board.store), anybody("admin"), name, ProcessTable.from_rows(ROWS), "first")
    return Sheet(board, board.page("ed"), name)
