"""Affine scalars: the values of plain arithmetic, in fewer operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdyn.algebra.scalars.affine import Affine, AffineAlgebra
from symdyn.algebra.scalars.counted import CountingAlgebra
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra

Expression = Callable[[Any, Any, Any], Any]
EXPRESSIONS: dict[str, Expression] = {
    "same atom": lambda x, y, sin: 3.0 * x - (x + 2.0) * 0.5 + x,
    "two atoms": lambda x, y, sin: (2.0 * x + 1.0) + (4.0 * y - 3.0) - x,
    "product": lambda x, y, sin: (2.0 * x + 1.0) * (y - 4.0) * x,
    "square": lambda x, y, sin: (x - 1.0) * (x - 1.0) + x * x,
    "quotient": lambda x, y, sin: (x + 1.0) / y + 3.0 / (x + 2.0) + x / 4.0,
    "differences": lambda x, y, sin: 1.0 - x - y - (2.0 - y),
    "negative": lambda x, y, sin: -(x - 2.0) - -y,
    "function": lambda x, y, sin: sin(2.0 * x + 0.5) * y + sin(2.0 * x + 0.5),
}
numbers = st.floats(0.1, 9.0)


@pytest.mark.parametrize("name", EXPRESSIONS)
@given(x=numbers, y=numbers)
def test_values(name: str, x: float, y: float) -> None:
    plain, affine = FloatAlgebra(), AffineAlgebra(FloatAlgebra())
    expected = EXPRESSIONS[name](x, y, lambda value: plain.function("sin", value))
    found = EXPRESSIONS[name](*affine.variables([x, y]), lambda value: affine.function("sin", value))
    assert affine.value(found) == pytest.approx(expected, rel=1e-12, abs=1e-11)


def test_values_with_slopes() -> None:
    inner = DualAlgebra(FloatAlgebra())
    affine = AffineAlgebra(inner)
    x, y = inner.dual(0.7, {0: 1.0}), inner.dual(1.1, {1: 1.0})
    for name, expression in EXPRESSIONS.items():
        expected = expression(x, y, lambda value: inner.function("sin", value))
        found = affine.value(expression(*affine.variables([x, y]), lambda value: affine.function("sin", value)))
        assert found.value == pytest.approx(expected.value, rel=1e-13), name
        for direction in (0, 1):
            assert found.slope(direction) == pytest.approx(expected.slope(direction), rel=1e-12, abs=1e-13), name


def operations(expression: Callable[[Any], Any]) -> int:
    counting = CountingAlgebra()
    affine = AffineAlgebra(counting)
    return counting.total([affine.value(expression(affine.variables(counting.variables(2))))])


def test_one_atom_needs_a_product_and_a_sum_whatever_the_way() -> None:
    assert operations(lambda p: sum((k * p[0] + k for k in range(1, 9)), 0.0)) == 2
    assert operations(lambda p: 0.5 * (p[0] + p[0])) == 0
    assert operations(lambda p: 1.0 - p[0]) == 2  # a minus sign and a sum


def test_sums_and_products_of_atoms_are_made_once() -> None:
    assert operations(lambda p: (p[0] + p[1]) * 3.0 + (2.0 * p[1] + 2.0 * p[0] + 1.0)) == 3
    assert operations(lambda p: (p[0] * p[1] + 1.0) - (p[1] * p[0]) * 3.0) == 3


@pytest.mark.parametrize("gain", [1e-300, 1e300])
def test_sums_of_unequal_parts_stay_finite(gain: float) -> None:
    affine = AffineAlgebra(FloatAlgebra())
    x, y = affine.variables([2.0, 5.0])
    for value in (gain * x + y, y + gain * x):
        assert affine.value(value) == pytest.approx(gain * 2.0 + 5.0, rel=1e-15)
    assert affine.value((1e-300 * x + 1e300 * y) * 1e-300) == pytest.approx(5.0)


def test_numbers_come_out_as_numbers() -> None:
    (x,) = AffineAlgebra(FloatAlgebra()).variables([float("nan")])
    for value, number in ((x * 0.0, 0.0), (x - x, 0.0), (3.0 + 0.1 * x - (x * 0.1 + 1.0), 2.0)):
        assert not isinstance(value, Affine) and value == pytest.approx(number)
    kept = 0.1 * x + 1e-9 * x
    assert isinstance(kept, Affine) and kept.gain == pytest.approx(0.1 + 1e-9, rel=1e-15)


def test_truth_values_select() -> None:
    affine = AffineAlgebra(FloatAlgebra())
    x, y = affine.variables([2.0, 5.0])
    assert affine.value(affine.select(affine.compare("less", x, y), x + 1.0, y)) == 3.0
    assert affine.value(affine.sin_cos(x)[1]) == FloatAlgebra().function("cos", 2.0)
    assert affine.constant(4) == 4.0
