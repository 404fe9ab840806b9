"""What is typed in the editor is kept: two windows, two people, a lost line, an expired login, going away."""

import pytest
from playwright.sync_api import Route, expect

from board.log.tail import shared
from tests.browser.sheet import Sheet, slow

pytestmark = pytest.mark.browser


def test_two_windows_never_overwrite_one_another(sheet: Sheet) -> None:
    other = Sheet(sheet.board, sheet.page.context.new_page(), sheet.name)
    sheet.click(0, "name")
    sheet.type("first window")
    sheet.keys("Enter")
    sheet.settle()
    other.click(1, "name")
    other.type("second window")
    other.keys("Enter")
    expect(other.page.locator("#ed-not-taken")).to_contain_text("edited elsewhere")
    expect(other.page.locator("#ed-not-taken")).to_contain_text("second window")
    assert other.shown("name")[:2] == ["first window", "QA check"]
    other.click(1, "name")
    other.type("again")
    other.keys("Enter")
    assert other.kept("name")[:2] == ["first window", "again"]


def test_two_editors_are_merged_and_asked_where_they_collide(sheet: Sheet) -> None:
    admin = Sheet(sheet.board, sheet.board.page("admin"), sheet.name)
    for window, row, text in ((sheet, 0, "Load by Ed"), (sheet, 3, "End by Ed"), (admin, 3, "End by Admin")):
        window.click(row, "name")
        window.type(text)
        window.keys("Enter")
    admin.settle()
    admin.page.locator("#ed-save").click()
    admin.page.get_by_label("Why?").fill("theirs")
    admin.page.get_by_role("button", name="Save as a new version").click()
    expect(admin.page.get_by_text("Saved as version")).to_be_visible()
    sheet.settle()
    sheet.page.locator("#ed-save").click()
    expect(sheet.page.get_by_text("1 place you both changed")).to_be_visible()
    sheet.page.get_by_role("radio", name="Mine End by Ed").check()
    sheet.page.get_by_role("button", name="Save as a new version").click()
    expect(sheet.page.get_by_text("Saved as version")).to_be_visible()
    newest = shared(sheet.board.store).definition(sheet.name)
    assert newest is not None
    assert [row.name for row in newest.table.rows] == ["Load by Ed", "QA check", "Fix", "End by Ed"]
    admin.page.close()


def test_a_lost_line_is_said_and_what_was_typed_is_sent_when_it_is_back(sheet: Sheet) -> None:
    page = sheet.page
    page.context.set_offline(True)
    sheet.click(0, "name")
    for word in ("typed", "without", "a line"):
        sheet.type(word)
        sheet.keys("Enter")
    expect(page.locator("#ed-lost")).to_contain_text("3 changes are kept here")
    assert sheet.shown("name")[:3] == ["typed", "without", "a line"]
    page.context.set_offline(False)
    expect(page.locator("#ed-lost")).to_be_hidden()
    assert sheet.kept("name")[:3] == ["typed", "without", "a line"]


def test_an_edit_whose_answer_was_lost_is_made_once(sheet: Sheet) -> None:
    lost: list[int] = []

    def lose(route: Route) -> None:
        if lost:
            return route.continue_()
        lost.append(route.fetch().status)  # the board took it
        return route.abort()

    sheet.page.route("**/edit/op/", lose)
    sheet.click(0, "name")
    sheet.page.get_by_role("button", name="+ Row").click()
    assert sheet.kept("task") == ["load", "qa", "fix", "end"]
    assert sheet.shown("task") == ["load", "", "qa", "fix", "end"]
    assert lost == [200]


def test_a_login_that_expired_is_laid_over_and_the_edit_is_sent_after_it(sheet: Sheet) -> None:
    page = sheet.page
    page.context.clear_cookies()
    sheet.click(0, "name")
    sheet.type("kept over the login")
    sheet.keys("Enter")
    dialog = page.locator("dialog.login-over")
    expect(dialog).to_be_visible()
    expect(page.locator("#ed-lost")).to_contain_text("Your login has expired")
    dialog.get_by_label("Password").fill("right-horse-battery")
    dialog.get_by_role("button", name="Log in").click()
    expect(dialog).to_have_count(0)
    expect(page.locator("#ed-lost")).to_be_hidden()
    expect(page.locator("#say")).to_have_text("You are logged in again. What you typed is sent now.")
    assert sheet.kept("name")[0] == "kept over the login"


def test_a_login_in_another_window_does_not_stop_the_edits(sheet: Sheet) -> None:
    other = sheet.board.page()
    other.goto(sheet.board.url + "/account/login/")
    other.get_by_label("Username").fill("ed")
    other.get_by_label("Password").fill("right-horse-battery")
    other.get_by_role("button", name="Log in").click()
    other.wait_for_url("**/")
    sheet.page.context.clear_cookies()
    for cookie in other.context.cookies():  # another session, another token
        sheet.page.context.add_cookies([{"name": cookie["name"], "value": cookie["value"], "url": sheet.board.url}])
    sheet.click(0, "name")
    sheet.type("still taken")
    sheet.keys("Enter")
    assert sheet.kept("name")[0] == "still taken"


def test_leaving_by_a_button_waits_for_what_was_typed(sheet: Sheet) -> None:
    page = sheet.page
    slow(page)
    sheet.click(0, "name")
    sheet.type("in time")
    page.get_by_role("link", name="Dry run").click()
    page.wait_for_url("**/try/?draft=1")
    expect(page.locator("#try")).to_contain_text("in time")


def test_the_draft_is_there_again_after_coming_back(sheet: Sheet) -> None:
    sheet.click(0, "name")
    sheet.type("tomorrow")
    sheet.keys("Enter")
    sheet.settle()
    sheet.open()
    assert sheet.shown("name")[0] == "tomorrow"
    expect(sheet.page.locator("#ed-meta")).to_contain_text("1 change")
    assert sheet.page.get_by_role("button", name="Undo").is_enabled()
