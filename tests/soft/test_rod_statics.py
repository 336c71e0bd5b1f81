"""Bent rods at rest against closed forms and published figures, found by Newton's method on generated equations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp
from support.rods import functions
from support.statics import equilibrium, robot_poses, tip_pose

from symdyn import api
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Frame, Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain
from symdyn.robot.robot import Robot

LENGTH, RADIUS, YOUNG = 0.5, 0.01, 1e6
BENDING = YOUNG * math.pi * RADIUS**4 / 4
THIN = Section("circle", radius=repr(RADIUS))


def held(soft: Soft, gravity: float = 0.0, *frames: Frame) -> Robot:
    """A rod held at its root, along x of the world."""
    robot = RobotDescription("held", (Link("rod", soft=soft),), (), frames, gravity=(0.0, 0.0, -gravity))
    return api.from_description(robot)


def planar(count: int, stations: int, **said: object) -> Soft:
    """A rod that only bends, about z."""
    bends = (functions(Strain.CURVATURE_Z, count),)
    return Soft(LENGTH, THIN, Material(YOUNG, 0.5, 1000.0), bends, stations=stations, **said)  # type: ignore[arg-type]


def wrench(force: tuple[float, ...] = (0.0, 0.0, 0.0), moment: tuple[float, ...] = (0.0, 0.0, 0.0)) -> np.ndarray:
    return np.array([*force, *moment])


@pytest.mark.parametrize("count", [1, 5])
def test_a_moment_of_two_pi_closes_a_circle(count: int) -> None:
    robot = held(planar(count, 8, max_turn_per_step=2.0))
    moment = 2.0 * math.pi * BENDING / LENGTH
    q = equilibrium(robot, wrench(moment=(0.0, 0.0, moment)))
    assert q[0] == pytest.approx(2.0 * math.pi, rel=1e-12) and np.abs(q[1:]).max(initial=0.0) < 1e-10
    assert np.abs(tip_pose(robot, q) - np.eye(4)).max() < 1e-10


def elastica(load: float) -> tuple[float, float]:
    """Where the tip of an inextensible rod of length 1 and bending stiffness 1 comes to rest under a dead load across
    it: along the rod and across it, by elliptic integrals."""

    def given(angle: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
        m = (1 + mp.sin(angle)) / 2
        start = mp.asin(1 / mp.sqrt(2 * m))
        return m, start, mp.ellipk(m) - mp.ellipf(start, m)

    alpha = mp.sqrt(load)
    angle = mp.findroot(lambda angle: given(angle)[2] - alpha, (0.2, 1.5), solver="anderson")
    m, start, _ = given(angle)
    return float(mp.sqrt(2 * mp.sin(angle)) / alpha), float(1 - 2 / alpha * (mp.ellipe(m) - mp.ellipe(start, m)))


def test_elastica_of_a_published_table() -> None:
    """Mattiasson's table for P L^2 = 10 E I."""
    along, across = elastica(10.0)
    assert (1.0 - along, across) == (pytest.approx(0.55500, abs=5e-6), pytest.approx(0.81061, abs=5e-6))


@pytest.mark.parametrize("load", [1.0, pytest.param(10.0, marks=pytest.mark.slow)])
def test_tips_under_a_dead_load_are_those_of_elliptic_integrals(load: float) -> None:
    robot = held(planar(9, 16))
    q = equilibrium(robot, wrench((0.0, load * BENDING / LENGTH**2, 0.0)), steps=2 if load > 5.0 else 1)
    along, across = elastica(load)
    assert tip_pose(robot, q)[:3, 3] / LENGTH == pytest.approx([along, across, 0.0], abs=1e-6)


@pytest.mark.slow
def test_a_bend_of_45_degrees() -> None:
    """Bathe & Bolourchi: an arc of radius 100 with sections 1 x 1, loaded out of its plane; tips as they were published
    by them, by Simo & Vu-Quoc, and by Cardona & Geradin."""
    square = Section(
        "numbers",
        area="1.0",
        second_moment_x=repr(1 / 6),
        second_moment_y=repr(1 / 12),
        second_moment_z=repr(1 / 12),
    )
    soft = Soft(
        25.0 * math.pi,
        square,
        Material(1e7, 0.0, 1.0),
        tuple(functions(strain, 4 if strain.angular else 2) for strain in Strain),
        reference=((Strain.CURVATURE_Z, "0.01"),),
        stations=6,
    )
    robot = held(soft)
    start = tip_pose(robot, np.zeros(robot.nv))[:3, 3]
    assert start == pytest.approx([100 * math.sqrt(0.5), 100 * (1 - math.sqrt(0.5)), 0.0], rel=1e-12)
    tip = tip_pose(robot, equilibrium(robot, wrench((0.0, 0.0, 600.0)), steps=3))[:3, 3]
    published = np.array([[47.2, 15.9, 53.4], [47.23, 15.79, 53.37], [47.04, 15.55, 53.50]])
    assert np.abs(tip - published.mean(axis=0)).max() < 0.005 * np.linalg.norm(tip)
    assert all(np.linalg.norm(tip - own) < 0.005 * np.linalg.norm(own) for own in published)


def test_a_helix() -> None:
    """Constant curvature and twist: the rod winds round an axis, at every place along it."""
    curvature, twist = 9.0, 5.0
    places = (0.1, 0.25, 0.5)
    frames = [Frame(f"at_{number}", "rod", Placement(), at=place) for number, place in enumerate(places)]
    soft = Soft(
        LENGTH,
        THIN,
        Material(YOUNG, 0.5, 1000.0),
        (functions(Strain.TWIST, 1), functions(Strain.CURVATURE_Z, 2)),
        reference=((Strain.TWIST, repr(twist / 2)),),
        stations=6,
        max_turn_per_step=2.0,
    )
    robot = held(soft, 0.0, *frames)
    poses = robot_poses(robot, np.array([twist / 2 * LENGTH, curvature * LENGTH, 0.0]))
    total = math.hypot(curvature, twist)
    radius, pitch = curvature / total**2, twist / total**2
    for name, place in zip((own.name for own in frames), places, strict=True):
        found = poses[robot.frame_names.index(name)]
        # Along the Darboux vector (twist, 0, curvature) the rod climbs; across it, it goes round.
        climbed = found[:3, 3] @ np.array([twist, 0.0, curvature]) / total
        assert climbed == pytest.approx(pitch * total * place, rel=1e-13)
        chord = np.linalg.norm(found[:3, 3] - climbed * np.array([twist, 0.0, curvature]) / total)
        assert chord == pytest.approx(2.0 * radius * abs(math.sin(total * place / 2)), rel=1e-12)
        # A frame's axes are the link's at rest, which is twisted already.
        rest = twist / 2 * place
        back = np.array(rotation_from_rpy(rest, 0.0, 0.0))
        assert np.trace(found[:3, :3] @ back) == pytest.approx(1.0 + 2.0 * math.cos(total * place), abs=1e-12)
