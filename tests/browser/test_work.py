"""My work in a browser: live, with the keyboard, and nothing lost."""

import re
import time

import pytest
from playwright.sync_api import Page, Route, expect

from board.log.tail import Tail
from board.services import tasks
from board.services.tasks import Place
from tests.browser import live
from tests.browser.live import Board
from tests.cast import PASSWORD
from tests.story import BEN

pytestmark = pytest.mark.browser


def slowly(route: Route) -> None:
    """A network that takes its time."""
    time.sleep(0.3)
    route.continue_()


def log_in(page: Page, name: str) -> None:
    """By hand."""
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def test_a_manager_logs_in_and_signs_off_with_two_clicks(board: Board, told: Tail) -> None:
    page = board.go(board.page(None), "/")
    log_in(page, "mira")
    page.get_by_role("button", name="approved").first.click()
    expect(page.locator("#say")).to_have_text("Go or no go: answered “approved”.")
    expect(page.get_by_text("Nothing is waiting for you")).to_be_visible()
    assert told.history("Release-4.2", task="go", field="status")[0].event.actor == "mira"


def test_what_others_do_shows_within_a_second_and_the_badge_follows(board: Board, told: Tail) -> None:
    page = board.go(board.page("ana"), "/")
    expect(page.locator(".job")).to_have_count(4)
    tasks.finish(told, "2026Q1", Place("review", "Brazil"), BEN)
    expect(page.locator(".job")).to_have_count(3, timeout=5000)
    expect(page.locator(".badge")).to_have_text("3 open")
    expect(page.locator("#work-lead")).to_contain_text("3 tasks are open")
    tasks.reopen(told, "2026Q1", Place("review", "Brazil"), BEN, "one more look")
    expect(page.get_by_role("heading", name="Review · Brazil")).to_be_visible(timeout=5000)
    expect(page.get_by_text("one more look")).to_be_visible()


def test_a_half_typed_note_survives_what_others_do(board: Board, told: Tail) -> None:
    page = board.go(board.page("ana"), "/")
    brazil = page.locator(".job", has=page.get_by_role("heading", name="Review · Brazil"))
    brazil.locator("summary").click()
    note = brazil.get_by_label("Note")
    note.press_sequentially("half a sen")
    tasks.finish(told, "2026Q1", Place("review", "Kenya"), BEN)
    expect(page.get_by_role("heading", name="Review · Kenya")).to_have_count(0, timeout=5000)
    expect(note).to_be_focused()
    note.press_sequentially("tence")
    expect(note).to_have_value("half a sentence")
    # and now the very task it belongs to is finished by somebody else
    tasks.finish(told, "2026Q1", Place("review", "Brazil"), BEN)
    expect(brazil.locator(".held-note")).to_contain_text("no longer open for you", timeout=5000)
    expect(note).to_have_value("half a sentence")
    brazil.get_by_role("button", name="Finish, with this note").click()
    expect(page.locator("#say")).to_contain_text("ben was first")
    expect(note).to_have_value("half a sentence")


def test_the_focus_goes_to_the_next_card_and_ten_tasks_need_no_mouse(board: Board, told: Tail) -> None:
    page = board.go(board.page("ana"), "/")
    for left in (3, 2, 1, 0):
        page.locator(".job").first.get_by_role("button", name=re.compile(r"^Finish\b")).focus()
        page.keyboard.press("Enter")
        expect(page.locator(".job")).to_have_count(left)
        assert page.evaluate("document.activeElement !== document.body")
    expect(page.get_by_text("Nothing is waiting for you")).to_be_visible()


def test_a_double_click_is_one_event(board: Board, told: Tail) -> None:
    page = board.page("ana")
    page.route("**/work/2026Q1/**", slowly)
    board.go(page, "/")
    page.locator(".job").first.get_by_role("button", name=re.compile(r"^Finish\b")).dblclick()
    expect(page.locator(".job")).to_have_count(3)
    assert len(told.history("2026Q1", task="review", element="Rwanda", field="status")) == 1


def test_without_scripts_everything_works_by_forms(board: Board, told: Tail) -> None:
    page = board.go(board.page("mira", java_script_enabled=False), "/")
    page.locator("summary", has_text="rejected").click()
    page.get_by_role("button", name="rejected", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("asks for a note")
    page.get_by_label("Why?").fill("Not before the tests are green")
    page.get_by_role("button", name="rejected", exact=True).click()
    expect(page.get_by_text("answered “rejected”")).to_be_visible()
    assert told.history("Release-4.2", task="go", field="note")[0].event.value == "Not before the tests are green"


def test_an_expired_login_is_healed_in_place_and_the_note_is_still_there(board: Board, told: Tail) -> None:
    page = board.go(board.page("mira"), "/")
    page.locator("summary", has_text="rejected").click()
    page.get_by_label("Why?").fill("typed before the login expired")
    page.context.clear_cookies(name="foldboard_session")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible(timeout=10000)
    assert live.violations(page) == []
    dialog.get_by_label("Username").fill("mira")
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Log in").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_label("Why?")).to_have_value("typed before the login expired")
    page.get_by_role("button", name="rejected", exact=True).click()
    expect(page.locator("#say")).to_contain_text("answered “rejected”")
    assert told.history("Release-4.2", task="go", field="note")[0].event.value == "typed before the login expired"


def test_a_form_sent_after_the_login_expired_is_asked_about_and_then_sent(board: Board, told: Tail) -> None:
    page = board.go(board.page("mira", java_script_enabled=False), "/")
    page.locator("summary", has_text="rejected").click()
    page.get_by_label("Why?").fill("kept over the login")
    page.context.clear_cookies(name="foldboard_session")
    page.get_by_role("button", name="rejected", exact=True).click()
    expect(page.get_by_text("Your login had expired")).to_be_visible()
    log_in(page, "mira")
    expect(page.get_by_text("Your form has not been sent yet")).to_be_visible()
    looked_at = board.page()
    looked_at.context.add_cookies(page.context.cookies())  # type: ignore[arg-type]
    assert live.faults(board.go(looked_at, "/account/resume/")) == {}
    assert not told.history("Release-4.2", task="go", field="status")
    page.get_by_role("button", name="Send it now").click()
    expect(page.get_by_text("answered “rejected”")).to_be_visible()
    assert told.history("Release-4.2", task="go", field="note")[0].event.value == "kept over the login"


def test_after_a_logout_back_shows_the_login(board: Board, told: Tail) -> None:
    page = board.go(board.page(None), "/")
    log_in(page, "ana")  # a session of its own: the others go on with theirs
    page.locator("summary.me").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
