"""`manage.py backup FILE`: the store and the SQLite database in one tar.gz, while everything runs."""

import argparse
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from board.log.store import Store
from board.management.database import sqlite_path
from board.services.backup import backup


class Command(BaseCommand):
    """Writes a consistent backup; progress goes to stderr. With --verbosity 0 it says only what went wrong."""

    help = "Write a backup of the store and of the SQLite database to FILE (tar.gz); everything may go on running."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Where to."""
        parser.add_argument("file", type=Path, help="a new file outside of the store, such as board.tar.gz")

    def handle(self, *args: Any, **options: Any) -> None:
        """Back up and say how much."""
        database, quiet = sqlite_path(), options["verbosity"] == 0
        if database is None and not quiet:
            self.stderr.write("the database is no SQLite file and not in the backup: use its own tool (pg_dump)")

        def say(line: str) -> None:
            if not quiet or line.startswith("left out"):
                self.stderr.write(line)

        try:
            count = backup(Store(settings.FOLDBOARD_STORE), options["file"], database, say)
        except LogError as error:
            raise CommandError(str(error), returncode=2) from None
        if not quiet:
            self.stdout.write(f"{options['file']}: {count} files, {options['file'].stat().st_size} bytes")
