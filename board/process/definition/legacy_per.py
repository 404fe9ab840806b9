"""The older column `per`: read as if one group of that collection enclosed all its tasks (semantics, section 1.1)."""

import re
from collections.abc import Mapping

from board.process.definition.cells import dependencies, names

PER = "per"


def without_per(rows: list[dict[str, str]], columns: list[str]) -> tuple[list[dict[str, str]], list[str]]:
    """Replace the column `per` by one group row a value, before the first row of that value."""
    kept = [column for column in columns if column != PER]
    if not any(PER in row for row in rows):
        return rows, kept
    groups = _group_ids(rows)
    changed: list[dict[str, str]] = []
    placed: set[str] = set()
    for row in rows:
        value = row.pop(PER, "")
        if value and not _stays(row, value):
            if value not in placed:
                placed.add(value)
                changed.append({"task": groups[value], "name": f"Each {value}", "collection": value})
            row["parent"] = groups[value]
        changed.append(row)
    needed = [column for column in ("task", "name", "collection", "parent") if placed and column not in kept]
    return changed, kept + needed


def _stays(row: Mapping[str, str], value: str) -> bool:
    return "parent" in row or row.get("collection") == value


def _group_ids(rows: list[dict[str, str]]) -> dict[str, str]:
    """Choose an id for each value of `per` that no row has and no cell mentions."""
    taken = set(_mentioned(rows))
    chosen: dict[str, str] = {}
    for value in dict.fromkeys(row[PER] for row in rows if PER in row):
        stem = f"each_{re.sub(r'[^\w.-]', '_', value)}"[:56]
        spellings = (stem if n == 1 else f"{stem}_{n}" for n in range(1, len(rows) + len(taken) + 2))
        chosen[value] = next(spelling for spelling in spellings if spelling not in taken)
        taken.add(chosen[value])
    return chosen


def _mentioned(rows: list[dict[str, str]]) -> list[str]:
    found: list[str] = []
    for row in rows:
        found += [row.get("task", ""), row.get("parent", ""), *names(row.get("not_by", ""))]
        found += [dependency.task for dependency in dependencies(row.get("depends_on", ""))]
    return found
