"""Natural modes of uniform beams, derived in SymPy from boundary conditions.

On the unit interval, bending obeys W'''' = beta^4 W, so W = c1 cosh + c2 sinh + c3 cos + c4 sin of beta x; torsion and
axial obey W'' = -beta^2 W, so W = c1 cos + c2 sin. Each boundary condition is a row of a matrix in beta; modes exist
where its determinant, the characteristic equation, vanishes, and are its null vectors. Nothing but the conditions
themselves is written down (Meirovitch, Fundamentals of Vibrations, sec. 8.3; Blevins, Formulas for Natural
Frequency and Mode Shape, tables 8-1 and 8-8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import sympy

from symdyn.description.flexible import Basis
from symdyn.errors import InternalError
from symdyn.shapes.exponential_sum import ExponentialSum
from symdyn.shapes.formula import X, differentiate, evaluate
from symdyn.shapes.rayleigh_ritz import ritz_beam, ritz_modes
from symdyn.shapes.shape import SHAPE_DIGITS

BETA = sympy.Symbol("beta", positive=True)
"""The root: wave number times length."""
TIP_MASS = sympy.Symbol("mu", nonnegative=True)
"""Tip mass over the beam's mass (torsion: tip inertia over the beam's polar inertia)."""
TIP_INERTIA = sympy.Symbol("j_t", nonnegative=True)
"""Tip inertia over (mass times length squared)."""
HUB_INERTIA = sympy.Symbol("j_h", nonnegative=True)
"""Hub inertia over (mass times length squared)."""

Condition = Mapping[int, sympy.Expr]
"""A boundary condition: the sum of factor times derivative of W is zero."""
_ONE = sympy.Integer(1)
_BENDING: Mapping[Basis, tuple[tuple[Condition, Condition], tuple[Condition, Condition]]] = {
    Basis.CLAMPED_FREE: (({0: _ONE}, {1: _ONE}), ({2: _ONE}, {3: _ONE})),
    # The tip's inertia is turned by the moment, its mass moved by the shear force: E I W'' = omega^2 J W'.
    Basis.CLAMPED_TIP_MASS: (
        ({0: _ONE}, {1: _ONE}),
        ({2: _ONE, 1: -TIP_INERTIA * BETA**4}, {3: _ONE, 0: TIP_MASS * BETA**4}),
    ),
    Basis.PINNED_HUB: (({0: _ONE}, {2: _ONE, 1: HUB_INERTIA * BETA**4}), ({2: _ONE}, {3: _ONE})),
    Basis.CLAMPED_CLAMPED: (({0: _ONE}, {1: _ONE}), ({0: _ONE}, {1: _ONE})),
    Basis.PINNED_PINNED: (({0: _ONE}, {2: _ONE}), ({0: _ONE}, {2: _ONE})),
}
_ROD: Mapping[Basis, tuple[tuple[Condition], tuple[Condition]]] = {
    Basis.CLAMPED_FREE: (({0: _ONE},), ({1: _ONE},)),
    Basis.CLAMPED_TIP_MASS: (({0: _ONE},), ({1: _ONE, 0: -TIP_MASS * BETA**2},)),
    Basis.CLAMPED_CLAMPED: (({0: _ONE},), ({0: _ONE},)),
}
ROD_BASES: tuple[Basis, ...] = tuple(_ROD)
"""The natural bases that torsion and axial have: their one condition per end is a clamp, nothing, or inertia."""
_GUARD_DIGITS = 15
_NEWTON_STEPS = 20
_BRACKET = 1e-6


@dataclass(frozen=True, slots=True)
class UniformModes:
    """Modes of a uniform beam of unit length and mass, whose modal mass (with tip and hub) is one.

    ``coefficients[k]`` go with exp(-beta x), exp(-beta (1 - x)), cos(beta x) and sin(beta x).
    """

    characteristic: sympy.Expr
    roots: tuple[Any, ...]
    coefficients: tuple[tuple[Any, Any, Any, Any], ...]


@lru_cache(maxsize=64)
def boundary_matrix(basis: Basis, order: int) -> sympy.Matrix:
    """Rows of boundary conditions against c1..c4 (``order`` 2, bending) or c1, c2 (``order`` 1)."""
    angle = BETA * X
    if order == 2:
        solutions = [sympy.cosh(angle), sympy.sinh(angle), sympy.cos(angle), sympy.sin(angle)]
        ends: tuple[tuple[Condition, ...], tuple[Condition, ...]] = _BENDING[basis]
    else:
        solutions = [sympy.cos(angle), sympy.sin(angle)]
        ends = _ROD[basis]
    rows = []
    for station, conditions in zip((0, 1), ends, strict=True):
        for condition in conditions:
            terms = [
                sum(factor * sympy.diff(solution, X, derivative) for derivative, factor in condition.items())
                for solution in solutions
            ]
            rows.append([sympy.sympify(term).subs(X, station) for term in terms])
    return sympy.Matrix(rows)


@lru_cache(maxsize=64)
def characteristic_equation(basis: Basis, order: int) -> sympy.Expr:
    """Expression in BETA (and the inertias of the basis) that vanishes at the roots.

    The determinant of :func:`boundary_matrix`, reduced by cosh^2 - sinh^2 = 1 and cos^2 + sin^2 = 1, without the
    factors that do not vanish for positive BETA.
    """
    functions = [sympy.cosh(BETA), sympy.sinh(BETA), sympy.cos(BETA), sympy.sin(BETA)]
    ch, sh, co, si = letters = sympy.symbols("ch sh co si")
    replaced = boundary_matrix(basis, order).subs(dict(zip(functions, letters, strict=True)))
    determinant = sympy.expand(replaced.det(method="berkowitz"))
    _, reduced = sympy.reduced(determinant, [ch**2 - sh**2 - 1, co**2 + si**2 - 1], *letters)
    content = sympy.Poly(reduced, BETA)
    lowest = min(power for (power,) in content.monoms())
    primitive = sympy.factor_terms(sympy.expand(reduced / BETA**lowest))
    constant, remaining = primitive.as_coeff_Mul()
    return sympy.sympify(remaining if constant else primitive).subs(dict(zip(letters, functions, strict=True)))


@lru_cache(maxsize=64)
def uniform_modes(
    basis: Basis, order: int, tip_mass: float, tip_inertia: float, hub_inertia: float, count: int
) -> UniformModes:
    """The lowest modes, inertias relative to the beam's.

    Each root is bracketed about its Rayleigh-Ritz value, so that none is missed, and refined to SHAPE_DIGITS digits.
    The rigid rotation of a pinned beam, beta = 0, is not a deformation and not among them: a joint carries it.
    """
    inertias = {TIP_MASS: tip_mass, TIP_INERTIA: tip_inertia, HUB_INERTIA: hub_inertia}
    exact = {symbol: sympy.Rational(value) for symbol, value in inertias.items()}
    equation = characteristic_equation(basis, order)
    matrix = boundary_matrix(basis, order).subs(exact).subs(BETA, X)
    ritz = ritz_modes(
        ritz_beam(basis, order, (1.0,), np.ones_like, np.ones_like, (tip_mass, tip_inertia), hub_inertia), count
    )
    estimates = np.array(ritz.eigenvalues) ** (0.5 / order)
    function = equation.subs(exact).subs(BETA, X)
    with mpmath.workdps(SHAPE_DIGITS + _GUARD_DIGITS + int(estimates[-1])):
        roots = tuple(_root(function, float(estimate)) for estimate in estimates)
        modes = []
        for root in roots:
            coefficients = _decaying(_null_vector(matrix, root), root)
            shape = ExponentialSum.waves(root, coefficients)
            modal = (shape * shape).integral() + mpmath.mpf(tip_mass) * shape.at_one() ** 2
            if order == 2:
                modal += mpmath.mpf(tip_inertia) * shape.derivative().at_one() ** 2
                modal += mpmath.mpf(hub_inertia) * shape.derivative().at_zero() ** 2
            scale = _sign(shape, basis) / mpmath.sqrt(modal)
            modes.append(
                tuple(mpmath.chop(scale * value, tol=mpmath.mpf(10) ** -SHAPE_DIGITS) for value in coefficients)
            )
    return UniformModes(equation, roots, tuple(modes))


def _root(function: sympy.Expr, estimate: float) -> Any:
    """The root of ``function`` next to a Rayleigh-Ritz value: Newton's method, then a change of sign proves it."""
    slope = differentiate(function, 1)
    beta = mpmath.mpf(estimate)
    for _ in range(_NEWTON_STEPS):
        step = evaluate(function, beta) / evaluate(slope, beta)
        beta -= step
        if abs(step) <= beta * mpmath.mpf(10) ** -SHAPE_DIGITS:
            break
    width = beta * mpmath.mpf(10) ** (3 - SHAPE_DIGITS)
    changes = evaluate(function, beta - width) * evaluate(function, beta + width) < 0
    if not changes or abs(beta - estimate) > _BRACKET * estimate:
        raise InternalError(
            f"characteristic equation {function} has no root near {estimate!r}, the Rayleigh-Ritz value"
        )
    return beta


