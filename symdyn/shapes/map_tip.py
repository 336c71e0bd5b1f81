"""How the tip of a body given by its map turns: formulas of its tangents along s1 and s2, of the coordinates alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mpmath

from symdyn.description.mapped import Mapped
from symdyn.shapes.gauss_rule import RULE_DIGITS
from symdyn.shapes.map_columns import Columns
from symdyn.shapes.map_terms import Term, Values, rebuilt, slope

Triple = tuple[Term, Term, Term]
TwoVectors = tuple[tuple[float, ...], tuple[float, ...]]
_NOTHING = 1e-30
"""Entries of unit vectors that are rounding."""


@dataclass(frozen=True, slots=True)
class TipTangents:
    """Formulas of the tip's tangents along s1 and s2, of the coordinates alone.

    Attributes
    ----------
    tangents
        Both.
    slopes
        Their derivatives by each coordinate.
    curvatures
        Second derivatives by two coordinates i <= j, those that are zero left out.
    rest
        Axes of the matter at rest, row by row (see ``spatial.tangent_frame``).
    """

    tangents: tuple[Triple, Triple]
    slopes: tuple[tuple[Triple, Triple], ...]
    curvatures: tuple[tuple[int, int, tuple[Triple, Triple]], ...]
    rest: tuple[float, ...]


def tip_tangents(body: Mapped, place: list[Term], s: list[Term], q: list[Term]) -> TipTangents:
    """Formulas in which all that holds no coordinate is a number, that at the tip.

    ``place`` are formulas of the map, of the leaves ``s`` and ``q``.
    """
    columns, count = Columns(), len(q)
    tangents = [[slope(term, by) for term in place] for by in s[:2]]
    first = [[[slope(term, by) for term in own] for own in tangents] for by in q]
    second = [
        (i, j, [[slope(term, q[j]) for term in own] for own in first[i]]) for i in range(count) for j in range(i, count)
    ]

    def parted(pair: list[list[Term]]) -> list[list[Term]]:
        return [[columns.without(term) for term in own] for own in pair]

    made = parted(tangents), [parted(pair) for pair in first], [(i, j, parted(pair)) for i, j, pair in second]
    with mpmath.workdps(RULE_DIGITS):
        at = exactly(body.end)
        leaves: dict[Term, Term] = {
            ("c", number): exact(term, at, mpmath.mpf(0)) for number, term in enumerate(columns.found)
        }
        value = precise({"s": [*at, mpmath.mpf(0)], "q": [mpmath.mpf(0)] * count})
        one, two = ([value(term) for term in own] for own in tangents)
        one = _unit(one)
        two = _unit([x - mpmath.fdot(one, two) * y for x, y in zip(two, one, strict=True)])
        three = [one[(k + 1) % 3] * two[(k + 2) % 3] - one[(k + 2) % 3] * two[(k + 1) % 3] for k in range(3)]
        rest = tuple(float(mpmath.chop(entry, _NOTHING)) for entry in (*one, *two, *three))

    def settled(pair: list[list[Term]]) -> tuple[Triple, Triple]:
        one, two = (tuple(rebuilt(term, leaves) for term in own) for own in pair)
        return (one[0], one[1], one[2]), (two[0], two[1], two[2])

    bent = [(i, j, settled(pair)) for i, j, pair in made[2]]
    return TipTangents(
        settled(made[0]),
        tuple(map(settled, made[1])),
        tuple(own for own in bent if any(term != 0.0 for each in own[2] for term in each)),
        rest,
    )


def _unit(vector: list[Any]) -> list[Any]:
    size = mpmath.sqrt(mpmath.fdot(vector, vector))
    return [entry / size for entry in vector]


def at_rest(tip: TipTangents, count: int) -> tuple[TwoVectors, tuple[TwoVectors, ...]]:
    """Tangents of the tip, and their slopes."""
    value = Values(in_floats, {"q": (0.0,) * count})

    def found(own: tuple[Triple, Triple]) -> TwoVectors:
        first, second = (tuple(map(value, each)) for each in own)
        return first, second

    return found(tip.tangents), tuple(map(found, tip.slopes))


def exactly(numbers: tuple[float, ...]) -> list[Any]:
    """Numbers of which none is rounded."""
    return [mpmath.mpf(number) for number in numbers]


def exact(term: Term, at: list[Any], weight: Any) -> float:
    """A column at a point."""
    return float(precise({"s": [*at, weight]})(term))


def precise(leaves: dict[str, list[Any]]) -> Values:
    """Values in which constants are not rounded one by one."""
    return Values(lambda name, x: getattr(mpmath, name)(x), leaves, mpmath.mpf)


def in_floats(name: str, x: float) -> float:
    """A function of doubles."""
    return float(getattr(math, name)(x))
