"""Ids that are plain numbers, and lists with semicolons, as other tools write them."""

import re
from collections.abc import Callable

from board.process.files.reading import Remark

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})*")
_FINISH_TO_START = re.compile(r"([0-9.]+)\s*FS", re.IGNORECASE)

Record = dict[str, str]


def is_number(text: str) -> bool:
    """Say whether an id is a plain number or an outline number such as `1.2`."""
    return _NUMBER.fullmatch(text) is not None


def plain_ids(records: list[Record]) -> list[Remark]:
    """Put a `t` before ids when all of them are numbers, wherever they are named; changes the records."""
    ids = {record["task"] for record in records if record.get("task")}
    if not ids or not all(map(is_number, ids)):
        return []
    for record in records:
        for column in ("task", "parent"):
            record[column] = _prefixed(record.get(column, ""), ids)
        for column in ("depends_on", "not_by"):
            record[column] = _each(record.get(column, ""), lambda part: _dependency(part, ids))
    for record in records:
        for column in [column for column, cell in record.items() if not cell and column != "task"]:
            del record[column]
    message = "The ids are numbers, and an id starts with a letter: each has a `t` before it now (`1` is `t1`)."
    return [Remark(message, "ids-prefixed", column="task")]


def comma_lists(records: list[Record]) -> list[Remark]:
    """Read semicolons and newlines between names as commas; changes the records."""
    changed = 0
    for record in records:
        for column in ("depends_on", "not_by"):
            cell = record.get(column, "")
            if ";" in cell or "\n" in cell:
                record[column] = ", ".join(part.strip() for part in re.split(r"[;,\n]", cell) if part.strip())
                changed += 1
    if not changed:
        return []
    message = f"In {changed} cell(s) semicolons or line breaks between names are read as commas."
    return [Remark(message, "lists-mapped", column="depends_on")]


def _each(cell: str, change: Callable[[str], str]) -> str:
    return re.sub(r"[^,;\n]+", lambda part: change(part[0]), cell)


def _dependency(part: str, ids: set[str]) -> str:
    task, colon, label = part.partition(":")
    name = task.strip()
    if link := _FINISH_TO_START.fullmatch(name):
        name = link[1]
    return f"{task[: len(task) - len(task.lstrip())]}{_prefixed(name, ids)}{colon}{label}"


def _prefixed(text: str, ids: set[str]) -> str:
    return f"t{text}" if text in ids else text
