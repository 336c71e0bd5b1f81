"""Position-level joint curves: where a joint puts its child as a function of time, to second order.

The trajectory through the state (q, v) with acceleration a has velocity coordinates ``v(t) = v + a t``. Everything
else about a joint, its partial velocities included, is read off the coefficients of the curve, so that no motion
subspace is written down anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.robot import Joint, JointKind
from symdyn.verify.base.matrices import (
    Matrix,
    MatrixSeries,
    Real,
    Vector,
    VectorSeries,
    add,
    add_matrices,
    identity,
    product,
    rotation_rate,
    scale,
    scale_matrix,
    series_cross,
    series_product,
    series_times,
    skew,
    times,
    unit,
    vector,
    zeros,
)

SIZES: dict[JointKind, tuple[int, int]] = {
    JointKind.FIXED: (0, 0),
    JointKind.CYLINDRICAL: (2, 2),
    JointKind.UNIVERSAL: (2, 2),
    JointKind.PLANAR: (3, 3),
    JointKind.SPHERICAL: (4, 3),
    JointKind.FLOATING: (7, 6),
}
"""Rows of q and of v per joint kind; kinds not listed have one of each."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Child frame in the joint frame: rotation and translation series of equal length."""

    rotation: MatrixSeries
    translation: VectorSeries


@dataclass(frozen=True, slots=True)
class PartialVelocity:
    """What one row of v adds to the child's motion, in joint axes: angular velocity and velocity of the child's origin.

    Kane's partial velocities, per unit of the row.
    """

    angular: Vector
    linear: Vector


QUATERNION_AT = {JointKind.SPHERICAL: 0, JointKind.FLOATING: 3}
"""Where a joint's quaternion begins among its rows of q."""


def scalar_last(kind: JointKind, q: Sequence[Real]) -> Vector:
    """Rows of q with a quaternion (w, x, y, z), where the kind has one, as rows with (x, y, z, w)."""
    at = QUATERNION_AT.get(kind)
    return list(q) if at is None else [*q[:at], *q[at + 1 :], q[at]]


def scalar_first(kind: JointKind, q: Sequence[Real]) -> Vector:
    """Inverse of :func:`scalar_last`."""
    at = QUATERNION_AT.get(kind)
    return list(q) if at is None else [*q[:at], q[-1], *q[at:-1]]


def rows(kind: JointKind) -> tuple[int, int]:
    """Rows of q and v that a joint kind has."""
    return SIZES.get(kind, (1, 1))


def rotation_about(axis: Sequence[float], q: Real, v: Real, a: Real) -> MatrixSeries:
    """Rotation by ``q + v t + a t^2 / 2`` about an axis (Rodrigues): ``1 + sin [u] + (1 - cos) [u]^2``."""
    turn = skew(unit(vector(axis)))
    turn_twice = product(turn, turn)
    sine, cosine = mp.sin(q), mp.cos(q)
    sines = [sine, cosine * v, (cosine * a - sine * v * v) / 2]
    cosines = [cosine, -sine * v, (-sine * a - cosine * v * v) / 2]
    ones = [mp.mpf(1), mp.mpf(0), mp.mpf(0)]
    series = []
    for order in range(3):
        part = add_matrices(scale_matrix(sines[order], turn), scale_matrix(ones[order] - cosines[order], turn_twice))
        series.append(add_matrices(part, identity()) if order == 0 else part)
    return series


def quaternion_rotation(quaternion: Sequence[Real], omega: VectorSeries, body_axes: bool) -> MatrixSeries:
    """Rotation of a moving quaternion (x, y, z, w): ``R = 1 + 2 w [u] + 2 [u]^2``, not normalised.

    The quaternion follows ``Q' = Q omega / 2`` for an angular velocity in body axes and ``Q' = omega Q / 2`` in world
    axes. The polynomial is used for the quaternion as given, which is what the tested functions do with it.
    """
    curve = [list(quaternion)]
    for order in range(2):
        total = [mp.mpf(0)] * 4
        for power in range(order + 1):
            turning = [*omega[order - power], mp.mpf(0)]
            pair = (curve[power], turning) if body_axes else (turning, curve[power])
            total = add(total, quaternion_product(*pair))
        curve.append(scale(mp.mpf(1) / (2 * (order + 1)), total))
    turns = [skew(coefficient[:3]) for coefficient in curve]
    series = []
    for order in range(3):
        total_turn = identity() if order == 0 else zeros()
        for power in range(order + 1):
            total_turn = add_matrices(total_turn, scale_matrix(2 * curve[power][3], turns[order - power]))
            total_turn = add_matrices(total_turn, scale_matrix(2, product(turns[power], turns[order - power])))
        series.append(total_turn)
    return series


