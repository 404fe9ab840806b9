"""`manage.py restore FILE`: a backup put back into an empty store."""

import argparse
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from board.log.store import Store
from board.management.database import sqlite_path
from board.services.restore import restore


class Command(BaseCommand):
    """Restores into an empty store and a database without accounts, and refuses any other."""

    help = "Put a backup back into an empty store and a SQLite database without accounts."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """What from."""
        parser.add_argument("file", type=Path, help="a file made by manage.py backup")
        parser.add_argument("--no-database", action="store_true", help="leave the database as it is")
        parser.add_argument(
            "--unverified",
            action="store_true",
            help="take a backup without a manifest, of an earlier version, as it is",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore and say how much."""
        store = Store(settings.FOLDBOARD_STORE)
        database = None if options["no_database"] else sqlite_path()
        try:
            count = restore(store, options["file"], database, self.stderr.write, unverified=options["unverified"])
        except LogError as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(f"{store.root}: {count} files restored; start the board and the worker")
