"""Factors of the bordered matrix (K, -A^T; A, 0), and solutions with them."""

from __future__ import annotations

from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import SolverError

Array = NDArray[np.float64]

_RANK = 1e-10
"""Least singular value of A K^-1 A^T, relative to the largest, that counts: rows of loops may repeat each other."""


class BorderedFactor:
    """LU factors of K (nv, nv), and a pseudo-inverse of A K^-1 A^T (m, m) for constraints that may be redundant.

    Multipliers found are the shortest ones, so redundant rows need no choice. ``sizes`` (m,) are those of rows of A
    where nothing cancels: rows count and multipliers are short in units of these, so that neither depends on units.

    Raises
    ------
    SolverError
        K is singular or not finite.
    """

    def __init__(self, matrix: Array, slopes: Array, sizes: Array) -> None:
        self._lapack = import_module("scipy.linalg.lapack")
        self._lu, self._pivots, fault = self._lapack.dgetrf(matrix)
        if fault != 0 or not np.isfinite(self._lu.sum()):
            raise SolverError("the matrix of the linear equations is singular or has entries that are no numbers")
        self._sizes, self._slopes = sizes, slopes / sizes[:, None]
        if len(slopes):
            slopes = self._slopes
            # column by column: LAPACK would start threads for several, which cost more than these solutions
            self._moves = np.stack([self._plain(row) for row in slopes], axis=1)
            left, values, right = np.linalg.svd(slopes @ self._moves)
            kept = values > _RANK * values[0]
            self._schur = (right[kept].T / values[kept]) @ left[:, kept].T
            self._range = None if np.all(kept) else left[:, kept]

    def solve(self, force: Array, error: Array) -> tuple[Array, Array]:
        """The x (nv,) and y (m,) with K x - A^T y = force and A x = error."""
        x = self._plain(force)
        if not len(error):
            return x, error
        y = self._schur @ (error / self._sizes - self._slopes @ x)
        return x + self._moves @ y, y / self._sizes

    @property
    def redundant(self) -> bool:
        """Whether rows of A repeat each other."""
        return bool(len(self._slopes)) and self._range is not None

    def shortest(self, multipliers: Array) -> Array:
        """The shortest multipliers (m,) with the same A^T lambda."""
        if not len(self._slopes) or self._range is None:
            return multipliers
        found: Array = self._range @ (self._range.T @ (multipliers * self._sizes)) / self._sizes
        return found

    def _plain(self, right: Array) -> Array:
        found: Array = self._lapack.dgetrs(self._lu, self._pivots, right)[0]
        return found
