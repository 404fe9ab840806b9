import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.process.definition.table import ElementError, ElementList

COUNTRIES = ElementList.from_columns(
    {
        "country": ["fr", "de", "rw", "kh"],
        "region": ["europe", "europe", "africa", "asia"],
        "assignee": ["ana", "", "ben", "ana"],
    }
)


def test_ids_come_from_the_first_column_and_the_rest_are_facets() -> None:
    assert COUNTRIES.ids == ("fr", "de", "rw", "kh")
    assert COUNTRIES.facets("rw") == {"region": "africa"}
    assert COUNTRIES.facets("nowhere") == {}


def test_a_group_repeats_over_the_ids_unless_a_column_has_its_name() -> None:
    assert COUNTRIES.values_of("unit") == ("fr", "de", "rw", "kh")
    assert COUNTRIES.values_of("country") == ("fr", "de", "rw", "kh")
    assert COUNTRIES.values_of("region") == ("europe", "africa", "asia")


def test_the_assignee_is_the_first_one_named_for_the_element() -> None:
    assert COUNTRIES.assignee("fr") == "ana"
    assert COUNTRIES.assignee("de") == ""
    assert COUNTRIES.assignee("africa", "region") == "ben"
    assert ElementList.from_ids(["fr"]).assignee("fr") == ""


def test_an_empty_list_is_a_list() -> None:
    assert ElementList.from_ids([]).ids == ()
    assert ElementList.from_columns({}).ids == ()
    assert ElementList.from_columns({"unit": []}).values_of("unit") == ()


def test_blank_rows_are_ignored_and_cells_trimmed() -> None:
    assert ElementList.from_columns({"unit": [" a ", "", " ", "b"], "x": ["1", " ", None]}).to_columns() == {
        "unit": ["a", "b"],
        "x": ["1", ""],
    }


def test_every_problem_is_listed_at_once() -> None:
    with pytest.raises(ElementError) as refusal:
        ElementList.from_columns({"unit": ["a", "", "a", "x" * 129, "t\tb", "\u202eevil"], "r": ["", "1"]})
    assert [problem.split(":")[0] for problem in refusal.value.problems] == [
        "row 2, “”",
        "row 3, “a”",
        "row 4, “" + "x" * 59 + "…”",
        "row 5, “t b”",
        "row 6, “\u202eevil”",
    ]
    assert "already in row 1" in refusal.value.problems[1]
    assert "U+0009" in refusal.value.problems[3]


def test_columns_need_different_names() -> None:
    with pytest.raises(ElementError, match=r"column 2 has no name(.|\n)*`a` is there twice"):
        ElementList.from_rows(("a", "", "a"), [])


def test_a_collection_column_must_hold_usable_ids() -> None:
    elements = ElementList.from_columns({"unit": ["a"], "region": ["x" * 200]})
    with pytest.raises(ElementError, match="column `region`"):
        elements.values_of("region")


@given(st.dictionaries(st.text(max_size=5), st.lists(st.text(max_size=5) | st.none(), max_size=5), max_size=3))
def test_any_columns_are_a_list_that_survives_its_columns_or_refused(columns: dict[str, list[str | None]]) -> None:
    try:
        elements = ElementList.from_columns(columns)
    except ElementError:
        return
    assert len(set(elements.ids)) == len(elements.ids)
    assert ElementList.from_columns(elements.to_columns()) == elements
