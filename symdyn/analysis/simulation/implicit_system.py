"""What an implicit integrator asks of a mechanical system: its residual, the errors of its loops, and their slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def row_sizes(system: ImplicitSystem) -> Array:
    """The sizes (m,) of rows of constraints where nothing cancels: ``row_sizes`` of a system that has them, else 1."""
    return np.asarray(getattr(system, "row_sizes", np.ones(system.m)), dtype=np.float64)


class ImplicitSystem(Protocol):
    """A system R(t, q, v, a, lambda) = M a + .. - A^T lambda = 0 with constraints e(t, q) = e(q) - g(t) = 0.

    q (nq,) may hold quaternions; v, a and increments (nv,) are in the coordinates of v. lambda and e have m rows.
    """

    @property
    def nv(self) -> int:
        """Number of rows of v."""

    @property
    def m(self) -> int:
        """Number of rows of constraints."""

    @property
    def row_names(self) -> Sequence[str]:
        """Name of each row of v, for messages."""

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        """The residual R (nv,) of the equations of motion."""

    def error(self, t: float, q: Array) -> Array:
        """The errors e (m,) of the constraints."""

    def slopes(self, t: float, q: Array) -> Array:
        """The matrix A (m, nv): e changes by A dq when q moves by dq."""

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        """The matrices c_q dR/dq + c_v dR/dv + c_a dR/da (nv, nv), at fixed lambda, and A (m, nv)."""

    def advance(self, q: Array, dq: Array) -> Array:
        """The position after moving with the constant velocity dq for unit time; quaternions stay unit."""
