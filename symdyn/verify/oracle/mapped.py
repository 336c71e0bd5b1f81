"""A body given by its map, as its quadrature sees it: mass points whose places are the map's, and springs.

The model is this cloud of points, and no integral over the body. All of it follows from the description alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product as combinations
from typing import TYPE_CHECKING

from mpmath import mp

from symdyn.description.mapped import MATERIAL, Mapped
from symdyn.description.quantities.expression import Expression
from symdyn.verify.base.curves import Curve, PartialVelocity
from symdyn.verify.base.matrices import (
    MatrixSeries,
    Real,
    Vector,
    VectorSeries,
    cross,
    dot,
    identity,
    rotation_rate,
    subtract,
    vector,
    zeros,
)
from symdyn.verify.base.quadrature import rule
from symdyn.verify.oracle.map_jets import Growing, expression_terms, slope_along, square_root

if TYPE_CHECKING:
    from symdyn.verify.oracle.place import Place
    from symdyn.verify.oracle.quantities import Quantities
    from symdyn.verify.oracle.tree import Tree

_DIGITS = 55
"""More than the oracle has."""
_SHARE = mp.mpf("0.1")


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A point: its material coordinates, and the volume at rest that it stands for."""

    at: tuple[Real, ...]
    volume: Real


@cache
def points_of(body: Mapped) -> tuple[MapPoint, ...]:
    """The points of a body's quadrature, to more digits than the oracle has."""
    with mp.workdps(_DIGITS):
        rules = [
            rule(mp.mpf(start), mp.mpf(end), count)
            for (start, end), count in zip(body.domain, body.quadrature, strict=True)
        ]
        found = []
        for along in combinations(*rules):
            at = tuple(place for place, _ in along)
            weight = along[0][1] * along[1][1] * along[2][1]
            found.append(MapPoint(at, weight * _volume(body, at)))
        return tuple(found)


def _volume(body: Mapped, at: Sequence[Real]) -> Real:
    """The determinant of the map's slopes by material coordinates, at rest."""
    columns = []
    for own in range(3):
        growing = [Growing(x, mp.mpf(place == own)) for place, x in enumerate(at)]
        names = dict(zip(MATERIAL, growing, strict=True)) | {name: Growing(0) for name in body.rows}
        columns.append([expression_terms(text, names)[1] for text in body.map])
    return dot(columns[0], cross(columns[1], columns[2]))


def _names(body: Mapped, at: Sequence[Real], d: Sequence[Sequence[Real]]) -> dict[str, Growing]:
    moving = [Growing(*terms) for terms in zip(*d, strict=True)]
    return dict(zip(MATERIAL, map(Growing, at), strict=True)) | dict(zip(body.rows, moving, strict=True))


def point_curve(body: Mapped, at: tuple[Real, ...], d: VectorSeries) -> Curve:
    """Where a point is in the link's frame, as the coordinates move; its frame does not turn."""
    return _curve(body, at, tuple(tuple(order) for order in d), mp.prec)


@lru_cache(maxsize=4096)  # while other joints are moved
def _curve(body: Mapped, at: tuple[Real, ...], d: tuple[tuple[Real, ...], ...], _precision: int) -> Curve:
    names = _names(body, at, d)
    terms = [expression_terms(text, names) for text in body.map]
    orders = range(len(d))
    return Curve([identity() if order == 0 else zeros() for order in orders], [[x[k] for x in terms] for k in orders])


def point_velocities(body: Mapped, at: tuple[Real, ...], d: Sequence[Real]) -> list[PartialVelocity]:
    """What each coordinate's rate adds to the velocity of a point, in the link's axes."""
    still = vector((0, 0, 0))
    found = []
    for own in range(len(d)):
        unit = [mp.mpf(place == own) for place in range(len(d))]
        found.append(PartialVelocity(still, point_curve(body, at, [list(d), unit]).translation[1]))
    return found


def tip_curve(body: Mapped, d: VectorSeries) -> Curve:
    """The curve of the tip's frame, from where it is with all coordinates 0."""
    at = tuple(map(mp.mpf, body.end))
    curve, rest = point_curve(body, at, d), tip_at_rest(body)
    rotation = _turning(body, at, tuple(tuple(order) for order in d), mp.prec) if body.tip_turns else curve.rotation
    return Curve(rotation, [subtract(curve.translation[0], rest), *curve.translation[1:]])


def tip_velocities(body: Mapped, d: Sequence[Real]) -> list[PartialVelocity]:
    """What each coordinate's rate adds to the motion of the tip's frame, in the link's axes."""
    found = point_velocities(body, tuple(map(mp.mpf, body.end)), d)
    if not body.tip_turns:
        return found
    units = ([mp.mpf(place == own) for place in range(len(d))] for own in range(len(d)))
    turns = (rotation_rate(tip_curve(body, [list(d), unit]).rotation)[0] for unit in units)
    return [PartialVelocity(turn, own.linear) for turn, own in zip(turns, found, strict=True)]


