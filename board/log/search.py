"""Picking events out of many lines: what surely does not match is not decoded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from board.log.event import Event, decode
from board.log.stream import Entry

# Text that every JSON writer leaves as it is, unless it escapes more than it must; such lines have a backslash.
_PLAIN = re.compile(r"[A-Za-z0-9_@ .:-]+\Z")


class Wanted(NamedTuple):
    """Which events: each filter that is not None must be equal."""

    task: str | None = None
    element: str | None = None
    field: str | None = None
    actor: str | None = None

    def matches(self, event: Event) -> bool:
        return (
            (self.task is None or event.task == self.task)
            and (self.element is None or event.element == self.element)
            and (self.field is None or event.field == self.field)
            and (self.actor is None or event.actor == self.actor)
        )

    def needles(self) -> list[bytes]:
        """Bytes that a matching line without backslashes holds."""
        return [f'"{text}"'.encode() for text in self if text and _PLAIN.match(text) and not _is_number_like(text)]


def find(lines: Iterable[tuple[int, bytes]], wanted: Wanted, after: int | None, limit: int | None) -> list[Entry]:
    """The first `limit` matching events of lines given newest first, down to the offset `after` (exclusive)."""
    entries: list[Entry] = []
    needles = wanted.needles()
    for offset, line in lines:
        if (after is not None and offset <= after) or (limit is not None and len(entries) >= limit):
            break
        if needles and b"\\" not in line and not all(needle in line for needle in needles):
            continue
        event = decode(line)
        if isinstance(event, Event) and wanted.matches(event):
            entries.append(Entry(offset, event))
    return entries


def _is_number_like(text: str) -> bool:
    # Another program may have written 3 where we would write "3".
    return text[0] in "-0123456789" or text in ("true", "false")
