"""The pages around the editor: for axe, without scripts, and the dry run."""

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.live import SCHEMES, WIDTHS, Scheme, overflow, violations
from tests.browser.sheet import Sheet

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_editor_is_clean_and_fits(sheet: Sheet, width: int, scheme: Scheme) -> None:
    page = sheet.board.page("ed", width=width, scheme=scheme)
    window = Sheet(sheet.board, page, sheet.name)
    assert (violations(page), overflow(page)) == ([], "")
    window.click(3, "depends_on")
    window.type("gone")
    window.keys("Enter")
    expect(page.locator("#row-end .bad")).to_have_count(1)
    window.click(3, "depends_on")
    window.keys("F2")
    expect(page.locator("#picks")).to_be_visible()
    assert (violations(page), overflow(page)) == ([], "")
    window.keys("Escape")
    window.settle()
    path = f"/processes/{quote(sheet.name)}/"
    for more in ("", "edit/save/", "import/", "try/"):
        sheet.board.go(page, path + more)
        assert (more, violations(page), overflow(page)) == (more, [], "")
    sheet.board.go(page, "/processes/@new/")
    assert (violations(page), overflow(page)) == ([], "")
    sheet.board.go(page, path + "import/")
    page.locator("#pasted").fill("task,name,due\nload,Loaded,soon\nnew,New,1d")
    page.get_by_role("button", name="Show what is in it").click()
    expect(page.get_by_role("heading", name="What it would change")).to_be_visible()
    assert (violations(page), overflow(page)) == ([], "")
    page.close()


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
