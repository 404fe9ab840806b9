"""`manage.py startinstance PROCESS INSTANCE`: a new instance of a saved process, or of a file."""

import argparse
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.exchange.imports import read_elements
from board.log.errors import LogError
from board.log.tail import Tail, shared
from board.management.process_files import STDIN, default_actor, lines_of, problems_of, read_bytes, read_process, shown
from board.process.definition.elements import ElementError, ElementList
from board.process.definition.table import ProcessTable
from board.process.engine.decide import Refusal
from board.process.files import Unreadable
from board.process.validation.problems import has_errors
from board.services import instances
from board.services.actor import anybody


class Command(BaseCommand):
    """Starts an instance; a process with errors or a missing element list starts nothing."""

    help = "Start an instance of a saved process, or of a CSV, XLSX, JSON or BPMN file; exit 2 when it cannot be."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Of what, under which id, over which elements."""
        parser.add_argument("process", help="the name of a saved process, or a file")
        parser.add_argument("instance", help="the id of the new instance")
        parser.add_argument("--elements", help="a file of the elements (CSV, XLSX, JSON, one a line), or - for input")
        parser.add_argument("--actor", default="", help="who starts it, for the log; the system's account by default")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, start, say so."""
        tail = shared(settings.FOLDBOARD_STORE)
        try:
            tail.refresh()
            name, table = self._process(tail, options["process"])
            elements = _elements(options["elements"], table)
            who = anybody(options["actor"].strip() or default_actor())
            instances.start(tail, who, name, options["instance"], elements, table=table)
        except Refusal as refusal:
            raise CommandError(refusal.message, returncode=2) from None
        except LogError as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(f"Started {options['instance']}: {shown(name)}, version {table.version}")

    def _process(self, tail: Tail, said: str) -> tuple[str, ProcessTable]:
        saved = tail.definition(said)
        if saved is not None:
            return said, saved.table
        if said != STDIN and not Path(said).is_file():
            names = ", ".join(sorted(tail.definitions())) or "none is saved"
            raise CommandError(f"“{shown(said)}” is neither a saved process ({names}) nor a file.", returncode=2)
        reading = read_process(said, None)
        problems = problems_of(reading.table)
        if reading.errors or has_errors(problems):
            for line in lines_of(reading, problems):
                self.stderr.write(line)
            raise CommandError(f"Nothing was started: {shown(said)} has errors.", returncode=2)
        return Path(said).stem, reading.table


def _elements(file: str | None, table: ProcessTable) -> ElementList | None:
    """The list of a file; None when none is named, which only a process without groups can start with."""
    if file is None:
        return None
    data = read_bytes(file)
    try:
        return read_elements(data, table).elements
    except (ElementError, Unreadable) as error:
        raise CommandError(f"{shown(file)}: {error}", returncode=2) from None
