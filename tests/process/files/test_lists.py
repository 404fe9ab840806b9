"""Element lists pasted and from files."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.process.definition.table import ElementError, ElementList
from board.process.files import Unreadable, read_elements
from tests.process.files.test_xlsx import book, saved

ROOT = Path(__file__).resolve().parents[3]


def ids(data: bytes | str, *collections: str) -> tuple[str, ...]:
    return read_elements(data, collections).elements.ids


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("north\nsouth\n", ("north", "south")),
        ("\n  north \r\n\r\nsouth", ("north", "south")),
        ("element\nnorth\n", ("north",)),
        ("ID\n1\n2\n", ("1", "2")),
        ("region\nnorth\n", ("north",)),
        ("site\nnorth\n", ("site", "north")),
        ("north, south, east", ("north", "south", "east")),
        ("north;south", ("north", "south")),
        ("north\tsouth\n\n", ("north", "south")),
        ("unit,region\n", ()),
        ("Korea\nKorea, Rep.\n", ("Korea", "Korea, Rep.")),
        ("country\nKorea, Rep.\n", ("Korea, Rep.",)),
        ('"Korea, Rep."\nFrance\n', ("Korea, Rep.", "France")),
        ("0123\n1e5\n007\n", ("0123", "1e5", "007")),
        ("'=1\n'plain\n", ("=1", "'plain")),
        ("", ()),
        (" \n\n", ()),
        ("sep=;\nunit;x\na;1\n", ("a",)),
    ],
)
def test_pasted_text_is_a_list_with_or_without_a_heading(text: str, found: tuple[str, ...]) -> None:
    assert ids(text) == found
    assert ids(text.encode("utf-8-sig")) == found


def test_a_collection_of_the_process_is_a_heading() -> None:
    assert ids("site\nnorth\n", "site") == ("north",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_several_columns_need_a_heading_which_is_said(delimiter: str) -> None:
    text = "country,region,Assignee,\nfr,europe,ana\nde,europe\n,,\n".replace(",", delimiter)
    read = read_elements(text)
    assert read.elements.to_columns() == {
        "country": ["fr", "de"],
        "region": ["europe", "europe"],
        "assignee": ["ana", ""],
    }
    assert [remark.code for remark in read.remarks] == ["header-taken"]


@pytest.mark.parametrize(
    "value",
    [
        ["fr", "de"],
        [{"country": "fr", "region": "europe"}, {"country": "de"}],
        {"country": ["fr", "de"], "region": ["europe", None]},
        {"elements": {"country": ["fr", "de"]}},
    ],
)
def test_json_may_be_ids_rows_or_columns(value: Any) -> None:
    assert ids(json.dumps(value)) == ("fr", "de")


def test_a_workbook_is_read_from_its_sheet_of_elements() -> None:
    workbook = openpyxl.Workbook()
    workbook.worksheets[0].append(["something", "else"])
    sheet = workbook.create_sheet("Elements")
    for row in (["unit", "region"], [1, "x"], [2.0, "y"]):
        sheet.append(row)
    assert ids(saved(workbook)) == ("1", "2")
    assert ids(book(["north"], ["south"])) == ("north", "south")


@pytest.mark.parametrize("text", ["a\nb\na\nx\x07y\n", "unit,r\na,1\nb,2\na,3\nx\x07y,4\n"])
def test_all_problems_of_a_list_are_named_at_once(text: str) -> None:
    with pytest.raises(ElementError) as refusal:
        read_elements(text)
    assert len(refusal.value.problems) == 2


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ("unit,region\na,1,2\n", ElementError),
        ('unit,region\n"a,1\n', ElementError),
        ("[1, [2]]", ElementError),
        ("[1, null]", ElementError),
        ("{", Unreadable),
        (b"\0\1\2\3\0\0\0", Unreadable),
        ("x" * 10_000_001, Unreadable),
    ],
)
def test_what_is_no_list_is_refused(data: bytes | str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_elements(data)


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_any_paste_is_a_list_or_refused(data: str | bytes) -> None:
    try:
        read = read_elements(data)
    except (ElementError, Unreadable):
        return
    assert isinstance(read.elements, ElementList)


def test_who_reads_lists_and_csv_pays_for_no_library_of_other_formats() -> None:
    code = (
        "import board.process.files, sys; "
        "print(sorted({'lxml', 'openpyxl', 'board.process.picture.layout'} & {*sys.modules}))"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"
