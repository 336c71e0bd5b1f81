"""Bushings and spring-dampers between two places of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from symdyn.description.declared import Key
from symdyn.description.external_loads import SIX, Acting, Site, Six, place
from symdyn.description.forms import FOLDED, VECTOR, each
from symdyn.description.quantities.placement import Number, Vector3

WAYS = ("x", "y", "z", "rx", "ry", "rz")
"""Shifts along the axes of the first place, and turns about them."""
_NOTHING: Six = (0.0,) * 6
_PLACES = each(place(""), 2, "two places")


def _each(along: str, about: str) -> tuple[tuple[str, str], ...]:
    return tuple((way, about if "r" in way else along) for way in WAYS)


@dataclass(frozen=True, slots=True)
class Bushing(Acting):
    """Springs and dampers that hold the second of two places to the first, in the axes of the first.

    With the shift d of the second origin, less ``translation``, the force on the second place is -K d - C d'. The
    moment is that of the energy tr(G (1 - R)) of the relative rotation R, with G diagonal such that the stiffness at
    small angles is ``stiffness``, less C times the relative angular velocity. The first place feels the opposite.
    """

    key = "bushings"
    word = "bushing"
    words = "a bushing"
    title = "bushings (force = -stiffness shift - damping rate, in the axes of the first place)"
    name: str
    between: Annotated[tuple[Site, Site], Key(_PLACES, "two places on different links")]
    stiffness: Annotated[
        Six,
        Key(
            SIX,
            "six numbers of at least 0: along x, y, z [N/m] and about them [N m/rad], in the axes of the first place",
            entries=_each("N/m", "N m/rad"),
        ),
    ]
    damping: Annotated[
        Six, Key(SIX, "likewise [N s/m, N m s/rad]", entries=_each("N s/m", "N m s/rad"), always=True)
    ] = _NOTHING
    translation: Annotated[
        Vector3,
        Key(
            VECTOR,
            "of the second place in the axes of the first at rest [m]",
            entries=(("x", "m"), ("y", "m"), ("z", "m")),
            always=True,
        ),
    ] = (0.0, 0.0, 0.0)
    line: int | None = field(default=None, compare=False)

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Whether it has any stiffness or damping."""
        return any(constants[name] != 0.0 for name in self.numbers if not name.startswith("translation"))

    @property
    def pair(self) -> tuple[Site, Site]:
        """The two places."""
        return self.between


@dataclass(frozen=True, slots=True)
class Strut(Acting):
    """A spring and a damper on the line between two places: they pull with stiffness (l - length) + damping l'."""

    key = "struts"
    word = "strut"
    words = "a strut"
    title = "struts (pull = stiffness (l - length) + damping l')"
    name: str
    between: Annotated[
        tuple[Site, Site],
        Key(_PLACES, "two places; where they coincide the strut has no direction, and its pull is 0"),
    ]
    stiffness: Annotated[Number, Key(FOLDED, "pull per length beyond `length` [N/m], at least 0", unit="N/m")]
    damping: Annotated[
        Number, Key(FOLDED, "pull per rate of the length [N s/m], at least 0", unit="N s/m", always=True)
    ] = 0.0
    length: Annotated[Number, Key(FOLDED, "length at rest [m], at least 0", unit="m", always=True)] = 0.0
    line: int | None = field(default=None, compare=False)

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Whether it has any stiffness or damping."""
        return any(constants[name] != 0.0 for name in ("stiffness", "damping"))

    @property
    def pair(self) -> tuple[Site, Site]:
        """The two places."""
        return self.between
