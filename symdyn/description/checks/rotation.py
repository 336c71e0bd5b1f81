"""Rotations and axes as they are read from files: exact where the file means a quarter turn."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from symdyn.description.quantities.number import SMALLEST
from symdyn.description.robot import Matrix3

_SNAP = 4.0 * sys.float_info.epsilon  # what a written pi/2 and a few products leave of a unit vector's zeros
_UNIT = 2e-15
_ORTHOGONAL = 1e-14
_PARALLEL = 1e-12

Triple = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Matrix3:
    """Matrix parent_R_child = Rz(yaw) Ry(pitch) Rx(roll), angles in rad.

    Entries within four units in the last place of 0, 1 and -1 become exact, so that quarter turns written as decimals
    leave exact zeros; a tilt of 1e-9 rad is kept.
    """
    cr, sr = _snap(math.cos(roll)), _snap(math.sin(roll))
    cp, sp = _snap(math.cos(pitch)), _snap(math.sin(pitch))
    cy, sy = _snap(math.cos(yaw)), _snap(math.sin(yaw))
    return _snapped(
        (
            (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr),
        )
    )


def meant_in_degrees(angles: Sequence[float]) -> str:
    """What is doubtful about angles [rad] beyond a turn that are whole fives, as degrees often are; else empty."""
    odd = next((angle for angle in angles if abs(angle) > math.tau and angle % 5.0 == 0.0), None)
    if odd is None:
        return ""
    turns = abs(odd) / math.tau
    return f"{odd:g} rad is {turns:.3g} turns; angles are in radians: {odd:g} degrees are {math.radians(odd):.6g}"


def rotation_from_quaternion(quaternion: Quaternion) -> Matrix3:
    """Matrix of a quaternion (x, y, z, w) of any length but 0; entries become exact as in :func:`rotation_from_rpy`."""
    return _snapped(quaternion_matrix(quaternion))


def quaternion_matrix(quaternion: Quaternion) -> Matrix3:
    """Matrix of a quaternion (x, y, z, w) of any length but 0, as rounding leaves it."""
    length = math.hypot(*quaternion)
    x, y, z, w = (entry / length for entry in quaternion)
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


def rotation_from_matrix(rows: Matrix3, tolerance: float = 1e-6) -> Matrix3:
    """The rotation that ``rows`` approximates; rows that are orthonormal to rounding are returned unchanged.

    Raises
    ------
    ValueError
        Not orthogonal within ``tolerance``, or a reflection.
    """
    x, y, z = rows
    gram = [dot(x, x) - 1, dot(y, y) - 1, dot(z, z) - 1, dot(x, y), dot(y, z), dot(z, x)]
    error = max(abs(entry) for entry in gram)
    # The negation also catches an error that overflowed to nan.
    if not error <= tolerance:
        raise ValueError(f"rows are not orthonormal (error {error:.1e}, allowed {tolerance:g})")
    if dot(_cross(x, y), z) < 0:
        raise ValueError("the matrix mirrors (determinant -1); a rotation has determinant +1")
    if error <= _ORTHOGONAL:
        return rows
    first = _scaled(x)
    second = perpendicular(y, first)
    return _snapped((first, second, _cross(first, second)))


def unit_vector(vector: Triple) -> Triple | None:
    """``vector`` scaled to length one, unchanged where it has that length already; None where it points nowhere."""
    if abs(dot(vector, vector) - 1.0) <= _UNIT:
        return vector
    return _scaled(vector) if any(vector) and all(map(math.isfinite, vector)) else None


def rotation_with_x(axis: Triple) -> Matrix3:
    """The rotation whose x axis is the unit vector ``axis``, and whose z axis is the parent's as nearly as that allows.

    Where ``axis`` is along the parent's z, the y axis is the parent's instead.
    """
    if abs(axis[2]) > 1.0 - _PARALLEL:
        y = perpendicular((0.0, 1.0, 0.0), axis)
        z = _cross(axis, y)
    else:
        z = perpendicular((0.0, 0.0, 1.0), axis)
        y = _cross(z, axis)
    return _snapped(((axis[0], y[0], z[0]), (axis[1], y[1], z[1]), (axis[2], y[2], z[2])))


def perpendicular(vector: Triple, axis: Triple) -> Triple:
    """Unit vector of the part of ``vector`` at right angles to the unit vector ``axis``."""
    for _ in range(2):  # the second time removes what rounding left along the axis, where little is at right angles
        along = dot(vector, axis)
        x, y, z = (component - along * direction for component, direction in zip(vector, axis, strict=True))
        vector = _scaled((x, y, z))
    return vector


def dot(first: Triple, second: Triple) -> float:
    """Inner product."""
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


def _cross(a: Triple, b: Triple) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _scaled(vector: Triple) -> Triple:
    if not all(map(math.isfinite, vector)):  # which of them max takes for the largest depends on their order
        return (math.nan, math.nan, math.nan)
    # Dividing by the largest component first keeps the length inside the range of doubles.
    largest = max(abs(component) for component in vector)
    x, y, z = (component / largest for component in vector)
    length = math.hypot(x, y, z)
    return _flushed(x / length), _flushed(y / length), _flushed(z / length)


def _flushed(value: float) -> float:
    # So small a component turns nothing, and cannot be written in a robot file.
    return value if abs(value) >= SMALLEST else 0.0


def _snapped(rows: Matrix3) -> Matrix3:
    first, second, third = ((_snap(a), _snap(b), _snap(c)) for a, b, c in rows)
    return first, second, third


def _snap(value: float) -> float:
    if abs(value) <= _SNAP:
        return 0.0
    if abs(abs(value) - 1.0) <= _SNAP:
        return math.copysign(1.0, value)
    return value
