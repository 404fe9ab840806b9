"""The words people read for states, columns, roles, counts and times: one place for each, and nothing else says them.

The filters of `board.templatetags` only call these.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from board.process.definition.table import COLUMNS, Row
from board.process.definition.times import read_time

# the states of an instance, in the order in which people want them
INSTANCE_STATES = ("stuck", "active", "complete", "cancelled")
STATE_WORDS = {"doing": "in progress", "blocked": "waiting"}  # where the word differs from the name in the log
COLUMN_WORDS = {"depends_on": "waits for", "collection": "repeats per", "parent": "in group"}
_LOG_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+\d\d:\d\d)")


# states, columns, roles, counts


def state_word(status: str) -> str:
    """Return the word for a status or a state; an answer is its own word."""
    return STATE_WORDS.get(status, status)


def column_word(column: str) -> str:
    """Return the heading of a column of the process table; a column of the user's own is its own heading."""
    return COLUMN_WORDS.get(column, column.replace("_", " ") if column in COLUMNS else column)


def role_words(definition: Row) -> str:
    """Return who does a task."""
    if definition.is_receive:
        return "from outside"
    return definition.role or "anyone"


def plural(count: int, one: str, many: str) -> str:
    """Return a count with its noun: `3 tasks`."""
    return f"{count} {one if count == 1 else many}"


# times


def moment(value: str | datetime | None) -> datetime | None:
    """Return a time of the log, or one already read; None when it is neither."""
    return value if isinstance(value, datetime) else read_time(value or "")


def when(value: str | datetime | None) -> SafeString | str:
    """Return a <time> in FOLDBOARD_TIME_ZONE; js/shared/times.js turns it into words like `2 minutes ago`."""
    at = moment(value)
    if at is None:
        return str(value or "")
    local = timezone.localtime(at)
    return format_html(
        '<time class="ago num" datetime="{}" title="{}">{}</time>',
        at.isoformat(),
        f"{local:%a} {local.day} {local:%b %Y, %H:%M:%S}",
        f"{local.day} {local:%b}, {local:%H:%M}",
    )


def said_for_people(sentence: str) -> str:
    """Return a sentence, or a refusal, with the times in it as people read them: `ana was first, 29 Nov, 17:04`."""
    return _LOG_TIME.sub(lambda match: _local_words(match.group()), sentence)


def _local_words(log_time: str) -> str:
    at = moment(log_time)
    if at is None:
        return log_time
    local = timezone.localtime(at)
    day = "today" if local.date() == timezone.localdate() else f"{local.day} {local:%b},"
    return f"{day} {local:%H:%M}"


class DueWords(NamedTuple):
    """A deadline in words of today."""

    text: str
    late: bool


def due_words(due: str, now: datetime, zone: ZoneInfo) -> DueWords:
    """Return `today 17:00`, `yesterday`, `Thu 3 Dec`; late once it is over. `due` is UTC as in a RowView."""
    if not due:
        return DueWords("", False)
    at = datetime.strptime(due, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    # a date means its end, which is the midnight after it: people know it by the day before
    local = (at - timedelta(seconds=1)).astimezone(zone)
    today = now.astimezone(zone).date()
    days = (local.date() - today).days
    clock = "" if (local.hour, local.minute) == (23, 59) else f" {at.astimezone(zone):%H:%M}"
    near = {-1: "yesterday", 0: "today", 1: "tomorrow"}.get(days)
    if near is not None:
        return DueWords(near + (clock if days >= 0 else ""), now >= at)
    year = "" if local.year == today.year else f" {local.year}"
    return DueWords(f"{local:%a} {local.day} {local:%b}{year}", now >= at)
