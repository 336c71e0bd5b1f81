"""The coordinates of a rod: they move its stations together, each of which is a body (see ``rod_step``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.description.robot import Limits
from symdyn.model.joints.frameless import FramelessJoint
from symdyn.model.joints.parts import Coordinates
from symdyn.model.joints.rate_joint import RateJoint

if TYPE_CHECKING:
    import numpy as np

_USUAL = {"rad": 0.5, "1": 0.05}
"""How far a coordinate usually moves: half a radian over the rod, a twentieth of its stretch or shear."""


@dataclass(frozen=True, slots=True)
class StrainRows(RateJoint):
    """q: what the functions of the rod's strain are multiplied with; ``units`` are rad or 1."""

    names: tuple[str, ...]
    units: tuple[str, ...]

    value = "soft"

    @property
    def coordinates(self) -> Coordinates:
        """A row per function."""
        suffixes = tuple(f".{name}" for name in self.names)
        return Coordinates(suffixes, self.units, suffixes, tuple(_RATES[unit] for unit in self.units))

    def random(
        self, rng: np.random.Generator, limits: Limits | None, numbers: Mapping[str, float], before: float
    ) -> list[float]:
        """Within the usual amplitudes."""
        return [rng.uniform(-1.0, 1.0) * bound for bound in self.usual(numbers)]

    def usual(self, numbers: Mapping[str, float]) -> list[float]:
        """By unit, shared out among the functions of it."""
        return [_USUAL[unit] / self.units.count(unit) ** 0.5 for unit in self.units]


@dataclass(frozen=True, slots=True)
class Strains(FramelessJoint, StrainRows):
    """The rows alone; their forces want the coefficients of q themselves."""

    by_rate = False


_RATES = {"rad": "rad/s", "1": "1/s", "m": "m/s"}
