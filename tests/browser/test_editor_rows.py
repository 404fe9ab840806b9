"""Rows of the editor: begun, moved, copied in blocks, grouped; their problems and their picture."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.sheet import Sheet, slow

pytestmark = pytest.mark.browser


def test_a_group_can_be_typed_into_at_once(sheet: Sheet) -> None:
    slow(sheet.page)
    sheet.click(1, "task")
    sheet.keys("Shift+ArrowDown")
    sheet.page.locator("#per").fill("unit, by name")
    sheet.page.locator("#per").press("Enter")
    assert sheet.shown("task") == ["load", "each_unit__by_name", "qa", "fix", "end"]
    sheet.type("Every unit")
    sheet.keys("Enter")
    assert sheet.kept("name") == ["Load", "Every unit", "QA check", "Fix", "End"]
    assert sheet.kept("task") == sheet.shown("task")
    assert sheet.kept("parent") == sheet.shown("parent")


def test_a_row_is_begun_by_typing_below_the_last_one(sheet: Sheet) -> None:
    sheet.click(4, "task")
    sheet.type("publish")
    sheet.keys("Tab")
    sheet.type("Publish")
    sheet.keys("Enter")
    assert sheet.at == (5, "task")
    assert sheet.kept("task") == ["load", "qa", "fix", "end", "publish"]
    expect(sheet.page.locator("#row-publish")).to_contain_text("Publish")


def test_rows_move_by_key_and_the_place_goes_with_them(sheet: Sheet) -> None:
    sheet.click(3, "name")
    sheet.keys("Alt+ArrowUp", "Alt+ArrowUp")
    assert sheet.at == (1, "name")
    assert sheet.shown("task") == ["load", "end", "qa", "fix"]
    sheet.keys("Shift+ArrowDown", "Alt+ArrowDown")
    assert sheet.kept("task") == ["load", "fix", "end", "qa"]
    sheet.keys("Alt+ArrowDown")  # at the end already
    assert sheet.kept("task") == ["load", "fix", "end", "qa"]


def test_ticked_rows_are_copied_removed_and_wrapped_in_a_group(sheet: Sheet) -> None:
    page = sheet.page
    page.get_by_label("Select qa").check()
    page.get_by_label("Select fix").check()
    page.locator("#per").fill("unit")
    page.get_by_role("button", name="Repeat per").click()
    expect(page.locator("#row-each_unit")).to_contain_text("For each unit")
    assert sheet.kept("parent") == ["", "", "each_unit", "each_unit", ""]
    page.get_by_role("button", name="Ungroup").click()
    expect(page.locator("#row-each_unit")).to_have_count(0)
    page.get_by_label("Select load").check()
    page.get_by_role("button", name="Duplicate").click()
    assert sheet.kept("task") == ["load", "load_2", "qa", "fix", "end"]
    page.get_by_role("button", name="Remove").click()
    assert sheet.kept("task") == ["load_2", "qa", "fix", "end"]


def test_a_block_goes_to_a_spreadsheet_and_back(sheet: Sheet) -> None:
    sheet.click(0, "task")
    sheet.keys("Shift+ArrowRight", "Shift+ArrowDown")
    assert sheet.copied() == "load\tLoad\nqa\tQA check"
    sheet.click(3, "task")
    sheet.paste('a\tA\r\nb\t"B ""quoted""\nover two lines"\r\n')
    assert sheet.kept("task") == ["load", "qa", "fix", "a", "b"]
    assert sheet.kept("name")[3:] == ["A", 'B "quoted"\nover two lines']
    sheet.click(0, "role")
    sheet.keys("Shift+ArrowDown", "Shift+ArrowDown")
    sheet.paste("steward")
    assert sheet.kept("role")[:4] == ["steward", "steward", "steward", "management"]


def test_a_block_with_headings_goes_into_its_columns(sheet: Sheet) -> None:
    sheet.click(4, "name")
    sheet.paste("task\tdue\tRole\tDepends on\nsign\t2d\tmanagement\tend\n")
    assert sheet.kept("task")[4] == "sign"
    assert (sheet.kept("due")[4], sheet.kept("role")[4], sheet.kept("depends_on")[4]) == ("2d", "management", "end")


def test_a_row_is_dragged_by_its_number(sheet: Sheet) -> None:
    page = sheet.page
    source = page.locator("#row-end .sel").bounding_box()
    target = page.locator("#row-qa").bounding_box()
    assert source is not None
    assert target is not None
    page.mouse.move(source["x"] + source["width"] - 8, source["y"] + 10)
    page.mouse.down()
    page.mouse.move(target["x"] + 30, target["y"] + 4, steps=4)
    expect(page.locator("#row-qa")).to_have_class(re.compile("drop"))
    page.mouse.up()
    assert sheet.kept("task") == ["load", "end", "qa", "fix"]
    assert sheet.at == (1, "task")


def test_a_problem_is_beside_its_cell_and_the_list_leads_there(sheet: Sheet) -> None:
    page = sheet.page
    sheet.click(3, "depends_on")
    sheet.type("gone")
    sheet.keys("Enter")
    cell = page.locator("#row-end .c-depends_on")
    expect(cell).to_have_attribute("aria-invalid", "true")
    said = page.locator(f"#{cell.get_attribute('aria-describedby')}")
    expect(said).to_contain_text("There is no task “gone”")
    expect(page.locator("#ed-save")).to_have_attribute("aria-disabled", "true")
    sheet.click(0, "name")
    page.locator("#problems a").first.click()
    assert sheet.at == (3, "depends_on")
    sheet.type("qa:true")
    sheet.keys("Enter")
    expect(page.locator("#problems")).to_contain_text("No problems")
    expect(page.locator("#row-end .c-depends_on")).not_to_have_attribute("aria-invalid", "true")


def test_a_problem_of_a_seldom_column_leads_to_its_field(sheet: Sheet) -> None:
    page = sheet.page
    sheet.click(3, "more")
    due = page.get_by_label("due", exact=True)
    due.fill("soon")
    due.press("Enter")
    expect(page.locator("#row-end .c-more")).to_have_class(re.compile("bad"))
    sheet.click(0, "name")
    page.locator("#problems a").first.click()
    expect(due).to_be_focused()
    expect(due).to_have_attribute("aria-invalid", "true")
    due.fill("2d")
    due.press("Tab")
    assert sheet.kept("due")[3] == "2d"
    expect(due).not_to_have_attribute("aria-invalid", "true")


def test_the_picture_is_drawn_anew_and_leads_to_the_row(sheet: Sheet) -> None:
    page = sheet.page
    sheet.click(0, "name")
    sheet.type("Fetch the figures")
    sheet.keys("Enter")
    expect(page.locator("#picture")).to_contain_text("Fetch the")
    page.locator("#picture a").filter(has_text="End").click()
    assert sheet.at == (3, "task")
