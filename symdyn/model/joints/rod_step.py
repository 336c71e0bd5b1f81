"""From one station of a rod to the next: a motion that follows from the rod's strains, for any strain functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.rotations import General, Identity
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector, matrix_from
from symdyn.errors import ModelError
from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.rate_joint import RateJoint

_POSE = (*(f".R{row}{column}" for row in range(3) for column in range(3)), ".x", ".y", ".z")
_TWIST = (".vx", ".vy", ".vz", ".wx", ".wy", ".wz")


@dataclass(frozen=True, slots=True)
class RodStep(RateJoint):
    """Its rows are no coordinates of the robot: the pose (R, p), 12, and the twist (v; omega) in the far axes, 6.

    Steps of ``dynamics.tree.rod_steps`` compute them from the rod's coordinates, and map its wrench to forces of these.
    """

    value = "rod step"
    coordinates = Coordinates(_POSE, ("1",) * 9 + ("m",) * 3, _TWIST, ("m/s",) * 3 + ("rad/s",) * 3)
    stored = 12
    constants = ()
    rest = Rest.CHILD
    unit_axes = (0, 1, 2, 3, 4, 5)
    axial = False
    unfelt = ()
    moved_axes = (True, True, True)
    has_frame = True

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """The rows as they are."""
        return list(q)

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A rotation and a translation."""
        return JointPose(General(matrix_from(stored[:9])), list(stored[9:]))

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """The twist itself."""
        return JointMotion(list(v[:3]), list(v[3:]), list(a[:3]), list(a[3:]))

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The wrench itself."""
        return list(wrench)

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """None: a station does not move along screws that rest in the world.

        Raises
        ------
        ModelError
            Always. The catalogue refuses soft links for the world-frame recursions before.
        """
        raise ModelError("a step of a rod follows no screws; use formulation='body'")


@dataclass(frozen=True, slots=True)
class RodPoint(RodStep):
    """From a station to a mass point of its section: a shift alone, in rows like those of a step."""

    value = "rod point"

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A translation."""
        return JointPose(Identity(), list(stored[9:]))

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Velocity alone."""
        return JointMotion(list(v[:3]), [0.0] * 3, list(a[:3]), [0.0] * 3)

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The force."""
        return [*wrench[:3], 0.0, 0.0, 0.0]


ROD_STEP = RodStep()
ROD_POINT = RodPoint()
