"""The board while others work: what changes is seen at once, what is being used stays as it is."""

import itertools
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from board.log.store import log_name
from board.log.tail import Tail
from tests.browser.live import Board
from tests.cast import PASSWORD
from tests.views.boards import say, start
from tests.views.test_worker import serve

pytestmark = pytest.mark.browser
NUMBERS = itertools.count(1)


class Scene:
    """One instance of its own on the live board, and what others do to it."""

    def __init__(self, board: Board, elements: int = 0) -> None:
        self.board, self.id = board, f"live-{next(NUMBERS)}"
        more = [(f"e{n:03}", "Africa") for n in range(elements)]
        self.tail: Tail = start(board.store, self.id, elements=more) if more else start(board.store, self.id)
        self.elements = [name for name, _ in more] or ["Rwanda", "Cambodia", "Norway", "Brazil"]
        for element in self.elements:
            say(self.tail, "delivery", "done", element, instance=self.id)
            say(self.tail, "validate", "done", element, instance=self.id, actor="worker")

    def say(self, task: str, value: str, element: str = "", **more: str) -> None:
        say(self.tail, task, value, element, instance=self.id, **more)

    def open(self, name: str, query: str = "") -> Page:
        page = self.board.page(name)
        self.board.go(page, f"/instances/{self.id}/{query}")
        return page

    def told(self, field: str, task: str = "review") -> list[str]:
        return [entry.event.value for entry in self.tail.history(self.id, task=task, field=field)]


@pytest.fixture
def scene(board: Board) -> Scene:
    return Scene(board)


def chip(page: Page, name: str) -> Locator:
    """The chip of an element's review."""
    return page.locator(f"tr[data-t=review]:has-text('{name}') .chip")


def ask_until(page: Page, said: str) -> None:
    """Let the page ask again and again, without the pauses, until it says so on top."""
    for _ in range(40):
        page.clock.fast_forward(1000)
        if page.locator("#lost", has_text=said).count():
            return
    raise AssertionError(f"the page never said “{said}”")


def test_what_one_does_the_other_sees_within_a_second_on_list_picture_head_and_feed(scene: Scene) -> None:
    ana, ben = scene.open("ana"), scene.open("ben")
    chip(ana, "Norway").click()
    ana.get_by_role("button", name="Finish").click()
    expect(chip(ana, "Norway")).to_contain_text("done")
    expect(chip(ben, "Norway")).to_contain_text("done", timeout=2000)
    expect(ben.locator("#h2 .tally")).to_contain_text("1 / 4")
    expect(ben.locator("#node-review")).to_contain_text("1/4")
    expect(ben.locator("#head .bar")).to_have_attribute("aria-label", re.compile("9 done"))
    expect(ben.locator("#feed li").first).to_contain_text("Ana finished Review · Norway")


def test_a_half_typed_note_survives_and_the_change_is_said(scene: Scene) -> None:
    ana = scene.open("ana")
    chip(ana, "Norway").click()
    note = ana.locator(".drawer textarea").first
    note.fill("half a sent")
    note.evaluate("field => field.setSelectionRange(4, 6)")
    scene.say("review", "done", "Norway", actor="ben")
    scene.say("review", "done", "Brazil", actor="ben")
    expect(chip(ana, "Brazil")).to_contain_text("done", timeout=3000)
    expect(ana.locator(".drawer .meanwhile")).to_contain_text("Changed meanwhile")
    assert note.input_value() == "half a sent"
    assert note.evaluate("field => document.activeElement === field && [field.selectionStart, field.selectionEnd]") == [
        4,
        6,
    ]
    expect(chip(ana, "Norway")).to_contain_text("open")
    ana.get_by_role("button", name="Finish").click()
    expect(ana.locator(".drawer [role=alert]")).to_contain_text("ben was first")
    expect(ana.locator(".drawer")).to_contain_text("half a sent")
    expect(chip(ana, "Norway")).to_contain_text("done")
    assert scene.told("status") == ["done", "done"]


def test_a_row_with_the_focus_is_marked_and_swapped_when_it_is_left(scene: Scene) -> None:
    ana = scene.open("ana")
    chip(ana, "Norway").focus()
    scene.say("review", "done", "Norway", actor="ben")
    expect(ana.locator("tr.changed")).to_have_count(1, timeout=3000)
    expect(chip(ana, "Norway")).to_contain_text("open")
    assert ana.evaluate("document.activeElement.textContent.trim()").startswith("open")
    chip(ana, "Brazil").focus()
    expect(chip(ana, "Norway")).to_contain_text("done")
    expect(ana.locator("tr.changed")).to_have_count(0)


