"""Rows of loops that follow from others wherever the robot stands, as those of a planar mechanism out of its plane do.

Such a row is a combination of rows before it by constants: it is so at all states at once. Rows that depend on each
other on closed states alone, by combinations that change with the state, are left: see ``multipliers``.

What is left of a row beside those before it is measured against the size that the row would have if nothing cancelled
(``tree.rounded_plans``). A row may itself be what rounding leaves of zero, and would be long beside itself. So may the
levers of a row be, where the axes of a linkage meet in one point: they are measured against the lengths of the links
(``model.lengths``).

Axes and points that a file has with six decimals leave some 1e-6 of a row that would follow, in its slopes and in its
error. Such a row stays, as the loop closes to no better. But it has no multiplier (``vanishing``): by itself it would
lock the robot, or turn its accelerations by as much as it is long beside the error of a step. Four or five decimals
leave more, and so do small parts of a mechanism that is meant. Such rows hold, and a warning names them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.description.loops import MET, LoopKind
from symdyn.dynamics.loops.constraint_activation import ACTIVE
from symdyn.dynamics.loops.constraints import constraint_error_plan, constraint_jacobian_plan
from symdyn.dynamics.tree.rounded_plans import rounded_outputs
from symdyn.errors import ModelError
from symdyn.model.coordinates import random_configuration
from symdyn.model.lengths import moved_lengths
from symdyn.model.loop import ModelLoop, RowSizes
from symdyn.model.model import Model
from symdyn.model.velocity_constraints import right_sides
from symdyn.model.velocity_rows import cite
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan

_STATES = 6
"""Random states that a combination must hold at."""
LEAST = 1e-9
"""Of the length that a row would have if nothing cancelled: what counts of it. Rounding leaves some 1e-15, and axes
that a file has with nine decimals some 1e-10."""
_DECIMALS = 1e-5
"""Of the length of a row, and of the size of its error: what axes with six decimals leave, some 3e-6, with a margin."""
_SLIGHT = 1e-3
"""The same, of rows that hold and may lock the robot: what axes with four decimals leave, some 3e-4, with a margin."""
_ROUNDING = 1e-13
"""Of a row's part that other rows tell: what rounding may leave of it, a few hundred times the roundoff."""
_AMPLIFIED = 100.0
"""Times the least size of all states: where sizes are larger, rounding is, as near half a turn of a loop that holds
turns."""
_TRIES = 4 * _STATES
"""States that are looked at, of which some may be half a turn from closed, where turns have no slope."""


def without_redundant_rows(model: Model) -> Model:
    """The model without the rows of loops that follow from those before them; each loop names what it lost.

    Raises
    ------
    ModelError
        A row whose error is not zero where those are zero that it follows from.
    """
    loops = model.loops
    if not loops:
        return model
    basis: list[_Row] = []
    kept_rows: list[tuple[str, _Row]] = []
    """The rows that are kept, by loops."""
    looked_at = iter(_looked_at(model))
    pairs = [(loop, [next(looked_at) for _ in loop.rows]) for loop in loops]
    settled: dict[str, ModelLoop] = {}
    # rows that hold velocities alone may follow from others, but never the other way round
    for loop, own in sorted(pairs, key=lambda pair: bool(pair[0].velocity_rows)):
        kept, dropped, sizes, leans, counting = [], [], [], set[str](), []
        for name, row in zip(loop.rows, own, strict=True):
            left = row.less(basis)
            if left.size > LEAST * row.full and left.size > _ROUNDING * left.full:
                nearly, slight = (
                    left.size <= least * row.full and left.missed <= least * row.reach and not loop.velocity_rows
                    for least in (_DECIMALS, _SLIGHT)
                )
                kept.append(name)
                sizes.append(replace(row.sizes, nearly=nearly, slight=slight and not nearly))
                if nearly:
                    leans |= row.leans_on(kept_rows, _DECIMALS) - {loop.constraint.name}
                else:
                    counting.append(row)
                    kept_rows.append((loop.constraint.name, row))
                    basis.append(left.scaled(1.0 / left.size))
                continue
            dropped.append(name)
            leans |= row.leans_on(kept_rows) - {loop.constraint.name}
            # the same at all states, or NaN: a parameter has no value
            misses = float(np.min(np.abs(left.right if loop.velocity_rows else left.error)))
            if misses > MET:
                raise ModelError(_impossible(loop, name, misses))
        found = replace(loop, rows=tuple(kept), dropped=tuple(dropped), leans=tuple(sorted(leans)), sizes=tuple(sizes))
        settled[loop.constraint.name] = replace(found, steady=_steady_columns(counting))
    return replace(model, loops=tuple(settled[loop.constraint.name] for loop in loops))


