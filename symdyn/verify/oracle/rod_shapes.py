"""Sections of a rod that change their radius, as mass points: integrals over the angle with more digits than doubles.

A point (rho, phi) of the section stands at (rho + (rho / R) sum b_i e_i) (cos phi, sin phi). How the section weighs
follows from the means and mean products of what this sum is made of, so that any points with the same ones will do:
here one more than there are directions in which these are spread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from mpmath import mp

from symdyn.description.quantities.beam_expression import BEAM_FUNCTIONS
from symdyn.description.quantities.expression import evaluate_arithmetic
from symdyn.description.quantities.map_expression import parse_map_expression
from symdyn.description.soft import SectionShape, Soft
from symdyn.errors import VerificationError
from symdyn.verify.base.dense import Rows
from symdyn.verify.base.matrices import Real, Vector
from symdyn.verify.base.quadrature import Rule, rule
from symdyn.verify.oracle.rod_section import value_at

Terms = Callable[[Real], Vector]
_DIGITS = 32
_REACH = 8
_COUNTS, _PACES = (6, 9, 14, 20), (4, 7, 11, 16, 23, 32)
_LINES = (mp.mpf(1) / 5, mp.mpf(1) / 2, mp.mpf(7) / 8)
_SETTLED = mp.mpf(10) ** -20
_HALF_SETTLED = mp.mpf(10) ** -12
"""Of rules whose error is squared with twice the nodes: the finer one is exact."""
_NOTHING = mp.mpf(10) ** -18


@dataclass(frozen=True, slots=True)
class ShapePoint:
    """A share of a section's mass, where it is at rest, and how one unit of each shape moves it, (0, y, z) [m]."""

    share: Real
    place: Vector
    moved: tuple[Vector, ...]
    stretches: tuple[Real, ...] = ()
    """Where sections get thinner as the rod stretches: what each coordinate adds to the relative stretch there."""


def change_of_radius(shape: SectionShape, x: Real, phi: Real) -> Real:
    """By one unit of the coordinate at an angle of the section, anywhere."""
    turn = 2 * mp.pi
    within = phi - turn * mp.floor((phi - shape.start) / turn)
    if not within < shape.end:
        return mp.mpf(0)
    functions = {name: getattr(mp, name) for name in BEAM_FUNCTIONS}
    return mp.mpf(evaluate_arithmetic(parse_map_expression(shape.radius), {"x": x, "phi": within}, functions))


@cache
def shape_points(soft: Soft, x: Real) -> tuple[ShapePoint, ...]:
    """The points that stand for the section at x [m]."""
    with mp.workdps(_DIGITS):
        outer = value_at(soft.section.radius, x)
        inner = value_at(soft.section.inner_radius, x) if soft.section.inner_radius else mp.mpf(0)
        area = mp.pi * (outer**2 - inner**2)
        once, twice = ((outer ** (n + 2) - inner ** (n + 2)) / (n + 2) / area for n in (1, 2))

        def terms(phi: Real) -> Vector:
            way = mp.cos(phi), mp.sin(phi)
            rays = [mp.mpf(1), *(change_of_radius(own, x, phi) / outer for own in soft.section_shapes)]
            flat = [ray * part for ray in rays for part in way]
            return [*(once * own for own in flat), *(twice * a * b for a in flat for b in flat)]

        found = around(soft, terms)
        size = 2 + 2 * len(soft.section_shapes)
        mean = found[:size]
        spread = [[found[size * (i + 1) + j] - mean[i] * mean[j] for j in range(size)] for i in range(size)]
        # Scaled to unit diagonals, so that what is small counts.
        scale = [mp.sqrt(spread[i][i]) or mp.mpf(1) for i in range(size)]
        unit = mp.matrix([[spread[i][j] / (scale[i] * scale[j]) for j in range(size)] for i in range(size)])
        values, vectors = mp.eigsy(unit)
        kept = [k for k in range(size) if values[k] > _NOTHING]
        points = []
        for corner in _corners(len(kept)):
            at = list(mean)
            for k, away in zip(kept, corner, strict=True):
                at = [at[i] + away * mp.sqrt(values[k]) * scale[i] * vectors[i, k] for i in range(size)]
            moves = [[mp.mpf(0), at[i], at[i + 1]] for i in range(0, size, 2)]
            points.append(ShapePoint(mp.mpf(1) / (len(kept) + 1), moves[0], tuple(moves[1:])))
        return tuple(points)


