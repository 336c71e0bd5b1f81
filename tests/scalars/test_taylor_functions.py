"""Elementary functions of series against mpmath's Taylor series, at forty digits and under random composition."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import casadi
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.errors import InternalError

ORDER, DIGITS = 7, 40
FLOATS = TaylorAlgebra(FloatAlgebra(), 3)
ARGUMENT = (0.375, -0.625, 0.25, 0.5, -1.125)
"""A polynomial with values inside the domain of every function near t = 0."""
OTHER = (0.875, 0.5, -0.75, 0.125)

ONE: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(mp, name) for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(mp, name) for name in ("sinh", "cosh", "tanh", "exp", "log")},
    "abs": abs,
    "sign": mp.sign,
}
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "atan2": mp.atan2,
    "pow": mp.power,
    "min": min,
    "max": max,
}


def at(coefficients: tuple[float, ...], t: Any) -> Any:
    return mp.polyval([mp.mpf(c) for c in reversed(coefficients)], t)


def polynomial(coefficients: tuple[float, ...], order: int = ORDER) -> Series:
    padded = [*coefficients, *[0.0] * (order + 1 - len(coefficients))]
    return Series([mp.mpf(c) for c in padded])


def check(found: Any, function: Callable[[Any], Any], algebra: TaylorAlgebra, digits: int) -> None:
    with mp.workdps(DIGITS + 20):
        expected = mp.taylor(function, 0, ORDER)
    lifted = algebra.lifted(found)
    assert lifted.order == ORDER
    for own, true in zip(lifted.coefficients, expected, strict=True):
        assert abs(own - true) <= mp.mpf(10) ** -digits * max(1, abs(true))


@pytest.fixture
def algebra() -> Any:
    with mp.workdps(DIGITS):
        yield TaylorAlgebra(MpmathAlgebra(DIGITS), ORDER)


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_series(name: str, algebra: TaylorAlgebra) -> None:
    found = algebra.function(name, polynomial(ARGUMENT))
    check(found, lambda t: ONE[name](at(ARGUMENT, t)), algebra, DIGITS - 5)


@pytest.mark.parametrize("name", ["abs", "sign", "tanh", "atan"])
def test_functions_of_a_negative_series(name: str, algebra: TaylorAlgebra) -> None:
    found = algebra.function(name, -polynomial(ARGUMENT))
    check(found, lambda t: ONE[name](-at(ARGUMENT, t)), algebra, DIGITS - 5)


@pytest.mark.parametrize("start", [0.0, 2.5, -9.0, 18.0])
def test_a_hyperbolic_tangent_near_one_keeps_its_rates(start: float) -> None:
    found = FLOATS.function("tanh", Series([start, 100.0, -30.0, 7.0])).coefficients
    with mp.workdps(DIGITS):
        expected = mp.taylor(lambda t: mp.tanh(start + 100 * t - 30 * t**2 + 7 * t**3), 0, 3)
        assert all(abs(own - true) <= 1e-14 * max(abs(true), 1e-40) for own, true in zip(found, expected, strict=True))


@pytest.mark.parametrize("start", [45.0, -1e4])
def test_a_saturated_hyperbolic_tangent_has_no_rates(start: float) -> None:
    found = FLOATS.function("tanh", Series([start, 100.0, -30.0, 7.0])).coefficients
    assert found[0] == math.copysign(1.0, start) and all(abs(rate) < 1e-25 for rate in found[1:])


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_series(name: str, algebra: TaylorAlgebra) -> None:
    found = algebra.function(name, polynomial(ARGUMENT), polynomial(OTHER))
    check(found, lambda t: TWO[name](at(ARGUMENT, t), at(OTHER, t)), algebra, DIGITS - 5)
    found = algebra.function(name, polynomial(OTHER), polynomial(ARGUMENT))
    check(found, lambda t: TWO[name](at(OTHER, t), at(ARGUMENT, t)), algebra, DIGITS - 5)


@pytest.mark.parametrize("name", TWO)
def test_functions_of_a_series_and_a_constant(name: str, algebra: TaylorAlgebra) -> None:
    constant = mp.mpf(0.6875)
    found = algebra.function(name, polynomial(ARGUMENT), constant)
    check(found, lambda t: TWO[name](at(ARGUMENT, t), constant), algebra, DIGITS - 5)
    found = algebra.function(name, constant, polynomial(ARGUMENT))
    check(found, lambda t: TWO[name](constant, at(ARGUMENT, t)), algebra, DIGITS - 5)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3.0, 7, -1, -2.0, 0.5, 2.5])
def test_powers(exponent: float, algebra: TaylorAlgebra) -> None:
    found = algebra.function("pow", polynomial(ARGUMENT), exponent)
    check(found, lambda t: at(ARGUMENT, t) ** mp.mpf(exponent), algebra, DIGITS - 5)


def test_whole_powers_of_what_is_zero_now(algebra: TaylorAlgebra) -> None:
    found = algebra.function("pow", polynomial((0.0, 2.0, 3.0)), 3.0)
    check(found, lambda t: (2 * t + 3 * t**2) ** 3, algebra, DIGITS - 5)


def test_negative_bases_have_whole_powers(algebra: TaylorAlgebra) -> None:
    found = algebra.function("pow", -polynomial(ARGUMENT), -3.0)
    check(found, lambda t: (-at(ARGUMENT, t)) ** -3, algebra, DIGITS - 5)


def test_sine_and_cosine(algebra: TaylorAlgebra) -> None:
    pair = algebra.sin_cos(polynomial(ARGUMENT))
    check(pair[0], lambda t: mp.sin(at(ARGUMENT, t)), algebra, DIGITS - 5)
    check(pair[1], lambda t: mp.cos(at(ARGUMENT, t)), algebra, DIGITS - 5)


def test_settled_recurrences_go_on_at_the_cost_of_one_order() -> None:
    """Sine, cosine and square root of order k from their lower orders: one convolution each, 2 k products or so."""
    inner = CasadiAlgebra()
    algebra = TaylorAlgebra(inner, 6)
    for order in (3, 6):
        u = Series(inner.symbols("u", order + 1))
        found = [*algebra.sin_cos(u), algebra.function("sqrt", u)]
        for series, name in zip(found, ("s", "c", "r"), strict=True):
            series.settle(inner.symbols(name, order))
        tops = [series.coefficient(order) for series in found]
        expression = casadi.cse(casadi.vertcat(*tops))
        function = casadi.Function("counted", casadi.symvar(expression), [expression])
        codes = [function.instruction_id(index) for index in range(function.n_instructions())]
        assert sum(code in (casadi.OP_MUL, casadi.OP_SQ) for code in codes) <= 4 * order + 4
        assert casadi.OP_SIN not in codes and casadi.OP_SQRT not in codes


def test_fma(algebra: TaylorAlgebra) -> None:
    x, y = polynomial(ARGUMENT), polynomial(OTHER)
    assert algebra.function("fma", x, y, 2.0).coefficients == (x * y + 2.0).coefficients


def test_constants_stay_constants() -> None:
    assert FLOATS.constant(2.0) == 2.0
    assert FLOATS.function("sqrt", 2.25) == 1.5
    assert FLOATS.sin_cos(0.0) == (0.0, 1.0)
    assert FLOATS.function("pow", Series([3.0, 1.0]), 0.0) == 1.0


@pytest.mark.parametrize("name", ONE)
def test_order_zero_is_the_function_itself(name: str) -> None:
    found = FLOATS.lifted(FLOATS.function(name, Series([0.375])))
    assert found.leading == FloatAlgebra().function(name, 0.375)


def test_order_zero_of_two() -> None:
    assert FLOATS.function("atan2", Series([0.5]), Series([-2.0])).coefficients == (
        FloatAlgebra().function("atan2", 0.5, -2.0),
    )


def test_choices_look_at_now() -> None:
    x, y = Series([1.0, 5.0]), Series([2.0, 7.0])
    assert FLOATS.compare("less", x, y) and FLOATS.compare("less", x, 1.5) and not FLOATS.compare("less", 1.5, x)
    assert FLOATS.compare("equal", x, Series([1.0, 9.0])) and FLOATS.compare("less_equal", x, 1.0)
    assert FLOATS.select(True, x, 4.0).coefficients == (1.0, 5.0)
    assert FLOATS.select(False, x, 4.0).coefficients == (4.0, 0.0)
    assert FLOATS.select(False, 3.0, 4.0) == 4.0
    assert FLOATS.select(True, Series([1.0, 2.0, 3.0]), y).coefficients == (1.0, 2.0)


def test_choices_between_symbols_keep_what_both_share() -> None:
    inner = CasadiAlgebra()
    a, b, c = inner.symbols("x", 3)
    found = TaylorAlgebra(inner, 1).select(inner.compare("less", a, b), Series([a, c]), Series([b, c]))
    assert found.coefficients[1] is c


@pytest.mark.parametrize("arguments", [("gamma",), ("hypot", 2.0)])
def test_unknown_functions_are_refused(arguments: tuple[Any, ...]) -> None:
    name, *others = arguments

    class Generous(FloatAlgebra):
        def function(self, name: str, *arguments: float) -> float:
            return 1.0

    with pytest.raises(InternalError, match=f"'{name}' of a time series is not known"):
        TaylorAlgebra(Generous(), 1).function(name, Series([1.0, 2.0]), *others)


UNARY: dict[str, Callable[[Any, Callable[..., Any]], Any]] = {
    "sin": lambda x, f: f("sin", x),
    "cos": lambda x, f: f("cos", x),
    "tanh": lambda x, f: f("tanh", x),
    "atan": lambda x, f: f("atan", x),
    "root": lambda x, f: f("sqrt", 1.0 + x * x),
    "inverse": lambda x, f: 1.0 / (1.5 + x * x),
    "log": lambda x, f: f("log", 2.0 + x * x),
    "exp of a sine": lambda x, f: f("exp", f("sin", x)),
    "arc sine": lambda x, f: f("asin", 0.75 * f("tanh", x)),
    "turn": lambda x, f: f("atan2", x, 1.5 + f("cos", x)),
    "power": lambda x, f: f("pow", 1.25 + x * x, -1.5),
    "cube": lambda x, f: f("pow", x, 3.0) * 0.125,
    "minus": lambda x, f: 0.5 - x,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x - y,
    "product": lambda x, y: x * y,
    "quotient": lambda x, y: x / (2.0 + y * y),
}
Node = tuple[Any, ...]
TREES: st.SearchStrategy[Node] = st.recursive(
    st.tuples(st.sampled_from([ARGUMENT, OTHER, (0.0, 1.0)])),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(sorted(UNARY)), inner), st.tuples(st.sampled_from(sorted(BINARY)), inner, inner)
    ),
    max_leaves=6,
)


def evaluated(node: Node, leaf: Callable[[tuple[float, ...]], Any], function: Callable[..., Any]) -> Any:
    match node:
        case (tuple() as coefficients,):
            return leaf(coefficients)
        case (name, one):
            return UNARY[name](evaluated(one, leaf, function), function)
        case (name, one, two):
            return BINARY[name](evaluated(one, leaf, function), evaluated(two, leaf, function))
    raise AssertionError(node)


@settings(max_examples=40)
@given(TREES)
def test_random_compositions(node: Node) -> None:
    with mp.workdps(DIGITS):
        inner = MpmathAlgebra(DIGITS)
        algebra = TaylorAlgebra(inner, ORDER)
        found = evaluated(node, polynomial, algebra.function)
        check(found, lambda t: evaluated(node, lambda c: at(c, t), inner.function), algebra, DIGITS - 12)
