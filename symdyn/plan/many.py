"""Plans carried out once for many states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.plan.plan import FieldKind, Plan
from symdyn.plan.run import run_plan

Array = NDArray[np.float64]


def run_many(plan: Plan, algebra: Any, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Carry a plan out for many states at once.

    Parameters
    ----------
    plan
        What to do.
    algebra
        Of arrays; see ``symdyn.algebra.scalars.array_floats``.
    inputs
        By name (n, size), or (1, size) where all states share them. Those that the plan has no field for are ignored.

    Returns
    -------
    By output field (n, size).
    """
    asked = {field.name for field in plan.fields_of(FieldKind.INPUT)}
    count = max((len(own) for own in inputs.values()), default=1)
    columns = {name: list(np.asarray(own, dtype=np.float64).T) for name, own in inputs.items() if name in asked}
    found = run_plan(plan, algebra, columns)
    return {
        name: np.stack([np.broadcast_to(value, (count,)) for value in own], axis=1) if own else np.empty((count, 0))
        for name, own in found.items()
    }
