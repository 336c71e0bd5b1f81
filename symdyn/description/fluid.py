"""What a fluid at rest does to a robot: it lifts links, takes from their motion, and moves along with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from symdyn.description.declared import Key, keyed, nested
from symdyn.description.external_loads import ALONG, SIXFOLD, VELOCITY_SCALE, Along, Entries, Site, Six, six
from symdyn.description.forms import CONSTANT, FOLDED, VECTOR, named, or_nothing, scalar
from symdyn.description.quantities.placement import Number
from symdyn.description.quantities.written import listed

_ENTRIES = scalar(six, SIXFOLD, listed)


class FluidEntries(Entries):
    """Base of what a fluid does by six entries, which may be expressions over the place along a rod."""

    __slots__ = ()
    key = "fluid"
    word = "fluid"

    @property
    def knows(self) -> frozenset[str]:
        """The place along a rod."""
        return frozenset((ALONG,)) if self.per_length else frozenset()


@dataclass(frozen=True, slots=True)
class Drag(FluidEntries):
    """What a fluid takes of the motion: f = -D_f s v and n = -D_n s omega, with s = sqrt(v . v + velocity_scale^2).

    v and omega are those of the place, in its axes, against the fluid, which rests in the world. ``entries`` are the
    diagonals of D_f and D_n [kg/m, kg m; per metre of a soft link at rest kg/m^2, kg], along a rod also over ``ALONG``.
    """

    words = "drag in a fluid"
    title = "drag (force = -drag.force sqrt(v.v + velocity_scale^2) v, moment = -drag.moment sqrt(..) omega)"
    name: str
    site: Site
    entries: Six
    velocity_scale: float
    per_length: bool = False
    line: int | None = field(default=None, compare=False)
    start: float | None = None
    end: float | None = None

    def units(self, slides: bool) -> dict[str, str]:
        """Units of the entries that are numbers."""
        return self._units(*(("kg/m^2", "kg") if self.per_length else ("kg/m", "kg m")))


@dataclass(frozen=True, slots=True)
class AddedMass(FluidEntries):
    """The fluid that moves with a link: a diagonal inertia that has no weight.

    It has the momentum (p; L) = (m v; j omega) in the axes of the place, for its velocity v and angular velocity omega,
    entry by entry, and takes p' + omega x p and L' + omega x L + v x p. ``entries`` are m and j [kg, kg m^2; per metre
    of a soft link at rest kg/m, kg m], along a rod also over ``ALONG``.
    """

    words = "added mass of a fluid"
    inert = True
    title = "added mass of a fluid (along and about the axes of the place)"
    name: str
    site: Site
    entries: Six
    per_length: bool = False
    line: int | None = field(default=None, compare=False)
    start: float | None = None
    end: float | None = None

    def units(self, slides: bool) -> dict[str, str]:
        """Units of the entries that are numbers."""
        return self._units(*(("kg/m", "kg m") if self.per_length else ("kg", "kg m^2")))


@dataclass(frozen=True, slots=True)
class Buoyancy(Along):
    """What a fluid of some ``density`` [kg/m^3] lifts: the weight of the fluid whose place a link takes.

    A rigid link takes that of ``volume`` [m^3] about the site, a soft one that of its sections,
    all along it or from ``start`` to ``end`` [m].
    """

    key = "fluid"
    word = "fluid"
    words = "buoyancy in a fluid"
    title = "buoyancy (density of the fluid; a place loses the weight of the fluid whose room it takes)"
    strengths = ("density", "volume")
    weighs = True
    name: str
    site: Site
    density: Number
    volume: Number = 0.0
    along: bool = False
    line: int | None = field(default=None, compare=False)
    start: float | None = None
    end: float | None = None

    @property
    def numbers(self) -> dict[str, Number]:
        """Density, and the volume of a rigid link."""
        return {"density": self.density} | ({} if self.along else {"volume": self.volume})

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Whether it lifts at all."""
        return not any(constants[name] == 0.0 for name in self.strengths)

    def units(self, slides: bool) -> dict[str, str]:
        """Units of its numbers."""
        return {"density": "kg/m^3"} | ({} if self.along else {"volume": "m^3"})

    @property
    def sites(self) -> tuple[Site, ...]:
        """The centre of the volume."""
        return () if self.along else (self.site,)

    @property
    def rod(self) -> str:
        """The soft link."""
        return self.site.link if self.along else ""


Immersed = Drag | AddedMass | Buoyancy
"""What a fluid does to a link."""
IMMERSED = keyed(
    "Immersed",
    "A link in the fluid.",
    {
        "volume": Key(FOLDED, "of a rigid link [m^3]; a soft one has that of its sections"),
        "center": Key(
            VECTOR,
            "of a rigid link: the centre of the volume, where drag and added mass act too, in its axes [m]; its origin",
        ),
        "start": Key(CONSTANT, "of a soft link: where it enters the fluid, from the root [m]; 0", name="from"),
        "end": Key(CONSTANT, "of a soft link: where it leaves it [m]; the rod's length if left out", name="to"),
        "drag": Key(
            _ENTRIES,
            "six numbers D of at least 0: force -D s v and moment -D s omega [kg/m, kg m], s = sqrt(v.v + "
            "velocity_scale^2); per metre of a soft link [kg/m^2, kg], where they may be expressions in x",
        ),
        "added_mass": Key(
            _ENTRIES,
            "six numbers of at least 0: the fluid that moves along the axes and turns about them [kg, kg m^2]; per "
            "metre of a soft link [kg/m, kg m], where entries may be expressions in x",
        ),
    },
)
FLUID = keyed(
    "Fluid",
    "A fluid at rest that some links are in.",
    {
        "density": Key(FOLDED, "[kg/m^3], at least 0"),
        "velocity_scale": Key(CONSTANT, f"speed that makes drag smooth at rest [m/s], above 0; {VELOCITY_SCALE:g}"),
        "bodies": Key(
            named(or_nothing(nested(IMMERSED))), "rigid and soft links, each with a mapping of the keys below"
        ),
    },
    required=("density", "bodies"),
)
