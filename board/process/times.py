"""Moments and deadlines as the log writes them."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo


def read_time(ts: str) -> datetime | None:
    """A moment of the log as an aware datetime; None if it is none."""
    try:
        found = datetime.fromisoformat(ts)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=ZoneInfo("UTC"))


def read_deadline(value: str, zone: ZoneInfo) -> datetime | None:
    """A `due` value: a date (its end), or a date and time, in `zone` if it says none; None if unreadable or empty."""
    value = value.strip()
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    if len(value) <= 10:
        return datetime.combine(found.date() + timedelta(days=1), time(), zone)
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)
