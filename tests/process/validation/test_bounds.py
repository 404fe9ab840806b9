"""How large a table and a list may be, and what of a stamped start can be run."""

import json
import time
from typing import Any

import pytest

from board.process.definition.elements import MAX_ELEMENTS, ElementError
from board.process.definition.table import MAX_ROWS, ElementList, ProcessTable
from board.process.engine.instance import Instance, InstanceError
from board.process.validation.bounds import (
    MAX_CELL,
    MAX_COLUMNS,
    MAX_DEPTH,
    MAX_INSTANCE_ROWS,
    TooLarge,
    read_elements,
    read_table,
)
from board.process.validation.problems import check, error_of_a_start
from tests.process.engine.events import happened

Rows = list[dict[str, str | None]]


def stamped(process: Any, elements: Any = None) -> Instance:
    events = [happened("@instance", json.dumps(process), field="process")]
    if elements is not None:
        events.append(happened("@instance", json.dumps(elements), field="elements"))
    return Instance.from_start("i", events)


def refused(process: Any, elements: Any = None) -> str:
    begun = time.perf_counter()
    with pytest.raises(InstanceError) as error:
        stamped(process, elements)
    assert time.perf_counter() - begun < 5
    return str(error.value)


def group_of(size: int, rows: Rows) -> Rows:
    members: Rows = [{"task": f"m{n}", "parent": "g"} for n in range(size)]
    return [{"task": "g", "collection": "u"}, *members, *rows]


def nested(depth: int) -> Rows:
    groups: Rows = [{"task": f"g{n}", "collection": "u", "parent": f"g{n - 1}" if n else ""} for n in range(depth)]
    return [*groups, {"task": "t", "parent": f"g{depth - 1}"}]


SIDE = 320  # this many rows that wait for as many make more links than may be
TOO_LARGE: list[tuple[str, Rows]] = [
    ("too-many-rows", [{"task": f"t{n}"} for n in range(MAX_ROWS + 1)]),
    ("too-many-columns", [{"task": "t", **{f"c{n}": "x" for n in range(MAX_COLUMNS)}}]),
    ("cell-too-long", [{"task": "t", "description": "x" * (MAX_CELL + 1)}]),
    ("too-deep", nested(MAX_DEPTH + 1)),
    ("too-many-links", [{"task": f"t{n}", "depends_on": ",".join(f"x{m}" for m in range(SIDE))} for n in range(SIDE)]),
    ("too-many-links", group_of(SIDE, [{"task": f"t{n}", "depends_on": "g"} for n in range(SIDE)])),
    ("too-many-links", group_of(SIDE, [{"task": "h", "collection": "u", "depends_on": "g"}])
     + [{"task": f"n{n}", "parent": "h"} for n in range(SIDE)]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "rows"), TOO_LARGE, ids=[f"{code} {n}" for n, (code, _) in enumerate(TOO_LARGE)])
def test_what_is_too_large_is_an_error_and_makes_an_unreadable_start(code: str, rows: Rows) -> None:
    table = ProcessTable.from_rows(rows)
    begun = time.perf_counter()
    assert code in [each.code for each in check(table) if each.level == "error"]
    assert time.perf_counter() - begun < 5
    assert "possible" in refused(table.to_columns()) or code == "too-deep"
    with pytest.raises(TooLarge):
        read_table(json.dumps(table.to_columns()))


