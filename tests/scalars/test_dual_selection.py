"""Dual numbers: truth values are those of the values, and a chosen number brings its own derivatives."""

from __future__ import annotations

from symdyn.scalars.dual import Dual, DualAlgebra
from symdyn.scalars.floats import FloatAlgebra


def test_a_chosen_number_brings_its_derivatives() -> None:
    algebra = DualAlgebra(FloatAlgebra())
    x, y = Dual(2.0, {0: 1.0}), Dual(3.0, {1: 5.0})
    assert algebra.compare("less", x, y) and algebra.compare("less", x, 2.5) and not algebra.compare("less", 3.0, y)
    for chosen, value, slopes in (
        (algebra.select(True, x, y), 2.0, (1.0, 0.0)),
        (algebra.select(False, x, y), 3.0, (0.0, 5.0)),
        (algebra.select(False, x, 7.0), 7.0, (0.0, 0.0)),
    ):
        assert (chosen.value, chosen.slope(0), chosen.slope(1)) == (value, *slopes)
    assert algebra.select(True, 1.5, 2.5) == 1.5
