"""The pose and motion of a flexible link's tip, by the amplitudes of its shapes.

With the coordinates d and the amplitudes e = (d, products of d) of the link's shapes, the tip stands at

    translation t = sum tip_i e_i,      rotation R = exp [phi],      phi = sum slope_k d_k

in the joint's frame, whose origin is the tip at rest. Its motion is the exact derivative of that pose, so that energy
is conserved however far the link bends: in the tip's axes

    omega = G phi',  G = 1 - c_2 [phi] + c_3 [phi]^2,      v = R^T t'

with the functions c_k of phi . phi of :mod:`symdyn.algebra.spatial.exponential` (Mohan & Saha, eqs. 10 and 11, have
the first order of it). Where all slopes are about one axis, that is the joint's z axis, and the rotation a plain
turn. Otherwise series end at slopes of pi, and beyond them the tip is nowhere: its pose and motion are no finite
numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import stumpff
from symdyn.algebra.spatial.rotations import AboutZ, General, Identity, Rotation
from symdyn.algebra.spatial.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    entries_of,
    matrix_from,
    scale,
    subtract,
    times,
    transpose,
)
from symdyn.model.joints.bending import (
    Bending,
    Turning,
    amplitude_bends,
    amplitudes,
    per_coordinate,
    slopes_of,
    tip_shapes,
    weighted,
)

_TERMS = 12
"""Of the series in phi . phi: good to rounding for slopes up to pi."""
_STEEPEST = 10.0
"""What phi . phi may be: pi^2 and a little."""
_BEYOND = 1e38
"""Added to what is more: the series overflow in floats of either size, and nothing that rests on them is a number."""


@dataclass(frozen=True, slots=True)
class Bend:
    """What of a bent link's shape its tip's motion needs beside the pose.

    ``tangent`` is G, ``slope`` phi, ``bends`` c_2, c_3, 2 c_4 - c_3 and 3 c_5 - c_4; all of them None where the tip
    turns about one axis or not at all. ``moves`` are the derivatives of t by the coordinates.
    """

    moves: Sequence[Vector] | None = None
    tangent: Matrix | None = None
    slope: Vector | None = None
    bends: Vector | None = None


def _turn(numbers: Mapping[str, Scalar], weights: Sequence[Scalar]) -> Scalar:
    """The sum of slopes about z times weights."""
    total: Scalar = 0.0
    for row, weight in enumerate(weights):
        total = total + numbers[f"slope{row}z"] * weight
    return total


def bent_pose(kind: Bending, algebra: Algebra, d: Sequence[Scalar], numbers: Mapping[str, Scalar]) -> list[Scalar]:
    """The scalars of :func:`bent_from` for coordinates d."""
    shapes = tip_shapes(kind, numbers)
    stored = weighted(shapes, amplitudes(kind.pairs, d))
    if kind.pairs:
        stored += [x for move in per_coordinate(kind, d, shapes) for x in move]
    if kind.turning is Turning.Z:
        return [*algebra.sin_cos(_turn(numbers, d)), *stored]
    if kind.turning is Turning.NONE:
        return stored
    phi = weighted(slopes_of(kind, numbers), d)
    s = dot(phi, phi)
    s = s + algebra.select(algebra.compare("less", _STEEPEST, s), _BEYOND, 0.0)
    _, c1, c2, c3, c4, c5 = stumpff(algebra, s, _TERMS)
    square = [[phi[i] * phi[j] for j in range(3)] for i in range(3)]
    rotation = _skew_polynomial(phi, square, c1, c2)
    tangent = _skew_polynomial(phi, square, -c2, c3)
    bends = [c2, c3, (c4 + c4) - c3, 3.0 * c5 - c4]
    return [*entries_of(rotation), *entries_of(tangent), *phi, *bends, *stored]


def _skew_polynomial(x: Vector, square: Matrix, first: Scalar, second: Scalar) -> list[list[Scalar]]:
    """``1 + first [x] + second [x]^2``, from x x^T."""
    sx, sy, sz = scale(first, x)
    xx, yy, zz = (second * square[i][i] for i in range(3))
    xy, xz, yz = second * square[0][1], second * square[0][2], second * square[1][2]
    return [
        [1.0 - (yy + zz), xy - sz, xz + sy],
        [xy + sz, 1.0 - (xx + zz), yz - sx],
        [xz - sy, yz + sx, 1.0 - (xx + yy)],
    ]


def bent_from(kind: Bending, stored: Sequence[Scalar]) -> tuple[Rotation, list[Scalar], Bend]:
    """Rotation and translation of the tip, and what its motion needs."""
    turned = kind.turned_size
    translation, rest = list(stored[turned : turned + 3]), stored[turned + 3 :]
    moves = [rest[3 * row : 3 * row + 3] for row in range(kind.rows)] if kind.pairs else None
    if kind.turning is Turning.NONE:
        return Identity(), translation, Bend(moves)
    if kind.turning is Turning.Z:
        return AboutZ(stored[0], stored[1]), translation, Bend(moves)
    rotation = General(matrix_from(stored[:9]))
    return rotation, translation, Bend(moves, matrix_from(stored[9:18]), stored[18:21], stored[21:25])


def tip_moves(kind: Bending, bend: Bend, numbers: Mapping[str, Scalar]) -> Sequence[Vector]:
    """The derivatives of the tip's place by the coordinates, in the joint's axes, (m, 3)."""
    return bend.moves if bend.moves is not None else tip_shapes(kind, numbers)


def tip_velocity(
    kind: Bending, rotation: Rotation, bend: Bend, rates: Sequence[Scalar], numbers: Mapping[str, Scalar]
) -> list[Scalar]:
    """The velocity (v; omega) of the tip against the joint's frame, in the tip's axes, for rates of d."""
    linear = rotation.transpose_times(weighted(tip_moves(kind, bend, numbers), rates))
    if kind.turning is Turning.Z:
        return [*linear, 0.0, 0.0, _turn(numbers, rates)]
    if kind.turning is Turning.NONE:
        return [*linear, 0.0, 0.0, 0.0]
    assert bend.tangent is not None
    return [*linear, *times(bend.tangent, weighted(slopes_of(kind, numbers), rates))]


def tip_bias(
    kind: Bending, rotation: Rotation, bend: Bend, rates: Sequence[Scalar], numbers: Mapping[str, Scalar]
) -> list[Scalar]:
    """The time derivatives of the components of :func:`tip_velocity` where the rates are constant.

    omega' = c_3 phi' x w + (phi . phi') ((3 c_5 - c_4) phi x w - (2 c_4 - c_3) w),  w = phi x phi';
    v' = R^T t'' - omega x v, with t'' of the products alone.
    """
    twist = tip_velocity(kind, rotation, bend, rates, numbers)
    linear = scale(-1.0, cross(twist[3:], twist[:3]))
    if kind.pairs:
        curved = weighted(tip_shapes(kind, numbers)[kind.rows :], amplitude_bends(kind.pairs, rates))
        linear = add(rotation.transpose_times(curved), linear)
    if kind.turning is not Turning.ALL:
        return [*linear, 0.0, 0.0, 0.0]
    assert bend.slope is not None and bend.bends is not None
    phi, (_, c3, second, third) = bend.slope, bend.bends
    phi_rate = weighted(slopes_of(kind, numbers), rates)
    turned = cross(phi, phi_rate)
    along = dot(phi, phi_rate)
    angular = add(scale(c3, cross(phi_rate, turned)), scale(-(along * second), turned))
    return [*linear, *add(angular, scale(along * third, cross(phi, turned)))]


def tip_force(
    kind: Bending, rotation: Rotation, bend: Bend, wrench: Vector, numbers: Mapping[str, Scalar]
) -> list[Scalar]:
    """Generalised forces of a wrench (f; n) on the tip, about its origin in its axes, per coordinate."""
    pushed = rotation.times(wrench[:3])
    felt = [dot(move, pushed) for move in tip_moves(kind, bend, numbers)]
    if kind.turning is Turning.Z:
        return [own + numbers[f"slope{row}z"] * wrench[5] for row, own in enumerate(felt)]
    if kind.turning is Turning.NONE:
        return felt
    assert bend.tangent is not None
    twisted = times(transpose(bend.tangent), wrench[3:])
    return [own + dot(slope, twisted) for own, slope in zip(felt, slopes_of(kind, numbers), strict=True)]


def column_rates(
    kind: Bending, rotation: Rotation, bend: Bend, rates: Sequence[Scalar], numbers: Mapping[str, Scalar]
) -> list[list[Scalar]]:
    """Time derivatives of the components of each column (v; omega) of :func:`tip_velocity`, in tip axes."""
    omega = tip_velocity(kind, rotation, bend, rates, numbers)[3:]
    still: list[Vector] = [[0.0] * 3] * kind.rows
    changes = per_coordinate(kind, rates, [*still, *tip_shapes(kind, numbers)[kind.rows :]])
    linear = []
    for move, change in zip(tip_moves(kind, bend, numbers), changes, strict=True):
        own = rotation.transpose_times(change) if kind.pairs else [0.0] * 3
        linear.append(subtract(own, cross(omega, rotation.transpose_times(move))))
    if kind.turning is not Turning.ALL:
        return [[*own, 0.0, 0.0, 0.0] for own in linear]
    assert bend.slope is not None and bend.bends is not None
    phi, (c2, c3, second, third) = bend.slope, bend.bends
    slopes = slopes_of(kind, numbers)
    phi_rate = weighted(slopes, rates)
    along = dot(phi, phi_rate)
    angular = []
    for slope in slopes:
        turned, spun = cross(phi, slope), cross(phi_rate, slope)
        twice = scale(c3, add(cross(phi_rate, turned), cross(phi, spun)))
        faded = add(scale(along * second, turned), scale(c2, spun))
        angular.append(add(subtract(twice, faded), scale(along * third, cross(phi, turned))))
    return [[*own, *turning] for own, turning in zip(linear, angular, strict=True)]
