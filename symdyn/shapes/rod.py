"""A rod as tables of numbers: its steps, what they weigh, and the stiffness and damping of its coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np

from symdyn.description.soft import GREEN_LAGRANGE, Soft, Strain
from symdyn.errors import DescriptionError
from symdyn.shapes.gauss_rule import RULE_DIGITS, gauss_rule
from symdyn.shapes.quadrature import SETTLED, adaptive_quadrature
from symdyn.shapes.section import SectionMoments, known, section_moments, stiffness_by_row, viscosity_by_row
from symdyn.shapes.section_energy import SectionEnergy, section_energy, stiffness_at_rest
from symdyn.shapes.section_shapes import SectionPoint, radial_gram, section_points
from symdyn.shapes.strain_basis import STRAIN_ROWS, StrainField, reference_strain, strain_field

Square = tuple[tuple[float, ...], ...]

MOST_CONDITION = 1e12
"""Functions of worse condition are as good as dependent."""
NOTHING = 1e-30
"""Of the largest value of a function along the rod: what rounding leaves of zeros."""
_FINEST_BREAK = 4096
_NO_MOMENTS = (0.0, 0.0, 0.0)
_ACROSS = (1, 2)
"""Rows in which a shift across the section counts: no step of a mass point turns, so that it is the shift itself."""
SAME_PLACE = 1e-12
"""Of the length: nodes that are closer are one."""


@dataclass(frozen=True, slots=True)
class RodStepTable:
    """One step along a rod, from a node or from the step before to ``end`` [m], and the node there.

    Attributes
    ----------
    length
        Of the step [m].
    functions
        Per Gauss point and coordinate the values of the functions, one per row that the coordinate moves.
    reference
        Per Gauss point the strain at rest, six rows.
    mass
        Of the node: quadrature weight times mass per length [kg]; 0 where it weighs nothing.
    inertia
        Of the node about x, y and z [kg m^2], likewise.
    point
        Whether it leads aside, from the last station before to a mass point of its section, and nothing goes on there.
    """

    length: float
    end: float
    functions: tuple[tuple[tuple[float, ...], ...], ...]
    reference: tuple[tuple[float, ...], ...]
    mass: float
    inertia: tuple[float, float, float]
    point: bool = False


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


@dataclass(frozen=True, slots=True)
class _Elasticity:
    stiffness: Square
    damping: Square
    condition: float


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
    field, elasticity = strain_field(soft), _elasticity(soft, stations if soft.section_law == GREEN_LAGRANGE else 0)
    with mpmath.workdps(RULE_DIGITS):
        steps = _without_rounding(tuple(_steps(soft, stations, field)))
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


def _steps(soft: Soft, stations: int, field: StrainField) -> Iterator[RodStepTable]:
    at_rest, sections = reference_strain(soft), section_moments(soft.section)
    places = [place for place, _ in gauss_rule(soft.magnus // 2)]
    shapes = len(soft.section_shapes)
    still = ((0.0, 0.0),) * shapes
    node, nodes = mpmath.mpf(0), list(rod_nodes(soft, stations))
    weighing = [end for end, weight in nodes if weight]
    points = dict(zip(weighing, section_points(soft, list(map(float, weighing))), strict=True)) if shapes else {}
    for end, weight in nodes:
        length = (end - node) / soft.substeps
        for number in range(soft.substeps):
            start = node + number * length
            at = [start + place * length for place in places]
            last = number == soft.substeps - 1
            mass, inertia = _weighed(soft, sections, end, weight) if last and weight else (0.0, _NO_MOMENTS)
            yield RodStepTable(
                float(length),
                float(start + length),
                tuple((*(tuple(map(float, values)) for values in field(x)), *still) for x in at),
                tuple(tuple(map(float, at_rest(x))) for x in at),
                *((0.0, _NO_MOMENTS) if shapes else (mass, inertia)),
            )
            if shapes and mass:
                yield from _points(field, end, mass, points[end], len(places))
        node = end


def _points(
    field: StrainField, x: Any, mass: float, points: Sequence[SectionPoint], places: int
) -> Iterator[RodStepTable]:
    """Steps of 1 m, without turns, from a station to the mass points of its section."""
    straight = tuple((0.0,) * len(rows) for rows in field.moved)
    for own in points:
        functions, rest = ((*straight, *own.moved),) * places, ((0.0, *own.place, 0.0, 0.0, 0.0),) * places
        yield RodStepTable(1.0, float(x), functions, rest, own.share * mass, _NO_MOMENTS, point=True)


def rod_nodes(soft: Soft, stations: int) -> Iterator[tuple[Any, Any]]:
    """Places and weights [m] of the nodes from the root to the tip."""
    length, start = mpmath.mpf(soft.length), mpmath.mpf(0)
    for piece in soft.pieces:
        share = Fraction(piece / soft.length).limit_denominator(_FINEST_BREAK)  # breaks are simple fractions
        end = length * share.numerator / share.denominator
        own = [(start + place * (end - start), weight * (end - start)) for place, weight in gauss_rule(stations)]
        own.append((end, 0))
        inside = (mpmath.mpf(mark) for mark in soft.marks if start < mark < end)
        apart = [(mark, 0) for mark in inside if all(abs(mark - place) > SAME_PLACE * length for place, _ in own)]
        yield from sorted([*own, *apart], key=lambda node: node[0])
        start = end


def _weighed(
    soft: Soft, sections: Callable[[Any], SectionMoments], x: Any, weight: Any
) -> tuple[float, tuple[float, float, float]]:
    own = sections(x)
    for name, value in zip(own._fields, own, strict=True):
        if not (mpmath.isfinite(value) and value > 0):
            raise DescriptionError(
                f"section: expected a positive {name.replace('_', ' ')} all along the rod, got {float(value):g} at "
                f"x = {float(x):.6g} m"
            )
    share = weight * known(soft.material.density)
    turning = (own.about_y + own.about_z, own.about_y, own.about_z)
    x_part, y_part, z_part = (float(share * moment) for moment in turning)
    return float(share * own.area), (x_part, y_part, z_part)


def _without_rounding(steps: tuple[RodStepTable, ...]) -> tuple[RodStepTable, ...]:
    """Zeros in place of what forty digits leave of them."""
    tables = np.array([[[value for own in point for value in own] for point in step.functions] for step in steps])
    tables[np.abs(tables) <= NOTHING * np.abs(tables).max(axis=(0, 1), initial=0.0)] = 0.0
    found = []
    for step, table in zip(steps, tables.tolist(), strict=True):
        points = []
        for point, row in zip(step.functions, table, strict=True):
            values = iter(row)
            points.append(tuple(tuple(next(values) for _ in own) for own in point))
        found.append(replace(step, functions=tuple(points)))
    return tuple(found)


@lru_cache(maxsize=64)
def _elasticity(soft: Soft, stations: int) -> _Elasticity:
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
    return _Elasticity(_square(stiffness), _square(damping), _condition(stiffness, (*field.names, *soft.section_rows)))


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
