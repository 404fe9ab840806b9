import hashlib
import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.process.definition.cells import is_id
from board.process.definition.table import COLUMNS, Dependency, ProcessTable, Row

NASTY = st.text(max_size=40) | st.sampled_from(["", " ", "a", "b", "a,b:x", "5d", "n=2", "TRUE", "\ud800", "a\r\nb"])
TABLES = st.lists(
    st.dictionaries(
        st.sampled_from([*COLUMNS, "per", "region", ""]) | st.text(max_size=8), NASTY | st.none(), max_size=8
    ),
    max_size=8,
)


def table(*rows: dict[str, str | None]) -> ProcessTable:
    return ProcessTable.from_rows(rows)


@given(TABLES)
def test_no_rows_however_odd_stop_the_reading(rows: list[dict[str, str | None]]) -> None:
    read = ProcessTable.from_rows(rows)
    assert len(read.version) == 8
    for row in read.rows:
        assert row.retries >= 0
        assert 0 <= row.retry_delay_s <= 3600


@given(TABLES)
def test_a_table_survives_its_rows_and_its_columns(rows: list[dict[str, str | None]]) -> None:
    read = ProcessTable.from_rows(rows)
    assert ProcessTable.from_rows(read.to_rows(), read.columns) == read
    assert ProcessTable.from_columns(read.to_columns()) == read
    assert ProcessTable.from_columns(read.to_columns()).version == read.version


def test_cells_are_trimmed_and_whitespace_alone_is_empty() -> None:
    (row,) = table({"task": " a ", "name": "\tName\n", "collection": " \u00a0 ", "role": None}).rows
    assert (row.task, row.name, row.collection, row.role) == ("a", "Name", "", "")
    assert not row.is_group


def test_blank_rows_go_and_the_others_keep_their_order() -> None:
    read = table({"task": "b"}, {"task": " ", "name": ""}, {}, {"task": "a"})
    assert [row.task for row in read.rows] == ["b", "a"]


def test_a_missing_name_reads_as_the_id_and_stays_missing() -> None:
    read = table({"task": "load"})
    assert read.rows[0].name == "load"
    assert read.to_rows() == [{"task": "load"}]
    assert read.version != table({"task": "load", "name": "Load"}).version


def test_unknown_columns_are_kept_in_their_place() -> None:
    read = table({"cost centre": "17", "task": "a", "name": "A"})
    assert read.columns == ("cost centre", "task", "name")
    assert read.rows[0].extra == (("cost centre", "17"),)
    assert read.rows[0].cell("cost centre") == "17"


def test_the_version_is_the_hash_of_the_canonical_rows() -> None:
    canonical = '[{"name":"Prüfen","task":"a"},{"depends_on":"a","task":"b"}]'
    expected = hashlib.sha256(canonical.encode("utf-8")).hexdigest()[:8]
    read = table({"task": "a", "name": "Prüfen", "role": ""}, {"task": "b", "depends_on": "a"})
    assert read.version == expected
    assert (
        ProcessTable.from_columns({"depends_on": ["", "a"], "name": ["Prüfen", " "], "task": ["a", "b"]}).version
        == expected
    )


def test_a_column_of_one_row_may_come_as_plain_text_and_columns_may_be_short() -> None:
    stamped = json.loads('{"task": "a", "name": ["A"], "retry": 2, "role": []}')
    (row,) = ProcessTable.from_columns(stamped).rows
    assert (row.task, row.name, row.retries, row.role) == ("a", "A", 2, "")


def test_dependencies_are_split_at_the_first_colon_and_counted_once() -> None:
    row = Row(task="t", depends_on=" a , b:yes:no, ,b : , a,c: no ")
    assert row.dependencies == (
        Dependency("a", ""),
        Dependency("b", "yes:no"),
        Dependency("b", ""),
        Dependency("c", "no"),
    )
    assert [str(d) for d in row.dependencies] == ["a", "b:yes:no", "b", "c:no"]


def test_what_a_row_is_follows_from_role_script_and_collection() -> None:
    kinds = {
        (role, script, collection): (row.is_group, row.is_script, row.is_receive)
        for role, script, collection in product(("", "system"), ("", "x.sh"), ("", "unit"))
        for row in [Row(task="t", role=role, script=script, collection=collection)]
    }
    assert {key for key, (group, _, _) in kinds.items() if group} == {key for key in kinds if key[2]}
    assert [key for key, (_, script, _) in kinds.items() if script] == [("system", "x.sh", "")]
    assert [key for key, (_, _, receive) in kinds.items() if receive] == [("system", "", "")]


