"""XLSX by openpyxl: a workbook's sheet as numbered lines of text cells, and a table as a workbook.

openpyxl is imported where it is used: every command reads files, and few of them are workbooks.
"""

import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime, time
from decimal import Decimal
from typing import Any, NamedTuple

from board.process.definition.text import shown, spelled
from board.process.files.delimited import Lines
from board.process.files.formulas import mark
from board.process.files.reading import MAX_CELLS, MAX_LINES, Remark, Unreadable, Unwritable

SHEET = "process"
MAX_UNPACKED = 32_000_000
MAX_PARTS = 2_000
MAX_CELL = 32_767
SHEET_ROWS = 1_048_576
MAX_MERGED = 1_000
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_TO_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")


def read_lines(data: bytes, name: str = SHEET, most: int = MAX_LINES) -> tuple[Lines, list[Remark]]:
    """Read the sheet of a name, else the first one, as text; raises Unreadable for what is no safe workbook."""
    import openpyxl

    _check_parts(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of charts, styles and validations it leaves out
        try:
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, keep_links=False, rich_text=True)
            sheet, remarks = _choose(book, name)
            sheet.reset_dimensions()
            lines = _unmerged(list(_lines(sheet, remarks, most)), _merged_down(book, sheet), remarks)
        except (Unreadable, MemoryError):
            raise
        except Exception as error:  # openpyxl raises whatever a broken part leads it into
            what = f"The workbook is damaged ({type(error).__name__})."
            raise Unreadable(what, "Open it in a spreadsheet and save it again as XLSX.") from error
    return lines, remarks


def write_book(header: list[str], rows: list[list[str]]) -> bytes:
    """Write one sheet of text cells; raises Unwritable for a cell longer than a sheet can hold."""
    import openpyxl
    from openpyxl.utils import get_column_letter

    book = openpyxl.Workbook()
    del book[book.sheetnames[0]]
    sheet = book.create_sheet(SHEET)
    sheet.freeze_panes = "B2"
    for number, cells in enumerate([header, *rows], start=1):
        for at, text in enumerate(cells, start=1):
            _put(sheet.cell(number, at), text, bold=number == 1)
    for at, name in enumerate(header, start=1):
        longest = max((len(line) for row in rows for line in row[at - 1].splitlines()), default=0)
        sheet.column_dimensions[get_column_letter(at)].width = min(60, max(10, len(name) + 2, longest + 2))
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def _put(cell: Any, text: str, bold: bool) -> None:
    if not text:
        return
    from openpyxl.styles import Alignment, Font

    written = _TO_ESCAPE.sub("_x005F_", mark(text))
    if len(written) > MAX_CELL:
        raise Unwritable(
            f"Cell {cell.coordinate} has {len(text):,} characters, XLSX holds {MAX_CELL:,}: export as CSV."
        )
    cell.value = written
    cell.data_type = "s"  # text, whatever it starts with
    cell.number_format = "@"  # so that a spreadsheet leaves `1-2` and `90%` alone when they are edited
    cell.alignment = Alignment(vertical="top", wrap_text="\n" in text)
    if bold:
        cell.font = Font(bold=True)


