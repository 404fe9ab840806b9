"""What the commands about process files share: reading one from disk, the facts from outside, printing problems.

Refusals are CommandErrors with status 2: one clear line, never a traceback.
"""

import getpass
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.db import DatabaseError

from board.exchange import imports
from board.process import files
from board.process.bpmn import LIMIT_BYTES
from board.process.definition.table import ProcessTable
from board.process.editing.diff import Change
from board.process.files import Format, Reading, Unreadable
from board.process.validation.problems import Problem, check
from board.selectors.editor.problems import roles_held, script_found

STDIN = "-"
_MOST = LIMIT_BYTES + 1


def read_process(name: str, kind: Format | None = None) -> Reading:
    """Read a process from a file, or from standard input for `-`; raises CommandError."""
    data = read_bytes(name)
    try:
        return imports.read_process(data, "" if name == STDIN else name, kind)
    except Unreadable as error:
        raise CommandError(f"{shown(name)}: {error}", returncode=2) from error


def read_bytes(name: str) -> bytes:
    """Read a file, or standard input for `-`, no further than any format is read; raises CommandError."""
    try:
        if name == STDIN:
            return sys.stdin.buffer.read(_MOST)
        path = Path(name)
        if not path.is_file():
            raise CommandError(f"There is no file {shown(name)}.", returncode=2)
        with path.open("rb") as file:
            return file.read(_MOST)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CommandError(f"{shown(name)} cannot be read: {why}.", returncode=2) from error


def problems_of(table: ProcessTable) -> list[Problem]:
    """Check a table with what is known here: who holds a role (if there are accounts), which scripts exist."""
    try:
        held = roles_held() or None
    except DatabaseError:
        held = None  # a table can be checked where no board is set up
    return check(table, roles_held=held, scripts_found=script_found)


def lines_of(reading: Reading, problems: list[Problem]) -> Iterator[str]:
    """Give the remarks and problems of a reading for people, one a line, what became of elements first."""
    yield from map(shown, map(str, reading.became))
    yield from map(shown, map(str, reading.remarks))
    for problem in problems:
        line = reading.line_of(problem.row)
        where = f" (line {line})" if line and line != problem.row else ""
        yield shown(str(problem).replace(f"row {problem.row}", f"row {problem.row}{where}", 1))
    errors = len(reading.errors) + sum(problem.level == "error" for problem in problems)
    warnings = sum(problem.level == "warning" for problem in problems)
    yield f"{errors} error{'s' if errors != 1 else ''}, {warnings} warning{'s' if warnings != 1 else ''}"


def line_of(change: Change) -> str:
    """Give one change between two tables for people."""
    if change.kind == "changed":
        return shown(f"changed: {change.task}, {change.column}: “{change.before}” to “{change.after}”")
    if change.kind == "moved":
        below = f"below {change.after}" if change.after else "to the top"
        return shown(f"moved: {change.task} {below}")
    what = f"column {change.column}" if not change.task else f"{change.task} “{change.after or change.before}”"
    return shown(f"{change.kind}: {what}")


def shown(text: str) -> str:
    """Give a text as one line without what would move the cursor of the one who reads."""
    return "".join(character if character.isprintable() else " " for character in text)


def default_actor() -> str:
    """Give the account this command runs under, for the log."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "command"


def add_format(parser: Any, choices: tuple[str, ...] = files.FORMATS) -> None:
    """Add the option `--format`, which goes before what the file's name or bytes say."""
    parser.add_argument("--format", choices=choices, help="what it is, if neither name nor content says so")
