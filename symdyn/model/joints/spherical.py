"""A ball: any rotation, by a unit quaternion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.spatial.logarithm import rotation_logarithm
from symdyn.algebra.spatial.rotations import IDENTITY, General, Matrix3, from_quaternion, snapped
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Matrix, Vector, cross, dot, entries_of, matrix_from
from symdyn.interface.stepping import Rates
from symdyn.model.joints.described_joint import DescribedJoint
from symdyn.model.joints.moves import cubic_slopes, turned
from symdyn.model.joints.parts import Array, Coordinates, JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.quaternions import SUFFIXES, about, quaternion_between, quaternion_rates, quaternion_series


@dataclass(frozen=True, slots=True)
class Spherical(DescribedJoint):
    """q = quaternion (x, y, z, w); velocities are angular, along the child's axes."""

    value = "spherical"
    coordinates = Coordinates(SUFFIXES, ("1",) * 4, (".wx", ".wy", ".wz"), ("rad/s",) * 3)
    stored = 9
    constants = ()
    rest = Rest.CHILD
    unit_axes = (3, 4, 5)
    axial = False
    unfelt = ("m",)
    moved_axes = (True, True, True)
    quaternion = True
    by_rate = False
    coordinate_rates = Rates.SPHERICAL
    has_frame = True

    def aligned(self, axis: Vector) -> Matrix3:
        """No rotation: all axes are alike."""
        return IDENTITY

    def turn(self, q: Sequence[Scalar]) -> list[Scalar]:
        """The quaternion (x, y, z, w)."""
        return list(q)

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """The rotation matrix."""
        return entries_of(from_quaternion(*q).entries)

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A rotation."""
        return JointPose(General(matrix_from(stored)), None)

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Angular velocity."""
        return JointMotion(None, list(v), None, list(a))

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The moment."""
        return list(wrench[3:])

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """The rotation about its centre."""
        return about(home, Pose(from_quaternion(*q).entries, [0.0] * 3))

    def rates(self, algebra: Algebra, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """Those of the quaternion."""
        return quaternion_rates(q)

    def bracket(self, a: Vector, b: Vector) -> list[Scalar]:
        """That of SO(3)."""
        return cross(a, b)

    def series(self, algebra: TaylorAlgebra, q: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
        """Q' = 1/2 Q (omega, 0)."""
        return quaternion_series(algebra, q, v)

    def rows_between(self, algebra: Algebra, start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
        """The logarithm of SO(3)."""
        return rotation_logarithm(algebra, quaternion_between(start, end))

    def moved(self, algebra: Algebra, q: Sequence[Scalar], move: Vector) -> list[Scalar]:
        """The exponential of SO(3)."""
        return turned(algebra, q, move)

    def move_slopes(self, algebra: Algebra, move: Vector) -> tuple[Matrix, Matrix]:
        """Those of SO(3)."""
        return cubic_slopes(algebra, self.bracket, move, dot(move, move))

    def integrate(self, q: Array, dv: Array) -> Array:
        """The exponential of SO(3)."""
        from symdyn.model.joints import arrays

        return arrays.so3_integrate(q, dv)

    def difference(self, start: Array, end: Array) -> Array:
        """The logarithm of SO(3)."""
        from symdyn.model.joints import arrays

        return arrays.so3_difference(start, end)

    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """A rotation, by a quaternion of length 1."""
        return snapped(from_quaternion(*q).entries), (0.0, 0.0, 0.0)


SPHERICAL = Spherical()