def joint_curve(
    joint: Joint,
    q: Sequence[Real],
    v: Sequence[Real],
    a: Sequence[Real],
    *,
    spatial: bool = False,
    mujoco: bool = False,
) -> Curve:
    """The curve of a joint through coordinates q, in the public conventions (docs/conventions.md).

    Parameters
    ----------
    joint
        Its kind, axes and pitch.
    q, v, a
        Rows of this joint; ``a`` is the component-wise derivative of ``v``.
    spatial
        Free joints only: v is the right-invariant twist (omega; v) in the axes of the joint frame, v the velocity of
        the body-fixed point that passes the joint frame's origin; else [linear; angular] in child axes.
    mujoco
        Quaternions are (w, x, y, z), and linear velocities of free joints in the axes of the joint frame.
    """
    if mujoco:
        q = scalar_last(joint.kind, q)
    still = [vector((0, 0, 0)) for _ in range(3)]
    unturned = [identity(), zeros(), zeros()]
    match joint.kind:
        case JointKind.FIXED:
            return Curve(unturned, still)
        case JointKind.REVOLUTE | JointKind.CONTINUOUS:
            return Curve(rotation_about(joint.axis, q[0], v[0], a[0]), still)
        case JointKind.PRISMATIC:
            return Curve(unturned, _slide(joint.axis, 1, q[0], v[0], a[0]))
        case JointKind.HELICAL:
            turning = rotation_about(joint.axis, q[0], v[0], a[0])
            return Curve(turning, _slide(joint.axis, joint.pitch, q[0], v[0], a[0]))
        case JointKind.CYLINDRICAL:
            return Curve(rotation_about(joint.axis, q[1], v[1], a[1]), _slide(joint.axis, 1, q[0], v[0], a[0]))
        case JointKind.UNIVERSAL:
            first = rotation_about(joint.axis, q[0], v[0], a[0])
            second = rotation_about(joint.second_axis, q[1], v[1], a[1])
            return Curve(series_product(first, second), still)
        case JointKind.PLANAR:
            turning = rotation_about(joint.axis, q[2], v[2], a[2])
            plane = plane_axes(joint.axis)
            start = times(plane, [q[0], q[1], mp.mpf(0)])
            velocity = [times(plane, [row[0], row[1], mp.mpf(0)]) for row in (v, a)]
            return Curve(turning, _follow(start, series_times(turning, velocity)))
        case JointKind.SPHERICAL:
            return Curve(quaternion_rotation(q, [list(v), list(a)], body_axes=True), still)
        case _:  # floating
            if spatial:
                return _spatial_free_curve(q, v, a)
            turning = quaternion_rotation(q[3:], [list(v[3:]), list(a[3:])], body_axes=True)
            if mujoco:
                return Curve(turning, _follow(list(q[:3]), [list(v[:3]), list(a[:3])]))
            return Curve(turning, _follow(list(q[:3]), series_times(turning, [list(v[:3]), list(a[:3])])))


def partial_velocities(
    joint: Joint, q: Sequence[Real], *, spatial: bool = False, mujoco: bool = False
) -> list[PartialVelocity]:
    """The partial velocities of a joint, one per row of v: first coefficients of the curve along each unit row."""
    nv = rows(joint.kind)[1]
    rest = [mp.mpf(0)] * nv
    found = []
    for row in range(nv):
        direction = [mp.mpf(other == row) for other in range(nv)]
        curve = joint_curve(joint, q, direction, rest, spatial=spatial, mujoco=mujoco)
        found.append(PartialVelocity(rotation_rate(curve.rotation[:2])[0], curve.translation[1]))
    return found


def plane_axes(normal: Sequence[float]) -> Matrix:
    """The rotation by the smallest angle that turns z to the normal; half a turn about x where the normal is -z."""
    axis = unit(vector(normal))
    turn = skew([-axis[1], axis[0], mp.mpf(0)])  # z x normal
    if axis[2] < 0 and mp.hypot(axis[0], axis[1]) < mp.mpf("1e-12"):
        return [vector((1, 0, 0)), vector((0, -1, 0)), vector((0, 0, -1))]
    return add_matrices(add_matrices(identity(), turn), scale_matrix(1 / (1 + axis[2]), product(turn, turn)))


def _spatial_free_curve(q: Sequence[Real], v: Sequence[Real], a: Sequence[Real]) -> Curve:
    omega = [list(v[:3]), list(a[:3])]
    linear = [list(v[3:]), list(a[3:])]
    position = [list(q[:3])]
    for order in range(2):  # p' = v + omega x p, one coefficient after the other
        velocity = add(linear[order], series_cross(omega, position)[order])
        position.append(scale(mp.mpf(1) / (order + 1), velocity))
    return Curve(quaternion_rotation(q[3:], omega, body_axes=False), position)


def _slide(axis: Sequence[float], pitch: float, q: Real, v: Real, a: Real) -> VectorSeries:
    along = scale(mp.mpf(pitch), unit(vector(axis)))
    return [scale(q, along), scale(v, along), scale(a / 2, along)]


def _follow(start: Vector, velocity: VectorSeries) -> VectorSeries:
    """The position series that starts at a point and has this velocity series."""
    return [start, *(scale(mp.mpf(1) / (power + 1), value) for power, value in enumerate(velocity[:2]))]


def quaternion_product(left: Sequence[Real], right: Sequence[Real]) -> list[Real]:
    """The product of two quaternions (x, y, z, w)."""
    x, y, z, w = left
    a, b, c, d = right
    return [
        w * a + x * d + y * c - z * b,
        w * b - x * c + y * d + z * a,
        w * c + x * b - y * a + z * d,
        w * d - x * a - y * b - z * c,
    ]
