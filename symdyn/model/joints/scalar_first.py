"""Balls and free bodies as MuJoCo has them: quaternions (w, x, y, z), and the linear velocity of a free body outside.

They move as :class:`Spherical` and :class:`Free` do; only their coordinates are others. Velocities of the free body are
those of the product of translations and rotations: a change of p by v, and of the orientation by omega.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.spatial.rotations import IDENTITY, Matrix3
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, dot, scale, subtract
from symdyn.interface.stepping import Rates
from symdyn.model.joints.described_joint import DescribedJoint
from symdyn.model.joints.free import FREE
from symdyn.model.joints.moves import cubic_slopes
from symdyn.model.joints.parts import Array, Coordinates, JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.quaternions import quaternion_rates
from symdyn.model.joints.spherical import SPHERICAL, Spherical

SUFFIXES = (".qw", ".qx", ".qy", ".qz")
_T = TypeVar("_T")


def scalar_last(q: Sequence[_T]) -> list[_T]:
    """Coordinates of which the last four are (w, x, y, z), with these as (x, y, z, w)."""
    return [*q[:-4], *q[-3:], q[-4]]


def scalar_first(q: Sequence[_T]) -> list[_T]:
    """Inverse of :func:`scalar_last`."""
    return [*q[:-4], q[-1], *q[-4:-1]]


@dataclass(frozen=True, slots=True)
class SphericalMujoco(Spherical):
    """q = quaternion (w, x, y, z); velocities are angular, along the child's axes."""

    value = "spherical, MuJoCo's convention"
    coordinates = Coordinates(SUFFIXES, ("1",) * 4, SPHERICAL.coordinates.v, SPHERICAL.coordinates.v_units)
    coordinate_rates = Rates.SPHERICAL_MUJOCO

    def turn(self, q: Sequence[Scalar]) -> list[Scalar]:
        """The quaternion (x, y, z, w)."""
        return scalar_last(q)

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """The rotation matrix."""
        return SPHERICAL.pose(algebra, scalar_last(q), numbers)

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """The rotation about its centre."""
        return SPHERICAL.displacement(algebra, screws, home, scalar_last(q))

    def rates(self, algebra: Algebra, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """Those of the quaternion."""
        return scalar_first(SPHERICAL.rates(algebra, scalar_last(q)))

    def series(self, algebra: TaylorAlgebra, q: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
        """Q' = 1/2 Q (omega, 0)."""
        return scalar_first(SPHERICAL.series(algebra, scalar_last(q), v))

    def rows_between(self, algebra: Algebra, start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
        """The logarithm of SO(3)."""
        return SPHERICAL.rows_between(algebra, scalar_last(start), scalar_last(end))

    def moved(self, algebra: Algebra, q: Sequence[Scalar], move: Vector) -> list[Scalar]:
        """The exponential of SO(3)."""
        return scalar_first(SPHERICAL.moved(algebra, scalar_last(q), move))

    def integrate(self, q: Array, dv: Array) -> Array:
        """The exponential of SO(3)."""
        return SPHERICAL.integrate(q[..., _LAST], dv)[..., _FIRST]

    def difference(self, start: Array, end: Array) -> Array:
        """The logarithm of SO(3)."""
        return SPHERICAL.difference(start[..., _LAST], end[..., _LAST])

    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """A rotation, by a quaternion of length 1."""
        return SPHERICAL.locked(axis, pitch, scalar_last(q))


@dataclass(frozen=True, slots=True)
class FreeMujoco(DescribedJoint):
    """q = (x, y, z [m], quaternion w, x, y, z); v of the child's origin in the joint's axes, omega in the child's."""

    value = "free, MuJoCo's convention"
    coordinates = Coordinates(
        (*FREE.coordinates.q[:3], *SUFFIXES), FREE.coordinates.q_units, FREE.coordinates.v, FREE.coordinates.v_units
    )
    stored = FREE.stored
    constants = ()
    rest = Rest.NOWHERE
    unit_axes = None
    axial = False
    unfelt = ()
    moved_axes = FREE.moved_axes
    quaternion = True
    by_rate = False
    coordinate_rates = Rates.FREE_MUJOCO
    has_frame = True

    def aligned(self, axis: Vector) -> Matrix3:
        """No rotation: all axes are alike."""
        return IDENTITY

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """That of a free body."""
        return FREE.pose(algebra, scalar_last(q), numbers)

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """That of a free body."""
        return FREE.placed(stored)

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """The linear part turned into the child's axes, which turn: R^T a - omega x R^T v."""
        turn, angular = pose.rotation.transpose_times, list(v[3:])
        linear = turn(list(v[:3]))
        return JointMotion(linear, angular, subtract(turn(list(a[:3])), cross(angular, linear)), list(a[3:]))

    def columns(self, pose: JointPose, numbers: Numbers) -> list[list[Scalar]]:
        """The joint's axes as the child sees them, and the child's own to turn about."""
        turn = pose.rotation.transpose_times
        slides: list[list[Scalar]] = [[*turn(list(axis)), 0.0, 0.0, 0.0] for axis in IDENTITY]
        return slides + [[0.0, 0.0, 0.0, *axis] for axis in IDENTITY]

    def column_changes(self, pose: JointPose, v: Sequence[Scalar], numbers: Numbers) -> Sequence[Vector]:
        """The joint's axes turn as the child sees them."""
        slides = self.columns(pose, numbers)[:3]
        turned = [[*scale(-1.0, cross(v[3:], column[:3])), 0.0, 0.0, 0.0] for column in slides]
        return [*turned, *([0.0] * 6 for _ in range(3))]

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The force in the joint's axes, the moment in the child's."""
        return [*pose.rotation.times(wrench[:3]), *wrench[3:]]

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """That of a free body."""
        return FREE.displacement(algebra, screws, home, scalar_last(q))

    def rates(self, algebra: Algebra, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """P' = v, and those of the quaternion."""
        shifts: list[list[Scalar]] = [[*axis, 0.0, 0.0, 0.0] for axis in IDENTITY]
        turns = scalar_first(quaternion_rates(scalar_last(q)[3:]))
        return shifts + [[0.0, 0.0, 0.0, *row] for row in turns]

    def bracket(self, a: Vector, b: Vector) -> list[Scalar]:
        """That of SO(3); translations commute with all."""
        return [0.0, 0.0, 0.0, *cross(a[3:], b[3:])]

    def series(self, algebra: TaylorAlgebra, q: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
        """P' = v, Q' = 1/2 Q (omega, 0)."""
        shifts = [algebra.integral(own, start) for own, start in zip(v[:3], q[:3], strict=True)]
        return [*shifts, *SPHERICAL_MUJOCO.series(algebra, q[3:], v[3:])]

    def rows_between(self, algebra: Algebra, start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
        """The difference of places, and the logarithm of SO(3)."""
        turned = SPHERICAL_MUJOCO.rows_between(algebra, start[3:], end[3:])
        return [*subtract(end[:3], start[:3]), *turned]

    def moved(self, algebra: Algebra, q: Sequence[Scalar], move: Vector) -> list[Scalar]:
        """The sum of places, and the exponential of SO(3)."""
        return [*add(q[:3], move[:3]), *SPHERICAL_MUJOCO.moved(algebra, q[3:], move[3:])]

    def move_slopes(self, algebra: Algebra, move: Vector) -> tuple[Matrix, Matrix]:
        """Those of SO(3); translations commute with all."""
        return cubic_slopes(algebra, self.bracket, move, dot(move[3:], move[3:]))

    def integrate(self, q: Array, dv: Array) -> Array:
        """The sum of places, and the exponential of SO(3)."""
        import numpy as np

        turned = SPHERICAL_MUJOCO.integrate(q[..., 3:], dv[..., 3:])
        return np.concatenate([q[..., :3] + dv[..., :3], turned], axis=-1)

    def difference(self, start: Array, end: Array) -> Array:
        """The difference of places, and the logarithm of SO(3)."""
        import numpy as np

        turned = SPHERICAL_MUJOCO.difference(start[..., 3:], end[..., 3:])
        return np.concatenate([end[..., :3] - start[..., :3], turned], axis=-1)

    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """A pose, by a quaternion of length 1."""
        return FREE.locked(axis, pitch, scalar_last(q))


_LAST, _FIRST = [1, 2, 3, 0], [3, 0, 1, 2]
SPHERICAL_MUJOCO = SphericalMujoco()
FREE_MUJOCO = FreeMujoco()
