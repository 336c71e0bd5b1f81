"""Axes a little beside those of the frames: what four units in the last place leave goes, all above is kept.

Two entries of a rotation may lose four units in the last place each, times what the forces would be without
cancellation (m g |c|, or an inertia k), and 1e-12 of the result may go: one of a tilt of 1e-8 is right to 1e-7.
"""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robots.small import described, joint, loaded, massive, point_mass, single, torque

from symdyn.algebra.spatial.rotations import axis_to_z
from symdyn.api import float_recursion
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.read import read_text
from symdyn.description.robot import JointKind, Link

Array = NDArray[np.float64]
ULPS = 4.0 * sys.float_info.epsilon
TILTS = [factor * 10.0**-power for power in range(3, 18) for factor in (1.0, 3.0)]
AXES = [(sign * (k == 0), sign * (k == 1), sign * (k == 2)) for k in range(3) for sign in (1.0, -1.0)]
GRAVITY = (2.0, -5.0, 7.0)


def tilted(axis: tuple[float, ...], by: float, way: int) -> Array:
    """The axis with ``by`` in another component, and half of it in the third, scaled to length one."""
    found = np.array(axis, dtype=float)
    k = int(np.argmax(np.abs(found)))
    found[(k + 1 + way) % 3], found[(k + 2 - way) % 3] = by, -by / 2
    return found / np.linalg.norm(found)


def turned_about(axis: Array, angle: float, vector: Array) -> Array:
    """Rodrigues, with nothing left out."""
    across = np.cross(axis, vector)
    return vector + math.sin(angle) * across + 2.0 * math.sin(angle / 2) ** 2 * np.cross(axis, across)


def assert_kept(value: float, truth: float, size: float) -> None:
    assert abs(value - truth) <= 1e-12 * abs(truth) + 2.0 * ULPS * size


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("way", [0, 1])
def test_weight_along_a_tilted_axis(axis: tuple[float, float, float], way: int) -> None:
    center = 1.5 * np.array(axis)
    for by in TILTS:
        about = tilted(axis, by, way)
        link = point_mass("body", 2.0, tuple(center))
        robot = loaded(single(JointKind.REVOLUTE, link, axis=tuple(about)), gravity=GRAVITY)
        truth = -about @ np.cross(turned_about(about, 0.7, center), 2.0 * np.array(GRAVITY))
        assert_kept(torque(robot, [0.7], [0.0], [0.0])[0], truth, 2.0 * 1.5 * 9.0)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", [JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.CYLINDRICAL, JointKind.HELICAL])
def test_weight_along_a_tilted_slide(axis: tuple[float, float, float], kind: JointKind) -> None:
    """Gravity at right angles to the axis that is meant: only the tilt is felt."""
    k = int(np.argmax(np.abs(axis)))
    pull = np.roll([0.0, 4.0, 8.0], k)
    pitch = {"pitch": 0.3} if kind is JointKind.HELICAL else {}
    for by in TILTS:
        about = tilted(axis, by, 0)
        rows = 2 if kind is JointKind.CYLINDRICAL else 1
        robot = loaded(single(kind, point_mass("body", 2.0, (0.0, 0.0, 0.0)), axis=tuple(about), **pitch), gravity=pull)
        slide = {JointKind.REVOLUTE: 0.0, JointKind.HELICAL: 0.3}.get(kind, 1.0)
        found = torque(robot, [0.7] * rows, [0.0] * rows, [0.0] * rows)[0]
        assert_kept(found, -slide * 2.0 * float(about @ pull), 20.0)


@pytest.mark.parametrize("axis", AXES)
def test_two_axes_that_are_nearly_perpendicular(axis: tuple[float, float, float]) -> None:
    """M_12 = k n_1 . n_2 of a body with the moments k about its centre, which stands on both axes."""
    first = np.roll(axis, 1)
    for by in TILTS:
        second = tilted(axis, by, 1)
        links = [
            Link("base"),
            massive("one", 1.0, (0.0,) * 3),
            massive("two", 1.0, (0.0,) * 3, (3.0, 0, 0, 3.0, 0, 3.0)),
        ]
        joints = [
            joint("j1", JointKind.REVOLUTE, "base", "one", axis=tuple(first)),
            joint("j2", JointKind.REVOLUTE, "one", "two", axis=tuple(second)),
        ]
        matrix = float_recursion(loaded(described(links, joints)), "mass_matrix")({"q": [0.4, -0.9]})["M"]
        assert_kept(matrix[1], 3.0 * float(first @ second), 3.0)


@pytest.mark.parametrize("rpy", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.3, 1.0, 0.0)])
def test_a_tilt_of_a_fixed_joint(rpy: tuple[float, float, float]) -> None:
    """The same by the angles of a placement, beside a quarter turn as files write it."""
    for by in TILTS:
        angles = (by * rpy[0], by * rpy[1], math.pi / 2)
        weight = massive("arm", 2.0, (0.0, 0.0, 1.5), (0.0,) * 6)
        links = [Link("base"), Link("mount"), weight]
        joints = [
            joint("fix", JointKind.FIXED, "base", "mount", turned=rotation_from_rpy(*angles)),
            joint("j", JointKind.REVOLUTE, "mount", "arm", axis=(1.0, 0.0, 0.0)),
        ]
        # z of the mount in the world is (sin y sin r + .., ..): with yaw = pi/2, (sr, sp cr, cp cr) to rounding
        up = np.array([math.sin(angles[0]), math.sin(angles[1]) * math.cos(angles[0]), 0.0])
        along = np.array([0.0, math.cos(angles[1]), 0.0])
        up[2] = math.cos(angles[1]) * math.cos(angles[0])
        along[2] = -math.sin(angles[1])
        truth = -along @ np.cross(1.5 * up, [0.0, 0.0, -2.0 * 9.81])
        found = torque(loaded(described(links, joints)), [0.0], [0.0], [0.0])[0]
        assert_kept(found, truth, 30.0)


def test_the_axis_of_a_file() -> None:
    text = """<robot name="a"><link name="a"/><link name="b"><inertial><origin xyz="0 1 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="1e-8 -1 0"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/></joint></robot>"""
    assert torque(loaded(read_text(text, "urdf")), [0.0], [0.0], [0.0])[0] == pytest.approx(9.81e-8, rel=1e-7)


@pytest.mark.parametrize("axis", AXES)
def test_rounding_leaves_a_signed_permutation(axis: tuple[float, float, float]) -> None:
    exact = axis_to_z(axis)
    for by in (6e-17, 3e-16, 0.9 * ULPS):
        for sign in (1.0, -1.0):
            assert axis_to_z(tuple(np.array(axis) + sign * by * np.roll(axis, 1))) == exact
