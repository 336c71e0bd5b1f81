"""Joint kinds of the indexed tree: how many coordinates, their names and units, and the joint's own motion.

In the model every joint moves along or about the z axis of its own frame; the readers' axes have been absorbed by
constant rotations (see ``build``). Universal joints have become two revolute ones with a massless body between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from symdyn.model.flexure import Flexure
from symdyn.model.tip_motion import Bend, bent_from, bent_pose, tip_bias, tip_force, tip_velocity
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.rotations import AboutZ, General, Identity, Rotation, from_quaternion
from symdyn.spatial.vectors import Vector, add, cross


class MotionKind(Enum):
    """The motion of a joint in the model.

    ``ROTOR`` is the motor of an elastic joint: a coordinate that moves no frame and carries no mass, and meets the tree
    only through a spring (see ``recursion.springs``).
    """

    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    HELICAL = "helical"
    PLANAR = "planar"
    SPHERICAL = "spherical"
    FREE = "free"
    FREE_SPATIAL = "free, spatial convention"
    ROTOR = "rotor"


Motion = MotionKind | Flexure
"""How a joint moves; that of a flexible link to its tip has a structure of its own."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Suffixes and units of a joint's coordinates and velocities (an empty suffix: the joint's name alone)."""

    q: tuple[str, ...]
    q_units: tuple[str, ...]
    v: tuple[str, ...]
    v_units: tuple[str, ...]


_QUATERNION = (".qx", ".qy", ".qz", ".qw")
COORDINATES: dict[MotionKind, Coordinates] = {
    MotionKind.REVOLUTE: Coordinates(("",), ("rad",), ("",), ("rad/s",)),
    MotionKind.PRISMATIC: Coordinates(("",), ("m",), ("",), ("m/s",)),
    MotionKind.HELICAL: Coordinates(("",), ("rad",), ("",), ("rad/s",)),
    MotionKind.PLANAR: Coordinates(
        (".x", ".y", ".theta"), ("m", "m", "rad"), (".vx", ".vy", ".omega"), ("m/s", "m/s", "rad/s")
    ),
    MotionKind.SPHERICAL: Coordinates(_QUATERNION, ("1",) * 4, (".wx", ".wy", ".wz"), ("rad/s",) * 3),
    MotionKind.FREE: Coordinates(
        (".x", ".y", ".z", *_QUATERNION),
        ("m",) * 3 + ("1",) * 4,
        (".vx", ".vy", ".vz", ".wx", ".wy", ".wz"),
        ("m/s",) * 3 + ("rad/s",) * 3,
    ),
    MotionKind.FREE_SPATIAL: Coordinates(
        (".x", ".y", ".z", *_QUATERNION),
        ("m",) * 3 + ("1",) * 4,
        (".wx", ".wy", ".wz", ".vx", ".vy", ".vz"),
        ("rad/s",) * 3 + ("m/s",) * 3,
    ),
    MotionKind.ROTOR: Coordinates(("",), ("rad",), ("",), ("rad/s",)),
}
"""Per kind; the order is the public convention of q and v. A rotor behind a prismatic joint has ``SLIDING``."""
MOST_ROWS = 6
"""Rows of v that a joint may have, flexures apart."""
SLIDING = COORDINATES[MotionKind.PRISMATIC]


def coordinates_of(kind: Motion) -> Coordinates:
    """Suffixes and units of a joint's rows."""
    if not isinstance(kind, Flexure):
        return COORDINATES[kind]
    suffixes = tuple(f".{name}" for name in kind.names)
    return Coordinates(suffixes, kind.units, suffixes, tuple(f"{unit}/s" for unit in kind.units))


FORCE_UNITS = {"rad/s": "N m", "m/s": "N"}
ACCELERATION_UNITS = {"rad/s": "rad/s^2", "m/s": "m/s^2"}