def _corners(count: int) -> list[Vector]:
    """Places whose mean is 0 and whose mean products are those of the unit matrix, one more than it has rows.

    Waves around a circle of them: every two are perpendicular to each other and to the constant.
    """
    number, turn = count + 1, 2 * mp.pi
    found = []
    for corner in range(number):
        waves = [
            mp.sqrt(2) * wave(turn * (k + 1) * corner / number) for k in range(count // 2) for wave in (mp.cos, mp.sin)
        ]
        found.append(waves if count % 2 == 0 else [*waves, mp.mpf((-1) ** corner)])
    return found


@cache
def shape_gram(soft: Soft) -> Rows:
    """The integrals of the products of two changes of radius over angle and length."""
    count, turn = len(soft.section_shapes), 2 * mp.pi
    with mp.workdps(_DIGITS):
        ends = [mp.mpf(0), *(mp.mpf(end) for end in soft.pieces)]
        kinks = sorted({mp.mpf(end) % turn for own in soft.section_shapes for end in (own.start, own.end)})
        found = [mp.mpf(0)] * count**2
        for start, end in pairwise(ends):
            for first, last in pairwise([*kinks, kinks[0] + turn]):
                along, around = _grid(soft, (start, end), (first, last))
                for place, weight in along:
                    for angle, share in around:
                        own = _products(soft, place, angle)
                        found = [a + weight * share * b if b else a for a, b in zip(found, own, strict=True)]
        return [found[k * count : (k + 1) * count] for k in range(count)]


def _grid(soft: Soft, x: tuple[Real, Real], phi: tuple[Real, Real]) -> tuple[Rule, Rule]:
    """Rules along and around that are good on a few lines across, and taken to be good everywhere."""
    places, angles = ([a + (b - a) * share for share in _LINES] for a, b in (x, phi))

    def along(at: Real) -> Vector:
        return _listed(_products(soft, at, angle) for angle in angles)

    def over(at: Real) -> Vector:
        return _listed(_products(soft, place, at) for place in places)

    return _nodes_for(*x, along), _nodes_for(*phi, over)


def _listed(parts: Iterable[Vector]) -> Vector:
    return [entry for part in parts for entry in part]


def _products(soft: Soft, x: Real, phi: Real) -> Vector:
    rays = [change_of_radius(own, x, phi) for own in soft.section_shapes]
    return [a * b for a in rays for b in rays]


def around(soft: Soft, terms: Terms, within: tuple[Real, Real] | None = None) -> Vector:
    """Integrals over the angle, from each kink to the next; all around where it is not said between which."""
    turn = 2 * mp.pi
    kinks = {mp.mpf(end) % turn for own in soft.section_shapes for end in (own.start, own.end)}
    first, last = within or (min(kinks), min(kinks) + turn)
    turned = {first + (kink - first) % turn for kink in kinks}
    ends = sorted({first, last} | {kink for kink in turned if first < kink < last})
    return _summed(_integral(start, end, terms) for start, end in pairwise(ends))


def _integral(start: Real, end: Real, terms: Terms) -> Vector:
    """Of what is smooth between two places, or ends there flat."""
    nodes = _nodes_for(start, end, terms)
    return [mp.fsum(column) for column in zip(*([w * own for own in terms(at)] for at, w in nodes), strict=True)]


def _nodes_for(start: Real, end: Real, terms: Terms) -> Rule:
    """Places and weights that integrate some functions.

    Raises
    ------
    VerificationError
        Functions that kink.
    """
    polynomial = (rule(start, end, count) for count in _COUNTS)
    flat = ([(start + (end - start) * at, (end - start) * weight) for at, weight in _rule(pace)] for pace in _PACES)
    for rules, settled in ((polynomial, _SETTLED), (flat, _HALF_SETTLED)):
        before: Vector | None = None
        for nodes in rules:
            rows = [[weight * value for value in terms(place)] for place, weight in nodes]
            sums = [mp.fsum(column) for column in zip(*rows, strict=True)]
            most = max(mp.fsum(column, absolute=True) for column in zip(*rows, strict=True))
            if before is not None and all(abs(a - b) <= settled * most for a, b in zip(sums, before, strict=True)):
                return nodes
            before = sums
    raise VerificationError("section shapes: they vary too sharply to be integrated; end their ranges where they kink")


def _summed(parts: Iterable[Vector]) -> Vector:
    return [mp.fsum(column) for column in zip(*parts, strict=True)]


@cache
def _rule(pace: int) -> list[tuple[Real, Real]]:
    """Places in (0, 1) and weights: the trapezoidal rule in t, with places (1 + erf t) / 2."""
    return list(_nodes(pace))


def _nodes(pace: int) -> Iterator[tuple[Real, Real]]:
    with mp.workdps(_DIGITS + 8):
        for k in range(-_REACH * pace, _REACH * pace + 1):
            t = mp.mpf(k) / pace
            yield mp.erfc(-t) / 2, mp.exp(-t * t) / (mp.sqrt(mp.pi) * pace)
