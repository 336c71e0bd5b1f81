"""Where a frame stands in another: X_PC for a child's frame C in its parent's P, as a rotation R_PC and an origin p_PC.

Names are monograms: a vector a_C in the axes of C is a_P = R_PC a_C in those of P, and a point r_C of C is
r_P = R_PC r_C + p_PC in P.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.rotations import IDENTITY, Rotation
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, product, times, transpose


def turned_halves(rotation: Matrix, a: Vector) -> list[Scalar]:
    """``(R a_1; R a_2)`` of six scalars: a motion or a wrench in other axes."""
    return [*times(rotation, a[:3]), *times(rotation, a[3:])]


@dataclass(frozen=True, slots=True)
class Transform:
    """X_PC across a joint: R_PC = E R, with the constant E of the joint's frame and its turn R; origin p_PC [m]."""

    fixed: Matrix
    turn: Rotation
    origin: Vector

    def rotate(self, a: Vector) -> list[Scalar]:
        """``R_PC a``, from the child's axes to the parent's."""
        return times(self.fixed, self.turn.times(a))

    def rotate_back(self, a: Vector) -> list[Scalar]:
        """``R_PC^T a``, from the parent's axes to the child's."""
        return self.turn.transpose_times(times(transpose(self.fixed), a))

    def rotation(self) -> Matrix:
        """R_PC."""
        return product(self.fixed, self.turn.matrix())


@dataclass(frozen=True, slots=True)
class Pose:
    """An element X_WB of SE(3): rotation matrix R_WB and position p_WB [m] of a frame B in another one, W."""

    rotation: Matrix
    position: Vector

    def times(self, other: Pose) -> Pose:
        """The product ``X_WB X_BC = X_WC``."""
        turned = add(self.position, times(self.rotation, other.position))
        return Pose(product(self.rotation, other.rotation), turned)

    def inverse(self) -> Pose:
        """``X_BW``."""
        back = transpose(self.rotation)
        return Pose(back, [-x for x in times(back, self.position)])

    def scalars(self) -> list[Scalar]:
        """Twelve scalars: the rotation row-major, then the position."""
        return [*self.rotation[0], *self.rotation[1], *self.rotation[2], *self.position]


UNMOVED = Pose(IDENTITY, (0.0, 0.0, 0.0))
"""The identity of SE(3)."""


def pose_from(row: Sequence[Scalar]) -> Pose:
    """Inverse of :meth:`Pose.scalars`."""
    return Pose([row[0:3], row[3:6], row[6:9]], row[9:12])
