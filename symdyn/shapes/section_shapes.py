"""Round sections that change their radius: what dynamics and springs need to know of them.

By one unit of coordinate i the radius R grows by b_i(x, phi), and a point (rho, phi) of the section moves by
s_i = (rho / R) b_i (cos phi, sin phi). The velocity of a point is linear in 1, r_0 and s_i, and so is its place. All
that a section does to inertia, momentum and weight is therefore known from the integrals of 1, r_0, s_i and of their
products over its mass. A few mass points have the same integrals, exactly: they stand for the section.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from symdyn.description.quantities.beam_expression import BEAM_FUNCTIONS, BeamExpression
from symdyn.description.quantities.expression import evaluate_arithmetic
from symdyn.description.quantities.map_expression import parse_map_expression
from symdyn.description.soft import TURN, SectionShape, Soft
from symdyn.errors import DescriptionError
from symdyn.shapes.formula import evaluate, read_formula

_FUNCTIONS = {name: getattr(np, name) for name in BEAM_FUNCTIONS}
_REACH = 3.4
"""Of the variable of a double exponential rule: weights beyond it are below 1e-18."""
DENSITIES = (8, 16, 32, 64)
"""Nodes per unit of that variable, tried one after the other."""
SETTLED = 1e-9
"""Change by leaving out every second node: these rules square their error with twice the nodes."""
_NOTHING = 4e-15
_INDEPENDENT = 1e-13
"""Of its mean square: what must be left of a displacement that others do not make."""
_SAME_ANGLE = 1e-9
INSIDE = 1e-13
"""Of a range: bumps have no value at its ends."""


class SectionPoint(NamedTuple):
    """A mass point that stands for part of a section: its share of the mass, and its y and z [m].

    ``place`` is that at rest, ``moved`` how one unit of each shape moves it.
    """

    share: float
    place: tuple[float, float]
    moved: tuple[tuple[float, float], ...]


class Arc(NamedTuple):
    """Angles [rad] between which all shapes are smooth; of each that counts there, its number and a turn to add."""

    start: float
    end: float
    shapes: tuple[tuple[int, float], ...]


def arcs(shapes: Sequence[SectionShape]) -> list[Arc]:
    """The parts of the whole turn."""
    ends = sorted({angle % TURN for own in shapes for angle in (own.start, own.end)})
    kept = [angle for place, angle in enumerate(ends) if place == 0 or angle - ends[place - 1] > _SAME_ANGLE]
    if len(kept) > 1 and kept[0] + TURN - kept[-1] <= _SAME_ANGLE:
        kept.pop()
    found = []
    for start, end in pairwise([*kept, kept[0] + TURN]):
        middle = 0.5 * (start + end)
        turns = ((number, TURN * math.ceil((own.start - middle) / TURN), own) for number, own in enumerate(shapes))
        found.append(Arc(start, end, tuple((k, turn) for k, turn, own in turns if middle + turn < own.end)))
    return found


def radius_rate(shape: SectionShape, x: Any, phi: Any) -> Any:
    """b(x, phi) [m] in a shape's range, over arrays."""
    return evaluate_arithmetic(parse_map_expression(shape.radius), {"x": x, "phi": phi}, _FUNCTIONS)


def section_points(soft: Soft, places: Sequence[float]) -> list[tuple[SectionPoint, ...]]:
    """The mass points of the sections at some places [m] along the rod.

    Raises
    ------
    DescriptionError
        Shapes that vary too sharply around the section, or have no value there.
    """
    x = np.array(places)
    outer = evaluate(read_formula(soft.section.radius), x)
    inner = evaluate(read_formula(soft.section.inner_radius), x) if soft.section.inner_radius else 0.0 * x
    area = np.pi * (outer**2 - inner**2)
    once, twice = ((outer ** (n + 2) - inner ** (n + 2)) / (n + 2) / area for n in (1, 2))
    # Both of a place or displacement are in proportion to rho; the first one is the place at rest.
    scales = np.stack([np.ones_like(x), *(1.0 / outer for _ in soft.section_shapes)])
    first, second = around_section(soft, x)
    size = 2 * len(scales)
    mean = np.moveaxis(once * scales[:, None] * first, -1, 0).reshape(len(x), size)
    square = np.moveaxis(twice * scales[:, None, None, None] * scales[None, None, :, None] * second, -1, 0)
    spread = square.reshape(len(x), size, size) - mean[:, :, None] * mean[:, None, :]
    return [_simplex(own, _factor(rows)) for own, rows in zip(mean.tolist(), spread.tolist(), strict=True)]


