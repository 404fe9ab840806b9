"""The pages around the editor: for axe, without scripts, and the dry run."""

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.live import faults, overflow, violations
from tests.browser.sheet import Sheet

pytestmark = pytest.mark.browser


def test_the_editor_is_clean_and_fits(sheet: Sheet) -> None:
    assert faults(sheet.page) == {}
    sheet.click(3, "depends_on")
    sheet.type("gone")
    sheet.keys("Enter")
    expect(sheet.page.locator("#row-end .bad")).to_have_count(1)
    sheet.click(3, "depends_on")
    sheet.keys("F2")
    expect(sheet.page.locator("#picks")).to_be_visible()
    assert faults(sheet.page) == {}


@pytest.mark.parametrize("path", ["", "edit/save/", "import/", "try/", "../@new/"])
def test_the_pages_around_it_are_clean_and_fit(sheet: Sheet, path: str) -> None:
    sheet.click(3, "name")
    sheet.type("The end")
    sheet.keys("Enter")
    sheet.settle()
    sheet.board.go(sheet.page, f"/processes/{quote(sheet.name)}/{path}")
    assert faults(sheet.page) == {}


def test_what_an_import_would_change_is_clean_and_fits(sheet: Sheet) -> None:
    page = sheet.page
    sheet.board.go(page, f"/processes/{quote(sheet.name)}/import/")
    page.locator("#pasted").fill("task,name,due\nload,Loaded,soon\nnew,New,1d")
    page.get_by_role("button", name="Show what is in it").click()
    expect(page.get_by_role("heading", name="What it would change")).to_be_visible()
    assert faults(page) == {}


def test_without_scripts_a_row_is_edited_on_its_own_form(sheet: Sheet) -> None:
    page = sheet.board.page("ed", java_script_enabled=False)
    address = f"{sheet.board.url}/processes/{quote(sheet.name)}/edit/"
    page.goto(address)
    page.locator("#row-end .open-row").click()
    page.get_by_label("name", exact=True).fill("The very end")
    page.get_by_role("button", name="Keep this row").click()
    expect(page.locator("#row-end")).to_contain_text("The very end")
    page.get_by_label("Select end").check()
    page.get_by_role("button", name="Move up").click()
    assert page.locator("#sheet tbody tr").nth(2).get_attribute("id") == "row-end"
    page.close()


def test_a_dry_run_goes_on_where_it_is_played(sheet: Sheet) -> None:
    page = sheet.page
    sheet.board.go(page, f"/processes/{quote(sheet.name)}/try/")
    page.get_by_role("button", name="Load: done").click()
    expect(page.locator("#brought").locator("..")).to_contain_text("QA check opened")
    expect(page.get_by_role("button", name="QA check: false")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#brought").locator("..")).to_contain_text("Fix opened")
    page.get_by_role("button", name="Fix: done").click()
    expect(page.locator("#brought").locator("..")).to_contain_text("QA check put back to open")
    page.get_by_role("button", name="One step back").click()
    expect(page.get_by_role("button", name="Fix: done")).to_be_visible()
    assert (violations(page), overflow(page)) == ([], "")
