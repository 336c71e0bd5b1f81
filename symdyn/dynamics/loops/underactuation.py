"""Whether loops can give passive rows of v the forces that motions need of them, at closed positions.

Multipliers give A_p^T lambda, which is any force only where the columns of A by passive rows do not depend on each
other: where nothing moves while loops and actuated rows hold. Special positions lose rank, so several are looked at.

Rank does not depend on units: rows of A are taken relative to the length that they would have if nothing cancelled,
and columns in the metric of the diagonal of M, so that what rounding leaves of a row or a column counts as zero. Rows
that follow from others but for the decimals of a file hold nothing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from symdyn.dynamics.loops.constraints import constraint_error_plan, constraint_jacobian_plan
from symdyn.dynamics.loops.redundancy import float_values
from symdyn.dynamics.loops.vanishing import mass_diagonal
from symdyn.model.coordinates import integrate, random_configuration
from symdyn.model.model import Model

Array = NDArray[np.float64]

_TRIES = 6
_STEPS = 40
_NEWTON = 1e-10
"""Least singular value, relative to the largest, that a Newton step divides by."""
_CLOSED = 1e-11
"""Errors of loops, relative to the lengths of their rows, that count as closed [rad or m of the coordinates]."""
_FARTHEST = 1.0
"""Longest step of a coordinate on the way to a closed position [rad or m]."""
_RANK = 1e-7
"""Least singular value, relative to the largest, that counts, of rows whose full length is one: the root of what double
precision tells of a square, as Newton's method ends somewhere beside the closed position."""


def rows_that_move(model: Model, actuated: Collection[int]) -> tuple[int, ...]:
    """Rows of v that can move while the loops and the actuated rows hold, wherever the robot stands closed.

    Positions that are not closed stand in where none is found.
    """
    passive = [row for row in range(model.nv) if row not in actuated]
    fewest: dict[bool, tuple[int, ...]] = {}
    for slopes, closed in _positions(model) if passive else ():
        found = _moving(slopes, passive)
        if closed and not found:
            return ()
        fewest[closed] = min(found, fewest.get(closed, found), key=len)
    return fewest.get(True, fewest.get(False, ()))


def _moving(slopes: Array, passive: Sequence[int]) -> tuple[int, ...]:
    """The passive rows that move in some way that A does not see."""
    _, values, right = np.linalg.svd(slopes[:, passive], full_matrices=True)
    rank = int(np.sum(values > _RANK * max(float(np.max(values, initial=0.0)), 1e-300)))
    moves = np.linalg.norm(right[rank:], axis=0)
    return tuple(row for row, size in zip(passive, moves, strict=True) if size > _RANK)


def _positions(model: Model) -> Iterator[tuple[Array, bool]]:
    """A where Newton's method ends from random positions, and whether the loops are closed there.

    Rows and columns are scaled as the head of the file says.
    """
    sizes = model.row_sizes
    full = np.array([size.full for size in sizes]).reshape(-1, model.nv)
    masses = np.array(mass_diagonal(model))
    columns = 1.0 / np.sqrt(np.where(masses > 0.0, masses, 1.0))
    rows = [0.0 if size.nearly else 1.0 for size in sizes] / np.linalg.norm(full * columns, axis=1)
    reach = [0.0 if size.nearly else 1.0 for size in sizes] / np.linalg.norm(full, axis=1)
    rng = np.random.default_rng(0)
    p = [1.0 if value is None else value for value in model.slots.defaults]
    errors, slopes = constraint_error_plan(model), constraint_jacobian_plan(model)
    for _ in range(_TRIES):
        q, missed = random_configuration(model, rng, limited=False), math.inf
        with suppress(ZeroDivisionError, ValueError, np.linalg.LinAlgError):  # half a turn from closed
            for _ in range(_STEPS):
                found = np.asarray_chkfinite(float_values(slopes, q.tolist(), p))
                A = rows[:, None] * found.reshape(-1, model.nv) * columns
                error = np.array(float_values(errors, q.tolist(), p))
                missed = float(np.max(np.abs(error) * reach, initial=0.0))
                if missed < _CLOSED:
                    break
                move = -columns * np.linalg.lstsq(A, rows * error, rcond=_NEWTON)[0]
                q = integrate(model, q, move * min(1.0, _FARTHEST / max(float(np.max(np.abs(move))), 1e-300)))
            yield A, missed < _CLOSED