def _check_parts(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            infos = parts.infolist()
            names = {info.filename for info in infos}
            if "mimetype" in names or "[Content_Types].xml" not in names:
                raise Unreadable("This is a packed file, but no Excel workbook.", "Save the sheet as XLSX or CSV.")
            if sum(info.file_size for info in infos) > MAX_UNPACKED or len(infos) > MAX_PARTS:
                raise Unreadable(
                    f"The workbook unpacks to more than {MAX_UNPACKED // 1_000_000} MB.",
                    "Copy the table alone into a new workbook.",
                )
            for info in infos:
                if info.filename.endswith((".xml", ".rels")) and b"<!DOCTYPE" in parts.read(info):
                    raise Unreadable(f"{info.filename} declares entities.", "Save the workbook anew as XLSX.")
    except Unreadable:
        raise
    except (zipfile.BadZipFile, RuntimeError, EOFError, OSError, ValueError, zlib.error) as error:
        raise Unreadable(
            "The workbook is damaged or encrypted.", "Save it again as XLSX without a password."
        ) from error


def _choose(book: Any, name: str) -> tuple[Any, list[Remark]]:
    sheets = list(book.worksheets)
    if not sheets:
        raise Unreadable("The workbook has no sheet with cells.", "Put the table on a sheet of its own.")
    visible = [sheet for sheet in sheets if sheet.sheet_state == "visible"] or sheets
    named = [sheet for sheet in sheets if sheet.title.strip().casefold() == name]
    chosen = (named or visible)[0]
    others = [sheet.title for sheet in sheets if sheet is not chosen]
    if not others:
        return chosen, []
    message = f"The sheet “{chosen.title}” is read; {len(others)} other(s) are left out, the first: “{others[0]}”."
    return chosen, [Remark(message, "other-sheets")]


def _lines(sheet: Any, remarks: list[Remark], most: int) -> Iterator[tuple[int, list[str]]]:
    count = filled = 0
    for number, row in enumerate(sheet.iter_rows(), start=1):
        cells = [_text(cell, number, remarks) for cell in row]
        count += len(cells)
        if any(cells):
            filled += 1
            yield number, cells
        if number > SHEET_ROWS or count > MAX_CELLS or filled > most:
            what = f"The sheet has more than {MAX_CELLS:,} cells or {most:,} rows."
            raise Unreadable(what, "Copy the table alone into a new workbook.")


class Merged(NamedTuple):
    """Cells of one column that are merged from one line to a later one; the column counts from 0."""

    column: int
    first: int
    last: int


def _merged_down(book: Any, sheet: Any) -> list[Merged]:
    """Return the cells merged downwards within one column, which openpyxl does not tell while it streams a sheet."""
    from openpyxl.utils import column_index_from_string

    merged = []
    for left, top, right, bottom in _MERGED.findall(book._archive.read(sheet._worksheet_path))[:MAX_MERGED]:
        if left == right and int(top) < int(bottom):
            merged.append(Merged(column_index_from_string(left.decode()) - 1, int(top), int(bottom)))
    return merged


def _unmerged(lines: Lines, merged: list[Merged], remarks: list[Remark]) -> Lines:
    """Return the lines with what a cell says that is merged over several in each of them: people read it so."""
    cells_at = dict(lines)
    for column, first, last in merged:
        text = cells_at[first][column] if first in cells_at and column < len(cells_at[first]) else ""
        for number in (number for number in cells_at if text and first < number <= last):
            cells = cells_at[number]
            cells += [""] * (column + 1 - len(cells))
            cells[column] = cells[column] or text
        if text:
            message = f"“{shown(text, 30)}” stands in a cell merged over lines {first} to {last}: it is read in each."
            remarks.append(Remark(message, "merged-cell", line=first))
    return lines


def _text(cell: Any, line: int, remarks: list[Remark]) -> str:
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "f":
        text = str(getattr(value, "text", value))
        message = f"Cell {cell.coordinate} is a formula and was read as its text “{text[:40]}”: write the value itself."
        remarks.append(Remark(message, "formula-text", line=line))
        return text
    if cell.data_type == "e":
        message = f"Cell {cell.coordinate} shows an error ({value}): write the value itself."
        remarks.append(Remark(message, "cell-error", line=line))
    if cell.is_date:
        text = _date(value)
        message = (
            f"Cell {cell.coordinate} is a date and was read as “{text}”: format the cell as text to keep what is typed."
        )
        remarks.append(Remark(message, "date-text", line=line))
        return text
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value, str(cell.number_format))
    if isinstance(value, bool):
        return spelled(value)
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), str(value))


def _number(value: float, number_format: str) -> str:
    """Spell a number as the sheet shows it where it matters: 0.9 formatted as a percentage is `90%`."""
    if "%" in number_format:
        return f"{(Decimal(repr(value)) * 100).normalize():f}%"
    return spelled(value)


def _date(value: Any) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return str(value)
