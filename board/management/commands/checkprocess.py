"""`manage.py checkprocess FILE`: every problem of a process, before it is imported."""

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management import BaseCommand

from board.management.process_files import add_format, lines_of, problems_of, read_process, shown
from board.process.files import Reading
from board.process.validation.problems import Problem, has_errors


class Command(BaseCommand):
    """Prints every problem of a file; exit status 1 for errors, 2 for what is not a process at all."""

    help = "Read a process from CSV, XLSX, JSON or BPMN and print every problem; exit 1 on errors, 2 if none of these."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which file, and how to answer."""
        parser.add_argument("file", help="a file, or - for standard input")
        add_format(parser)
        parser.add_argument("--json", action="store_true", help="one JSON object: the table, problems and remarks")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check, print, tell by the exit status."""
        reading = read_process(options["file"], options["format"])
        problems = problems_of(reading.table)
        if options["json"]:
            self.stdout.write(json.dumps(_object(reading, problems), ensure_ascii=False, indent=2))
        else:
            rows = len(reading.table.rows)
            self.stdout.write(f"{shown(options['file'])}: {reading.format}, {rows} rows, {reading.table.version}")
            for line in lines_of(reading, problems):
                self.stdout.write(line)
        if reading.errors or has_errors(problems):
            sys.exit(1)


def _object(reading: Reading, problems: list[Problem]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "format": reading.format,
        "version": reading.table.version,
        "columns": list(reading.table.columns),
        "table": reading.table.to_rows(),
        "problems": [asdict(problem) | {"line": reading.line_of(problem.row)} for problem in problems],
        "remarks": [asdict(remark) for remark in reading.remarks],
    }
    if reading.format == "bpmn":
        facts |= {"name": reading.name, "pools": list(reading.pools)}
        facts["elements"] = [_element(asdict(each)) for each in reading.became]
    return facts


def _element(became: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix("element_"): value for name, value in became.items()}
