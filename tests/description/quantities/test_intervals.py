"""Bounds of arithmetic on intervals hold, and those of one operation on one interval are the tightest."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable

import pytest

from symdyn.description.quantities.interval import EVERYTHING, INTERVAL_FUNCTIONS, Interval

PLACES = (-7.5, -3.2, -math.pi, -1.6, -1.0, -0.25, 0.0, 0.3, 1.2, math.pi / 2, 2.0, 4.0, 5.0, 9.0)
INTERVALS = [Interval(low, high) for low in PLACES for high in PLACES if low <= high]


def samples(interval: Interval) -> list[float]:
    step = (interval.high - interval.low) / 400
    return [interval.low + step * k for k in range(400)] + [interval.high]


def check_tightest(found: Interval, values: list[float]) -> None:
    """All values lie inside, and the ends are no further than what 400 samples may miss."""
    assert found.low <= min(values) + 1e-12 and max(values) - 1e-12 <= found.high
    # a sample lies within half a step, 0.02, of where an end is attained
    assert found.low == pytest.approx(min(values), rel=0.05, abs=1e-3)
    assert found.high == pytest.approx(max(values), rel=0.05, abs=1e-3)


@pytest.mark.parametrize("name", ["sin", "cos", "sinh", "cosh", "exp"])
def test_functions_that_are_finite_everywhere(name: str) -> None:
    for interval in INTERVALS:
        check_tightest(INTERVAL_FUNCTIONS[name](interval), [getattr(math, name)(x) for x in samples(interval)])


def test_tangent() -> None:
    poles = [math.pi / 2 + k * math.pi for k in range(-4, 5)]
    for interval in INTERVALS:
        endless = any(interval.low <= pole <= interval.high for pole in poles)
        ends = Interval(math.tan(interval.low), math.tan(interval.high))
        assert INTERVAL_FUNCTIONS["tan"](interval) == (EVERYTHING if endless else ends)


@pytest.mark.parametrize("name", ["sqrt", "log"])
def test_functions_of_positive_numbers(name: str) -> None:
    function = getattr(math, name)
    assert INTERVAL_FUNCTIONS[name](Interval(0.25, 4.0)) == Interval(function(0.25), function(4.0))
    assert INTERVAL_FUNCTIONS[name](Interval(-1.0, 4.0)) == EVERYTHING


@pytest.mark.parametrize("act", [operator.add, operator.sub, operator.mul], ids=lambda act: act.__name__)
def test_arithmetic(act: Callable[..., Interval]) -> None:
    rng = random.Random(1)
    for _ in range(100):
        first, second = rng.choices(INTERVALS, k=2)
        ends = [act(x, y) for x in (first.low, first.high) for y in (second.low, second.high)]
        assert act(first, second) == Interval(min(ends), max(ends))
        number = rng.choice(PLACES)
        assert act(first, number) == act(first, Interval(number, number))
        assert act(number, first) == act(Interval(number, number), first)
        assert -first == Interval(-first.high, -first.low)


def test_division() -> None:
    whole = Interval(1.0, 2.0)
    assert whole / Interval(2.0, 4.0) == Interval(0.25, 1.0)
    assert whole / Interval(-4.0, -2.0) == Interval(-1.0, -0.25)
    assert 6.0 / Interval(2.0, 3.0) == Interval(2.0, 3.0)
    assert whole / 2.0 == Interval(0.5, 1.0)
    # zero within or at an end: nothing is known
    for divisor in (Interval(-1.0, 1.0), Interval(0.0, 1.0), Interval(-1.0, 0.0), Interval(0.0, 0.0)):
        assert whole / divisor == EVERYTHING
