"""Integrating on the configuration space is the matrix exponential of the joint's group, and difference its inverse."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from mpmath import mp
from numpy.typing import NDArray
from support.robots.small import loaded, massive, single

from symdyn.description.robot import JointKind
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

DIRECTION = np.array([0.6, -0.48, 0.64])
ANGLES = [0.0, 1e-300, 1e-160, 1e-12, 1e-6, 0.01, 0.7, 0.70710678, 0.7072, 1.5, 3.0, math.pi - 1e-3, math.pi - 1e-8]
LONGER = [math.pi, 4.0, 6.0, 2 * math.pi, 10.0]
LINEAR = np.array([0.3, -1.1, 0.7])


@pytest.fixture(autouse=True)
def _digits() -> object:
    with mp.workdps(40):
        yield


def pose(rows: Sequence[float] | Array) -> mp.matrix:
    """4 x 4 matrix of x, y, z, qx, qy, qz, qw; the quaternion is normalised first, exactly."""
    place, quaternion = [mp.mpf(float(x)) for x in rows[:3]], [mp.mpf(float(x)) for x in rows[3:]]
    norm = mp.sqrt(sum(component**2 for component in quaternion))
    x, y, z, w = (component / norm for component in quaternion)
    return mp.matrix(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), place[0]],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), place[1]],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), place[2]],
            [0, 0, 0, 1],
        ]
    )


def twist(linear: Sequence[float] | Array, angular: Sequence[float] | Array) -> mp.matrix:
    u, w = [mp.mpf(float(x)) for x in linear], [mp.mpf(float(x)) for x in angular]
    return mp.matrix([[0, -w[2], w[1], u[0]], [w[2], 0, -w[0], u[1]], [-w[1], w[0], 0, u[2]], [0, 0, 0, 0]])


def far(a: mp.matrix, b: mp.matrix) -> float:
    return float(mp.norm(a - b, mp.inf))


def free(convention: str) -> Robot:
    kind = JointKind.FLOATING if convention == "pinocchio" else JointKind.FIXED
    return loaded(single(kind, massive("body")), convention=convention, floating_base=convention == "spatial")


def start_pose() -> Array:
    quaternion = np.array([0.1, -0.7, 0.5, 0.3])
    return np.concatenate([[0.4, 2.0, -1.0], quaternion / np.linalg.norm(quaternion)])


@pytest.mark.parametrize("angle", ANGLES + LONGER)
def test_a_free_joint_moves_by_the_body_frame_exponential(angle: float) -> None:
    q, w = start_pose(), angle * DIRECTION
    moved = free("pinocchio").integrate(q, np.concatenate([LINEAR, w]))
    assert far(pose(moved), pose(q) * mp.expm(twist(LINEAR, w))) < 3e-15
    assert abs(np.linalg.norm(moved[3:]) - 1.0) < 4e-16


@pytest.mark.parametrize("angle", ANGLES + LONGER)
def test_a_spatial_base_moves_by_the_world_frame_exponential(angle: float) -> None:
    q, w = start_pose(), angle * DIRECTION
    moved = free("spatial").integrate(q, np.concatenate([w, LINEAR]))
    assert far(pose(moved), mp.expm(twist(LINEAR, w)) * pose(q)) < 6e-15
    assert abs(np.linalg.norm(moved[3:]) - 1.0) < 4e-16


@pytest.mark.parametrize("angle", ANGLES + LONGER)
def test_a_ball_joint_moves_by_the_exponential_of_rotations(angle: float) -> None:
    q, w = start_pose()[3:], angle * DIRECTION
    moved = loaded(single(JointKind.SPHERICAL)).integrate(q, w)
    still = [0.0, 0.0, 0.0]
    assert far(pose([*still, *moved]), pose([*still, *q]) * mp.expm(twist(still, w))) < 2e-15


@pytest.mark.parametrize("angle", ANGLES + LONGER)
def test_a_planar_joint_moves_by_the_exponential_of_the_plane(angle: float) -> None:
    q = np.array([0.4, -0.8, 1.9])
    moved = loaded(single(JointKind.PLANAR)).integrate(q, np.array([0.3, -1.1, angle]))

    def placed(rows: Array) -> mp.matrix:
        c, s = mp.cos(mp.mpf(float(rows[2]))), mp.sin(mp.mpf(float(rows[2])))
        return mp.matrix([[c, -s, float(rows[0])], [s, c, float(rows[1])], [0, 0, 1]])

    rate = mp.matrix([[0, -mp.mpf(angle), 0.3], [mp.mpf(angle), 0, -1.1], [0, 0, 0]])
    assert far(placed(moved), placed(q) * mp.expm(rate)) < 3e-15
    assert moved[2] == q[2] + angle


@pytest.mark.parametrize("kind", [JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.HELICAL, JointKind.UNIVERSAL])
def test_other_joints_add(kind: JointKind) -> None:
    robot = loaded(single(kind))
    q, dv = np.full(robot.nq, 0.25), np.full(robot.nv, 5.0)
    assert robot.integrate(q, dv).tolist() == (q + dv).tolist()
    assert robot.difference(q, q + dv).tolist() == dv.tolist()


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
@pytest.mark.parametrize("angle", ANGLES)
def test_difference_undoes_integrate_on_free_joints(convention: str, angle: float) -> None:
    robot, q, w = free(convention), start_pose(), angle * DIRECTION
    dv = np.concatenate([LINEAR, w] if convention == "pinocchio" else [w, LINEAR])
    back = robot.difference(q, robot.integrate(q, dv))
    # Near half a turn the axis follows from a small residue, so rounding grows to some units in the translation.
    assert back == pytest.approx(dv, rel=1e-14, abs=2e-14)


@pytest.mark.parametrize("kind", [JointKind.SPHERICAL, JointKind.PLANAR])
@pytest.mark.parametrize("angle", ANGLES)
def test_difference_undoes_integrate(kind: JointKind, angle: float) -> None:
    robot = loaded(single(kind))
    q = start_pose()[3:] if kind is JointKind.SPHERICAL else np.array([0.4, -0.8, 1.9])
    dv = angle * DIRECTION if kind is JointKind.SPHERICAL else np.array([0.3, -1.1, -angle])
    assert robot.difference(q, robot.integrate(q, dv)) == pytest.approx(dv, rel=1e-14, abs=3e-15)


def test_rotations_go_the_shorter_way_and_both_signs_of_a_quaternion_are_one_rotation() -> None:
    robot = loaded(single(JointKind.SPHERICAL))
    q = start_pose()[3:]
    beyond = robot.difference(q, robot.integrate(q, 4.0 * DIRECTION))
    assert beyond == pytest.approx(-(2 * math.pi - 4.0) * DIRECTION, rel=1e-14)
    assert robot.difference(q, -q) == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)
    assert np.linalg.norm(robot.difference(q, robot.integrate(q, math.pi * DIRECTION))) == pytest.approx(math.pi)


def test_tiny_rotations_keep_their_relative_accuracy() -> None:
    robot = loaded(single(JointKind.SPHERICAL))
    start, dv = robot.neutral(), 1e-160 * DIRECTION
    assert robot.difference(start, robot.integrate(start, dv)) == pytest.approx(dv, rel=1e-14, abs=0)
