"""Shapes through sampled tables: cubic splines with continuous curvature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import legendre

from symdyn.errors import DescriptionError
from symdyn.shapes.legendre_shape import LegendreShape

Array = np.ndarray[Any, Any]
_SAME = 1e-9


def spline_shape(
    stations: tuple[float, ...], samples: tuple[float, ...], length: float, order: int, name: str
) -> LegendreShape:
    """The cubic spline through ``samples`` at ``stations`` [m], from the root to the tip.

    For bending (``order`` 2) the slope at the root is zero, the clamp. The remaining ends are "not a knot": the third
    derivative goes on through the last inner station, so that no moment is invented at the tip. Two or three stations
    give the polynomial of lowest degree.

    Raises
    ------
    DescriptionError
        Stations that do not ascend from 0 to ``length``, samples that are not finite or not as many, or (bending) that
        leave the root with a slope.
    """
    x, y = np.array(stations, dtype=float), np.array(samples, dtype=float)
    if len(x) < 2 or len(x) != len(y) or not np.all(np.isfinite(x)) or not np.all(np.isfinite(y)):
        raise DescriptionError(
            f"{name}: expected at least two stations, one finite sample each, got {len(x)} and {len(y)}"
        )
    if not np.all(np.diff(x) > 0.0) or abs(x[0]) > _SAME * length or abs(x[-1] - length) > _SAME * length:
        raise DescriptionError(
            f"{name}: expected stations that ascend from 0 to the length {length:g} m, got {x[0]:g} to {x[-1]:g} m"
        )
    if order == 2 and len(x) >= 4:
        _refuse_slope(x, y, name)
    slopes = _slopes(x, y, clamped=order == 2)
    widths = np.diff(x)
    series = []
    for k, h in enumerate(widths):
        # Hermite cubic on [-1, 1]; slopes there are per half width.
        a, b, c, d = y[k], y[k + 1], 0.5 * h * slopes[k], 0.5 * h * slopes[k + 1]
        cubic = np.array([2 * (a + b) + c - d, 3 * (b - a) - c - d, d - c, a - b + c + d]) / 4.0
        series.append(tuple(legendre.poly2leg(cubic).tolist()))
    padded = tuple(piece + (0.0,) * (4 - len(piece)) for piece in series)
    return LegendreShape((*x[1:-1].tolist(), length), padded)


def _slopes(x: Array, y: Array, clamped: bool) -> Array:
    """Slopes at the stations that make the curvature continuous: a system of one row per station."""
    size, widths = len(x), np.diff(x)
    chords = np.diff(y) / widths
    if size == 2:
        return np.array([0.0, 2.0 * chords[0]]) if clamped else np.full(2, chords[0])
    if size == 3 and not clamped:
        bend = (chords[1] - chords[0]) / (x[2] - x[0])
        return np.asarray(chords[0] + bend * (2.0 * x - x[0] - x[1]))
    matrix, right = np.zeros((size, size)), np.zeros(size)
    for k in range(1, size - 1):
        before, after = widths[k - 1], widths[k]
        matrix[k, k - 1 : k + 2] = after, 2.0 * (before + after), before
        right[k] = 3.0 * (after * chords[k - 1] + before * chords[k])
    if clamped:
        matrix[0, 0] = 1.0
    else:
        matrix[0, :2], right[0] = _not_a_knot(widths[:2], chords[:2])
    matrix[-1, [-1, -2]], right[-1] = _not_a_knot(widths[:-3:-1], chords[:-3:-1])
    return np.asarray(np.linalg.solve(matrix, right))


def _not_a_knot(widths: Array, chords: Array) -> tuple[tuple[float, float], float]:
    """The row for an end: factors of the slopes at the end and at its neighbour, and the right-hand side."""
    near, next_one = widths
    both = near + next_one
    right = ((near + 2.0 * both) * next_one * chords[0] + near**2 * chords[1]) / both
    return (float(next_one), float(both)), float(right)


def _refuse_slope(x: Array, y: Array, name: str) -> None:
    free = _slopes(x, y, clamped=False)[0]
    chord = (y[1] - y[0]) / (x[1] - x[0])
    # Splines of coarse tables leave the root with some slope of their own.
    if abs(free) > 0.5 * abs(chord) and abs(free) > 0.25 * np.abs(y).max() / x[-1]:
        raise DescriptionError(
            f"{name}: the beam is clamped at its root, expected samples that leave it with slope 0, got a slope of "
            f"about {free:.6g} at x = 0; give shapes that start with x^2"
        )
