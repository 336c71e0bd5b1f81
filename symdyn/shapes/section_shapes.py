"""Round sections that change their radius: what dynamics and springs need to know of them.

By one unit of coordinate i the radius R grows by b_i(x, phi), and a point (rho, phi) of the section moves by
s_i = (rho / R) b_i (cos phi, sin phi). The velocity of a point is linear in 1, r_0 and s_i, and so is its place. All that
a section does to inertia, momentum and weight is therefore known from the integrals of 1, r_0, s_i and of their
products over its mass. A few mass points have the same integrals, exactly: they stand for the section.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import mpmath
import numpy as np

from symdyn.description.quantities.beam_expression import BEAM_FUNCTIONS
from symdyn.description.quantities.expression import evaluate_arithmetic
from symdyn.description.quantities.map_expression import parse_map_expression
from symdyn.description.soft import TURN, SectionShape, Soft
from symdyn.errors import DescriptionError
from symdyn.shapes.formula import evaluate, read_formula

_DIGITS = 24
_REACH = 3.4
"""Of the variable of a double exponential rule: weights beyond it are below 1e-18."""
_DENSITIES = (16, 32, 64)
"""Nodes per unit of that variable, tried one after the other."""
_SETTLED = 1e-13
_NOTHING = 1e-19
_INDEPENDENT = 1e-13
"""Of its mean square: what must be left of a displacement that others do not make."""
_SAME_ANGLE = 1e-9
_SAMPLES, _USUAL = 33, 0.1


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


def radius_rate(shape: SectionShape, x: Any, phi: Any, library: Any) -> Any:
    """b(x, phi) [m] in a shape's range, over mpmath or NumPy."""
    functions = {name: getattr(library, name) for name in BEAM_FUNCTIONS}
    return evaluate_arithmetic(parse_map_expression(shape.radius), {"x": x, "phi": phi}, functions)


@lru_cache(maxsize=512)
def section_points(soft: Soft, x: Any) -> tuple[SectionPoint, ...]:
    """The mass points of the section at x [m], an mpmath number.

    Raises
    ------
    DescriptionError
        Shapes that vary too sharply around the section, or have no value there.
    """
    with mpmath.workdps(_DIGITS):
        mean, spread = _moments(soft, mpmath.mpf(x))
        columns = _factor(spread)
        return _simplex(mean, columns)


