"""Tendons and chambers along a rod as tables of numbers: what strains make of lengths and volumes.

The cable through the point d = (0, y, z) of the section has, per metre of the rod, the length of

    t = xi_lin + xi_ang x d + d'    (Mathew et al., eqs. D60 to D62),

and a chamber the volume xi_x A + xi_ang,y m_z - xi_ang,z m_y, with the first moments m of its area A (Kane). Both are
summed at as many Gauss points per piece as the rod has stations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import mpmath
from sympy import Expr

from symdyn.description.actuation import Chamber, Strand
from symdyn.description.soft import Soft
from symdyn.shapes.formula import differentiate, evaluate, read_formula
from symdyn.shapes.gauss_rule import RULE_DIGITS, gauss_rule
from symdyn.shapes.strain_basis import reference_strain, strain_field
from symdyn.shapes.tables import ChamberTable, StrandTable

_NOTHING = 1e-30
"""Of the largest value along the rod: what rounding leaves of zeros."""


def straight_strand(soft: Soft, strand: Strand) -> StrandTable:
    """The table of a part of a tendon along a rod whose sections keep their shape; rounded from 40 digits."""
    field, at_rest = strain_field(soft), reference_strain(soft)
    routes = [read_formula(text) for text in (strand.y, strand.z)]
    with mpmath.workdps(RULE_DIGITS):
        slopes: list[dict[tuple[int, int], Any]] = []
        rests: list[list[Any]] = []
        for x, weight in along(soft, strand.start, strand.end):
            y, z, y_slope, z_slope = (_value(differentiate(own, n), x) for n in (0, 1) for own in routes)
            felt = _felt(y, z)
            found: dict[tuple[int, int], Any] = {}
            for coordinate, (rows, values) in enumerate(zip(field.moved, field(x), strict=True)):
                for row, value in zip(rows, values, strict=True):
                    for component, arm in felt[row].items():
                        place = component, coordinate
                        found[place] = found.get(place, 0) + weight * arm * value
            rest = [0, weight * y_slope, weight * z_slope]
            for row, value in enumerate(at_rest(x)):
                for component, arm in felt[row].items():
                    rest[component] += weight * arm * value
            slopes.append(found)
            rests.append(rest)
        places = sorted(place for place in slopes[0] if not _none([found[place] for found in slopes]))
        components = [k for k in range(3) if not _none([rest[k] for rest in rests])]
        points = [
            (*(float(found[place]) for place in places), *(float(rest[k]) for k in components))
            for found, rest in zip(slopes, rests, strict=True)
        ]
    return StrandTable(tuple(places), tuple(components), tuple(points))


def straight_chamber(soft: Soft, chamber: Chamber) -> ChamberTable:
    """The table of a chamber in a rod whose sections keep their shape."""
    field, at_rest = strain_field(soft), reference_strain(soft)
    area, moment_y, moment_z = (read_formula(text) for text in (chamber.area, chamber.moment_y, chamber.moment_z))
    with mpmath.workdps(RULE_DIGITS):
        terms: list[list[Any]] = []
        for x, weight in along(soft, chamber.start, chamber.end):
            felt = {0: _value(area, x), 4: _value(moment_z, x), 5: -_value(moment_y, x)}
            rest = sum(felt[row] * value for row, value in enumerate(at_rest(x)) if row in felt)
            slopes = [
                sum(felt[row] * value for row, value in zip(rows, values, strict=True) if row in felt)
                for rows, values in zip(field.moved, field(x), strict=True)
            ]
            terms.append([weight * value for value in (rest, *slopes)])
        columns = [list(column) for column in zip(*terms, strict=True)]
        totals = [sum(column) for column in columns]
        sizes = [sum(map(abs, column)) for column in columns]
        found = [float(own) if abs(own) > _NOTHING * size else 0.0 for own, size in zip(totals, sizes, strict=True)]
    return ChamberTable(found[0], tuple(found[1:]))


def _felt(y: Any, z: Any) -> tuple[dict[int, Any], ...]:
    """Per row of the strain what it adds to the components of t."""
    return {0: 1}, {1: 1}, {2: 1}, {1: -z, 2: y}, {0: z}, {0: -y}


def _value(formula: Expr, x: Any) -> Any:
    return mpmath.mpf(evaluate(formula, x))


def along(soft: Soft, start: float, end: float) -> Iterator[tuple[Any, Any]]:
    """Places and weights [m] from ``start`` to ``end`` [m]."""
    assert soft.stations is not None
    marks = [start, *(mark for mark in soft.pieces if start < mark < end), end]
    for first, last in pairwise(map(mpmath.mpf, marks)):
        for place, weight in gauss_rule(soft.stations):
            yield first + place * (last - first), weight * (last - first)


def _none(values: Sequence[Any]) -> bool:
    return all(value == 0 for value in values)
