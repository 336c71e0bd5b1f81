"""A rod that falls and is pulled aside, held at its root, beside Cosserat rods of PyElastica: a motion in space."""

from __future__ import annotations

import math

import elastica
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import symdyn
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions

pytestmark = pytest.mark.peers

LENGTH, RADIUS, YOUNG, POISSON, DENSITY, GRAVITY = 0.5, 0.006, 5e6, 0.3, 1000.0, 9.81
FACTOR = 27 / 28
"""Their shear factor of round sections."""
FORCE, END = 0.15, 0.25
"""Across gravity, at the tip [N], from the start to the end [s]."""

Array = NDArray[np.float64]


class Simulator(elastica.BaseSystemCollection, elastica.Constraints, elastica.Forcing):
    """Their way to put a rod, its ends and forces together."""


def their_tip(elements: int) -> Array:
    """Where the tip is at the end, by short steps of position Verlet."""
    simulator = Simulator()
    rod = elastica.CosseratRod.straight_rod(
        elements,
        np.zeros(3),
        np.array([1.0, 0.0, 0.0]),
        np.array([0.0, 1.0, 0.0]),
        LENGTH,
        RADIUS,
        DENSITY,
        youngs_modulus=YOUNG,
        shear_modulus=YOUNG / (2 * (1 + POISSON)),
    )
    simulator.append(rod)
    simulator.constrain(rod).using(elastica.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
    simulator.add_forcing_to(rod).using(elastica.GravityForces, acc_gravity=np.array([0.0, 0.0, -GRAVITY]))
    simulator.add_forcing_to(rod).using(
        elastica.EndpointForces, np.zeros(3), np.array([0.0, FORCE, 0.0]), ramp_up_time=1e-9
    )
    simulator.finalize()
    steps = round(END / (0.1 * LENGTH / elements / math.sqrt(YOUNG / DENSITY)))
    elastica.integrate(elastica.PositionVerlet(), simulator, END, steps, progress_bar=False)
    return np.array(rod.position_collection[:, -1])


def our_tip() -> Array:
    """The same by forward dynamics and SciPy."""
    counts = {Strain.TWIST: 5, Strain.CURVATURE_Y: 8, Strain.CURVATURE_Z: 8, Strain.STRETCH: 3}
    counts |= {Strain.SHEAR_Y: 3, Strain.SHEAR_Z: 3}
    strains = tuple(StrainFunctions(strain, StrainBasis.LEGENDRE, count) for strain, count in counts.items())
    section = Section("circle", radius=repr(RADIUS), shear_factors=(FACTOR, FACTOR))
    soft = Soft(LENGTH, section, Material(YOUNG, POISSON, DENSITY), strains, stations=12, max_turn_per_step=2.0)
    robot = symdyn.from_description(
        RobotDescription("rod", (Link("rod", soft=soft),), (), gravity=(0.0, 0.0, -GRAVITY))
    )
    module = symdyn.compile(robot, ["forward_dynamics"], external_wrenches="world")
    places = symdyn.compile(robot, ["forward_kinematics"])
    n, nothing, f_ext = robot.nv, np.zeros(robot.nv), np.zeros((len(robot.body_names), 6))
    f_ext[-1, 1] = FORCE

    def rate(t: float, y: Array) -> Array:
        return np.concatenate([y[n:], module.forward_dynamics(y[:n], y[n:], nothing, f_ext)])

    found = solve_ivp(rate, (0.0, END), np.zeros(2 * n), method="Radau", rtol=1e-6, atol=1e-8)
    assert found.success
    return np.asarray(places.forward_kinematics(found.y[:n, -1])[-1, :3, 3])


def test_a_rod_in_space_is_where_pyelastica_has_it() -> None:
    """Their error falls with the length of an element, as half of the first is held: two runs tell where it leads."""
    ours = our_tip()
    coarse, fine = their_tip(80), their_tip(160)
    assert np.linalg.norm(ours - np.array([LENGTH, 0.0, 0.0])) > 0.5 * LENGTH
    assert min(abs(ours[1]), abs(ours[2])) > 0.3 * LENGTH
    assert np.abs(ours - fine).max() < 3e-3 * LENGTH
    assert np.abs(ours - (2.0 * fine - coarse)).max() < 1e-3 * LENGTH
