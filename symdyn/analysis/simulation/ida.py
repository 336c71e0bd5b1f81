"""IDA of SUNDIALS: equations of motion as they stand, with loops by the stabilised form of index 2.

The unknowns are q, v, multipliers lambda and multipliers mu of positions (Gear, Leimkuhler & Gupta 1985):

    q' = N(q) (v + A^T mu),   R(t, q, v, v', lambda) = 0,   A(q) v = g'(t),   e(q) = g(t)

mu is zero but for errors of steps, which it keeps from opening the loops. Without loops this is an implicit ordinary
differential equation, in which no mass matrix is inverted.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.consistent_start import accelerations, project
from symdyn.analysis.simulation.coordinate_speeds import CoordinateSpeeds
from symdyn.analysis.simulation.driven_system import DrivenSystem
from symdyn.analysis.simulation.sundials import SundialsStepper, longest_step
from symdyn.analysis.simulation.system import System
from symdyn.description.loops import GROWN
from symdyn.errors import SolverError
from symdyn.robot.loop_closure.search import FINE
from symdyn.robot.loop_closure.sizes import RANK

Array = NDArray[np.float64]

_UNWEIGHED = 1e30
"""Absolute tolerance of multipliers: they are found with the rest, and no step is chosen by them."""
_SHIFT = 1e-6
"""Move of coordinates for differences of slopes of loops."""


class IdaStepper(SundialsStepper):
    """IDA between two steps.

    Rows of loops that repeat others at the start are left out: they follow, as long as these do.
    """

    def __init__(
        self, system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float
    ) -> None:
        self._parts, self._loops = DrivenSystem(system), system.robot.loop_closure
        self._speeds = CoordinateSpeeds(system.robot.model)
        self._nq, self._nv = system.robot.nq, system.robot.nv
        self._rows = self._independent(t, y[: self._nq])
        count = len(self._rows)
        weights = np.full(len(y) + 2 * count, atol)
        weights[len(y) :] = _UNWEIGHED
        solver: Any = import_module("sksundae.ida").IDA(
            self._residual,
            jacfn=self._matrix,
            rtol=rtol,
            atol=weights,
            algebraic_idx=list(range(len(y), len(weights))) or None,
            max_step=longest_step(longest),
        )
        super().__init__(system, solver, t, y, end)
        self.replace(y)

    def step(self) -> None:
        """Go one step; an ArithmeticError where IDA gives up, or where rows that were left out follow no more.

        Where no mass resists, equations without mass are met by any acceleration: IDA would go on with some. Masses
        change with run-time parameters alone, and are looked at only then, since it takes forward dynamics.
        """
        super().step()
        if self._system.robot.runtime_parameters and not np.isfinite(self._system.derivative(self.t, self.y)).all():
            raise FloatingPointError("accelerations are not finite")
        if len(self._rows) < self._parts.m:
            opened = float(np.max(np.abs(self._parts.error(self.t, self.y[: self._nq]))))
            if not opened <= GROWN:
                raise ArithmeticError(f"rows of loops that repeated others at the start do not any more: {opened:.3g}")

    def replace(self, y: Array) -> None:
        """Begin anew from the nearest state that meets the constraints, with accelerations that go with it."""
        parts, t, self.y = self._parts, self.t, y
        try:
            q, v = project(parts, t, y[: self._nq], y[self._nq :])
            a, lam = accelerations(parts, t, q, v)
        except SolverError as failure:
            raise ArithmeticError(str(failure)) from None
        kept, still = self._shortened(t, q, lam), np.zeros(len(self._rows))
        self._solver.init_step(
            t,
            np.concatenate([q, v, kept, still]),
            np.concatenate([self._speeds.of(q, v), a, still, still]),
        )
        self.y = np.concatenate([q, v])

    def _residual(self, t: float, unknowns: Array, rates: Array, found: Array) -> None:
        """The errors of all equations."""
        self._system.counters.function_calls += 1
        nq, parts = self._nq, self._parts
        q, v, lam, mu = self._split(unknowns)
        body = self._system.unit(np.concatenate([q, v]))[:nq]
        every = parts.slopes(t, body)
        slopes = every[self._rows]
        found[:nq] = rates[:nq] - self._speeds.of(q, v + mu @ slopes)
        found[nq : nq + self._nv] = parts.residual(t, body, v, np.array(rates[nq : nq + self._nv]), self._all(lam))
        if parts.m:
            below = nq + self._nv
            found[below : below + len(self._rows)] = (every @ v - parts.rates(t))[self._rows]
            found[below + len(self._rows) :] = parts.error(t, body)[self._rows]

    def _matrix(self, t: float, unknowns: Array, rates: Array, found: Array, c: float, matrix: Array) -> None:
        """The slopes of the errors, and c times those by the rates."""
        counters = self._system.counters
        counters.jacobians, counters.factorisations = counters.jacobians + 1, counters.factorisations + 1
        nq, nv, parts = self._nq, self._nv, self._parts
        q, v, lam, mu = self._split(unknowns)
        body = self._system.unit(np.concatenate([q, v]))[:nq]
        a, forces = np.array(rates[nq : nq + nv]), self._all(lam)
        moves = self._speeds.moves(q)
        by_q, slopes = parts.tangent(t, body, v, a, forces, 1.0, 0.0, 0.0)
        by_v, _ = parts.tangent(t, body, v, a, forces, 0.0, 1.0, c)
        given_q, given_v = parts.feedback(t, body, v, a, forces)
        slopes, (at_v, at_lam) = slopes[self._rows], (nq + nv, nq + nv + len(self._rows))
        matrix[:] = 0.0
        matrix[:nq, :nq] = c * np.eye(nq) - self._speeds.slopes(q, v + mu @ slopes)
        matrix[:nq, nq:at_v] = -self._speeds.matrix(q)
        matrix[:nq, at_lam:] = matrix[:nq, nq:at_v] @ slopes.T
        matrix[nq:at_v, :nq] = (by_q + given_q) @ moves
        matrix[nq:at_v, nq:at_v] = by_v + given_v
        matrix[nq:at_v, at_v:at_lam] = -slopes.T
        if parts.m:
            matrix[at_v:at_lam, :nq] = (self._bent(t, body, v) + slopes @ self._speeds.brackets(v)) @ moves
            matrix[at_v:at_lam, nq:at_v] = slopes
            matrix[at_lam:, :nq] = slopes @ moves

    def _bent(self, t: float, q: Array, v: Array) -> Array:
        """The change of A along v, (rows, nv): that of A v with q, where moves along the rows of v commute."""
        parts, step = self._parts, _SHIFT / max(1.0, float(np.max(np.abs(v))))
        ahead, behind = (parts.slopes(t, parts.advance(q, sign * step * v)) for sign in (1.0, -1.0))
        return np.asarray((ahead - behind)[self._rows] / (2.0 * step), dtype=np.float64)

    def _independent(self, t: float, q: Array) -> NDArray[np.intp]:
        """Rows of constraints that do not repeat others at q."""
        if not self._parts.m:
            return np.zeros(0, dtype=np.intp)
        loops, slopes = self._loops, self._parts.slopes(t, q)
        scaled, count = slopes * loops.sizes.columns, len(loops.positions)
        scaled[:count] = loops.sizes.scaled(slopes[:count])
        scaled[count:] /= np.linalg.norm(scaled[count:], axis=1, keepdims=True)  # of prescribed joints
        _, triangle, order = import_module("scipy.linalg").qr(scaled.T, mode="economic", pivoting=True)
        left = np.abs(np.diag(triangle))
        return np.sort(order[: int(np.sum(left > (RANK if loops.crowded else FINE)))])

    def _shortened(self, t: float, q: Array, lam: Array) -> Array:
        """Multipliers of the rows that are kept, with the same forces."""
        if len(lam) == len(self._rows):
            return lam
        slopes = self._parts.slopes(t, q)
        return np.asarray(np.linalg.lstsq(slopes[self._rows].T, slopes.T @ lam, rcond=None)[0], dtype=np.float64)

    def _split(self, unknowns: Array) -> list[Array]:
        """The coordinates, velocities and both multipliers, as arrays of our own."""
        ends = np.cumsum([self._nq, self._nv, len(self._rows)])
        return np.split(np.array(unknowns), ends)

    def _all(self, lam: Array) -> Array:
        """Multipliers of all rows, those of rows left out zero."""
        found = np.zeros(self._parts.m)
        found[self._rows] = lam
        return found


def ida(system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float) -> IdaStepper:
    """Backward differentiation formulas of variable order by SUNDIALS, for implicit equations."""
    return IdaStepper(system, t, y, end, rtol, atol, longest)
