"""Closed loops: what holds two places of a robot to each other, and linear relations of its coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from symdyn.description.external_loads import Acting, Site
from symdyn.description.quantities.placement import Number

Triple = tuple[float, float, float]
Z: Triple = (0.0, 0.0, 1.0)
MET = 1e-6
"""Error up to which a loop counts as closed [m or rad]."""
GROWN = 1e-5
"""Error that may be left on the way from a start with ``MET`` where no move makes it less [m or rad]: what few
decimals leave of an overconstrained loop changes with the position."""


class LoopKind(Enum):
    """What a loop leaves free between its two places; motion is along or about ``axis``, the z axis of the places."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    SPHERICAL = "spherical"
    UNIVERSAL = "universal"  # turns about the first axis in the first place, and about the second in the second
    CYLINDRICAL = "cylindrical"
    PLANAR = "planar"  # axis is the plane's normal
    POINT_ON_LINE = "point_on_line"  # the first origin stays on the axis of the second place
    POINT_ON_PLANE = "point_on_plane"  # the first origin stays in the plane of the second place
    DISTANCE = "distance"

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows of its error, which ``dynamics.loops.constraint_rows`` defines."""
        return _ROWS[self]

    @property
    def looser(self) -> tuple[LoopKind, ...]:
        """Kinds that hold less of what it holds, about the same axes; those that hold most come first."""
        return _LOOSER.get(self, ())

    @property
    def has_axis(self) -> bool:
        """Whether it matters where the z axes of its places point."""
        return self not in (LoopKind.SPHERICAL, LoopKind.DISTANCE)


_POINT, _LINE, _TURNS, _TILTS = ("x", "y", "z"), ("x", "y"), ("rx", "ry", "rz"), ("tilt_x", "tilt_y")
_ROWS = {
    LoopKind.FIXED: (*_POINT, *_TURNS),
    LoopKind.REVOLUTE: (*_POINT, *_TILTS),
    LoopKind.PRISMATIC: (*_LINE, *_TURNS),
    LoopKind.SPHERICAL: _POINT,
    LoopKind.UNIVERSAL: (*_POINT, "tilt"),
    LoopKind.CYLINDRICAL: (*_LINE, *_TILTS),
    LoopKind.PLANAR: ("z", *_TILTS),
    LoopKind.POINT_ON_LINE: _LINE,
    LoopKind.POINT_ON_PLANE: ("z",),
    LoopKind.DISTANCE: ("distance",),
}

_LOOSER = {
    LoopKind.FIXED: (LoopKind.SPHERICAL,),
    LoopKind.REVOLUTE: (LoopKind.CYLINDRICAL, LoopKind.SPHERICAL, LoopKind.POINT_ON_LINE),
    LoopKind.PRISMATIC: (LoopKind.CYLINDRICAL, LoopKind.POINT_ON_LINE),
    LoopKind.UNIVERSAL: (LoopKind.SPHERICAL,),
    LoopKind.CYLINDRICAL: (LoopKind.POINT_ON_LINE,),
    LoopKind.PLANAR: (LoopKind.POINT_ON_PLANE,),
}


class Holding(Acting):
    """Base of what takes away freedom: it acts with multipliers, and with no numbers of its own."""

    __slots__ = ()
    source: str

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class Loop(Holding):
    """What holds the first of two places to the second.

    ``axes`` are unit vectors, one in the axes of each place, that :class:`LoopKind` takes for z. ``distance`` [m] is
    that of the origins. With ``close``, the places may be apart where all coordinates are zero. ``source`` is the file
    that tells of it, where that is not the robot's.
    """

    key = "loops"
    word = "loop"
    words = "a loop"
    title = "loops"
    name: str
    between: tuple[Site, Site]
    kind: LoopKind
    axes: tuple[Triple, Triple] = (Z, Z)
    distance: Number = 0.0
    close: bool = False
    line: int | None = field(default=None, compare=False)
    source: str = field(default="", compare=False)

    @property
    def numbers(self) -> dict[str, Number]:
        """The distance, where that is held."""
        return {"distance": self.distance} if self.kind is LoopKind.DISTANCE else {}

    def units(self, slides: bool) -> dict[str, str]:
        """Units of its numbers."""
        return dict.fromkeys(self.numbers, "m")

    @property
    def pair(self) -> tuple[Site, Site]:
        """The two places."""
        return self.between


@dataclass(frozen=True, slots=True)
class Coupling(Holding):
    """A gear or a rack: the sum of ``factor`` times coordinate over ``terms`` is ``offset``.

    ``terms`` name joints with one coordinate; a factor has the unit that makes the sum one of radians or metres.
    """

    key = "loops"
    word = "loop"
    words = "a coupling"
    title = "couplings"
    name: str
    terms: tuple[tuple[str, float], ...]
    offset: float = 0.0
    line: int | None = field(default=None, compare=False)
    source: str = field(default="", compare=False)

    @property
    def numbers(self) -> dict[str, Number]:
        """None that a run-time parameter may be."""
        return {}

    def units(self, slides: bool) -> dict[str, str]:
        """None."""
        return {}