@lru_cache(maxsize=4096)
def _turning(body: Mapped, at: tuple[Real, ...], d: tuple[tuple[Real, ...], ...], _precision: int) -> MatrixSeries:
    """The rotation from the tip's axes at rest: those of tangents along s1 and s2, made perpendicular one by one."""
    axes, rest = (_axes(body, at, own) for own in (d, ((mp.mpf(0),) * len(body.rows),)))
    start = [[entry.terms[0] for entry in axis] for axis in rest]

    def entry(row: int, column: int, k: int) -> Real:
        return mp.fsum(own[row].terms[k] * first[column] for own, first in zip(axes, start, strict=True))

    return [[[entry(row, column, k) for column in range(3)] for row in range(3)] for k in range(len(d))]


def _axes(body: Mapped, at: tuple[Real, ...], d: tuple[tuple[Real, ...], ...]) -> list[list[Growing]]:
    names = _names(body, at, d)
    first, second = ([slope_along(text, names, own) for text in body.map] for own in MATERIAL[:2])
    one = _unit(first)
    two = _unit([x - _along(second, one) * y for x, y in zip(second, one, strict=True)])
    three = [one[(k + 1) % 3] * two[(k + 2) % 3] - one[(k + 2) % 3] * two[(k + 1) % 3] for k in range(3)]
    return [one, two, three]


def _along(x: list[Growing], y: list[Growing]) -> Growing:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def _unit(x: list[Growing]) -> list[Growing]:
    size = _along(x, x).through(square_root)
    return [entry / size for entry in x]


def tip_at_rest(body: Mapped) -> Vector:
    """Where the tip is with all coordinates 0, in the link's frame."""
    return point_curve(body, tuple(map(mp.mpf, body.end)), [[mp.mpf(0)] * len(body.rows)]).translation[0]


def stored_energy(body: Mapped, d: Sequence[Sequence[Real]], quantities: Quantities) -> tuple[Real, Real]:
    """The energy of a body, and its rate if d has a second row, the rates of the coordinates."""
    found = [mp.mpf(0)] * 2
    numbers = {name: Growing(quantities(Expression(name), "")) for name in body.parameters}
    if body.energy:
        terms = expression_terms(body.energy, _names(body, (0, 0, 0), d) | numbers)
        found = [x + y for x, y in zip(found, terms, strict=False)]
    for point in points_of(body) if body.energy_density else ():
        terms = expression_terms(body.energy_density, _names(body, point.at, d) | numbers)
        found = [x + point.volume * y for x, y in zip(found, terms, strict=False)]
    return found[0], found[1]


def add_map_springs(tau: list[Real], tree: Tree, q: Sequence[Real], v: Sequence[Real], quantities: Quantities) -> None:
    """Add the forces that hold such bodies in shape, and that move their dampers."""
    for place in tree.maps:
        body = place.map
        d, rates = place.coordinates(q), place.velocities(v)
        for row, damping in enumerate(_dampings(place, quantities)):
            unit = [mp.mpf(other == row) for other in range(len(d))]
            tau[place.v_row + row] += stored_energy(body, [d, unit], quantities)[1] + damping * rates[row]


def _dampings(place: Place, quantities: Quantities) -> list[Real]:
    body = place.map
    named = zip(body.rows, body.damping or (0.0,) * len(body.rows), strict=True)
    return [quantities(own, f"{place.joint.parent}.damping.{name}") for name, own in named]


def map_energy(tree: Tree, q: Sequence[Real], quantities: Quantities) -> Real:
    """Energy that they hold by their shapes."""
    return mp.fsum(stored_energy(place.map, [place.coordinates(q)], quantities)[0] for place in tree.maps)


def map_damping_power(tree: Tree, v: Sequence[Real], quantities: Quantities) -> Real:
    """Power that their dampers take."""
    lost = mp.mpf(0)
    for place in tree.maps:
        named = zip(_dampings(place, quantities), place.velocities(v), strict=True)
        lost += mp.fsum(own * rate**2 for own, rate in named)
    return lost


def map_reaches(body: Mapped) -> list[float]:
    """Amplitudes up to which coordinates are drawn: together they move points by a tenth of the body."""
    count = len(body.rows)
    rest, root = [mp.mpf(0)] * count, point_curve(body, tuple(map(mp.mpf, body.root)), [[mp.mpf(0)] * count])
    size, slopes = mp.mpf(0), [mp.mpf(0)] * count
    for point in points_of(body):
        place = point_curve(body, point.at, [rest]).translation[0]
        size = max(size, mp.norm(subtract(place, root.translation[0])))
        for row, part in enumerate(point_velocities(body, point.at, rest)):
            slopes[row] = max(slopes[row], mp.norm(part.linear))
    return [float(_SHARE * size / count / slope) for slope in slopes]
