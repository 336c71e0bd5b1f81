"""Tendons and chambers that move with the matter of sections that deform, as tables of numbers along the rod.

A tendon at d(x) = (y, z) of the sections at rest stands at (1 + beta) d where the radius changes, with
beta = sum e_i b_i(x, phi) / R(x) in the direction phi of d, and at d / sqrt(s) where the rod stretches by s and its
sections get thinner. Its slope along the rod is that of the product. What follows is a function of a few quantities at
each point, which are linear in the coordinates: these are told here, and that function in
``dynamics.actuation.following``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np

from symdyn.description.actuation import Chamber, Strand
from symdyn.description.quantities.beam_expression import BEAM_FUNCTIONS
from symdyn.description.quantities.expression import evaluate_arithmetic
from symdyn.description.quantities.map_expression import parse_map_expression
from symdyn.description.soft import TURN, SectionShape, Soft
from symdyn.shapes.bulging_chamber import chamber_polynomial
from symdyn.shapes.formula import differentiate, evaluate, read_formula
from symdyn.shapes.gauss_rule import RULE_DIGITS
from symdyn.shapes.strain_basis import reference_strain, strain_field
from symdyn.shapes.tables import ChamberTable, StrandTable
from symdyn.shapes.tendon import along, straight_chamber, straight_strand
from symdyn.shapes.thinning import relative_stretch

BULGING, THIN, THIN_CHAMBER = "bulging", "thin", "thin chamber"
"""A tendon in sections whose radius changes: the six strains, y, z and their slopes, then the weight [m]. One in
sections that get thinner: the six strains, s and its slope, then the weight, y, z and their slopes at rest. A chamber
in such: the same quantities, then the weight, its volume per metre at rest, and its first moments."""
_FLAT = 1e-13
"""Of a shape's range: bumps have no value at its ends."""
_NOTHING = 1e-30


def strand_table(soft: Soft, strand: Strand) -> StrandTable:
    """The table of a part of a tendon along a rod whose stations are known; rounded from 40 digits."""
    deforms = soft.section_shapes or soft.volume_preserving
    return following_strand(soft, strand) if deforms else straight_strand(soft, strand)


def chamber_table(soft: Soft, chamber: Chamber) -> ChamberTable:
    """The table of a chamber in a rod whose stations are known."""
    if soft.section_shapes:
        volume = chamber_polynomial(soft, chamber)
        linear = tuple(volume.get((row,), 0.0) for row in range(soft.coordinates))
        products = tuple((key, value) for key, value in sorted(volume.items()) if len(key) > 1)
        return ChamberTable(volume.get((), 0.0), linear, products)
    if soft.volume_preserving:
        return ChamberTable(0.0, (0.0,) * soft.coordinates, following=following_chamber(soft, chamber))
    return straight_chamber(soft, chamber)


def following_strand(soft: Soft, strand: Strand) -> StrandTable:
    """The table of a tendon along such a rod."""
    route = [read_formula(text) for text in (strand.y, strand.z)]

    def numbers(x: Any) -> list[Any]:
        return [mpmath.mpf(evaluate(differentiate(own, n), x)) for n in (0, 1) for own in route]

    if soft.volume_preserving:
        return _table(soft, strand, THIN, lambda x: _stretches(soft, x), numbers)
    return _table(soft, strand, BULGING, lambda x: _ways(soft, numbers, x), lambda x: [])


def following_chamber(soft: Soft, chamber: Chamber) -> StrandTable:
    """The table of a chamber in a rod whose sections get thinner."""
    parts = [read_formula(text) for text in (chamber.area, chamber.moment_y, chamber.moment_z)]

    def numbers(x: Any) -> list[Any]:
        area, *moments = (mpmath.mpf(evaluate(own, x)) for own in parts)
        return [area * reference_strain(soft)(x)[0], *moments]

    return _table(soft, chamber, THIN_CHAMBER, lambda x: _stretches(soft, x), numbers)


def _table(
    soft: Soft,
    part: Strand | Chamber,
    kind: str,
    more: Callable[[Any], list[list[Any]]],
    numbers: Callable[[Any], list[Any]],
) -> StrandTable:
    """Six strains and ``more`` quantities, each as its value at rest and its slopes by all coordinates."""
    field, at_rest = strain_field(soft), reference_strain(soft)
    slopes, rests, last = [], [], []
    with mpmath.workdps(RULE_DIGITS):
        for x, weight in along(soft, part.start, part.end):
            rows = [[own, *(mpmath.mpf(0) for _ in range(soft.coordinates))] for own in at_rest(x)]
            for coordinate, (moved, values) in enumerate(zip(field.moved, field(x), strict=True)):
                for row, value in zip(moved, values, strict=True):
                    rows[row][1 + coordinate] = value
            rows += more(x)
            rests.append([float(own[0]) for own in rows])
            slopes.append([[float(value) for value in own[1:]] for own in rows])
            last.append([float(weight), *map(float, numbers(x))])
    table, rest = np.array(slopes), np.array(rests)
    table[np.abs(table) <= _NOTHING * np.abs(table).max(axis=0)] = 0.0
    entries = [(int(row), int(own)) for row, own in np.argwhere(np.any(table != 0.0, axis=0))]
    kept = np.flatnonzero(np.any(rest != 0.0, axis=0)).tolist()
    points = [
        (*(float(table[k][place]) for place in entries), *rest[k][kept].tolist(), *last[k]) for k in range(len(table))
    ]
    return StrandTable(tuple(entries), tuple(kept), tuple(points), kind)


def _stretches(soft: Soft, x: Any) -> list[list[Any]]:
    """The stretch and its slope along the rod."""
    own = relative_stretch(soft, x)
    slopes = [
        mpmath.diff(lambda at, k=k: relative_stretch(soft, at)[k], x) if value else value for k, value in enumerate(own)
    ]
    return [[mpmath.mpf(1), *own], [mpmath.mpf(0), *slopes]]


def _ways(soft: Soft, route: Callable[[Any], list[Any]], x: Any) -> list[list[Any]]:
    """y, z and their slopes along the rod: at rest, and per unit of each coordinate."""
    y, z, y_slope, z_slope = route(x)
    found = [[own, *(mpmath.mpf(0) for _ in range(soft.strain_coordinates))] for own in (y, z, y_slope, z_slope)]
    for shape in soft.section_shapes:

        def ratio(at: Any, shape: SectionShape = shape) -> Any:
            return _ratio(soft, shape, at, route(at)[:2])

        own, slope = ratio(x), mpmath.diff(ratio, x)
        for row, value in zip(
            found, (own * y, own * z, own * y_slope + slope * y, own * z_slope + slope * z), strict=True
        ):
            row.append(value)
    return found


def _ratio(soft: Soft, shape: SectionShape, x: Any, place: Sequence[Any]) -> Any:
    """b/R in the direction of a place of the section; 0 beyond the shape's range."""
    phi = mpmath.atan2(place[1], place[0])
    phi += TURN * mpmath.floor((shape.end - phi) / TURN)
    if phi < shape.start:
        return mpmath.mpf(0)
    inside = _FLAT * (shape.end - shape.start)
    phi = min(max(phi, shape.start + inside), shape.end - inside)
    functions = {name: getattr(mpmath, name) for name in BEAM_FUNCTIONS}
    value = evaluate_arithmetic(parse_map_expression(shape.radius), {"x": x, "phi": phi}, functions)
    return mpmath.mpf(value) / mpmath.mpf(evaluate(read_formula(soft.section.radius), x))
