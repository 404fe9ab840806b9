"""The board under a hand: keyboard, clicks, folding, ticking, filtering, replay; with scripts and without."""

import itertools
import re
import time

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from board.log.tail import Tail
from tests.browser.live import WIDTHS, Board, faults, overflow
from tests.views.boards import say, start

pytestmark = pytest.mark.browser
NUMBERS = itertools.count(1)


class Scene:
    """One instance of its own on the live board, its reviews open."""

    def __init__(self, board: Board, elements: list[str]) -> None:
        self.board, self.id = board, f"board-{next(NUMBERS)}"
        self.tail: Tail = start(board.store, self.id, elements=[(name, "Africa") for name in elements])
        for name in elements:
            say(self.tail, "delivery", "done", name, instance=self.id)
            say(self.tail, "validate", "done", name, instance=self.id, actor="worker")

    def open(self, name: str = "ana", query: str = "", **more: object) -> Page:
        page = self.board.page(name, **more)  # type: ignore[arg-type]
        self.board.go(page, f"/instances/{self.id}/{query}")
        return page

    def finished(self) -> list[str]:
        found = self.tail.history(self.id, task="review", field="status")
        return [entry.event.element for entry in reversed(found)]


@pytest.fixture
def scene(board: Board) -> Scene:
    return Scene(board, [f"e{n:02}" for n in range(12)])


@pytest.fixture
def long(board: Board) -> Scene:
    return Scene(board, [f"e{n:03}" for n in range(230)])


def row(page: Page, name: str) -> Locator:
    """The row of an element's review."""
    return page.locator(f"tr[data-t=review]:has-text('{name}')")


def focus(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent.trim()"))


def test_ten_rows_are_finished_with_the_keyboard_alone_without_losing_the_place(scene: Scene) -> None:
    page = scene.open()
    row(page, "e00").locator(".chip").focus()
    for n in range(10):
        page.keyboard.press("Enter")
        expect(page.locator(".drawer button[value=done]")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".drawer")).to_have_count(0)
        expect(row(page, f"e{n:02}").locator(".chip")).to_contain_text("done")
        expect(row(page, f"e{n + 1:02}").locator(".chip")).to_be_focused()
    assert scene.finished() == [f"e{n:02}" for n in range(10)]
    expect(page.locator("#yours")).to_contain_text("2 tasks are open for you here")
    assert page.evaluate("document.activeElement.matches(':focus-visible')")


