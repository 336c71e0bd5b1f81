"""The double pendulum's torques and their derivatives from its Lagrangian, differentiated by SymPy along a path."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from mpmath import mp

import symdyn
from symdyn import api
from symdyn.verify.base.compare import error_in_u, unit_blocks

FORCES = "inverse_dynamics_time_derivatives"
ORDER, LIMIT = 4, 100.0
LENGTHS, MASSES, G = (0.8, 0.5), (1.0, 0.6), 9.81
PATHS = ((0.6, -1.1, 0.9, 1.7, -0.8, 0.5, 1.3), (-0.4, 0.7, 1.6, -1.2, 0.3, -1.9, 0.2))
"""Both angles as polynomials in t, of degree ORDER + 2."""

RING, *GENERATORS = sp.ring(["s0", "c0", "s1", "c1", *(f"w{i}_{k}" for i in (0, 1) for k in range(ORDER + 2))], sp.QQ)
"""Polynomials in the sines and cosines of both rods' angles from the vertical, and in the derivatives of these angles:
expressions as SymPy expands them, without the time that it takes to find out."""
TURNS, RATES = (GENERATORS[:2], GENERATORS[2:4]), (GENERATORS[4 : ORDER + 6], GENERATORS[ORDER + 6 :])


def by_angle(expression: Any, rod: int) -> Any:
    """The partial derivative by a rod's angle."""
    sine, cosine = TURNS[rod]
    return cosine * expression.diff(sine) - sine * expression.diff(cosine)


def rate(expression: Any) -> Any:
    """The total derivative by time."""
    total = sum(RATES[rod][0] * by_angle(expression, rod) for rod in (0, 1))
    return total + sum(later * expression.diff(now) for own in RATES for now, later in itertools.pairwise(own))


def lagrange_forces() -> list[Any]:
    """d/dt dL/dq' - dL/dq of two slender rods, for the angles from the vertical.

    The Lagrangian is the integral over the points of both rods, so that no moment of inertia is used.
    """
    lagrangian, hinge = RING(0), [RING(0), RING(0)]
    for (sine, cosine), length, mass in zip(TURNS, LENGTHS, MASSES, strict=True):
        l, along = sp.QQ.from_sympy(sp.Rational(length)), (-sine, -cosine)  # noqa: E741
        start, swing = [rate(x) for x in hinge], [rate(x) for x in along]
        # of the point at s: |start + s swing|^2 / 2 - g (hinge + s along)_z, times mass / length ds from 0 to length
        kinetic = sum(l * x**2 + l**2 * x * y + l**3 / 3 * y**2 for x, y in zip(start, swing, strict=True))
        height = l * hinge[1] + l**2 / 2 * along[1]
        lagrangian += (
            sp.QQ.from_sympy(sp.Rational(mass)) / l * (kinetic / 2 - sp.QQ.from_sympy(sp.Rational(G)) * height)
        )
        hinge = [x + l * y for x, y in zip(hinge, along, strict=True)]
    return [rate(lagrangian.diff(RATES[rod][0])) - by_angle(lagrangian, rod) for rod in (0, 1)]


@cache
def expected() -> list[Any]:
    """tau, tau', .. tau^(4) at t = 0, to fifty digits."""
    shoulder, elbow = ([sp.factorial(k) * sp.Rational(c) for k, c in enumerate(path)] for path in PATHS)
    angles = (shoulder, [x + y for x, y in zip(shoulder, elbow, strict=True)])  # from the vertical
    values = [sp.N(f(own[0]), 60) for own in angles for f in (sp.sin, sp.cos)] + [x for own in angles for x in own[1:]]
    forces, found = lagrange_forces(), []
    for _ in range(ORDER + 1):
        upper, lower = (mp.mpf(str(sp.N(force.as_expr(*values), 50))) for force in forces)
        found += [upper + lower, lower]  # the shoulder turns both rods
        forces = [rate(force) for force in forces]
    return found


def path_inputs() -> tuple[np.ndarray, np.ndarray]:
    """q (2,) and V (ORDER + 2, 2) at t = 0."""
    rows = np.array([[float(mp.factorial(k)) * c for c in column] for k, column in enumerate(zip(*PATHS, strict=True))])
    return rows[0], rows[1:]


def assert_close(found: np.ndarray) -> None:
    units = [f"N m/s^{order}" for order in range(ORDER + 1) for _ in PATHS]
    with mp.workdps(50):
        assert error_in_u(found.ravel().tolist(), expected(), unit_blocks(units)) <= LIMIT


def test_the_recursion() -> None:
    q, V = path_inputs()
    pendulum = symdyn.load_example("double_pendulum")
    found = api.float_recursion(pendulum, FORCES, order=ORDER)({"q": q.tolist(), "V": V.ravel().tolist()})["tau"]
    assert_close(np.array(found))


@pytest.mark.needs_cc
def test_compiled_code() -> None:
    pendulum = symdyn.load_example("double_pendulum")
    module = symdyn.compile(pendulum, [FORCES], order=ORDER)
    assert_close(module.inverse_dynamics_time_derivatives(*path_inputs()))


def test_a_wrong_path_would_be_seen() -> None:
    """The last derivative that is handed in decides the last that comes out."""
    q, V = path_inputs()
    V[-1, 0] += 1e-9
    pendulum = symdyn.load_example("double_pendulum")
    found = api.float_recursion(pendulum, FORCES, order=ORDER)({"q": q.tolist(), "V": V.ravel().tolist()})["tau"]
    with pytest.raises(AssertionError):
        assert_close(np.array(found))
