"""Complex steps through every function of the algebra, and dense linear algebra at fifty digits."""

from __future__ import annotations

import math

import pytest
from mpmath import mp

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.verify.base.complex_numbers import STEP, ComplexAlgebra
from symdyn.verify.base.dense import SingularMatrixError, inverse, matrix_product, solution_scales

SMOOTH = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")


@pytest.mark.parametrize("name", SMOOTH)
def test_functions_of_one_number(name: str) -> None:
    found = ComplexAlgebra().function(name, 0.375 + 1j * STEP)
    assert found.real == pytest.approx(FloatAlgebra().function(name, 0.375), rel=1e-15)
    assert found.imag / STEP == pytest.approx(float(mp.diff(getattr(mp, name), mp.mpf(0.375))), rel=1e-14)


@pytest.mark.parametrize(
    ("name", "arguments", "gradient"),
    [
        ("atan2", (0.5, -2.0), (-2.0 / 4.25, -0.5 / 4.25)),
        ("pow", (1.75, 2.5), (2.5 * 1.75**1.5, 1.75**2.5 * math.log(1.75))),
        ("pow", (-2.0, 3.0), (12.0, None)),
        ("pow", (0.0, 0.0), (0.0, None)),
        ("fma", (2.0, -3.0, 5.0), (-3.0, 2.0, 1.0)),
        ("min", (2.0, 3.0), (1.0, 0.0)),
        ("max", (2.0, 3.0), (0.0, 1.0)),
        ("abs", (-2.0,), (-1.0,)),
        ("abs", (2.0,), (1.0,)),
        ("sign", (-0.25,), (0.0,)),
    ],
)
def test_functions_of_several(name: str, arguments: tuple[float, ...], gradient: tuple[float | None, ...]) -> None:
    for place, slope in enumerate(gradient):
        if slope is not None:
            stepped = [value + 1j * STEP * (index == place) for index, value in enumerate(arguments)]
            found = ComplexAlgebra().function(name, *stepped)
            assert found.real == FloatAlgebra().function(name, *arguments)
            assert found.imag / STEP == pytest.approx(slope, rel=1e-15)


def test_branches_look_at_the_real_part() -> None:
    algebra = ComplexAlgebra()
    assert algebra.constant(2.0) == 2.0
    assert algebra.compare("less", 1.0 + 5j, 2.0) and not algebra.compare("less", 2.0, 2.0 + 1j)
    assert algebra.compare("less_equal", 2.0, 2.0 + 1j) and algebra.compare("equal", 2.0 - 1j, 2.0)
    assert algebra.select(algebra.compare("equal", 1.0, 2.0), 3.0, 4.0) == 4.0
    assert algebra.sin_cos(0.0 + 1j * STEP) == (1j * STEP, 1.0)


def test_inverse() -> None:
    a = [[mp.mpf(0), mp.mpf(2), mp.mpf(1)], [mp.mpf(1), mp.mpf(1), mp.mpf(0)], [mp.mpf(3), mp.mpf(0), mp.mpf(4)]]
    product = matrix_product(a, inverse(a))
    assert all(abs(product[row][column] - (row == column)) < 1e-48 for row in range(3) for column in range(3))
    with pytest.raises(SingularMatrixError, match="mass matrix is singular"):
        inverse([[mp.mpf(1), mp.mpf(2)], [mp.mpf(2), mp.mpf(4)]])


def test_scales_of_a_solution_bound_what_rounding_moves() -> None:
    a = [[mp.mpf(1), mp.mpf("0.999")], [mp.mpf("0.999"), mp.mpf(1)]]
    x = [[mp.mpf(1)], [mp.mpf(-1)]]
    right = matrix_product(a, x)
    scales = solution_scales(a, inverse(a), x, [[abs(row[0])] for row in right])
    tiny = mp.mpf(2) ** -60
    nudged = [[a[0][0] * (1 + tiny), a[0][1] * (1 - tiny)], [a[1][0] * (1 + tiny), a[1][1] * (1 - tiny)]]
    moved = matrix_product(inverse(nudged), right)
    for row in range(2):
        assert abs(moved[row][0] - x[row][0]) <= tiny * scales[row][0] * (1 + mp.mpf("1e-9"))
        assert scales[row][0] > 1000  # rows that are nearly parallel lose three digits
