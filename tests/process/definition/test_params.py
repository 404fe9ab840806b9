import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.process.definition.params import ParamsError, parse_params


@given(st.text(max_size=80))
def test_any_cell_is_an_environment_or_refused(cell: str) -> None:
    try:
        env = parse_params(cell)
    except ParamsError:
        return
    for key, value in env.items():
        assert key.startswith("PROC_PARAM_")
        assert key.isascii()
        assert "\0" not in value


def test_a_value_keeps_its_own_equals_signs() -> None:
    assert parse_params("filter=a=b=c") == {"PROC_PARAM_FILTER": "a=b=c"}


def test_a_refusal_names_the_part() -> None:
    with pytest.raises(ParamsError, match="2nd=x"):
        parse_params("first=y; 2nd=x")


def test_a_value_with_nul_is_refused_because_no_environment_can_hold_it() -> None:
    with pytest.raises(ParamsError, match="NUL"):
        parse_params("a=\0")
