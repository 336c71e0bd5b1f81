"""Torsion of a blade that spins: what the rotation of its sections does to it, to second order (propeller moment)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from support.robots.flexible import even
from support.robots.small import Z, described, joint, loaded

from symdyn import api
from symdyn.description.flexible import Basis, Direction, Flexible, Modes
from symdyn.description.robot import JointKind, Link
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
LENGTH, DENSITY, TWISTING = 1.2, 0.9, 3.0
SECTION = (1e-3, 4e-5)
"""Integrals of density y^2 and density z^2 over a section [kg m]."""


def blade(count: int, basis: Basis, stiffening: bool, bending: int = 0, mounted: Any = None) -> Robot:
    """A blade along x that spins about z, and twists."""
    bends = (Modes(Direction.BEND_Y, Basis.POLYNOMIAL, bending, even(LENGTH, 9.0)),) if bending else ()
    modes = (*bends, Modes(Direction.TORSION, basis, count, even(LENGTH, TWISTING)))
    sections = (even(LENGTH, SECTION[0]), even(LENGTH, SECTION[1]))
    own = Flexible(LENGTH, even(LENGTH, DENSITY), modes, section_inertia=sections, stiffening=stiffening)
    turn = joint("spin", JointKind.CONTINUOUS, "mast", "blade", axis=Z)
    return loaded(described([Link("mast"), Link("blade", flexible=own)], [turn]), gravity=(0, 0, 0))


def called(robot: Robot, function: str, **inputs: Any) -> Array:
    flat = {key: np.asarray(value, dtype=float).ravel() for key, value in inputs.items()}
    return np.array(next(iter(api.float_recursion(robot, function)(flat).values())))


def shift(stiffening: bool) -> Array:
    """(w^2 - w_0^2) / Omega^2 of the blade's first modes of torsion."""
    robot, speed, step = blade(2, Basis.CLAMPED_FREE, stiffening), 7.0, 1e-4
    still = np.zeros(3)
    mass = called(robot, "mass_matrix", q=still).reshape(3, 3)[1:, 1:]

    def squares(v: Array) -> Array:
        slopes = [
            called(robot, "inverse_dynamics", q=step * row, v=v, a=still)
            - called(robot, "inverse_dynamics", q=-step * row, v=v, a=still)
            for row in np.eye(3)[1:]
        ]
        return np.sort(np.linalg.eigvals(np.linalg.solve(mass, np.array(slopes)[:, 1:].T / (2 * step))).real)

    return (squares(np.array([speed, 0.0, 0.0])) - squares(still)) / speed**2


def test_spin_stiffens_a_flat_blade() -> None:
    y, z = SECTION
    np.testing.assert_allclose(shift(stiffening=True), (y - z) / (y + z), rtol=1e-6)


def test_sections_that_move_along_their_tangent_soften_it() -> None:
    y, z = SECTION
    np.testing.assert_allclose(shift(stiffening=False), -z / (y + z), rtol=1e-6)


@cache
def equations() -> Any:
    """Tau (3,) of spin and two twists, from points of the sections that are integrated and derived by SymPy."""
    t, x = sympy.symbols("t x")
    names = [sympy.Function(name)(t) for name in ("q", "d1", "d2")]
    q, d = names[0], names[1:]
    twist = d[0] * x / LENGTH + d[1] * (x / LENGTH) ** 2
    turn = sympy.Matrix([[sympy.cos(q), -sympy.sin(q), 0], [sympy.sin(q), sympy.cos(q), 0], [0, 0, 1]])
    cosine = 1 - twist**2 / 2
    kinetic = 0
    for mass, arm in ((DENSITY, (x, 0, 0)), (SECTION[0], (0, cosine, twist)), (SECTION[1], (0, -twist, cosine))):
        velocity = (turn * sympy.Matrix(arm)).diff(t)
        kinetic += mass * (velocity.T * velocity)[0] / 2
    density = sympy.Poly(kinetic - TWISTING / 2 * twist.diff(x) ** 2, x)
    lagrangian = sum(value * LENGTH ** (power + 1) / (power + 1) for (power,), value in density.terms())
    tau = [lagrangian.diff(name.diff(t)).diff(t) - lagrangian.diff(name) for name in names]
    flat = sympy.symbols("a0:3 v0:3 q0:3")
    known = [name.diff(t, order) for order in (2, 1, 0) for name in names]
    for old, new in zip(known, flat, strict=True):
        tau = [each.subs(old, new) for each in tau]
    return sympy.lambdify([flat], tau)


def test_two_shapes_of_torsion_against_their_lagrangian() -> None:
    robot = blade(2, Basis.POLYNOMIAL, stiffening=True)
    assert robot.coordinate_names == ("spin", "blade.torsion[0]", "blade.torsion[1]")
    rng = np.random.default_rng(3)
    for _ in range(3):
        q, v, a = rng.standard_normal((3, 3)) * [[0.7], [2.0], [1.0]]
        expected = np.array(equations()([*a, *v, *q]))
        found = called(robot, "inverse_dynamics", q=q, v=v, a=a)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
        gone = called(robot, "forward_dynamics", q=q, v=v, tau=expected)
        np.testing.assert_allclose(gone, a, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("bending", [0, 1])
def test_energy_is_kept(bending: int) -> None:
    """In free motion, by classic Runge and Kutta: what is lost falls with the fifth power of the step."""
    robot = blade(1, Basis.CLAMPED_FREE, stiffening=True, bending=bending)
    n = robot.nv
    recursions = {
        name: api.float_recursion(robot, name) for name in ("forward_dynamics", "kinetic_energy", "potential_energy")
    }

    def of(name: str, **inputs: Array) -> Array:
        return np.array(next(iter(recursions[name](inputs).values())))

    def energy(y: Array) -> float:
        return float(of("kinetic_energy", q=y[:n], v=y[n:])[0] + of("potential_energy", q=y[:n])[0])

    def rate(y: Array) -> Array:
        return np.concatenate([y[n:], of("forward_dynamics", q=y[:n], v=y[n:], tau=np.zeros(n))])

    lost = []
    for steps in (15, 30):
        y, h = np.array([0.0, *[0.05] * bending, 0.9, 3.0, *[0.0] * bending, 2.0]), 0.01 / steps
        start = energy(y)
        for _ in range(steps):
            k1 = rate(y)
            k2 = rate(y + h / 2 * k1)
            k3 = rate(y + h / 2 * k2)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
        lost.append(abs(energy(y) / start - 1))
    assert lost[1] < 1e-6 and lost[0] > 16 * lost[1], lost
