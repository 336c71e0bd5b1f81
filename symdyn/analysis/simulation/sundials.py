"""Solvers of SUNDIALS between two steps, and CVODE with the compiled Jacobian."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.system import System

Array = NDArray[np.float64]

_TRIES = 3
"""Steps that may end where they began: CVODE goes on when a step adds nothing to the time."""


class SundialsStepper:
    """A solver of SUNDIALS between two steps; of its unknowns the first rows are y."""

    def __init__(self, system: System, solver: Any, t: float, y: Array, end: float) -> None:
        self._system, self._solver, self._end = system, solver, end
        self.t, self.y = t, y

    def step(self) -> None:
        """Go one step; an ArithmeticError where the solver gives up."""
        self._system.counters.steps += 1
        before, tries = self.t, 0
        while self.t <= before:  # the first call after ``value`` gives the end of the old step again
            if tries == _TRIES:
                raise ArithmeticError("the step is lost in rounding")
            tries += 1
            found = self._solver.step(self._end, method="onestep", tstop=self._end)
            if not found.success or not np.isfinite(found.y).all():
                raise ArithmeticError(str(found.message).rstrip("."))
            self.t, self.y = float(np.ravel(found.t)[-1]), self._state(found)

    def value(self, t: float) -> Array:
        """The state at a time within the last step."""
        return self.y if t == self.t else self._state(self._solver.step(t, method="normal", tstop=self._end))

    def until(self, end: float) -> None:
        """Go on to another last time."""
        self._end = end

    def begin(self, t: float, y: Array, end: float) -> None:
        """Begin anew from a state at a time."""
        self.t, self._end = t, end
        self.replace(y)

    def replace(self, y: Array) -> None:
        """Begin anew from another state at this time."""
        self._solver.init_step(self.t, y)
        self.y = y

    def _state(self, found: Any) -> Array:
        return np.array(found.y).reshape(-1)[: len(self.y)]


class CvodeStepper(SundialsStepper):
    """CVODE between two steps."""

    def __init__(
        self, system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float
    ) -> None:
        def rates(at: float, state: Array, rate: Array) -> None:
            rate[:] = system.derivative(at, np.array(state))

        def slopes(at: float, state: Array, rate: Array, matrix: Array) -> None:
            system.counters.factorisations += 1
            matrix[:] = system.jacobian(at, np.array(state))

        solver: Any = import_module("sksundae.cvode").CVODE(
            rates, jacfn=slopes, rtol=rtol, atol=atol, max_step=longest_step(longest)
        )
        super().__init__(system, solver, t, y, end)
        self.replace(y)


def longest_step(longest: float) -> float:
    """The longest step as SUNDIALS takes it: 0 for no bound."""
    return 0.0 if np.isinf(longest) else longest


def cvode(system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float) -> CvodeStepper:
    """Backward differentiation formulas of variable order by SUNDIALS."""
    return CvodeStepper(system, t, y, end, rtol, atol, longest)
