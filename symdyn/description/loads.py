"""Loads of joints and links as a file describes them: every kind once, with its numbers, their units and bounds.

A kind is a dataclass of numbers and a place in :data:`JOINT_LOADS` or :data:`LINK_LOADS`. The schema, the reader and
the writer of YAML, the checks and the names of run-time parameters follow from it; its forces are an element of
``dynamics.elements``. A joint's load is for joints with one coordinate, or for balls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from symdyn.description.declared import Key, family, numbers, units
from symdyn.description.forms import FOLDED
from symdyn.description.quantities.placement import Number
from symdyn.description.quantities.written import mapping


@dataclass(frozen=True, slots=True)
class Load:
    """Base of all kinds: ``key`` is what files call it, ``words`` what messages call it, ``title`` heads its table.

    ``word`` stands before the name of its owner. A load of which all ``strengths`` are zero counts for nothing.
    """

    key: ClassVar[str]
    words: ClassVar[str]
    title: ClassVar[str]
    word: ClassVar[str] = "load"
    strengths: ClassVar[tuple[str, ...]] = ()

    framed: ClassVar[bool] = False
    """Whether it asks for the axes of its place."""

    weighs: ClassVar[bool] = False
    """Whether it is part of what gravity does."""

    inert: ClassVar[bool] = False
    """Whether it resists accelerations."""

    ball: ClassVar[bool] = False
    """Whether it is for joints that turn any way, not for those with one coordinate."""

    @property
    def smooth(self) -> float:
        """How often the load may be differentiated by time everywhere."""
        return math.inf

    def smoother(self, order: int) -> str:
        """What gives it so many derivatives by time."""
        return "leave it out"

    def bounds(self, lower: float, upper: float) -> dict[str, float]:
        """What it asks of the limits of its joint: nothing."""
        return {}

    @property
    def numbers(self) -> dict[str, Number]:
        """Its numbers by name."""
        return numbers(self)

    @property
    def leaves(self) -> dict[str, Number]:
        """Its numbers by what follows the name of its joint or link in those of run-time parameters."""
        return {self.leaf(name): value for name, value in self.numbers.items()}

    def leaf(self, number: str) -> str:
        """What follows the name of its joint or link in that of a run-time parameter."""
        return f"{self.key}.{number}"

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Whether it is any load, with these constants for its numbers."""
        return any(constants[name] != 0.0 for name in self.strengths)

    def units(self, slides: bool) -> dict[str, str]:
        """Units of its leaves, on a joint that slides or on anything else."""
        return {self.leaf(name): unit for name, unit in units(self, slides).items()}


@dataclass(frozen=True, slots=True)
class Spring(Load):
    """A spring between the joint's two links: it adds stiffness * (q - rest) to tau, q the joint's own coordinate."""

    key = "spring"
    words = "a spring between its links"
    title = "springs between the links of joints (tau = stiffness * (q - rest))"
    strengths = ("stiffness",)
    stiffness: Annotated[
        Number, Key(FOLDED, "K [N m/rad or N/m], at least 0", unit="N m/rad", sliding="N/m", least=0.0)
    ]
    rest: Annotated[
        Number,
        Key(FOLDED, "coordinate at which the spring exerts no force [rad or m]", unit="rad", sliding="m", always=True),
    ] = 0.0


@dataclass(frozen=True, slots=True)
class BallSpring(Load):
    """A spring at a ball joint: it adds stiffness times the rotation vector of the turn from the neutral position."""

    key = "ball_spring"
    words = "a spring between its links"
    title = "springs of ball joints (tau = stiffness * rotation vector)"
    strengths = ("stiffness",)
    ball = True
    stiffness: Annotated[Number, Key(FOLDED, "[N m/rad], at least 0", unit="N m/rad", least=0.0)]


@dataclass(frozen=True, slots=True)
class Stop(Load):
    """Stops at the joint's limits: springs and dampers that act beyond them, and rise smoothly over a width."""

    key = "stops"
    words = "stops at its limits"
    word = "stop"
    title = "stops of joints at their limits (tau = stiffness * s + damping * s' * v, s smooth from the limit on)"
    strengths = ("stiffness", "damping")
    stiffness: Annotated[
        Number,
        Key(FOLDED, "K, beyond the width [N m/rad or N/m], at least 0", unit="N m/rad", sliding="N/m", least=0.0),
    ]
    damping: Annotated[
        Number,
        Key(
            FOLDED,
            "D, beyond the width [N m s/rad or N s/m], at least 0",
            unit="N m s/rad",
            sliding="N s/m",
            least=0.0,
            always=True,
        ),
    ] = 0.0
    width: Annotated[
        Number,
        Key(
            FOLDED,
            "w, over which both rise from the limit on [rad or m], above 0",
            unit="rad",
            sliding="m",
            above=0.0,
            always=True,
        ),
    ] = 0.01

    @property
    def smooth(self) -> float:
        """Four derivatives of a damper exist everywhere, five of a spring."""
        return 5.0 if self.damping == 0.0 else 4.0

    def smoother(self, order: int) -> str:
        """Nothing but no stops."""
        return "load the robot without stops"

    def bounds(self, lower: float, upper: float) -> dict[str, float]:
        """The limits that there are."""
        return {name: value for name, value in (("lower", lower), ("upper", upper)) if math.isfinite(value)}


JOINT_LOADS: tuple[type[Load], ...] = (Spring, BallSpring, Stop)
LINK_LOADS: tuple[type[Load], ...] = ()


def load_texts(loads: Iterable[Load]) -> dict[str, str]:
    """Their keys with what files have there."""
    return {load.key: mapping(family(type(load)).written(load)) for load in loads}
