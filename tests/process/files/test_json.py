"""JSON: rows or columns, as programs and the event log write them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.process import files
from board.process.definition.table import ProcessTable
from board.process.files import Unreadable
from tests.process.files.test_csv import tables

ROWS = [{"task": "a", "name": "A"}, {"task": "b", "depends_on": "a:no", "retry": "2"}]
TABLE = ProcessTable.from_rows(ROWS)
COLUMNS = {"task": ["a", "b"], "name": ["A", ""], "depends_on": ["", "a:no"], "retry": ["", "2"]}


def read(value: Any, encoding: str = "utf-8") -> files.Reading:
    return files.read(json.dumps(value).encode(encoding))


@pytest.mark.parametrize(
    "value",
    [
        ROWS,
        COLUMNS,
        {"rows": ROWS},
        {"name": "Quarterly", "process": COLUMNS},
        {"ts": "2026-11-29T16:04:31Z", "field": "process", "process": json.dumps(COLUMNS)},
        [["task", "name", "depends_on", "retry"], ["a", "A"], ["b", None, "a:no", 2.0]],
        [{"task": "a", "name": "A", "retry": None}, {"task": "b", "depends_on": "a:no", "retry": 2}],
    ],
)
def test_rows_and_columns_in_any_wrapping_are_the_same_table(value: Any) -> None:
    reading = read(value)
    assert reading.table.version == TABLE.version
    assert reading.format == "json"
    assert reading.errors == ()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_other_encodings_are_read(encoding: str) -> None:
    assert read(ROWS, encoding).table == TABLE


def test_a_column_of_one_row_may_come_without_its_array() -> None:
    assert read({"task": "a", "name": ["A"]}).table.to_rows() == [{"task": "a", "name": "A"}]
    assert read({"task": "a", "name": "A"}).table.to_rows() == [{"task": "a", "name": "A"}]


def test_values_are_spelled_as_people_write_them() -> None:
    (row,) = read([{"task": "a", "retry": 3.0, "timeout": 0.5, "sequential": True, "big": 10**30}]).table.rows
    assert (row.retry, row.timeout, row.sequential, row.extra) == ("3", "0.5", "true", (("big", "1" + "0" * 30),))


def test_nested_values_are_read_as_text_and_said() -> None:
    reading = read([{"task": "a", "depends_on": ["x", "y:no", None], "params": {"k": 1, "l": "m"}}])
    (row,) = reading.table.rows
    assert (row.depends_on, row.params) == ("x, y:no", "k=1; l=m")
    assert [remark.code for remark in reading.remarks] == ["nested-value", "nested-value"]


def test_keys_of_other_tools_are_recognised() -> None:
    reading = read([{"id": "a", "dependsOn": "", "owner": "ana"}])
    assert reading.table.columns == ("task", "depends_on", "role")
    assert [remark.code for remark in reading.remarks] == ["column-mapped"] * 3


def test_what_is_no_row_and_what_is_there_twice_are_errors_named_together() -> None:
    reading = files.read(b'[{"task": "a", "task": "b"}, 5, "x", {"task": "c"}]')
    assert [remark.code for remark in reading.errors] == ["key-twice", "no-row", "no-row"]
    assert [row.task for row in reading.table.rows] == ["b", "c"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{", "line 1"),
        (b"[1, 2", "line 1"),
        (b"[]", "no table"),
        (b"{}", "no table"),
        (b"[" + b'{"task": "a"},' * 60_000 + b"1]", "rows"),
        (b"[5]", "`task`"),
        (b'[{"name": "x"}]', "`task`"),
        (b'{"hello": "world"}', "`task`"),
        (b"[" * 100_000, "nested|no JSON"),
        (b'{"process": "[[[["}', "no table"),
        (json.dumps([{f"k{n}": 1 for n in range(300)}]).encode(), "keys"),
    ],
)
def test_what_is_no_table_is_refused_with_a_remedy(data: bytes, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        files.read(data)


@given(tables())
def test_any_table_survives_json(table: ProcessTable) -> None:
    first = files.write(table, "json")
    again = files.read(first).table
    assert again.rows == table.rows
    assert set(again.columns) >= set(table.columns)
    assert files.write(again, "json") == first


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("task"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5) | st.sampled_from(["task", "rows", "process"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_a_reading_or_refused(value: Any) -> None:
    try:
        reading = files.read(json.dumps(value).encode(), kind="json")
    except Unreadable:
        return
    assert reading.table.columns
