"""XLSX: text in and out, whatever a spreadsheet made of it, and nothing that harms."""

import io
import zipfile
from datetime import date, datetime
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from openpyxl.worksheet.formula import ArrayFormula

from board.process import files
from board.process.definition.table import ProcessTable
from board.process.files import Unreadable, Unwritable
from board.process.files.workbook import MAX_CELL, MAX_UNPACKED
from tests.process.files.test_csv import RISKY, TEXT, tables


def book(*rows: list[Any], title: str = "Sheet1", formats: dict[str, str] | None = None) -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = title
    for row in rows:
        sheet.append(row)
    for place, number_format in (formats or {}).items():
        sheet[place].number_format = number_format
    return saved(workbook)


def saved(workbook: openpyxl.Workbook) -> bytes:
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


def packed(parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def repacked(data: bytes, changes: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return packed(parts | changes)


def test_numbers_dates_and_ticks_become_the_text_a_person_sees() -> None:
    data = book(
        ["task", "retry", "timeout", "join", "sequential", "since", "at", "big"],
        ["a", 3.0, 0.5, 0.9, True, date(2026, 11, 29), datetime(2026, 11, 29, 16, 4), 10**15],
        formats={"D2": "0%"},
    )
    reading = files.read(data)
    assert reading.format == "xlsx"
    assert reading.table.to_rows() == [
        {
            "task": "a",
            "retry": "3",
            "timeout": "0.5",
            "join": "90%",
            "sequential": "true",
            "since": "2026-11-29",
            "at": "2026-11-29 16:04:00",
            "big": "1000000000000000",
        }
    ]
    assert [remark.code for remark in reading.remarks] == ["date-text", "date-text"]


def test_formulas_and_errors_are_read_as_their_text_and_said() -> None:
    reading = files.read(book(["task", "name", "x", "y"], ["a", "=1+1", "#REF!", ArrayFormula("D2", "=SUM(A1:A2)")]))
    (row,) = reading.table.rows
    assert (row.name, row.extra) == ("=1+1", (("x", "#REF!"), ("y", "=SUM(A1:A2)")))
    assert [remark.code for remark in reading.remarks] == ["formula-text", "cell-error", "formula-text"]
    assert "B2" in reading.remarks[0].message


def test_blank_rows_and_columns_are_left_out_and_rows_keep_their_number() -> None:
    reading = files.read(book([], [None, "task", "name"], [], [None, "a", "A"], ["", " ", None], [None, "b"]))
    assert [row.task for row in reading.table.rows] == ["a", "b"]
    assert reading.table.columns == ("task", "name")
    assert reading.lines == (4, 6)


@pytest.mark.parametrize(
    ("titles", "read"), [(("One", "Two"), "one"), (("One", "Process"), "process"), (("process",), "process")]
)
def test_the_sheet_named_process_is_read_else_the_first(titles: tuple[str, ...], read: str) -> None:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.worksheets[0])
    for title in titles:
        sheet = workbook.create_sheet(title)
        sheet.append(["task"])
        sheet.append([title.lower()])
    reading = files.read(saved(workbook))
    assert [row.task for row in reading.table.rows] == [read]
    assert [remark.code for remark in reading.remarks] == ["other-sheets"] * (len(titles) - 1)


def test_a_file_is_recognised_by_its_bytes_and_not_by_its_name() -> None:
    assert files.read(book(["task"], ["a"]), "process.csv").format == "xlsx"
    assert files.read(b"task\na\n", "process.xlsx").format == "csv"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"PK\x03\x04 but then nothing", "damaged"),
        (packed({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}), "no Excel workbook"),
        (packed({"[Content_Types].xml": b"<Types/>"}), "damaged"),
        (repacked(book(["task"]), {"xl/worksheets/sheet1.xml": b"<worksheet"}), "damaged"),
        (repacked(book(["task"]), {"xl/workbook.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><x/>'}), "entities"),
        (repacked(book(["task"]), {"xl/media/image1.png": bytes(MAX_UNPACKED)}), "unpacks to more"),
        (repacked(book(["task"]), {f"xl/{n}": b"" for n in range(2100)}), "unpacks to more"),
        (book([]), "empty"),
        (book(["name"], ["x"]), "`task`"),
        (b"task\na\n", "damaged"),
    ],
)
def test_what_is_no_safe_workbook_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        files.read(data, kind="xlsx")


def test_a_sheet_with_a_row_at_its_very_end_is_read() -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    sheet.append(["task"])
    sheet["A1048576"] = "a"
    assert files.read(saved(workbook)).lines == (1_048_576,)


@pytest.mark.parametrize(
    "text", [*RISKY, "_x0041_", "_x005F_", "x005F_", "90%", "1-2", "2026-01-01", "true", "#REF!", "a\nb\tc"]
)
def test_cells_stay_text(text: str) -> None:
    table = ProcessTable.from_rows([{"task": "a", "name": text, "own": text}])
    data = files.write(table, "xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(data)).worksheets[0]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} == {"s"}
    reading = files.read(data)
    assert (reading.table, reading.remarks) == (table, ())


@given(tables())
def test_any_table_survives_xlsx(table: ProcessTable) -> None:
    again = files.read(files.write(table, "xlsx")).table
    assert again.rows == table.rows
    assert set(again.columns) >= set(table.columns)


@given(TEXT)
def test_any_text_survives_xlsx(text: str) -> None:
    table = ProcessTable.from_rows([{"task": "a", "name": text}])
    assert files.read(files.write(table, "xlsx")).table.rows == table.rows


def test_a_cell_too_long_for_a_sheet_is_refused_and_not_cut() -> None:
    fits = ProcessTable.from_rows([{"task": "a", "description": "x" * MAX_CELL}])
    assert files.read(files.write(fits, "xlsx")).table == fits
    with pytest.raises(Unwritable, match=r"B2.*CSV"):
        files.write(ProcessTable.from_rows([{"task": "a", "description": "x" * (MAX_CELL + 1)}]), "xlsx")


def test_a_role_merged_over_several_rows_is_the_role_of_each() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ("task", "role", "depends_on"),
        ("a", "analyst", ""),
        ("b", None, "a"),
        ("c", None, "b"),
        ("d", None, "c"),
    ):
        sheet.append(row)
    sheet.merge_cells("B2:B4")
    data = io.BytesIO()
    book.save(data)
    reading = files.read(data.getvalue(), "p.xlsx")
    assert [row.role for row in reading.table.rows] == ["analyst", "analyst", "analyst", ""]
    assert any(remark.code == "merged-cell" for remark in reading.remarks)
