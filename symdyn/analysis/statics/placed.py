"""Poses of frames at rest, found when somebody asks for them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symdyn.generation.pipeline import float_recursion
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Placed:
    """A robot in a position: q (nq,), with the run-time parameters p (np,)."""

    robot: Robot
    q: Array = field(repr=False)
    p: Array = field(repr=False)

    def __call__(self) -> dict[str, Array]:
        """The pose (4, 4) of each frame in the world, by name."""
        recursion = float_recursion(self.robot, "forward_kinematics")
        (found,) = recursion({"q": self.q.tolist(), "p": self.p.tolist()}).values()
        return dict(zip(self.robot.frame_names, np.reshape(found, (-1, 4, 4)), strict=True))
