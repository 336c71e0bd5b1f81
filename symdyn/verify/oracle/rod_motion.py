"""Where the sections of a rod are against its root, as functions of time, and how each coordinate moves them.

The strains at the collocation points of a step make the twist of its exponential (Magnus' expansion, for poses that
grow on the right: ``g' = g xi``; Blanes and Moan 2000 at order 6). Poses are products of the exponentials.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mpmath import mp

from symdyn.verify.base.curves import Curve, PartialVelocity
from symdyn.verify.base.exponential import exponential_curve, exponential_slopes
from symdyn.verify.base.matrices import (
    Real,
    Vector,
    VectorSeries,
    add,
    add_matrices,
    cross,
    identity,
    scale,
    scale_matrix,
    series_cross,
    series_product,
    series_times,
    subtract,
    times,
    vector,
    zeros,
)
from symdyn.verify.oracle.rod import Rod, RodStep


def section_curves(rod: Rod, d: VectorSeries) -> list[Curve]:
    """The section at every node, in the axes of the root's.

    Parameters
    ----------
    rod
        The rod.
    d
        Series of the coordinates.
    """
    return list(_curves(rod, tuple(tuple(order) for order in d), mp.prec))


def section_velocities(rod: Rod, d: Sequence[Real]) -> list[list[PartialVelocity]]:
    """Per node, what each coordinate's rate adds to the motion of the section's centre, in the root's axes."""
    return [list(node) for node in _velocities(rod, tuple(d), mp.prec)]


@lru_cache(maxsize=64)  # while other joints are moved
def _curves(rod: Rod, d: tuple[tuple[Real, ...], ...], _precision: int) -> tuple[Curve, ...]:
    order = range(len(d))
    still = vector((0, 0, 0))
    rotation, place = [zeros() for _ in order], [still for _ in order]
    rotation[0] = identity()
    found = []
    for node in rod.nodes:
        for step in node.steps:
            far = exponential_curve(_twist_series(step, d))
            moved = series_times(rotation, far.translation)
            place = [add(before, move) for before, move in zip(place, moved, strict=True)]
            rotation = series_product(rotation, far.rotation)
        found.append(Curve(rotation, place))
    return tuple(found)


@lru_cache(maxsize=64)
def _velocities(rod: Rod, d: tuple[Real, ...], precision: int) -> tuple[tuple[PartialVelocity, ...], ...]:
    rotation, place = identity(), vector((0, 0, 0))
    moving = [PartialVelocity(vector((0, 0, 0)), vector((0, 0, 0))) for _ in d]
    found = []
    for node in rod.nodes:
        for step in node.steps:
            twist, changes = _twist_slopes(step, d)
            slopes = exponential_slopes(tuple(twist), precision)
            far = exponential_curve([twist])
            arm = times(rotation, far.translation[0])
            (rotation,), place = series_product([rotation], far.rotation), add(place, arm)
            for row, change in enumerate(changes):
                own = [vector((0, 0, 0)) for _ in range(2)]
                for share, slope in zip(change, slopes, strict=True):
                    if share:
                        own = [add(own[0], scale(share, slope.angular)), add(own[1], scale(share, slope.linear))]
                before = moving[row]
                swept = add(before.linear, cross(before.angular, arm))
                moving[row] = PartialVelocity(
                    add(before.angular, times(rotation, own[0])), add(swept, times(rotation, own[1]))
                )
        found.append(tuple(moving))
    return tuple(found)


def _twist_series(step: RodStep, d: Sequence[Sequence[Real]]) -> VectorSeries:
    """The twist of a step's exponential."""
    strains = []
    for point in step.points:
        series = [_combined(order, point.columns) for order in d]
        series[0] = add(series[0], point.reference)
        strains.append(series)
    return _magnus(step.length, strains)


def _twist_slopes(step: RodStep, d: Sequence[Real]) -> tuple[Vector, VectorSeries]:
    """The twist of a step's exponential, and its derivatives by the coordinates."""
    twist: Vector = []
    changes: VectorSeries = []
    strains = [add(point.reference, _combined(d, point.columns)) for point in step.points]
    for row in range(len(d)):
        if changes and not any(any(point.columns[row]) for point in step.points):
            changes.append([mp.mpf(0)] * 6)  # it moves no strain
            continue
        series = [[strain, point.columns[row]] for strain, point in zip(strains, step.points, strict=True)]
        twist, change = _magnus(step.length, series)
        changes.append(change)
    return twist, changes


def _combined(factors: Sequence[Real], columns: Sequence[Vector]) -> Vector:
    return [mp.fdot(factors, row) for row in zip(*columns, strict=True)]


def _magnus(h: Real, strains: Sequence[VectorSeries]) -> VectorSeries:
    """The twist (omega; v) of a step from the series of the strains at its one, two or three collocation points."""
    if len(strains) == 1:
        return scale_matrix(h, strains[0])
    if len(strains) == 2:
        first, second = strains
        mean = scale_matrix(h / 2, add_matrices(first, second))
        return add_matrices(mean, scale_matrix(mp.sqrt(3) * h**2 / 12, _bracket(first, second)))
    first, middle, last = strains
    a = scale_matrix(h, middle)
    b = scale_matrix(mp.sqrt(15) * h / 3, _minus(last, first))
    c = scale_matrix(10 * h / 3, add_matrices(_minus(first, scale_matrix(mp.mpf(2), middle)), last))
    ab = _bracket(a, b)
    rest = scale_matrix(mp.mpf(1) / 60, _bracket(a, _minus(scale_matrix(mp.mpf(2), c), ab)))
    inner = add_matrices(add_matrices(scale_matrix(mp.mpf(20), a), c), ab)
    outer = _bracket(inner, add_matrices(b, rest))
    return add_matrices(add_matrices(a, scale_matrix(mp.mpf(1) / 12, c)), scale_matrix(mp.mpf(1) / 240, outer))


def _bracket(a: VectorSeries, b: VectorSeries) -> VectorSeries:
    """The twist of ``A B - B A``, for the strain matrices of two."""
    if not (_any(a) and _any(b)):  # strains that are the same all along a step
        return [[mp.mpf(0)] * 6 for _ in a]
    (turn_a, move_a), (turn_b, move_b) = (([row[:3] for row in x], [row[3:] for row in x]) for x in (a, b))
    moved = _minus(series_cross(turn_a, move_b), series_cross(turn_b, move_a))
    return [[*turn, *move] for turn, move in zip(series_cross(turn_a, turn_b), moved, strict=True)]


def _any(series: VectorSeries) -> bool:
    return any(any(row) for row in series)


def _minus(a: VectorSeries, b: VectorSeries) -> VectorSeries:
    return [subtract(x, y) for x, y in zip(a, b, strict=True)]
