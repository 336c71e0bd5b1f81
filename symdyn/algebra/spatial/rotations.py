"""Rotations over any scalar, and the constant rotations that turn an axis to z."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.symmetric import packed, unpacked
from symdyn.algebra.spatial.vectors import Matrix, Vector, entries_of, product, times, transpose

Matrix3 = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
UNTURNED = tuple(entries_of(IDENTITY))
"""The identity by nine row-major scalars."""

ROUNDING = 4.0 * sys.float_info.epsilon
"""Entries of a constant rotation or unit vector this close to 0 or +-1 are rounding errors and are set exactly.

Four units in the last place: what the cosine of a written pi/2 and a few products leave. All above that is kept.
"""


@dataclass(frozen=True, slots=True)
class AboutZ:
    """Rotation about z, stored as sine and cosine so that the third component costs nothing."""

    sine: Scalar
    cosine: Scalar

    def times(self, a: Vector) -> list[Scalar]:
        """``R a``."""
        return [self.cosine * a[0] - self.sine * a[1], self.sine * a[0] + self.cosine * a[1], a[2]]

    def transpose_times(self, a: Vector) -> list[Scalar]:
        """``R^T a``."""
        return [self.cosine * a[0] + self.sine * a[1], self.cosine * a[1] - self.sine * a[0], a[2]]

    def matrix(self) -> Matrix:
        """The 3 x 3 matrix."""
        return [[self.cosine, -self.sine, 0.0], [self.sine, self.cosine, 0.0], [0.0, 0.0, 1.0]]


@dataclass(frozen=True, slots=True)
class General:
    """Rotation given by its matrix."""

    entries: Matrix

    def times(self, a: Vector) -> list[Scalar]:
        """``R a``."""
        return times(self.entries, a)

    def transpose_times(self, a: Vector) -> list[Scalar]:
        """``R^T a``."""
        return times(transpose(self.entries), a)

    def matrix(self) -> Matrix:
        """The 3 x 3 matrix."""
        return self.entries


@dataclass(frozen=True, slots=True)
class Identity:
    """No rotation."""

    def times(self, a: Vector) -> list[Scalar]:
        """``a``."""
        return list(a)

    def transpose_times(self, a: Vector) -> list[Scalar]:
        """``a``."""
        return list(a)

    def matrix(self) -> Matrix:
        """The identity matrix."""
        return IDENTITY


Rotation = AboutZ | General | Identity


def turned_matrix(rotation: Rotation, matrix: Matrix) -> Matrix:
    """``R X R^T``.

    A turn about z takes 11 operations for the block xx, xy, yx, yy: w = s (xx - yy) + c (xy + yx);
    xx' = xx - s w,  yy' = yy + s w,  xy' = c w - yx,  yx' = c w - xy.
    """
    if not isinstance(rotation, AboutZ):
        turn = rotation.matrix()
        return product(product(turn, matrix), transpose(turn))
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix
    mixed = rotation.sine * (xx - yy) + rotation.cosine * (xy + yx)
    spread, level = rotation.sine * mixed, rotation.cosine * mixed
    xz, yz, _ = rotation.times((xz, yz, 0.0))
    zx, zy, _ = rotation.times((zx, zy, 0.0))
    return [[xx - spread, level - yx, xz], [level - xy, yy + spread, yz], [zx, zy, zz]]


def turned_symmetric(rotation: Rotation, entries: Vector) -> list[Scalar]:
    """``R A R^T`` of a symmetric matrix, both by xx, xy, xz, yy, yz, zz.

    A turn about z takes 10 operations for xx, xy, yy: w = s (xx - yy) + 2 c xy;  xx' = xx - s w,  yy' = yy + s w,
    xy' = c w - xy.
    """
    if not isinstance(rotation, AboutZ):
        return packed(turned_matrix(rotation, unpacked(entries, 3)))
    xx, xy, xz, yy, yz, zz = entries
    mixed = rotation.sine * (xx - yy) + rotation.cosine * (xy + xy)
    spread = rotation.sine * mixed
    xz, yz, _ = rotation.times((xz, yz, 0.0))
    return [xx - spread, rotation.cosine * mixed - xy, xz, yy + spread, yz, zz]


def from_quaternion(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> General:
    """Rotation matrix of a unit quaternion, ``1 + 2 w [u] + 2 [u]^2`` with u = (x, y, z); it is not normalised."""
    tx, ty, tz = x + x, y + y, z + z
    twx, twy, twz = tx * w, ty * w, tz * w
    txx, txy, txz = tx * x, ty * x, tz * x
    tyy, tyz, tzz = ty * y, tz * y, tz * z
    return General(
        [
            [1.0 - (tyy + tzz), txy - twz, txz + twy],
            [txy + twz, 1.0 - (txx + tzz), tyz - twx],
            [txz - twy, tyz + twx, 1.0 - (txx + tyy)],
        ]
    )


def snapped(matrix: Matrix) -> Matrix3:
    """A constant rotation with the rounding errors of 0 and +-1 removed."""
    rows = [(_snap(row[0]), _snap(row[1]), _snap(row[2])) for row in matrix]
    return (rows[0], rows[1], rows[2])


def _snap(x: float) -> float:
    if abs(x) <= ROUNDING:
        return 0.0
    return math.copysign(1.0, x) if abs(abs(x) - 1.0) <= ROUNDING else float(x)


def minimal_rotation_from_z(axis: Vector) -> Matrix3:
    """The rotation by the smallest angle that takes z to a unit axis; for -z, half a turn about x."""
    x, y, z = (float(value) for value in axis)
    if z < 0.0:
        across = math.hypot(x, y)
        if across < 1e-12:  # the smallest rotation from -z instead, after the half turn
            (xx, xy, _), (yx, yy, _), (zx, zy, _) = minimal_rotation_from_z((-x, -y, -z))
            return snapped(((xx, -xy, x), (yx, -yy, y), (zx, -zy, z)))
        # 1 / (1 + z) = (1 - z) / (x^2 + y^2) for a unit axis, without the cancellation near -z
        x_part, y_part, grown = x / across, y / across, 1.0 - z
        xx, xy, yy = x_part * x_part * grown, x_part * y_part * grown, y_part * y_part * grown
    else:
        shrink = 1.0 / (1.0 + z)
        xx, xy, yy = x * x * shrink, x * y * shrink, y * y * shrink
    return snapped([[1.0 - xx, -xy, x], [-xy, 1.0 - yy, y], [-x, -y, z]])


def axis_to_z(axis: Vector) -> Matrix3:
    """A rotation A with ``A z = axis``, a signed permutation where the axis allows it so that no zero is lost.

    It allows it where the two other components are rounding errors of a unit vector (``ROUNDING``). The largest
    component says nothing about that: beside a tilt of 1e-8 it is 1 to the last bit.
    """
    x, y, z = (_snap(float(value)) for value in axis)
    if y == z == 0.0:
        return ((0.0, 0.0, x), (x, 0.0, 0.0), (0.0, 1.0, 0.0))
    if x == z == 0.0:
        return ((0.0, y, 0.0), (0.0, 0.0, y), (1.0, 0.0, 0.0))
    return minimal_rotation_from_z((x, y, z))


def turn(axis: Vector, angle: float) -> Matrix3:
    """Rotation about a unit axis (Rodrigues)."""
    x, y, z = (float(value) for value in axis)
    sine, cosine = math.sin(angle), math.cos(angle)
    versine = 2.0 * math.sin(angle / 2.0) ** 2
    return snapped(
        [
            [cosine + x * x * versine, x * y * versine - z * sine, x * z * versine + y * sine],
            [y * x * versine + z * sine, cosine + y * y * versine, y * z * versine - x * sine],
            [z * x * versine - y * sine, z * y * versine + x * sine, cosine + z * z * versine],
        ]
    )
