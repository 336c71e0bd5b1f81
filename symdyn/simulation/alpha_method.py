"""Generalised-alpha as a method of ``simulate``: steps that follow the error, loops closed by the method itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import SolverError
from symdyn.simulation.alpha_rule import AlphaRule
from symdyn.simulation.alpha_step import AlphaStepper, State
from symdyn.simulation.driven_system import DrivenSystem
from symdyn.simulation.generalised_alpha import ErrorSteps
from symdyn.simulation.system import System

Array = NDArray[np.float64]

_RHO = 0.8
_NEWTON = 1e-11
_ITERATIONS = 12


class AlphaMethod:
    """A motion by generalised-alpha with a spectral radius of 0.8, between two steps."""

    def __init__(
        self, system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float
    ) -> None:
        rule = AlphaRule.of(_RHO)
        self._system, self._robot, self._end = system, system.robot, end
        self._stepper = AlphaStepper(DrivenSystem(system), rule, _NEWTON, _ITERATIONS)
        self._take = ErrorSteps(self._stepper, rule, rtol, atol, min(longest, end - t), None)
        self._before = self._state = self._started(t, y)

    @property
    def t(self) -> float:
        """The time reached."""
        return self._state.t

    @property
    def y(self) -> Array:
        """The state there."""
        return np.concatenate([self._state.q, self._state.v])

    def step(self) -> None:
        """Go one step; an ArithmeticError where equations cannot be solved, or the step has become too short."""
        try:
            self._before, self._state = self._state, self._take.next(self._state, self._end)
        except SolverError as failure:
            raise ArithmeticError(str(failure)) from failure
        counters, own = self._system.counters, self._stepper.counters
        counters.steps, counters.function_calls = own.steps, own.residuals
        counters.jacobians = counters.factorisations = own.tangents

    def value(self, t: float) -> Array:
        """The state at a time within the last step: cubics in the moves from its start, and in v."""
        before, after = self._before, self._state
        if t == after.t:
            return self.y
        long = after.t - before.t
        s = (t - before.t) / long
        rise, leave, arrive = s * s * (3.0 - 2.0 * s), s * (1.0 - s) ** 2, s * s * (s - 1.0)
        move = self._robot.difference(before.q, after.q)
        q = self._robot.integrate(before.q, rise * move + long * (leave * before.v + arrive * after.v))
        v = before.v + rise * (after.v - before.v) + long * (leave * before.a + arrive * after.a)
        return np.concatenate([q, v])

    def replace(self, y: Array) -> None:
        """Go on from another state at this time, with accelerations that go with it."""
        self._before = self._state = self._started(self.t, y)

    def _started(self, t: float, y: Array) -> State:
        return self._stepper.start(t, np.array(y[: self._robot.nq]), np.array(y[self._robot.nq :]))
