"""Scalars of the CasADi algebra make the nodes that CasADi's own operators make, and leave other operands alone."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import casadi
import pytest

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.algebra.scalars.taylor import Series

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
NUMBERS = (0, 0.0, -0.0, 1, 1.0, -1.0, 2, 0.5, 1e-300, 1.0 / 3.0)


@pytest.mark.parametrize("name", OPERATORS)
def test_nodes_are_those_of_casadi(name: str) -> None:
    algebra, apply = CasadiAlgebra(), OPERATORS[name]
    x, y = algebra.symbols("s", 2)
    plain = {"x": casadi.SX(x), "y": casadi.SX(y), "xy": casadi.SX(x) * casadi.SX(y)}
    ours = {"x": x, "y": y, "xy": x * y}
    assert {type(value) for value in plain.values()} == {casadi.SX} and type(x) is not casadi.SX
    pairs = [(left, right) for left in plain for right in plain]
    for left, right in pairs:
        _assert_same(apply(ours[left], ours[right]), apply(plain[left], plain[right]))
        _assert_same(apply(ours[left], plain[right]), apply(plain[left], plain[right]))
        _assert_same(apply(plain[left], ours[right]), apply(plain[left], plain[right]))
    for number in NUMBERS:
        _assert_same(apply(ours["xy"], number), apply(plain["xy"], number))
        _assert_same(apply(number, ours["xy"]), apply(number, plain["xy"]))


def _assert_same(found: Any, expected: Any) -> None:
    """Equal graphs: nodes of the same operation on the same operands, all the way down."""
    assert isinstance(found, casadi.SX)
    assert casadi.is_equal(found, expected, 10), (str(found), str(expected))
    assert str(found) == str(expected)


def test_signs_and_functions_are_those_of_casadi() -> None:
    algebra = CasadiAlgebra()
    (x,) = algebra.symbols("x", 1)
    plain = casadi.SX(x)
    _assert_same(-(x - 2.0), -(plain - 2.0))
    _assert_same(operator.neg(-x), plain)
    sine, cosine = algebra.sin_cos(x)
    _assert_same(sine * cosine, casadi.sin(plain) * casadi.cos(plain))
    _assert_same(algebra.function("sqrt", x) + 1.0, casadi.sqrt(plain) + 1.0)
    chosen = algebra.select(algebra.compare("less", x, 1.0), x, 2.0)
    _assert_same(chosen * x, casadi.if_else(plain < 1.0, plain, 2.0) * plain)
    # every result of an operation is as fast as its operands
    assert {type(value) for value in (x, -x, x + x, 2.0 / x, sine, cosine, chosen)} == {type(x)}


def test_numbers_stay_numbers() -> None:
    algebra = CasadiAlgebra()
    assert algebra.function("sqrt", 4.0) == 2.0 and isinstance(algebra.function("sqrt", 4.0), float)
    assert algebra.sin_cos(0.0) == (0.0, 1.0)


@pytest.mark.parametrize("name", OPERATORS)
def test_other_operands_decide_themselves(name: str) -> None:
    (x,) = CasadiAlgebra().symbols("x", 1)
    series = Series((x, 1.0))
    assert isinstance(OPERATORS[name](x, series), Series) and isinstance(OPERATORS[name](series, x), Series)
    with pytest.raises(TypeError, match="unsupported operand"):
        OPERATORS[name](x, object())