def test_what_is_as_large_as_may_be_is_no_error() -> None:
    for rows in (
        [{"task": "t", **{f"c{n}": "x" for n in range(MAX_COLUMNS - 1)}}],
        [{"task": "t", "description": "x" * MAX_CELL}],
        nested(MAX_DEPTH),
        [{"task": "t", "depends_on": ",".join(f"x{m}" for m in range(MAX_CELL // 8))}],
    ):
        table = ProcessTable.from_rows(rows)
        assert not [p for p in check(table) if p.level == "error" and p.code != "dependency-unknown"]
        assert read_table(json.dumps(table.to_columns())) == table


def test_a_table_of_many_rows_and_columns_is_refused_before_its_cells_are_made() -> None:
    many = {f"c{n}": ["x"] for n in range(100_000)}
    assert "columns" in refused(many | {"task": [f"t{n}" for n in range(MAX_ROWS)]})
    assert "30,000 rows" in refused({"task": [f"t{n}" for n in range(30_000)]})


def test_an_instance_and_a_list_have_an_end() -> None:
    columns = ProcessTable.from_rows(group_of(30, [])).to_columns()
    assert "make more than 200,000 rows" in refused(
        columns, {"u": [f"e{n}" for n in range(MAX_INSTANCE_ROWS // 30 + 1)]}
    )
    assert "1,000,000 rows" in refused(columns, {"u": [f"e{n}" for n in range(1_000_000)]})
    assert "columns" in refused(columns, {f"u{n}": ["x"] for n in range(MAX_COLUMNS + 1)})
    assert stamped(columns, {"u": [f"e{n}" for n in range(1000)]}).size == 30_000


def test_a_list_that_could_not_be_read_cannot_be_made() -> None:
    with pytest.raises(ElementError, match="columns"):
        ElementList.from_columns({f"c{n}": ["x"] for n in range(MAX_COLUMNS + 1)})
    with pytest.raises(ElementError, match="100,001 rows"):
        ElementList.from_ids([str(n) for n in range(MAX_ELEMENTS + 1)])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"task": "a/b"}], "no task id"),
        ([{"task": "@a"}], "reserved"),
        ([{"name": "x"}], "no task id: write"),
        ([{"task": "a"}, {"task": "a"}], "already the id"),
        ([{"task": "a", "parent": "x"}], "no row “x”"),
        ([{"task": "a", "join": "most"}], "quorum"),
        ([{"task": "a", "retry": "-1"}], "retry"),
        ([{"task": "a", "due": "999999999w"}], "due"),
        ([{"task": "a", "depends_on": "a"}], "waits for itself"),
        ([{"task": "a", "role": "analyst", "script": "x.sh"}], "run by nobody but the worker"),
        ([], "no task"),
    ],
)
def test_a_stamped_table_with_an_error_makes_one_unreadable_start(rows: Rows, says: str) -> None:
    table = ProcessTable.from_rows(rows, ["task"])
    assert says in refused(table.to_columns())
    assert error_of_a_start(table) is not None


def test_a_table_of_another_program_may_wait_for_tasks_it_does_not_have_and_bring_columns_of_its_own() -> None:
    instance = stamped({"task": ["a", "b"], "depends_on": ["", "gone"], "timer": ["1d", ""], "n": [3, None]})
    assert [instance.status(row) for row in range(instance.size)] == ["open", "blocked"]
    assert stamped({"task": ["a"], "role": ["system"], "script": ["../x.sh"]}).status(0) == "open"  # never run


@pytest.mark.parametrize(
    "process", [None, 3, True, [], "x", [["a"]], {"task": [{"a": [1]}]}, {"task": None}, {"task": [["x"]]}, {"": ["x"]}]
)
def test_what_is_no_table_makes_an_unreadable_start(process: Any) -> None:
    assert refused(process).startswith("instance i cannot be read")


def test_the_elements_of_a_list_are_read_as_any_program_writes_them() -> None:
    assert read_elements('{"u":"one"}').ids == ("one",)
    assert read_elements('{"u":[1,2.0,true]}').ids == ("1", "2", "true")
    with pytest.raises(ValueError, match="4300 digits"):
        read_elements('{"u":[%s]}' % ("9" * 5000))


def test_suggestions_for_ids_that_are_not_there_are_looked_for_a_few_times_only() -> None:
    rows: Rows = [{"task": f"task_{n}"} for n in range(499)]
    wrong = ",".join(f"tusk_{n}" for n in range(5000))
    begun = time.perf_counter()
    found = [
        p for p in check(ProcessTable.from_rows([*rows, {"task": "last", "depends_on": wrong}])) if "meant" in p.message
    ]
    assert 0 < len(found) <= 20
    assert time.perf_counter() - begun < 5


def test_names_and_times_of_a_start_are_text_with_an_end() -> None:
    table = json.dumps({"task": ["a"]})
    said = {"process": table, "name": "x\ud800\0" * 1000, "created": "2026" * 1000}
    instance = Instance.from_start("i", [happened("@instance", value, field=field) for field, value in said.items()])
    assert len(instance.name) == len(instance.created) == 128
    assert instance.name.encode()
    assert "\0" not in instance.name
