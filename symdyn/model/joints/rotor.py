"""The motor of an elastic joint: a coordinate that moves no frame and carries no mass.

It meets the tree only through a spring (see ``dynamics.elements.joint_spring``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from symdyn.description.robot import Limits
from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.rate_joint import RateJoint
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.rotations import Identity
from symdyn.spatial.transform import UNMOVED, Pose
from symdyn.spatial.vectors import Vector

if TYPE_CHECKING:
    import numpy as np

_STRETCH = 0.1
"""[rad or m]"""


@dataclass(frozen=True, slots=True)
class Rotor(RateJoint):
    """q = (angle [rad] over the gear ratio, or what slides, [m]); ``unit`` is no part of its structure."""

    unit: str = field(default="rad", compare=False)

    value = "rotor"
    stored = 0
    constants = ()
    rest = Rest.AXIS
    unit_axes = None
    axial = False
    unfelt = ()
    moved_axes = (True, True, True)
    has_frame = False

    @property
    def coordinates(self) -> Coordinates:
        """One row."""
        return Coordinates(("",), (self.unit,), ("",), (f"{self.unit}/s",))

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """Nothing."""
        return []

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """The link's own frame."""
        return JointPose(Identity(), None)

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """None."""
        return JointMotion(None, [0.0] * 3, None, [0.0] * 3)

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """No wrench reaches it."""
        return [0.0]

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """None."""
        return UNMOVED

    def random(
        self, rng: np.random.Generator, limits: Limits | None, numbers: Mapping[str, float], before: float
    ) -> list[float]:
        """Within 0.1 rad or m of its link, whose row is the one above, as springs do not stretch by half a turn."""
        return [before + rng.uniform(-_STRETCH, _STRETCH)]


ROTOR = Rotor()
