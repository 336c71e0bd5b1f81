"""Rows c = G x + b with impulses x in sets: the law as a natural map, its slopes, and Gauss-Seidel sweeps.

The C of ``templates/c/contact_rows.c.jinja`` does the same, in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.interface.contact_solving import SetKind

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowsProblem:
    """Rows (m,) of sets one after another; ``bounds`` (k,) are friction of cones and half widths of intervals.

    ``scales`` (k,) are 1 / max G_ii of each set; 0 where nothing moves, whose impulses are 0. ``matrix`` (m, m) is G
    with a proximal term on its diagonal, as :meth:`set_compliance` left it.
    """

    kinds: tuple[SetKind, ...]
    bounds: Array
    diagonal: Array
    scales: Array
    free: Array
    matrix: Array
    starts: tuple[int, ...]

    @classmethod
    def of(cls, delassus: Array, free: Array, kinds: Sequence[SetKind], bounds: Array, singular: float) -> RowsProblem:
        """The problem of a Delassus matrix, which is copied."""
        diagonal = np.diag(delassus).copy()
        starts = np.cumsum([0, *(kind.width for kind in kinds)])
        parts = [diagonal[start : start + kind.width].max() for start, kind in zip(starts, kinds, strict=False)]
        scales = np.array([1.0 / part if part > singular else 0.0 for part in parts])
        return cls(tuple(kinds), bounds, diagonal, scales, free, np.array(delassus), tuple(map(int, starts)))

    @property
    def sets(self) -> list[tuple[slice, SetKind, float, float]]:
        """Rows, kind, bound and scale of each set."""
        rows = [slice(start, start + kind.width) for start, kind in zip(self.starts, self.kinds, strict=False)]
        return list(zip(rows, self.kinds, self.bounds, self.scales, strict=True))

    @property
    def weights(self) -> Array:
        """1 / scale of each row; 1 where nothing moves."""
        result = np.empty(len(self.free))
        for rows, _, _, r in self.sets:
            result[rows] = 1.0 / r if r > 0.0 else 1.0
        return result

    def set_compliance(self, part: float) -> None:
        """The proximal term on the diagonal, as a part of the power of two at or below 1 / scale."""
        for rows, _, _, r in self.sets:
            near = part * power_below(1.0 / r) if r > 0.0 else 0.0
            for row in range(rows.start, rows.stop):
                self.matrix[row, row] = self.diagonal[row] + near if r > 0.0 else 1.0

    def velocities(self, x: Array) -> Array:
        """G x + b."""
        return self.matrix @ x + self.free


def power_below(x: float) -> float:
    """The power of two at or below a number above 0: as a weight it has no slopes."""
    return math.ldexp(0.5, math.frexp(x)[1])


def into_sets(problem: RowsProblem, x: Array) -> Array:
    """Impulses back into their sets: normals first, so that they stay as they are."""
    out = x.copy()
    for rows, kind, bound, r in problem.sets:
        z = out[rows]
        if r <= 0.0:
            z[:] = 0.0
        elif kind is SetKind.CONE:
            z[2] = max(z[2], 0.0)
            z[:2] *= _into_disk(z[:2], bound * z[2])
        elif kind is SetKind.NOT_NEGATIVE:
            z[0] = max(z[0], 0.0)
        elif kind is SetKind.INTERVAL:
            z[0] = min(max(z[0], -bound), bound)
    return out


def natural_map(problem: RowsProblem, x: Array, c: Array) -> Array:
    """F = x - P(x - r c), which is 0 at solutions; of a cone, P is on the disk that the normal impulse allows."""
    return x - into_sets(problem, x - c / problem.weights)


def largest_residual(problem: RowsProblem, x: Array) -> float:
    """Of an iterate, the largest |F| [N s]."""
    return float(np.abs(natural_map(problem, x, problem.velocities(x))).max(initial=0.0))


def newton_matrix(problem: RowsProblem, x: Array, c: Array, all_stick: bool = False) -> Array:
    """An element of the natural map's generalised Jacobian.

    Rows of 1 at a bound, r G where a row sticks, and between them the slopes of a projection on a disk that grows with
    the normal impulse: dx_t - mu e dz_n - (mu z_n / |z_t|) (1 - e e^T) dz_t with z = x - r c. If ``all_stick``, disks
    have no bounds.
    """
    size = len(x)
    out = np.eye(size)
    for rows, kind, bound, r in problem.sets:
        z = x[rows] - r * c[rows]
        if r <= 0.0 or not _is_active(kind, bound, z[-1]):
            continue
        out[rows] = r * problem.matrix[rows]
        if kind is not SetKind.CONE or all_stick:
            continue
        radius, length = bound * z[2], float(np.hypot(z[0], z[1]))
        if length > radius:
            e = z[:2] / length
            across, grow = radius / length * (np.eye(2) - np.outer(e, e)), bound * e
            tangents = slice(rows.start, rows.start + 2)
            out[tangents] = across @ out[tangents] + np.outer(grow, out[rows.start + 2])
            out[tangents, tangents] += np.eye(2) - across
            out[tangents, rows.start + 2] -= grow
    return out


def stick_system(problem: RowsProblem, x: Array, c: Array) -> tuple[Array, Array]:
    """Matrix and right-hand side of Newton's step to where all contacts stick that are not open."""
    f = natural_map(problem, x, c)
    for rows, kind, _, r in problem.sets:
        if kind is SetKind.CONE and r > 0.0 and x[rows][2] - r * c[rows][2] > 0.0:
            f[rows] = r * c[rows]
    return newton_matrix(problem, x, c, all_stick=True), f


