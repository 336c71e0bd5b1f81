"""The motor of an elastic joint: a coordinate that moves no frame and carries no mass.

It meets the tree only through a spring (see ``dynamics.elements.joint_spring``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from symdyn.description.robot import Limits
from symdyn.model.joints.frameless import FramelessJoint
from symdyn.model.joints.parts import Coordinates

if TYPE_CHECKING:
    import numpy as np

_STRETCH = 0.1
"""[rad or m]"""


@dataclass(frozen=True, slots=True)
class Rotor(FramelessJoint):
    """q = (angle [rad] over the gear ratio, or what slides, [m]); ``unit`` is no part of its structure."""

    unit: str = field(default="rad", compare=False)

    value = "rotor"

    @property
    def coordinates(self) -> Coordinates:
        """One row."""
        return Coordinates(("",), (self.unit,), ("",), (f"{self.unit}/s",))

    def random(
        self, rng: np.random.Generator, limits: Limits | None, numbers: Mapping[str, float], before: float
    ) -> list[float]:
        """Within 0.1 rad or m of its link, whose row is the one above, as springs do not stretch by half a turn."""
        return [before + rng.uniform(-_STRETCH, _STRETCH)]


ROTOR = Rotor()
