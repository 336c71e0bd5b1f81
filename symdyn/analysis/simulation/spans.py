"""Parts of a motion between times at which what is given jumps; laws of time are seen from within each part.

A solver that passes a jump sees it only if one of its stages falls on the other side, and a short pulse not at all. So
steps end at jumps, and solvers begin anew there. At the end of a part, laws give what they give just before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.simulation.smooth_inputs import SmoothInputs
from symdyn.analysis.simulation.system import Inputs, Law, Motion, Prescribed
from symdyn.analysis.simulation.table_inputs import TableInputs
from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_numbers

Array = NDArray[np.float64]
CONTINUOUS = 1e-9
"""Difference of a prescribed position on both sides of a jump, relative to the position or to 1, that is rounding."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A time at which a step ends; solvers begin anew at jumps, and go on at kinks."""

    t: float
    jumps: bool


class Span:
    """The part of a motion in which laws of time are seen."""

    def __init__(self) -> None:
        self._first, self._latest = -math.inf, math.inf

    def enter(self, stop: Stop) -> None:
        """See laws as they are before a stop, and after the stop before."""
        self._latest = before(stop.t) if stop.jumps else math.inf

    def leave(self, stop: Stop | None = None) -> None:
        """See laws as they are at every time, or from a stop on."""
        self._first, self._latest = -math.inf if stop is None else stop.t, math.inf

    def time(self, t: float) -> float:
        """The time within the part."""
        return min(max(t, self._first), self._latest)

    def inputs(self, inputs: Inputs) -> Inputs:
        """Inputs within the part; smooth ones stay smooth."""
        given: Any = inputs
        if isinstance(given, SmoothInputs):
            return _SmoothWithin(given, self)
        return lambda t, q, v: inputs(self.time(t), q, v)

    def law(self, law: Law) -> Law:
        """Run-time parameters within the part."""
        return lambda t: law(self.time(t))

    def prescribed(self, prescribed: Mapping[str, Prescribed]) -> dict[str, Prescribed]:
        """Prescribed motions within the part; differences of methods find them go on beyond it as parabolas."""
        return {name: replace(own, motion=self._continued(own.motion)) for name, own in prescribed.items()}

    def _continued(self, motion: Motion) -> Motion:
        def law(t: float) -> tuple[float, float, float]:
            inner = self.time(t)
            q, v, a = motion(inner)
            s = t - inner
            return (q, v, a) if s == 0.0 else (q + s * (v + 0.5 * s * a), v + s * a, a)

        return law


class _SmoothWithin:
    """Inputs that tell their derivatives, within a part."""

    def __init__(self, inputs: Any, span: Span) -> None:
        self._inputs, self._span = inputs, span

    def derivatives(self, t: float, order: int) -> Array:
        """The inputs at t and their time derivatives up to an order, (order + 1, n)."""
        found: Array = self._inputs.derivatives(self._span.time(t), order)
        return found

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The inputs at t."""
        found: Array = self._inputs(self._span.time(t), q, v)
        return found


def before(t: float) -> float:
    """The last time before t."""
    return math.nextafter(t, -math.inf)


def given_jumps(jumps: ArrayLike | None) -> tuple[float, ...]:
    """Times at which functions of time jump.

    Raises
    ------
    RequestError
        What is no list of finite numbers.
    """
    if jumps is None:
        return ()
    found = given_numbers("jumps", jumps)
    if found.ndim > 1 or not np.isfinite(found).all():
        raise RequestError(f"jumps: expected finite times [s] of shape (n,), got {jumps!r}")
    return tuple(sorted({float(t) for t in np.ravel(found)}))


def stops_of(inputs: Inputs, jumps: Sequence[float], start: float, end: float) -> list[Stop]:
    """The times at which steps end, growing, the end of the motion last."""
    found = {end: Stop(end, False)}
    kinks, steps = ((), jumps) if not isinstance(inputs, TableInputs) else (inputs.kinks, (*inputs.jumps, *jumps))
    found |= {t: Stop(t, False) for t in kinks if start < t < end}
    found |= {t: Stop(t, True) for t in steps if start < t <= end}
    return sorted(found.values(), key=lambda stop: stop.t)


def check_positions(prescribed: Mapping[str, Prescribed], stops: Sequence[Stop]) -> None:
    """Refuse prescribed positions that jump, which no finite velocity gives.

    Raises
    ------
    RequestError
        The joint, the time and both positions.
    """
    for stop in stops:
        for name, own in prescribed.items() if stop.jumps else ():
            left, right = float(own.motion(before(stop.t))[0]), float(own.motion(stop.t)[0])
            if not abs(right - left) <= CONTINUOUS * max(1.0, abs(left)):
                raise RequestError(
                    f"prescribed '{name}' jumps at t = {stop.t:.6g} s from {left:.9g} to {right:.9g}; positions must "
                    "be continuous, only velocities and accelerations may jump"
                )