def sweep(problem: RowsProblem, x: Array) -> None:
    """Gauss-Seidel, in place: one set after another; of a cone the normal first, then the disk that it allows."""
    matrix, free = problem.matrix, problem.free
    for rows, kind, bound, r in problem.sets:
        if r <= 0.0:
            x[rows] = 0.0
            continue
        last = rows.stop - 1
        following = x[last] - (free[last] + matrix[last] @ x) / matrix[last, last]
        if kind is SetKind.INTERVAL:
            following = min(max(following, -bound), bound)
        elif kind is not SetKind.FREE:
            following = max(following, 0.0)
        x[last] = following
        if kind is SetKind.CONE:
            tangents = slice(rows.start, rows.start + 2)
            a, d, o = matrix[rows.start, rows.start], matrix[last - 1, last - 1], matrix[rows.start, last - 1]
            weight = 1.0 / (0.5 * (a + d) + float(np.sqrt((0.5 * (a - d)) ** 2 + o * o)))
            z = x[tangents] - weight * (free[tangents] + matrix[tangents] @ x)
            x[tangents] = _into_disk(z, bound * following) * z


def states_and_margin(problem: RowsProblem, x: Array) -> tuple[NDArray[np.int32], float]:
    """State (k,) of each set, and the least slack to another state as an impulse [N s].

    0 is an open contact or limit, 1 one that sticks or bears, 2 one that slides or an interval at its bound.
    """
    c, margin = problem.velocities(x), np.inf
    states = np.ones(len(problem.kinds), np.int32)
    for k, (rows, kind, bound, r) in enumerate(problem.sets):
        z = x[rows] - r * c[rows]
        if kind is SetKind.INTERVAL:
            states[k] = 1 if abs(z[0]) <= bound else 2
            margin = min(margin, abs(bound - abs(z[0])))
        elif kind is not SetKind.FREE:
            states[k] = 1 if z[-1] > 0.0 else 0
            margin = min(margin, abs(z[-1]))
        if kind is SetKind.CONE and states[k]:
            slack = bound * z[2] - float(np.hypot(z[0], z[1]))
            states[k] = 1 if slack >= 0.0 else 2
            margin = min(margin, abs(slack))
    return states, float(margin)


def _is_active(kind: SetKind, bound: float, z: float) -> bool:
    """Whether an impulse may change, at its last row."""
    if kind is SetKind.INTERVAL:
        return abs(z) <= bound
    return kind is SetKind.FREE or z > 0.0


def _into_disk(z: Array, radius: float) -> float:
    """What brings a vector of the plane into a disk, as a factor."""
    length = float(np.hypot(z[0], z[1]))
    return radius / length if length > radius else 1.0
