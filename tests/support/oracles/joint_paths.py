"""What a joint does in its own frame, as series in time: where it puts its child, and how each row of v moves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from support.oracles.mpmath_series import (
    Matrix,
    Series,
    Vector,
    about,
    constant,
    constant_matrix,
    cross,
    integral,
    plus,
    product,
    scaled,
    times,
    transposed,
    turned,
    turning,
)
from symdyn.description.robot import Joint, JointKind

UNITS = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@dataclass(frozen=True)
class Path:
    """Rotation and origin of the child in the joint's frame.

    Each row of ``columns``: what one row of v adds to the angular velocity, and to the velocity of the child's origin.
    """

    rotation: Matrix
    origin: Vector
    columns: list[tuple[Vector, Vector]]


def joint_path(joint: Joint, q: Sequence[Any], v: Sequence[Series], length: int, *, right_invariant: bool) -> Path:
    """The path of a joint through its own coordinates q with its own velocities v.

    Parameters
    ----------
    joint
        Its kind, axes and pitch.
    q
        Its rows; quaternions of unit length to working precision.
    v
        Its rows, series of ``length - 1`` coefficients.
    length
        How many coefficients the path has.
    right_invariant
        A free joint's v is (omega; v) of the body-fixed point at the joint frame's origin, in the joint's axes.
    """
    nothing, still = constant((0, 0, 0), length), constant_matrix(UNITS, length)
    if joint.kind is JointKind.FIXED:
        return Path(still, nothing, [])
    axis = unit(joint.axis, length)
    angles = [integral(speed, start) for speed, start in zip(v, q, strict=False)]
    match joint.kind:
        case JointKind.REVOLUTE | JointKind.CONTINUOUS | JointKind.HELICAL:
            slide = scaled(mp.mpf(joint.pitch) if joint.kind is JointKind.HELICAL else 0, axis)
            return Path(about(axis, angles[0]), along(slide, angles[0]), [(axis, slide)])
        case JointKind.PRISMATIC:
            return Path(still, along(axis, angles[0]), [(nothing, axis)])
        case JointKind.CYLINDRICAL:
            return Path(about(axis, angles[1]), along(axis, angles[0]), [(nothing, axis), (axis, nothing)])
        case JointKind.UNIVERSAL:
            second = unit(joint.second_axis, length)
            first = about(axis, angles[0])
            columns = [(axis, nothing), (turned(first, second), nothing)]
            return Path(product(first, about(second, angles[1])), nothing, columns)
        case JointKind.SPHERICAL:
            rotation = turning(quaternion_matrix(q[:4]), v)
            return Path(rotation, nothing, [(own, nothing) for own in transposed(rotation)])
        case JointKind.PLANAR:
            rotation = about(axis, angles[2])
            slides = transposed(product(rotation, plane(joint.axis, length)))[:2]
            start = turned(plane(joint.axis, length), constant((*q[:2], 0), length))
            origin = followed(start, slides, v[:2])
            return Path(rotation, origin, [*((nothing, own) for own in slides), (axis, nothing)])
        case _ if right_invariant:
            rotation = turning(quaternion_matrix(q[3:7]), v[:3], fixed_axes=True)
            origin = swept(q[:3], v[:3], v[3:])
            return Path(
                rotation, origin, [*((own, cross(own, origin)) for own in still), *((nothing, own) for own in still)]
            )
        case _:
            rotation = turning(quaternion_matrix(q[3:7]), v[3:])
            own_axes = transposed(rotation)
            origin = followed(constant(q[:3], length), own_axes, v[:3])
            return Path(
                rotation, origin, [*((nothing, own) for own in own_axes), *((own, nothing) for own in own_axes)]
            )


def unit(axis: Sequence[float], length: int) -> Vector:
    """A constant axis of length 1."""
    size = mp.sqrt(mp.fsum(mp.mpf(x) ** 2 for x in axis))
    return constant([mp.mpf(x) / size for x in axis], length)


def along(axis: Vector, distance: Series) -> Vector:
    """A point that slides along an axis."""
    return [times(part, distance) for part in axis]


def plane(normal: Sequence[float], length: int) -> Matrix:
    """The least rotation from z to the normal (x, y, z); half a turn about x where that is -z."""
    x, y, z = (part[0] for part in unit(normal, 1))
    if z < 0 and mp.hypot(x, y) < mp.mpf("1e-12"):
        return constant_matrix([(1, 0, 0), (0, -1, 0), (0, 0, -1)], length)
    h = 1 / (1 + z)
    return constant_matrix([(1 - h * x * x, -h * x * y, x), (-h * x * y, 1 - h * y * y, y), (-x, -y, z)], length)


def quaternion_matrix(quaternion: Sequence[Any]) -> list[list[Any]]:
    """The rotation matrix of a unit quaternion (x, y, z, w)."""
    x, y, z, w = (mp.mpf(value) for value in quaternion)
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]


def followed(start: Vector, axes: Sequence[Vector], speeds: Sequence[Series]) -> Vector:
    """A point that leaves the constant ``start`` with these speeds along moving axes."""
    velocity = plus(*([times(speed, part) for part in axis] for speed, axis in zip(speeds, axes, strict=True)))
    return [integral(part, first[0]) for part, first in zip(velocity, start, strict=True)]


def swept(start: Sequence[Any], omega: Vector, linear: Vector) -> Vector:
    """The point that leaves ``start`` by p' = v + omega x p."""
    found: Vector = [[mp.mpf(value)] for value in start]
    for k in range(1, len(omega[0]) + 1):
        velocity = plus([part[:k] for part in linear], cross(omega, found))
        for part, more in zip(found, velocity, strict=True):
            part.append(more[k - 1] / k)
    return found
