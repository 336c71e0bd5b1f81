"""Parts of joints: rows, poses, motions, and the frame in which their columns rest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.rotations import Rotation
from symdyn.algebra.spatial.vectors import Vector
from symdyn.description.robot import Limits
from symdyn.model.joints.tip_motion import Bend

if TYPE_CHECKING:  # robots load without NumPy
    import numpy as np
    from numpy.typing import NDArray

FORCE_UNITS = {"rad/s": "N m", "m/s": "N", "1/s": "J"}
ACCELERATION_UNITS = {"rad/s": "rad/s^2", "m/s": "m/s^2", "1/s": "1/s^2"}
Array: TypeAlias = "NDArray[np.float64]"
Numbers = Mapping[str, Scalar]
MOST_ROWS = 6
"""Rows of v that a joint may have, flexures apart."""
UNPOSED = (0.0,) * 12
"""In place of the scalars of a pose where the columns do not depend on it."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Suffixes and units of a joint's coordinates and velocities (an empty suffix: the joint's name alone)."""

    q: tuple[str, ...]
    q_units: tuple[str, ...]
    v: tuple[str, ...]
    v_units: tuple[str, ...]


class Rest(Enum):
    """In which frame the columns of S are constant."""

    AXIS = "joint and child"
    """In the joint's frame and in the child's alike: motions that commute."""
    CHILD = "child"
    WORLD = "world"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class JointPose:
    """Where the child frame stands in the joint frame. ``translation`` is None where it is structurally zero.

    ``bend`` is what the motion of a flexible link's tip needs beside, ``columns`` those of a soft link's tip.
    """

    rotation: Rotation
    translation: Vector | None
    bend: Bend | None = None
    columns: Sequence[Vector] = ()


@dataclass(frozen=True, slots=True)
class JointMotion:
    """The child's velocity and acceleration relative to the joint frame, in child axes (v; omega and their rates).

    Linear parts are None where they are structurally zero.
    """

    linear: Vector | None
    angular: Vector
    linear_rate: Vector | None
    angular_rate: Vector

    @property
    def twist(self) -> list[Scalar]:
        """The velocity (v; omega), (6,)."""
        return [*(self.linear if self.linear is not None else [0.0] * 3), *self.angular]


def drawn(rng: np.random.Generator, unit: str, limits: Limits | None) -> float:
    """A coordinate within limits, or within half a turn or 1 m; a normal one for an entry of a quaternion."""
    if unit == "1":
        return rng.standard_normal()
    bound = math.pi if unit == "rad" else 1.0
    lower, upper = (limits.lower, limits.upper) if limits is not None else (-math.inf, math.inf)
    if not lower <= upper:
        lower, upper = -math.inf, math.inf
    if not math.isfinite(lower):
        lower = min(-bound, upper - bound)
    if not math.isfinite(upper):
        upper = max(bound, lower + bound)
    return rng.uniform(lower, upper)