@dataclass(frozen=True, slots=True)
class JointPose:
    """Where the child frame stands in the joint frame. ``translation`` is None where it is structurally zero.

    ``bend`` is what the motion of a flexible link's tip needs beside.
    """

    rotation: Rotation
    translation: Vector | None
    bend: Bend | None = None


@dataclass(frozen=True, slots=True)
class JointMotion:
    """The child's velocity and acceleration relative to the joint frame, in child axes (omega; v and their rates)."""

    angular: Vector
    linear: Vector | None
    angular_rate: Vector
    linear_rate: Vector | None


def pose_from_scalars(kind: Motion, stored: Sequence[Scalar]) -> JointPose:
    """The pose from what :func:`joint_pose` asked to keep."""
    match kind:
        case Flexure():
            return JointPose(*bent_from(kind, stored))
        case MotionKind.REVOLUTE:
            return JointPose(AboutZ(stored[0], stored[1]), None)
        case MotionKind.PRISMATIC:
            return JointPose(Identity(), [0.0, 0.0, stored[0]])
        case MotionKind.HELICAL:
            return JointPose(AboutZ(stored[0], stored[1]), [0.0, 0.0, stored[2]])
        case MotionKind.PLANAR:
            return JointPose(AboutZ(stored[0], stored[1]), [stored[2], stored[3], 0.0])
        case MotionKind.ROTOR:
            return JointPose(Identity(), None)
    rotation = General([list(stored[3 * row : 3 * row + 3]) for row in range(3)])
    return JointPose(rotation, list(stored[9:12]) if kind is not MotionKind.SPHERICAL else None)


_POSE_SIZE: dict[MotionKind, int] = {
    MotionKind.REVOLUTE: 2,
    MotionKind.PRISMATIC: 1,
    MotionKind.HELICAL: 3,
    MotionKind.PLANAR: 4,
    MotionKind.SPHERICAL: 9,
    MotionKind.FREE: 12,
    MotionKind.FREE_SPATIAL: 12,
    MotionKind.ROTOR: 0,
}


def pose_size(kind: Motion) -> int:
    """Scalars that describe a joint's pose, in the order of :func:`pose_from_scalars`."""
    return kind.pose_size if isinstance(kind, Flexure) else _POSE_SIZE[kind]


def joint_pose(kind: Motion, algebra: Algebra, q: Sequence[Scalar], numbers: Mapping[str, Scalar]) -> list[Scalar]:
    """The scalars of :func:`pose_from_scalars` for coordinates q.

    ``numbers`` are the joint's constants, here and below: ``pitch``, or those that a flexure names.
    """
    match kind:
        case Flexure():
            return bent_pose(kind, algebra, q, numbers)
        case MotionKind.REVOLUTE:
            return list(algebra.sin_cos(q[0]))
        case MotionKind.PRISMATIC:
            return [q[0]]
        case MotionKind.HELICAL:
            return [*algebra.sin_cos(q[0]), numbers["pitch"] * q[0]]
        case MotionKind.PLANAR:
            return [*algebra.sin_cos(q[2]), q[0], q[1]]
        case MotionKind.SPHERICAL:
            rotation = from_quaternion(q[0], q[1], q[2], q[3])
            return [entry for row in rotation.entries for entry in row]
        case MotionKind.ROTOR:
            return []
    rotation = from_quaternion(q[3], q[4], q[5], q[6])
    return [entry for row in rotation.entries for entry in row] + list(q[:3])


