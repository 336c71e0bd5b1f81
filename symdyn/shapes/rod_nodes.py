"""What the coordinates of a rod do to its strain at its stations: tables of numbers."""

from __future__ import annotations

from functools import lru_cache

import mpmath
import numpy as np

from symdyn.description.soft import Soft
from symdyn.shapes.gauss_rule import RULE_DIGITS, gauss_rule
from symdyn.shapes.rod_steps import NOTHING, rod_nodes
from symdyn.shapes.section import section_moments
from symdyn.shapes.strain_basis import reference_strain, strain_field
from symdyn.shapes.tables import RodNode

_NEAR = 1e-34
"""How far before a station its strain is taken, per length of the rod: functions may jump there."""


@lru_cache(maxsize=64)
def node_strains(soft: Soft, stations: int) -> tuple[RodNode, ...]:
    """The strain at all stations of a rod with a number of Gauss points per piece, from the root to the tip."""
    field, at_rest = strain_field(soft), reference_strain(soft)
    with mpmath.workdps(RULE_DIGITS):
        ends = [end for end, _ in rod_nodes(soft, stations)]
        places = [end - _NEAR * soft.length for end in ends]
        rests = [tuple(map(float, at_rest(x))) for x in places]
        table = np.array([[float(value) for own in field(x) for value in own] for x in places])
        numbers = list(map(float, ends))
    table[np.abs(table) <= NOTHING * np.abs(table).max(axis=0, initial=0.0)] = 0.0
    found = []
    for number, (end, row, rest) in enumerate(zip(numbers, table.tolist(), rests, strict=True), 1):
        values = iter(row)
        functions = tuple(tuple(next(values) for _ in rows) for rows in field.moved)
        found.append(RodNode(end, number * soft.substeps - 1, functions, rest))
    return tuple(found)


@lru_cache(maxsize=64)
def part_shares(soft: Soft, stations: int, start: float | None, end: float | None) -> tuple[tuple[float, float], ...]:
    """Places on a part of a rod [m] and the lengths that they stand for: Gauss points of what it has of each piece."""
    first, last = 0.0 if start is None else start, soft.length if end is None else end
    found, begin = [], 0.0
    with mpmath.workdps(RULE_DIGITS):
        for stop in soft.pieces:
            low, high = mpmath.mpf(max(begin, first)), mpmath.mpf(min(stop, last))
            if low < high:
                rule = gauss_rule(stations)
                found += [(float(low + at * (high - low)), float(weight * (high - low))) for at, weight in rule]
            begin = stop
    return tuple(found)


def part_volume(soft: Soft, x: float, share: float) -> float:
    """The volume [m^3] of a length ``share`` [m] of a rod at x [m]."""
    with mpmath.workdps(RULE_DIGITS):
        return float(share * section_moments(soft.section)(mpmath.mpf(x)).area)


@lru_cache(maxsize=64)
def node_shares(soft: Soft, stations: int) -> tuple[tuple[float, float], ...]:
    """Of every station the length [m] that it stands for, the weight of the quadrature, and the volume [m^3]."""
    sections = section_moments(soft.section)
    with mpmath.workdps(RULE_DIGITS):
        found = []
        for x, weight in rod_nodes(soft, stations):
            found.append((float(weight), float(weight * sections(x).area) if weight else 0.0))
    return tuple(found)
