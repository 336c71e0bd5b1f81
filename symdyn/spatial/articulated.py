"""Articulated-body inertia: how a body with free joints behind it resists acceleration (Featherstone 2008, chapter 7).

With the classical acceleration a of the frame's origin and the angular acceleration alpha, in the frame's own axes,

    f = M a + H^T alpha,    n = H a + J alpha

M is not a multiple of the identity and H not skew, as soon as a joint gives way. The symmetric 6 x 6 matrix is held by
its 21 entries on and above the diagonal, rows (f; n) and columns (a; alpha).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.scalars.algebra import Scalar
from symdyn.spatial.inertia import Inertia
from symdyn.spatial.rotations import AboutZ, Identity, Rotation
from symdyn.spatial.vectors import Matrix, Vector, product, times, transpose

ENTRIES = tuple((row, column) for row in range(6) for column in range(row, 6))
SIZE = len(ENTRIES)
_PLACE = {entry: place for place, entry in enumerate(ENTRIES)} | {
    (column, row): place for place, (row, column) in enumerate(ENTRIES)
}
_TRANSLATIONAL = tuple(_PLACE[row, column] for row, column in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
_ROTATIONAL = tuple(_PLACE[row, column] for row, column in ((3, 3), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5)))
_COUPLING = tuple(tuple(_PLACE[3 + row, column] for column in range(3)) for row in range(3))
_SYMMETRIC = ((0, 1, 2), (1, 3, 4), (2, 4, 5))
_UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """The 21 entries in the order of ``ENTRIES``: kg, kg m and kg m^2."""

    entries: Sequence[Scalar]

    def column(self, place: int) -> list[Scalar]:
        """Force and moment of a unit acceleration along one axis (0..2: a, 3..5: alpha)."""
        return [self.entries[_PLACE[row, place]] for row in range(6)]

    def times(self, motion: Vector) -> list[Scalar]:
        """Force and moment (6,) of an acceleration (a; alpha), (6,)."""
        return [_dot(self.column(row), motion) for row in range(6)]

    def plus(self, other: ArticulatedInertia) -> ArticulatedInertia:
        """Both together, in the same frame."""
        return ArticulatedInertia([x + y for x, y in zip(self.entries, other.entries, strict=True)])

    def plus_product(self, left: Vector, right: Vector) -> ArticulatedInertia:
        """With ``left right^T``, a symmetric product of rank one, added."""
        return ArticulatedInertia(
            [entry + left[row] * right[column] for entry, (row, column) in zip(self.entries, ENTRIES, strict=True)]
        )

    def without_axis(self, place: int, left: Vector, right: Vector) -> ArticulatedInertia:
        """As :meth:`plus_product`, where it is known to leave nothing in one row and column."""
        return ArticulatedInertia(
            [
                0.0 if place in (row, column) else entry + left[row] * right[column]
                for entry, (row, column) in zip(self.entries, ENTRIES, strict=True)
            ]
        )

    def turned(self, rotation: Rotation) -> ArticulatedInertia:
        """The same inertia in the axes of a frame in which its own axes stand at a rotation; same origin.

        A turn about z takes 10 operations for a symmetric block of two, 11 for another one, and 6 for a vector.
        """
        if isinstance(rotation, Identity):
            return self
        translational, coupling, rotational = self._blocks()
        if isinstance(rotation, AboutZ):
            return _joined(
                _symmetric_about_z(rotation, translational),
                _general_about_z(rotation, coupling),
                _symmetric_about_z(rotation, rotational),
            )
        return self.turned_by(rotation.matrix())

    def turned_by(self, matrix: Matrix) -> ArticulatedInertia:
        """As :meth:`turned`, for any rotation matrix."""
        translational, coupling, rotational = self._blocks()
        return _joined(
            _congruent(matrix, translational),
            product(product(matrix, coupling), transpose(matrix)),
            _congruent(matrix, rotational),
        )

    def shifted(self, offset: Vector) -> ArticulatedInertia:
        """The same inertia about the origin of a parallel frame in which its own origin stands at ``offset`` l [m].

        M' = M,  H' = H + [l] M,  J' = J + [l] H^T + H' [l]^T, with equal products taken together.
        """
        x, y, z = offset
        m, h, j = self._blocks()
        p = [
            [h[0][k] + (y * _of(m, 2, k) - z * _of(m, 1, k)) for k in range(3)],
            [h[1][k] + (z * _of(m, 0, k) - x * _of(m, 2, k)) for k in range(3)],
            [h[2][k] + (x * _of(m, 1, k) - y * _of(m, 0, k)) for k in range(3)],
        ]
        shifted = [
            j[0] + (y * (h[0][2] + p[0][2]) - z * (h[0][1] + p[0][1])),
            j[1] + (z * (p[0][0] - h[1][1]) + (y * h[1][2] - x * p[0][2])),
            j[2] + (y * (h[2][2] - p[0][0]) + (x * p[0][1] - z * h[2][1])),
            j[3] + (z * (h[1][0] + p[1][0]) - x * (h[1][2] + p[1][2])),
            j[4] + (x * (p[1][1] - h[2][2]) + (z * h[2][0] - y * p[1][0])),
            j[5] + (x * (h[2][1] + p[2][1]) - y * (h[2][0] + p[2][0])),
        ]
        return _joined(m, p, shifted)

    def _blocks(self) -> tuple[list[Scalar], list[list[Scalar]], list[Scalar]]:
        """Upper triangles of M and J, and H."""
        return (
            [self.entries[place] for place in _TRANSLATIONAL],
            [[self.entries[place] for place in row] for row in _COUPLING],
            [self.entries[place] for place in _ROTATIONAL],
        )


def rigid(inertia: Inertia) -> ArticulatedInertia:
    """The articulated inertia of one rigid body: M = m 1, H = [h], J = tr(Sigma) 1 - Sigma."""
    (x, y, z), (xx, xy, xz, yy, yz, zz) = inertia.first, inertia.second
    mass = inertia.mass
    return _joined(
        [mass, 0.0, 0.0, mass, 0.0, mass],
        [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]],
        [yy + zz, -xy, -xz, xx + zz, -yz, xx + yy],
    )


def _joined(translational: Vector, coupling: Matrix, rotational: Vector) -> ArticulatedInertia:
    entries: list[Scalar] = [0.0] * SIZE
    for place, value in zip(_TRANSLATIONAL, translational, strict=True):
        entries[place] = value
    for places, row in zip(_COUPLING, coupling, strict=True):
        for place, value in zip(places, row, strict=True):
            entries[place] = value
    for place, value in zip(_ROTATIONAL, rotational, strict=True):
        entries[place] = value
    return ArticulatedInertia(entries)


def _of(upper: Vector, row: int, column: int) -> Scalar:
    return upper[_SYMMETRIC[row][column]]


def _dot(a: Vector, b: Vector) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def _symmetric_about_z(turn: AboutZ, upper: Vector) -> list[Scalar]:
    """R A R^T: with w = s (xx - yy) + 2 c xy, the block about z becomes xx - s w, c w - xy, yy + s w."""
    xx, xy, xz, yy, yz, zz = upper
    mixed = turn.sine * (xx - yy) + turn.cosine * (xy + xy)
    spread = turn.sine * mixed
    xz, yz, _ = turn.times((xz, yz, 0.0))
    return [xx - spread, turn.cosine * mixed - xy, xz, yy + spread, yz, zz]


def _general_about_z(turn: AboutZ, h: Matrix) -> list[list[Scalar]]:
    """R H R^T: with w = s (xx - yy) + c (xy + yx): xx - s w, c w - yx, c w - xy, yy + s w."""
    mixed = turn.sine * (h[0][0] - h[1][1]) + turn.cosine * (h[0][1] + h[1][0])
    spread, across = turn.sine * mixed, turn.cosine * mixed
    xz, yz, _ = turn.times((h[0][2], h[1][2], 0.0))
    zx, zy, _ = turn.times((h[2][0], h[2][1], 0.0))
    return [
        [h[0][0] - spread, across - h[1][0], xz],
        [across - h[0][1], h[1][1] + spread, yz],
        [zx, zy, h[2][2]],
    ]


def _congruent(matrix: Matrix, upper: Vector) -> list[Scalar]:
    """R A R^T of a symmetric A, by its upper triangle."""
    columns = [times(matrix, [_of(upper, row, column) for row in range(3)]) for column in range(3)]
    return [
        matrix[j][0] * columns[0][i] + matrix[j][1] * columns[1][i] + matrix[j][2] * columns[2][i] for i, j in _UPPER
    ]


def motion_at_offset(motion: Vector, offset: Vector) -> list[Scalar]:
    """Acceleration (a; alpha) of a frame at ``offset`` l of one that accelerates so: a + alpha x l, the rates apart."""
    x, y, z = offset
    a, alpha = motion[:3], motion[3:]
    return [
        a[0] + (alpha[1] * z - alpha[2] * y),
        a[1] + (alpha[2] * x - alpha[0] * z),
        a[2] + (alpha[0] * y - alpha[1] * x),
        *alpha,
    ]


def wrench_at_offset(wrench: Vector, offset: Vector) -> list[Scalar]:
    """A wrench (f; n) on a frame at ``offset`` l, about this frame's origin: n + l x f."""
    x, y, z = offset
    f, n = wrench[:3], wrench[3:]
    return [
        *f,
        n[0] + (y * f[2] - z * f[1]),
        n[1] + (z * f[0] - x * f[2]),
        n[2] + (x * f[1] - y * f[0]),
    ]
