"""Formulas of x: exact numbers, a whitelist of nodes, the same values in doubles and in fifty digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy

from symdyn.errors import DescriptionError
from symdyn.shapes.formula import FUNCTIONS, X, differentiate, evaluate, read_formula


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "x.__class__",
        "(lambda: 1)()",
        "[1, 2]",
        "x if x else 1",
        "x and 2",
        "x < 2",
        "'x'",
        "eval(x)",
        "sin",
        "sin(x, x)",
        "sin(x=1)",
        "y",
        "sympy",
        "oo",
        "I",
        "E",
        "True",
        "1j",
        "x**x",
        "x**33",
        "x**0.5",
        "x**(-40)",
        "9**9**9",
        "(((9**32)**32)**32)**32",
        "1e-320**32",
        "9" * 400,
        "x // 2",
        "x % 2",
        "x @ x",
        "~x",
        "x; x",
        "x = 2",
        "",
        "x +",
        "(" * 300 + "x" + ")" * 300,
        "x" + "+x" * 1500,
        "\x00",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(DescriptionError, match="formula"):
        read_formula(text)


@pytest.mark.parametrize("text", ["1/0", "log(0)", "sqrt(-1)", "x/(1 - 1)", "1e999", "tan(pi/2)"])
def test_formulas_without_a_value_are_refused(text: str) -> None:
    with pytest.raises(DescriptionError, match="formula"):
        read_formula(text)


def test_decimal_numbers_are_exact() -> None:
    assert read_formula("0.1*x + 1e-3") == X / 10 + sympy.Rational(1, 1000)
    assert read_formula("-x**2/3 - +2") == -(X**2) / 3 - 2
    assert read_formula("x**-2") == X**-2


FORMULAS = ["3*x - 2/7", "x**5 - x**-1", "pi*x", "sqrt(x)**3", "tanh(x)/x", "exp(1)*x", "(1 - x/3)**3", "sqrt(2)*x"]


@pytest.mark.parametrize("text", [*FORMULAS, *(f"{name}(x/2)" for name in FUNCTIONS)])
def test_values_agree_with_sympy_in_doubles_and_fifty_digits(text: str) -> None:
    formula = read_formula(text)
    stations = np.array([0.2, 0.7, 1.3])
    for derivative in range(3):
        expression = differentiate(formula, derivative)
        found = evaluate(expression, stations)
        assert found.shape == stations.shape
        for station, value in zip(stations, found, strict=True):
            exact = expression.subs(X, sympy.Rational(float(station))).evalf(60)
            assert value == pytest.approx(float(exact), rel=1e-13, abs=1e-15)
            with mpmath.workdps(50):
                precise = evaluate(expression, mpmath.mpf(float(station)))
                assert abs(precise - mpmath.mpmathify(exact)) <= mpmath.mpf(10) ** -45 * (1 + abs(precise))


def test_constants_fill_the_array() -> None:
    np.testing.assert_array_equal(evaluate(read_formula("2"), np.zeros((2, 3))), np.full((2, 3), 2.0))
