"""Tables of a body given by its map: formulas of what its points do, and the numbers of each point in them.

All that holds no coordinate is a number at each point of the quadrature, and so stands in a table; what is left are
formulas that all points share. Slopes by coordinates are formulas too, found once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product as combinations
from typing import Any

import mpmath

from symdyn.description.checks.map_values import MapValues
from symdyn.description.mapped import MATERIAL, Mapped
from symdyn.shapes.gauss_rule import RULE_DIGITS, gauss_rule
from symdyn.shapes.map_columns import Columns
from symdyn.shapes.map_terms import Term, Values, product, rebuilt, slope, term_of
from symdyn.shapes.map_tip import (
    TipTangents,
    Triple,
    TwoVectors,
    at_rest,
    exact,
    exactly,
    in_floats,
    precise,
    tip_tangents,
)
from symdyn.shapes.section import known

_WEIGHT: Term = ("s", 3)
"""The volume at rest that a point stands for."""


@dataclass(frozen=True, slots=True)
class MapFormulas:
    """Formulas that all points share, of the coordinates and of columns of the table.

    Attributes
    ----------
    count
        Coordinates.
    width
        Columns of the table.
    place
        Where a point is in the link's frame.
    slopes
        Its derivatives by each coordinate.
    curvatures
        Second derivatives by two coordinates i <= j, those that are zero left out.
    density
        The energy that a point holds, and its derivatives.
    energy
        That of the whole body, and its derivatives; no point has a part in it.
    tip
        How the tip's frame turns, if it does.
    """

    count: int
    width: int
    place: Triple
    slopes: tuple[Triple, ...]
    curvatures: tuple[tuple[int, int, Triple], ...]
    density: tuple[Term, tuple[Term, ...]]
    energy: tuple[Term, tuple[Term, ...]]
    tip: TipTangents | None = None


@dataclass(frozen=True, slots=True)
class MapTables:
    """A body in numbers.

    Attributes
    ----------
    names, units
        Of its coordinates.
    formulas
        What its points do.
    columns
        A row of the table per point; the last one is the tip, which has no mass.
    masses
        Of the points [kg], without the tip.
    density
        [kg/m^3].
    damping
        Force by rate of each coordinate.
    parameters
        Names of numbers that are known at run time alone, in the order in which energies have them.
    rest
        Where the tip is with all coordinates 0 [m].
    usual
        Amplitudes that move points by a tenth of the body at the most.
    size
        The largest extent [m].
    steepest
        How far one unit of each coordinate moves a point at rest, at the most [m].
    tip_rest
        Tangents of the tip at rest, and what one unit of each coordinate adds to them, if its frame turns.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    formulas: MapFormulas
    columns: tuple[tuple[float, ...], ...]
    masses: tuple[float, ...]
    density: float
    damping: tuple[float, ...]
    parameters: tuple[str, ...]
    rest: tuple[float, float, float]
    usual: tuple[float, ...]
    size: float
    steepest: tuple[float, ...]
    tip_rest: tuple[TwoVectors, tuple[TwoVectors, ...]] | None = None


@lru_cache(maxsize=16)
def map_tables(body: Mapped) -> MapTables:
    """The tables of a sound body, whose density and damping are numbers."""
    density_of_matter = known(body.density)
    count = len(body.rows)
    q: list[Term] = [("q", k) for k in range(count)]
    s: list[Term] = [("s", k) for k in range(3)]
    names = dict(zip(MATERIAL, s, strict=True)) | dict(zip(body.rows, q, strict=True))
    names |= {name: ("p", k) for k, name in enumerate(body.parameters)}
    place = [term_of(text, names) for text in body.map]
    density = product(_WEIGHT, term_of(body.energy_density, names)) if body.energy_density else 0.0
    energy = term_of(body.energy, names) if body.energy else 0.0
    columns = Columns()

    def triple(terms: list[Term]) -> Triple:
        x, y, z = (columns.without(term) for term in terms)
        return x, y, z

    first = [[slope(term, by) for term in place] for by in q]
    second = [(i, j, [slope(term, q[j]) for term in first[i]]) for i in range(count) for j in range(i, count)]
    made = (
        triple(place),
        [triple(terms) for terms in first],
        [(i, j, triple(terms)) for i, j, terms in second if any(term != 0.0 for term in terms)],
        [columns.without(term) for term in (density, *(slope(density, by) for by in q))],
        [columns.without(term) for term in (energy, *(slope(energy, by) for by in q))],
    )
    with mpmath.workdps(RULE_DIGITS):
        points = _points(body)
        volumes = [weight * _volume(place, s, q, at) for at, weight in points]
        rows = [
            [exact(term, at, volume) for term in columns.found]
            for at, volume in zip((*(at for at, _ in points), exactly(body.end)), (*volumes, 0), strict=True)
        ]
        masses = tuple(float(mpmath.mpf(density_of_matter) * volume) for volume in volumes)
    tables, formulas = _settled(rows, made, count)
    if body.tip_turns:
        formulas = replace(formulas, tip=tip_tangents(body, place, s, q))
    x, y, z = map(Values(in_floats, {"c": tables[-1], "q": (0.0,) * count}), formulas.place)
    values = MapValues(body)
    largest = abs(values.columns(values.points(), values.reach * 0.0)).max(axis=(0, 1))
    return MapTables(
        body.rows,
        tuple(unit for _, unit in body.coordinates),
        formulas,
        tables,
        masses,
        density_of_matter,
        tuple(map(known, body.damping)) or (0.0,) * count,
        body.parameters,
        (x, y, z),
        tuple(float(entry) for entry in values.reach),
        values.size,
        tuple(float(entry) for entry in largest),
        None if formulas.tip is None else at_rest(formulas.tip, count),
    )


def _points(body: Mapped) -> list[tuple[list[Any], Any]]:
    """Material coordinates and weights."""
    rules = [
        [(start + (end - start) * place, (end - start) * weight) for place, weight in gauss_rule(count)]
        for (start, end), count in zip(map(exactly, body.domain), body.quadrature, strict=True)
    ]
    return [([x, y, z], a * b * c) for (x, a), (y, b), (z, c) in combinations(*rules)]


def _volume(place: list[Term], s: list[Term], q: list[Term], at: list[Any]) -> Any:
    """The determinant of the slopes by material coordinates, at rest."""
    value = precise({"s": [*at, 0], "q": [mpmath.mpf(0)] * len(q)})
    (a, b, c), (d, e, f), (g, h, i) = ([value(slope(term, by)) for by in s] for term in place)
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _settled(rows: list[list[float]], made: Any, count: int) -> tuple[tuple[tuple[float, ...], ...], MapFormulas]:
    """The table without columns that have one value, which formulas have in their place."""
    columns = list(zip(*rows, strict=True))
    kept = [number for number, column in enumerate(columns) if len(set(column)) > 1]
    leaves: dict[Term, Term] = {("c", number): column[0] for number, column in enumerate(columns)}
    leaves |= {("c", number): ("c", place) for place, number in enumerate(kept)}

    def settled(terms: Any) -> Any:
        return tuple(rebuilt(term, leaves) for term in terms)

    place, slopes, curvatures, density, energy = made
    second = [(i, j, settled(each)) for i, j, each in curvatures]
    formulas = MapFormulas(
        count,
        len(kept),
        settled(place),
        tuple(settled(each) for each in slopes),
        tuple(each for each in second if any(term != 0.0 for term in each[2])),
        (settled(density)[0], settled(density[1:])),
        (settled(energy)[0], settled(energy[1:])),
    )
    return tuple(tuple(columns[number][row] for number in kept) for row in range(len(rows))), formulas
