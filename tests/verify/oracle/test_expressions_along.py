"""All functions that a file may use along beams and rods, as the oracle evaluates them."""

from __future__ import annotations

import pytest
from mpmath import mp

from symdyn.description.flexible import Profile
from symdyn.description.quantities.beam_expression import BEAM_FUNCTIONS
from symdyn.verify.oracle.beam_shapes import profile_at
from symdyn.verify.oracle.rod_section import value_at


@pytest.mark.parametrize("name", BEAM_FUNCTIONS)
def test_functions_of_the_place(name: str) -> None:
    x = mp.mpf(1) / 3
    with mp.workdps(50):
        true = 2 * getattr(mp, name)(x) + x**2
        text = f"2 * {name}(x) + x**2"
        assert value_at(text, x) == true
        assert profile_at(Profile((1.0,), (text,)), x) == true
