"""Generalised-alpha as a method of ``simulate``: steps that follow the error, loops closed by the method itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.alpha_rule import AlphaRule
from symdyn.analysis.simulation.alpha_step import AlphaStepper, State
from symdyn.analysis.simulation.driven_system import DrivenSystem
from symdyn.analysis.simulation.free_rows import freed
from symdyn.analysis.simulation.generalised_alpha import ErrorSteps
from symdyn.analysis.simulation.system import System
from symdyn.errors import SolverError

Array = NDArray[np.float64]

_RHO = 0.8
_NEWTON = 1e-11
_ITERATIONS = 12


class AlphaMethod:
    """A motion by generalised-alpha with a spectral radius of 0.8, between two steps; ``longest`` is finite."""

    def __init__(
        self, system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float
    ) -> None:
        rule = AlphaRule.of(_RHO)
        self._system, self._robot = system, system.robot
        free, self._rows = freed(DrivenSystem(system), system.robot.nq)
        self._stepper = AlphaStepper(free, rule, _NEWTON, _ITERATIONS)
        self._end = end
        self._take = ErrorSteps(self._stepper, rule, rtol, atol, longest, None)
        self._before = self._state = self._start(t, y)

    @property
    def t(self) -> float:
        """The time reached."""
        return self._state.t

    @property
    def y(self) -> Array:
        """The state there."""
        return np.concatenate(self._whole(self._state)[:2])

    def step(self) -> None:
        """Go one step; an ArithmeticError where equations cannot be solved, or the step has become too short."""
        try:
            self._before, self._state = self._state, self._take.next(self._state, self._end)
        except SolverError as failure:
            raise ArithmeticError(str(failure)) from failure
        counters, own = self._system.counters, self._stepper.counters
        counters.steps, counters.function_calls = own.steps, own.residuals
        counters.jacobians = counters.factorisations = own.tangents

    def until(self, end: float) -> None:
        """Go on to another last time."""
        self._end = end

    def begin(self, t: float, y: Array, end: float) -> None:
        """Begin anew from a state at a time; an ArithmeticError where it has no accelerations."""
        self._end = end
        self._take.forget()
        self._before = self._state = self._start(t, y)

    def value(self, t: float) -> Array:
        """The state at a time within the last step: cubics in the moves from its start, and in v."""
        if t == self._state.t:
            return self.y
        (q_before, v_before, a_before), (q_after, v_after, a_after) = map(self._whole, (self._before, self._state))
        before = self._before.t
        long = self._state.t - before
        s = (t - before) / long
        rise, leave, arrive = s * s * (3.0 - 2.0 * s), s * (1.0 - s) ** 2, s * s * (s - 1.0)
        move = self._robot.difference(q_before, q_after)
        q = self._robot.integrate(q_before, rise * move + long * (leave * v_before + arrive * v_after))
        v = v_before + rise * (v_after - v_before) + long * (leave * a_before + arrive * a_after)
        return self._system.moved(t, np.concatenate([q, v]))

    def _start(self, t: float, y: Array) -> State:
        nq = self._robot.nq
        try:
            return self._stepper.start(t, *self._rows.part(np.array(y[:nq]), np.array(y[nq:])))
        except SolverError as failure:
            raise ArithmeticError(str(failure)) from failure

    def _whole(self, state: State) -> tuple[Array, Array, Array]:
        """q, v and a of all rows."""
        return self._rows.state(state.t, state.q, state.v, state.a)
