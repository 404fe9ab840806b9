"""`manage.py backup FILE`: the store and the SQLite database in one tar.gz, while everything runs; or is one whole?"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from board.log.store import Store
from board.management.database import sqlite_path
from board.services.backup import backup
from board.services.restore import verify


class Command(BaseCommand):
    """Writes a consistent backup, or reads one to its end; progress goes to stderr.

    With --verbosity 0 it says only what went wrong.
    """

    help = "Write a backup of the store and of the SQLite database to FILE (tar.gz); everything may go on running."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Where to, or which to look at."""
        parser.add_argument("file", type=Path, help="a new file outside of the store, such as board.tar.gz")
        parser.add_argument("--verify", action="store_true", help="write nothing: say whether FILE is a whole backup")
        parser.add_argument("--json", action="store_true", help="what was written or verified as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Back up or verify, and say how much."""
        file, quiet = options["file"], options["verbosity"] == 0
        try:
            if options["verify"]:
                manifest = verify(file)
            else:
                manifest = backup(Store(settings.FOLDBOARD_STORE), file, self._database(quiet), self._say(quiet))
            size = file.stat().st_size
        except (LogError, OSError) as error:
            raise CommandError(str(error), returncode=2) from None
        if options["json"]:
            found = {"file": str(file), "made": manifest.made, "files": len(manifest.files)}
            self.stdout.write(json.dumps({**found, "bytes": size, "unpacked": manifest.size}))
        elif options["verify"]:
            self.stdout.write(f"{file}: whole, made {manifest.made}, {len(manifest.files)} files, {size} bytes")
        elif not quiet:
            self.stdout.write(f"{file}: {len(manifest.files)} files, {size} bytes")

    def _database(self, quiet: bool) -> Path | None:
        database = sqlite_path()
        if database is None and not quiet:
            self.stderr.write("the database is no SQLite file and not in the backup: use its own tool (pg_dump)")
        return database

    def _say(self, quiet: bool) -> Callable[[str], None]:
        def say(line: str) -> None:
            if not quiet or line.startswith("left out"):
                self.stderr.write(line)

        return say
