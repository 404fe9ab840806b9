"""What the scripts of the demo share: their surroundings, the figures, and how they answer the worker.

The contract is in jobs/README.md. Only the standard library is used, and nothing newer than Python 3.10, because the
scripts run with whatever `python3` the worker's PATH has.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn
from urllib.parse import quote

COLUMNS = ("country", "continent", "year", "lifeExp", "pop", "gdpPercap")


class Figure(NamedTuple):
    """One country in one year: life expectancy in years, inhabitants, GDP per head in dollars of constant value."""

    country: str
    continent: str
    year: int
    life: float
    population: int
    income: float


def give_up(message: str) -> NoReturn:
    """End the script as failed; the message is the last line of its log."""
    print(message, file=sys.stderr, flush=True)
    raise SystemExit(1)


def need(name: str) -> str:
    """One variable of the worker's contract; the script gives up when it is missing."""
    value = os.environ.get(name, "")
    if not value:
        give_up(f"{name} is not set: this script is run by the worker (see jobs/README.md).")
    return value


def param(key: str, default: float) -> float:
    """A number from the `params` cell of the task."""
    text = os.environ.get(f"PROC_PARAM_{key.upper()}", "").strip()
    try:
        return float(text) if text else default
    except ValueError:
        give_up(f"params: {key}={text} is no number.")


def word(key: str, default: str) -> str:
    """A word from the `params` cell of the task."""
    return os.environ.get(f"PROC_PARAM_{key.upper()}", "").strip() or default


def output(key: str, value: object) -> None:
    """Hand a value to the board and to the tasks that depend on this one; it fits on one line without `::`."""
    text = " ".join(str(value).replace("::", ":").split())
    print(f"::process-output {key}={text}::", flush=True)


def artifacts() -> Path:
    """The directory of this instance's files."""
    return Path(need("PROC_ARTIFACTS"))


def delivery_file(folder: Path, country: str) -> Path:
    """Where the platform puts the figures of one country; two countries never share a file."""
    return folder / "deliveries" / f"{quote(country, safe=' ,')}.csv"


def rows(path: Path) -> list[dict[str, str]]:
    """The lines of a table as they are written; the script gives up when there is no such table."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            table = csv.DictReader(file)
            missing = [name for name in COLUMNS if name not in (table.fieldnames or ())]
            if missing:
                give_up(f"{path.name} lacks the column {missing[0]}; it needs {', '.join(COLUMNS)}.")
            return [{key: (row.get(key) or "").strip() for key in COLUMNS} for row in table]
    except FileNotFoundError:
        give_up(f"{path} is not there.")
    except (UnicodeDecodeError, csv.Error) as problem:
        give_up(f"{path.name} is no table of text: {problem}.")


def read_figures(path: Path) -> dict[str, list[Figure]]:
    """The figures by country, each country in the order of its years; the script gives up at a line it cannot read."""
    found: dict[str, list[Figure]] = {}
    for number, row in enumerate(rows(path), start=2):
        try:
            figure = Figure(
                row["country"],
                row["continent"],
                int(row["year"]),
                float(row["lifeExp"]),
                int(float(row["pop"])),
                float(row["gdpPercap"]),
            )
        except ValueError as problem:
            give_up(f"{path.name}, line {number}: {problem}.")
        found.setdefault(figure.country, []).append(figure)
    return {country: sorted(found[country], key=lambda figure: figure.year) for country in sorted(found)}


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the new one, never a part."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def write_table(path: Path, head: tuple[str, ...], lines: list[tuple[object, ...]]) -> None:
    """Write a CSV table in one piece."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with part.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(head)
        table.writerows(lines)
    part.replace(path)


class Event(NamedTuple):
    """What a script needs of an event of its own instance."""

    ts: str
    task: str
    field: str
    value: str
    actor: str


def events(instance: str) -> Iterator[Event]:
    """The events of one instance in the order of the log; lines that are no events are passed over."""
    with (Path(need("PROC_STORE")) / "events.jsonl").open("rb") as log:
        for line in log:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and event.get("instance") == instance:
                yield Event(*(str(event.get(key, "")) for key in Event._fields))


def reconciliation(instance: str) -> tuple[Event | None, bool]:
    """The note that answers the findings, and whether management sent the figures back after it.

    A rejected publication asks for a new note: the one written before it no longer answers anything.
    """
    note_of, sent_back_by = word("note_of", "reconcile"), word("sent_back_by", "approve_publication")
    note: Event | None = None
    sent_back = False
    for event in events(instance):
        if event.task == note_of and event.field == "note" and event.value.strip():
            note, sent_back = event, False
        elif event.task == sent_back_by and event.field == "status" and event.value == "rejected":
            note, sent_back = None, True
    return note, sent_back
