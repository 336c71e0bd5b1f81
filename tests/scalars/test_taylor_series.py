"""Truncated series: arithmetic with series, inner scalars and numbers, rates, and what zeros and constants cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import casadi
import numpy as np
import pytest
import sympy
from mpmath import mp

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.sympy_expr import SympyAlgebra
from symdyn.algebra.scalars.taylor import Series, append, product_coefficient, rate, truncated
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.errors import InternalError

FLOATS = TaylorAlgebra(FloatAlgebra(), 3)
SX = CasadiAlgebra()
FREE = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST)


def exact(*values: int) -> Series:
    return Series([Fraction(value) for value in values])


def symbols(name: str, order: int) -> Series:
    return Series(SX.symbols(name, order + 1))


def operations(*results: Any) -> int:
    """Instructions of the coefficients, equal ones counted once."""
    flat = [c for result in results for c in (result.coefficients if isinstance(result, Series) else [result])]
    expression = casadi.cse(casadi.vertcat(*(casadi.SX(c) for c in flat)))
    function = casadi.Function("counted", casadi.symvar(expression), [expression])
    return sum(function.instruction_id(index) not in FREE for index in range(function.n_instructions()))


def test_ring_operations_are_those_of_polynomials() -> None:
    x, y = exact(2, -3, 5, 7), exact(-1, 4, 0, 6)
    assert (x + y).coefficients == (1, 1, 5, 13)
    assert (x - y).coefficients == (3, -7, 5, 1)
    assert (-x).coefficients == (-2, 3, -5, -7)
    assert (x * y).coefficients == (-2, 11, -17, 25)
    assert (x * x).coefficients == (x * exact(2, -3, 5, 7)).coefficients == (4, -12, 29, -2)
    assert ((x * y) / y).coefficients == x.coefficients
    assert (x / y * y).coefficients == x.coefficients


def test_constants_mix_on_both_sides() -> None:
    x = exact(2, -3, 5)
    half = Fraction(1, 2)
    assert (x + half).coefficients == (half + x).coefficients == (Fraction(5, 2), -3, 5)
    assert (x - half).coefficients == (Fraction(3, 2), -3, 5)
    assert (half - x).coefficients == (Fraction(-3, 2), 3, -5)
    assert (x * half).coefficients == (half * x).coefficients == (1, Fraction(-3, 2), Fraction(5, 2))
    assert (x / half).coefficients == (x / 0.5).coefficients == (4, -6, 10)
    assert ((half / x) * x).coefficients == (half, 0, 0)
    assert ((1 / x) * x).coefficients == (1, 0, 0)


@pytest.mark.parametrize("inner", [casadi.SX.sym("a"), mp.mpf(3), sympy.Symbol("a"), np.float64(3.0), 3.0, 3])
def test_every_inner_scalar_gives_way_to_a_series(inner: Any) -> None:
    x = Series([inner, inner + 1.0])
    results = (inner + x, inner - x, inner * x, inner / x, x + inner, x - inner, x * inner, x / inner)
    assert [type(result) for result in results] == [Series] * 8
    assert [result.order for result in results] == [1] * 8


def test_the_shorter_series_decides() -> None:
    x, y = exact(1, 2, 3, 4), exact(5, 6)
    for result in (x + y, y + x, x - y, y - x, x * y, y * x, x / y, y / x):
        assert result.order == 1
    assert (x / y * y).coefficients == (1, 2)
    assert truncated(x, 2).coefficients == (1, 2, 3)
    assert truncated(x, 7) is x and truncated(4.0, 0) == 4.0


def test_rate_shifts() -> None:
    x = exact(1, 2, 3, 4)
    assert rate(x).coefficients == (2, 6, 12)
    assert rate(rate(x)).coefficients == (6, 24)
    assert rate(5.0) == 0.0
    with pytest.raises(InternalError, match="order 0"):
        rate(exact(1))


def test_rate_obeys_the_product_rule() -> None:
    x, y = exact(2, -3, 5, 7), exact(-1, 4, 9, 6)
    assert rate(x * y).coefficients == (rate(x) * y + x * rate(y)).coefficients
    assert rate(x / y).coefficients == ((rate(x) * y - x * rate(y)) / (y * y)).coefficients


def test_an_integral_remembers_its_rate() -> None:
    v = Series([0.3, -0.7, 1.9])
    x = FLOATS.integral(v, 4.0)
    assert x.coefficients == (4.0, 0.3, -0.35, 1.9 * (1.0 / 3.0))
    assert rate(x) is v
    assert rate(x + 2.0) is v and rate(x - 2.0) is v
    assert rate(truncated(x, 2)).coefficients == (0.3, -0.7)
    assert rate(-x).coefficients == (-0.3, 0.7, -1.9)
    assert rate(2.0 * x).coefficients == (0.6, -1.4, 3.8)
    assert rate(2.0 - x).coefficients == pytest.approx((-0.3, 0.7, -1.9), rel=1e-15)
    assert rate(truncated(x, 1)).coefficients == (0.3,)
    assert rate(x + x).coefficients == pytest.approx((0.6, -1.4, 3.8), rel=1e-15)


def test_append_continues_products_and_forgets_the_rate() -> None:
    x, y = exact(2, -3, 5), exact(-1, 4, 9)
    longer = append(x, Fraction(7))
    assert longer.coefficients == (2, -3, 5, 7)
    assert rate(append(FLOATS.integral(Series([2.0]), 1.0), 5.0)).coefficients == (2.0, 10.0)
    product = append(truncated(x, 1) * truncated(y, 1), product_coefficient(x, y, 2))
    assert product.coefficients == (x * y).coefficients


def test_coefficients_are_computed_when_asked_for() -> None:
    asked: list[int] = []

    def doubled(k: int) -> Fraction:
        asked.append(k)
        return Fraction(2**k)

    x = Series.on_demand(3, doubled)
    squared = x * x
    assert (x.order, squared.order, asked) == (3, 3, [])
    assert squared.coefficient(1) == 4 and asked == [0, 1]
    assert x.coefficients == (1, 2, 4, 8) and asked == [0, 1, 2, 3]


def test_settled_coefficients_are_not_computed() -> None:
    def refused(k: int) -> Fraction:
        assert k == 2
        return Fraction(5)

    x = Series.on_demand(2, refused)
    x.settle([Fraction(2), Fraction(-3)])
    assert (x * x).coefficients == (4, -12, 29)


def test_derivatives_and_coefficients() -> None:
    values = [1.5, -2.0, 7.0, 11.0, -13.0]
    series = FLOATS.from_derivatives(values)
    assert series.coefficients == pytest.approx((1.5, -2.0, 3.5, 11.0 / 6.0, -13.0 / 24.0), rel=1e-15)
    assert FLOATS.derivatives(series) == pytest.approx(values, rel=1e-15)
    assert FLOATS.derivatives(2.5) == [2.5, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("order", [18, 19, 40])
def test_factorials_are_exact_at_any_precision(order: int) -> None:
    with mp.workdps(60):
        algebra = TaylorAlgebra(MpmathAlgebra(60), order)
        series = algebra.from_derivatives([mp.mpf(1)] * (order + 1))
        assert abs(series.coefficients[order] * mp.factorial(order) - 1) < mp.mpf(10) ** -58
        assert abs(algebra.derivatives(series)[order] - 1) < mp.mpf(10) ** -58
        assert abs(algebra.integral(series, 0.0).coefficients[3] - mp.mpf(1) / 6) < mp.mpf(10) ** -58
        assert abs((series / 3.0).coefficients[0] - mp.mpf(1) / 3) < mp.mpf(10) ** -58


def test_symbols_stay_exact_in_sympy() -> None:
    x = sympy.Symbol("x", real=True)
    algebra = TaylorAlgebra(SympyAlgebra(), 3)
    sine, cosine = algebra.sin_cos(Series([x, sympy.Integer(1), 0, 0]))
    assert sympy.simplify(sine.coefficients[3] + sympy.cos(x) / 6) == 0
    assert sympy.simplify(cosine.coefficients[2] + sympy.cos(x) / 2) == 0


@pytest.mark.parametrize("order", range(6))
def test_what_a_product_costs(order: int) -> None:
    x, y = symbols("x", order), symbols("y", order)
    (a,) = SX.symbols("a", 1)
    products = (order + 1) * (order + 2) // 2
    assert operations(x * y) == products + products - (order + 1)
    assert operations(x + y) == order + 1
    assert operations(a * x) == operations(x * 3.0) == order + 1
    assert operations(x + a) == operations(x - 2.0) == 1
    assert operations(1.0 * x) == operations(x + 0.0) == operations(0.0 * x) == 0


@pytest.mark.parametrize("order", range(6))
def test_a_square_takes_half_the_products(order: int) -> None:
    # coefficient k of a square: k / 2 doubled products, and x_(k/2)^2 where k is even
    doubled = sum((k + 1) // 2 for k in range(order + 1))
    middle = order // 2 + 1
    doublings = (order + 1) // 2 + order // 2
    sums = sum((k + 1) // 2 + (k % 2 == 0) - 1 for k in range(order + 1))
    x = symbols("x", order)
    assert operations(x * x) == doubled + middle + doublings + sums


def test_structural_zeros_and_ones_cost_nothing() -> None:
    (a, b) = SX.symbols("a", 2)
    x = symbols("x", 4)
    constant = Series([a, 0.0, 0.0, 0.0, 0.0])
    assert operations(constant * x) == 5
    assert operations(constant * constant, 2.0 * constant) == 2
    assert operations(x / constant) <= 6  # the inverse as well
    assert operations(b / constant) == 1
    assert operations(Series([1.0, 0.0, 0.0, 0.0, 0.0]) * x, x + Series([0.0] * 5)) == 0
    assert (0.0 * x).coefficients == (0.0,) * 5
    assert (constant * Series([b, 0.0, 0.0, 0.0, 0.0])).coefficients[1:] == (0.0,) * 4
    line = Series([a, b, 0.0, 0.0])
    assert operations(line * line) == 4  # a^2, 2 a b, b^2
    assert (line * line).coefficients[3] == 0.0


def test_a_coordinate_costs_no_products_with_the_order() -> None:
    """Sine and cosine of an integral use the velocity's coefficients as they are."""
    algebra = TaylorAlgebra(SX, 3)
    (start,) = SX.symbols("q", 1)
    v = symbols("v", 2)
    # sin and cos; per order k: a convolution of k products each, the share 1 / k (not for k = 1), and the sign of c'
    expected = 2 + sum(2 * (2 * k - 1) + (2 if k > 1 else 0) + 1 for k in range(1, 4))
    assert operations(*algebra.sin_cos(algebra.integral(v, start))) <= expected
    assert operations(*algebra.sin_cos(Series([start, 0.0, 0.0, 0.0]))) == 2


