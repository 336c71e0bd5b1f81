"""What rounding leaves of a result: the recursion on floats that each operation moves by a random part of a roundoff.

Monte Carlo arithmetic (Parker, *Monte Carlo arithmetic*, 1997). Running error analysis would count a proximal method's
first solution, which has 1e9 times the errors, and not see that later steps take them away; here they are taken away.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.rounded import Rounded
from symdyn.dynamics.tree.rounded_plans import _with_errors
from symdyn.functions.catalogue import requests
from symdyn.generation import pipeline
from symdyn.interface.options import RequestOptions
from symdyn.plan.plan import Visit
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

ROUNDOFF = 2.0**-53
RUNS = 4
EXACT = (0.0, 1.0)
"""Inputs that are not rounded, such as what switches a loop."""
_draw = random.Random(53).uniform


class Noisy(float):
    """A float whose operations, with floats or others of its kind, have a random error."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return _moved(float.__add__(self, other))

    __radd__ = __add__

    def __neg__(self) -> Noisy:
        return Noisy(float.__neg__(self))

    def __sub__(self, other: Any) -> Any:
        return _moved(float.__sub__(self, other))

    def __rsub__(self, other: Any) -> Any:
        return _moved(float.__rsub__(self, other))

    def __mul__(self, other: Any) -> Any:
        return _moved(float.__mul__(self, other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _moved(float.__truediv__(self, other))

    def __rtruediv__(self, other: Any) -> Any:
        return _moved(float.__rtruediv__(self, other))


def _moved(exact: Any) -> Any:
    """The number with its error; what floats cannot do, such as dual numbers, is left to the other operand."""
    return exact if exact is NotImplemented else Noisy(float(exact) * (1.0 + ROUNDOFF * _draw(-1.0, 1.0)))


class NoisyAlgebra:
    """Elementary functions of floats, each with an error."""

    def __init__(self) -> None:
        self._floats = FloatAlgebra()

    def constant(self, value: float) -> float:
        """The number itself."""
        return float(value)

    def sin_cos(self, x: float) -> tuple[float, float]:
        """Sine and cosine."""
        sine, cosine = self._floats.sin_cos(float(x))
        return _moved(sine), _moved(cosine)

    def function(self, name: str, *arguments: float) -> float:
        """An elementary function by its tape code."""
        found: float = _moved(self._floats.function(name, *map(float, arguments)))
        return found

    def compare(self, code: str, left: float, right: float) -> bool:
        """Truth of a comparison."""
        return self._floats.compare(code, left, right)

    def select(self, condition: bool, if_true: Any, if_false: Any) -> Any:
        """One of two numbers."""
        return if_true if condition else if_false


def rounding(
    robot: Robot, function: str, options: RequestOptions, given: Mapping[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """By how much results of a few runs differ, of which inputs and constants have errors, too; none if one fails."""
    ((entry, request),) = requests(robot.model, [function], **options)
    plan = pipeline.planned(robot, robot.model, entry, request)
    found: list[dict[str, list[float]]] = []
    for _ in range(RUNS):
        sweeps = tuple(replace(sweep, visits=tuple(map(_moved_visit, sweep.visits))) for sweep in plan.sweeps)
        inputs = {
            name: [x if x in EXACT else _moved(x) for x in map(float, np.ravel(own))] for name, own in given.items()
        }
        try:
            found.append(run_plan(replace(plan, sweeps=sweeps), NoisyAlgebra(), inputs))
        except ZeroDivisionError:
            return {}
    return {name: np.ptp(np.array([own[name] for own in found], dtype=float), axis=0) for name in found[0]}


def _moved_visit(visit: Visit) -> Visit:
    """Its constants with errors of the sizes that :mod:`symdyn.dynamics.tree.rounded_plans` gives them."""
    constants: dict[str, Any] = dict(visit.constants)
    for name, value in _with_errors(visit).constants.items():
        if isinstance(value, Rounded) and value.error:
            constants[name] = Noisy(value.value + ROUNDOFF * value.error * _draw(-1.0, 1.0))
    return replace(visit, constants=constants)
