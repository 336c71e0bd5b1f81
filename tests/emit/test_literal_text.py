"""Decimals read back as the very number, in as few digits as it takes."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdyn.compiler.emit.printing.literals import double_literal, float_literal
from symdyn.errors import InternalError, RequestError


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_read_back(value: float) -> None:
    text = double_literal(value)
    assert struct.pack("<d", float(text)) == struct.pack("<d", value)
    assert "." in text or "e" in text


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_singles_read_back(value: float) -> None:
    text = float_literal(value)
    assert text.endswith("f") and ("." in text or "e" in text)
    assert struct.pack("<f", float(text[:-1])) == struct.pack("<f", value)


@pytest.mark.parametrize(
    ("value", "double", "single"),
    [
        (0.1, "0.1", "0.1f"),
        (-0.0, "-0.0", "-0.0f"),
        (1 / 3, "0.3333333333333333", "0.33333334f"),
        (math.pi, "3.141592653589793", "3.1415927f"),
        (1e22, "1e+22", "1e+22f"),
        (1e-300, "1e-300", "0.0f"),
        (3.0, "3.0", "3.0f"),
        (106.38978576660156, "106.38978576660156", "106.389786f"),
        (3.4028234663852886e38, "3.4028234663852886e+38", "3.4028235e+38f"),
    ],
)
def test_awkward_constants(value: float, double: str, single: str) -> None:
    assert (double_literal(value), float_literal(value)) == (double, single)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_has_no_literal_is_refused(value: float) -> None:
    for literal in (double_literal, float_literal):
        with pytest.raises(InternalError, match="expected a finite constant"):
            literal(value)


def test_a_number_beyond_float32_is_refused() -> None:
    with pytest.raises(RequestError, match=r"1e\+300 .* does not fit float32 .* dtype='float64'"):
        float_literal(1e300)
