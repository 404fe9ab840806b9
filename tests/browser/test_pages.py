"""The pages of work, worker, processes and accounts: nothing for axe to find, nothing cut off."""

import re

import pytest
from playwright.sync_api import expect

from board.log.tail import Tail
from tests.browser.live import WIDTHS, Board, faults, overflow, violations
from tests.story import COLLECTION
from tests.views.boards import say

pytestmark = pytest.mark.browser

PAGES = [
    ("ana", "/"),
    ("mira", "/"),
    ("olga", "/"),
    ("nobody", "/"),
    ("ana", "/worker/"),
    ("olga", "/processes/"),
    ("ana", "/processes/Quarterly%20data%20collection/"),
    ("ana", "/account/password/"),
    ("ana", "/nowhere/"),
    ("olga", "/instances/odd/"),
    (None, "/account/login/"),
]


@pytest.fixture
def odd(told: Tail) -> None:
    say(told, "@instance", "its process is missing", field="name", instance="odd")


@pytest.mark.parametrize(("name", "path"), PAGES)
def test_axe_finds_nothing_and_nothing_is_cut_off(board: Board, odd: None, name: str | None, path: str) -> None:
    page = board.go(board.page(name), path)
    assert faults(page) == {}
    page.context.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_open_menus_and_notes_are_as_good_as_the_page(board: Board, told: Tail, width: int) -> None:
    page = board.go(board.page("mira", width=width), "/")
    page.locator("summary", has_text="rejected").click()
    page.get_by_label("Why?").fill("not yet")
    assert violations(page) == []
    assert overflow(page) == ""
    page.keyboard.press("Escape")
    page.locator("summary.me").click()
    assert page.get_by_role("button", name="Log out").is_visible()
    assert violations(page) == []
    assert overflow(page) == ""


def test_everything_is_reached_with_the_keyboard_and_the_focus_is_seen(board: Board, told: Tail) -> None:
    page = board.go(board.page("ana"), "/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        text = " ".join(page.evaluate("document.activeElement.textContent").split())
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        if page.evaluate("document.activeElement === document.body"):
            break
        assert outline != "none", text
        seen.add(text.split(":")[0])
    assert {"Finish", "Take", "Start", "Review · Rwanda"} <= seen


def test_the_admin_works_under_the_same_strict_policy(board: Board, told: Tail) -> None:
    page = board.page("admin")
    for path in ("/admin/", "/admin/auth/user/", "/admin/auth/user/add/", "/admin/auth/group/1/change/"):
        board.go(page, path)
        assert page.locator("h1").count()
    # the console said nothing, or the board's fixture fails


def test_the_elements_of_last_time_fill_the_form_that_was_begun(board: Board, told: Tail) -> None:
    page = board.go(board.page("olga"), "/instances/-/start/")
    page.get_by_label("Id", exact=True).fill("2026Q2")
    page.get_by_label("Process").select_option("Release")
    expect(page.get_by_text("Same elements as last time")).to_have_count(0)
    page.get_by_label("Process").select_option(COLLECTION)
    page.get_by_text("Same elements as last time").click()
    expect(page.get_by_label("Elements", exact=True)).to_have_value(re.compile("Rwanda\tAfrica\tana\n"))
    assert page.get_by_label("Id", exact=True).input_value() == "2026Q2"
    assert violations(page) == []
    page.context.close()