def _moments(soft: Soft, x: Any) -> tuple[list[Any], list[list[Any]]]:
    """Mean and covariance over a section of (r_0, s_0, s_1, ..), y and z of each."""
    outer = evaluate(read_formula(soft.section.radius), x)
    inner = evaluate(read_formula(soft.section.inner_radius), x) if soft.section.inner_radius else mpmath.mpf(0)
    count = len(soft.section_shapes)
    first, second = _around(soft, x)
    area = mpmath.pi * (outer**2 - inner**2)
    one = (outer**3 - inner**3) / 3 / area
    two = (outer**4 - inner**4) / 4 / area
    # Shape -1 is the section itself, which moves in proportion to its own radius.
    scales = [mpmath.mpf(1), *(1 / outer for _ in range(count))]
    mean = [one * scale * own[axis] for scale, own in zip(scales, first, strict=True) for axis in range(2)]
    size = range(2 * (count + 1))
    spread = [
        [two * scales[i // 2] * scales[j // 2] * second[i // 2][j // 2][i % 2][j % 2] - mean[i] * mean[j] for j in size]
        for i in size
    ]
    return mean, spread


def _around(soft: Soft, x: Any) -> tuple[list[list[Any]], list[list[list[list[Any]]]]]:
    """Integrals over the angle of b_i n and b_i b_j n n^T, n = (cos phi, sin phi); b of the first is 1."""
    for density in _DENSITIES:
        found, coarse, sizes = _sums(soft, x, density)
        settled = (abs(a - b) <= _SETTLED * size for a, b, size in zip(found, coarse, sizes, strict=True))
        if all(settled):
            break
    else:
        raise DescriptionError(
            f"section_shapes: integrals around the section at x = {float(x):.6g} m do not settle; write smoother "
            "expressions, or end their ranges where they kink"
        )
    clean = iter(own if abs(own) > _NOTHING * size else mpmath.mpf(0) for own, size in zip(found, sizes, strict=True))
    count = len(soft.section_shapes) + 1
    first = [[next(clean) for _ in range(2)] for _ in range(count)]
    second: list[list[list[list[Any]]]] = [[[] for _ in range(count)] for _ in range(count)]
    for i in range(count):
        for j in range(i + 1):
            yy, yz, zz = (next(clean) for _ in range(3))
            second[i][j] = second[j][i] = [[yy, yz], [yz, zz]]
    return first, second


def _sums(soft: Soft, x: Any, density: int) -> tuple[list[Any], list[Any], list[Any]]:
    """These integrals in a row, the same by every second node, and the sums of magnitudes."""
    count = len(soft.section_shapes) + 1
    width = 2 * count + 3 * (count * (count + 1) // 2)
    found, coarse, sizes = ([mpmath.mpf(0)] * width for _ in range(3))
    for arc in arcs(soft.section_shapes):
        start, end = mpmath.mpf(arc.start), mpmath.mpf(arc.end)
        for number, (place, weight) in enumerate(_rule(density)):
            phi = start + place * (end - start)
            values = [mpmath.mpf(1), *(mpmath.mpf(0) for _ in range(count - 1))]
            for shape, turn in arc.shapes:
                values[shape + 1] = _rate_at(soft.section_shapes[shape], x, phi + turn)
            cosine, sine, share = mpmath.cos(phi), mpmath.sin(phi), weight * (end - start)
            terms = [share * value * axis for value in values for axis in (cosine, sine)]
            axes = (cosine * cosine, cosine * sine, sine * sine)
            terms += [share * values[i] * values[j] * axis for i in range(count) for j in range(i + 1) for axis in axes]
            for k, term in enumerate(terms):
                if term:
                    found[k] += term
                    sizes[k] += abs(term)
                    coarse[k] += 2 * term if number % 2 == 0 else 0
    return found, coarse, sizes


def _rate_at(shape: SectionShape, x: Any, phi: Any) -> Any:
    try:
        value = radius_rate(shape, x, phi, mpmath.mp)
    except (ZeroDivisionError, OverflowError, ValueError):
        value = mpmath.nan
    if not (mpmath.isfinite(value) and mpmath.im(value) == 0):
        raise DescriptionError(
            f"section_shapes: radius has no finite value at x = {float(x):.6g} m, phi = {float(phi):.6g} rad"
        )
    return mpmath.mpf(value)


@lru_cache(maxsize=8)
def _rule(density: int) -> tuple[tuple[Any, Any], ...]:
    """Places in (0, 1) and weights that add up to 1: a double exponential rule, good where functions end flat too."""
    with mpmath.workdps(_DIGITS + 6):
        reach, found = int(_REACH * density) // 2 * 2, []
        for k in range(-reach, reach + 1):
            t = mpmath.mpf(k) / density
            u = mpmath.pi / 2 * mpmath.sinh(t)
            slope = mpmath.pi / 2 * mpmath.cosh(t) / mpmath.cosh(u) ** 2 / density
            found.append((1 / (1 + mpmath.exp(-2 * u)), slope / 2))
        return tuple(found)


def _factor(spread: list[list[Any]]) -> list[list[Any]]:
    """Columns c_k with sum c_k c_k^T = spread: Cholesky's, without those of displacements that others make."""
    size, columns = len(spread), []
    left = [list(row) for row in spread]
    for k in range(size):
        if left[k][k] <= _INDEPENDENT * spread[k][k]:
            continue
        root = mpmath.sqrt(left[k][k])
        column = [left[row][k] / root for row in range(size)]
        columns.append(column)
        for i in range(size):
            for j in range(size):
                left[i][j] -= column[i] * column[j]
    return columns


def _simplex(mean: list[Any], columns: list[list[Any]]) -> tuple[SectionPoint, ...]:
    """Points of equal mass with this mean and covariance: the corners of a simplex, one more than columns."""
    count = len(columns) + 1
    found = []
    for corner in range(count):
        values = list(mean)
        for k, column in enumerate(columns):
            # Helmert's matrix: its rows are perpendicular to each other and to (1, .., 1).
            height = {True: mpmath.mpf(1), False: mpmath.mpf(-(k + 1)) if corner == k + 1 else mpmath.mpf(0)}
            entry = height[corner <= k] * mpmath.sqrt(mpmath.mpf(count) / ((k + 1) * (k + 2)))
            values = [value + entry * own for value, own in zip(values, column, strict=True)]
        pairs = [(float(y), float(z)) for y, z in zip(values[::2], values[1::2], strict=True)]
        found.append(SectionPoint(1.0 / count, pairs[0], tuple(pairs[1:])))
    return tuple(found)


def radial_gram(soft: Soft) -> Any:
    """The integrals of b_i b_j over angle and length, (shapes, shapes) [m^3].

    Raises
    ------
    DescriptionError
        Shapes that vary too sharply.
    """
    for density in _DENSITIES:
        fine, coarse = _gram(soft, density, 1), _gram(soft, density, 2)
        size = np.sqrt(np.outer(np.diag(fine), np.diag(fine)))
        if np.all(np.isfinite(fine)) and np.all(np.abs(fine - coarse) <= _SETTLED * size):
            return fine
    raise DescriptionError(
        "section_shapes: integrals over angle and length do not settle; write smoother expressions, or end their "
        "ranges where they kink"
    )


def _gram(soft: Soft, density: int, step: int) -> Any:
    rule = np.array([[float(entry) for entry in node] for node in _rule(density)])[::step] * [1.0, step]
    bounds = (0.0, *soft.pieces)
    x = np.concatenate([start + (end - start) * rule[:, 0] for start, end in pairwise(bounds)])
    along = np.concatenate([(end - start) * rule[:, 1] for start, end in pairwise(bounds)])
    shapes, total = soft.section_shapes, np.zeros((len(soft.section_shapes),) * 2)
    for arc in arcs(shapes):
        phi = arc.start + (arc.end - arc.start) * rule[:, 0]
        weights = np.outer(along, (arc.end - arc.start) * rule[:, 1])
        with np.errstate(all="ignore"):
            values = {k: radius_rate(shapes[k], x[:, None], phi[None, :] + turn, np) for k, turn in arc.shapes}
        for i, own in values.items():
            for j, other in values.items():
                total[i, j] += np.sum(weights * own * other)
    return total


def section_reach(soft: Soft) -> list[float]:
    """How far coordinates usually go: together they change the radius by a tenth at most."""
    x = (np.arange(_SAMPLES) + 0.5) / _SAMPLES * soft.length
    radii = np.array([soft.section.outer_radius(place) for place in x.tolist()])[:, None]
    found = []
    for shape in soft.section_shapes:
        phi = shape.start + (np.arange(_SAMPLES) + 0.5) / _SAMPLES * (shape.end - shape.start)
        largest = float(np.max(np.abs(radius_rate(shape, x[:, None], phi[None, :], np) / radii)))
        found.append(_USUAL / largest)
    return found