@pytest.mark.parametrize(
    ("cells", "reading", "value"),
    [
        ({"retry": "3"}, "retries", 3),
        ({"retry": "-1"}, "retries", 0),
        ({"retry": "9" * 10_000}, "retries", 0),
        ({"timeout": "0.5"}, "timeout_s", 0.5),
        ({"timeout": "soon"}, "timeout_s", 0.0),
        ({"retry_delay": "90000"}, "retry_delay_s", 3600.0),
        ({"due": "2w"}, "due_s", 1_209_600),
        ({"due": "36 H"}, "due_s", 129_600),
        ({"due": "90m"}, "due_s", 5400),
        ({"due": "5"}, "due_s", None),
        ({"due": "999999999w"}, "due_s", None),
        ({"not_by": "a, b,a"}, "not_by_tasks", ("a", "b")),
        ({"params": "a=1"}, "env", {"PROC_PARAM_A": "1"}),
        ({"params": "1=1"}, "env", {}),
        ({"sequential": "WAHR"}, "is_sequential", True),
        ({"sequential": "VRAI"}, "is_sequential", True),
        ({"sequential": "FALSE"}, "is_sequential", False),
        ({"sequential": ""}, "is_sequential", False),
    ],
)
def test_an_unreadable_cell_reads_as_its_default(cells: dict[str, str], reading: str, value: object) -> None:
    (row,) = table({"task": "t", **cells}).rows
    assert getattr(row, reading) == value


@pytest.mark.parametrize("text", ["a", "_", "Prüfung", "検査.1", "a-b_c.d", "x" * 64])
def test_ids_start_with_a_letter_of_any_script(text: str) -> None:
    assert is_id(text)


@pytest.mark.parametrize(
    "text", ["", "1a", "-a", ".a", "@instance", "a b", "a/b", "²a", "a\u0301", "x" * 65, "a\n", "a:b", "a,b"]
)
def test_other_ids_are_malformed(text: str) -> None:
    assert not is_id(text)


def test_characters_no_file_can_carry_become_a_visible_mark() -> None:
    (row,) = table({"task": "a\0b", "name": "x\ud800y", "description": "1\r\n2\r3"}).rows
    assert (row.task, row.name, row.description) == ("a\ufffdb", "x\ufffdy", "1\n2\n3")


def test_the_older_column_per_becomes_a_group_around_its_tasks() -> None:
    read = table(
        {"task": "start", "name": "Start"},
        {"task": "load", "per": "unit"},
        {"task": "check", "per": "unit", "depends_on": "load"},
        {"task": "end", "depends_on": "check"},
    )
    assert [row.task for row in read.rows] == ["start", "each_unit", "load", "check", "end"]
    assert [row.parent for row in read.rows] == ["", "", "each_unit", "each_unit", ""]
    assert read.rows[1].collection == "unit"
    assert "per" not in read.columns
    assert {"collection", "parent"} <= set(read.columns)


def test_a_group_made_for_per_takes_no_id_that_is_used_or_mentioned() -> None:
    read = table({"task": "a", "per": "unit", "depends_on": "each_unit"}, {"task": "each_unit_2", "per": "unit"})
    assert [row.task for row in read.rows] == ["each_unit_3", "a", "each_unit_2"]


def test_each_value_of_per_gets_its_own_group_and_a_parent_is_kept() -> None:
    read = table(
        {"task": "g", "collection": "unit"},
        {"task": "a", "per": "unit", "parent": "g"},
        {"task": "b", "per": "the region!"},
        {"task": "c", "per": "unit"},
    )
    assert [(row.task, row.parent) for row in read.rows] == [
        ("g", ""),
        ("a", "g"),
        ("each_the_region_", ""),
        ("b", "each_the_region_"),
        ("each_unit", ""),
        ("c", "each_unit"),
    ]


def test_an_empty_column_per_leaves_no_trace() -> None:
    read = ProcessTable.from_columns({"task": ["a"], "per": [""]})
    assert read.columns == ("task",)
    assert read == table({"task": "a"})
