"""`manage.py ingest`: take in the messages that lie in the inbox, once."""

import argparse
import json
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from board.log.store import Store
from board.log.tail import shared
from board.management.process_files import shown
from board.services.inbox import Inbox, Report


class Command(BaseCommand):
    """Applies what a running worker would apply on its next tick; both at once apply nothing twice."""

    help = "Take in the messages of the inbox once: what is right becomes events, what never can moves to failed/."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """For people or for programs."""
        parser.add_argument("--json", action="store_true", help="one JSON object: applied, rejected, pending, …")

    def handle(self, *args: Any, **options: Any) -> None:
        """Take in, say what became of each file; exit status 1 when one was rejected or cannot be moved."""
        store = Store(settings.FOLDBOARD_STORE)
        try:
            store.ensure()
            inbox = Inbox(shared(store.root), store, status_for=settings.FOLDBOARD_INBOX_STATUS)
            report = inbox.take_in()
        except LogError as error:
            raise CommandError(str(error), returncode=2) from None
        if options["json"]:
            self.stdout.write(json.dumps(_for_programs(report), ensure_ascii=False, indent=2))
        else:
            for line in _for_people(report):
                self.stdout.write(line)
        if report.rejected or report.stuck:
            raise SystemExit(1)


def _for_programs(report: Report) -> dict[str, Any]:
    return {
        "applied": sorted(report.applied),
        "rejected": report.rejected,
        "pending": sorted(report.pending),
        "duplicate": sorted(report.duplicate),
        "stuck": report.stuck,
    }


def _for_people(report: Report) -> list[str]:
    lines = []
    for name, event in report.applied.items():
        row = f"{event.task}@{event.element}" if event.element else event.task
        lines.append(f"{name}: {event.instance} {row}: {event.field}={event.value} ({event.actor})")
    lines += [f"{name}: rejected, {code}; the reason is beside it in failed/" for name, code in report.rejected.items()]
    lines += [f"{name}: was applied before" for name in report.duplicate]
    lines += [f"{name}: waits for its instance" for name in report.pending]
    lines += [f"{name}: cannot be moved, {why}" for name, why in report.stuck.items()]
    return [shown(line) for line in lines] or ["The inbox is empty."]
