"""Inverse dynamics against equations of motion that can be written down."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robots.small import GENERIC, X, Y, described, joint, loaded, massive, point_mass, single, torque

from symdyn.algebra.spatial.rotations import turn
from symdyn.description.robot import JointKind, Link

Array = NDArray[np.float64]
G = 9.81
CENTER = np.array([0.1, -0.2, 0.3])
MASS = 2.0


def tensor() -> Array:
    xx, xy, xz, yy, yz, zz = GENERIC
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def about_origin() -> Array:
    """Rotational inertia about the frame's origin."""
    spread: Array = (CENTER @ CENTER) * np.eye(3) - np.outer(CENTER, CENTER)
    return tensor() + MASS * spread


def rotation_of(x: float, y: float, z: float, w: float) -> Array:
    angle = 2 * math.acos(w)
    axis = [component / math.sin(angle / 2) for component in (x, y, z)]
    return np.array(turn(axis, angle), dtype=float)


QUATERNION = np.array([0.1, -0.7, 0.5, 0.3]) / math.sqrt(0.84)
OMEGA, ALPHA = np.array([0.4, -1.2, 2.0]), np.array([3.0, 0.5, -1.0])
LINEAR, RATE = np.array([1.0, 0.2, -0.6]), np.array([-0.3, 2.0, 0.8])


def body_wrench(origin_acceleration: Array, omega: Array = OMEGA, alpha: Array = ALPHA) -> tuple[Array, Array]:
    """Force and moment about the origin by Newton at the centre of mass and Euler about it."""
    at_center = origin_acceleration + np.cross(alpha, CENTER) + np.cross(omega, np.cross(omega, CENTER))
    force = MASS * at_center
    about_center = tensor() @ alpha + np.cross(omega, tensor() @ omega)
    return force, about_center + np.cross(CENTER, force)


def test_a_free_body() -> None:
    robot = loaded(single(JointKind.FLOATING))
    q = [5.0, -2.0, 1.0, *QUATERNION]
    up = rotation_of(*QUATERNION).T @ [0.0, 0.0, G]
    # v is the origin's velocity in body axes, so its time derivative misses omega x v of the acceleration.
    force, moment = body_wrench(RATE + np.cross(OMEGA, LINEAR) + up)
    assert torque(robot, q, [*LINEAR, *OMEGA], [*RATE, *ALPHA]) == pytest.approx([*force, *moment], rel=1e-13)


def test_a_free_body_at_rest_feels_its_weight() -> None:
    robot = loaded(single(JointKind.FLOATING, massive("body", center=(0.0, 0.0, 0.0))), gravity=(1.0, 2.0, -3.0))
    tau = torque(robot, [0.0] * 3 + list(QUATERNION), [0.0] * 6, [0.0] * 6)
    expected = -MASS * rotation_of(*QUATERNION).T @ [1.0, 2.0, -3.0]
    assert tau == pytest.approx([*expected, 0.0, 0.0, 0.0], rel=1e-14, abs=1e-15)


def test_a_ball_joint() -> None:
    robot = loaded(single(JointKind.SPHERICAL, at=(0.3, 0.2, 0.1)))
    up = rotation_of(*QUATERNION).T @ [0.0, 0.0, G]
    expected = about_origin() @ ALPHA + np.cross(OMEGA, about_origin() @ OMEGA) + MASS * np.cross(CENTER, up)
    assert torque(robot, QUATERNION, OMEGA, ALPHA) == pytest.approx(list(expected), rel=1e-13)


@pytest.mark.parametrize("axis", [X, Y, (0.6, 0.0, 0.8), (0.0, 0.0, -1.0), (2 / 7, 3 / 7, -6 / 7)])
def test_a_revolute_joint_about_any_axis(axis: tuple[float, float, float]) -> None:
    robot = loaded(single(JointKind.REVOLUTE, axis=axis))
    q, v, a = 0.7, 1.9, -2.3
    n = np.array(axis)
    up = np.array(turn(axis, q)).T @ [0.0, 0.0, G]
    expected = n @ about_origin() @ n * a + n @ (MASS * np.cross(CENTER, up))
    assert torque(robot, [q], [v], [a]) == pytest.approx([expected], rel=1e-13)


def test_a_prismatic_joint() -> None:
    robot = loaded(single(JointKind.PRISMATIC, axis=(0.6, 0.0, 0.8)))
    assert torque(robot, [3.0], [5.0], [-2.3]) == pytest.approx([MASS * (-2.3 + 0.8 * G)], rel=1e-14)


