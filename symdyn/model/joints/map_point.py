"""From a link's frame to a point of a body given by its map: a shift that follows from the body's coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.rotations import Identity
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector
from symdyn.description.robot import Limits
from symdyn.errors import ModelError
from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.rate_joint import RateJoint
from symdyn.model.joints.rod_tip import RodTip
from symdyn.model.joints.strains import Strains

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np


class _Usual:
    """Rows that usually go as far as was found for each of them."""

    __slots__ = ()
    usual_reach: tuple[float, ...]

    def random(
        self, rng: np.random.Generator, limits: Limits | None, numbers: Mapping[str, float], before: float
    ) -> list[float]:
        """Within the usual amplitudes."""
        return [rng.uniform(-1.0, 1.0) * bound for bound in self.usual_reach]

    def usual(self, numbers: Mapping[str, float]) -> list[float]:
        """As they were given."""
        return list(self.usual_reach)


@dataclass(frozen=True, slots=True)
class MapRows(_Usual, Strains):
    """q: the coordinates of such a body; ``usual_reach`` is how far each usually goes."""

    usual_reach: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MapTip(_Usual, RodTip):
    """The same rows, of the tip of a contracted robot."""

    usual_reach: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MapPoint(RateJoint):
    """Its rows are no coordinates of the robot: the place of the point, 3, and its velocity in the link's axes, 3.

    Steps of ``dynamics.tree.map_steps`` find them from the body's coordinates, and lead its force back to these.
    """

    value = "point of a body"
    coordinates = Coordinates((".x", ".y", ".z"), ("m",) * 3, (".vx", ".vy", ".vz"), ("m/s",) * 3)
    stored = 3
    constants = ()
    rest = Rest.CHILD
    unit_axes = (0, 1, 2)
    axial = False
    unfelt = ()
    moved_axes = (False, False, False)
    has_frame = True

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """The rows as they are."""
        return list(q)

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A translation."""
        return JointPose(Identity(), list(stored))

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Velocity alone."""
        return JointMotion(list(v), [0.0] * 3, list(a), [0.0] * 3)

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The force."""
        return list(wrench[:3])

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """None: a point does not move along screws that rest in the world.

        Raises
        ------
        ModelError
            Always. The catalogue refuses bodies that deform for the world-frame recursions before.
        """
        raise ModelError("a point of a body given by its map follows no screws; use formulation='body'")


MAP_POINT = MapPoint()
