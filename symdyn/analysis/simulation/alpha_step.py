"""One step of generalised-alpha on a Lie group with index-3 constraints, by modified Newton."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.bordered_factor import BorderedFactor
from symdyn.analysis.simulation.consistent_start import accelerations, jerk, project, slip
from symdyn.analysis.simulation.implicit_system import ImplicitSystem, row_sizes
from symdyn.errors import SolverError
from symdyn.interface.alpha_rule import DOUBLE, FAST, KEPT_RATE, KEPT_STEP, SAME_STEP, SLOW, TRUST, AlphaRule

Array = NDArray[np.float64]


@dataclass(slots=True)
class Counters:
    """What an integration has spent."""

    steps: int = 0
    rejected: int = 0
    newton_failures: int = 0
    residuals: int = 0
    tangents: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """A state on the way: accelerations a, auxiliary ones w for steps of h, and how a changed in the last step."""

    t: float
    q: Array
    v: Array
    a: Array
    w: Array
    lam: Array
    h: float
    change: Array
    fresh: bool = False


class AlphaStepper:
    """Steps of one system by one rule; it keeps the factor of the tangent from step to step.

    Parameters
    ----------
    system
        What moves.
    rule
        The numbers of the method.
    newton
        How exactly equations are solved: the move of coordinates that is left, relative to that of the step.
    iterations
        Most iterations with one factor.
    """

    def __init__(self, system: ImplicitSystem, rule: AlphaRule, newton: float, iterations: int) -> None:
        self.counters = Counters()
        self._system, self._rule, self._newton, self._iterations = system, rule, newton, iterations
        self._factor: BorderedFactor | None = None
        self._factor_step = self._table_step = 0.0
        self._table = self._moves = np.zeros((0, 0))
        self._rate = SLOW

    def start(self, t: float, q: Array, v: Array) -> State:
        """The projected state with its accelerations, before a step is chosen; w is a until :meth:`prepared`."""
        self._factor = None
        q, v = project(self._system, t, q, v)
        a, lam = accelerations(self._system, t, q, v)
        return State(t, q, v, a, a, lam, 0.0, np.zeros_like(a), fresh=True)

    def prepared(self, state: State, h: float) -> State:
        """A start made ready for steps of h: w_0 = a(t + shift h), which keeps the order (Arnold et al. 2015).

        Where steps do not resolve how a changes, they pass over it: a and w begin at zero, as after a long rest.
        """
        rate = jerk(self._system, state.t, state.q, state.v, state.a, h)
        a = np.zeros_like(state.a) if rate is None else state.a
        change = np.zeros_like(state.a) if rate is None else h * rate
        return State(state.t, state.q, state.v, a, a + self._rule.shift * change, state.lam, h, change, fresh=True)

    def step(self, state: State, h: float, t: float) -> State:
        """The state after a step of h, at time t.

        Raises
        ------
        SolverError
            Newton's method does not converge; the message names the time, the step, and the row of v with the largest
            residual.
        """
        system = self._system
        ratio = h / state.h
        changed = abs(ratio - 1.0) > SAME_STEP
        v, a, change = state.v, state.a, state.change
        # w stands for a at t + shift h, so it moves with h (Arnold and Bruls' correction at a change of step)
        w = a + ratio * (state.w - a) if changed else state.w
        change = ratio * change if changed else change
        if self._factor is None or abs(h / self._factor_step - 1.0) > KEPT_STEP:
            self._refresh(t, state.q, v, a, state.lam, h)
        if system.m and state.fresh:
            v = v + self._started(state.q, v, w, change, h, t)
        elif system.m and changed:
            v = v + self._shifted(state, ratio)
        return self._solved(state, v, w, change, h, t)

    def _started(self, q: Array, v: Array, w: Array, change: Array, h: float, t: float) -> Array:
        """How velocities must start off across the constraints so that smooth accelerations meet these.

        Increments have the error C h^3 a' of the rule, which constraints do not allow. Velocities that are off by
        -C h^2 a' across them make up for it. Without them multipliers start with errors of first order (Arnold, Bruls &
        Cardona 2015, perturbed initial values). The error of constraints itself tells the shift, with the parts that
        come from the group.
        """
        assert self._factor is not None
        increment = h * v + (h * h) * (0.5 * w + self._rule.beta * change)
        error = self._system.error(t, self._system.advance(q, increment))
        if not np.all(
            np.isfinite(error)
        ):  # the increment leads out of what positions may be; Newton's method shortens it
            return np.zeros_like(v)
        return self._factor.solve(np.zeros_like(v), error / -h)[0]

    def _shifted(self, state: State, ratio: float) -> Array:
        """How that shift of velocities changes with the step: by the square of the ratio."""
        assert self._factor is not None
        slipping = slip(self._system, state.t, state.q, state.v)
        return self._factor.solve(np.zeros_like(state.v), (ratio * ratio - 1.0) * slipping)[0]

    def _solved(self, state: State, v0: Array, w0: Array, change: Array, h: float, t: float) -> State:
        if h != self._table_step:
            self._table_step, self._table, self._moves = h, self._rule.prediction(h), self._rule.moves(h)
        start = self._table @ np.array([v0, state.a, w0, change])
        assert self._factor is not None
        if self._factor.redundant:  # which errors count turns with the rows: those of the end, or steps jitter
            q = self._system.advance(state.q, start[0])
            self._refresh(t, q, start[1], start[2], state.lam, h)
        found = self._newton_from(state, start, h, t)
        if found is None:  # once more from where the step starts: stiff forces may throw predictions far off
            still = start - self._moves * (start[0] / self._moves[0, 0])
            self._refresh(t, state.q, still[1], still[2], state.lam, h)
            found = self._newton_from(state, still, h, t)
        if found is None:  # and as if accelerations stayed: where they change much, their last change says little
            kept = self._table @ np.array([v0, state.a, w0, np.zeros_like(change)])
            q = self._system.advance(state.q, kept[0])
            self._refresh(t, q, kept[1], kept[2], state.lam, h)
            found = self._newton_from(state, kept, h, t)
        if found is None:
            self._factor = None
            self.counters.newton_failures += 1
            raise SolverError(self._failure(state, start, h, t))
        q, (_, v, a, w), lam = found
        return State(t, q, v, a, w, lam, h, a - state.a)

    def _newton_from(self, state: State, start: Array, h: float, t: float) -> tuple[Array, Array, Array] | None:
        """The position; increment, v, a and w; and multipliers at t. None where iterations do not converge.

        Moves of the increment are taken for moves of the position: the tangent operator of the exponential is 1 but for
        half the turn of a step, so it costs a rate of convergence of about that, and no accuracy.
        """
        system, advance, q0 = self._system, self._system.advance, state.q
        assert self._factor is not None
        lam = self._factor.shortest(state.lam)
        constrained, moves = system.m > 0, self._moves
        c_q = float(moves[0, 0])
        found = start
        floor = DOUBLE.floor * max(1.0, _length(q0))
        moved_before, fresh = 0.0, False
        self._rate = max(self._rate, FAST) ** TRUST  # remembered from the step before, trusted less by and by
        q = advance(q0, start[0])
        for iteration in range(self._iterations):
            _, v, a, _ = found
            force = system.residual(t, q, v, a, lam)
            self.counters.residuals += 1
            x, y = self._factor.solve(force, system.error(t, q) / c_q if constrained else lam)
            moved = c_q * _length(x)
            if not moved < math.inf:
                return None
            found = found - moves * x
            if constrained:
                lam = lam - y
            q = advance(q0, found[0])
            allowed = self._newton * _length(found[0]) + floor
            if iteration:
                rate = moved / moved_before
                if rate >= 1.0 and moved > allowed and fresh:
                    return None
                self._rate = min(rate, SLOW)
            left = moved * self._rate / (1.0 - self._rate) if iteration or not constrained else moved
            if left <= allowed:
                return q, found, lam
            fresh = self._rate > KEPT_RATE and iteration > 0
            if fresh:
                self._refresh(t, q, found[1], found[2], lam, h)
            moved_before = moved
        return None

    def _refresh(self, t: float, q: Array, v: Array, a: Array, lam: Array, h: float) -> None:
        """Factorise anew at a state, for steps of h."""
        rule = self._rule
        found = self._system.tangent(t, q, v, a, lam, rule.beta * h * h, rule.gamma * h, rule.mass_weight)
        try:
            self._factor, self._factor_step, self._rate = BorderedFactor(*found, row_sizes(self._system)), h, SLOW
        except SolverError as failure:
            raise SolverError(f"generalised-alpha at t = {t:.6g} s, in a step of {h:.3g} s: {failure}") from None
        self.counters.tangents += 1

    def _failure(self, state: State, start: Array, h: float, t: float) -> str:
        position = self._system.advance(state.q, start[0])
        force = abs(self._system.residual(t, position, start[1], start[2], state.lam))
        worst = self._system.row_names[int(np.argmax(np.where(np.isfinite(force), force, np.inf)))]
        return (
            f"Newton's method does not converge in the step of {h:.3g} s to t = {t:.6g} s; the largest residual is in "
            f"row '{worst}'; take a shorter step"
        )


def _length(x: Array) -> float:
    return math.sqrt(x @ x)
