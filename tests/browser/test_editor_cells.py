"""Cells of the editor: the keyboard as in a spreadsheet, undo, picking, finding."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.sheet import Sheet, slow

pytestmark = pytest.mark.browser


def test_arrows_tab_and_enter_go_as_in_a_spreadsheet(sheet: Sheet) -> None:
    sheet.click(0, "task")
    sheet.keys("ArrowRight", "ArrowDown")
    assert sheet.at == (1, "name")
    sheet.keys("Tab", "Tab", "Enter")  # Enter goes back below where Tab began
    assert sheet.at == (2, "name")
    sheet.keys("Shift+Tab")
    assert sheet.at == (2, "task")
    sheet.keys("Shift+Enter")
    assert sheet.at == (1, "task")
    sheet.keys("End")
    assert sheet.at == (1, "parent")
    sheet.keys("Home")
    assert sheet.at == (1, "task")
    sheet.keys("Control+ArrowDown")
    assert sheet.at == (3, "task")
    sheet.keys("Control+Home")
    assert sheet.at == (0, "task")
    sheet.keys("ArrowUp", "ArrowLeft", "ArrowLeft")
    assert sheet.at == (0, "sel")


def test_tab_leaves_the_table_after_escape(sheet: Sheet) -> None:
    sheet.click(0, "name")
    sheet.keys("Escape", "Tab")
    assert sheet.at[0] == -1
    assert sheet.page.evaluate("document.activeElement.closest('#editor') !== null")
    sheet.keys("Shift+Tab")
    assert sheet.at == (0, "name")


def test_typing_overwrites_f2_edits_escape_leaves_it_as_it_was(sheet: Sheet) -> None:
    sheet.click(0, "name")
    sheet.type("Fetch")
    sheet.keys("Enter")
    assert sheet.at == (1, "name")
    sheet.keys("F2")
    sheet.type("!")
    sheet.keys("Tab")
    assert sheet.at == (1, "role")
    sheet.keys("ArrowLeft", "ArrowDown")
    sheet.type("never")
    sheet.keys("Escape")
    assert sheet.at == (2, "name")
    assert sheet.shown("name") == ["Fetch", "QA check!", "Fix", "End"]
    assert sheet.kept("name") == ["Fetch", "QA check!", "Fix", "End"]


def test_fast_typing_waits_for_nothing_and_loses_nothing(sheet: Sheet) -> None:
    slow(sheet.page)
    sheet.click(0, "name")
    words = ["Seven", "swift", "words", "typed"]
    for word in words:
        sheet.type(word)
        sheet.keys("Enter")
    assert sheet.shown("name") == words
    assert sheet.kept("name") == words


def test_delete_clears_the_selected_cells(sheet: Sheet) -> None:
    sheet.click(0, "name")
    sheet.keys("Shift+ArrowDown", "Shift+ArrowRight", "Delete")
    assert sheet.shown("name") == ["", "", "Fix", "End"]
    assert sheet.kept("role") == ["", "", "analyst", "management"]


def test_undo_and_redo_by_key(sheet: Sheet) -> None:
    sheet.click(0, "name")
    sheet.type("one")
    sheet.keys("Enter", "ArrowUp")
    sheet.type("two")
    sheet.keys("Enter", "Control+z")
    assert sheet.kept("name")[0] == "one"
    sheet.keys("Control+z")
    assert sheet.kept("name")[0] == "Load"
    sheet.keys("Control+y")
    assert sheet.kept("name")[0] == "one"
    assert sheet.at == (1, "name")


def test_a_cell_typed_right_after_an_undo_finds_its_row(sheet: Sheet) -> None:
    sheet.click(0, "name")
    sheet.keys("Alt+ArrowDown")
    sheet.settle()
    slow(sheet.page)
    sheet.click(2, "name")
    sheet.keys("Control+z", "ArrowUp")  # Load is still in the second row when its name is typed over
    sheet.type("Loaded")
    sheet.keys("Enter")
    assert sheet.kept("task") == ["load", "qa", "fix", "end"]
    assert sheet.kept("name") == ["Loaded", "QA check", "Fix", "End"]
    expect(sheet.page.locator("#ed-not-taken")).to_be_hidden()


def test_what_a_task_waits_for_is_picked_from_a_list_with_its_answers(sheet: Sheet) -> None:
    page = sheet.page
    sheet.click(3, "depends_on")
    sheet.keys("F2")
    picks = page.locator("#picks")
    expect(picks.get_by_role("option", name="qa · only true")).to_have_attribute("aria-selected", "true")
    sheet.type(", loa")
    sheet.keys("ArrowDown", "Enter")
    expect(page.locator("input.cell-edit")).to_have_value("qa:true, load, ")
    picks.get_by_role("option", name="qa · only false").click()
    picks.get_by_role("option", name="qa · only true").click()  # picked again: no longer waited for
    sheet.keys("Enter")
    assert sheet.kept("depends_on")[3] == "load, qa:false"
    expect(page.locator("#row-end .c-depends_on")).to_contain_text("QA check false")


def test_any_answer_can_be_typed(sheet: Sheet) -> None:
    sheet.click(3, "depends_on")
    sheet.type("qa:perhaps")
    sheet.keys("Enter")
    assert sheet.kept("depends_on")[3] == "qa:perhaps"
    sheet.click(3, "role")
    sheet.type("stew")
    sheet.keys("ArrowDown", "Enter")
    assert sheet.kept("role")[3] == "steward"


def test_a_new_id_is_told_and_followed(sheet: Sheet) -> None:
    sheet.click(1, "task")
    sheet.type("check")
    sheet.keys("Enter")
    assert sheet.kept("depends_on") == ["", "load, fix", "check:false", "check:true"]
    expect(sheet.page.locator("#say")).to_contain_text("“qa” is “check” now")


def test_ctrl_s_goes_to_saving_with_what_is_being_typed(sheet: Sheet) -> None:
    sheet.click(0, "name")
    sheet.type("Still typing")
    sheet.keys("Control+s")
    sheet.page.wait_for_url("**/edit/save/")
    expect(sheet.page.locator("ins")).to_have_text("Still typing")


def test_find_goes_from_hit_to_hit(sheet: Sheet) -> None:
    page = sheet.page
    sheet.click(0, "task")
    sheet.keys("Control+f")
    sheet.type("qa")
    expect(page.locator("#found")).to_have_text("1 of 4")
    sheet.keys("Enter")
    expect(page.locator("#found")).to_have_text("2 of 4")
    sheet.keys("Shift+Enter")
    expect(page.locator("td.at")).to_have_class(re.compile("c-task"))
    sheet.keys("Escape")
    assert sheet.at == (1, "task")
    expect(page.locator("td.hit")).to_have_count(0)
