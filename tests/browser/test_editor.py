"""The editor in a real browser: the keyboard as in a spreadsheet, undo, blocks, picking, two windows, a lost line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Route, expect

from board.log.tail import shared
from board.process.table import ProcessTable
from board.services import definitions
from board.services.actor import anybody
from tests.browser.live import SCHEMES, WIDTHS, Board, Scheme, overflow, violations

pytestmark = pytest.mark.browser
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

    def shown(self, column: str) -> list[str]:
        """The texts of a column as the page has them, edits on their way included."""
        place = COLUMNS.index(column)
        found: list[str] = self.page.evaluate(
            "(place) => Foldboard.editor.view.map((row) => row.texts[place])", place - 1
        )
        return found

    def settle(self) -> None:
        """Wait until the board has taken every edit."""
        self.page.evaluate("() => Foldboard.editor.settled()")

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


@pytest.fixture
def sheet(board: Board) -> Iterator[Sheet]:
    name = f"Process {next(_numbers)}"
    definitions.save(shared(board.store), anybody("admin"), name, ProcessTable.from_rows(ROWS), "first")
    page = board.page("ed")
    yield Sheet(board, page, name)
    page.close()


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
