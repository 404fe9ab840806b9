"""`manage.py exportprocess NAME`: a saved process as CSV, XLSX, JSON, BPMN or a picture."""

import argparse
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.exchange import exports
from board.log.errors import LogError
from board.log.tail import Tail, shared
from board.management.process_files import add_format, shown
from board.process import files
from board.process.definition.table import ProcessTable

SVG = "svg"
CHOICES = (*files.FORMATS, SVG)


class Command(BaseCommand):
    """Writes a saved process to a file or to standard output."""

    help = "Write a saved process as CSV (by default), XLSX, JSON, BPMN 2.0 or SVG."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which process, as what, where to."""
        parser.add_argument("name", help="the name of a saved process")
        add_format(parser, CHOICES)
        parser.add_argument("--output", help="the file to write; without it, standard output")
        parser.add_argument("--saved", metavar="VERSION", help="an older version instead of the newest")
        parser.add_argument("--excel", action="store_true", help="CSV with the mark by which Excel knows UTF-8")

    def handle(self, *args: Any, **options: Any) -> None:
        """Find it, write it."""
        name, output = options["name"].strip(), options["output"]
        kind = options["format"] or _kind_of(output or "")
        try:
            table = _table(shared(settings.FOLDBOARD_STORE), name, options["saved"])
            data = _written(table, kind, name, options["excel"])
        except (LogError, files.Unwritable) as error:
            raise CommandError(str(error), returncode=2) from error
        if output:
            _write(Path(output), data)
        else:
            self._print(data, kind)

    def _print(self, data: bytes, kind: str) -> None:
        out: Any = self.stdout
        raw = getattr(getattr(out, "_out", out), "buffer", None)
        if kind == "xlsx" and (raw is None or sys.stdout.isatty()):
            raise CommandError("A workbook is no text: name a file with --output.", returncode=2)
        if raw is None:
            out.write(data.decode(), ending="")
        else:
            out.flush()
            raw.write(data)
            raw.flush()


def _kind_of(output: str) -> str:
    if output.lower().endswith(f".{SVG}"):
        return SVG
    return files.format_of(output) or "csv"


def _table(tail: Tail, name: str, version: str | None) -> ProcessTable:
    tail.refresh()
    saved = tail.versions(name)
    if not saved:
        known = ", ".join(f"“{shown(each)}”" for each in tail.definitions()) or "none yet"
        raise CommandError(f"There is no process “{shown(name)}”. Saved are: {known}.", returncode=2)
    chosen = saved if version is None else [each for each in saved if each.version == version]
    if not chosen:
        versions = ", ".join(dict.fromkeys(each.version for each in saved))
        raise CommandError(f"“{shown(name)}” has no version {shown(version or '')}: {versions}.", returncode=2)
    return chosen[-1].table


def _written(table: ProcessTable, kind: str, name: str, excel: bool) -> bytes:
    if kind == "csv":
        return files.write_csv(table, mark=excel)
    return exports.written(table, name, next(each for each in exports.KINDS if each == kind))


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CommandError(f"{shown(str(path))} cannot be written: {why}.", returncode=2) from error
