"""The grammar of numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdyn.description.quantities.number import SMALLEST, is_number, read_number, read_vector


@given(st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x == 0.0 or abs(x) >= SMALLEST))
def test_repr_is_read_back_exactly(value: float) -> None:
    assert read_number(repr(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1.0), ("+1.", 1.0), ("-.5", -0.5), ("1E3", 1000.0), (" 2.5e-3\n", 0.0025), ("0e-999", 0.0), ("007", 7.0)],
)
def test_accepted(text: str, value: float) -> None:
    assert is_number(text)
    assert read_number(text) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a decimal number"),
        (".", "expected a decimal number"),
        ("1e", "expected a decimal number"),
        ("1.5.2", "expected a decimal number"),
        ("1,5", "; write the decimal mark as a point$"),
        ("-1,5e3", "; write the decimal mark as a point$"),
        ("1.5707963,", "got '1.5707963,'; delete the stray comma$"),
        (",2", "; delete the stray comma$"),
        ("1,2,3", "; this is to be one number: write several as a list"),
        ("1_0", "expected a decimal number"),
        ("0x1p3", "expected a decimal number"),
        ("\u0661", "expected a decimal number"),
        ("1\u00a0", "expected a decimal number"),
        ("NaN", "expected a finite number"),
        ("-inf", "expected a finite number"),
        ("+Infinity", "expected a finite number"),
        (".inf", "expected a finite number"),
        ("1e309", "beyond the largest double"),
        ("1e-301", "nearer to zero"),
        ("4.9e-324", "nearer to zero"),
        ("1e-5000", "nearer to zero"),
    ],
)
def test_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_number(text)


def test_a_long_row_of_digits_is_refused_at_once() -> None:
    # A grammar that backtracks would need minutes for this.
    with pytest.raises(ValueError, match="expected a decimal number"):
        read_number("1" * 1_000_000 + "x")


def test_vectors() -> None:
    assert read_vector(" 1\t-2\n3e0 ") == (1.0, -2.0, 3.0)
    for text in ("", "1 2", "1 2 3 4", "1\u00a02\u00a03", "1\u20282 3"):
        with pytest.raises(ValueError, match="three numbers"):
            read_vector(text)
    for text in ("0 0 0\x85", "\u00a00 0 0", "0 0\u2003 0"):
        with pytest.raises(ValueError, match="decimal number"):
            read_vector(text)
