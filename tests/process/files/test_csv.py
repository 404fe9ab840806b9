"""CSV in the dialects people's programs write.

Users met: a byte order mark glued to the first heading; semicolons that melted all columns into one; emptied rows
imported as records; cells run as formulas, and a cure that spoilt negative numbers.
"""

import csv
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.process import files
from board.process.definition.table import COLUMNS, ProcessTable
from board.process.files import Unreadable

PLAIN = "task,name,depends_on,role\na,Prüfen,,analyst\nb,Größe,a:false,steward\n"
TABLE = ProcessTable.from_rows(
    [
        {"task": "a", "name": "Prüfen", "role": "analyst"},
        {"task": "b", "name": "Größe", "depends_on": "a:false", "role": "steward"},
    ],
    ["task", "name", "depends_on", "role"],
)


def codes(reading: files.Reading) -> list[tuple[int, str]]:
    return [(remark.line, remark.code) for remark in reading.remarks]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_dialect_gives_the_same_table(encoding: str, delimiter: str, newline: str) -> None:
    data = PLAIN.replace(",", delimiter).replace("\n", newline).encode(encoding)
    reading = files.read(data)
    assert (reading.table, reading.remarks, reading.format) == (TABLE, (), "csv")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_marked_utf_16_file_is_read_in_either_order(encoding: str) -> None:
    assert files.read(f"\ufeff{PLAIN}".encode(encoding)).table == TABLE


def test_another_encoding_is_guessed_and_said() -> None:
    reading = files.read(PLAIN.encode("cp1252"))
    assert reading.table == TABLE
    assert codes(reading) == [(0, "encoding-guessed")]
    assert "Windows-1252" in str(reading.remarks[0])


def test_bytes_that_not_even_windows_knows_are_latin_1() -> None:
    reading = files.read(b"task,name\na,\x81\xfc\n")
    assert reading.table.rows[0].name == "\x81ü"
    assert "Latin-1" in reading.remarks[0].message


@pytest.mark.parametrize("said", ["sep=;\r\n", "SEP=;\n", '"sep=;"\n', "\ufeffsep=;\n"])
def test_a_first_line_may_name_the_delimiter(said: str) -> None:
    reading = files.read((said + "task;name\na;x,y,z,w\n").encode())
    assert reading.table.rows[0].name == "x,y,z,w"
    assert reading.lines == (3,)


def test_the_delimiter_is_found_from_the_header_and_not_from_the_cells() -> None:
    reading = files.read(b"task;depends_on;join\npub;qa:true,fix,other,more;any\n")
    assert reading.table.rows[0].depends_on == "qa:true,fix,other,more"
    assert files.read(b"task\na\nb\n").table.columns == ("task",)


def test_quoted_cells_hold_delimiters_quotes_and_newlines() -> None:
    data = b'task,description,name\r\na,"one, ""two""\r\nthree", "spaced" \r\nb,,B\r\n'
    reading = files.read(data)
    assert reading.table.rows[0].description == 'one, "two"\nthree'
    assert reading.table.rows[0].name == "spaced"
    assert reading.lines == (2, 4)
    assert reading.remarks == ()


def test_blank_rows_and_trailing_empty_columns_are_ignored() -> None:
    reading = files.read(b"\n;;;\ntask;name;;\n;;;;;\na;A;;\n\n;;;;;\n;;;;;\n  ; ;\n")
    assert reading.table == ProcessTable.from_rows([{"task": "a", "name": "A"}])
    assert reading.remarks == ()
    assert (reading.line_of(1), reading.line_of(2), reading.line_of(0)) == (5, 0, 0)


def test_blank_rows_by_the_hundred_thousand_are_no_rows() -> None:
    reading = files.read(b"task;name\r\n" + b";;;;\r\n \t;\r\n\r\n" * 100_000 + b"a;A")
    assert [row.task for row in reading.table.rows] == ["a"]
    assert reading.lines == (300_002,)


def test_broken_rows_are_all_named_at_once() -> None:
    data = b'task,name,role\na,A\nb,B,analyst,surplus,more\nc,"C" x,\nd,"never closed,analyst\ne,E,\n'
    reading = files.read(data)
    assert codes(reading) == [(4, "stray-quote"), (5, "unclosed-quote"), (2, "too-few-cells"), (3, "too-many-cells")]
    assert [remark.code for remark in reading.errors] == ["unclosed-quote", "too-many-cells"]
    assert [row.task for row in reading.table.rows] == ["a", "b", "c", "d", "e"]


