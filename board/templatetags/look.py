"""The few things every page draws the same way: icons, state chips, bars, people, times."""

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.conf import settings
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from board.process.definition.times import read_time
from board.process.engine.events import EventLike, signature

register = template.Library()

# displayed status: (class of the colour, icon, word)
STATES: dict[str, tuple[str, str, str]] = {
    "open": ("open", "open", "open"),
    "doing": ("doing", "doing", "in progress"),
    "blocked": ("blocked", "blocked", "waiting"),
    "skipped": ("skipped", "skipped", "skipped"),
    "done": ("done", "done", "done"),
    "failed": ("failed", "failed", "failed"),
    # of a worker
    "alive": ("done", "done", "alive"),
    "gone": ("failed", "failed", "not alive"),
    # of an instance
    "active": ("doing", "doing", "active"),
    "complete": ("done", "done", "complete"),
    "stuck": ("failed", "failed", "stuck"),
    "cancelled": ("skipped", "skipped", "cancelled"),
    "unreadable": ("failed", "warn", "unreadable"),
}


@register.simple_tag
def icon(name: str) -> SafeString:
    """One of the symbols in includes/icons.html; always beside a word, so hidden from screen readers."""
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.filter
def state_class(status: str) -> str:
    """The class that gives a status its colour; `answer` for an answer."""
    return STATES.get(status, ("answer", "", ""))[0]


@register.filter
def state_icon(status: str) -> str:
    """The name of the icon of a status."""
    return STATES.get(status, ("", "answer", ""))[1]


@register.filter
def state_word(status: str) -> str:
    """The word for a status; an answer is its own word."""
    return STATES.get(status, ("", "", status))[2]


@register.simple_tag
def chip(status: str) -> SafeString:
    """A status by colour, shape and word together."""
    return format_html(
        '<span class="chip {}">{}{}</span>', state_class(status), icon(state_icon(status)), state_word(status)
    )


@register.simple_tag
def bar(done: int, doing: int, open: int, failed: int, total: int) -> SafeString:  # noqa: A002  the words of the log
    """A bar of states; widths are attributes, for a strict policy allows no style in HTML."""
    parts, words, x = [], [], 0.0
    for name, word, count in (
        ("done", "done", done),
        ("doing", "in progress", doing),
        ("open", "open", open),
        ("failed", "failed", failed),
    ):
        width = round(100 * count / total, 2) if total else 0
        if width:
            parts.append(format_html('<rect class="b-{}" x="{}" width="{}" height="8"/>', name, round(x, 2), width))
            words.append(f"{count} {word}")
        x += width
    label = f"{', '.join(words) or 'nothing yet'}, of {total}"
    body = SafeString("".join(parts))  # nosec B703 # pieces of format_html
    return format_html(
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<rect class="b-rest" width="100" height="8"/>{}</svg>',
        label,
        body,
    )


@register.filter
def initials(name: str) -> str:
    """Two letters for a face: `Ana Weiss` gives AW, `olga` gives OL."""
    words = name.split()
    letters = words[0][:1] + words[-1][:1] if len(words) > 1 else name[:2]
    return letters.upper()


def moment(value: str | datetime | None) -> datetime | None:
    """A time of the log, or one already read; None when it is neither."""
    return value if isinstance(value, datetime) else read_time(value or "")


@register.filter
def when(value: str | datetime | None) -> SafeString | str:
    """A <time> people can read, in FOLDBOARD_TIME_ZONE; js/shared/times.js makes words like `2 minutes ago` of it."""
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


_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+\d\d:\d\d)")


@register.filter
def said_for_people(sentence: str) -> str:
    """A sentence of the log or a refusal with its times as people read them: `ana was first, 29 Nov, 17:04`."""

    def local(found: re.Match[str]) -> str:
        at = moment(found.group())
        if at is None:
            return found.group()
        there = timezone.localtime(at)
        return (
            f"today {there:%H:%M}" if there.date() == timezone.localdate() else f"{there.day} {there:%b}, {there:%H:%M}"
        )

    return _MOMENT.sub(local, sentence)


_CODE = re.compile(r"`([^`\n]+)`")
_MARKS = re.compile(r"[*`]+|(?m:^[#>]+ )|!?\[([^\]]*)\]\([^)]*\)")


@register.filter
def plain_text(markdown: str) -> str:
    """An instruction as one line of plain text, for where there is no room for more."""
    quoted = _CODE.sub(r"“\1”", markdown)
    return " ".join(_MARKS.sub(lambda found: found.group(1) or "", quoted).split())


@register.filter
def person(actor: str) -> str:
    """An actor of the log by the name people know: `ana (re-arm)` reads `Ana (re-arm)`."""
    from board.accounts import names

    return names.shown(actor)


@register.filter
def signed(event: EventLike) -> str:
    """Who an event is by, as people know them; what came by message says so."""
    return person(signature(event))


@register.filter
def due_time(due: datetime | None) -> SafeString | str:
    """A deadline as words of today in a <time>; late is said in words too, and base.js says it once it comes."""
    if due is None:
        return ""
    from board.selectors.instance.board import due_words

    zone = ZoneInfo(settings.FOLDBOARD_TIME_ZONE)
    at = f"{due.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    words = due_words(at, timezone.now(), zone)
    start, late = ("was due", " late") if words.late else ("due", "")
    return format_html('<time class="due{}" datetime="{}">{} {}</time>', late, at, start, words.text)


@register.filter
def plural(count: int, words: str) -> str:
    """`3|plural:"task,tasks"` gives `3 tasks`."""
    one, _, many = words.partition(",")
    return f"{count} {one if count == 1 else many}"


@register.filter
def item(mapping: dict[Any, Any], key: Any) -> Any:
    """A value by a key that is a variable; None when it is missing."""
    return mapping.get(key)


COLUMN_WORDS = {
    "depends_on": "waits for",
    "complete_when": "complete when",
    "retry_delay": "retry delay",
    "not_by": "not by",
}


@register.filter
def column_word(column: str) -> str:
    """The heading of a column of the process table."""
    return COLUMN_WORDS.get(column, column)


@register.filter
def dependencies(cell: str) -> list[tuple[str, str]]:
    """A `depends_on` cell as (task, answer) pairs, as it is written."""
    parts = [part.strip() for part in cell.split(",") if part.strip()]
    return [(task.strip(), label.strip()) for task, _, label in (part.partition(":") for part in parts)]
