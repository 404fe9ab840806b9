"""Lines of cells to a process table: header found, columns named, blank lines left out, odd lines remarked."""

from collections.abc import Sequence

from board.process.definition.cells import is_id
from board.process.definition.legacy_per import PER
from board.process.definition.table import COLUMNS, ProcessTable
from board.process.definition.text import clean, shown
from board.process.files import numbers
from board.process.files.delimited import Lines
from board.process.files.formulas import unmark
from board.process.files.headings import Headings, read_headings, target_of
from board.process.files.reading import MAX_COLUMNS, Format, Reading, Remark, Unreadable

_HEADER_WITHIN = 20


def table_of_lines(lines: Lines, remarks: Sequence[Remark], found: Format) -> Reading:
    """Make a reading of numbered lines of cells, one of them the header; raises Unreadable if none is."""
    filled = [(number, cells) for number, cells in lines if any(cell.strip() for cell in cells)]
    if not filled:
        raise Unreadable("The file is empty.", "Its first line must name the columns, `task` among them.")
    at = _header_at(filled)
    line, header = filled[at]
    notes = [*remarks, *_left_out(filled[:at])]
    width = _width(filled[at:])
    if width > MAX_COLUMNS:
        raise Unreadable(f"The table has {width} columns.", f"Keep at most {MAX_COLUMNS}.", f"line {line}")
    for number, cells in filled[at + 1 :]:
        notes += _odd_width(number, cells, header, width)
    texts = [(number, [_cell(cell, found) for cell in cells[:width]]) for number, cells in filled[at:]]
    used = [i for i in range(width) if any(i < len(cells) and cells[i] for _, cells in texts)]
    rows = [(number, [cells[i] if i < len(cells) else "" for i in used]) for number, cells in texts]
    return table_of_rows(read_headings(rows[0][1], line), rows[1:], notes, found)


def table_of_rows(
    headings: Headings, rows: Sequence[tuple[int, Sequence[str]]], remarks: Sequence[Remark], found: Format
) -> Reading:
    """Make a reading of columns that have names and numbered rows of clean cells."""
    if "task" not in headings.names:
        raise _no_task_column(list(headings.names))
    records = [dict(zip(headings.names, cells, strict=False)) for _, cells in rows]
    columns = list(headings.names)
    swapped = _swapped(records, columns)
    dropped = {"column-kept"} if swapped else set()
    notes = [remark for remark in headings.remarks if remark.code not in dropped]
    notes += [*swapped, *numbers.plain_ids(records)]
    if headings.foreign & {"depends_on", "not_by"}:
        notes += numbers.comma_lists(records)
    lines = tuple(number for (number, _), record in zip(rows, records, strict=True) if any(record.values()))
    if any(record.get(PER) for record in records):
        lines = ()  # rows are made for the groups, so the table's rows are not the file's
        notes.append(Remark("The older column `per` is read as a group around its tasks.", "per-read", column=PER))
    table = ProcessTable.from_rows(records, columns)
    return Reading(table, (*remarks, *notes), found, lines=lines)


def cells_of(table: ProcessTable) -> tuple[list[str], list[list[str]]]:
    """Give the header and the rows of a table as a file shows them.

    Where a column of the user's own has a name that reads as one of ours, ours is written too (empty): so the file
    reads back as the same table.
    """
    unclear = [target_of(column) for column in table.columns if column not in COLUMNS]
    header = list(dict.fromkeys([*table.columns, *(column for column in unclear if column in COLUMNS)]))
    if "task" not in header:
        header.insert(0, "task")
    return header, [[row.cell(column) for column in header] for row in table.rows]


def _header_at(lines: Lines) -> int:
    for at, (_, cells) in enumerate(lines[:_HEADER_WITHIN]):
        if any(target_of(unmark(clean(cell))) == "task" for cell in cells):
            return at
    raise _no_task_column([clean(cell) for cell in lines[0][1] if clean(cell)])


def _no_task_column(found: list[str]) -> Unreadable:
    named = ", ".join(f"“{shown(name, 30)}”" for name in found[:8])
    what = f"There is no column `task` (found: {named or 'none'})."
    return Unreadable(what, "Name the columns in the first line: `task`, and `name`, `role`, `depends_on` as needed.")


def _cell(cell: str, found: Format) -> str:
    return clean(cell) if found == "json" else unmark(clean(cell))


def _left_out(above: Lines) -> list[Remark]:
    if not above:
        return []
    message = f"{len(above)} line(s) above the header are left out, the first: “{shown(' '.join(above[0][1]))}”."
    return [Remark(message, "above-header", line=above[0][0])]


def _width(lines: Lines) -> int:
    """Give the number of columns, the trailing ones without a name and without a cell left out."""
    header = lines[0][1]
    return max((i for i, cell in enumerate(header, start=1) if cell.strip()), default=0)


def _odd_width(number: int, cells: list[str], header: list[str], width: int) -> list[Remark]:
    surplus = [cell for cell in cells[width:] if cell.strip()]
    if surplus:
        message = (
            f"There are {len(surplus)} cell(s) more than columns, from “{shown(surplus[0])}” on: put cells that hold "
            "the delimiter in double quotes, or name the columns."
        )
        return [Remark(message, "too-many-cells", "error", number)]
    if len(cells) < width and len(cells) < len(header):
        return [Remark(f"There are {len(cells)} of {width} cells: the others are empty.", "too-few-cells", line=number)]
    return []


def _swapped(records: list[dict[str, str]], columns: list[str]) -> list[Remark]:
    """Read `ID, Task` of other tools as `task, name`: ids under the one, labels under the other."""
    other = next((column for column in columns if column not in COLUMNS and target_of(column) == "task"), "")
    if not other or "name" in columns:
        return []
    labels, ids = ([record.get(c, "") for record in records if record.get(c)] for c in ("task", other))
    if not ids or all(map(is_id, labels)) or not all(is_id(one) or numbers.is_number(one) for one in ids):
        return []
    for record in records:
        record["name"], record["task"] = record.get("task", ""), record.pop(other, "")
    columns[columns.index("task")], columns[columns.index(other)] = "name", "task"
    message = f"The column “{shown(other)}” holds the ids and is read as `task`, the column `task` as `name`."
    return [Remark(message, "column-mapped", column="task")]