def test_a_screw_has_the_sum_of_turn_and_slide() -> None:
    pitch, q, a = 0.13, 0.7, -2.3
    robot = loaded(single(JointKind.HELICAL, axis=X, pitch=pitch))
    up = np.array(turn(X, q)).T @ [0.0, 0.0, G]
    expected = about_origin()[0, 0] * a + MASS * np.cross(CENTER, up)[0] + pitch * MASS * (pitch * a + up[0])
    assert torque(robot, [q], [1.9], [a]) == pytest.approx([expected], rel=1e-13)


def test_a_planar_joint() -> None:
    robot = loaded(single(JointKind.PLANAR, axis=X))
    theta, (vx, vy, omega), (ax, ay, alpha) = 0.7, (1.0, 0.2, -1.4), (-0.3, 2.0, 0.9)
    # The plane's axes by the smallest rotation from z to x: its x is world -z, its y is world y, its normal world x.
    plane = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    child = plane @ turn((0.0, 0.0, 1.0), theta) @ plane.T
    n = np.array([1.0, 0.0, 0.0])
    up = child.T @ [0.0, 0.0, G]
    rate = plane @ [ax - omega * vy, ay + omega * vx, 0.0]
    force, moment = body_wrench(rate + up, omega * n, alpha * n)
    expected = [*(plane.T @ force)[:2], moment[0]]
    assert torque(robot, [0.4, -0.8, theta], [vx, vy, omega], [ax, ay, alpha]) == pytest.approx(expected, rel=1e-13)


def test_a_universal_joint_is_two_turns() -> None:
    robot = loaded(single(JointKind.UNIVERSAL, axis=X, second_axis=Y))
    (q1, q2), (v1, v2), (a1, a2) = (0.5, -0.8), (1.2, 0.7), (0.3, -1.6)
    second = np.array(turn(Y, q2))
    total = np.array(turn(X, q1)) @ second
    first_axis, second_axis = second.T @ X, np.array(Y)
    omega = v1 * first_axis + v2 * second_axis
    alpha = a1 * first_axis + a2 * second_axis + np.cross(v1 * first_axis, v2 * second_axis)
    _, moment = body_wrench(total.T @ [0.0, 0.0, G], omega, alpha)
    expected = [first_axis @ moment, second_axis @ moment]
    assert torque(robot, [q1, q2], [v1, v2], [a1, a2]) == pytest.approx(expected, rel=1e-13)


def test_a_double_pendulum_of_points() -> None:
    m1, m2, l1, l2 = 1.3, 0.7, 0.6, 0.9
    joints = [
        joint("q1", JointKind.REVOLUTE, "base", "one", axis=Y),
        joint("q2", JointKind.REVOLUTE, "one", "two", (0.0, 0.0, -l1), axis=Y),
    ]
    links = [Link("base"), point_mass("one", m1, (0.0, 0.0, -l1)), point_mass("two", m2, (0.0, 0.0, -l2))]
    robot = loaded(described(links, joints))
    (q1, q2), (v1, v2), (a1, a2) = (0.4, -1.1), (1.3, 0.6), (-2.0, 3.5)
    c2, s2 = math.cos(q2), math.sin(q2)
    m12 = m2 * l2 * (l2 + l1 * c2)
    m11 = (m1 + m2) * l1**2 + m2 * l2 * (l2 + 2 * l1 * c2)
    coriolis = m2 * l1 * l2 * s2
    weight2 = m2 * G * l2 * math.sin(q1 + q2)
    expected = [
        m11 * a1 + m12 * a2 - coriolis * v2 * (2 * v1 + v2) + (m1 + m2) * G * l1 * math.sin(q1) + weight2,
        m12 * a1 + m2 * l2**2 * a2 + coriolis * v1**2 + weight2,
    ]
    assert torque(robot, [q1, q2], [v1, v2], [a1, a2]) == pytest.approx(expected, rel=1e-13)


def test_a_cart_and_pole() -> None:
    joints = [
        joint("cart", JointKind.PRISMATIC, "base", "cart", axis=X),
        joint("pole", JointKind.CONTINUOUS, "cart", "pole", axis=(0.0, -1.0, 0.0)),
    ]
    links = [Link("base"), point_mass("cart", 3.0, (0.0, 0.0, 0.0)), point_mass("pole", 0.5, (0.0, 0.0, -0.8))]
    robot = loaded(described(links, joints))
    theta, omega, (a, alpha) = 0.6, 1.7, (0.9, -1.2)
    # The bob stands at x + 0.8 sin(theta), -0.8 cos(theta).
    force = 3.5 * a + 0.5 * 0.8 * (alpha * math.cos(theta) - omega**2 * math.sin(theta))
    moment = 0.5 * 0.8 * (0.8 * alpha + a * math.cos(theta) + G * math.sin(theta))
    assert torque(robot, [2.0, theta], [0.4, omega], [a, alpha]) == pytest.approx([force, moment], rel=1e-13)