def _null_vector(matrix: sympy.Matrix, root: Any) -> list[Any]:
    """What a matrix of rank one less than its size maps to zero: its largest row of cofactors."""
    size = matrix.rows
    values = mpmath.matrix([[evaluate(matrix[i, j], root) for j in range(size)] for i in range(size)])
    for i in range(size):
        largest = max(abs(values[i, j]) for j in range(size))
        for j in range(size):
            values[i, j] /= largest
    rows = [[_cofactor(values, i, j) for j in range(size)] for i in range(size)]
    return max(rows, key=lambda row: sum(value * value for value in row))


def _cofactor(values: Any, row: int, column: int) -> Any:
    size = values.rows
    kept = [[values[i, j] for j in range(size) if j != column] for i in range(size) if i != row]
    return (-1) ** (row + column) * mpmath.det(mpmath.matrix(kept))


def _decaying(solution: list[Any], root: Any) -> tuple[Any, Any, Any, Any]:
    """From cosh, sinh, cos, sin to exponentials that decay from either end, cos, sin."""
    zero = mpmath.mpf(0)
    if len(solution) == 2:
        return zero, zero, solution[0], solution[1]
    even, odd, cosine, sine = solution
    return (even - odd) / 2, (even + odd) / 2 * mpmath.exp(root), cosine, sine


def _sign(shape: ExponentialSum, basis: Basis) -> int:
    """Positive at the tip, or next to the root where the tip is held."""
    if basis not in (Basis.CLAMPED_CLAMPED, Basis.PINNED_PINNED):
        return 1 if shape.at_one() > 0 else -1
    slope = shape.derivative()
    rises = slope.at_zero()
    held = abs(rises) <= mpmath.mpf(10) ** -(SHAPE_DIGITS // 2) * abs(slope.derivative().at_one())
    return 1 if (slope.derivative().at_zero() if held else rises) > 0 else -1