def around_section(soft: Soft, x: Any) -> tuple[Any, Any]:
    """Integrals over the angle of b_i n and b_i b_j n n^T, n = (cos phi, sin phi), at places x; b of the first is 1.

    (shapes + 1, 2, places) and (shapes + 1, 2, shapes + 1, 2, places).
    """
    for density in DENSITIES:
        found, sizes = _sums(soft, x, density, 1)
        coarse, _ = _sums(soft, x, density, 2)
        if all(np.all(np.abs(a - b) <= SETTLED * size) for a, b, size in zip(found, coarse, sizes, strict=True)):
            first, second = (
                np.where(np.abs(a) > _NOTHING * size, a, 0.0) for a, size in zip(found, sizes, strict=True)
            )
            return first, second
    raise DescriptionError(
        "section_shapes: integrals around the section do not settle; write smoother expressions, or end their ranges "
        "where they kink"
    )


def _sums(soft: Soft, x: Any, density: int, step: int) -> tuple[list[Any], list[Any]]:
    """These integrals by some of the nodes, and those of magnitudes."""
    count = len(soft.section_shapes) + 1
    totals: list[list[Any]] = [[0.0, 0.0], [0.0, 0.0]]
    for arc, phi, weights in arc_rules(soft.section_shapes, density, step):
        rays = np.zeros((count, len(x), len(phi)))
        rays[0] = 1.0
        for shape, turn in arc.shapes:
            rays[shape + 1] = rates_of_radius(soft.section_shapes[shape], x, phi + turn)
        flat = np.stack([rays * np.cos(phi), rays * np.sin(phi)], axis=1)
        for own, values in zip(totals, (flat, np.abs(flat)), strict=True):
            own[0] = own[0] + values @ weights
            own[1] = own[1] + np.einsum("iaxp,jbxp,p->iajbx", values, values, weights)
    return totals[0], totals[1]


def ratio_at(soft: Soft, shape: SectionShape, x: complex, phi: complex) -> complex:
    """b/R at one place, which may be complex."""
    radius = BeamExpression(soft.section.radius).over(x, cmath)
    functions = {name: getattr(cmath, name) for name in BEAM_FUNCTIONS}
    return complex(evaluate_arithmetic(parse_map_expression(shape.radius), {"x": x, "phi": phi}, functions) / radius)


def rates_of_radius(shape: SectionShape, x: Any, phi: Any) -> Any:
    """How much the radius grows [m] at places x and angles phi in a shape's range, (places, angles).

    Raises
    ------
    DescriptionError
        No finite value.
    """
    inside = INSIDE * (shape.end - shape.start)  # bumps have no value at the ends of their ranges
    phi = np.clip(phi, shape.start + inside, shape.end - inside)
    with np.errstate(all="ignore"):
        values = radius_rate(shape, x[:, None], phi[None, :]) + np.zeros((len(x), len(phi)))
    if not np.all(np.isfinite(values)):
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise DescriptionError(
            f"section_shapes: radius has no finite value at x = {x[row]:.6g} m, phi = {phi[column]:.6g} rad"
        )
    return values


def arc_rules(shapes: Sequence[SectionShape], density: int, step: int = 1) -> Iterator[tuple[Arc, Any, Any]]:
    """Per arc its angles and weights."""
    places, weights = unit_rule(density)
    for arc in arcs(shapes):
        width = arc.end - arc.start
        yield arc, arc.start + width * places[::step], step * width * weights[::step]


@lru_cache(maxsize=8)
def unit_rule(density: int) -> tuple[Any, Any]:
    """Places in (0, 1) and weights that add up to 1: a double exponential rule, good where functions end flat too."""
    reach = int(_REACH * density) // 2 * 2
    t = np.arange(-reach, reach + 1) / density
    u = np.pi / 2 * np.sinh(t)
    return 1.0 / (1.0 + np.exp(-2.0 * u)), np.pi / 4 * np.cosh(t) / np.cosh(u) ** 2 / density


def _factor(spread: list[list[float]]) -> list[list[float]]:
    """Columns c_k with sum c_k c_k^T = spread: Cholesky's, without those of displacements that others make."""
    size, columns = len(spread), []
    left = [list(row) for row in spread]
    for k in range(size):
        if left[k][k] <= _INDEPENDENT * spread[k][k]:
            continue
        root = math.sqrt(left[k][k])
        column = [left[row][k] / root if row >= k else 0.0 for row in range(size)]
        columns.append(column)
        for i in range(size):
            for j in range(size):
                left[i][j] -= column[i] * column[j]
    return columns


def _simplex(mean: list[float], columns: list[list[float]]) -> tuple[SectionPoint, ...]:
    """Points of equal mass with this mean and covariance: the corners of a simplex, one more than columns."""
    count = len(columns) + 1
    found = []
    for corner in range(count):
        values = list(mean)
        for k, column in enumerate(columns):
            # Helmert's matrix: its rows are perpendicular to each other and to (1, .., 1).
            height = 1.0 if corner <= k else -(k + 1.0) if corner == k + 1 else 0.0
            entry = height * math.sqrt(count / ((k + 1.0) * (k + 2.0)))
            values = [value + entry * own for value, own in zip(values, column, strict=True)]
        pairs = list(zip(values[::2], values[1::2], strict=True))
        found.append(SectionPoint(1.0 / count, pairs[0], tuple(pairs[1:])))
    return tuple(found)
