"""What a flexible link may do and is made of, as functions of the distance x from its root.

The shapes are the only thing that comes from :mod:`symdyn.shapes`: as functions, with their derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from mpmath import mp

from symdyn.description.flexible import Direction, Flexible, Modes, Profile
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.shapes.modes import beam_modes
from symdyn.verify.base.matrices import Real

BENDING = {Direction.BEND_Y: 1, Direction.BEND_Z: 2}
"""Axis of the deflection."""


class Shape(Protocol):
    """A function s(x) with its first and second derivatives, smooth between the ``ends`` of stretches."""

    @property
    def ends(self) -> tuple[float, ...]:
        """Ascending, the last one the beam's length [m]."""
        ...

    def __call__(self, x: Any, derivative: int = 0) -> Any:
        """Value at x [m], to the working precision."""
        ...


@dataclass(frozen=True, slots=True)
class Family:
    """The shapes of one direction."""

    modes: Modes
    shapes: tuple[Shape, ...]

    def values(self, x: Real, derivative: int) -> list[Real]:
        """Values of all of them."""
        return [shape(x, derivative) for shape in self.shapes]


def families(flexible: Flexible) -> tuple[Family, ...]:
    """The shapes of a flexible link, direction by direction."""
    found = zip(flexible.modes, beam_modes(flexible), strict=True)
    return tuple(Family(modes, shapes.shapes) for modes, shapes in found)


def profile_at(profile: Profile, x: Real) -> Real:
    """A quantity at a place along the beam."""
    stretch = next(place for place, end in enumerate(profile.ends) if x <= end or place == len(profile.ends) - 1)
    return mp.mpf(BeamExpression(profile.values[stretch]).over(x, mp))


def strain_order(family: Family) -> int:
    """Which derivative of a shape strains the beam."""
    return 2 if family.modes.direction in BENDING else 1
