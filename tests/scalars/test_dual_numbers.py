"""Dual numbers: every operation's derivative against differences, and over symbols."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.errors import InternalError

ALGEBRA = DualAlgebra(FloatAlgebra())
EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda x, y: x + y + 2.0 + (1.0 + x),
    "difference": lambda x, y: x - y - 2.0 - (1.0 - x),
    "negative": lambda x, y: -x + -(x * y),
    "product": lambda x, y: x * y * 3.0 * (2.0 * x),
    "quotient": lambda x, y: x / y + x / 2.0 + 3.0 / y,
    "sqrt": lambda x, y: ALGEBRA.function("sqrt", x * y),
    "sin": lambda x, y: ALGEBRA.function("sin", x * y),
    "cos": lambda x, y: ALGEBRA.function("cos", x * y),
    "tan": lambda x, y: ALGEBRA.function("tan", x * y),
    "tanh": lambda x, y: ALGEBRA.function("tanh", x * y),
    "exp": lambda x, y: ALGEBRA.function("exp", x * y),
    "log": lambda x, y: ALGEBRA.function("log", x * y),
    "abs": lambda x, y: ALGEBRA.function("abs", x - y),
    "sin_cos": lambda x, y: ALGEBRA.sin_cos(x)[0] * ALGEBRA.sin_cos(y)[1],
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_slopes(name: str) -> None:
    expression, at, h = EXPRESSIONS[name], (0.7, 1.1), 1e-4
    found = expression(ALGEBRA.dual(at[0], {0: 1.0}), ALGEBRA.dual(at[1], {1: 1.0}))

    def plain(dx: float, dy: float) -> float:
        value = expression(ALGEBRA.dual(at[0] + dx, {}), ALGEBRA.dual(at[1] + dy, {})).value
        assert isinstance(value, float)
        return value

    assert found.value == plain(0.0, 0.0)
    for direction, (dx, dy) in enumerate(((h, 0.0), (0.0, h))):
        near = (plain(dx, dy) - plain(-dx, -dy)) / (2.0 * h)
        far = (plain(2 * dx, 2 * dy) - plain(-2 * dx, -2 * dy)) / (4.0 * h)
        assert found.slope(direction) == pytest.approx((4.0 * near - far) / 3.0, rel=1e-10, abs=1e-11)


def test_a_number_without_slopes_stays_so() -> None:
    found = ALGEBRA.function("sqrt", ALGEBRA.constant(4.0)) * 3.0 + ALGEBRA.sin_cos(0.5)[0]
    assert found.slopes == {}
    assert found.value == 6.0 + math.sin(0.5)


def test_sign_is_flat() -> None:
    assert ALGEBRA.function("sign", ALGEBRA.dual(-2.0, {0: 1.0})).slopes == {}


def test_symbols() -> None:
    inner = CasadiAlgebra()
    (x,) = inner.symbols("x", 1)
    over = DualAlgebra(inner)
    found = over.function("tanh", over.dual(x, {0: 1.0}) * 2.0)
    assert str(found.slope(0)) == "(2.*(1-sq(tanh((2.*x)))))".replace("x", str(x))


def test_a_chosen_number_brings_its_derivatives() -> None:
    x, y = ALGEBRA.dual(2.0, {0: 1.0}), ALGEBRA.dual(3.0, {1: 5.0})
    assert ALGEBRA.compare("less", x, y) and ALGEBRA.compare("less", x, 2.5) and not ALGEBRA.compare("less", 3.0, y)
    for chosen, value, slopes in (
        (ALGEBRA.select(True, x, y), 2.0, (1.0, 0.0)),
        (ALGEBRA.select(False, x, y), 3.0, (0.0, 5.0)),
        (ALGEBRA.select(False, x, 7.0), 7.0, (0.0, 0.0)),
    ):
        assert (chosen.value, chosen.slope(0), chosen.slope(1)) == (value, *slopes)
    assert ALGEBRA.select(True, 1.5, 2.5) == 1.5


def test_functions_without_a_slope_are_refused() -> None:
    x = ALGEBRA.dual(0.5, {0: 1.0})
    for name, arguments in (("acos", (x,)), ("atan2", (x, x)), ("pow", (x, 2.0)), ("fma", (x, x, x))):
        with pytest.raises(InternalError, match=f"'{name}' has no derivative here"):
            ALGEBRA.function(name, *arguments)
