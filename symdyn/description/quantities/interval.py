"""Intervals of real numbers: bounds, to rounding, of what an expression may be on a stretch of a beam."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from ``low`` to ``high``. Where an operation is not defined everywhere, the result is everything."""

    low: float
    high: float

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __add__(self, other: Interval | float) -> Interval:
        other = _interval(other)
        return _hull((self.low + other.low, self.high + other.high))

    __radd__ = __add__

    def __sub__(self, other: Interval | float) -> Interval:
        return self + -_interval(other)

    def __rsub__(self, other: float) -> Interval:
        return -self + other

    def __mul__(self, other: Interval | float) -> Interval:
        other = _interval(other)
        return _hull(first * second for first in (self.low, self.high) for second in (other.low, other.high))

    __rmul__ = __mul__

    def __truediv__(self, other: Interval | float) -> Interval:
        other = _interval(other)
        if other.low <= 0.0 <= other.high:
            return EVERYTHING
        return _hull(first / second for first in (self.low, self.high) for second in (other.low, other.high))

    def __rtruediv__(self, other: float) -> Interval:
        return _interval(other) / self


EVERYTHING = Interval(-math.inf, math.inf)


def _interval(number: Interval | float) -> Interval:
    return number if isinstance(number, Interval) else Interval(number, number)


def _hull(values: Iterable[float]) -> Interval:
    found = list(values)
    return EVERYTHING if any(map(math.isnan, found)) else Interval(min(found), max(found))


def _rising(function: Callable[[float], float]) -> Callable[[Interval | float], Interval]:
    """A function that rises wherever it is defined, lifted to intervals."""

    def lifted(argument: Interval | float) -> Interval:
        argument = _interval(argument)
        try:
            return _hull((function(argument.low), function(argument.high)))
        except (ValueError, OverflowError):
            return EVERYTHING

    return lifted


def _sin(argument: Interval | float) -> Interval:
    argument = _interval(argument)
    if not argument.high - argument.low < 2 * math.pi:
        return Interval(-1.0, 1.0)
    ends = _hull((math.sin(argument.low), math.sin(argument.high)))
    highest = 1.0 if _holds(argument, math.pi / 2, 2 * math.pi) else ends.high
    lowest = -1.0 if _holds(argument, -math.pi / 2, 2 * math.pi) else ends.low
    return Interval(lowest, highest)


def _tan(argument: Interval | float) -> Interval:
    argument = _interval(argument)
    if not argument.high - argument.low < math.pi or _holds(argument, math.pi / 2, math.pi):
        return EVERYTHING
    return _rising(math.tan)(argument)


def _holds(interval: Interval, place: float, period: float) -> bool:
    """Whether ``place`` plus a multiple of ``period`` lies inside."""
    return place + math.ceil((interval.low - place) / period) * period <= interval.high


def _cosh(argument: Interval | float) -> Interval:
    argument = _interval(argument)
    far = max(abs(argument.low), abs(argument.high))
    near = 0.0 if argument.low <= 0.0 <= argument.high else min(abs(argument.low), abs(argument.high))
    return _rising(math.cosh)(Interval(near, far))


INTERVAL_FUNCTIONS: Mapping[str, Callable[[Interval | float], Interval]] = {
    "sqrt": _rising(math.sqrt),
    "sin": _sin,
    "cos": lambda argument: _sin(_interval(argument) + math.pi / 2),
    "tan": _tan,
    "sinh": _rising(math.sinh),
    "cosh": _cosh,
    "exp": _rising(math.exp),
    "log": _rising(math.log),
}
"""The functions of expressions in x, over intervals."""
