"""What users met with dates: summer time, the end of today, and how many days something is late."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.contrib.auth.models import User
from django.utils import timezone

from board.log.tail import shared
from board.process.definition.times import read_deadline
from board.selectors.summaries import OpenRow
from board.selectors.words import DueWords, due_words
from board.selectors.work import work
from board.services import tasks
from board.services.tasks import Place
from tests.reported.playing import OLGA, Case
from tests.views.conftest import Login

BERLIN = ZoneInfo("Europe/Berlin")
CHECK = """
    task,role,due
    check,analyst,1d
    """


@pytest.fixture
def berlin(settings: Any) -> Iterator[None]:
    """A board whose people live in Berlin."""
    settings.FOLDBOARD_TIME_ZONE = settings.TIME_ZONE = "Europe/Berlin"
    with timezone.override(BERLIN):
        yield


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def words(due: str, now: str) -> DueWords:
    """A deadline as the log may say it, in the words of a moment (UTC)."""
    at = read_deadline(due, BERLIN)
    assert at is not None
    return due_words(f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", utc(now), BERLIN)


def test_a_moment_that_the_clocks_skip_is_the_one_an_hour_after_the_jump() -> None:
    """Users met: a time of 02:30 was skipped in spring and came twice in autumn."""
    at = read_deadline("2027-03-28T02:30", BERLIN)
    assert at is not None
    assert at.astimezone(UTC) == utc("2027-03-28T01:30")
    assert words("2027-03-28T02:30", "2027-03-27T12:00").text == "tomorrow 03:30"


def test_a_moment_that_comes_twice_is_the_first_one_and_is_late_once() -> None:
    """Users met: a time of 02:30 was skipped in spring and came twice in autumn."""
    at = read_deadline("2026-10-25T02:30", BERLIN)
    assert at is not None
    assert at.astimezone(UTC) == utc("2026-10-25T00:30")
    assert [words("2026-10-25T02:30", f"2026-10-25T0{h}:31").late for h in (0, 1, 2)] == [True, True, True]
    assert not words("2026-10-25T02:30", "2026-10-25T00:29").late


@pytest.mark.parametrize(
    ("day", "ends"),
    [("2026-03-29", "2026-03-29T22:00"), ("2026-10-25", "2026-10-25T23:00"), ("2026-12-24", "2026-12-24T23:00")],
)
def test_a_date_means_its_end_where_people_are_on_days_of_any_length(day: str, ends: str) -> None:
    at = read_deadline(day, BERLIN)
    assert at is not None
    assert at.astimezone(UTC) == utc(ends)
    just_before = f"{utc(ends) - timedelta(seconds=1):%Y-%m-%dT%H:%M:%S}"
    assert words(day, just_before) == ("today", False)
    assert words(day, ends).late


def test_today_ends_at_local_midnight_also_on_the_long_day() -> None:
    """Users met: the list of today ended at midnight in UTC."""
    assert words("2026-11-29T21:59Z", "2026-11-29T12:00").text == "today 22:59"
    assert words("2026-11-29T23:01Z", "2026-11-29T12:00").text == "tomorrow 00:01"
    assert words("2026-11-29T23:59Z", "2026-11-29T12:00").text == "tomorrow 00:59"
    assert words("2026-10-25T22:59Z", "2026-10-24T22:30").text == "today 23:59"
    assert words("2026-10-25T23:01Z", "2026-10-24T22:30").text == "tomorrow 00:01"


def test_before_two_in_the_morning_the_day_is_the_local_one_already() -> None:
    """Users met: the list of today ended at midnight in UTC."""
    assert words("2026-07-15", "2026-07-14T22:30") == ("today", False)  # 00:30 in Berlin on the 15th
    assert words("2026-07-14", "2026-07-14T22:30") == ("yesterday", True)


def test_days_late_grow_by_one_a_day_over_the_change_of_the_clocks() -> None:
    """Users met: the days of being late jumped where the clocks change."""
    for change in ("2026-03-29", "2026-10-25"):
        end = datetime.fromisoformat(change)
        seen = []
        for back in range(-3, 4):
            day = end + timedelta(days=back)
            for hour in (0, 12, 23):
                moment = day.replace(hour=hour, tzinfo=BERLIN).astimezone(UTC)
                seen.append(words(f"{change}", f"{moment:%Y-%m-%dT%H:%M}").text)
        assert seen[6:15] == ["tomorrow"] * 3 + ["today"] * 3 + ["yesterday"] * 3


def test_what_is_late_is_counted_alike_on_both_sides_of_midnight(
    berlin: None, cast: dict[str, User], store: Path
) -> None:
    case = Case("task,role\n" + "\n".join(f"c{n},analyst" for n in range(1, 6)), tail=shared(store))
    for number in range(1, 6):
        tasks.set_due(case.tail, "i", Place(f"c{number}"), OLGA, f"2026-03-{31 - number}")
    ana = cast["ana"]
    for moment, late in (
        ("2026-03-25T22:59", 0),
        ("2026-03-26T23:00", 1),
        ("2026-03-28T22:59", 2),
        ("2026-03-28T23:01", 3),
        ("2026-03-29T21:59", 3),
        ("2026-03-29T22:00", 4),
        ("2026-03-30T22:00", 5),
    ):
        assert work.my_work(case.tail, ana, utc(moment)).late == late, moment


def test_deadlines_given_in_different_zones_are_sorted_by_the_moment() -> None:
    rows = [
        OpenRow.of(datetime.fromisoformat(due).astimezone(zone), "", n, 0, "")
        for n, (due, zone) in enumerate([("2026-11-30T23:30+00:00", UTC), ("2026-11-30T23:00+00:00", BERLIN)])
    ]
    assert [row.row for row in sorted(rows)] == [1, 0]


def test_a_page_over_the_change_of_the_clocks_says_the_local_time(
    berlin: None, cast: dict[str, User], store: Path, login: Login
) -> None:
    case = Case("task,role\ncheck,analyst", tail=shared(store))
    tasks.set_due(case.tail, "i", Place("check"), OLGA, "2026-03-29T08:00")
    with time_machine.travel(utc("2026-03-28T23:30"), tick=False):  # half past midnight in Berlin, still winter
        assert "due today 08:00" in login("ana").get("/").text
