"""`manage.py checklog`: the lines of the event log that are not events."""

import argparse
import json
import sys
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.base import check
from board.log.errors import LogError
from board.log.file import open_log


class Command(BaseCommand):
    """Prints positions of bad lines; exit status 1 when there is one."""

    help = "Read the whole event log and print where it holds lines that are not events; exit 1 if there are any."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """For people or for programs."""
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check, print, tell by the exit status."""
        log = open_log(settings.FOLDBOARD_STORE)
        try:
            (count, bad), torn = check(log.view()), log.torn_bytes()
        except LogError as error:
            raise CommandError(str(error), returncode=2) from None
        if options["json"]:
            lines = [{"line": b.line_no, "offset": b.offset, "reason": b.reason} for b in bad]
            self.stdout.write(json.dumps({"lines": count, "bad": lines, "torn_bytes": torn}))
        else:
            for b in bad:
                self.stdout.write(f"{log.path}:{b.line_no}: byte {b.offset}: {b.reason}")
            if torn:
                self.stdout.write(
                    f"{log.path}:{count + 1}: {torn} bytes without a newline: half a line, or one being written"
                )
            self.stdout.write(f"{count} lines, {len(bad)} of them no events")
        if bad or torn:
            sys.exit(1)