def _impossible(loop: ModelLoop, name: str, misses: float) -> str:
    unit = replace(loop, rows=(name,)).row_units[0]
    if loop.velocity_rows:
        return (
            f"{cite(loop.constraint)} can never be met: row {name or 0} misses by {misses:.3g} {unit}/s in all "
            "positions where the rows before it are met; correct its right-hand side, or leave the row out"
        )
    return (
        f"{cite(loop.constraint)} can never be closed: row {name or 'of the coupling'} misses by {misses:.3g} {unit} "
        "in all positions in which the rows before it hold; move or turn its places, or take a kind that leaves this "
        "row free"
    )


def float_values(plan: Plan, q: Sequence[float], p: Sequence[float]) -> list[float]:
    """What a plan of q (nq,) with one output gives in floats where all loops hold; p (np,) are run-time parameters.

    Raises
    ------
    ZeroDivisionError, ValueError
        A turn of half a revolution, where its error has no slope.
    """
    (values,) = run_plan(plan, FloatAlgebra(), _inputs(plan, q, p)).values()
    return values


def _inputs(plan: Plan, q: Sequence[float], p: Sequence[float]) -> dict[str, list[float]]:
    given = {"q": list(q), "p": list(p)}
    given |= {field.name: [1.0] * field.size for field in plan.fields if field.name == ACTIVE}
    names = {field.name for field in plan.fields}
    return {name: values for name, values in given.items() if name in names}


@dataclass(frozen=True, slots=True)
class _Row:
    """Slopes of a row, its error, and what its rate is held to, at all states.

    ``full`` is the length of the slopes if nothing cancelled, ``reach`` the size of the error, and ``sizes`` has the
    slopes by rows of v.
    """

    slope: np.ndarray
    error: np.ndarray
    right: np.ndarray
    full: float
    reach: float
    sizes: RowSizes

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.slope))

    @property
    def missed(self) -> float:
        """The largest error; NaN where a parameter has no value."""
        return float(np.max(np.abs(self.error)))

    def less(self, basis: Sequence[_Row]) -> _Row:
        """What is left of it beside rows of length one at right angles to each other."""
        slope, error, right, full = self.slope, self.error, self.right, self.full
        for again in range(2):  # once more for what rounding left
            for known in basis:
                share = float(known.slope @ slope)
                slope, error = slope - share * known.slope, error - share * known.error
                right = right - share * known.right
                full = full if again else math.hypot(full, share * known.full)
        return _Row(slope, error, right, full, self.reach, self.sizes)

    def leans_on(self, rows: Sequence[tuple[str, _Row]], least: float = LEAST) -> set[str]:
        """The loops of the independent rows that this one is a combination of, of which ``least`` counts."""
        if not rows or not self.size:
            return set()
        shares = np.linalg.lstsq(np.stack([row.slope for _, row in rows], axis=1), self.slope, rcond=None)[0]
        sizes = (abs(float(share)) * row.size for share, (_, row) in zip(shares, rows, strict=True))
        return {loop for (loop, _), size in zip(rows, sizes, strict=True) if size > least * self.full}

    def scaled(self, factor: float) -> _Row:
        slope, error, right = (factor * own for own in (self.slope, self.error, self.right))
        return _Row(slope, error, right, factor * self.full, self.reach, self.sizes)


