"""Runge-Kutta and multistep methods of SciPy, with the compiled Jacobian."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.system import System
from symdyn.errors import SymdynError

Array = NDArray[np.float64]


class LibraryStepper:
    """A solver of SciPy between two steps; ``make`` gives it for a time, a state there, and the last time."""

    def __init__(
        self, system: System, make: Callable[[float, Array, float], Any], t: float, y: Array, end: float
    ) -> None:
        self._system, self._make = system, make
        self._factorised = 0
        self._solver: Any = make(t, y, end)
        self._dense: Any = None

    @property
    def t(self) -> float:
        """The time reached."""
        return float(self._solver.t)

    @property
    def y(self) -> Array:
        """The state there."""
        found: Array = self._solver.y
        return found

    def step(self) -> None:
        """Go one step; an ArithmeticError where the step has become too short."""
        self._dense = None
        try:
            message = self._solver.step()
        except SymdynError:
            raise
        except ValueError as failure:  # SciPy refuses matrices that are not finite
            raise ArithmeticError(str(failure)) from None
        counters = self._system.counters
        counters.steps += 1
        counters.factorisations = self._factorised + int(self._solver.nlu)
        if self._solver.status == "failed":
            raise ArithmeticError(str(message).rstrip("."))
        if not np.isfinite(self._solver.y).all():
            raise ArithmeticError("the state is not finite")

    def value(self, t: float) -> Array:
        """The state at a time within the last step."""
        if self._dense is None:
            self._dense = self._solver.dense_output()
        found: Array = self._dense(t)
        return found

    def replace(self, y: Array) -> None:
        """Go on from another state, near the one reached."""
        self._solver.y = y
        if hasattr(self._solver, "f"):
            self._solver.f = self._system.derivative(self.t, y)

    def until(self, end: float) -> None:
        """Go on to another last time."""
        self._solver.t_bound, self._solver.status = end, "running"

    def begin(self, t: float, y: Array, end: float) -> None:
        """Begin anew from a state at a time."""
        self._factorised += int(self._solver.nlu)
        self._dense = None
        self._solver = self._make(t, y, end)


def _stepper(
    name: str, implicit: bool, system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float
) -> LibraryStepper:
    settings: dict[str, Any] = {"jac": system.jacobian} if implicit else {}
    kind = getattr(import_module("scipy.integrate"), name)

    def make(t: float, y: Array, end: float) -> Any:
        return kind(system.derivative, t, y, end, rtol=rtol, atol=atol, max_step=longest, **settings)

    return LibraryStepper(system, make, t, y, end)


def dop853(system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float) -> LibraryStepper:
    """The explicit Runge-Kutta method of order 8 by Dormand and Prince."""
    return _stepper("DOP853", False, system, t, y, end, rtol, atol, longest)


def radau(system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float) -> LibraryStepper:
    """The implicit Runge-Kutta method Radau IIA of order 5."""
    return _stepper("Radau", True, system, t, y, end, rtol, atol, longest)


def bdf(system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float) -> LibraryStepper:
    """Backward differentiation formulas of orders 1 to 5."""
    return _stepper("BDF", True, system, t, y, end, rtol, atol, longest)
