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
    """The tail of the store this board shows."""
    found = _TAILS.get(settings.FOLDBOARD_STORE)
    if found is None:  # asked by every poll, so the path is resolved once
        found = _TAILS[settings.FOLDBOARD_STORE] = shared(settings.FOLDBOARD_STORE)
    return found


def store() -> Store:
    """The store this board shows."""
    return Store(settings.FOLDBOARD_STORE)


def zone() -> ZoneInfo:
    """The zone in which people read times."""
    return ZoneInfo(settings.FOLDBOARD_TIME_ZONE)
