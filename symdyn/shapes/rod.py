"""A rod as tables of numbers: its steps, what they weigh, and the stiffness and damping of its coordinates."""

from __future__ import annotations

from functools import lru_cache

from symdyn.description.soft import GREEN_LAGRANGE, Soft
from symdyn.shapes.rod_elasticity import rod_elasticity
from symdyn.shapes.rod_steps import rod_steps
from symdyn.shapes.section import known
from symdyn.shapes.section_energy import section_energy
from symdyn.shapes.strain_basis import strain_field
from symdyn.shapes.tables import RodTables

_ACROSS = (1, 2)
"""Rows in which a shift across the section counts: no step of a mass point turns, so that it is the shift itself."""


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