def test_ticks_open_sections_selected_text_and_the_place_on_the_page_stay(board: Board) -> None:
    scene = Scene(board, elements=60)
    ana = scene.open("ana")
    ana.locator("#s2 summary").click()
    ana.wait_for_selector("#s2 tr[id]")
    ana.locator("tr[data-t=review] input[name=row]").nth(50).scroll_into_view_if_needed()
    ana.locator("tr[data-t=review] input[name=row]").nth(50).check()
    ana.locator("tr[data-t=review] input[name=row]").nth(51).check()
    ana.evaluate("getSelection().selectAllChildren(document.querySelectorAll('tr[data-t=review] .name')[52])")
    before = ana.evaluate("scrollY")
    for element in ("e050", "e051", "e053", "e001"):
        scene.say("review", "done", element, actor="ben")
    expect(chip(ana, "e053")).to_contain_text("done", timeout=3000)
    expect(chip(ana, "e050")).to_contain_text("done")
    assert ana.locator("input[name=row]:checked").count() == 2
    assert ana.evaluate("getSelection().toString()").strip().startswith("e052")
    assert ana.evaluate("document.getElementById('s2').open")
    assert ana.evaluate("scrollY") == before


def test_an_opened_details_in_a_menu_stays_open(scene: Scene) -> None:
    ana = scene.open("ana")
    chip(ana, "Norway").click()
    ana.locator(".drawer summary", has_text="Comment").click()
    ana.locator(".drawer details[open] textarea").fill("hm")
    scene.say("review", "anything", "Norway", field="priority", actor="ben")
    scene.say("review", "done", "Brazil", actor="ben")
    expect(chip(ana, "Brazil")).to_contain_text("done", timeout=3000)
    expect(ana.locator(".drawer details[open] textarea")).to_have_value("hm")


def test_under_a_filter_rows_that_go_stay_marked_and_rows_that_come_are_counted(scene: Scene) -> None:
    ana = scene.open("ana", "?status=open")
    scene.say("review", "done", "Norway", actor="ben")
    expect(ana.locator("tr.gone")).to_have_count(1, timeout=3000)
    expect(ana.locator("tr.gone")).to_contain_text("Norway")
    scene.say("review", "open", "Norway", actor="ben")
    expect(ana.locator("tr.gone")).to_have_count(0, timeout=3000)
    done = scene.open("ana", "?status=done&role=analyst")
    scene.say("review", "done", "Norway", actor="ben")
    expect(done.locator("#s2")).to_be_visible(timeout=3000)
    expect(done.locator("#s2 a.fresh")).to_contain_text("1 more matches: show")
    done.locator("#s2 a.fresh").click()
    expect(chip(done, "Norway")).to_contain_text("done")
    expect(done.locator("#s2 a.fresh")).to_have_count(0)


def test_a_server_that_is_killed_and_started_again_costs_no_word(scene: Scene) -> None:
    server, board, work = scene.board.server, scene.board.page("ana"), scene.board.page("ana")
    for page in (board, work):
        page.clock.install()  # the pauses between its questions are not waited for
    scene.board.go(board, f"/instances/{scene.id}/")
    chip(board, "Norway").click()
    board.locator(".drawer textarea").first.fill("half a sen")
    scene.say("review", "ana", "Brazil", field="assignee")
    scene.board.go(work, "/")
    card = work.locator(".job", has=work.locator(f"a[href='/instances/{scene.id}/tasks/review@Brazil/']"))
    card.locator("summary").click()
    card.get_by_label("Note").fill("half a thought")
    server.kill()
    board.get_by_role("button", name="Finish").click()
    expect(board.locator("#say")).to_contain_text("cannot be reached. Nothing you typed is lost")
    for page in (board, work):
        ask_until(page, "Connection lost")
    scene.say("review", "done", "Rwanda", actor="ben")
    server.start()
    for page in (board, work):
        page.clock.fast_forward(2000)
    expect(chip(board, "Rwanda")).to_contain_text("done")
    for page in (board, work):
        expect(page.locator("#lost")).to_have_count(0)
    board.locator(".drawer textarea").first.press_sequentially("tence")
    board.get_by_role("button", name="Finish").click()
    expect(chip(board, "Norway")).to_contain_text("done")
    card.get_by_role("button", name="Finish, with this note").click()
    expect(card).to_have_count(0)
    assert scene.told("note") == ["half a thought", "half a sentence"]


