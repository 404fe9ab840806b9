"""A row that is opened again and again does not keep the worker busy."""

import time

from board.log.event import Event
from board.services import attempts, tasks
from board.services.tasks import Place
from tests.worker.site import BOSS, SHELL, Site, wait_for
from worker.backoff import FREE, MOST_S, WINDOW_S, Backoff

BY_HAND = Event("", "i", "t", "status", "open", "ana")
REARMED = Event("", "i", "t", "status", "open", "worker (re-arm)")


def test_messages_that_open_a_row_again_and_again_are_slowed_down_and_a_click_is_not(site: Site) -> None:
    site.script("s.sh", "exit 0")
    site.start([{"task": "t", **SHELL}, {"task": "other", **SHELL}])
    with site.working(tick_s=0.05):
        ends, number = time.monotonic() + 5, 0
        while time.monotonic() < ends:
            number += 1
            site.message(f"{number:05}", task="t", value="open")
            time.sleep(0.01)
        assert FREE < len(site.values("attempt", task="t")) <= FREE + 5
        assert "t is opened again and again: its next attempt waits 2s" in site.said
        for tries in range(2, 5):
            tasks.reopen(site.tail, "i", Place("other"), BOSS, "once more")
            wait_for(lambda: len(site.values("attempt", task="other")) == tries, 1.0)  # noqa: B023  asked at once
            wait_for(lambda: site.status("other") == "done")


def test_the_wait_doubles_to_a_minute_and_is_forgotten_in_time() -> None:
    backoff, key, now, waits = Backoff(), ("i", 0), 0.0, []
    for _ in range(FREE + 10):
        waits.append(backoff.note(key, BY_HAND, now))
        now += waits[-1]
    assert waits[: FREE + 3] == [0.0] * (FREE - 1) + [1.0, 2.0, 4.0, 8.0]
    assert waits[-1] == MOST_S
    assert backoff.until(("i", 1), now) == 0
    assert backoff.until(key, now + WINDOW_S + MOST_S) == 0
    assert backoff.note(key, BY_HAND, now + WINDOW_S + MOST_S) == 0


def test_what_the_table_bounds_is_not_slowed_down() -> None:
    backoff = Backoff()
    for actor in ("worker (retry 1/9)", "worker (stopped)", "worker (recovered)"):
        put_back = Event("", "i", "t", "status", "open", actor)
        assert not any(backoff.note(("i", 0), put_back, 0.0) for _ in range(1000))
    assert not any(backoff.note(("i", 0), None, 0.0) for _ in range(1000))
    assert not any(backoff.note(("i", 1), REARMED, 0.0) for _ in range(attempts.MAX_ROUNDS))
    assert any(backoff.note(("i", 1), REARMED, 0.0) for _ in range(attempts.MAX_ROUNDS))
