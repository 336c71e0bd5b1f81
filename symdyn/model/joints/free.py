"""A free body: SE(3), with velocities along the child's axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.spatial.logarithm import pose_logarithm
from symdyn.algebra.spatial.rotations import IDENTITY, General, Matrix3, from_quaternion, snapped
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, dot, entries_of, matrix_from, subtract
from symdyn.interface.stepping import Rates
from symdyn.model.joints.described_joint import DescribedJoint
from symdyn.model.joints.moves import quintic_slopes, shift_of, turned
from symdyn.model.joints.parts import Array, Coordinates, JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.quaternions import SUFFIXES, about, quaternion_between, quaternion_rates, quaternion_series


@dataclass(frozen=True, slots=True)
class Free(DescribedJoint):
    """q = (x, y, z [m], quaternion x, y, z, w); velocities are (v; omega) of the child's origin in its axes."""

    value = "free"
    coordinates = Coordinates(
        (".x", ".y", ".z", *SUFFIXES),
        ("m",) * 3 + ("1",) * 4,
        (".vx", ".vy", ".vz", ".wx", ".wy", ".wz"),
        ("m/s",) * 3 + ("rad/s",) * 3,
    )
    stored = 12
    constants = ()
    rest = Rest.CHILD
    unit_axes = (0, 1, 2, 3, 4, 5)
    axial = False
    unfelt = ()
    moved_axes = (True, True, True)
    quaternion = True
    by_rate = False
    coordinate_rates = Rates.FREE
    has_frame = True

    def aligned(self, axis: Vector) -> Matrix3:
        """No rotation: all axes are alike."""
        return IDENTITY

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """The rotation matrix, then the position."""
        return [*entries_of(from_quaternion(*q[3:]).entries), *q[:3]]

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A rotation and a translation."""
        return JointPose(General(matrix_from(stored[:9])), list(stored[9:12]))

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """The twist itself."""
        return JointMotion(list(v[:3]), list(v[3:]), list(a[:3]), list(a[3:]))

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The wrench itself."""
        return list(wrench)

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """The pose, seen from home."""
        return about(home, Pose(from_quaternion(*q[3:]).entries, q[:3]))

    def rates(self, algebra: Algebra, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """Those of the quaternion, and p' = R v."""
        translation = [[*row, 0.0, 0.0, 0.0] for row in from_quaternion(*q[3:]).entries]
        return translation + [[0.0, 0.0, 0.0, *row] for row in quaternion_rates(q[3:])]

    def bracket(self, a: Vector, b: Vector) -> list[Scalar]:
        """That of SE(3)."""
        return [*add(cross(a[3:], b[:3]), cross(a[:3], b[3:])), *cross(a[3:], b[3:])]

    def series(self, algebra: TaylorAlgebra, q: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
        """Q' = 1/2 Q (omega, 0), p' = R(Q) v."""
        quaternion = quaternion_series(algebra, q[3:], v[3:])
        motion = from_quaternion(*quaternion).times(v[:3])
        return [*(algebra.integral(own, start) for own, start in zip(motion, q[:3], strict=True)), *quaternion]

    def rows_between(self, algebra: Algebra, start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
        """The logarithm of SE(3)."""
        moved = from_quaternion(*start[3:]).transpose_times(subtract(end[:3], start[:3]))
        return pose_logarithm(algebra, quaternion_between(start[3:], end[3:]), moved)

    def moved(self, algebra: Algebra, q: Sequence[Scalar], move: Vector) -> list[Scalar]:
        """The exponential of SE(3)."""
        shift = from_quaternion(*q[3:]).times(shift_of(algebra, move[3:], move[:3]))
        return [*add(q[:3], shift), *turned(algebra, q[3:], move[3:])]

    def move_slopes(self, algebra: Algebra, move: Vector) -> tuple[Matrix, Matrix]:
        """Those of SE(3)."""
        return quintic_slopes(algebra, self.bracket, move, dot(move[3:], move[3:]))

    def integrate(self, q: Array, dv: Array) -> Array:
        """The exponential of SE(3), on the right."""
        from symdyn.model.joints import arrays

        return arrays.se3_integrate(q, dv)

    def difference(self, start: Array, end: Array) -> Array:
        """The logarithm of SE(3)."""
        from symdyn.model.joints import arrays

        return arrays.se3_difference(start, end)

    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """A pose, by a quaternion of length 1."""
        return snapped(from_quaternion(*q[3:]).entries), q[:3]


FREE = Free()