def joint_motion(
    kind: Motion, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Mapping[str, Scalar]
) -> JointMotion:
    """Relative velocity and acceleration for velocity coordinates v and their rates a.

    The base of the spatial convention enters by its right-invariant twist (omega; v) about the world origin:
    V_B = Ad(X_WB)^-1 V, and likewise for its derivative, because ad(V) V = 0 (Ali et al. 2026, section 2).
    """
    match kind:
        case Flexure():
            return _bent_motion(kind, pose, v, a, numbers)
        case MotionKind.REVOLUTE:
            return JointMotion([0.0, 0.0, v[0]], None, [0.0, 0.0, a[0]], None)
        case MotionKind.PRISMATIC:
            return JointMotion([0.0] * 3, [0.0, 0.0, v[0]], [0.0] * 3, [0.0, 0.0, a[0]])
        case MotionKind.HELICAL:
            pitch = numbers["pitch"]
            return JointMotion([0.0, 0.0, v[0]], [0.0, 0.0, pitch * v[0]], [0.0, 0.0, a[0]], [0.0, 0.0, pitch * a[0]])
        case MotionKind.PLANAR:
            return JointMotion([0.0, 0.0, v[2]], [v[0], v[1], 0.0], [0.0, 0.0, a[2]], [a[0], a[1], 0.0])
        case MotionKind.SPHERICAL:
            return JointMotion(list(v), None, list(a), None)
        case MotionKind.FREE:
            return JointMotion(list(v[3:]), list(v[:3]), list(a[3:]), list(a[:3]))
        case MotionKind.ROTOR:
            return JointMotion([0.0] * 3, None, [0.0] * 3, None)
    assert pose.translation is not None
    turn = pose.rotation.transpose_times
    return JointMotion(
        turn(v[:3]),
        turn(add(v[3:], cross(v[:3], pose.translation))),
        turn(a[:3]),
        turn(add(a[3:], cross(a[:3], pose.translation))),
    )


def _bent_motion(
    kind: Flexure, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Mapping[str, Scalar]
) -> JointMotion:
    assert pose.bend is not None
    angular, linear = tip_velocity(kind, pose.rotation, pose.bend, v, numbers)
    angular_rate, linear_rate = tip_velocity(kind, pose.rotation, pose.bend, a, numbers)
    angular_bias, linear_bias = tip_bias(kind, pose.rotation, pose.bend, v, numbers)
    return JointMotion(angular, linear, add(angular_rate, angular_bias), add(linear_rate, linear_bias))


def joint_columns(
    kind: Motion, pose: JointPose, numbers: Mapping[str, Scalar]
) -> list[tuple[list[Scalar], list[Scalar]]]:
    """Columns (angular, linear) of the motion subspace S, one per row of v, in child axes about the child's origin.

    Constant for every kind but flexures and the base of the spatial convention, whose columns are those of
    Ad(X_WB)^-1.
    """
    size = len(coordinates_of(kind).v)
    columns = []
    for row in range(size):
        unit: list[Scalar] = [1.0 if place == row else 0.0 for place in range(size)]
        if isinstance(kind, Flexure):
            assert pose.bend is not None
            columns.append(tip_velocity(kind, pose.rotation, pose.bend, unit, numbers))
            continue
        motion = joint_motion(kind, pose, unit, [0.0] * size, numbers)
        columns.append((list(motion.angular), list(motion.linear) if motion.linear is not None else [0.0] * 3))
    return columns


def joint_force(
    kind: Motion, pose: JointPose, force: Vector, moment: Vector, numbers: Mapping[str, Scalar]
) -> list[Scalar]:
    """Generalised force S^T F of a wrench (force; moment about the child's origin, child axes)."""
    match kind:
        case Flexure():
            assert pose.bend is not None
            return tip_force(kind, pose.rotation, pose.bend, force, moment, numbers)
        case MotionKind.REVOLUTE:
            return [moment[2]]
        case MotionKind.PRISMATIC:
            return [force[2]]
        case MotionKind.HELICAL:
            return [moment[2] + numbers["pitch"] * force[2]]
        case MotionKind.PLANAR:
            return [force[0], force[1], moment[2]]
        case MotionKind.SPHERICAL:
            return list(moment)
        case MotionKind.FREE:
            return [*force, *moment]
        case MotionKind.ROTOR:
            return [0.0]
    assert pose.translation is not None
    world_force = pose.rotation.times(force)
    world_moment = add(pose.rotation.times(moment), cross(pose.translation, world_force))
    return [*world_moment, *world_force]
