"""Moments and deadlines as the log writes them."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

_YEARS = range(1900, 9000)  # near the ends of the calendar no zone and no deadline can be added: a slip of the pen


def read_time(ts: str) -> datetime | None:
    """A moment of the log as an aware datetime, UTC if it says no zone; None if it is none."""
    found = _read(ts)
    return found if found is None or found.tzinfo is not None else found.replace(tzinfo=UTC)


def read_deadline(value: str, zone: ZoneInfo) -> datetime | None:
    """A `due` value: a date (its end), or a date and time, in `zone` if it says none; None if unreadable or empty."""
    value = value.strip()
    found = _read(value)
    if found is None:
        return None
    if len(value) <= 10:
        return datetime.combine(found.date() + timedelta(days=1), time(), zone)
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)


def _read(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.year in _YEARS else None
