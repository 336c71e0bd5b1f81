"""The contact problem of a step in which some rows of v are prescribed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def prescribed_system(
    system: Callable[[Array], tuple[Array, ...]], force: Array, rows: Sequence[int], speeds: Array, h: float
) -> tuple[Array, ...]:
    """The outputs of ``contact_system`` with rows of v that have given speeds at the end, whatever the impulses are.

    The forces that give them are eliminated: with A = Mh^-1 E and B = J A, which forces of 1/h add to v_free and
    c_free, G' = G - B S^-1 B^T and so on, S = E^T A.
    """
    v_free, delassus, c_free, response, *rest = map(np.asarray, system(force))
    units = np.eye(len(v_free))[list(rows)] / h
    changed = [system(force + unit) for unit in units]
    A = np.stack([outputs[0] - v_free for outputs in changed], axis=1)
    B = np.stack([outputs[2] - c_free for outputs in changed], axis=1)
    gain = np.linalg.inv(A[list(rows)])
    push = gain @ (speeds - v_free[list(rows)])
    return v_free + A @ push, delassus - B @ gain @ B.T, c_free + B @ push, response - B @ gain @ A.T, *rest
