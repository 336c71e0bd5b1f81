"""Gauss and Legendre's quadrature with fifty digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from mpmath import mp

from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import Real

COUNTS = (6, 9, 14, 20, 28, 40, 56, 80, 112)
"""Nodes of rules that are tried one after the other: each is exact for polynomials of twice that degree, less one."""
SETTLED = mp.mpf(10) ** -20
"""Two rules that differ by less than this, relative to the sizes of what is summed, are both taken for exact.

It is no more than doubles can tell: differences between poses of the same points do not magnify it.
"""
_GUARD = 10

Rule = list[tuple[Real, Real]]
"""Nodes with their weights."""


@cache
def _unit_rule(count: int, digits: int) -> Rule:
    """On [-1, 1]: the zeros x of Legendre's polynomial P, each with 2 / ((1 - x^2) P'(x)^2)."""
    found = []
    with mp.workdps(digits + _GUARD):
        for index in range(count):
            x = mp.cos(mp.pi * (4 * index + 3) / (4 * count + 2))
            change = mp.mpf(1)
            while abs(change) > mp.mpf(10) ** -(digits // 2 + _GUARD):  # Newton's steps double the digits
                value, slope = _legendre(count, x)
                change = value / slope
                x -= change
            slope = _legendre(count, x)[1]
            found.append((x, 2 / ((1 - x * x) * slope * slope)))
    return found[::-1]


def _legendre(degree: int, x: Real) -> tuple[Real, Real]:
    """P(x) and P'(x) by Bonnet's recursion."""
    before, value = mp.mpf(1), x
    for n in range(1, degree):
        before, value = value, ((2 * n + 1) * x * value - n * before) / (n + 1)
    return value, degree * (x * value - before) / (x * x - 1)


def rule(start: Real, end: Real, count: int) -> Rule:
    """Nodes in ascending order, and weights, of a rule on an interval."""
    half, middle = (end - start) / 2, (start + end) / 2
    return [(middle + half * x, half * weight) for x, weight in _unit_rule(count, mp.dps)]


def settled_rule(
    start: Real, end: Real, integrands: Callable[[Real], Sequence[Real]], what: str, settled: Real = SETTLED
) -> Rule:
    """The smallest rule that integrates several functions over an interval to more digits than are ever looked at.

    Parameters
    ----------
    start, end
        The interval.
    integrands
        The functions' values at a point.
    what
        What is integrated, for the error.
    settled
        How close two rules must come.

    Raises
    ------
    VerificationError
        Functions that no rule integrates: they have a kink or a singularity.
    """
    smaller: tuple[Rule, list[Real]] | None = None
    for count in COUNTS:
        trial = rule(start, end, count)
        rows = [[weight * value for value in integrands(x)] for x, weight in trial]
        sums = [mp.fsum(column) for column in zip(*rows, strict=True)]
        sizes = [mp.fsum(column, absolute=True) for column in zip(*rows, strict=True)]
        if smaller is not None and all(
            abs(new - old) <= settled * size for new, old, size in zip(sums, smaller[1], sizes, strict=True)
        ):
            return smaller[0]
        smaller = trial, sums
    raise VerificationError(
        f"{what}: not smooth enough between x = {mp.nstr(start, 6)} m and {mp.nstr(end, 6)} m to be integrated to "
        f"{int(-mp.log10(settled) + 0.5)} digits; divide the beam or rod where a quantity or a shape kinks"
    )
