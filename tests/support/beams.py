"""Beams for tests of shapes, and integrals over them that share nothing with symdyn's quadrature."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import mpmath

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile


def profile(value: float | str, length: float) -> Profile:
    """A quantity that one formula gives all along the beam."""
    return Profile((length,), (value if isinstance(value, str) else repr(value),))


def bending(
    basis: Basis,
    count: int,
    length: float = 1.0,
    mass: float | str | Profile = 1.0,
    stiffness: float | str | Profile = 1.0,
    direction: Direction = Direction.BEND_Y,
    **said: Any,
) -> Flexible:
    """A beam that deforms in one direction."""
    own = {name: said.pop(name) for name in tuple(said) if name in Modes.__dataclass_fields__}
    stiff = stiffness if isinstance(stiffness, Profile) else profile(stiffness, length)
    heavy = mass if isinstance(mass, Profile) else profile(mass, length)
    return Flexible(length, heavy, (Modes(direction, basis, count, stiff, **own),), **said)


@lru_cache(maxsize=8)
def gauss_rule(count: int, digits: int) -> tuple[tuple[Any, Any], ...]:
    """Nodes and weights of Gauss-Legendre quadrature on [-1, 1], by Newton's method on the recurrence."""
    with mpmath.workdps(digits + 10):
        rule = []
        for k in range(count):
            u = mpmath.cos(mpmath.pi * (k + mpmath.mpf(3) / 4) / (count + mpmath.mpf(1) / 2))
            for _ in range(50):
                before, here = mpmath.mpf(1), u
                for n in range(2, count + 1):
                    before, here = here, ((2 * n - 1) * u * here - (n - 1) * before) / n
                slope = count * (u * here - before) / (u * u - 1)
                step = here / slope
                u -= step
                if abs(step) < mpmath.mpf(10) ** -(digits + 5):
                    break
            rule.append((u, 2 / ((1 - u * u) * slope**2)))
        return tuple(rule)


def integrate(function: Callable[[Any], Any], *bounds: Any, count: int = 40, digits: int = 25) -> Any:
    """Integral over the stretches between ascending bounds, for a function that is smooth within each."""
    with mpmath.workdps(digits):
        total = mpmath.mpf(0)
        for a, b in pairwise(bounds):
            half, middle = (mpmath.mpf(b) - mpmath.mpf(a)) / 2, (mpmath.mpf(b) + mpmath.mpf(a)) / 2
            total += half * mpmath.fsum(weight * function(middle + half * u) for u, weight in gauss_rule(count, digits))
        return total
