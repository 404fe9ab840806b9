"""The one Django application of the board."""

import os
import stat
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.urls import register_converter

from board.web.addresses import CONVERTERS


class BoardConfig(AppConfig):
    """Registers the system checks, and what is to be known of accounts."""

    name = "board"
    verbose_name = "Foldboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register everything; called once by Django when every app is loaded."""
        share_with_group(Path(settings.FOLDBOARD_STORE))
        from board.accounts import changes, sessions  # here, for models are not there before every app is loaded
        from board.web.given_names import guard_given_names

        changes.guard_names()
        guard_given_names()
        changes.follow_changes()
        sessions.follow_ends()
        # here and not in urls.py: an address file that fails to import is tried again, and would then fail for this
        for name, converter in CONVERTERS.items():
            register_converter(converter, name)


def share_with_group(store: Path) -> None:
    """Let the group of a shared store (setgid, writable for the group) write what this program makes there.

    Board and worker are two accounts that meet by their group. Their units set the umask for that; a command called in
    a container, or by hand, comes with that of its shell, and one such file would keep the other program out.
    """
    try:
        mode = store.stat().st_mode
    except OSError:
        return
    if mode & stat.S_ISGID and mode & stat.S_IWGRP:
        os.umask(os.umask(0o077) & ~0o070)
