"""Planar rods of constant curvature and stretch against SymPy's Lagrangian of their points."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import sympy
from support.rods import functions

from symdyn import api
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Joint, JointKind, Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain
from symdyn.robot.robot import Robot

LENGTH, RADIUS, YOUNG, DENSITY, GRAVITY = 0.3, 0.02, 1e5, 1000.0, 9.81
AREA, SECOND = math.pi * RADIUS**2, math.pi * RADIUS**4 / 4
POINTS = 40
STATES = {1: ([1.3, 0.1], [0.7, -0.4]), 2: ([1.3, 0.1, -0.8, 0.05], [0.7, -0.4, 1.9, 0.3])}
"""Angle over the rod and stretch, rod by rod, and their rates."""


def arm(rods: int) -> Robot:
    """Rods in a row in the plane x, z, held along x."""
    bends = (functions(Strain.CURVATURE_Y, 1), functions(Strain.STRETCH, 1))
    soft = Soft(
        LENGTH,
        Section("circle", radius=repr(RADIUS)),
        Material(YOUNG, 0.5, DENSITY, viscosity=50.0),
        bends,
        stations=12,
    )
    names = [f"rod_{number}" for number in range(rods)]
    tip = Placement((LENGTH, 0.0, 0.0))
    joints = [Joint(f"at_{b}", JointKind.FIXED, a, b, tip) for a, b in pairwise(names)]
    links = tuple(Link(name, soft=soft) for name in names)
    return api.from_description(RobotDescription("arm", links, tuple(joints), gravity=(0.0, 0.0, -GRAVITY)))


@cache
def points(rods: int) -> tuple[Any, ...]:
    """Per rod a function of (q, s): slopes (3, n) of place and angle by q, and then the slopes of these by each q."""
    q, s = sympy.symbols(f"q:{2 * rods}"), sympy.symbols("s")
    place, angle, found = sympy.Matrix([0, 0]), sympy.Integer(0), []
    for bend, stretch in zip(q[::2], q[1::2], strict=True):
        turned = bend * s / LENGTH
        along = (1 + stretch) * LENGTH / bend
        own = sympy.Matrix([along * sympy.sin(turned), along * (1 - sympy.cos(turned))])
        turn = sympy.Matrix([[sympy.cos(angle), -sympy.sin(angle)], [sympy.sin(angle), sympy.cos(angle)]])
        state = sympy.Matrix([*(place + turn * own), angle + turned])
        slopes = state.jacobian(q)
        again = [slopes.diff(each) for each in q]
        found.append(sympy.lambdify([q, s], [slopes, *again], cse=True))
        place, angle = place + (turn * own).subs(s, LENGTH), angle + bend
    return tuple(found)


def lagrange(rods: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass matrix (n, n), its slopes (n, n, n) with the coordinate last, and weight (n,)."""
    n = 2 * rods
    matrix, slopes, weight = np.zeros((n, n)), np.zeros((n, n, n)), np.zeros(n)
    inertia = DENSITY * np.diag([AREA, AREA, SECOND])
    places, weights = np.polynomial.legendre.leggauss(POINTS)
    for rod in points(rods):
        for place, share in zip((places + 1) * LENGTH / 2, weights * LENGTH / 2, strict=True):
            columns, *again = (np.array(own, dtype=float) for own in rod(q, place))
            matrix += share * columns.T @ inertia @ columns
            for k, own in enumerate(again):
                half = share * own.T @ inertia @ columns
                slopes[:, :, k] += half + half.T
            # About y from x to -z: what bends up in SymPy's plane hangs down here.
            weight -= share * DENSITY * AREA * GRAVITY * columns[1]
    return matrix, slopes, weight


@pytest.mark.parametrize("rods", [1, 2])
def test_mass_coriolis_and_weight(rods: int) -> None:
    robot = arm(rods)
    q, v = (np.array(own) for own in STATES[rods])
    matrix, slopes, weight = lagrange(rods, q)
    coriolis = np.einsum("ijk,j,k->i", slopes, v, v) - np.einsum("jki,j,k->i", slopes, v, v) / 2
    elastic = np.tile([YOUNG * SECOND / LENGTH, YOUNG * AREA * LENGTH], rods) * q
    losses = np.tile([3 * 50.0 * SECOND / LENGTH, 3 * 50.0 * AREA * LENGTH], rods) * v

    def called(function: str, *given: np.ndarray) -> np.ndarray:
        inputs = {name: list(own) for name, own in zip("qva", given, strict=False)}
        (found,) = api.float_recursion(robot, function)(inputs).values()
        return np.array(found)

    def alike(found: np.ndarray, wanted: np.ndarray) -> None:
        assert np.abs(found - wanted.ravel()).max() < 1e-12 * np.abs(wanted).max()

    alike(called("mass_matrix", q), matrix)
    alike(called("gravity", q), weight)
    alike(called("elastic_forces", q), elastic)
    product = called("coriolis_matrix", q, v).reshape(2 * rods, 2 * rods)
    alike(product @ v, coriolis)
    rate = slopes @ v
    skew = rate - 2.0 * product
    assert np.abs(skew + skew.T).max() < 1e-12 * np.abs(rate).max()
    a = np.linspace(-1.0, 2.0, 2 * rods)
    alike(called("inverse_dynamics", q, v, a), matrix @ a + coriolis + weight + elastic + losses)
