"""What can go wrong with the event log; every message names the thing and the remedy.

LogError
├── AppendError      nothing was acknowledged: the disk is full, the store is read-only, another error of the system
│   └── NotDurable   the lines are in the file but the disk did not confirm them
├── ReadError        the log cannot be read
└── StoreError       a path or an id that would leave the store, a store that cannot be made
"""

from __future__ import annotations


class LogError(Exception):
    """Anything the event log or its store refuses or fails at."""


class AppendError(LogError):
    """The events were not acknowledged and are not in the log."""


class NotDurable(AppendError):
    """The events were written, but the disk did not confirm that it holds them."""


class ReadError(LogError):
    """The log exists and cannot be read."""


class StoreError(LogError):
    """An id or a path that is not of the store, or a store that cannot be made."""
