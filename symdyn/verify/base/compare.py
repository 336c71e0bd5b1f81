"""How far a computed vector is from the truth, in units of the last place that its format can hold."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from mpmath import mp

from symdyn.interface.signature import Argument
from symdyn.verify.base.matrices import Real

UNIT_ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24}
"""u per dtype: the largest relative error of one correctly rounded operation."""

Blocks = Sequence[Sequence[int]]
"""Rows that share a unit, so that a norm over them means something."""

CANCELLATION = 1e-3
"""A block is not asked for more digits than these: see :func:`block_floors`."""

_OUTLYING = 1e3
"""How much larger than in the usual state a block may be and still tell the size of terms in others."""


def unit_blocks(units: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Rows grouped by unit, in the order in which the units appear."""
    return _grouped(units)


def output_blocks(outputs: Sequence[Argument]) -> tuple[tuple[int, ...], ...]:
    """Rows of all outputs, one output after the other, grouped by output and unit."""
    return _grouped([(output.name, unit) for output in outputs for unit in output.element_units])


def _grouped(keys: Sequence[Hashable]) -> tuple[tuple[int, ...], ...]:
    groups: dict[Hashable, list[int]] = {}
    for row, key in enumerate(keys):
        groups.setdefault(key, []).append(row)
    return tuple(tuple(rows) for rows in groups.values())


def largest(values: Sequence[Real], rows: Sequence[int]) -> Real:
    """Infinity norm over some rows."""
    return max(abs(values[row]) for row in rows)


def block_floors(truths: Sequence[Sequence[Real]], blocks: Blocks) -> list[Real]:
    """The smallest norm that the error of each block is measured against, from the truths (or their scales).

    In a pose where everything cancels (a pendulum that hangs straight down) the exact result may be as small as one
    likes, or zero, while the terms that cancel keep their size: working precision cannot do better than u times
    those. Their size shows in the largest truth of the block over all states; a cancellation to below a thousandth of
    it (CANCELLATION) is forgiven, one that is milder counts in full. A state near a singular one, where results are
    larger by orders of magnitude, tells nothing of others: no floor lies above the median of the sizes that are not 0.
    """
    floors = []
    for rows in blocks:
        sizes = sorted(size for size in (largest(truth, rows) for truth in truths) if size)
        middle = sizes[(len(sizes) - 1) // 2] if sizes else mp.mpf(0)
        floors.append(CANCELLATION * min(max(sizes, default=mp.mpf(0)), _OUTLYING * middle))
    return floors


def error_in_u(
    value: Sequence[float],
    truth: Sequence[Real],
    blocks: Blocks,
    floors: Sequence[Real] | None = None,
    dtype: str = "float64",
    scales: Sequence[Real] | None = None,
) -> float:
    """Normwise error of a vector per unit block, in units of u; the worst block counts.

    max over blocks of ``|value - truth|_inf / max(|scales|_inf, floor) / u``.

    Parameters
    ----------
    value
        Computed rows.
    truth
        Exact rows, as ``mpmath.mpf``.
    blocks
        Rows that share a unit; together they should cover all rows.
    floors
        One per block (see :func:`block_floors`); by default 0, so that an exact zero must be met exactly.
    dtype
        Format of ``value``; decides u.
    scales
        Per row, what its error is measured against; by default the row's exact value. What comes out of a linear
        solve has larger ones (see :class:`symdyn.verify.oracle.exact.Exact`).

    Returns
    -------
    0 where all rows are exact; infinity where a row is not finite, or not zero where truth and floor are.
    """
    if len(value) != len(truth):
        raise ValueError(f"value has {len(value)} rows, truth has {len(truth)}")
    worst = 0.0
    sizes = truth if scales is None else scales
    with mp.workdps(50):
        for rows, floor in zip(blocks, floors if floors is not None else [0.0] * len(blocks), strict=True):
            if not all(math.isfinite(value[row]) for row in rows):
                return math.inf
            difference = max(abs(mp.mpf(value[row]) - truth[row]) for row in rows)
            reference = max(largest(sizes, rows), floor)
            if difference and not reference:
                return math.inf
            if difference:
                worst = max(worst, float(difference / reference / UNIT_ROUNDOFF[dtype]))
    return worst


_ABOUT_THE_WORLD = 50.0
"""How much more a recursion in world axes may lose at the distances from the origin at which states are drawn."""


def limit_in_u(depth: int, formulation: str = "body") -> float:
    """The error that a function may have, in u, for a robot whose longest chain has ``depth`` moving bodies.

    A sweep along a chain rounds some dozen times per body, each time by u relative to the norm of what passes
    through, and an error made near the root turns with the whole chain above it: the bound grows with the depth. The
    worst measured over the robots of docs/benchmarks.md is a fifth of this limit, while a wrong formula misses it by
    many orders of magnitude.

    With the ``spatial`` formulation moments are about the world's origin: a joint's torque is the small difference of
    large ones, and loses digits in proportion to the robot's distance from there.
    """
    return (100.0 + 10.0 * depth) * (_ABOUT_THE_WORLD if formulation == "spatial" else 1.0)
