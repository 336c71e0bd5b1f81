"""Bushings and spring-dampers between two places of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from symdyn.description.external_loads import Acting, Site, Six
from symdyn.description.quantities.placement import Number, Vector3

WAYS = ("x", "y", "z", "rx", "ry", "rz")
"""Shifts along the axes of the first place, and turns about them."""
_NOTHING: Six = (0.0,) * 6


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
    between: tuple[Site, Site]
    stiffness: Six
    damping: Six = _NOTHING
    translation: Vector3 = (0.0, 0.0, 0.0)
    line: int | None = field(default=None, compare=False)

    @property
    def numbers(self) -> dict[str, Number]:
        """Stiffness, damping and translation by name."""
        found = {f"stiffness.{way}": number for way, number in zip(WAYS, self.stiffness, strict=True)}
        found |= {f"damping.{way}": number for way, number in zip(WAYS, self.damping, strict=True)}
        return found | {f"translation.{way}": number for way, number in zip("xyz", self.translation, strict=True)}

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Whether it has any stiffness or damping."""
        return any(constants[name] != 0.0 for name in self.numbers if not name.startswith("translation"))

    def units(self, slides: bool) -> dict[str, str]:
        """Units of its numbers."""
        found = {f"stiffness.{way}": "N m/rad" if "r" in way else "N/m" for way in WAYS}
        found |= {f"damping.{way}": "N m s/rad" if "r" in way else "N s/m" for way in WAYS}
        return found | {f"translation.{way}": "m" for way in "xyz"}

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
    between: tuple[Site, Site]
    stiffness: Number
    damping: Number = 0.0
    length: Number = 0.0
    line: int | None = field(default=None, compare=False)

    @property
    def numbers(self) -> dict[str, Number]:
        """Stiffness, damping and length at rest."""
        return {"stiffness": self.stiffness, "damping": self.damping, "length": self.length}

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Whether it has any stiffness or damping."""
        return any(constants[name] != 0.0 for name in ("stiffness", "damping"))

    def units(self, slides: bool) -> dict[str, str]:
        """Units of its numbers."""
        return {"stiffness": "N/m", "damping": "N s/m", "length": "m"}

    @property
    def pair(self) -> tuple[Site, Site]:
        """The two places."""
        return self.between
