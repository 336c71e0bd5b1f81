"""Gauss-Legendre rules with more digits than a double has, so that symmetric tables come out symmetric."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import mpmath
from numpy.polynomial import legendre

RULE_DIGITS = 40


@lru_cache(maxsize=64)
def gauss_rule(count: int) -> tuple[tuple[Any, Any], ...]:
    """Places in (0, 1), ascending, and their weights, whose sum is 1; mpmath numbers of RULE_DIGITS digits."""
    with mpmath.workdps(RULE_DIGITS + 10):
        near: list[tuple[Any, Any]] = []
        for start in legendre.leggauss(count)[0].tolist()[: (count + 1) // 2]:
            t = mpmath.mpf(start) if 2 * len(near) + 1 != count else mpmath.mpf(0)
            for _ in range(2):  # each doubles the digits
                value, slope = _legendre(count, t)
                t -= value / slope
            _, slope = _legendre(count, t)
            near.append((t, 1 / ((1 - t * t) * slope**2)))
        far = [(-t, weight) for t, weight in reversed(near[: count // 2])]
        return tuple(((1 + t) / 2, weight) for t, weight in (*near, *far))


def _legendre(degree: int, t: Any) -> tuple[Any, Any]:
    """P_n(t) and its derivative inside (-1, 1)."""
    before, value = mpmath.mpf(1), t
    for k in range(1, degree):
        before, value = value, ((2 * k + 1) * t * value - k * before) / (k + 1)
    return value, degree * (before - t * value) / (1 - t * t)
