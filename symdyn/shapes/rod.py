"""A rod as tables of numbers: its steps, what they weigh, and the stiffness and damping of its coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from symdyn.description.soft import GREEN_LAGRANGE, Soft
from symdyn.shapes.rod_elasticity import Square, rod_elasticity
from symdyn.shapes.rod_steps import RodStepTable, rod_steps
from symdyn.shapes.section import known
from symdyn.shapes.section_energy import SectionEnergy, section_energy
from symdyn.shapes.strain_basis import strain_field

_ACROSS = (1, 2)
"""Rows in which a shift across the section counts: no step of a mass point turns, so that it is the shift itself."""


@dataclass(frozen=True, slots=True)
class RodTables:
    """All that dynamics needs to know of a rod, in its own frame: x along the rod at its root.

    Strains have six rows: stretch, shear_y, shear_z, twist, curvature_y, curvature_z.

    Attributes
    ----------
    names
        Of the coordinates: ``curvature_y[0]``, or what a coupled one is called.
    units
        Of the coordinates: ``rad`` or ``1``.
    moved
        Per coordinate the rows of the strain that it moves.
    steps
        From the root to the tip.
    order
        Of the Magnus expansion: 2, 4 or 6, with 1, 2 or 3 Gauss points per step.
    mass
        Of all nodes [kg].
    density
        Of the matter [kg/m^3], to which all masses are proportional.
    stiffness, damping
        Of the coordinates, (n, n), integrated along the rod to rounding and not at its nodes.
    condition
        Condition number of the stiffness, all coordinates scaled to one of 1.
    energy
        Points of the matter whose energy is that of the rod, if it is not K's; K is then that at rest.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    moved: tuple[tuple[int, ...], ...]
    steps: tuple[RodStepTable, ...]
    order: int
    mass: float
    density: float
    stiffness: Square
    damping: Square
    condition: float
    energy: SectionEnergy | None = None

    @property
    def chain(self) -> tuple[int, ...]:
        """Which steps lead on along the rod; the others lead to mass points of a section that deforms."""
        return tuple(number for number, step in enumerate(self.steps) if not step.point)

    def before(self, number: int) -> int:
        """The step at whose end one begins; -1 at the root."""
        return next((k for k in reversed(range(number)) if not self.steps[k].point), -1)


@lru_cache(maxsize=64)
def rod_tables(soft: Soft, stations: int) -> RodTables:
    """The tables of a rod with a number of Gauss points per piece.

    Every piece ends in a node without weight; every mark is one. ``soft.substeps`` equal steps lead from one node to
    the next. Numbers are rounded from 40 digits, so that zeros of the mathematics are zeros.

    Raises
    ------
    DescriptionError
        A section that is not positive somewhere, integrals that do not settle, functions that are as good as dependent.
    """
    field, elasticity = strain_field(soft), rod_elasticity(soft, stations if soft.section_law == GREEN_LAGRANGE else 0)
    steps = rod_steps(soft, stations)
    shapes = len(soft.section_shapes)
    return RodTables(
        (*field.names, *soft.section_rows),
        (*field.units, *("1",) * shapes),
        (*field.moved, *(_ACROSS,) * shapes),
        steps,
        soft.magnus,
        sum(step.mass for step in steps),
        known(soft.material.density),
        elasticity.stiffness,
        elasticity.damping,
        elasticity.condition,
        section_energy(soft, stations) if soft.section_law == GREEN_LAGRANGE else None,
    )
