"""Symbols, constants, matrices and functions of the symbolic algebras."""

from __future__ import annotations

import math

import casadi
import numpy as np
import pytest
import sympy
from mpmath import mp

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra, casadi_c_source, casadi_function
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.sympy_expr import SympyAlgebra, sympy_matrix


def test_sympy_keeps_whole_numbers_exact() -> None:
    algebra = SympyAlgebra()
    two = algebra.constant(2.0)
    assert two is sympy.Integer(2) and algebra.constant(-0.0) is sympy.Integer(0)
    assert algebra.constant(1e22) == sympy.Integer(10**22)
    tenth = algebra.constant(0.1)
    assert isinstance(tenth, sympy.Float) and float(tenth) == 0.1
    assert float(algebra.constant(math.pi)) == math.pi


def test_sympy_symbols_are_real() -> None:
    x = SympyAlgebra().symbol("x")
    assert x.is_real and sympy.sqrt(x**2) == sympy.Abs(x)


def test_sympy_selection_stays_symbolic() -> None:
    algebra = SympyAlgebra()
    x = algebra.symbol("x")
    choice = algebra.select(algebra.compare("less", x, algebra.constant(1.0)), -x, x**2)
    assert [choice.subs(x, value) for value in (0, 1, 3)] == [0, 1, 9]
    assert choice.subs(x, sympy.Rational(1, 2)) == sympy.Rational(-1, 2)


def test_sympy_matrices_are_row_major() -> None:
    assert sympy_matrix([1, 2, 3, 4, 5, 6], (2, 3)) == sympy.Matrix([[1, 2, 3], [4, 5, 6]])
    assert sympy_matrix([1, 2, 3], (3,)).shape == (3, 1)


def test_sympy_matrices_show_whole_numbers_without_a_point() -> None:
    x = SympyAlgebra().symbol("x")
    made = sympy_matrix([1.0 * x - 2.0 * sympy.sin(x) + 0.5, -1.0 * x, 0.0], (3,))
    assert [str(entry) for entry in made] == ["x - 2*sin(x) + 0.5", "-x", "0"]
    assert sympy_matrix([sympy.Float("inf")], (1,))[0] == sympy.oo


def test_mpmath_constants_are_the_doubles_themselves() -> None:
    with mp.workdps(15):
        algebra = MpmathAlgebra(40)
        assert mp.dps == 40
        assert algebra.constant(0.1) == mp.mpf(3602879701896397) / mp.mpf(2) ** 55
        assert algebra.function("sqrt", algebra.constant(2.0)) ** 2 - 2 < mp.mpf(10) ** -38


def test_float_constants() -> None:
    value = FloatAlgebra().constant(3)
    assert value == 3.0 and isinstance(value, float)


def test_casadi_symbols_are_fresh_and_scalar() -> None:
    first, second = CasadiAlgebra().symbols("x", 2), CasadiAlgebra().symbols("x", 2)
    assert len(first) == 2 and all(symbol.shape == (1, 1) for symbol in first)
    assert not casadi.is_equal(first[0], second[0])


def test_casadi_drops_structural_zeros_and_ones() -> None:
    algebra = CasadiAlgebra()
    (x,) = algebra.symbols("x", 1)
    assert (algebra.constant(0.0) * x).is_zero()
    assert casadi.is_equal(1.0 * x + 0.0, x)


@pytest.mark.parametrize("code", ["less", "less_equal", "equal"])
@pytest.mark.parametrize("left", [1.0, 2.0, 3.0])
def test_casadi_comparisons_and_selection(code: str, left: float) -> None:
    algebra = CasadiAlgebra()
    x, y = algebra.symbols("x", 2)
    function = casadi.Function("f", [x, y], [algebra.select(algebra.compare(code, x, y), x + 10.0, y - 10.0)])
    truth = FloatAlgebra().compare(code, left, 2.0)
    assert float(function(left, 2.0)) == (left + 10.0 if truth else -8.0)


def test_casadi_pair() -> None:
    (x,) = CasadiAlgebra().symbols("x", 1)
    values = casadi.Function("f", [x], list(CasadiAlgebra().sin_cos(x)))(0.4)
    assert [float(value) for value in values] == [math.sin(0.4), math.cos(0.4)]


def test_casadi_function_takes_columns_and_gives_row_major_matrices() -> None:
    algebra = CasadiAlgebra()
    q, p = algebra.symbols("q", 3), algebra.symbols("p", 1)
    outputs = [([q[0], q[1] * p[0], 2.0, q[2], 0.0, p[0]], (2, 3)), ([q[2] + q[0], 1.5], (2,))]
    function = casadi_function("made", ["q", "p"], [q, p], ["matrix", "vector"], outputs)
    assert function.name() == "made"
    assert (function.name_in(), function.name_out()) == (["q", "p"], ["matrix", "vector"])
    matrix, vector = function([3.0, 5.0, 7.0], [10.0])
    assert np.array(matrix).tolist() == [[3.0, 50.0, 2.0], [7.0, 0.0, 10.0]]
    assert np.array(vector).tolist() == [[10.0], [1.5]]


def test_casadi_c_source_counts_what_computes() -> None:
    algebra = CasadiAlgebra()
    q = algebra.symbols("q", 2)
    function = casadi_function("rival", ["q"], [q], ["y"], [([casadi.sin(q[0]) * q[1] + 2.0], (1,))])
    source = casadi_c_source(function)
    assert source.operations == 3  # sine, product, sum
    assert source.work_size >= 1
    assert "rival(const casadi_real** arg" in source.text and "sin" in source.text
