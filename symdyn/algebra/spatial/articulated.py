"""Articulated-body inertia: how a body with free joints behind it resists acceleration (Featherstone 2008, chapter 7).

With the classical acceleration a of the frame's origin and the angular acceleration alpha, in the frame's own axes,

    f = M a + H^T alpha,    n = H a + J alpha

M is not a multiple of the identity and H not skew, as soon as a joint gives way. The symmetric 6 x 6 matrix is stored
as its 21 entries on and above the diagonal, rows (f; n) and columns (a; alpha).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.inertia import Inertia
from symdyn.algebra.spatial.rotations import General, Identity, Rotation, turned_matrix, turned_symmetric
from symdyn.algebra.spatial.symmetric import packed, unpacked, upper
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, skew, times, transpose

ENTRIES = tuple(upper(6))
SIZE = len(ENTRIES)
_PLACE = {entry: place for place, entry in enumerate(ENTRIES)}


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """The 21 entries in the order of ``ENTRIES``: kg, kg m and kg m^2."""

    entries: Sequence[Scalar]

    def column(self, place: int) -> list[Scalar]:
        """Force and moment of a unit acceleration along one axis (0..2: a, 3..5: alpha)."""
        return [self.entries[_PLACE[min(row, place), max(row, place)]] for row in range(6)]

    def times(self, motion: Vector) -> list[Scalar]:
        """Force and moment (6,) of an acceleration (a; alpha), (6,)."""
        return times(unpacked(self.entries, 6), motion)

    def plus(self, other: ArticulatedInertia) -> ArticulatedInertia:
        """Both together, in the same frame."""
        return ArticulatedInertia(add(self.entries, other.entries))

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
        m, h, j = self._blocks()
        return _joined(
            unpacked(turned_symmetric(rotation, packed(m)), 3),
            turned_matrix(rotation, h),
            unpacked(turned_symmetric(rotation, packed(j)), 3),
        )

    def shifted(self, offset: Vector) -> ArticulatedInertia:
        """The same inertia about the origin of a parallel frame in which its own origin stands at ``offset`` l [m].

        M' = M,  H' = H + [l] M,  J' = J + [l] H^T + H' [l]^T, with equal products taken together.
        """
        x, y, z = offset
        m, h, j = self._blocks()
        # H' = H + [l] M
        p = [
            [h[0][k] + (y * m[2][k] - z * m[1][k]) for k in range(3)],
            [h[1][k] + (z * m[0][k] - x * m[2][k]) for k in range(3)],
            [h[2][k] + (x * m[1][k] - y * m[0][k]) for k in range(3)],
        ]
        # The upper triangle of J', by rows
        shifted = [
            j[0][0] + (y * (h[0][2] + p[0][2]) - z * (h[0][1] + p[0][1])),
            j[0][1] + (z * (p[0][0] - h[1][1]) + (y * h[1][2] - x * p[0][2])),
            j[0][2] + (y * (h[2][2] - p[0][0]) + (x * p[0][1] - z * h[2][1])),
            j[1][1] + (z * (h[1][0] + p[1][0]) - x * (h[1][2] + p[1][2])),
            j[1][2] + (x * (p[1][1] - h[2][2]) + (z * h[2][0] - y * p[1][0])),
            j[2][2] + (x * (h[2][1] + p[2][1]) - y * (h[2][0] + p[2][0])),
        ]
        return _joined(m, p, unpacked(shifted, 3))

    def seen_from_parent(self, x_pc: Transform) -> ArticulatedInertia:
        """The same inertia seen from the parent of the body whose frame it is in."""
        return self.turned(x_pc.turn).turned(General(x_pc.fixed)).shifted(x_pc.origin)

    def _blocks(self) -> tuple[Matrix, Matrix, Matrix]:
        """M, H and J."""
        full = unpacked(self.entries, 6)
        return [row[:3] for row in full[:3]], [row[:3] for row in full[3:]], [row[3:] for row in full[3:]]


def diagonal(masses: Sequence[Scalar]) -> ArticulatedInertia:
    """Six entries along a frame's axes and about them."""
    found: list[Scalar] = [0.0] * SIZE
    for place, mass in enumerate(masses):
        found[_PLACE[place, place]] = mass
    return ArticulatedInertia(found)


def rigid(inertia: Inertia) -> ArticulatedInertia:
    """The articulated inertia of one rigid body: M = m 1, H = [h], J = tr(Sigma) 1 - Sigma."""
    mass = inertia.mass
    return _joined(
        [[mass, 0.0, 0.0], [0.0, mass, 0.0], [0.0, 0.0, mass]], skew(inertia.first), inertia.rotational_matrix()
    )


def _joined(m: Matrix, h: Matrix, j: Matrix) -> ArticulatedInertia:
    above = [[*row, *column] for row, column in zip(m, transpose(h), strict=True)]
    return ArticulatedInertia(packed([*above, *([*row, *rest] for row, rest in zip(h, j, strict=True))]))
