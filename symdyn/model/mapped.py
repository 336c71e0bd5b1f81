"""A body given by its map in the model: its coordinates are the rows of one body without frame, its points bodies.

The points of the quadrature could also be sums inside one element, as those of a beam are. As bodies they cost a few
more operations each, and all that is known of bodies holds for them: motions, weights, momenta, energies, series and
derivatives of any order, run-time gravity. What the map says enters in one place, the step that finds the shifts of all
points side by side (``dynamics.tree.map_steps``), as that of a rod does for its stations. Algorithms that ask how rows
weigh see one body, the tip (``model.contracted``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.tangent_frame import TangentFrame
from symdyn.model.rod_matter import BAKED, RodMatter

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.mapped import MapTables


@dataclass(frozen=True, slots=True)
class MapBody:
    """The points of a body, in the order of the quadrature, and its tip; as :class:`symdyn.model.rod.Rod`.

    ``owner`` is the body that has the rows of q and v, ``stations`` are the points; the last one is the tip.
    ``stiff`` and ``damped`` tell whether its energy and its losses count. Of ``matter`` is what
    masses, damping and energies hold that is known at run time alone.
    """

    link: str
    tables: MapTables
    owner: int
    stations: tuple[int, ...]
    stiff: bool = True
    damped: bool = True
    matter: RodMatter = BAKED

    @property
    def count(self) -> int:
        """How many coordinates it has."""
        return len(self.tables.names)

    @property
    def aside(self) -> bool:
        """Whether some of its stations are points on which nothing stands."""
        return True

    @property
    def steps(self) -> int:
        """Points, with the tip."""
        return len(self.tables.masses) + 1

    @property
    def mass(self) -> float:
        """Its mass [kg]."""
        return sum(self.tables.masses)

    @property
    def density(self) -> float:
        """Of its matter [kg/m^3]."""
        return self.tables.density

    def section(self, number: int) -> tuple[float, float, float]:
        """Mass of a point [kg], which has no moments."""
        masses = self.tables.masses
        return (masses[number] if number < len(masses) else 0.0), 0.0, 0.0

    @property
    def reach(self) -> float:
        """How far its tip may stand from the link's frame, about [m]."""
        return 4.0 * self.tables.size

    def bound(self, row: int, carried: tuple[float, float]) -> float:
        """What the pivot of a row could be at most, with what the tip carries; see ``elements.tip.tip_bound``."""
        mass, spread = carried
        moved = 4.0 * (self.matter.usual * self.mass + mass) * self.tables.steepest[row] ** 2
        return moved + 4.0 * spread * self._turned(row) ** 2

    def _turned(self, row: int) -> float:
        """How far one unit of a coordinate turns the tip at rest [rad]."""
        own = self.tables.tip_rest
        if own is None:
            return 0.0
        tangents, slopes = own
        frame = TangentFrame.of(FloatAlgebra(), *tangents)
        return max(abs(float(entry)) for entry in frame.spin(*slopes[row]))
