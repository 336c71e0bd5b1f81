"""A rod of constant curvature and stretch whose radius changes, against Lagrange's equations in SymPy: M and tau.

Sections are integrated in closed form, by SymPy; along the rod there are as many Gauss points as rounding asks for.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

from symdyn import api
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Material, Section, SectionShape, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.robot.robot import Robot

TOLERANCE = 1e-11
GRAVITY = (1.0, -2.0, -9.0)
LENGTH, RADIUS, DENSITY, YOUNG = 0.25, 0.0625, 1000.0, 1e3


@cache
def breathing() -> Robot:
    strains = tuple(StrainFunctions(own, StrainBasis.LEGENDRE, 1) for own in (Strain.CURVATURE_Y, Strain.STRETCH))
    shapes = (SectionShape("sin(phi)", 0.0, math.pi), SectionShape("0.5 + 2*x", math.pi, 2 * math.pi))
    rod = Soft(
        LENGTH,
        Section("circle", radius=repr(RADIUS)),
        Material(YOUNG, 0.5, DENSITY),
        strains,
        stations=10,
        max_turn_per_step=0.5,
        section_shapes=shapes,
    )
    return api.from_description(RobotDescription("r", (Link("arm", soft=rod),), ()), gravity=GRAVITY)


@cache
def around(m: int, n: int, start: int, end: int) -> Any:
    """The integral of cos^m sin^n between multiples of pi."""
    phi = sympy.Symbol("phi")
    return sympy.integrate(sympy.cos(phi) ** m * sympy.sin(phi) ** n, (phi, start * sympy.pi, end * sympy.pi))


@cache
def lagrangian() -> Any:
    """Per place x of the rod: the density of tau of (q, v, a), and that of M."""
    x, rho, cosine, sine = sympy.symbols("x rho cosine sine")
    q, v, a = (sympy.symbols(f"{name}:4") for name in "qva")
    turn, stretch, left, right = q
    L, R = sympy.Rational(LENGTH), sympy.Rational(RADIUS)
    angle, along = turn * x / L, (1 + stretch) * L / turn
    kinetic, potential = sympy.S(0), sympy.S(0)
    for grown, ends in ((left * sine, (0, 1)), (right * (sympy.Rational(1, 2) + 2 * x), (1, 2))):
        ray = rho * (1 + grown / R)
        y, z = ray * cosine, ray * sine
        # The curve, and the section that turns about y.
        place = (
            along * sympy.sin(angle) + z * sympy.sin(angle),
            y,
            along * (sympy.cos(angle) - 1) + z * sympy.cos(angle),
        )
        moved = [sum(part.diff(own) * rate for own, rate in zip(q, v, strict=True)) for part in place]

        def integral(expression: Any, ends: tuple[int, int] = ends) -> Any:
            terms = sympy.Poly(sympy.expand(expression), rho, cosine, sine).terms()
            return sum(
                (factor * R ** (k + 2) / (k + 2) * around(m, n, *ends) for (k, m, n), factor in terms), sympy.S(0)
            )

        kinetic += integral(sum(part**2 for part in moved)) * DENSITY / 2
        potential -= DENSITY * sum(sympy.Rational(g) * integral(part) for g, part in zip(GRAVITY, place, strict=True))
    second = sympy.pi * R**4 / 4
    potential += YOUNG / 2 * (second * (turn / L) ** 2 + sympy.pi * R**2 * stretch**2)
    potential += YOUNG / 2 * (sympy.pi / 2 * left**2 + sympy.pi * (sympy.Rational(1, 2) + 2 * x) ** 2 * right**2)
    tau = []
    for row in range(4):
        momentum = kinetic.diff(v[row])
        rate = sum(momentum.diff(q[k]) * v[k] + momentum.diff(v[k]) * a[k] for k in range(4))
        tau.append(rate - (kinetic - potential).diff(q[row]))
    mass = [[kinetic.diff(one).diff(two) for two in v] for one in v]
    return sympy.lambdify([x, *q, *v, *a], [tau, mass], cse=True)


@pytest.mark.slow
def test_forces_and_masses() -> None:
    recursions = {name: api.float_recursion(breathing(), name) for name in ("inverse_dynamics", "mass_matrix")}
    nodes, weights = np.polynomial.legendre.leggauss(24)
    generator = np.random.default_rng(4)
    for _ in range(4):
        q, v, a = generator.uniform(-1.0, 1.0, (3, 4)) * [[0.5, 0.2, 0.02, 0.02], [2.0] * 4, [3.0] * 4]
        q[0] += math.copysign(1.0, q[0])  # the closed form of an arc loses digits where it is straight
        parts = [lagrangian()(x, *q, *v, *a) for x in (nodes + 1) * LENGTH / 2]
        exact = [
            sum(
                weight * LENGTH / 2 * np.array(part[k], dtype=float)
                for weight, part in zip(weights, parts, strict=True)
            )
            for k in range(2)
        ]
        state = {"q": list(q), "v": list(v), "a": list(a)}
        (tau,) = recursions["inverse_dynamics"](state).values()
        (mass,) = recursions["mass_matrix"]({"q": list(q)}).values()
        assert np.abs(np.array(tau) - exact[0]).max() <= TOLERANCE * np.abs(exact[0]).max()
        assert np.abs(np.reshape(mass, (4, 4)) - exact[1]).max() <= TOLERANCE * np.abs(exact[1]).max()