def test_every_control_of_a_menu_is_reached_with_tab_and_escape_gives_the_focus_back(scene: Scene) -> None:
    page = scene.open()
    row(page, "e03").locator(".chip").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".drawer button[value=done]")).to_be_focused()
    seen = []
    for _ in range(7):
        page.keyboard.press("Tab")
        seen.append(focus(page))
    assert seen[:4] == ["Start", "Take", "Assign, due…", "Comment…"]
    page.keyboard.press("Escape")
    expect(page.locator(".drawer")).to_have_count(0)
    expect(row(page, "e03").locator(".chip")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(row(page, "e04").locator(".chip")).to_be_focused()


def test_a_double_click_on_a_slow_server_does_one_thing(scene: Scene) -> None:
    page = scene.open()

    def slow(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    page.route("**/act/", slow)
    for name, button in (("e00", "Finish"), ("e01", "Start"), ("e02", "Take")):
        row(page, name).locator(".chip").click()
        page.locator(".drawer").get_by_role("button", name=button, exact=True).dblclick()
        expect(page.locator(".drawer")).to_have_count(0)
    row(page, "e03").locator(".chip").click()
    page.locator(".drawer summary", has_text="Comment").click()
    page.locator(".drawer details[open] textarea").fill("once")
    page.locator(".drawer").get_by_role("button", name="Add").dblclick()
    expect(page.locator(".drawer")).to_have_count(0)
    time.sleep(0.6)
    assert scene.finished() == ["e00", "e01"]
    assert len(scene.tail.history(scene.id, task="review", field="note")) == 1
    assert len(scene.tail.history(scene.id, task="review", field="assignee")) == 2


def test_somebody_was_faster_and_the_row_shows_it_where_it_stands(scene: Scene) -> None:
    page = scene.open()
    row(page, "e05").locator(".chip").click()
    expect(page.get_by_role("button", name="Finish")).to_be_visible()
    page.route("**/news/**", lambda route: route.abort())
    say(scene.tail, "review", "done", "e05", instance=scene.id, actor="ben")
    page.get_by_role("button", name="Finish").click()
    expect(page.locator(".drawer [role=alert]")).to_contain_text("ben was first")
    expect(row(page, "e05").first.locator(".chip")).to_contain_text("done")


def test_a_section_that_was_folded_stays_folded_and_one_that_was_opened_opens_again(scene: Scene) -> None:
    page = scene.open()
    page.locator("#s0 summary").click()
    expect(page.locator("#s0")).not_to_have_attribute("open", "")
    page.wait_for_function("Object.values(localStorage).some((kept) => kept.includes('false'))")  # told a little later
    page.reload()
    assert not page.evaluate("document.getElementById('s0').open")
    assert page.evaluate("document.getElementById('s2').open")


def test_a_long_section_unfolds_by_two_hundred(long: Scene) -> None:
    page = long.open()
    assert page.locator("#s2 tr[id]").count() == 0
    page.locator("#s2 summary").click()
    expect(page.locator("#s2 tr[id]")).to_have_count(200)
    page.locator("#s2 a[data-more]").click()
    expect(page.locator("#s2 tr[id]")).to_have_count(230)
    expect(page.locator("#s2 a[data-more]")).to_have_count(0)
    page.reload()
    expect(page.locator("#s2 tr[id]")).to_have_count(200)


def test_what_is_ticked_and_seen_is_finished_with_one_confirmation(scene: Scene) -> None:
    page = scene.open()
    expect(page.locator("#bulk")).to_be_hidden()
    ticks = page.locator("tr[data-t=review] input[name=row]")
    ticks.nth(2).click()
    ticks.nth(5).click(modifiers=["Shift"])
    expect(page.locator("#bulk .count")).to_have_text("4 rows ticked")
    page.locator("#s0 tr[id] input[name=row]").first.check()
    expect(page.locator("#bulk .count")).to_have_text("5 rows ticked")
    page.locator("#s0 summary").click()
    expect(page.locator("#bulk .count")).to_have_text("4 rows ticked")
    say(scene.tail, "review", "done", "e03", instance=scene.id, actor="ben")
    page.get_by_role("button", name="Finish…").click()
    expect(page.locator("#bulk-panel h2")).to_have_text("Finish 4 rows")
    page.get_by_role("button", name="Finish 4 rows").click()
    expect(page.locator("#bulk-panel h2")).to_have_text("3 of 4 finished.")
    expect(page.locator("#bulk-panel li")).to_contain_text("ben was first")
    expect(page.locator("#bulk .count")).to_have_text("1 row ticked")
    assert scene.finished() == ["e03", "e02", "e04", "e05"]


def test_the_box_of_a_section_ticks_what_is_shown_of_it(scene: Scene) -> None:
    page = scene.open(query="?text=e0")
    page.locator("#s2 input.all").check()
    expect(page.locator("#bulk .count")).to_have_text("10 rows ticked")
    page.locator("#bulk .clear").click()
    expect(page.locator("#bulk")).to_be_hidden()


def test_filtering_while_typing_keeps_the_cursor_and_is_in_the_address(scene: Scene) -> None:
    page = scene.open()
    field = page.locator("#tools [name=text]")
    field.press_sequentially("e07", delay=120)
    expect(page.locator("#list tr[id]:visible")).to_have_count(3)
    expect(field).to_be_focused()
    assert field.input_value() == "e07"
    assert page.url.endswith("?text=e07")
    page.locator("#tools [name=status]").select_option("open")
    expect(page.locator("#list tr[id]:visible")).to_have_count(1)
    page.reload()
    expect(page.locator("#list tr[id]:visible")).to_have_count(1)
    say(scene.tail, "review", "done", "e07", instance=scene.id, actor="ben")
    expect(page.locator("tr.gone")).to_have_count(1, timeout=3000)


def test_back_from_a_row_shows_the_board_as_it_is_now_with_its_filter(scene: Scene) -> None:
    page = scene.open(query="?text=e07")
    row(page, "e07").locator(".el").click()
    expect(page.locator("h1")).to_contain_text("Review")
    page.get_by_role("button", name="Finish").click()
    expect(page.locator("#row-state .chip")).to_contain_text("done")
    page.go_back()
    page.go_back() if "/tasks/" in page.url else None
    assert page.url.endswith("?text=e07")
    expect(row(page, "e07").locator(".chip")).to_contain_text("done")


def test_a_click_in_the_picture_goes_to_the_section(long: Scene) -> None:
    page = long.open()
    page.locator("#node-review a").click()
    expect(page.locator("#s2 tr[id]").first).to_be_visible()
    expect(page.locator("#s2 summary")).to_be_focused()


def test_the_slider_shows_the_board_as_it_was(scene: Scene) -> None:
    page = scene.open(query="?at=10")
    slider = page.locator("#at")
    before = page.locator("tr[data-s=done]").count()
    slider.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#at-now")).to_have_text("16")
    expect(page.locator("tr[data-s=done]")).to_have_count(before + 6)
    assert "at=16" in page.url
    expect(slider).to_be_focused()
    assert page.locator("input[name=row]").count() == 0
    page.locator("tr[id] .chip").first.click()
    expect(page.locator("h1")).to_contain_text("Delivery")


def test_everything_works_without_scripts(scene: Scene) -> None:
    page = scene.open(java_script_enabled=False)
    row(page, "e00").locator(".chip").click()
    page.locator("textarea").first.fill("without scripts")
    page.get_by_role("button", name="Finish").click()
    expect(page.locator(".message.success")).to_contain_text("Review · e00: finished.")
    scene.board.go(page, f"/instances/{scene.id}/?text=e0")
    page.locator("tr[data-t=review] input[name=row]").nth(1).check()
    page.locator("tr[data-t=review] input[name=row]").nth(2).check()
    page.get_by_role("button", name="Finish…").click()
    page.get_by_role("button", name="Finish 2 rows").click()
    expect(page.locator(".message.success")).to_contain_text("2 of 2 finished.")
    assert page.url.endswith("?text=e0")
    page.locator("#tools [name=status]").select_option("done")
    page.get_by_role("button", name="Filter", exact=True).click()
    assert "status=done" in page.url
    assert scene.finished() == ["e00", "e01", "e02"]


def test_the_board_and_its_menus_please_axe_and_fit(scene: Scene) -> None:
    page = scene.open("admin")
    row(page, "e00").locator(".chip").click()
    for summary in page.locator(".drawer summary").all():
        summary.click()
    row(page, "e01").locator("input[name=row]").check()
    page.locator("#bulk button[value=assign]").click()
    expect(page.locator("#bulk-panel h2")).to_be_visible()
    assert faults(page) == {}


@pytest.mark.parametrize(
    "path",
    ["?at=20", "?text=nothing+at+all", "log/", "files/", "files/t.csv?view", "cancel/", "tasks/validate@e11/",
     "tasks/approve/", "..", "../-/start/"],
)  # fmt: skip
def test_the_pages_of_an_instance_please_axe_and_fit(scene: Scene, path: str) -> None:
    say(scene.tail, "validate", "failed", "e11", instance=scene.id, actor="worker", attempt="1")
    folder = scene.board.store / scene.id / "artifacts"
    folder.mkdir(parents=True)
    (folder / "t.csv").write_text("a,b\n1,2\n")
    page = scene.board.page("admin")
    scene.board.go(page, f"/instances/{scene.id}/{path}")
    assert faults(page) == {}


@pytest.mark.parametrize("width", WIDTHS)
def test_strangers_text_of_any_length_leaves_the_layout_whole(board: Board, width: int) -> None:
    word, name = "W" * 10_000, f"evil-{next(NUMBERS)}"
    process: list[dict[str, str | None]] = [
        {"task": "g", "name": word, "collection": "unit"},
        {"task": "t", "name": word, "role": "r" * 500, "parent": "g", "description": word},
        {"task": "s", "name": f"שלום {word[:50]} 😀 <b>", "role": "analyst", "depends_on": "g"},
    ]
    tail = start(board.store, name, elements=[("x" * 128, "y" * 5000), ("שלום", "😀" * 300)], rows=process)
    say(tail, "t", word, "שלום", instance=name, field="note", actor=word)
    say(tail, "t", word, "שלום", instance=name, actor=word)
    folder = board.store / name / "artifacts"
    folder.mkdir(parents=True)
    (folder / ("f" * 240 + ".txt")).write_text(word)
    page = board.page("admin", width=width)
    for path in ("", "tasks/s/", "log/", "files/", f"files/{'f' * 240}.txt?view", ".."):
        board.go(page, f"/instances/{name}/{path}")
        assert (path, overflow(page)) == (path, "")
    board.go(page, f"/instances/{name}/")
    assert page.evaluate("document.querySelector('#list').offsetHeight") < 3000
    assert re.search("0 of 3|of 3", page.locator("#head .bar").get_attribute("aria-label") or "")
