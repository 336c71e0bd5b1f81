"""Soft rods at rest by the solver, against elliptic integrals, a circle and Euler's column."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp
from support.rods import functions
from support.statics import tip_pose

import symdyn
from symdyn import api, statics
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain
from symdyn.robot.robot import Robot

pytestmark = [pytest.mark.slow, pytest.mark.needs_cc]

LENGTH, RADIUS, YOUNG = 0.5, 0.01, 1e6
BENDING = YOUNG * math.pi * RADIUS**4 / 4


def held(count: int, stations: int, **said: float) -> Robot:
    """A rod along x, held at its root, that only bends about z; nothing weighs."""
    section = Section("circle", radius=repr(RADIUS))
    bends = (functions(Strain.CURVATURE_Z, count),)
    soft = Soft(LENGTH, section, Material(YOUNG, 0.5, 1000.0), bends, stations=stations, **said)  # type: ignore[arg-type]
    return api.from_description(RobotDescription("held", (Link("rod", soft=soft),), (), gravity=(0.0, 0.0, 0.0)))


def test_a_moment_of_two_pi_closes_a_circle() -> None:
    robot = held(1, 8, max_turn_per_step=2.0)
    wrench = [0.0, 0.0, 0.0, 0.0, 0.0, 2.0 * math.pi * BENDING / LENGTH]
    found = symdyn.equilibrium(robot, f_ext=[wrench])
    assert np.abs(tip_pose(robot, found.q) - np.eye(4)).max() < 1e-10 and found.stable


def elastica(load: float) -> tuple[float, float]:
    """The tip of an inextensible rod of length 1 and bending stiffness 1 under a dead load across it."""

    def given(angle: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
        m = (1 + mp.sin(angle)) / 2
        start = mp.asin(1 / mp.sqrt(2 * m))
        return m, start, mp.ellipk(m) - mp.ellipf(start, m)

    alpha = mp.sqrt(load)
    angle = mp.findroot(lambda angle: given(angle)[2] - alpha, (0.2, 1.5), solver="anderson")
    m, start, _ = given(angle)
    return float(mp.sqrt(2 * mp.sin(angle)) / alpha), float(1 - 2 / alpha * (mp.ellipe(m) - mp.ellipe(start, m)))


def test_rods_bend_as_the_elastica_and_buckle_as_eulers_column() -> None:
    robot = held(9, 16)
    for load in (1.0, 10.0):
        found = symdyn.equilibrium(robot, f_ext=[[0.0, load * BENDING / LENGTH**2, 0.0, 0.0, 0.0, 0.0]])
        along, across = elastica(load)
        assert tip_pose(robot, found.q)[:3, 3] / LENGTH == pytest.approx([along, across, 0.0], abs=1e-6)
    euler = math.pi**2 * BENDING / (4.0 * LENGTH**2)
    column = statics.path(robot, f_ext=[[-2.0 * euler, 0.0, 0.0, 0.0, 0.0, 0.0]])
    (first,) = column.marked("bifurcation")
    # Nine shapes and sixteen stations tell the buckling shape, a sine, to more digits than these.
    assert column.load_factors[first] == pytest.approx(0.5, rel=1e-6)
    assert column.stable[:first].all() and not column.stable[first + 1 :].any() and column.complete
