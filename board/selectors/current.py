"""Which store this board shows, and in which zone people read times: what every page begins with."""

from __future__ import annotations

import os
from zoneinfo import ZoneInfo

from django.conf import settings

from board.log.store import Store
from board.log.tail import Tail, shared

_TAILS: dict[object, Tail] = {}
os.register_at_fork(after_in_child=_TAILS.clear)


def tail() -> Tail:
    """Return the tail of the store this board shows."""
    known = _TAILS.get(settings.FOLDBOARD_STORE)
    if known is None:  # asked by every poll, so the path is resolved once
        known = _TAILS[settings.FOLDBOARD_STORE] = shared(settings.FOLDBOARD_STORE)
    return known


def store() -> Store:
    """Return the store this board shows."""
    return Store(settings.FOLDBOARD_STORE)


def zone() -> ZoneInfo:
    """Return the zone in which people read times."""
    return ZoneInfo(settings.FOLDBOARD_TIME_ZONE)
