"""A membrane given by its map against Lagrange's equations in SymPy: M, tau and both partial derivatives.

The kinetic energy is the exact integral over the membrane of the velocity of its points in the world.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from support.robots.mapped_bodies import SIDES, membrane

from symdyn import api
from symdyn.description.robot import Joint, JointKind, Link, Placement, RobotDescription
from symdyn.robot.robot import Robot

TOLERANCE = 1e-10
GRAVITY = (1.0, -2.0, -9.0)
ARM = 0.25


@cache
def turning() -> Robot:
    joint = Joint("turn", JointKind.REVOLUTE, "base", "skin", Placement((0.0, 0.0, ARM)), (0.0, 1.0, 0.0))
    links = (Link("base"), Link("skin", deformable=membrane()))
    return api.from_description(RobotDescription("r", links, (joint,)), gravity=GRAVITY)


@cache
def lagrangian() -> Any:
    """tau of (q, v, a), its slopes, and M, all by SymPy, as one function of floats."""
    q, v, a = (sympy.symbols(f"{name}:3") for name in "qva")
    s1, s2, s3 = s = sympy.symbols("s1:4")
    (angle, w, u), (A, B) = q, map(sympy.Rational, map(str, SIDES))
    bump = s1 / A * (1 - s1 / A) * s2 / B * (1 - s2 / B)
    place = sympy.Matrix(
        [s1 * (1 - 3 * w**2) - s3 * w * bump, s2, s3 + 16 * bump * (w + u * (s1 / A - sympy.Rational(1, 2)))]
    )
    half = sympy.Rational(1, 500)
    density, ends = 1100, ((0, A), (0, B), (-half, half))

    def integral(expression: Any) -> Any:
        """Of a polynomial in s over the membrane at rest, of which the map is the identity."""
        total: Any = 0
        for powers, factor in sympy.Poly(expression, *s).terms():
            for (low, high), power in zip(ends, powers, strict=True):
                factor = factor * (high ** (power + 1) - low ** (power + 1)) / (power + 1)
            total += factor
        return density * total

    # In the link's axes, which turn with the angle's rate about y; x and y of the second moments are not needed.
    moved = [sum((place[row].diff(q[k]) * v[k] for k in (1, 2)), sympy.S(0)) for row in range(3)]
    swept = [moved[0] + v[0] * place[2], moved[1], moved[2] - v[0] * place[0]]
    kinetic = integral(sum(sympy.expand(part**2) for part in swept)) / 2
    x, y, z = (integral(place[row]) for row in range(3))
    sine, cosine = sympy.sin(angle), sympy.cos(angle)
    mass = integral(sympy.Integer(1))
    first = (cosine * x + sine * z, y, -sine * x + cosine * z + mass * sympy.Rational(str(ARM)))
    potential = -sum(g * own for g, own in zip(map(sympy.Rational, map(str, GRAVITY)), first, strict=True))
    potential += 20 * (w**2 + 2 * u**2) + 300 * w**4
    damping = (0, sympy.Rational("0.1"), sympy.Rational("0.05"))
    tau = []
    for k in range(3):
        momentum = kinetic.diff(v[k])
        rate = sum(momentum.diff(q[j]) * v[j] + momentum.diff(v[j]) * a[j] for j in range(3))
        tau.append(rate - (kinetic - potential).diff(q[k]) + damping[k] * v[k])
    found = sympy.Matrix(tau)
    return sympy.lambdify([*q, *v, *a], [found, *(found.jacobian(own) for own in (q, v, a))], cse=True)


@pytest.fixture(scope="module")
def states() -> list[np.ndarray]:
    generator = np.random.default_rng(4)
    return [generator.uniform(-1.0, 1.0, (3, 3)) * [[1.5, 0.1, 0.1], [2.0] * 3, [3.0] * 3] for _ in range(5)]


def test_forces_and_masses(states: list[np.ndarray]) -> None:
    force = api.float_recursion(turning(), "inverse_dynamics")
    masses = api.float_recursion(turning(), "mass_matrix")
    for q, v, a in states:
        tau, _, _, mass = lagrangian()(*q, *v, *a)
        inputs = {"q": list(q), "v": list(v), "a": list(a)}
        assert np.abs(np.array(force(inputs)["tau"]) - tau[:, 0]).max() <= TOLERANCE
        assert np.abs(np.array(masses(inputs)["M"]).reshape(3, 3) - mass).max() <= TOLERANCE


def test_partial_derivatives(states: list[np.ndarray]) -> None:
    slopes = api.float_recursion(turning(), "inverse_dynamics_partials")
    for q, v, a in states:
        _, by_q, by_v, by_a = lagrangian()(*q, *v, *a)
        found = slopes({"q": list(q), "v": list(v), "a": list(a)})
        wanted = {"dtau_dq": by_q, "dtau_dv": by_v, "dtau_da": by_a}
        for name, exact in wanted.items():
            if name in found:
                assert np.abs(np.array(found[name]).reshape(3, 3) - exact).max() <= TOLERANCE * np.abs(exact).max()
        assert {"dtau_dq", "dtau_dv"} <= found.keys()
