"""What loops leave free at closed positions: which forces they give passive rows of v, and which motions can be given.

Multipliers give A_p^T lambda, which is any force only where the columns of A by passive rows do not depend on each
other: where nothing moves while loops and actuated rows hold. Special positions lose rank, so several are looked at.

Accelerations a_p can be given to rows p of v where the other rows f can follow: A_f a_f = b - A_p a_p has a solution
for any a_p if A_f has the rank of A. Rows of v that loops determine from others leave some y with y^T A_f = 0 and
y^T A_p not zero, and what solves the rest in least squares is no motion.

Rank does not depend on units: rows of A are taken relative to the length that they would have if nothing cancelled,
and columns in the metric of the diagonal of M, so that what rounding leaves of a row or a column counts as zero. Rows
that follow from others but for the decimals of a file hold nothing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from symdyn.dynamics.loops.constraints import constraint_error_plan, constraint_jacobian_plan
from symdyn.dynamics.loops.redundancy import float_values
from symdyn.dynamics.loops.vanishing import mass_diagonal
from symdyn.errors import RequestError
from symdyn.model.coordinates import integrate, neutral, random_configuration
from symdyn.model.model import Model

Array = NDArray[np.float64]

_TRIES = 6
_SHAKES = (0.05, 0.2, 0.2)
"""How far from the neutral position the first looks are, as deviations of rows of v [rad or m]."""
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


def refuse_determined(model: Model, prescribed: Collection[int]) -> None:
    """Check that motions of some rows of v can be given while the loops hold.

    Raises
    ------
    RequestError
        Rows that follow from the others; they are named.
    """
    rows = tuple(sorted(prescribed))
    found = determined_rows(model, rows) if model.loop_row_names and rows else ()
    if found:
        determined, others = (
            ", ".join(f"'{model.velocity_names[row]}'" for row in rows if (row in found) is which)
            for which in (True, False)
        )
        why = f"this motion follows from that of {others}" if others else "nothing moves there"
        raise RequestError(
            f"prescribed {determined} of robot '{model.name}': while its loops hold, {why}, so what is given cannot be "
            f"met; leave {determined} out of prescribed"
        )


@lru_cache(maxsize=64)
def determined_rows(model: Model, prescribed: tuple[int, ...]) -> tuple[int, ...]:
    """Prescribed rows of v that follow from those before them while the loops hold, at closed positions.

    Where the loops have the highest rank counts, as special positions lose rank. Loops that are switched count one at a
    time, beside those that always hold. Robots that close nowhere, as overconstrained loops of a file with few decimals
    may, have none.
    """
    switches = model.row_switches or (None,) * len(model.loop_row_names)
    cases = [
        [row for row, own in enumerate(switches) if own in (None, switch)] for switch in {*switches} - {None} or {None}
    ]
    highest, fewest = -1, None
    for slopes, closed in _positions(model, _near_first(model)):
        if closed and (rank := _rank(slopes)) >= highest:
            each = (_determined(slopes[rows], prescribed) for rows in cases)
            found = tuple(sorted(set[int]().union(*each)))
            if not found and rank == len(slopes):
                return ()
            fewest = found if rank > highest or fewest is None else min(found, fewest, key=len)
            highest = rank
    return fewest or ()


def _near_first(model: Model) -> Iterator[Array]:
    """Positions around the neutral one, from which loops close in few steps, and random ones."""
    rng = np.random.default_rng(1)
    for shake in _SHAKES:
        yield integrate(model, neutral(model), shake * rng.standard_normal(model.nv))
    for _ in range(_TRIES - len(_SHAKES)):
        yield random_configuration(model, rng, limited=False)


def _determined(slopes: Array, prescribed: Sequence[int]) -> list[int]:
    """The prescribed rows, one after another, without which the other rows of v can follow the rest."""
    free, found = set(range(slopes.shape[1])), []
    rank = _rank(slopes)
    for row in prescribed:
        if _rank(slopes[:, sorted(free - {row})]) < rank:
            found.append(row)
        else:
            free.remove(row)
    return found


def _rank(slopes: Array) -> int:
    return _counted(np.linalg.svd(slopes, compute_uv=False)) if slopes.size else 0


def _counted(values: NDArray[np.floating]) -> int:
    """How many singular values count."""
    return int(np.sum(values > _RANK * max(float(np.max(values, initial=0.0)), 1e-300)))


def _moving(slopes: Array, passive: Sequence[int]) -> tuple[int, ...]:
    """The passive rows that move in some way that A does not see."""
    _, values, right = np.linalg.svd(slopes[:, passive], full_matrices=True)
    rank = _counted(values)
    moves = np.linalg.norm(right[rank:], axis=0)
    return tuple(row for row, size in zip(passive, moves, strict=True) if size > _RANK)


def _positions(model: Model, starts: Iterable[Array] | None = None) -> Iterator[tuple[Array, bool]]:
    """A where Newton's method ends from some positions, by default random ones, and whether the loops are closed there.

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
    for start in starts or (random_configuration(model, rng, limited=False) for _ in range(_TRIES)):
        q, missed = start, math.inf
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
