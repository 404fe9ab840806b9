"""`manage.py runworker`: run what is ready, wait for people and messages."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from worker.config import Config, ConfigError, read_interpreters, read_packages
from worker.lock import LockError, LockHeld
from worker.main import work

EXIT_USAGE, EXIT_HELD = 2, 4


class Command(BaseCommand):
    """Runs the scripts of every active instance of a store."""

    help = "Run the scripts that are ready, take in messages, wait for people. Stops by SIGTERM or Ctrl-C."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """What is served, how long, and within which limits."""
        add = parser.add_argument
        add("--store", type=Path, default=settings.FOLDBOARD_STORE, help="the store (FOLDBOARD_STORE)")
        add("--jobs", type=Path, default=settings.FOLDBOARD_JOBS, help="the directory of the scripts (FOLDBOARD_JOBS)")
        add("--no-wait", action="store_true", help="do what is ready, then exit")
        add("--instance", default="", metavar="ID", help="only this one (or latest); exit when it is complete or stuck")
        add("--process", type=Path, metavar="FILE", help="one definition without the board; starts the instance if new")
        add("--elements", type=Path, metavar="FILE", help="the element list for that start")
        add("--timeout", type=float, metavar="SECONDS", help="give up waiting after so long without news")
        add("--tick", type=float, default=1.0, metavar="SECONDS", help="how often to look without being told")
        add("--slots", type=int, metavar="N", help="scripts at a time (default: the number of processors)")
        add("--packages", default="", metavar="A,B", help="packages whose functions a script cell may name")
        add("--interpreter", action="append", default=[], metavar="EXT=COMMAND", help="jl=julia, repeatable")
        add("--no-inbox", action="store_true", help="leave messages alone")
        add("--no-lock", action="store_true", help="you promise that no other worker serves this store")
        add("--quiet", action="store_true", help="say nothing on standard output")
        add("--max-log", type=float, default=100.0, metavar="MB", help="a larger log ends its attempt")
        add("--grace", type=float, default=5.0, metavar="SECONDS", help="from SIGTERM to SIGKILL for a script")
        add("--drain", type=float, default=30.0, metavar="SECONDS", help="on stop, let scripts finish that long")

    def handle(self, *args: Any, **options: Any) -> None:
        """Work, and exit with the status that says how it ended."""
        try:
            code = work(config_of(options))
        except ConfigError as error:
            raise CommandError(str(error), returncode=EXIT_USAGE) from None
        except (LockError, LogError) as error:
            raise CommandError(str(error), returncode=EXIT_HELD if isinstance(error, LockHeld) else 1) from None
        except OSError as error:  # the store is full, or something stands where its files belong
            raise CommandError(
                f"The store {options['store']} cannot be used: {error.strerror}.", returncode=1
            ) from error
        raise SystemExit(code)


def config_of(options: dict[str, Any]) -> Config:
    """The options as a checked configuration; raises ConfigError."""
    same = ("instance", "process", "elements", "no_wait", "quiet")
    slots = {} if options["slots"] is None else {"slots": options["slots"]}
    return Config(
        store=options["store"].absolute(),
        jobs=options["jobs"].absolute(),
        packages=read_packages(options["packages"]),
        interpreters=read_interpreters(options["interpreter"]),
        inbox=not options["no_inbox"],
        inbox_status=settings.FOLDBOARD_INBOX_STATUS,
        lock=not options["no_lock"],
        max_log_bytes=round(options["max_log"] * 1024 * 1024),
        reserve_bytes=settings.FOLDBOARD_RESERVE_MB * 1024 * 1024,
        tick_s=options["tick"],
        timeout_s=options["timeout"],
        grace_s=options["grace"],
        drain_s=options["drain"],
        **slots,
        **{name: options[name] for name in same},
    )
