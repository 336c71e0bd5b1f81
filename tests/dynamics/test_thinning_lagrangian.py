"""A rod that stretches and gets thinner, against Lagrange's equations in SymPy: M, tau, and its mass matrix at a table.

Sections are integrated in closed form. By constant curvature and stretch the volume of the rod stays exactly.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from support.robots.sections import thin_hose

from symdyn import api
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.model.clamped_rod import clamped_rod
from symdyn.robot.robot import Robot
from symdyn.shapes.rod import rod_tables

TOLERANCE = 1e-11
GRAVITY = (1.0, -2.0, -9.0)
LENGTH, RADIUS, DENSITY, YOUNG = 0.25, 0.0625, 1000.0, 1e3


@cache
def thinning() -> Robot:
    strains = tuple(StrainFunctions(own, StrainBasis.LEGENDRE, 1) for own in (Strain.CURVATURE_Y, Strain.STRETCH))
    section, matter = Section("circle", radius=repr(RADIUS)), Material(YOUNG, 0.5, DENSITY)
    rod = Soft(LENGTH, section, matter, strains, stations=8, max_turn_per_step=0.5, volume_preserving=True)
    return api.from_description(RobotDescription("r", (Link("arm", soft=rod),), ()), gravity=GRAVITY)


@cache
def lagrangian() -> Any:
    """Per place x of the rod: the density of tau of (q, v, a), and that of M."""
    x, y, z = sympy.symbols("x y z")
    q, v, a = (sympy.symbols(f"{name}:2") for name in "qva")
    turn, stretch = q
    L, R = sympy.Rational(LENGTH), sympy.Rational(RADIUS)
    angle, along, thin = turn * x / L, (1 + stretch) * L / turn, 1 / sympy.sqrt(1 + stretch)
    out = along + z * thin
    place = (out * sympy.sin(angle), y * thin, out * sympy.cos(angle) - along)
    moved = [sum(part.diff(own) * rate for own, rate in zip(q, v, strict=True)) for part in place]
    area, second = sympy.pi * R**2, sympy.pi * R**4 / 4
    means = {(0, 0): area, (2, 0): second, (0, 2): second}

    def integral(expression: Any) -> Any:
        terms = sympy.Poly(sympy.expand(expression), y, z).terms()
        return sum((factor * means.get(powers, 0) for powers, factor in terms), sympy.S(0))

    kinetic = integral(sum(part**2 for part in moved)) * DENSITY / 2
    potential = -DENSITY * sum(sympy.Rational(g) * integral(part) for g, part in zip(GRAVITY, place, strict=True))
    potential += YOUNG / 2 * (second * (turn / L) ** 2 + area * stretch**2)
    tau = []
    for row in range(2):
        momentum = kinetic.diff(v[row])
        rate = sum(momentum.diff(q[k]) * v[k] + momentum.diff(v[k]) * a[k] for k in range(2))
        tau.append(rate - (kinetic - potential).diff(q[row]))
    mass = [[kinetic.diff(one).diff(two) for two in v] for one in v]
    return sympy.lambdify([x, *q, *v, *a], [tau, mass], cse=True)


@pytest.mark.slow
def test_forces_and_masses() -> None:
    recursions = {name: api.float_recursion(thinning(), name) for name in ("inverse_dynamics", "mass_matrix")}
    nodes, weights = np.polynomial.legendre.leggauss(24)
    generator = np.random.default_rng(4)
    for _ in range(4):
        q, v, a = generator.uniform(-1.0, 1.0, (3, 2)) * [[0.5, 0.4], [2.0] * 2, [3.0] * 2]
        q[0] += math.copysign(1.0, q[0])  # the closed form of an arc loses digits where it is straight
        parts = [lagrangian()(x, *q, *v, *a) for x in (nodes + 1) * LENGTH / 2]
        tau, mass = (
            sum(w * LENGTH / 2 * np.array(part[k], dtype=float) for w, part in zip(weights, parts, strict=True))
            for k in range(2)
        )
        (found,) = recursions["inverse_dynamics"]({"q": list(q), "v": list(v), "a": list(a)}).values()
        (rows,) = recursions["mass_matrix"]({"q": list(q)}).values()
        assert np.abs(np.array(found) - tau).max() <= TOLERANCE * np.abs(tau).max()
        assert np.abs(np.reshape(rows, (2, 2)) - mass).max() <= TOLERANCE * np.abs(mass).max()


def test_numbers_of_stations_are_chosen_by_the_same_masses() -> None:
    soft = thin_hose()
    robot = api.from_description(RobotDescription("r", (Link("arm", soft=soft),), ()))
    q = np.random.default_rng(2).uniform(-0.2, 0.2, soft.coordinates)
    (rows,) = api.float_recursion(robot, "mass_matrix")({"q": q.tolist()}).values()
    mass = clamped_rod(rod_tables(soft, 2), q[None, :]).mass[0]
    assert np.allclose(np.reshape(rows, mass.shape), mass, rtol=1e-12, atol=1e-12 * np.abs(mass).max())


def test_rates_of_forces_give_the_jerk_where_sections_shear() -> None:
    """Strains that vary over a step, so that there are two moments; those of shear are in the first one alone."""
    kinds = {Strain.CURVATURE_Y: 2, Strain.CURVATURE_Z: 1, Strain.STRETCH: 2, Strain.SHEAR_Y: 1, Strain.SHEAR_Z: 1}
    strains = tuple(StrainFunctions(own, StrainBasis.LEGENDRE, count) for own, count in kinds.items())
    section, matter = Section("circle", radius=repr(RADIUS)), Material(YOUNG, 0.5, DENSITY)
    rod = Soft(LENGTH, section, matter, strains, stations=3, magnus=4, volume_preserving=True)
    robot = api.from_description(RobotDescription("r", (Link("arm", soft=rod),), ()), gravity=GRAVITY)
    inverse, forward = (
        api.float_recursion(robot, f"{name}_dynamics_time_derivatives", order=1) for name in ("inverse", "forward")
    )
    generator = np.random.default_rng(4)
    q, V = (generator.uniform(-0.3, 0.3, count * robot.nv).tolist() for count in (1, 3))
    (forces,) = inverse({"q": q, "V": V}).values()
    (A,) = forward({"q": q, "v": V[: robot.nv], "T": forces}).values()
    (found,) = inverse({"q": q, "V": [*V[: robot.nv], *A]}).values()
    for own, row in zip(np.reshape(found, (2, -1)), np.reshape(forces, (2, -1)), strict=True):
        assert np.abs(own - row).max() <= TOLERANCE * np.abs(row).max()
