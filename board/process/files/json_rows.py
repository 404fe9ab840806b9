"""JSON: a list of rows, or one array per column, in and out."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from board.process.definition.table import ProcessTable
from board.process.definition.text import clean, spelled
from board.process.files.encoding import decode
from board.process.files.grid import cells_of, table_of_lines, table_of_rows
from board.process.files.headings import read_headings
from board.process.files.reading import MAX_COLUMNS, Reading, Remark, Unreadable, check_lines

_WRAPPERS = ("process", "rows", "table", "tasks", "columns")
_REMEDY = 'Write a list of rows `[{"task": …}, …]`, or one array per column `{"task": […], …}`.'


def read_json(data: bytes) -> Reading:
    """Read a process from JSON; raises Unreadable for what is no JSON or no table."""
    text, remarks = decode(data)
    notes = list(remarks)
    found = _unwrapped(_parsed(text, notes))
    if isinstance(found, Mapping):
        found = _rows_of_columns(found)
    if not isinstance(found, list) or not found:
        raise Unreadable("There is no table in this JSON.", _REMEDY)
    check_lines(len(found))
    if all(isinstance(row, list) for row in found):
        lines = [(number, [_cell(cell, "", notes) for cell in row]) for number, row in enumerate(found, start=1)]
        return table_of_lines(lines, notes, "json")
    return _of_objects(found, notes)


def write_json(table: ProcessTable) -> bytes:
    """Write a list of rows with all their columns (one empty array per column if there is no row), in UTF-8."""
    header, rows = cells_of(table)
    shape: Any = [dict(zip(header, cells, strict=True)) for cells in rows] or {column: [] for column in header}
    return (json.dumps(shape, ensure_ascii=False, indent=2) + "\n").encode()


def _parsed(text: str, notes: list[Remark]) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counted = Counter(name for name, _ in pairs)
        said = "“{}” is there twice in one object: keep one."
        notes.extend(Remark(said.format(name[:60]), "key-twice", "error") for name, n in counted.items() if n > 1)
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once, parse_float=_number, parse_int=str, parse_constant=str)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"This is no JSON: {error.msg}.", "Mend it there, or export it again.", where) from error
    except RecursionError as error:
        raise Unreadable("The JSON is nested too deep.", _REMEDY) from error


def _number(text: str) -> str:
    try:
        return spelled(float(text)) if len(text) < 20 else text
    except ValueError:
        return text


def _unwrapped(found: Any) -> Any:
    """Step into `{"process": …}` and the like, also where the inner JSON is itself a text (a line of the log)."""
    for _ in range(4):
        if isinstance(found, str) and found.lstrip().startswith(("{", "[")):
            try:
                found = json.loads(found)
            except (ValueError, RecursionError):
                return found
        elif isinstance(found, Mapping) and "task" not in found:
            inner = next((found[key] for key in _WRAPPERS if isinstance(found.get(key), (list, dict, str))), None)
            if inner is None:
                return found
            found = inner
        else:
            return found
    return found


def _rows_of_columns(columns: Mapping[str, Any]) -> Any:
    if not any(isinstance(column, list) for column in columns.values()):
        # one row written without its list, or a column of one row written without its array
        return [dict(columns)] if columns else []
    lists = {name: column if isinstance(column, list) else [column] for name, column in columns.items()}
    _check_columns(len(lists))
    length = max(map(len, lists.values()))
    check_lines(length)
    header = dict.fromkeys(lists, "")
    return [header] + [{n: c[i] if i < len(c) else "" for n, c in lists.items()} for i in range(length)]


def _of_objects(found: Sequence[Any], notes: list[Remark]) -> Reading:
    names: dict[str, None] = {}
    for number, row in enumerate(found, start=1):
        if isinstance(row, Mapping):
            names |= dict.fromkeys(row)
        else:
            message = f"Entry {number} is no row but “{spelled(row)[:40]}”: write an object with a `task`."
            notes.append(Remark(message, "no-row", "error"))
    _check_columns(len(names))
    headings = read_headings(list(names))
    rows = [
        (number, [_cell(row.get(name), name, notes) for name in names])
        for number, row in enumerate((row for row in found if isinstance(row, Mapping)), start=1)
    ]
    reading = table_of_rows(headings, rows, notes, "json")
    return Reading(reading.table, reading.remarks, "json")


def _check_columns(count: int) -> None:
    if count > MAX_COLUMNS:
        raise Unreadable(f"The rows have {count:,} different keys.", f"Keep at most {MAX_COLUMNS}.")


def _cell(value: Any, name: str, notes: list[Remark]) -> str:
    """Give a value as a cell; lists become comma-separated, objects `key=value` pairs."""
    if isinstance(value, (list, Mapping)):
        if isinstance(value, list):
            text = ", ".join(spelled(part) for part in value if not isinstance(part, (list, Mapping, type(None))))
        else:
            text = "; ".join(f"{key}={spelled(part)}" for key, part in value.items())
        message = f"A nested value under “{name[:40]}” is read as the text “{text[:40]}”."
        notes.append(Remark(message, "nested-value", column=name))
        return clean(text)
    return clean(value)
