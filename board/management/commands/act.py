"""`manage.py act TASK VALUE --instance ID`: what a person does on the board, from a shell."""

import argparse
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from board.log.event import Event
from board.log.tail import Tail, shared
from board.management.process_files import default_actor
from board.process.engine.decide import Refusal
from board.services import tasks
from board.services.actor import Actor, anybody
from board.services.tasks import Place

Deed = Callable[[], list[Event]]


class Command(BaseCommand):
    """Moves one row, by the same rules as the board."""

    help = "Finish, start, reopen, assign or comment a row: by the same rules as on the board, with every role."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which row, what of it, who says so."""
        parser.add_argument("task", help="the id of the task")
        parser.add_argument("value", help="done, an answer, doing, open, failed; or the value of --field")
        parser.add_argument("--instance", required=True, help="its id, or latest")
        parser.add_argument("--element", default="", help="the element, for a task that repeats")
        parser.add_argument("--actor", default="", help="who does it, for the log; the system's account by default")
        parser.add_argument("--note", default="", help="why; some answers ask for one")
        parser.add_argument("--along", action="store_true", help="with open: reopen everything after it too")
        parser.add_argument(
            "--field", default="status", choices=("status", "assignee", "due", "note"), help="what to set"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, say what was appended."""
        tail = shared(settings.FOLDBOARD_STORE)
        who = anybody(options["actor"].strip() or default_actor())
        try:
            events = _deed(tail, who, options)()
        except Refusal as refusal:
            raise CommandError(refusal.message, returncode=2) from None
        except LogError as error:
            raise CommandError(str(error), returncode=2) from None
        for event in events:
            row = f"{event.task}@{event.element}" if event.element else event.task
            self.stdout.write(f"{event.instance} {row}: {event.field}={event.value} ({event.actor})")


def _deed(tail: Tail, who: Actor, options: dict[str, Any]) -> Deed:
    instance, value, note = options["instance"], options["value"], options["note"]
    at = Place(options["task"], options["element"])
    match options["field"]:
        case "assignee":
            return lambda: tasks.assign(tail, instance, at, who, value)
        case "due":
            return lambda: tasks.set_due(tail, instance, at, who, value)
        case "note":
            return lambda: tasks.comment(tail, instance, at, who, value)
    match value:
        case "doing":
            return lambda: tasks.start(tail, instance, at, who)
        case "open" if _is_failed_script(tail, instance, at):
            return lambda: tasks.retry(tail, instance, at, who)
        case "open":
            return lambda: tasks.reopen(tail, instance, at, who, note, along=options["along"])
        case "failed":
            return lambda: tasks.fail(tail, instance, at, who, note)
    return lambda: tasks.finish(tail, instance, at, who, value, note)


def _is_failed_script(tail: Tail, instance: str, at: Place) -> bool:
    with tail.reading():
        folded = tail.get(instance)
        row = folded.find(*at) if folded is not None else None
        if folded is None or row is None:
            return False
        return folded.definition(row).is_script and folded.status(row) == "failed"
