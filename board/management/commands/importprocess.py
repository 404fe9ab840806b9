"""`manage.py importprocess NAME FILE`: a file becomes the newest version of a process."""

import argparse
import sys
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from board.log.tail import shared
from board.management.process_files import (
    STDIN,
    add_format,
    default_actor,
    line_of,
    lines_of,
    problems_of,
    read_process,
    shown,
)
from board.process.definition.table import ProcessTable
from board.process.editing.diff import diff
from board.process.engine.decide import Refusal
from board.process.validation.problems import has_errors
from board.services import definitions
from board.services.actor import anybody


class Command(BaseCommand):
    """Saves a process read from a file; a file with errors changes nothing."""

    help = (
        "Save a process from CSV, XLSX, JSON or BPMN as its newest version; exit 1 on errors, 2 if it is not a process."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which process from which file, and who says so."""
        parser.add_argument("name", help="the name of the process, new or saved before")
        parser.add_argument("file", help="a file, or - for standard input")
        add_format(parser)
        parser.add_argument("--note", default="", help="why, for the list of versions")
        parser.add_argument("--actor", default="", help="who imports it, for the log; the system's account by default")
        parser.add_argument("--dry-run", action="store_true", help="show problems and changes, save nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, show, save."""
        name, file = options["name"].strip(), options["file"]
        reading = read_process(file, options["format"])
        problems = problems_of(reading.table)
        for line in lines_of(reading, problems):
            self.stdout.write(line)
        if reading.errors or has_errors(problems):
            self.stderr.write(f"Nothing was saved: {shown(file)} has errors.")
            sys.exit(1)
        try:
            self._save(name, reading.table, _note(options["note"], file), options)
        except LogError as error:
            raise CommandError(str(error), returncode=2) from error

    def _save(self, name: str, table: ProcessTable, note: str, options: dict[str, Any]) -> None:
        tail = shared(settings.FOLDBOARD_STORE)
        tail.refresh()
        saved = tail.definition(name)
        for change in diff(saved.table, table) if saved is not None else []:
            self.stdout.write(line_of(change))
        if options["dry_run"]:
            self.stdout.write("Nothing was saved: this was a dry run.")
            return
        who = anybody(options["actor"].strip() or default_actor())
        try:
            definitions.save(tail, who, name, table, note)
        except Refusal as refusal:
            if refusal.code != "unchanged":
                raise CommandError(refusal.message, returncode=2) from refusal
            self.stdout.write(refusal.message)
            return
        self.stdout.write(f"Saved “{shown(name)}” as version {table.version}.")


def _note(note: str, file: str) -> str:
    return note.strip() or ("Imported" if file == STDIN else f"Imported from {shown(PurePath(file).name)}")
