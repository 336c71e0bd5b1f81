"""A rod as tables of numbers: its steps, what they weigh, and the stiffness and damping of its coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from symdyn.description.soft import GREEN_LAGRANGE, Soft, Strain
from symdyn.errors import DescriptionError
from symdyn.shapes.integrals import Square
from symdyn.shapes.quadrature import SETTLED, adaptive_quadrature
from symdyn.shapes.rod_steps import rod_steps
from symdyn.shapes.section import known, section_moments, stiffness_by_row, viscosity_by_row
from symdyn.shapes.section_energy import section_energy, stiffness_at_rest
from symdyn.shapes.section_radii import radial_gram
from symdyn.shapes.strain_basis import STRAIN_ROWS, strain_field
from symdyn.shapes.tables import RodTables

MOST_CONDITION = 1e12
"""Functions of worse condition are as good as dependent."""


@dataclass(frozen=True, slots=True)
class RodElasticity:
    """Matrices of the coordinates, and the condition number of the stiffness, coordinates scaled to one of 1."""

    stiffness: Square
    damping: Square
    condition: float


@lru_cache(maxsize=64)
def rod_elasticity(soft: Soft, stations: int) -> RodElasticity:
    """Those of a rod; ``stations`` are counted where its energy is summed at them, and 0 elsewhere."""
    field, sections = strain_field(soft), section_moments(soft.section)
    owners = [(i, row) for i, rows in enumerate(field.moved) for row in rows]

    def factors(x: Any) -> Any:
        resisting = sections(x).by_row()
        values = [value for own in field(x) for value in own]
        return np.array([np.sqrt(resisting[row]) * value for (_, row), value in zip(owners, values, strict=True)])

    rule = adaptive_quadrature(soft.pieces, factors, "strains")
    weighed = factors(rule.nodes)
    count = len(field.names)
    by_row = np.zeros((6, count, count))
    for row in range(6):
        here = [place for place, (_, own) in enumerate(owners) if own == row]
        at = [owners[place][0] for place in here]
        by_row[row][np.ix_(at, at)] = rule.integral(weighed[here][:, None, :] * weighed[here][None, :, :])
        norms = np.sqrt(np.diag(by_row[row]))
        by_row[row][np.abs(by_row[row]) <= SETTLED * np.outer(norms, norms)] = 0.0
    stiffness = np.tensordot(stiffness_by_row(soft.section, soft.material), by_row, 1)
    damping = np.tensordot(viscosity_by_row(soft.section, soft.material), by_row, 1)
    if soft.section_shapes:
        radial, axial, softer = radial_gram(soft), STRAIN_ROWS[Strain.STRETCH], 0.0
        stiffness = _beside(stiffness, stiffness_by_row(soft.section, soft.material)[axial] * radial)
        if stations:
            softer = known(soft.material.retardation_time)
            stiffness = stiffness_at_rest(section_energy(soft, stations))
        damping = _beside(damping, viscosity_by_row(soft.section, soft.material)[axial] * radial)
        damping = softer * stiffness if softer else damping
    return RodElasticity(
        _square(stiffness), _square(damping), _condition(stiffness, (*field.names, *soft.section_rows))
    )


def _beside(first: Any, second: Any) -> Any:
    """Both matrices along the diagonal of one."""
    size = len(first)
    whole = np.zeros((size + len(second),) * 2)
    whole[:size, :size], whole[size:, size:] = first, second
    return whole


def _condition(stiffness: Any, names: tuple[str, ...]) -> float:
    diagonal = np.sqrt(np.diag(stiffness))
    for name, own in zip(names, diagonal, strict=True):
        if not own > 0.0:
            raise DescriptionError(f"strain '{name}' has no stiffness: its function is zero all along the rod")
    values, vectors = np.linalg.eigh(stiffness / np.outer(diagonal, diagonal))
    condition = float(values[-1] / values[0]) if values[0] > 0.0 else np.inf
    if condition > MOST_CONDITION:
        order = np.argsort(-np.abs(vectors[:, 0]))[:2].tolist()
        raise DescriptionError(
            f"the functions of {' and '.join(repr(names[k]) for k in sorted(order))} are as good as dependent: the "
            f"stiffness has the condition number {condition:.1e}, expected at most {MOST_CONDITION:.0e}; leave out one "
            "of them or move them apart"
        )
    return condition


def _square(rows: Any) -> Square:
    return tuple(tuple(row) for row in (0.5 * (rows + rows.T)).tolist())


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
