"""Rows of loops that follow from others wherever the robot stands, as those of a planar mechanism out of its plane do.

Such a row is a combination of rows before it by constants: it is so at all states at once. Rows that depend on each
other on closed states alone, by combinations that change with the state, are left: see ``multipliers``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symdyn.dynamics.loops.constraints import constraint_jacobian_plan
from symdyn.model.coordinates import random_configuration
from symdyn.model.model import Model
from symdyn.plan.run import run_plan
from symdyn.scalars.floats import FloatAlgebra

_STATES = 6
"""Random states that a combination must hold at."""
_LEAST = 1e-9
"""Of a row's length: what rounding may leave of one that depends on others."""


def without_redundant_rows(model: Model) -> Model:
    """The model without the rows of loops that follow from those before them; each loop names what it lost."""
    if not model.loops:
        return model
    plan, rng = constraint_jacobian_plan(model), np.random.default_rng(0)
    names = {field.name for field in plan.fields}
    p = {"p": [1.0 if value is None else value for value in model.slots.defaults]} if "p" in names else {}
    slopes = []
    for _ in range(_STATES):
        q = [float(entry) for entry in random_configuration(model, rng)]
        slopes.append(np.array(run_plan(plan, FloatAlgebra(), {"q": q, **p})["A"]).reshape(-1, model.nv))
    kept = iter(_independent(np.hstack(slopes)))
    loops = []
    for loop in model.loops:
        held = {row: next(kept) for row in loop.rows}
        rows = tuple(row for row, holds in held.items() if holds)
        loops.append(replace(loop, rows=rows, dropped=tuple(row for row in loop.rows if not held[row])))
    return replace(model, loops=tuple(loops))


def _independent(rows: np.ndarray) -> list[bool]:
    """Per row whether it is no combination of those before it."""
    basis: list[np.ndarray] = []
    found = []
    for row in rows:
        left, size = row.copy(), float(np.linalg.norm(row))
        for _ in range(2):  # once more for what rounding left
            for known in basis:
                left = left - known * float(known @ left)
        rest = float(np.linalg.norm(left))
        found.append(rest > _LEAST * size)
        if found[-1]:
            basis.append(left / rest)
    return found
