"""Rows of loops that vanish at some states: below which size one counts as zero.

A row of A is zero where nothing moves its error at first order, as at a dead centre. Its entry S_ii = A_i M^-1 A_i^T on
the diagonal is then zero, or what rounding leaves of it. So S_ii is compared with

    1e-24 sum over free rows j of v of a_ij^2 / M_jj

where a_ij are the largest slopes at random positions, without what is rounding (``redundancy``). Where all that a row
has in free rows is rounding, a_ij are the slopes that it would have if nothing cancelled. Rows that have a steady
length in some free rows cannot vanish, and are not compared. Rows that follow from others but for the decimals of a
file vanish always. Numbers are powers of two, so that rounding does not change them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

import numpy as np

from symdyn.dynamics.loops import proximal
from symdyn.dynamics.loops.redundancy import float_values
from symdyn.dynamics.mass_matrix.crba import mass_matrix_plan
from symdyn.model.coordinates import random_configuration
from symdyn.model.model import Model, lossless

SMALL = 1e-12
"""Of its usual length, below which a row vanishes: rounding leaves some 1e-15, and 1e-14 of long chains. A row that is
small without cancelling, as those of rolling may be, counts in full above it."""
SHORT = 1e-2
"""Of the usual size of S_ii, below which a row of loops that can barely move counts as if it had this size."""
ALWAYS = 2.0**100
"""Above any size in SI units: the row vanishes always."""


def least_constants(rows: Sequence[int], least: Mapping[int, float], name: str = proximal.LEAST) -> dict[str, float]:
    """The constants of a step for some rows, by their numbers there."""
    return {f"{name}{number}": least[row] for number, row in enumerate(rows) if row in least}


def factor_constants(
    model: Model, rows: Sequence[int], free: Collection[int] | Mapping[int, float]
) -> dict[str, float]:
    """The constants of a step that factors S = A M^-1 A^T of some rows of loops.

    They are sizes below which S_ii counts as zero, of rows that may vanish, and the least size of S_ii in E
    (``proximal``), of loops that have rows enough to hold their coordinates still.

    Parameters
    ----------
    model
        The robot.
    rows
        Of loops, in the order of the step.
    free
        Rows of v whose force is given: M and A are taken there; or the weights W of these in A W A^T.
    """
    weights = free
    if not isinstance(weights, Mapping):
        weights = {v: 1.0 / mass for v, mass in enumerate(mass_diagonal(model)) if v in free and mass > 0.0}
    squares = row_squares(model, weights)
    short = {row: power_of_two(SHORT * squares[row]) for row in crowded_rows(model) if squares[row]}
    return least_constants(rows, least_of_rows(model, weights)) | least_constants(rows, short, proximal.SHORT)


def crowded_rows(model: Model) -> set[int]:
    """The rows of loops that share coordinates, of which there are as many as coordinates, or more.

    Rows that vanish always do not count.
    """
    groups: list[tuple[set[int], set[int]]] = []
    for row, size in enumerate(model.row_sizes):
        if not size.nearly:
            own, columns = {row}, {v for v, slope in enumerate(size.slopes) if slope}
            for group in [group for group in groups if not columns.isdisjoint(group[1])]:
                groups.remove(group)
                own, columns = own | group[0], columns | group[1]
            groups.append((own, columns))
    return set[int]().union(*(rows for rows, columns in groups if len(rows) >= len(columns)))


def least_of_rows(model: Model, weights: Mapping[int, float]) -> dict[int, float]:
    """Below which A_i W A_i^T counts as zero, of the rows of loops that may vanish; W by rows of v."""
    return {
        row: ALWAYS if size.nearly else _least(size.slopes, size.full, weights)
        for row, size in enumerate(model.row_sizes)
        if size.nearly or not any(set(rows) <= set(weights) for rows in size.steady)
    }


def least_of_columns(model: Model, columns: Collection[int], weights: Mapping[int, float]) -> dict[int, float]:
    """Below which A_j^T W A_j counts as zero, of columns by rows of v that may vanish; W by rows of loops."""
    sizes = model.row_sizes
    kept = {row: weight for row, weight in weights.items() if not sizes[row].nearly}
    found = {}
    for column in set(columns) - model.steady_columns:
        slopes, full = ([own[column] for own in each] for each in ([x.slopes for x in sizes], [x.full for x in sizes]))
        found[column] = _least(slopes, full, kept)
    return found


def row_squares(model: Model, weights: Mapping[int, float]) -> list[float]:
    """How large A_i W A_i^T is, row by row; 0 of rows that vanish always."""
    return [0.0 if size.nearly else _squared(size.slopes, weights) for size in model.row_sizes]


def power_of_two(x: float) -> float:
    """The one next to a positive number."""
    return float(2.0 ** round(math.log2(x)))


def _least(slopes: Sequence[float], full: Sequence[float], weights: Mapping[int, float]) -> float:
    square = _squared(slopes, weights) or _squared(full, weights)
    return power_of_two(SMALL**2 * square) if square else SMALL**2  # what is all zero has no size


def _squared(slopes: Sequence[float], weights: Mapping[int, float]) -> float:
    return math.fsum(weight * slopes[place] ** 2 for place, weight in weights.items())


@lru_cache(maxsize=16)
def mass_diagonal(model: Model) -> tuple[float, ...]:
    """The diagonal of the mass matrix at a random position; parameters without a value are 1."""
    q = random_configuration(model, np.random.default_rng(1)).tolist()
    p = [1.0 if value is None else value for value in model.slots.defaults]
    inertia = float_values(mass_matrix_plan(lossless(model)), q, p)
    return tuple(inertia[row * model.nv + row] for row in range(model.nv))
