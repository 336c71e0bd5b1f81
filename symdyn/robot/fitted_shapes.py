"""Shapes around the vertices of a mesh: the smallest sphere, and some vertices of its convex hull."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symdyn.interface.optional_packages import require

Array = NDArray[np.float64]
Triple = tuple[float, float, float]
_GROWN = 1e-12
"""Part of a radius by which a vertex may be outside of a sphere through others."""


def enclosing_sphere(points: Sequence[Triple]) -> tuple[Triple, float]:
    """Centre and radius of the smallest sphere around points (Welzl 1991; Gaertner 1999: the farthest point first)."""
    cloud = np.unique(np.asarray(points, dtype=float), axis=0)
    support = [int(np.argmax(np.linalg.norm(cloud - cloud[0], axis=1)))]
    while True:
        center, radius, support = _smallest(cloud, support)
        away = np.linalg.norm(cloud - center, axis=1)
        farthest = int(np.argmax(away))
        if away[farthest] <= radius * (1.0 + _GROWN) or farthest in support:
            x, y, z = map(float, center)
            return (x, y, z), float(max(radius, away[farthest]))
        support = [farthest, *support]


def _smallest(cloud: Array, support: list[int]) -> tuple[Array, float, list[int]]:
    """The smallest sphere around up to five points, of which four at most are on it: each subset is tried."""
    best: tuple[Array, float, list[int]] | None = None
    for mask in range(1, 2 ** len(support)):
        chosen = [own for place, own in enumerate(support) if mask >> place & 1]
        if len(chosen) > 4:
            continue
        center, radius = _through(cloud[chosen])
        around = np.linalg.norm(cloud[support] - center, axis=1).max()
        if around <= radius * (1.0 + _GROWN) + 1e-300 and (best is None or radius < best[1]):
            best = center, radius, chosen
    assert best is not None
    return best


def _through(points: Array) -> tuple[Array, float]:
    """The smallest sphere with all of these on it, its centre in their plane or line."""
    arms = points[1:] - points[0]
    if not len(arms):
        return points[0], 0.0
    parts = np.linalg.lstsq(arms @ arms.T, 0.5 * np.sum(arms * arms, axis=1), rcond=None)[0]
    center = points[0] + parts @ arms
    return center, float(np.linalg.norm(points - center, axis=1).max())


def hull_vertices(points: Sequence[Triple], count: int) -> tuple[list[Triple], float]:
    """Up to ``count`` vertices of the convex hull, and how far other vertices are outside of theirs [m].

    Each next vertex is the one that is farthest outside, or farthest from those before, so the loss shrinks at each.

    Raises
    ------
    RequestError
        SciPy is not installed.
    """
    require("a hull of a mesh", "scipy", "sim")
    from scipy.spatial import ConvexHull

    cloud = np.unique(np.asarray(points, dtype=float), axis=0)
    vertices = cloud[ConvexHull(cloud).vertices]
    chosen = [int(np.argmin(vertices[:, 0])), int(np.argmax(vertices[:, 0]))]
    lost = np.inf
    while len(chosen) < min(count, len(vertices)):
        away = _outside(vertices, vertices[chosen])
        chosen.append(int(np.argmax(away)))
        lost = float(_outside(vertices, vertices[chosen]).max())
    kept = vertices[sorted(set(chosen))]
    return [(float(x), float(y), float(z)) for x, y, z in kept], 0.0 if len(kept) == len(vertices) else lost


def _outside(vertices: Array, chosen: Array) -> Array:
    """How far vertices are outside of the hull of some, or from their plane or line where these have no hull."""
    from scipy.spatial import ConvexHull, QhullError

    if len(chosen) > 3:
        try:
            planes = ConvexHull(chosen).equations
            beyond: Array = np.maximum((vertices @ planes[:, :3].T + planes[:, 3]).max(axis=1), 0.0)
            return beyond
        except QhullError:  # flat
            pass
    arms = chosen[1:] - chosen[0]
    rest = vertices - chosen[0]
    basis = np.linalg.svd(arms, full_matrices=False)[2][: np.linalg.matrix_rank(arms)]
    apart: Array = np.linalg.norm(rest - rest @ basis.T @ basis, axis=1)
    return apart
