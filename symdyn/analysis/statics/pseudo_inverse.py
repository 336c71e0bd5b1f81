"""The inverse of a square matrix whose rows and columns have different units, and may depend on each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_DEPENDENT = 1e-12
"""Inverse of the condition of the scaled matrix, up to which it counts as singular."""
_NOTHING = 1e-14
"""Of the largest entry, up to which a row or a column is rounding: nothing holds it, and scaled to 1 it would count."""


def solver(matrix: Array) -> Array:
    """The inverse of a matrix of any units; where rows depend on each other, the pseudo-inverse of the scaled one."""
    columns = np.max(np.abs(matrix), axis=0)
    columns[columns <= _NOTHING * np.max(columns, initial=0.0)] = 1.0
    scaled = matrix / columns
    rows = np.max(np.abs(scaled), axis=1)
    rows[rows <= _NOTHING] = 1.0
    scaled = scaled / rows[:, None]
    try:
        inverse = np.linalg.inv(scaled)
        regular = np.abs(inverse).sum(axis=1).max() * np.abs(scaled).sum(axis=1).max() < 1.0 / _DEPENDENT
    except np.linalg.LinAlgError:
        regular = False
    if not regular:
        inverse = np.linalg.pinv(scaled, rcond=_DEPENDENT)
    found: Array = inverse / columns[:, None] / rows
    return found
