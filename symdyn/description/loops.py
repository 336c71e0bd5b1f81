"""Closed loops: what holds two places of a robot to each other, and linear relations of its coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Annotated, Any, ClassVar

from symdyn.description.declared import Key, Other
from symdyn.description.external_loads import Acting, Site, place
from symdyn.description.forms import CONSTANT, DIRECTION, FLAG, FOLDED, choice, each, named
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


_AXIAL = tuple(kind.value for kind in LoopKind if kind.has_axis)
_WITH_ONE_AXIS = tuple(word for word in _AXIAL if word != LoopKind.UNIVERSAL.value)
_KIND = choice([kind.value for kind in LoopKind], LoopKind)
_PLACES = each(place("held"), 2, "two places")
_BOTH = replace(
    DIRECTION,
    make=lambda raw, given, path: (DIRECTION.make(raw, given, path),) * 2,
    write=lambda axes, deforming: DIRECTION.write(axes[0], deforming) if axes[0] == axes[1] else "",
)


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
    between: Annotated[
        tuple[Site, Site],
        Key(_PLACES, "two places on different bodies", needed="give the two places, such as [coupler_end, rocker_end]"),
    ]
    kind: Annotated[
        LoopKind, Key(_KIND, "what the first place can still do against the second, or `coupling`, `pfaffian`")
    ]
    axes: Annotated[
        tuple[Triple, Triple],
        Key(
            each(DIRECTION, 2, "two vectors, one for each place"),
            "two directions, one in the axes of each place, of any length; `universal` needs them",
            _AXIAL,
            needed="a universal loop turns about two axes, so give one for each place",
            by=(LoopKind.UNIVERSAL.value,),
            others=(
                Other(
                    "axis",
                    _BOTH,
                    "direction in the axes of both places, of any length, in place of `axes`",
                    _WITH_ONE_AXIS,
                ),
            ),
        ),
    ] = (Z, Z)
    distance: Annotated[
        Number,
        Key(
            FOLDED,
            "that of the two origins [m], above 0",
            (LoopKind.DISTANCE.value,),
            needed="give that of the two origins, above 0 m",
            unit="m",
        ),
    ] = 0.0
    close: Annotated[bool, Key(FLAG, "`true`: the places may be apart where all coordinates are zero")] = False
    line: int | None = field(default=None, compare=False)
    source: str = field(default="", compare=False)

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
    kind: ClassVar[Annotated[str, Key(_KIND, "`coupling`")]] = "coupling"
    name: str
    terms: Annotated[
        tuple[tuple[str, float], ...],
        Key(
            named(CONSTANT),
            "factors by joint",
            needed="name joints with their factors, such as {motor: 1, wheel: -2}",
        ),
    ]
    offset: Annotated[float, Key(CONSTANT, "what the sum of factors times coordinates is", always=True)] = 0.0
    line: int | None = field(default=None, compare=False)
    source: str = field(default="", compare=False)
