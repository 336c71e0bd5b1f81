"""Kinematics and momentum straight from a description: transforms link by link, rates by differences.

What the recursions are compared with. Fourth-order differences with a step of 2e-4 are good to some 1e-10 here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.algebra.spatial.rotations import from_quaternion
from symdyn.description.robot import Joint, JointKind, Placement
from symdyn.model.lock import joint_placement
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
STEP = 2e-4


def _scalar_last(robot: Robot, q: Array) -> Array:
    """Coordinates with quaternions (x, y, z, w), whatever the convention."""
    found = np.array(q)
    for own in robot.model.independent_joints:
        if own.coordinates.q[-4:] == (".qw", ".qx", ".qy", ".qz"):
            found[own.q_rows][-4:] = np.roll(found[own.q_rows][-4:], -1)
    return found


def transform(rotation: Any, translation: Any) -> Array:
    """A homogeneous matrix."""
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = rotation, translation
    return made


def placed(placement: Placement) -> Array:
    """The matrix of a placement whose translation is given by numbers."""
    return transform(placement.rotation, [float(value) for value in placement.translation])  # type: ignore[arg-type]


def own_coordinates(robot: Robot, q: Array, joint: Joint) -> list[float]:
    """Coordinates of a joint by its label; those of a mimic joint follow from its leaders'."""
    if joint.mimic is not None:
        led = (gain * q[robot.coordinate_names.index(leader)] for leader, gain in joint.mimic.terms)
        return [float(sum(led, joint.mimic.offset))]
    labels = (f"{joint.name}.1", f"{joint.name}.2") if joint.kind is JointKind.UNIVERSAL else (joint.name,)
    return [float(q[item.q_index + k]) for item in _indexed(robot, labels) for k in range(len(item.coordinates.q))]


def _indexed(robot: Robot, labels: tuple[str, ...]) -> list[Any]:
    found = {item.label: item for item in robot.model.independent_joints}
    return [found[label] for label in labels]


def frame_poses(robot: Robot, q: Array) -> dict[str, Array]:
    """World poses, (4, 4), of every link and extra frame."""
    description, q = robot.description, _scalar_last(robot, q)
    base = np.eye(4)
    if robot.model.bodies[0].joint.joint == "root":
        base = transform(from_quaternion(*q[3:7]).entries, q[:3])
    found = {description.root: base}
    pending = list(description.joints)
    while pending:
        item = pending.pop(0)
        if item.parent not in found:
            pending.append(item)
            continue
        own = np.eye(4)
        if item.kind is not JointKind.FIXED:
            own = transform(*joint_placement(item, own_coordinates(robot, q, item)))
        found[item.child] = found[item.parent] @ placed(item.placement) @ own
    return found | {frame.name: found[frame.link] @ placed(frame.placement) for frame in description.frames}


def rate(quantity: Callable[[float], Array]) -> Array:
    """The derivative at 0 by fourth-order differences."""
    near, far = (quantity(k * STEP) - quantity(-k * STEP) for k in (1, 2))
    return (8 * near - far) / (12 * STEP)


def along(robot: Robot, q: Array, v: Array) -> Callable[[float], Array]:
    """The motion with constant v through q."""
    return lambda time: np.asarray(robot.integrate(q, time * v))


def frame_velocities(robot: Robot, q: Array, v: Array) -> dict[str, Array]:
    """Velocity of each frame's origin, then its angular velocity, in world axes, (6,)."""
    motion = along(robot, q, v)
    here = frame_poses(robot, q)
    names = list(here)
    rates = rate(lambda time: np.array([frame_poses(robot, motion(time))[name] for name in names]))
    found = {}
    for name, change in zip(names, rates, strict=True):
        spin = change[:3, :3] @ here[name][:3, :3].T
        found[name] = np.array([*change[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
    return found


def moving_masses(robot: Robot) -> list[tuple[str, float, Array, Array]]:
    """(link, mass, centre in the link, inertia tensor about the centre in link axes) of links on moving bodies."""
    moving = {frame.name for frame in robot.model.frames if frame.body >= 0}
    found = []
    for link in robot.description.links:
        if link.inertial is not None and link.name in moving:
            at = placed(link.inertial.placement)
            xx, xy, xz, yy, yz, zz = (float(value) for value in link.inertial.moments)  # type: ignore[arg-type]
            turned = at[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ at[:3, :3].T
            found.append((link.name, float(link.inertial.mass), at[:3, 3], turned))  # type: ignore[arg-type]
    return found


def center_of_mass(robot: Robot, q: Array) -> Array:
    """Mass-weighted mean of the moving links' centres, (3,), in the world."""
    poses = frame_poses(robot, q)
    masses = moving_masses(robot)
    total = sum(mass for _, mass, _, _ in masses)
    weighed = [mass * (poses[link] @ [*center, 1.0])[:3] for link, mass, center, _ in masses]
    return np.asarray(sum(weighed) / total)


def centroidal_momentum(robot: Robot, q: Array, v: Array) -> Array:
    """Linear momentum, then angular momentum about the centre of mass, world axes, (6,)."""
    poses, twists, at = frame_poses(robot, q), frame_velocities(robot, q, v), center_of_mass(robot, q)
    total = np.zeros(6)
    for link, mass, center, inertia in moving_masses(robot):
        R, omega = poses[link][:3, :3], twists[link][3:]
        linear = mass * (twists[link][:3] + np.cross(omega, R @ center))
        total[:3] += linear
        total[3:] += R @ inertia @ R.T @ omega + np.cross(poses[link][:3, 3] + R @ center - at, linear)
    return total
