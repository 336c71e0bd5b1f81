"""CVODE of SUNDIALS, with the compiled Jacobian."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.simulation.system import System

Array = NDArray[np.float64]

_TRIES = 3
"""Steps that may end where they began: CVODE goes on when a step adds nothing to the time."""


class CvodeStepper:
    """CVODE between two steps."""

    def __init__(
        self, system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float
    ) -> None:
        self._system, self._end = system, end

        def rates(at: float, state: Array, rate: Array) -> None:
            rate[:] = system.derivative(at, np.array(state))

        def slopes(at: float, state: Array, rate: Array, matrix: Array) -> None:
            system.counters.factorisations += 1
            matrix[:] = system.jacobian(at, np.array(state))

        self._solver: Any = import_module("sksundae.cvode").CVODE(
            rates, jacfn=slopes, rtol=rtol, atol=atol, max_step=0.0 if np.isinf(longest) else longest
        )
        self._solver.init_step(t, y)
        self.t, self.y = t, y

    def step(self) -> None:
        """Go one step; an ArithmeticError where CVODE gives up."""
        self._system.counters.steps += 1
        before, tries = self.t, 0
        while self.t <= before:  # the first call after ``value`` gives the end of the old step again
            if tries == _TRIES:
                raise ArithmeticError("the step is lost in rounding")
            tries += 1
            found = self._solver.step(self._end, method="onestep", tstop=self._end)
            if not found.success or not np.isfinite(found.y).all():
                raise ArithmeticError(str(found.message).rstrip("."))
            self.t, self.y = float(np.ravel(found.t)[-1]), np.array(found.y).reshape(-1)

    def value(self, t: float) -> Array:
        """The state at a time within the last step."""
        if t == self.t:
            return self.y
        return np.array(self._solver.step(t, method="normal", tstop=self._end).y).reshape(-1)

    def replace(self, y: Array) -> None:
        """Begin anew from another state."""
        self._solver.init_step(self.t, y)
        self.y = y


def cvode(system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float) -> CvodeStepper:
    """Backward differentiation formulas of variable order by SUNDIALS."""
    return CvodeStepper(system, t, y, end, rtol, atol, longest)