def test_a_rate_costs_one_product_per_coefficient() -> None:
    assert operations(rate(symbols("x", 4))) == 3
    assert operations(rate(Series([*SX.symbols("x", 2), 0.0, 0.0]))) == 0


def test_a_series_shows_its_coefficients() -> None:
    assert repr(Series([1.0, 2.0])) == "Series([1.0, 2.0])"
    assert Series([1.0, 2.0]).order == 1 and Series([1.0, 2.0]).leading == 1.0


def test_recurrences_are_analytic_in_float() -> None:
    """exp, sin and 1 / (1 - t) of t itself have their well-known coefficients."""
    t = Series([0.0, 1.0, 0.0, 0.0])

    def close(series: Series, expected: Sequence[float]) -> None:
        assert series.coefficients == pytest.approx(expected, rel=1e-15, abs=1e-300)

    close(FLOATS.function("exp", t), [1.0 / math.factorial(k) for k in range(4)])
    close(FLOATS.function("sin", t), [0.0, 1.0, 0.0, -1.0 / 6.0])
    close(1.0 / (1.0 - t), [1.0] * 4)
    close(FLOATS.function("log", 1.0 + t), [0.0, 1.0, -0.5, 1.0 / 3.0])


def test_coefficients_that_are_zero_stay_zero_when_divided_by_a_number() -> None:
    assert (Series([1.0, 0.0, 4.0]) / 2).coefficients == (0.5, 0.0, 2.0)


def test_the_kink_of_an_absolute_value_counts_as_flat() -> None:
    assert FLOATS.function("abs", Series([0.0, 2.0, 1.0])).coefficients == (0.0, 0.0, 0.0)
    assert FLOATS.function("abs", Series([-1.0, 2.0, 1.0])).coefficients == (1.0, -2.0, -1.0)
