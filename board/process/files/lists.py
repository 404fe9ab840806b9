"""Element lists: pasted text, CSV, XLSX and JSON.

How a text is read, decided by its first line that is not blank:

- several columns (the line has a comma, semicolon, tab or bar outside quotes): it names the columns, the first of them
  holds the ids; but a text of one line alone is a list of ids;
- one column: it is a heading if it is a word for an element (`element`, `id`, `unit`, …) or a collection of the
  process, else it is the first element. Lines are then taken whole, so `Korea, Rep.` is one element.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from board.process.definition.elements import ASSIGNEE, MAX_ELEMENTS, ElementError, ElementList, check_size
from board.process.definition.text import clean, shown
from board.process.files import delimited, workbook
from board.process.files.delimited import Lines
from board.process.files.encoding import decode
from board.process.files.formulas import unmark
from board.process.files.reading import MAX_BYTES, Remark, Unreadable

SHEET = "elements"
_WORDS = ("element", "id", "key", "unit", "country", "region", "name")
_HEADINGS = frozenset((*_WORDS, *(f"{word}s" for word in _WORDS), "countries"))
_WHOLE_LINES = "\0"  # no text that was decoded holds it


class Elements(NamedTuple):
    """An element list read, and what the reader should know about it."""

    elements: ElementList
    remarks: tuple[Remark, ...]


def read_elements(data: bytes | str, collections: Collection[str] = ()) -> Elements:
    """Read an element list from a file's bytes or a pasted text; `collections` are those of the process.

    A text without any element is the empty list. Raises Unreadable for what is no list, ElementError for a list with
    problems (all of them at once).
    """
    if len(data) > MAX_BYTES:
        raise Unreadable(f"The list has {len(data):,} bytes.", f"At most {MAX_BYTES:,} are read.")
    if isinstance(data, bytes) and data.startswith(b"PK"):
        lines, remarks = workbook.read_lines(data, SHEET, MAX_ELEMENTS + 1)
    else:
        text, remarks = decode(data) if isinstance(data, bytes) else (data.replace("\0", "\ufffd"), [])
        if text.lstrip("\ufeff \t\r\n").startswith(("[", "{")):
            return Elements(_of_json(text), tuple(remarks))
        lines, more = _lines(text)
        remarks = [*remarks, *more]
    return _of_lines(lines, remarks, {*_HEADINGS, *(name.casefold() for name in collections)})


def _lines(text: str) -> tuple[Lines, list[Remark]]:
    head = next((line for line in text.removeprefix("\ufeff").splitlines() if line.strip()), "")
    split, _ = delimited.read_lines(head)
    if head.lower().startswith("sep=") or any(len(cells) > 1 for _, cells in split):
        return delimited.read_lines(text, MAX_ELEMENTS + 1)
    return delimited.split_by(text, _WHOLE_LINES, MAX_ELEMENTS + 1)


def _of_lines(lines: Lines, remarks: Sequence[Remark], headings: Collection[str]) -> Elements:
    texts = [[unmark(clean(cell)) for cell in cells] for _, cells in lines]
    at = next((i for i, cells in enumerate(texts) if any(cells)), None)
    if at is None:
        return Elements(ElementList.from_ids([]), tuple(remarks))
    broken = [f"line {remark.line}: {remark.message}" for remark in remarks if remark.level == "error"]
    if broken:
        raise ElementError(broken)
    head, rest = texts[at], texts[at + 1 :]
    is_heading = head[0].casefold() in headings
    if len([cell for cell in head if cell]) == 1 and not is_heading:
        return Elements(ElementList.from_ids(_first_cells(texts)), tuple(remarks))
    if not any(map(any, rest)) and not is_heading:
        return Elements(ElementList.from_ids(cell for cell in head if cell), tuple(remarks))
    names = _names(head, rest)
    said = f"The first line names the columns: {', '.join(f'“{shown(name, 30)}”' for name in names)}."
    return Elements(ElementList.from_rows(names, rest), (*remarks, Remark(said, "header-taken", line=lines[at][0])))


def _first_cells(texts: Sequence[Sequence[str]]) -> list[str]:
    # More cells than the one column has: joined, so that the id is refused or kept whole, and nothing is lost.
    return [", ".join(cell for cell in cells if cell) for cells in texts]


def _names(head: Sequence[str], rest: Sequence[Sequence[str]]) -> list[str]:
    """Name the columns, the empty ones at the end left out; `Assignee` in any spelling is `assignee`."""
    width = max((i for cells in (head, *rest) for i, cell in enumerate(cells, start=1) if cell), default=1)
    names = [*head, *[""] * width][: max(width, 1)]
    return [ASSIGNEE if name.casefold() in (ASSIGNEE, "assigned to", "assigned_to") else name for name in names]


def _of_json(text: str) -> ElementList:
    try:
        found: Any = json.loads(text.removeprefix("\ufeff"), parse_int=str)
    except (ValueError, RecursionError) as error:
        raise Unreadable("This is no JSON.", "Write a list of ids `[…]`, or one array per column `{…}`.") from error
    if isinstance(found, Mapping):
        return ElementList.from_columns(found.get("elements", found) if _has_columns(found) else found)
    if all(isinstance(row, Mapping) for row in found):
        columns = list(dict.fromkeys(name for row in found for name in row))
        check_size(len(columns), len(found))
        return ElementList.from_rows(columns or ["element"], [[clean(row.get(c)) for c in columns] for row in found])
    wrong = [
        f"row {number}, “{shown(str(one))}”: no text and no number"
        for number, one in enumerate(found, start=1)
        if isinstance(one, (list, Mapping, type(None)))
    ]
    if wrong:
        raise ElementError(wrong)
    return ElementList.from_ids(clean(one) for one in found)


def _has_columns(found: Mapping[str, Any]) -> bool:
    return isinstance(found.get("elements"), Mapping)
