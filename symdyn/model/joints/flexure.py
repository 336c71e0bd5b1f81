"""The joint between the root of a flexible link and its tip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector, add
from symdyn.description.robot import Limits
from symdyn.errors import ModelError
from symdyn.model.joints import tip_motion
from symdyn.model.joints.bending import Bending, usual_amplitudes
from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.rate_joint import RateJoint

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Flexure(Bending, RateJoint):
    """q = d, the coordinates of the link's shapes (see :class:`Bending`)."""

    value = "flexible"
    rest = Rest.NOWHERE
    unit_axes = None
    axial = False
    unfelt = ()
    moved_axes = (True, True, True)
    has_frame = True

    @property
    def coordinates(self) -> Coordinates:
        """A row per shape that has its own coordinate."""
        suffixes = tuple(f".{name}" for name in self.names)
        return Coordinates(suffixes, self.units, suffixes, tuple(f"{unit}/s" for unit in self.units))

    @property
    def stored(self) -> int:
        """What :func:`symdyn.model.joints.tip_motion.bent_pose` finds."""
        return self.pose_size

    @property
    def constants(self) -> tuple[str, ...]:
        """Slopes and displacements of the tip per amplitude."""
        return self.number_names

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """Pose and derivatives of the tip."""
        return tip_motion.bent_pose(self, algebra, q, numbers)

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """The tip's pose, and what its motion needs beside."""
        return JointPose(*tip_motion.bent_from(self, stored))

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """The exact derivative of the pose."""
        assert pose.bend is not None
        twist = tip_motion.tip_velocity(self, pose.rotation, pose.bend, v, numbers)
        rates = tip_motion.tip_velocity(self, pose.rotation, pose.bend, a, numbers)
        rates = add(rates, tip_motion.tip_bias(self, pose.rotation, pose.bend, v, numbers))
        return JointMotion(twist[:3], twist[3:], rates[:3], rates[3:])

    def columns(self, pose: JointPose, numbers: Numbers) -> list[list[Scalar]]:
        """Velocities of unit rates."""
        assert pose.bend is not None
        units = [[1.0 if place == row else 0.0 for place in range(self.rows)] for row in range(self.rows)]
        return [tip_motion.tip_velocity(self, pose.rotation, pose.bend, unit, numbers) for unit in units]

    def column_changes(self, pose: JointPose, v: Sequence[Scalar], numbers: Numbers) -> Sequence[Vector]:
        """How the columns change as the link bends."""
        assert pose.bend is not None
        return tip_motion.column_rates(self, pose.rotation, pose.bend, v, numbers)

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The work of the wrench per coordinate."""
        assert pose.bend is not None
        return tip_motion.tip_force(self, pose.rotation, pose.bend, wrench, numbers)

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """None: a tip does not move along screws that rest in the world.

        Raises
        ------
        ModelError
            Always. The catalogue refuses flexible links for the world-frame recursions before.
        """
        raise ModelError(f"flexible link ({', '.join(self.names)}): its tip follows no screws; use formulation='body'")

    def random(
        self, rng: np.random.Generator, limits: Limits | None, numbers: Mapping[str, float], before: float
    ) -> list[float]:
        """Within the usual amplitudes."""
        return [rng.uniform(-1.0, 1.0) * bound for bound in self.usual(numbers)]

    def usual(self, numbers: Mapping[str, float]) -> list[float]:
        """0.1 rad at the tip, or 0.01 m where it does not turn."""
        return usual_amplitudes(self, numbers)