def test_an_open_board_hears_of_the_worker_and_of_a_new_day(scene: Scene) -> None:
    scene.say("validate", "doing", "Norway", actor="worker", attempt="1")
    serve(scene.board.store)
    ana = scene.board.page("ana")
    ana.clock.install()
    scene.board.go(ana, f"/instances/{scene.id}/")
    expect(ana.locator("#alive")).to_have_text("worker alive")
    expect(ana.locator(".unconfirmed")).to_be_hidden()
    serve(scene.board.store, alive=False)
    ana.clock.fast_forward(30_000)
    expect(ana.locator("#alive")).to_have_text("worker away")
    expect(ana.locator(".unconfirmed")).to_be_visible()
    chip(ana, "Brazil").click()
    ana.locator(".drawer textarea").first.fill("typed until midnight")
    ana.evaluate("() => { document.body.dataset.day = '2026-01-01'; document.body.dataset.frame = '/frame/?v='; }")
    with ana.expect_response("**/frame/**"):
        ana.clock.fast_forward(30_000)
    expect(ana.locator(".drawer textarea").first).to_have_value("typed until midnight")
    ana.locator(".drawer .close").click()
    with ana.expect_navigation():
        ana.clock.fast_forward(30_000)


def test_an_expired_login_is_laid_over_the_page_and_the_note_is_still_there(scene: Scene) -> None:
    ana = scene.open("ana")
    chip(ana, "Norway").click()
    ana.locator(".drawer textarea").first.fill("what I wanted to say")
    ana.context.clear_cookies()
    dialog = ana.locator("dialog.login-over")
    expect(dialog).to_be_visible(timeout=5000)
    expect(dialog.locator("[name=username]")).to_have_value("ana")
    dialog.locator("[name=password]").fill("wrong")
    dialog.locator("button").click()
    expect(dialog).to_contain_text("correct username")
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.locator("button").click()
    expect(dialog).to_have_count(0)
    expect(ana.locator(".drawer textarea").first).to_have_value("what I wanted to say")
    ana.get_by_role("button", name="Finish").click()
    expect(chip(ana, "Norway")).to_contain_text("done")
    assert scene.told("note") == ["what I wanted to say"]
    scene.say("review", "done", "Rwanda", actor="ben")
    expect(chip(ana, "Rwanda")).to_contain_text("done", timeout=3000)


def test_a_login_that_expires_with_the_click_loses_neither_note_nor_answer(scene: Scene) -> None:
    ana = scene.open("ana")
    chip(ana, "Norway").click()
    ana.locator(".drawer textarea").first.fill("what I wanted to say")
    ana.route("**/news/**", lambda route: route.abort())
    ana.context.clear_cookies()
    ana.get_by_role("button", name="Finish").click()
    dialog = ana.locator("dialog.login-over")
    expect(dialog).to_be_visible(timeout=5000)
    assert scene.told("status") == []
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.locator("button").click()
    expect(dialog).to_have_count(0)
    ana.get_by_role("button", name="Finish").click()
    expect(chip(ana, "Norway")).to_contain_text("done")
    assert scene.told("note") == ["what I wanted to say"]


def test_the_log_of_a_running_attempt_is_followed(scene: Scene) -> None:
    scene.say("validate", "open", "Norway", actor="olga")
    scene.say("validate", "doing", "Norway", actor="worker", attempt="1")
    logs = scene.board.store / scene.id / "logs"
    logs.mkdir(parents=True)
    path = logs / log_name("validate", "Norway", 1)
    path.write_text("begin\n")
    ana = scene.board.page("ana")
    scene.board.go(ana, f"/instances/{scene.id}/tasks/validate@Norway/")
    expect(ana.locator(".out")).to_have_text(re.compile("begin"))
    with path.open("a") as log:
        log.write("more € and 🎉\n")
    expect(ana.locator(".out")).to_contain_text("more € and 🎉", timeout=4000)
    scene.say("validate", "done", "Norway", actor="worker", attempt="1")
    expect(ana.locator("#row-state .chip")).to_contain_text("done", timeout=3000)
    expect(ana.locator(".log[data-follow]")).to_have_count(0, timeout=4000)


def test_the_page_of_a_row_shows_what_others_do_and_keeps_what_is_typed(scene: Scene) -> None:
    ana = scene.board.page("ana")
    scene.board.go(ana, f"/instances/{scene.id}/tasks/review@Norway/")
    ana.locator(".acts textarea").first.fill("typed")
    scene.say("review", "done", "Norway", actor="ben")
    expect(ana.locator("#row-state .chip")).to_contain_text("done", timeout=3000)
    expect(ana.locator("#row-history")).to_contain_text("Ben finished")
    expect(ana.locator(".acts textarea").first).to_have_value("typed")


def test_many_tabs_of_one_browser_all_stay_alive(scene: Scene) -> None:
    first = scene.open("ana")
    tabs = [first]
    for _ in range(6):
        tab = first.context.new_page()
        tab.goto(first.url)
        tabs.append(tab)
    scene.say("review", "done", "Norway", actor="ben")
    for tab in tabs:
        tab.bring_to_front()
        expect(chip(tab, "Norway")).to_contain_text("done", timeout=4000)