def _looked_at(model: Model) -> list[_Row]:
    """The rows at random states; parameters without a value are 1 for slopes."""
    rng = np.random.default_rng(0)
    usual = [1.0 if value is None else value for value in model.slots.defaults]
    known = [math.nan if value is None else value for value in model.slots.defaults]
    slope_plan, error_plan = constraint_jacobian_plan(model), constraint_error_plan(model)
    turning = any(row in LoopKind.FIXED.rows[3:] for loop in model.loops for row in loop.rows)
    found: list[tuple[np.ndarray, list[float], list[float], np.ndarray]] = []
    sizes, reach, regular = np.zeros(0), np.zeros(0), found
    for _ in range(_TRIES):
        q = [float(entry) for entry in random_configuration(model, rng, limited=False)]
        try:
            slope = np.array(float_values(slope_plan, q, usual)).reshape(-1, model.nv)
            error, right = float_values(error_plan, q, known), right_sides(model, q, known)
            if turning or not len(sizes):  # near half a turn they grow without bound; else they hardly change
                sizes = _full_sizes(slope_plan, q, usual).reshape(slope.shape)
            if not len(reach):
                reach = _full_sizes(error_plan, q, usual)
        except (ZeroDivisionError, ValueError):  # half a turn from closed, or beyond an expression
            continue
        if np.all(np.isfinite(slope)):
            found.append((slope, error, right, sizes))
        least = min((own[3].max(initial=0.0) for own in found), default=0.0)
        regular = [own for own in found if own[3].max(initial=0.0) <= _AMPLIFIED * least]
        if len(regular) == _STATES:
            break
    slopes, errors, rights, each = zip(*regular, strict=True) if regular else ((),) * 4
    if len(slopes) < _STATES:
        raise ModelError(
            f"{cite(_without_slopes(model).constraint)}: the slopes of loops cannot be told at random positions; turn "
            "the places of loops that hold turns, which are half a turn apart wherever the robot stands"
        )
    at = np.array(slopes)
    sizes = np.maximum(np.max(each, axis=0), np.abs(at).max(axis=0))
    levers = _levers(model, sizes, usual)
    reach = np.maximum(reach, levers.max(axis=1, initial=0.0))
    lengths = (math.sqrt(_STATES) * np.linalg.norm(np.maximum(sizes, levers), axis=1)).tolist()
    row_sizes = [_sizes(model, at[:, row], sizes[row]) for row in range(len(sizes))]
    columns = (np.hstack(slopes), np.array(errors).T, np.array(rights).T, lengths, reach.tolist(), row_sizes)
    return [_Row(*own) for own in zip(*columns, strict=True)]


def _levers(model: Model, sizes: np.ndarray, p: Sequence[float]) -> np.ndarray:
    """The lengths of what rows of v turn, in rows of places that such a turn may shift (rows, nv)."""
    turning = [unit == "rad/s" for unit in model.velocity_units]
    shifts = np.array([unit == "m" for unit in model.loop_row_units], dtype=bool)
    lengths = np.where(turning, moved_lengths(model, p), 0.0)
    return np.where(shifts[:, None] & (sizes > 0.0), lengths, 0.0)


def _without_slopes(model: Model) -> ModelLoop:
    """The first loop of which slopes cannot be told by itself."""
    *others, last = model.loops
    for loop in others:
        try:
            _looked_at(replace(model, loops=(loop,)))
        except ModelError:
            return loop
    return last


def _sizes(model: Model, slopes: np.ndarray, full: np.ndarray) -> RowSizes:
    """Those of a row, of slopes (states, nv)."""
    largest = np.abs(slopes).max(axis=0)
    steady = []
    for joint in model.independent_joints:
        v = joint.v_rows
        for rows in (range(start, min(start + 3, v.stop)) for start in range(v.start, v.stop, 3)):
            lengths = np.linalg.norm(slopes[:, rows], axis=1)
            if lengths.max() - lengths.min() <= LEAST * lengths.max() and lengths.max() > LEAST * full[rows].max():
                steady.append(tuple(rows))
    counts = np.where(largest > LEAST * full, largest, 0.0)
    return RowSizes(tuple(counts.tolist()), tuple(full.tolist()), tuple(steady))


def _steady_columns(rows: Sequence[_Row]) -> tuple[int, ...]:
    """The rows of v whose slopes in all these rows together have the same length at all states."""
    if not rows:
        return ()
    lengths = np.linalg.norm([row.slope.reshape(_STATES, -1) for row in rows], axis=0)
    full = np.linalg.norm([row.sizes.full for row in rows], axis=0)
    least, most = lengths.min(axis=0), lengths.max(axis=0)
    return tuple(np.flatnonzero((most - least <= LEAST * most) & (most > LEAST * full)).tolist())


def _full_sizes(plan: Plan, q: Sequence[float], p: Sequence[float]) -> np.ndarray:
    """How large what a plan of q gives would be if nothing cancelled, as :func:`float_values`."""
    (values,) = rounded_outputs(plan, _inputs(plan, q, p)).values()
    return np.array([x.size for x in values])
