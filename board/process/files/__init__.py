"""Processes from files and into files: CSV, XLSX, JSON and BPMN; bytes in, a table and remarks out.

Nothing here opens a file. `read` raises `Unreadable` for what is no process at all; everything else, however broken,
is a `Reading` whose remarks say what was found.
"""

from collections.abc import Callable
from pathlib import PurePath
from typing import get_args

from board.process.definition.table import ProcessTable
from board.process.files import delimited, encoding, grid, json_rows, workbook
from board.process.files.lists import Elements, read_elements
from board.process.files.reading import (
    MAX_BYTES,
    MAX_COLUMNS,
    Format,
    Reading,
    Remark,
    Unreadable,
    Unwritable,
)

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "MAX_COLUMNS",
    "MEDIA_TYPES",
    "Elements",
    "Format",
    "Reading",
    "Remark",
    "Unreadable",
    "Unwritable",
    "format_of",
    "read",
    "read_elements",
    "write",
    "write_csv",
]

FORMATS: tuple[Format, ...] = get_args(Format)
MEDIA_TYPES: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
    "bpmn": "application/xml",
}
_ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".json": "json",
    ".bpmn": "bpmn",
    ".xml": "bpmn",
}


def read(data: bytes, name: str = "", kind: Format | None = None, pool: str = "") -> Reading:
    """Read a process from bytes: of the given kind, else the one they show, else by the name; raises Unreadable.

    `pool` chooses one of several processes in a BPMN file.
    """
    if not data.strip(b" \t\r\n\0"):
        raise _empty()
    kind = kind or _recognised(data, name)
    if len(data) > MAX_BYTES and kind != "bpmn":  # BPMN has a limit of its own
        raise Unreadable(f"The file has {len(data):,} bytes.", f"At most {MAX_BYTES:,} are read.")
    return _read_bpmn(data, pool) if kind == "bpmn" else _READERS[kind](data)


def write(table: ProcessTable, kind: Format, name: str = "") -> bytes:
    """Write a table in a format, for BPMN with the process's name; raises Unwritable when the format cannot hold it."""
    if kind == "bpmn":
        from board.process import bpmn  # here, like openpyxl: most who read and write files never meet it

        return bpmn.write(table, name)
    return _WRITERS[kind](table)


def format_of(name: str) -> Format | None:
    """Give the format a file name stands for, None if it says nothing."""
    return _ENDINGS.get(PurePath(name).suffix.lower())


def write_csv(table: ProcessTable, delimiter: str = ",", mark: bool = True) -> bytes:
    """Write CSV as spreadsheets read it best: UTF-8 with a byte order mark (or without), CRLF, formulas defused."""
    header, rows = grid.cells_of(table)
    return delimited.write_lines([header, *rows], delimiter).encode("utf-8-sig" if mark else "utf-8")


def _recognised(data: bytes, name: str) -> Format:
    """Look at the bytes first: files are often named otherwise than they are."""
    if data.startswith(b"PK"):
        return "xlsx"
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise Unreadable("This is a workbook of the old Excel format, or an encrypted one.", "Save it as XLSX.")
    if data.startswith(b"%PDF"):
        raise Unreadable("This is a PDF.", "Choose a CSV, XLSX, JSON or BPMN file.")
    start = data.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")[:1]
    if start == b"<":
        return "bpmn"
    if start in (b"{", b"["):
        return "json"
    said = format_of(name)
    return "csv" if said in (None, "xlsx") else said


def _empty() -> Unreadable:
    return Unreadable("The file is empty.", "Choose a CSV, XLSX, JSON or BPMN file with a process in it.")


def _read_csv(data: bytes) -> Reading:
    text, remarks = encoding.decode(data)
    if not text.strip(' \t\r\n,;|"'):
        raise _empty()
    lines, more = delimited.read_lines(text)
    return grid.table_of_lines(lines, [*remarks, *more], "csv")


def _read_xlsx(data: bytes) -> Reading:
    lines, remarks = workbook.read_lines(data)
    return grid.table_of_lines(lines, remarks, "xlsx")


def _read_bpmn(data: bytes, pool: str) -> Reading:
    from board.process import bpmn

    found = bpmn.read(data, pool=pool or None)
    return Reading(found.table, (), "bpmn", became=tuple(found.remarks), name=found.name, pools=found.pools)


def _write_xlsx(table: ProcessTable) -> bytes:
    return workbook.write_book(*grid.cells_of(table))


_READERS: dict[Format, Callable[[bytes], Reading]] = {
    "csv": _read_csv,
    "xlsx": _read_xlsx,
    "json": json_rows.read_json,
}
_WRITERS: dict[Format, Callable[[ProcessTable], bytes]] = {
    "csv": write_csv,
    "xlsx": _write_xlsx,
    "json": json_rows.write_json,
}
