from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.process.definition.quorum import QuorumError, is_inclusive, need


@given(st.decimals(min_value=0, max_value=400, places=5), st.integers(0, 10**7))
def test_percentages_are_rounded_up_exactly(percent: object, n: int) -> None:
    exact = -(-Fraction(str(percent)) * n // 100)
    assert need(f"pct={percent:f}", n) == min(n, max(exact, 1))


@given(st.text(max_size=30), st.integers(0, 100))
def test_any_text_is_a_number_between_one_and_n_or_refused(text: str, n: int) -> None:
    try:
        wanted = need(text, n)
    except QuorumError:
        return
    assert min(1, n) <= wanted <= n


@pytest.mark.parametrize(
    ("spec", "n", "wanted"),
    [
        ("9" * 10_000, 7, 7),
        ("n=" + "0" * 10_000 + "2", 7, 2),
        ("50." + "0" * 9_000 + "1%", 4, 3),
        ("0" * 9_000 + "%", 3, 1),
    ],
)
def test_numbers_of_thousands_of_digits_are_read(spec: str, n: int, wanted: int) -> None:
    assert need(spec, n) == wanted


def test_inclusive_is_a_join_but_no_number() -> None:
    assert is_inclusive(" Inclusive ")
    assert not is_inclusive("all")
    with pytest.raises(QuorumError, match="inclusive"):
        need("inclusive", 3)


def test_a_refusal_names_the_text_and_what_would_be_right() -> None:
    with pytest.raises(QuorumError, match=r"“most”.*`any`.*`90%`"):
        need("most", 3)
