"""What keeps loops closed: states are moved back by the shortest way after each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.advance import advance_of
from symdyn.analysis.simulation.system import Prescribed
from symdyn.description.loops import MET
from symdyn.errors import RequestError
from symdyn.model.velocity_constraints import right_sides
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

OPEN = MET
"""Errors of loops up to which a first state counts as closed [m, rad, or these per second]."""
_ROUNDING = 1e-14
"""Error that is rounding, and move that is [m or rad]: what no move makes less stays."""
_STEPS = 5


class Looped(Protocol):
    """A robot with functions of its loops, and joints that are where they are told to be."""

    @property
    def robot(self) -> Robot:
        """The robot."""

    @property
    def module(self) -> Any:
        """A module with ``constraint_error`` and ``constraint_jacobian``."""

    @property
    def prescribed(self) -> Mapping[str, Prescribed]:
        """Prescribed joints by name."""

    @property
    def p(self) -> Any:
        """Run-time parameters (np,) at a time."""

    def parameters(self, t: float) -> tuple[Array, ...]:
        """These as functions take them."""

    def moved(self, t: float, y: Array) -> Array:
        """The state with prescribed rows where they are at a time."""

    def unit(self, y: Array) -> Array:
        """The state with quaternions of length one."""


class Closure:
    """The errors of a system's loops, and the closed state near a given one; prescribed rows do not move."""

    def __init__(self, system: Looped) -> None:
        self._system, self._model = system, system.robot.model
        self._advance = advance_of(self._model)
        held = {own.v_row for own in system.prescribed.values()}
        self._free = [row for row in range(self._model.nv) if row not in held]
        self._loops = system.robot.loop_closure
        self._positions = self._loops.positions
        self._held = np.array([not size.nearly for loop in self._model.loops for size in loop.sizes], dtype=bool)

    def check(self, t: float, y: Array) -> None:
        """Refuse a state in which loops are open, or open themselves.

        Rows that follow from others but for the decimals of a file may be: nothing mends them.

        Raises
        ------
        RequestError
            An error above ``OPEN``, with its loop and how to mend it.
        """
        error, rate = (np.where(self._held, own, 0.0) for own in self.errors(t, y))
        name = self._model.name
        for found, what, mend, per in (
            (error, "open", "robot.close(q)", ""),
            (rate, "opening", "robot.project(q, v)", "/s"),
        ):
            worst = int(np.argmax(np.abs(found)))
            if not abs(found[worst]) <= OPEN:
                raise RequestError(
                    f"loop row '{self._model.loop_row_names[worst]}' of robot '{name}' is {what} by "
                    f"{abs(found[worst]):.3g} {self._model.loop_row_units[worst]}{per} at the start, more than "
                    f"{OPEN:g}; begin with {mend}"
                )

    def check_parameters(self, times: Array, y: Array) -> None:
        """Refuse parameters that change loops over time: rates of loops count them as constants.

        Raises
        ------
        RequestError
            Errors or slopes that differ between times in one state.
        """
        q = y[: self._model.nq]
        first = np.column_stack([self._error(times[0], q), self.slopes(times[0], q)])
        for t in times[1:]:
            if not np.array_equal(first, np.column_stack([self._error(t, q), self.slopes(t, q)])):
                raise RequestError(
                    f"p(t) of robot '{self._model.name}' changes its loops between t = {times[0]:.6g} s and {t:.6g} s; "
                    "parameters of loops must stay"
                )

    def errors(self, t: float, y: Array) -> tuple[Array, Array]:
        """Errors (m,) of positions, 0 in rows that hold velocities alone, and their rates (m,)."""
        q, v = y[: self._model.nq], y[self._model.nq :]
        error = np.where(self._positions, self._error(t, q), 0.0)
        return error, self.slopes(t, q) @ v - self._right(t, q)

    def slopes(self, t: float, q: Array) -> Array:
        """The slopes (m, nv) of errors, and of loops on velocities, by moves of q."""
        return np.asarray(self._system.module.constraint_jacobian(q, *self._system.parameters(t)))

    def closed_ways(self, t: float, y: Array, changes: Array) -> Array:
        """Moves (ny, k) of the state at right angles to each other that keep loops closed.

        ``changes`` (2 m, ny) is the Jacobian of :meth:`errors`.
        """
        at, sizes = self._positions, self._loops.sizes
        slopes, (errors, rates) = self.slopes(t, y[: self._model.nq]), np.split(changes, 2)
        rows = np.vstack([sizes.part(at).sums(slopes[at]) @ errors[at], sizes.sums(slopes) @ rates])
        return np.asarray(np.linalg.svd(rows, full_matrices=True)[2][len(rows) :].T)

    def closed(self, t: float, y: Array) -> Array:
        """The state with loops closed to rounding, and with velocities that keep them so; quaternions unit.

        Prescribed joints are where they are told to be, so that what is put out is closed with them.
        """
        y = self._system.unit(self._system.moved(t, y))
        q, v = y[: self._model.nq], y[self._model.nq :]
        for _ in range(_STEPS):
            error = np.where(self._positions, self._error(t, q), 0.0)
            if not np.max(np.abs(error), initial=0.0) > _ROUNDING:
                break
            move = np.zeros(self._model.nv)
            move[self._free] = self._loops.least(self.slopes(t, q), -error, self._free, self._positions)
            q = self._advance(q, move)
            if not np.max(np.abs(move), initial=0.0) > _ROUNDING:
                break
        slopes = self.slopes(t, q)
        v = v.copy()
        v[self._free] += self._loops.least(slopes, self._right(t, q) - slopes @ v, self._free)
        return np.concatenate([q, v])

    def _error(self, t: float, q: Array) -> Array:
        return np.asarray(self._system.module.constraint_error(q, *self._system.parameters(t)))

    def _right(self, t: float, q: Array) -> Array:
        return np.array(right_sides(self._model, q.tolist(), self._system.p(t).tolist()))
