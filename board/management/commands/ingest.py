"""`manage.py ingest`: take in the inbox once, without a worker."""

import argparse
import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from board.log.store import Store
from board.log.tail import shared
from board.services.inbox import Report, take_in


class Command(BaseCommand):
    """Applies the messages that lie in the inbox."""

    help = "Apply the messages in the inbox once; the worker does the same all the time."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which store, and for whom the answer is."""
        parser.add_argument("--store", type=Path, default=settings.FOLDBOARD_STORE, help="the store (FOLDBOARD_STORE)")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Take them in and say what became of each."""
        try:
            store = Store(options["store"]).ensure()
            report = take_in(shared(store), store, status_for=settings.FOLDBOARD_INBOX_STATUS)
        except LogError as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(json.dumps(_facts(report), ensure_ascii=False) if options["json"] else _sentences(report))


def _facts(report: Report) -> dict[str, Any]:
    return {
        "applied": list(report.applied),
        "rejected": report.rejected,
        "pending": report.pending,
        "duplicate": report.duplicate,
        "stuck": report.stuck,
        "unjudged": report.unjudged,
    }


def _sentences(report: Report) -> str:
    lines = [
        f"{len(report.applied)} applied, {len(report.rejected)} rejected, {len(report.pending)} too early,"
        f" {len(report.duplicate)} applied before"
    ]
    lines += [f"  rejected {file}: {code} (see inbox/failed/{file}.error)" for file, code in report.rejected.items()]
    lines += [f"  {file} cannot be moved out of the inbox: {why}" for file, why in report.stuck.items()]
    lines += [f"  {file} stays in the inbox and is tried again: {why}" for file, why in report.unjudged.items()]
    return "\n".join(lines)