def test_an_unclosed_quote_does_not_swallow_the_rest() -> None:
    reading = files.read(b'task,name\na,"x ""y"" z\nb,B\nc,C\n')
    assert [row.task for row in reading.table.rows] == ["a", "b", "c"]
    assert codes(reading) == [(2, "unclosed-quote")]


def test_headers_are_read_in_any_case_and_spacing_with_a_note() -> None:
    reading = files.read(b" Task ,NAME,Depends On,complete-when,Cost Centre\na,A,,,17\n")
    assert reading.table.columns == ("task", "name", "depends_on", "complete_when", "Cost Centre")
    assert [remark.code for remark in reading.remarks] == ["column-mapped"] * 4


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("id,step,depends,owner", ("task", "step", "depends_on", "role")),
        ("Step,Title,Predecessors,Owner", ("task", "name", "depends_on", "role")),
        ("id,label,depends on,responsible", ("task", "name", "depends_on", "role")),
        ("ID,Task Name,Predecessors,Resource Names", ("task", "name", "depends_on", "role")),
        ("task,name,after,lane,notes", ("task", "name", "depends_on", "role", "description")),
        ("task,depends_on,depends", ("task", "depends_on", "depends")),
    ],
)
def test_columns_of_other_tools_are_recognised(header: str, columns: tuple[str, ...]) -> None:
    cells = ",".join("abcdefgh"[: len(columns)])
    reading = files.read(f"{header}\n{cells}\n".encode())
    assert reading.table.columns == columns
    assert reading.remarks


def test_numbers_as_ids_get_a_letter_wherever_they_are_named() -> None:
    data = b"ID;Task Name;Predecessors;Parent ID\n1;Plan;;\n2;Build;1;\n2.1;Part;1FS, 2:no;2\n3;End;2.1;\n"
    reading = files.read(data)
    assert [(row.task, row.depends_on, row.parent) for row in reading.table.rows] == [
        ("t1", "", ""),
        ("t2", "t1", ""),
        ("t2.1", "t1, t2:no", "t2"),
        ("t3", "t2.1", ""),
    ]
    assert "ids-prefixed" in [remark.code for remark in reading.remarks]


def test_semicolons_between_predecessors_are_read_as_commas() -> None:
    reading = files.read(b"id,predecessors\na,\nb,\nc,a;b:no\n")
    assert reading.table.rows[2].depends_on == "a, b:no"
    assert "lists-mapped" in [remark.code for remark in reading.remarks]


def test_an_id_column_beside_task_labels_holds_the_ids() -> None:
    reading = files.read(b"ID,Task,Depends on\nload,Load the data,\ncheck,Check it,load\n")
    assert [(row.task, row.name) for row in reading.table.rows] == [("load", "Load the data"), ("check", "Check it")]


def test_columns_without_a_name_or_with_one_twice_are_kept() -> None:
    reading = files.read(b"task,,x,x,name\na,1,2,3,A\n")
    assert reading.table.columns == ("task", "column 2", "x", "x (2)", "name")
    assert reading.table.rows[0].extra == (("column 2", "1"), ("x", "2"), ("x (2)", "3"))


def test_lines_above_the_header_are_left_out_with_a_note() -> None:
    reading = files.read(b"Quarterly collection;;\nVersion 3;;\ntask;name\na;A\n")
    assert [row.task for row in reading.table.rows] == ["a"]
    assert codes(reading) == [(1, "above-header")]


