"""Rows of loops that follow from others wherever the robot stands, as those of a planar mechanism out of its plane do.

Such a row is a combination of rows before it by constants: it is so at all states at once. Rows that depend on each
other on closed states alone, by combinations that change with the state, are left: see ``multipliers``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from symdyn.description.loops import MET
from symdyn.dynamics.loops.constraints import constraint_error_plan, constraint_jacobian_plan
from symdyn.dynamics.loops.switches import ACTIVE
from symdyn.errors import ModelError
from symdyn.model.coordinates import random_configuration
from symdyn.model.loop import ModelLoop
from symdyn.model.model import Model
from symdyn.model.velocity_rows import right_sides, told
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan
from symdyn.scalars.floats import FloatAlgebra

_STATES = 6
"""Random states that a combination must hold at."""
_LEAST = 1e-9
"""Of a row's length: what rounding may leave of one that depends on others."""


_TRIES = 4 * _STATES
"""States that are looked at, of which some may be half a turn from closed, where turns have no slope."""


def without_redundant_rows(model: Model) -> Model:
    """The model without the rows of loops that follow from those before them; each loop names what it lost.

    Raises
    ------
    ModelError
        A row whose error is not zero where those are zero that it follows from.
    """
    if not model.loops:
        return model
    basis: list[_Row] = []
    told_apart: list[tuple[str, _Row]] = []
    """The rows that are kept, by loops."""
    looked_at = iter(_looked_at(model))
    pairs = [(loop, [next(looked_at) for _ in loop.rows]) for loop in model.loops]
    settled: dict[str, ModelLoop] = {}
    # rows that hold velocities alone may follow from others, but never the other way round
    for loop, own in sorted(pairs, key=lambda pair: bool(pair[0].velocity_rows)):
        kept, dropped, leans = [], [], set[str]()
        for name, row in zip(loop.rows, own, strict=True):
            left = row.less(basis)
            if left.size > _LEAST * row.size:
                kept.append(name)
                told_apart.append((loop.held.name, row))
                basis.append(left.scaled(1.0 / left.size))
                continue
            dropped.append(name)
            leans |= row.leans_on(told_apart) - {loop.held.name}
            # the same at all states, or NaN: a parameter has no value
            misses = float(np.min(np.abs(left.right if loop.velocity_rows else left.error)))
            if misses > MET:
                raise ModelError(_impossible(loop, name, misses))
        found = replace(loop, rows=tuple(kept), dropped=tuple(dropped), leans=tuple(sorted(leans)))
        settled[loop.held.name] = found
    return replace(model, loops=tuple(settled[loop.held.name] for loop in model.loops))


def _impossible(loop: ModelLoop, name: str, misses: float) -> str:
    unit = replace(loop, rows=(name,)).row_units[0]
    if loop.velocity_rows:
        return (
            f"{told(loop.held)} can never be met: row {name or 0} misses by {misses:.3g} {unit}/s in all positions "
            "where the rows before it are met; correct its right-hand side, or leave the row out"
        )
    return (
        f"{told(loop.held)} can never be closed: row {name or 'of the coupling'} misses by {misses:.3g} {unit} in all "
        "positions in which the rows before it hold; move or turn its places, or take a kind that leaves this row free"
    )


def float_values(plan: Plan, q: Sequence[float], p: Sequence[float]) -> list[float]:
    """What a plan of q (nq,) with one output gives in floats where all loops hold; p (np,) are run-time parameters.

    Raises
    ------
    ZeroDivisionError, ValueError
        A turn of half a revolution, where its error has no slope.
    """
    inputs = {"q": list(q), "p": list(p)}
    inputs |= {field.name: [1.0] * field.size for field in plan.fields if field.name == ACTIVE}
    asked = {field.name for field in plan.fields}
    (values,) = run_plan(plan, FloatAlgebra(), {name: inputs[name] for name in inputs if name in asked}).values()
    return values


@dataclass(frozen=True, slots=True)
class _Row:
    """Slopes of a row, its error, and what its rate is held to, at all states."""

    slope: np.ndarray
    error: np.ndarray
    right: np.ndarray

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.slope))

    def less(self, basis: Sequence[_Row]) -> _Row:
        """What is left of it beside rows of length one at right angles to each other."""
        slope, error, right = self.slope, self.error, self.right
        for _ in range(2):  # once more for what rounding left
            for known in basis:
                share = float(known.slope @ slope)
                slope, error = slope - share * known.slope, error - share * known.error
                right = right - share * known.right
        return _Row(slope, error, right)

    def leans_on(self, rows: Sequence[tuple[str, _Row]]) -> set[str]:
        """The loops of the independent rows that this one is a combination of."""
        if not rows or not self.size:
            return set()
        shares = np.linalg.lstsq(np.stack([row.slope for _, row in rows], axis=1), self.slope, rcond=None)[0]
        sizes = (abs(float(share)) * row.size for share, (_, row) in zip(shares, rows, strict=True))
        return {loop for (loop, _), size in zip(rows, sizes, strict=True) if size > _LEAST * self.size}

    def scaled(self, factor: float) -> _Row:
        return _Row(factor * self.slope, factor * self.error, factor * self.right)


def _looked_at(model: Model) -> list[_Row]:
    """The rows at random states; parameters without a value are 1 for slopes."""
    rng = np.random.default_rng(0)
    usual = [1.0 if value is None else value for value in model.slots.defaults]
    known = [math.nan if value is None else value for value in model.slots.defaults]
    slope_plan, error_plan = constraint_jacobian_plan(model), constraint_error_plan(model)
    slopes, errors, rights = [], [], []
    for _ in range(_TRIES):
        q = [float(entry) for entry in random_configuration(model, rng)]
        try:
            slope = np.array(float_values(slope_plan, q, usual)).reshape(-1, model.nv)
            error, right = float_values(error_plan, q, known), right_sides(model, q, known)
        except (ZeroDivisionError, ValueError):  # half a turn from closed, or beyond an expression
            continue
        if np.all(np.isfinite(slope)):
            slopes.append(slope)
            errors.append(error)
            rights.append(right)
        if len(slopes) == _STATES:
            break
    if len(slopes) < _STATES:
        raise ModelError(
            f"{told(model.loops[0].held)}: the slopes of loops cannot be told at random positions; turn the places of "
            "loops that hold turns, which are half a turn apart wherever the robot stands"
        )
    return [_Row(*own) for own in zip(np.hstack(slopes), np.array(errors).T, np.array(rights).T, strict=True)]
