"""What strangers wrote, read within bounds of time and memory: process files and element lists."""

from __future__ import annotations

from board.exchange.apart import LIGHT_BYTES, TooDear, apart
from board.process import files
from board.process.definition.table import MAX_ROWS, ProcessTable
from board.process.files import Elements, Format, Reading, Unreadable
from board.process.flow.flow import compile_flow

MAX_DEPENDENCIES = 50_000  # of all rows; what is compiled and checked of a table grows with them
MAX_REMARKS = 10_000  # what became of each element of a drawing among them
_REMEDY = "Keep the table alone, in a smaller file."


def read_process(data: bytes, name: str = "", kind: Format | None = None, pool: str = "") -> Reading:
    """A process file read, for BPMN the pool that is asked for; raises Unreadable, and Busy when others are reading."""
    try:
        if _is_light(data):
            return _read(data, name, kind, pool)
        return apart(_read, data, name, kind, pool)
    except TooDear as error:
        raise Unreadable(f"Reading this file {error}.", _REMEDY) from None


def _read(data: bytes, name: str, kind: Format | None, pool: str) -> Reading:
    """Read a process and count what is found, before anybody checks, compares or draws it."""
    found = files.read(data, name, kind, pool)
    if len(found.table.rows) > MAX_ROWS:
        what = f"The table has {len(found.table.rows):,} rows, at most {MAX_ROWS:,} are possible."
        raise Unreadable(what, "Repeat rows by a group instead.")
    waits = sum(len(row.dependencies) for row in found.table.rows)
    if waits > MAX_DEPENDENCIES:
        what = f"The rows wait for {waits:,} others altogether, at most {MAX_DEPENDENCIES:,} are possible."
        raise Unreadable(what, "Join them by a row between, or by a group.")
    told = [*found.remarks, *found.became]
    if len(told) > MAX_REMARKS:
        raise Unreadable(f"There are {len(told):,} remarks on this file, the first: {told[0]}", "Mend or split it.")
    return found


def read_elements(data: bytes | str, table: ProcessTable | None = None) -> Elements:
    """An element list read, for a process; raises Unreadable, ElementError, and Busy when others are reading.

    Page, commands and worker read every list here, so that the same file is the same elements everywhere.
    """
    collections = frozenset(group.collection for group in compile_flow(table).groups.values()) if table else frozenset()
    try:
        if _is_light(data):
            return files.read_elements(data, collections)
        return apart(files.read_elements, data, collections)
    except TooDear as error:
        raise Unreadable(f"Reading this list {error}.", _REMEDY) from None


def _is_light(data: bytes | str) -> bool:
    """Whether it is read where we are: small, and not packed, for what is packed says nothing of its size."""
    return len(data) <= LIGHT_BYTES and not (isinstance(data, bytes) and data.startswith(b"PK"))
