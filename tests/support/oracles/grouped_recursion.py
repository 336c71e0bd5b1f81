"""The matrices of Ali et al. 2026, table 2, in NumPy: all bodies of a robot stacked, in world axes about its origin.

Written from the description, for robots on a free base whose joints turn, slide or screw. Twists are (omega; v),
wrenches (moment; force). The base's columns are the identity and rest: S' of the base is zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.description.robot import Inertial, Joint, JointKind, Placement
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


def cross_matrix(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def ad(twist: Array) -> Array:
    """The commutator with a twist."""
    turn, slide = cross_matrix(twist[:3]), cross_matrix(twist[3:])
    return np.block([[turn, np.zeros((3, 3))], [slide, turn]])


def wrench_in_world(rotation: Array, origin: Array) -> Array:
    """Ad^T of the inverse pose: a wrench about a frame's origin in its axes becomes one about the world's."""
    return np.block([[rotation, cross_matrix(origin) @ rotation], [np.zeros((3, 3)), rotation]])


def diagonal(blocks: list[Array]) -> Array:
    rows, columns = (sum(block.shape[axis] for block in blocks) for axis in (0, 1))
    found = np.zeros((rows, columns))
    row = column = 0
    for block in blocks:
        found[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return found


@dataclass(frozen=True)
class Grouped:
    """G_p, S, M, the gravity twists and the maps of wrenches.

    ``base_turns`` has S' = ad S hold for the base too, as the paper prints it in equations (16) to (19).
    """

    G_p: Array
    S: Array
    M: Array
    G: Array
    to_world: Array
    base_turns: bool = False

    @property
    def G_c(self) -> Array:
        return self.G_p.T

    @property
    def M_bar(self) -> Array:
        """Equation (11)."""
        return self.S.T @ self.G_c @ self.M @ self.G_p @ self.S

    def ad_V(self, v: Array) -> Array:
        return diagonal([ad(twist) for twist in (self.G_p @ self.S @ v).reshape(-1, 6)])

    def turned(self, motion: Array, columns: Array) -> Array:
        """The rates of columns that a motion carries along; the base's rest."""
        moved = motion @ columns
        if not self.base_turns:
            moved[:6, :6] = 0.0
        return moved

    def S_dot(self, v: Array) -> Array:
        return self.turned(self.ad_V(v), self.S)


def quaternion_rotation(x: float, y: float, z: float, w: float) -> Array:
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def grouped(robot: Robot, q: Array) -> Grouped:
    """The matrices of a robot at a position."""
    description = robot.description
    joints = {joint.name: joint for joint in description.joints}
    links = {link.name: link for link in description.links}
    rotation, origin = {description.root: quaternion_rotation(*q[3:7])}, {description.root: q[:3]}
    carried, blocks = {description.root: [0]}, [np.eye(6)]
    order = [description.root]
    for row, name in enumerate(robot.velocity_names[6:]):
        joint = joints[name]
        R_J = rotation[joint.parent] @ np.array(joint.placement.rotation)
        p_J = origin[joint.parent] + rotation[joint.parent] @ np.array(joint.placement.translation)
        turn, slide = _moved(joint, q[7 + row])
        rotation[joint.child], origin[joint.child] = R_J @ turn, p_J + R_J @ slide
        blocks.append(_screw(joint, R_J @ np.array(joint.axis), p_J)[:, None])
        carried[joint.child] = [*carried[joint.parent], len(order)]
        order.append(joint.child)
    assert order == list(robot.body_names)
    G_p = np.zeros((6 * len(order), 6 * len(order)))
    for body, name in enumerate(order):
        for other in carried[name]:
            G_p[6 * body : 6 * body + 6, 6 * other : 6 * other + 6] = np.eye(6)
    inertias = [_inertia(links[name].inertial, rotation[name], origin[name]) for name in order]
    fall = np.tile([0.0, 0.0, 0.0, *robot.model.gravity], len(order))
    to_world = diagonal([wrench_in_world(rotation[name], origin[name]) for name in order])
    return Grouped(G_p, diagonal(blocks), diagonal(inertias), fall, to_world)


def _moved(joint: Joint, q: float) -> tuple[Array, Array]:
    axis = np.array(joint.axis)
    if joint.kind is JointKind.PRISMATIC:
        return np.eye(3), q * axis
    turn = cross_matrix(axis)
    return np.eye(3) + np.sin(q) * turn + (1.0 - np.cos(q)) * turn @ turn, joint.pitch * q * axis


def _screw(joint: Joint, axis: Array, point: Array) -> Array:
    if joint.kind is JointKind.PRISMATIC:
        return np.array([0.0, 0.0, 0.0, *axis])
    return np.array([*axis, *(np.cross(point, axis) + joint.pitch * axis)])


def _inertia(inertial: Inertial | None, rotation: Array, origin: Array) -> Array:
    if inertial is None:
        return np.zeros((6, 6))
    placed: Placement = inertial.placement
    xx, xy, xz, yy, yz, zz = (float(value) for value in inertial.moments)
    axes = rotation @ np.array(placed.rotation)
    about = axes @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T
    arm = cross_matrix(origin + rotation @ np.array([float(value) for value in placed.translation]))
    mass = float(inertial.mass)
    return np.block([[about - mass * arm @ arm, mass * arm], [-mass * arm, mass * np.eye(3)]])
