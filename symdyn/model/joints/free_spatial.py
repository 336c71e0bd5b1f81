"""A free body with its right-invariant twist (omega; v) about the joint frame's origin: the spatial convention.

It moves as :class:`Free` does; only its velocity coordinates are others (Ali et al. 2026, section 2):
V_B = Ad(X_WB)^-1 V, and likewise for the derivative, because ad(V) V = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.scalars.taylor_functions import solution
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.rotations import IDENTITY, from_quaternion
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, dot, scale, subtract
from symdyn.interface.stepping import Rates
from symdyn.model.joints.base import JointModel
from symdyn.model.joints.free import FREE
from symdyn.model.joints.moves import quintic_slopes, shift_of, turn_of
from symdyn.model.joints.parts import Array, Coordinates, JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.quaternions import cross_coefficient, quaternion_product, quaternion_rates, quaternion_series

_UNIT_TWISTS = tuple((*[0.0] * (3 - first), *axis, *[0.0] * first) for first in (0, 3) for axis in IDENTITY)
"""(v; omega) per row of v: angular rows first."""


@dataclass(frozen=True, slots=True)
class FreeSpatial(JointModel):
    """q as for a free body; velocities are (omega; v) in the joint's axes, v that of the point at its origin."""

    value = "free, spatial convention"
    coordinates = Coordinates(
        FREE.coordinates.q,
        FREE.coordinates.q_units,
        (".wx", ".wy", ".wz", ".vx", ".vy", ".vz"),
        ("rad/s",) * 3 + ("m/s",) * 3,
    )
    stored = FREE.stored
    constants = ()
    rest = Rest.WORLD
    unit_axes = None
    axial = False
    unfelt = ()
    moved_axes = FREE.moved_axes
    quaternion = True
    by_rate = False
    coordinate_rates = Rates.FREE_SPATIAL
    has_frame = True

    @property
    def own_axes(self) -> JointModel:
        """The free body in the other convention."""
        return FREE

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """That of a free body."""
        return FREE.pose(algebra, q, numbers)

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """That of a free body."""
        return FREE.placed(stored)

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Ad(X)^-1 of the twist and of its rate."""
        assert pose.translation is not None
        turn = pose.rotation.transpose_times
        return JointMotion(
            turn(add(v[3:], cross(v[:3], pose.translation))),
            turn(v[:3]),
            turn(add(a[3:], cross(a[:3], pose.translation))),
            turn(a[:3]),
        )

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """(moment; force) in the joint's axes about its origin."""
        assert pose.translation is not None
        turned = [*pose.rotation.times(wrench[:3]), *pose.rotation.times(wrench[3:])]
        felt = wrench_at_offset(turned, pose.translation)
        return [*felt[3:], *felt[:3]]

    def world_columns(self, rotation: Matrix, pose: JointPose, numbers: Numbers) -> list[list[Scalar]]:
        """Unit twists, whatever the orientation."""
        return [list(twist) for twist in _UNIT_TWISTS]

    def moment_rate(
        self,
        pose: JointPose,
        v: Sequence[Scalar],
        numbers: Numbers,
        mass: Scalar,
        moment: Vector,
        inner: Vector,
        seen: Vector,
    ) -> list[Scalar]:
        """A right-invariant twist acts on what is seen from the joint."""
        return add(pose.rotation.times(inner), add(cross(v[:3], seen), scale(mass, v[3:])))

    def to_own_axes(self, pose: JointPose, forces: list[Scalar]) -> list[Scalar]:
        """Wrench (f; n) in body axes about the body's origin, of one (n; f) in the joint's axes about its origin."""
        assert pose.translation is not None
        force, turn = forces[3:], pose.rotation.transpose_times
        return [*turn(force), *turn(subtract(forces[:3], cross(pose.translation, force)))]

    def from_own_axes(self, pose: JointPose, rates: list[Scalar]) -> list[Scalar]:
        """(alpha; a) of the point at the joint's origin, from (a; alpha) of the body's origin in body axes."""
        assert pose.translation is not None
        alpha = pose.rotation.times(rates[3:])
        return [*alpha, *add(pose.rotation.times(rates[:3]), cross(pose.translation, alpha))]

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """That of a free body."""
        return FREE.displacement(algebra, screws, home, q)

    def rates(self, algebra: Algebra, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """P' = v + omega x p, Q' = 1/2 (omega, 0) Q."""
        x, y, z = q[:3]
        turned = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
        shifts = [[*row, *axis] for row, axis in zip(turned, IDENTITY, strict=True)]
        return shifts + [[*row, 0.0, 0.0, 0.0] for row in quaternion_rates(q[3:], spatial=True)]

    def moves_by_coordinates(self, rates: Sequence[Vector]) -> list[Vector]:
        """Omega from the quaternion, then v = p' - omega x p."""
        turns = [[0.0, 0.0, 0.0, *(row[axis] for row in rates[3:])] for axis in range(3)]
        slides = [
            subtract([*axis, 0.0, 0.0, 0.0, 0.0], [dot(row[:3], column) for column in zip(*turns, strict=True)])
            for axis, row in zip(IDENTITY, rates, strict=False)
        ]
        return [*turns, *slides]

    def bracket(self, a: Vector, b: Vector) -> list[Scalar]:
        """That of SE(3) with the opposite sign, as the twist is right-invariant."""
        turned = [*cross(a[:3], b[:3]), *add(cross(a[:3], b[3:]), cross(a[3:], b[:3]))]
        return scale(-1.0, turned)

    def series(self, algebra: TaylorAlgebra, q: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
        """Q' = 1/2 (omega, 0) Q, p' = v + omega x p."""
        linear, omega = v[3:], v[:3]
        order = min(series.order for series in v) + 1

        def moved(k: int) -> list[Scalar]:
            turned = cross_coefficient(omega, point, k)
            return [own.coefficient(k) + turn for own, turn in zip(linear, turned, strict=True)]

        point = solution(algebra.inner, order, q[:3], moved)
        return [*point, *quaternion_series(algebra, q[3:], omega, spatial=True)]

    def rows_between(self, algebra: Algebra, start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
        """The logarithm of SE(3): that of a free body, in axes at rest."""
        *inner, x, y, z = FREE.rows_between(algebra, start, end)
        turn = from_quaternion(*start[3:])
        omega = turn.times([x, y, z])
        return [*omega, *subtract(turn.times(inner), cross(omega, start[:3]))]

    def moved(self, algebra: Algebra, q: Sequence[Scalar], move: Vector) -> list[Scalar]:
        """The exponential of SE(3), on the left."""
        turn = turn_of(algebra, move[:3])
        place = from_quaternion(*turn).times(q[:3])
        return [*add(place, shift_of(algebra, move[:3], move[3:])), *quaternion_product(turn, q[3:])]

    def move_slopes(self, algebra: Algebra, move: Vector) -> tuple[Matrix, Matrix]:
        """Those of SE(3), as the bracket is."""
        return quintic_slopes(algebra, self.bracket, move, dot(move[:3], move[:3]))

    def integrate(self, q: Array, dv: Array) -> Array:
        """The exponential of SE(3), on the left."""
        from symdyn.model.joints import arrays

        return arrays.se3_integrate_outside(q, dv)

    def difference(self, start: Array, end: Array) -> Array:
        """The logarithm of SE(3)."""
        from symdyn.model.joints import arrays

        return arrays.se3_difference_outside(start, end)


FREE_SPATIAL = FreeSpatial()
