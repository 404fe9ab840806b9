"""`manage.py eventlog INSTANCE`: what happened, in the order of the log."""

import argparse
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from board.log.event import Event, encode
from board.log.tail import Tail, shared

CUT = 160


class Command(BaseCommand):
    """Prints the events of one instance."""

    help = "Print the events of an instance, oldest first; with --json each as the line it is in the log."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which instance, which events."""
        parser.add_argument("instance", help="its id, or latest")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        parser.add_argument("--task", help="only events of this task")
        parser.add_argument("--element", help="only events of this element")
        parser.add_argument("--actor", help="only what this account or program did")
        parser.add_argument("--field", help="only this field, status for example")
        parser.add_argument("--limit", type=int, help="only the newest N")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print them."""
        try:
            events = _events(shared(settings.FOLDBOARD_STORE), options)
        except LogError as error:
            raise CommandError(str(error), returncode=2) from None
        for event in events:
            self.stdout.write(encode(event).decode().rstrip("\n") if options["json"] else _sentence(event))


def _events(tail: Tail, options: dict[str, Any]) -> list[Event]:
    instance = tail.newest() if options["instance"] == "latest" else options["instance"]
    if not instance or not tail.seqs(instance):
        raise LogError(f"There is no instance {options['instance']}: see manage.py instance.")
    limit = options["limit"]
    if limit is not None and limit < 1:
        raise LogError(f"--limit {limit}: give a number from 1 on.")
    filters = {name: options[name] for name in ("task", "element", "actor", "field")}
    return [entry.event for entry in reversed(tail.history(instance, **filters, limit=limit))]


def _sentence(event: Event) -> str:
    row = f"{event.task}@{event.element}" if event.element else event.task
    value = event.value if len(event.value) <= CUT else f"{event.value[:CUT]}… ({len(event.value)} characters)"
    ref = f"  [{event.ref}]" if event.ref else ""
    # What others wrote must not move the cursor of the one who reads.
    return "".join(
        c if c.isprintable() else " " for c in f"{event.ts}  {event.actor}  {row}  {event.field}={value}{ref}"
    )
