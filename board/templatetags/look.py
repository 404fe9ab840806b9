"""The few things every page draws the same way: icons, state chips, bars, people, times."""

import re
from datetime import UTC, datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from board.accounts import names
from board.process.definition import cells
from board.process.engine.events import EventLike, signature
from board.selectors import current, words

register = template.Library()
register.filter(words.when)
register.filter(words.said_for_people)
register.filter(cells.dependencies)

# displayed status: (class of the colour, icon)
STATES: dict[str, tuple[str, str]] = {
    "open": ("open", "open"),
    "doing": ("doing", "doing"),
    "blocked": ("blocked", "blocked"),
    "skipped": ("skipped", "skipped"),
    "done": ("done", "done"),
    "failed": ("failed", "failed"),
    # of a worker
    "alive": ("done", "done"),
    "not alive": ("failed", "failed"),
    # of an instance
    "active": ("doing", "doing"),
    "complete": ("done", "done"),
    "stuck": ("failed", "failed"),
    "cancelled": ("skipped", "skipped"),
    "unreadable": ("failed", "warn"),
}


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return one of the symbols in includes/icons.html; always beside a word, so hidden from screen readers."""
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.filter
def state_class(status: str) -> str:
    """Return the class that gives a status its colour; `answer` for an answer."""
    return STATES.get(status, ("answer", ""))[0]


@register.filter
def state_icon(status: str) -> str:
    """Return the name of the icon of a status."""
    return STATES.get(status, ("", "answer"))[1]


@register.simple_tag
def chip(status: str) -> SafeString:
    """Return a status by colour, shape and word together."""
    return format_html(
        '<span class="chip {}">{}{}</span>', state_class(status), icon(state_icon(status)), words.state_word(status)
    )


@register.simple_tag
def bar(done: int, doing: int, open: int, failed: int, total: int) -> SafeString:  # noqa: A002  the words of the log
    """Return a bar of states; widths are attributes, for a strict policy allows no style in HTML."""
    parts, counted, x = [], [], 0.0
    for name, count in (("done", done), ("doing", doing), ("open", open), ("failed", failed)):
        width = round(100 * count / total, 2) if total else 0
        if width:
            parts.append(format_html('<rect class="b-{}" x="{}" width="{}" height="8"/>', name, round(x, 2), width))
            counted.append(f"{count} {words.state_word(name)}")
        x += width
    label = f"{', '.join(counted) or 'nothing yet'}, of {total}"
    body = SafeString("".join(parts))  # nosec B703 # pieces of format_html
    return format_html(
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<rect class="b-rest" width="100" height="8"/>{}</svg>',
        label,
        body,
    )


@register.filter
def initials(name: str) -> str:
    """Return two letters for a face: `Ana Weiss` gives AW, `olga` gives OL."""
    parts = name.partition(" (")[0].split()
    letters = parts[0][:1] + parts[-1][:1] if len(parts) > 1 else name[:2]
    return letters.upper()


_CODE = re.compile(r"`([^`\n]+)`")
_MARKS = re.compile(r"[*`]+|(?m:^[#>]+ )|!?\[([^\]]*)\]\([^)]*\)")


@register.filter
def plain_text(markdown: str) -> str:
    """Return an instruction as one line of plain text, for where there is no room for more."""
    quoted = _CODE.sub(r"“\1”", markdown)
    return " ".join(_MARKS.sub(lambda match: match.group(1) or "", quoted).split())


@register.filter
def person(actor: str) -> str:
    """Return an actor of the log by the name people know: `ana (re-arm)` reads `Ana (re-arm)`."""
    return names.shown(actor)


@register.filter
def signed(event: EventLike) -> str:
    """Return who an event is by, as people know them; what came by message says so."""
    return person(signature(event))


@register.filter
def due_time(due: datetime | None) -> SafeString | str:
    """Return a deadline as words of today in a <time>; late is said in words too, and base.js says it once it comes."""
    if due is None:
        return ""
    at = f"{due.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    said = words.due_words(at, timezone.now(), current.zone())
    start, late = ("was due", " late") if said.late else ("due", "")
    return format_html('<time class="due{}" datetime="{}">{} {}</time>', late, at, start, said.text)


@register.filter
def plural(count: int, nouns: str) -> str:
    """Return a count with its noun: `3|plural:"task,tasks"` gives `3 tasks`."""
    one, _, many = nouns.partition(",")
    return words.plural(count, one, many)


@register.filter
def item(mapping: dict[Any, Any], key: Any) -> Any:
    """Return a value by a key that is a variable; None when it is missing."""
    return mapping.get(key)