def test_the_older_column_per_is_said() -> None:
    reading = files.read(b"task,per\na,unit\n")
    assert [row.task for row in reading.table.rows] == ["each_unit", "a"]
    assert codes(reading) == [(0, "per-read")]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b" \r\n\r\n", "empty"),
        (b"\xff\xfe", "empty"),
        (b";;;\n;;;\n", "empty"),
        (b"name,role\nx,y\n", "`task`"),
        (b"just some words", "`task`"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "no text file"),
        (b"\xd0\xcf\x11\xe0rest", "old Excel"),
        (b"%PDF-1.7", "PDF"),
        (b"task,name\n" + b"x" * 10_000_001, "bytes"),
        (b"task" + b",x" * 300 + b"\na\n", "columns"),
        (b"task\n" + b"a\n" * 60_001, "rows"),
        (b"task" + b"," * 1_000_001, "cells"),
        ("task,ä\n".encode("utf-16") + b"\x00", "broken"),
    ],
)
def test_what_is_no_process_at_all_is_refused_with_a_remedy(data: bytes, says: str) -> None:
    with pytest.raises(Unreadable, match=says) as refusal:
        files.read(data, "table.csv")
    assert refusal.value.what
    assert refusal.value.remedy.endswith(".")


def test_a_header_alone_is_a_process_without_tasks() -> None:
    assert files.read(b"task,name\n").table == ProcessTable((), ("task", "name"))


def test_duplicate_ids_and_unknown_dependencies_are_read_for_the_validator() -> None:
    reading = files.read(b"task,depends_on\na,ghost\nb,b\na,\n")
    assert [row.task for row in reading.table.rows] == ["a", "b", "a"]


def test_fifty_thousand_rows_are_read() -> None:
    data = b"task,name\n" + b"".join(b"t%d,Task\n" % i for i in range(50_000))
    assert len(files.read(data).table.rows) == 50_000


RISKY = [
    "=1+1",
    "+49 30",
    "-",
    "-5",
    "@x",
    '"=1"',
    "＝1",
    "'=1",
    "''-x",
    "'",
    "'plain",
    "=cmd|' /C calc'!A0",
    "\t=1",
    "sep=;",
    "x;=1+1",
    "a, =1",
    "x|\t+1",
    'x;"=1"',
    "a;''=1",
    "- one\n- two",
    ";=;=1;;-",
]


@pytest.mark.parametrize("cell", RISKY)
def test_a_formula_is_defused_on_export_and_whole_again_on_import(cell: str) -> None:
    table = ProcessTable.from_rows([{"task": "a", "name": cell, "my column": cell}])
    first = files.write(table, "csv")
    for row in csv.reader(first.decode("utf-8-sig").splitlines(keepends=True)):
        assert not any(part.startswith(tuple("=+-@\t\r＝＋－＠")) for part in row)
    for divider in ",;|\t":  # and none where a spreadsheet divides otherwise, when quotes mean nothing
        parts = re.split(f"[{divider}\r\n]", first.decode("utf-8-sig"))
        assert not any(part.strip(' "').startswith(tuple("=+-@＝＋－＠")) for part in parts)
    assert files.read(first).table == table
    assert files.write(files.read(first).table, "csv") == first


def test_a_file_of_another_program_loses_only_a_mark_before_a_formula() -> None:
    reading = files.read(b"task,name,description\na,'=1,'tis\nb,-5,''\n")
    assert [(row.name, row.description) for row in reading.table.rows] == [("=1", "'tis"), ("-5", "''")]


TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [*RISKY, 'a"b', "a,b;c\td|e", "x\ny"]
)
IDS = st.from_regex(r"[a-z]{1,6}", fullmatch=True)


@st.composite
def tables(draw: st.DrawFn) -> ProcessTable:
    columns = [
        "task",
        *draw(
            st.lists(
                st.sampled_from([*COLUMNS[1:], "cost", "owner", "Id", "=x", "a;b", "label"]), unique=True, max_size=8
            )
        ),
    ]
    rows = draw(
        st.lists(st.fixed_dictionaries({column: IDS if column == "task" else TEXT for column in columns}), max_size=5)
    )
    return ProcessTable.from_rows(rows, columns)


@given(tables(), st.sampled_from([",", ";", "\t"]))
def test_any_table_survives_csv(table: ProcessTable, delimiter: str) -> None:
    first = files.write_csv(table, delimiter)
    again = files.read(first).table
    assert again.rows == table.rows
    assert set(again.columns) >= set(table.columns)
    assert files.write_csv(again, delimiter) == first


@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda text: ("task," + text).encode("utf-8", "surrogatepass"))
)
def test_any_bytes_are_a_reading_or_refused(data: bytes) -> None:
    for kind in ("csv", "json", "xlsx"):
        try:
            reading = files.read(data, kind=kind)
        except Unreadable:
            continue
        assert reading.format == kind
