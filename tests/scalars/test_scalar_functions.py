"""Every function code of every algebra has the value that the C library gives it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import casadi
import numpy as np
import pytest
from mpmath import mp

from symdyn.algebra.scalars.array_floats import ArrayAlgebra
from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.sympy_expr import SympyAlgebra
from symdyn.compiler.tape.ops import OPS

Call = Callable[..., float]
LEAVES_AND_ARITHMETIC = {"input", "constant", "add", "sub", "mul", "div", "neg", "lane_sum"}
OTHER_METHODS = {"sincos", "sin_of", "cos_of", "less", "less_equal", "equal", "not", "and", "or", "select"}
FUNCTIONS = sorted(set(OPS) - LEAVES_AND_ARITHMETIC - OTHER_METHODS - {"fms", "fnma", "product"})  # spelled by fma

EXPECTED: dict[str, Call] = {
    **{name: getattr(math, name) for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
    **{name: getattr(math, name) for name in ("sinh", "cosh", "tanh", "exp", "log", "pow")},
    "abs": math.fabs,
    "sign": lambda x: (x > 0) - (x < 0),
    "min": min,
    "max": max,
    "fma": lambda a, b, c: a * b + c,
}
POINTS: dict[str, list[tuple[float, ...]]] = {
    **{name: [(0.0,), (0.3,), (-0.7,), (0.99,)] for name in FUNCTIONS if OPS[name].operands == 1},
    "sqrt": [(0.0,), (0.3,), (7.5,)],
    "log": [(0.25,), (1.0,), (1e9,)],
    "atan2": [(0.3, 0.4), (-0.3, -0.4), (0.2, -1.0), (0.0, -1.0), (2.0, 0.0)],
    "pow": [(2.5, 3.0), (0.3, -1.5), (-2.0, 3.0), (0.0, 2.0), (4.0, 0.5)],
    "min": [(0.3, 0.7), (0.7, 0.3), (-1.0, -2.0)],
    "max": [(0.3, 0.7), (0.7, 0.3), (-1.0, -2.0)],
    "fma": [(0.3, 0.5, -0.25), (-2.0, 3.0, 1.5)],
}
CASES = [(name, point) for name in FUNCTIONS for point in POINTS[name]]


def floats(name: str, *point: float) -> float:
    return FloatAlgebra().function(name, *point)


def reals(name: str, *point: float) -> float:
    algebra = MpmathAlgebra(30)
    return float(algebra.function(name, *(algebra.constant(x) for x in point)))


def expressions(name: str, *point: float) -> float:
    algebra = SympyAlgebra()
    symbols = [algebra.symbol(letter) for letter in "abc"[: len(point)]]
    values = dict(zip(symbols, map(algebra.constant, point), strict=True))
    return float(algebra.function(name, *symbols).subs(values))


def graphs(name: str, *point: float) -> float:
    algebra = CasadiAlgebra()
    symbols = algebra.symbols("x", len(point))
    return float(casadi.Function("f", symbols, [algebra.function(name, *symbols)])(*point))


def arrays(name: str, *point: float) -> float:
    found = ArrayAlgebra().function(name, *(np.array([0.5, x]) for x in point))
    return float(found[1])


ALGEBRAS: list[Call] = [floats, reals, expressions, graphs, arrays]


def test_every_code_has_a_case() -> None:
    assert set(EXPECTED) == set(FUNCTIONS)


@pytest.mark.parametrize("evaluate", ALGEBRAS)
@pytest.mark.parametrize(("name", "point"), CASES)
def test_functions_agree_with_the_library(evaluate: Call, name: str, point: tuple[float, ...]) -> None:
    with mp.workdps(30):
        assert evaluate(name, *point) == pytest.approx(EXPECTED[name](*point), rel=1e-15, abs=1e-16)


EDGES: list[tuple[str, tuple[float, ...], float]] = [
    ("sqrt", (-1.0,), math.nan),
    ("asin", (1.5,), math.nan),
    ("acos", (-1.5,), math.nan),
    ("log", (-1.0,), math.nan),
    ("log", (0.0,), -math.inf),
    ("sin", (math.inf,), math.nan),
    ("cos", (-math.inf,), math.nan),
    ("tan", (math.inf,), math.nan),
    ("atan", (math.inf,), math.pi / 2),
    ("tanh", (-math.inf,), -1.0),
    ("sqrt", (math.inf,), math.inf),
    ("sqrt", (math.nan,), math.nan),
    ("abs", (-math.inf,), math.inf),
    ("sign", (0.0,), 0.0),
    ("sign", (-math.inf,), -1.0),
    ("pow", (-8.0, 1.0 / 3.0), math.nan),
    ("pow", (0.0, -2.0), math.inf),
    ("fma", (math.inf, 1.0, 2.0), math.inf),
    ("fma", (math.inf, 0.0, 2.0), math.nan),
]


@pytest.mark.parametrize("evaluate", [floats, reals, graphs, arrays])
@pytest.mark.parametrize(("name", "point", "expected"), EDGES)
def test_edges_of_domains(evaluate: Call, name: str, point: tuple[float, ...], expected: float) -> None:
    with mp.workdps(30):
        assert evaluate(name, *point) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("exp", (1e4,), math.inf),
        ("exp", (-1e4,), 0.0),
        ("sinh", (1e4,), math.inf),
        ("sinh", (-1e4,), -math.inf),
        ("cosh", (-1e4,), math.inf),
        ("pow", (-10.0, 309.0), -math.inf),
        ("pow", (-10.0, 310.0), math.inf),
        ("pow", (0.1, -309.0), math.inf),
        ("pow", (-0.0, -3.0), -math.inf),
        ("pow", (-0.0, -2.0), math.inf),
        ("pow", (0.0, -math.inf), math.inf),
        ("fma", (-1e300, 1e300, 0.0), -math.inf),
        ("fma", (1e300, 1e300, 0.0), math.inf),
    ],
)
def test_overflow_of_doubles_has_the_right_sign(name: str, point: tuple[float, ...], expected: float) -> None:
    assert floats(name, *point) == expected
    assert graphs(name, *point) == expected or name == "fma"


def test_fma_rounds_once() -> None:
    a = 1.0 + 2.0**-30
    assert a * a - (1.0 + 2.0**-29) == 0.0  # the product's last bit is lost
    assert floats("fma", a, a, -(1.0 + 2.0**-29)) == 2.0**-60
    assert floats("fma", 0.1, 10.0, -1.0) == 2.0**-54  # 0.1 is that much more than a tenth
    assert math.copysign(1.0, floats("fma", -1.0, 0.0, 0.0)) == 1.0
    assert math.copysign(1.0, floats("fma", -1.0, 0.0, -0.0)) == -1.0


def test_minimum_and_maximum_choose_as_the_emitted_code_does() -> None:
    assert floats("min", math.nan, 1.0) == 1.0 and math.isnan(floats("min", 1.0, math.nan))
    assert floats("max", math.nan, 1.0) == 1.0 and math.isnan(floats("max", 1.0, math.nan))


@pytest.mark.parametrize("algebra", [FloatAlgebra(), MpmathAlgebra(30), SympyAlgebra()])
@pytest.mark.parametrize(("code", "expected"), [("less", (1, 0, 0)), ("less_equal", (1, 1, 0)), ("equal", (0, 1, 0))])
def test_comparisons_and_selection(algebra: Any, code: str, expected: tuple[int, ...]) -> None:
    for (left, right), truth in zip(((1.0, 2.0), (2.0, 2.0), (3.0, 2.0)), expected, strict=True):
        condition = algebra.compare(code, algebra.constant(left), algebra.constant(right))
        assert bool(condition) is bool(truth)
        assert float(algebra.select(condition, algebra.constant(5.0), algebra.constant(7.0))) == (5.0 if truth else 7.0)


def test_a_pair_is_sine_and_cosine() -> None:
    assert FloatAlgebra().sin_cos(0.4) == (math.sin(0.4), math.cos(0.4))
    with mp.workdps(30):
        assert [float(x) for x in MpmathAlgebra(30).sin_cos(mp.mpf(0.4))] == [math.sin(0.4), math.cos(0.4)]
    sine, cosine = SympyAlgebra().sin_cos(SympyAlgebra().symbol("x"))
    assert (str(sine), str(cosine)) == ("sin(x)", "cos(x)")
