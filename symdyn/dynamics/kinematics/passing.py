"""Whether a motion goes into contacts and out of them again between two of its points, so that no force was computed.

Gaps are followed along the motion. Where two neighbouring gaps are open, the one between can be closed only if the gap
changes by their sum on the way; rates at both ends tell how far it may change. Such intervals are halved.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Gaps = Callable[[Array], tuple[Array, Array]]
"""Gaps (n, k) of k pairs and their rates at n places along a motion."""

_PARTS = 8
"""Intervals at first: polynomials of solvers, of degree 7 at most, turn no more often."""
_MARGIN = 2.0
"""How much faster than at the ends of an interval a gap may close within."""
_HALVINGS = 12
"""A contact that is passed within 2^-15 of a step is as short as what tolerances leave out."""


def may_pass(gap: Array, rate: Array, span: Array) -> NDArray[np.bool_]:
    """Per interval (n - 1,) whether a pair that is open at both ends may be closed between, from gaps (n, k)."""
    fastest = np.maximum(np.abs(rate[:-1]), np.abs(rate[1:]))
    open_ends = (gap[:-1] > 0.0) & (gap[1:] > 0.0)
    unsure = open_ends & (gap[:-1] + gap[1:] < _MARGIN * fastest * span[:, None])
    result: NDArray[np.bool_] = np.any(unsure, axis=1)
    return result


def passed(gap: Array) -> NDArray[np.bool_]:
    """Which of the gaps (n, k) along a motion belong to contacts that begin on the way and then end, or go out by half.

    A motion that ends on the far side of a post is in it, and is pushed on; its depth has become less.
    """
    closed = gap <= 0.0
    result = np.zeros_like(closed)
    for pair in np.flatnonzero(closed.any(axis=0)):
        edges = np.diff(np.concatenate([[False], closed[:, pair], [False]]).astype(np.int8))
        for first, end in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
            gaps = gap[first:end, pair]
            result[first:end, pair] = first > 0 and (end < len(gap) or gaps[-1] > 0.5 * gaps.min())
    return result


def followed(gaps: Gaps, start: float, end: float) -> tuple[Array, Array]:
    """Places (n,) along a motion and gaps (n, k) there: so many that a contact is passed there, or nowhere."""
    places = np.linspace(start, end, _PARTS + 1)
    gap, rate = gaps(places)
    for _ in range(_HALVINGS):
        unsure = may_pass(gap, rate, np.diff(places))
        if not unsure.any() or passed(gap).any():
            break
        middles = (0.5 * (places[:-1] + places[1:]))[unsure]
        more, faster = gaps(middles)
        order = np.argsort(np.concatenate([places, middles]), kind="stable")
        places = np.concatenate([places, middles])[order]
        gap, rate = np.concatenate([gap, more])[order], np.concatenate([rate, faster])[order]
    return places, gap


def within_passed(places: Array, gap: Array) -> float | None:
    """A place within the first contact that a motion passes, before its deepest one; None where it passes none."""
    inside = passed(gap)
    if not inside.any():
        return None
    first = int(np.argmax(inside.any(axis=1)))
    pair = int(np.argmax(inside[first]))
    length = int(np.argmin(np.append(inside[first:, pair], False)))
    deepest = first + int(np.argmin(gap[first : first + length, pair]))
    (a, b), (above, below) = places[[first - 1, deepest]], gap[[first - 1, deepest], pair]
    begins = a + (b - a) * above / (above - below)  # soon after, as gaps to round things are convex along straight ways
    return float(0.5 * (begins + b))


def first_change(places: Array, gap: Array, ends: bool = True) -> tuple[float, float] | None:
    """The interval in which the first contact begins, or ``ends``; None where none does."""
    closed = gap <= 0.0
    changes = np.any(closed[:-1] != closed[1:] if ends else ~closed[:-1] & closed[1:], axis=1)
    if not changes.any():
        return None
    number = int(np.argmax(changes))
    return float(places[number]), float(places[number + 1])
