"""The exponential of SE(3) and its tangent against matrix exponentials at forty digits, at angle 0 and up to pi."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
from mpmath import mp
from support.exponentials import pose_exponential, rotation_exponential, tangent

from symdyn.algebra.scalars.algebra import Algebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.taylor import Series, rate, truncated
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.spatial.exponential import stumpff

DIGITS, ORDER, TERMS = 40, 5, 30
PATHS: dict[str, tuple[tuple[float, ...], ...]] = {
    # rows x, y, z of the rotation vector, then of the translation part; powers of t along a row
    "through zero": ((0.0, 0.5, -1.0), (0.0, -0.75, 0.25), (0.0, 0.0, 1.5), (0.5, 1.0), (-1.0, 0.5), (0.25, 2.0)),
    "resting at zero": ((0.0,), (0.0,), (0.0,), (0.5, -1.0, 2.0), (1.0,), (0.0, 1.0)),
    "square at zero": ((0.0, 0.0, 1.0), (0.0, 0.0, -0.5), (0.0,), (1.0,), (0.0, 1.0), (0.0, 0.0, 1.0)),
    "quarter turn": ((0.5, 1.0), (-1.0, 0.25, 0.5), (1.125, -0.5), (2.0, 1.0), (-0.5, 0.125), (1.0, -1.0, 0.5)),
    "nearly half a turn": ((2.0, 0.5), (-1.5, 0.25), (1.875, -0.5), (0.5, 1.0), (-1.0, 0.5), (0.25, 2.0)),
}


def series(rows: Sequence[Sequence[float]], convert: Callable[[float], Any] = mp.mpf) -> list[Series]:
    return [Series([convert(c) for c in row] + [0.0] * (ORDER + 1 - len(row))) for row in rows]


def twist_matrix(values: Sequence[Any]) -> Any:
    x, y, z, a, b, c = values
    return mp.matrix([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


def pose_at(path: tuple[tuple[float, ...], ...], t: Any) -> Any:
    return _pose_at(path, t, mp.prec)


@cache
def _pose_at(path: tuple[tuple[float, ...], ...], t: Any, precision: int) -> Any:
    values = [mp.polyval([mp.mpf(c) for c in reversed(row)], t) for row in path]
    return mp.expm(twist_matrix(values), method="taylor")


def coefficients(function: Callable[[Any], Any]) -> list[Any]:
    with mp.workdps(DIGITS + 20):
        return list(mp.taylor(function, 0, ORDER))


def algebra() -> TaylorAlgebra:
    return TaylorAlgebra(MpmathAlgebra(DIGITS), ORDER)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.5, 1.0, 2.0, 3.0, math.pi])
def test_functions_of_the_squared_angle(angle: float) -> None:
    found = stumpff(FloatAlgebra(), angle * angle)
    with mp.workdps(50):
        s = mp.mpf(angle * angle)
        for k, own in enumerate(found):
            true = mp.nsum(lambda j, k=k, s=s: (-s) ** int(j) / mp.factorial(2 * int(j) + k), [0, 40])
            assert abs(own - true) <= 2e-15


def test_they_hold_at_high_precision() -> None:
    with mp.workdps(50):
        s = mp.pi**2
        c = stumpff(MpmathAlgebra(50), s, terms=TERMS)
        assert abs(c[0] + 1) < mp.mpf(10) ** -47 and abs(c[1]) < mp.mpf(10) ** -47
        assert abs(c[2] - 2 / s) < mp.mpf(10) ** -47 and abs(c[3] - 1 / s) < mp.mpf(10) ** -47


@pytest.mark.parametrize("name", PATHS)
def test_the_exponential_of_a_path(name: str) -> None:
    path = PATHS[name]
    with mp.workdps(DIGITS):
        values = series(path)
        rotation, translation = pose_exponential(algebra(), values[:3], values[3:], TERMS)
        alone = rotation_exponential(algebra(), values[:3], TERMS)
        for i in range(3):
            columns = [*rotation.entries[i], translation[i]]
            for j, own in enumerate(columns):
                true = coefficients(lambda t, i=i, j=j: pose_at(path, t)[i, j])
                assert max(abs(a - b) for a, b in zip(own.coefficients, true, strict=True)) < mp.mpf(10) ** -33
            for a, b in zip(rotation.entries[i], alone.entries[i], strict=True):
                assert a.coefficients == b.coefficients


@pytest.mark.parametrize("name", PATHS)
def test_the_tangent_is_the_twist_of_the_path(name: str) -> None:
    """X' = [v; omega] X with fixed axes, and X' = X [v; omega] with those of the body, for -x and -y."""
    with mp.workdps(DIGITS):
        values, over = series(PATHS[name]), algebra()
        rates = [rate(value) for value in values]
        rotation, translation = pose_exponential(over, values[:3], values[3:], TERMS)
        below = [[truncated(entry, ORDER - 1) for entry in row] for row in rotation.entries]
        point = [truncated(entry, ORDER - 1) for entry in translation]
        v, omega = tangent(over, values[:3], values[3:], rates[:3], rates[3:], TERMS)
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            for column in range(3):
                residual = rate(rotation.entries[i][column]) - (
                    omega[j] * below[k][column] - omega[k] * below[j][column]
                )
                assert max(map(abs, residual.coefficients)) < mp.mpf(10) ** -33
            residual = rate(translation[i]) - (omega[j] * point[k] - omega[k] * point[j] + v[i])
            assert max(map(abs, residual.coefficients)) < mp.mpf(10) ** -33
        minus = [-value for value in values]
        v, omega = tangent(over, minus[:3], minus[3:], rates[:3], rates[3:], TERMS)
        for row in range(3):
            for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                turned = below[row][j] * omega[k] - below[row][k] * omega[j]
                residual = rate(rotation.entries[row][i]) - turned
                assert max(map(abs, residual.coefficients)) < mp.mpf(10) ** -33
            residual = rate(translation[row]) - sum(below[row][i] * v[i] for i in range(3))
            assert max(map(abs, residual.coefficients)) < mp.mpf(10) ** -33


@pytest.mark.parametrize("name", PATHS)
def test_doubles_are_good_to_rounding(name: str) -> None:
    path = PATHS[name]

    def poses(over: Algebra, convert: Callable[[float], Any], terms: int) -> list[Series]:
        values = series(path, convert)
        rates = [rate(value) for value in values]
        rotation, translation = pose_exponential(over, values[:3], values[3:], terms)
        twist = tangent(over, values[:3], values[3:], rates[:3], rates[3:], terms)
        return [entry for row in (*rotation.entries, translation, *twist) for entry in row]

    found = poses(TaylorAlgebra(FloatAlgebra(), ORDER), float, 17)
    with mp.workdps(DIGITS):
        true = poses(algebra(), mp.mpf, TERMS)
        for order in range(ORDER):
            size = max(1, max(abs(entry.coefficients[order]) for entry in true))
            worst = max(abs(a.coefficients[order] - b.coefficients[order]) for a, b in zip(found, true, strict=True))
            assert worst <= 1e-14 * size
