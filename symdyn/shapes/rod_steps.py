"""The steps of a rod as tables of numbers: from node to node, and aside to the mass points of sections that deform."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from symdyn.description.soft import Soft
from symdyn.errors import DescriptionError
from symdyn.shapes.gauss_rule import RULE_DIGITS, gauss_rule
from symdyn.shapes.section import SectionMoments, known, section_moments
from symdyn.shapes.section_radii import mean_rates
from symdyn.shapes.section_shapes import SectionPoint, section_points
from symdyn.shapes.strain_basis import StrainField, reference_strain, strain_field
from symdyn.shapes.tables import RodStepTable
from symdyn.shapes.thinning import relative_stretch, thin_points

NOTHING = 1e-30
"""Of the largest value of a function along the rod: what rounding leaves of zeros."""
_FINEST_BREAK = 4096
_NO_MOMENTS = (0.0, 0.0, 0.0)
SAME_PLACE = 1e-12
"""Of the length: nodes that are closer are one."""


def rod_steps(soft: Soft, stations: int) -> tuple[RodStepTable, ...]:
    """All steps of a rod with a number of Gauss points per piece, rounded from 40 digits."""
    with mpmath.workdps(RULE_DIGITS):
        return _without_rounding(tuple(_steps(soft, stations, strain_field(soft))))


def _steps(soft: Soft, stations: int, field: StrainField) -> Iterator[RodStepTable]:
    at_rest, sections = reference_strain(soft), section_moments(soft.section)
    places = [place for place, _ in gauss_rule(soft.magnus // 2)]
    shapes, thins = len(soft.section_shapes), soft.volume_preserving
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
                *((0.0, _NO_MOMENTS) if shapes or thins else (mass, inertia)),
            )
            if shapes and mass:
                yield from _points(field, end, mass, points[end], len(places))
            elif thins and mass:
                yield from _thin_points(soft, field, end, mass, inertia, len(places))
        if soft.gauged and end < soft.length:
            yield _gauge(soft, field, end, len(places))
        node = end


def _points(
    field: StrainField, x: Any, mass: float, points: Sequence[SectionPoint], places: int
) -> Iterator[RodStepTable]:
    """Steps of 1 m, without turns, from a station to the mass points of its section."""
    straight = tuple((0.0,) * len(rows) for rows in field.moved)
    for own in points:
        functions, rest = ((*straight, *own.moved),) * places, ((0.0, *own.place, 0.0, 0.0, 0.0),) * places
        yield RodStepTable(1.0, float(x), functions, rest, own.share * mass, _NO_MOMENTS, point=True)


def _thin_points(
    soft: Soft, field: StrainField, x: Any, mass: float, inertia: Sequence[float], places: int
) -> Iterator[RodStepTable]:
    """The same where sections get thinner: all that they shift by follows from the stretch."""
    still = (tuple((0.0,) * len(rows) for rows in field.moved),) * places
    rest, stretch = ((0.0,) * 6,) * places, tuple(map(float, relative_stretch(soft, x)))
    points = thin_points(inertia[2] / mass, inertia[1] / mass)
    for own in points:
        share = mass / len(points)
        yield RodStepTable(1.0, float(x), still, rest, share, _NO_MOMENTS, True, own, stretch)


def _gauge(soft: Soft, field: StrainField, x: Any, places: int) -> RodStepTable:
    """A step to a place without mass, as far aside along y as the radius is, the mean one around the section."""
    still, radius = tuple((0.0,) * len(rows) for rows in field.moved), soft.section.outer_radius(float(x))
    if soft.volume_preserving:
        stretch = tuple(map(float, relative_stretch(soft, x)))
        return RodStepTable(
            1.0, float(x), (still,) * places, ((0.0,) * 6,) * places, 0.0, _NO_MOMENTS, True, (radius, 0.0), stretch
        )
    moved = tuple((rate, 0.0) for rate in mean_rates(soft, float(x)))
    rest = ((0.0, radius, 0.0, 0.0, 0.0, 0.0),) * places
    return RodStepTable(1.0, float(x), ((*still, *moved),) * places, rest, 0.0, _NO_MOMENTS, True)


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
