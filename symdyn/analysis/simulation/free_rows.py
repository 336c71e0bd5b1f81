"""A system whose driven coordinates follow their laws, seen as a system of the others alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.implicit_system import ImplicitSystem, row_sizes

Array = NDArray[np.float64]


@runtime_checkable
class DrivenRows(ImplicitSystem, Protocol):
    """A system with driven coordinates, whose constraints come after all others."""

    @property
    def driven_rows(self) -> tuple[Sequence[int], Sequence[int]]:
        """Their rows of q and of v."""

    def driven(self, t: float) -> tuple[Array, Array, Array]:
        """Their positions, velocities and accelerations at a time."""


class FreeRows:
    """A :class:`DrivenRows` without its driven coordinates: they are functions of time, no unknowns under constraints.

    ``count`` is the number of rows of q of the whole. Here positions, velocities and accelerations have free rows
    alone.
    """

    def __init__(self, system: DrivenRows, count: int) -> None:
        self._system = system
        rows, driven = system.driven_rows
        self._places, self._driven = list(rows), list(driven)
        self._free = np.setdiff1d(np.arange(system.nv), self._driven)
        self._kept = np.setdiff1d(np.arange(count), self._places)
        self.nv, self.m = len(self._free), system.m - len(self._driven)
        self.row_names: Sequence[str] = [system.row_names[row] for row in self._free]
        self.row_sizes = row_sizes(system)[: self.m]
        self._still = np.zeros(len(self._driven))

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        """The residual of free rows (nv,)."""
        return self._residual(t, q, v, a, lam)[self._free]

    def error(self, t: float, q: Array) -> Array:
        """The errors of constraints but those of driven coordinates."""
        found: Array = self._system.error(t, self._placed(t, q))[: self.m]
        return found

    def slopes(self, t: float, q: Array) -> Array:
        """Their slopes in free rows."""
        found: Array = self._system.slopes(t, self._placed(t, q))[: self.m, self._free]
        return found

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        """The matrix of free rows and columns, and slopes of the constraints."""
        state = self.state(t, q, v, a)
        matrix, slopes = self._system.tangent(t, *state, np.append(lam, self._still), c_q, c_v, c_a)
        return matrix[np.ix_(self._free, self._free)], slopes[: self.m, self._free]

    def advance(self, q: Array, dq: Array) -> Array:
        """The position after a move of free rows."""
        found: Array = self._system.advance(self._filled(q, self._still), self._spread(dq, self._still))[self._kept]
        return found

    def part(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The free rows of a state of all."""
        return q[self._kept], v[self._free]

    def told(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> tuple[Array, Array, Array, Array]:
        """q, v and a of all rows, and the multipliers with the forces of the drives after them."""
        force = self._residual(t, q, v, a, lam)[self._driven]
        return (*self.state(t, q, v, a), np.append(lam, force))

    def state(self, t: float, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """q, v and a of all rows."""
        place, speed, push = self._system.driven(t)
        return self._filled(q, place), self._spread(v, speed), self._spread(a, push)

    def _residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        return self._system.residual(t, *self.state(t, q, v, a), np.append(lam, self._still))

    def _placed(self, t: float, q: Array) -> Array:
        return self._filled(q, self._system.driven(t)[0])

    def _filled(self, q: Array, place: Array) -> Array:
        found = np.empty(len(self._kept) + len(self._places))
        found[self._kept], found[self._places] = q, place
        return found

    def _spread(self, free: Array, driven: Array) -> Array:
        found = np.empty(self._system.nv)
        found[self._free], found[self._driven] = free, driven
        return found


class AllRows:
    """What :class:`FreeRows` offers beside a system, for a system without driven coordinates."""

    def part(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The state itself."""
        return q, v

    def told(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> tuple[Array, Array, Array, Array]:
        """The state itself."""
        return q, v, a, lam

    def state(self, t: float, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """The state itself."""
        return q, v, a


def freed(system: ImplicitSystem, count: int) -> tuple[ImplicitSystem, FreeRows | AllRows]:
    """The system of the rows that are free, and what leads between its rows and all, ``count`` of them in q."""
    if isinstance(system, DrivenRows) and len(system.driven_rows[0]):
        free = FreeRows(system, count)
        return free, free
    return system, AllRows()
