"""Motion in the plane whose normal is z: SE(2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.spatial.exponential import screw_exponential
from symdyn.algebra.spatial.rotations import AboutZ, Matrix3, minimal_rotation_from_z, snapped, turn
from symdyn.algebra.spatial.transform import UNMOVED, Pose
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, product, scale, subtract, times, transpose
from symdyn.interface.stepping import Rates
from symdyn.model.joints.described_joint import DescribedJoint
from symdyn.model.joints.moves import cubic_slopes, shift_of
from symdyn.model.joints.parts import Array, Coordinates, JointMotion, JointPose, Numbers, Rest

_TURNS_NOT = 1e-18
"""Square of a half turn whose cosine and sinc are 1 in doubles."""


@dataclass(frozen=True, slots=True)
class Planar(DescribedJoint):
    """q = (x, y [m], theta [rad]); velocities are along the child's axes."""

    value = "planar"
    coordinates = Coordinates(
        (".x", ".y", ".theta"), ("m", "m", "rad"), (".vx", ".vy", ".omega"), ("m/s", "m/s", "rad/s")
    )
    stored = 4
    constants = ()
    rest = Rest.CHILD
    unit_axes = (0, 1, 5)
    axial = False
    unfelt = ()
    moved_axes = (True, True, False)
    quaternion = False
    by_rate = True
    coordinate_rates = Rates.PLANAR
    has_frame = True

    def aligned(self, axis: Vector) -> Matrix3:
        """The smallest rotation that takes z to the normal."""
        return minimal_rotation_from_z(axis)

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """Sine and cosine, then the place."""
        return [*algebra.sin_cos(q[2]), q[0], q[1]]

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A rotation about z, and a translation across it."""
        return JointPose(AboutZ(stored[0], stored[1]), [stored[2], stored[3], 0.0])

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Velocity across z and angular velocity about it."""
        return JointMotion([v[0], v[1], 0.0], [0.0, 0.0, v[2]], [a[0], a[1], 0.0], [0.0, 0.0, a[2]])

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """Forces across z and the moment about it."""
        return [wrench[0], wrench[1], wrench[5]]

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """A translation, then the exponential of the turn."""
        moved = add(scale(q[0], screws[0][:3]), scale(q[1], screws[1][:3]))
        return Pose(UNMOVED.rotation, moved).times(screw_exponential(algebra, screws[2], q[2]))

    def rates(self, algebra: Algebra, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """A turn of the velocity by theta."""
        sine, cosine = algebra.sin_cos(q[2])
        return [[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]]

    def bracket(self, a: Vector, b: Vector) -> list[Scalar]:
        """That of SE(2)."""
        return [b[2] * a[1] - a[2] * b[1], a[2] * b[0] - b[2] * a[0], 0.0]

    def series(self, algebra: TaylorAlgebra, q: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
        """The integrals of theta' = omega, (x, y)' = (c vx - s vy, s vx + c vy)."""
        angle = algebra.integral(v[2], q[2])
        motion = AboutZ(*algebra.sin_cos(angle)).times([v[0], v[1], 0.0])
        return [algebra.integral(motion[0], q[0]), algebra.integral(motion[1], q[1]), angle]

    def rows_between(self, algebra: Algebra, start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
        """The logarithm of SE(2)."""
        turned = end[2] - start[2]
        x, y, _ = AboutZ(*algebra.sin_cos(start[2])).transpose_times([*subtract(end[:2], start[:2]), 0.0])
        half = 0.5 * turned
        small = algebra.compare("less", half * half, _TURNS_NOT)
        sine, cosine = algebra.sin_cos(algebra.select(small, algebra.constant(1.0), half))
        along = algebra.select(small, algebra.constant(1.0), half * cosine / sine)
        return [along * x + half * y, along * y - half * x, turned]

    def moved(self, algebra: Algebra, q: Sequence[Scalar], move: Vector) -> list[Scalar]:
        """The exponential of SE(2)."""
        turn = [0.0, 0.0, move[2]]
        shift = shift_of(algebra, turn, [move[0], move[1], 0.0])
        x, y, _ = AboutZ(*algebra.sin_cos(q[2])).times(shift)
        return [q[0] + x, q[1] + y, q[2] + move[2]]

    def move_slopes(self, algebra: Algebra, move: Vector) -> tuple[Matrix, Matrix]:
        """Those of SE(2)."""
        return cubic_slopes(algebra, self.bracket, move, move[2] * move[2])

    def integrate(self, q: Array, dv: Array) -> Array:
        """The exponential of SE(2)."""
        from symdyn.model.joints import arrays

        return arrays.se2_integrate(q, dv)

    def difference(self, start: Array, end: Array) -> Array:
        """The logarithm of SE(2)."""
        from symdyn.model.joints import arrays

        return arrays.se2_difference(start, end)

    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """A place in the plane."""
        plane = minimal_rotation_from_z(axis)
        turned = product(product(plane, turn((0.0, 0.0, 1.0), q[2])), transpose(plane))
        return snapped(turned), times(plane, (q[0], q[1], 0.0))


PLANAR = Planar()
