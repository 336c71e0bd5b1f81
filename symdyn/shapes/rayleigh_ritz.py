"""Natural modes of beams of any profile by Rayleigh-Ritz, over piecewise polynomials of rising degree.

Each smooth stretch of the beam is an element: two functions per end (value and slope; for rods that twist or stretch
the value only) and bubbles, the repeated integrals of Legendre polynomials, which vanish at both ends with their
slopes. Curvature may jump where the stiffness does, so convergence is exponential for stepped beams too. Values
approach the frequencies from above and none is missed: the k-th Ritz value bounds the k-th frequency (Meirovitch,
Fundamentals of Vibrations, sec. 8.5).

The eigenproblem is solved as mass against stiffness, so that the lowest modes are the largest eigenvalues, which are
those that doubles resolve best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from symdyn.description.flexible import Basis
from symdyn.errors import DescriptionError

SETTLED = 1e-11
"""Relative change of the frequencies at which the degree is high enough; one more step settles the shapes."""
_BUBBLES = (4, 7, 10, 13, 16)
"""Functions per stretch above the number of modes."""
_FURTHER = 6
_HALVINGS = 4
_EXTRA_NODES = 16
_ROUNDING = 64 * np.finfo(float).eps


@dataclass(frozen=True, slots=True)
class RitzBeam:
    """A beam that deforms in one direction.

    ``order`` is 2 for bending (energy of curvature), 1 for torsion and axial (energy of strain). ``stiffness`` and
    ``inertia`` per length are functions of x, smooth within each of the stretches that ``ends`` close. ``tip`` holds
    the inertias that go with value and slope at the far end, ``hub`` that which goes with the slope at the root;
    ``root_free`` and ``tip_free`` are the derivatives (0: value, 1: slope) that may differ from zero there.
    """

    order: int
    ends: tuple[float, ...]
    stiffness: Callable[[Any], Any]
    inertia: Callable[[Any], Any]
    root_free: tuple[int, ...]
    tip_free: tuple[int, ...]
    tip: tuple[float, float]
    hub: float
    turns: bool
    """The root is free to turn and nothing holds the tip: the rigid rotation is taken out, a joint carries it."""


_ENDS: Mapping[Basis, tuple[tuple[int, ...], tuple[int, ...]]] = {
    Basis.CLAMPED_FREE: ((), (0, 1)),
    Basis.CLAMPED_TIP_MASS: ((), (0, 1)),
    Basis.PINNED_HUB: ((1,), (0, 1)),
    Basis.CLAMPED_CLAMPED: ((), ()),
    Basis.PINNED_PINNED: ((1,), (1,)),
}


def ritz_beam(
    basis: Basis,
    order: int,
    ends: tuple[float, ...],
    stiffness: Callable[[Any], Any],
    inertia: Callable[[Any], Any],
    tip: tuple[float, float],
    hub: float,
) -> RitzBeam:
    """The beam with the ends of a natural basis; ``tip`` and ``hub`` are used where the basis has them."""
    root_free, tip_free = _ENDS[basis]
    return RitzBeam(order, ends, stiffness, inertia, root_free, tip_free, tip, hub, turns=basis is Basis.PINNED_HUB)


@dataclass(frozen=True, slots=True)
class RitzModes:
    """The lowest modes: squared circular frequencies, ``(count,)``, and shapes whose modal mass is one.

    ``series[mode][stretch]`` are Legendre series on the stretches that ``ends`` close.
    """

    ends: tuple[float, ...]
    eigenvalues: tuple[float, ...]
    series: tuple[tuple[tuple[float, ...], ...], ...]


def ritz_modes(beam: RitzBeam, count: int) -> RitzModes:
    """The lowest ``count`` modes.

    Raises
    ------
    DescriptionError
        Frequencies that do not settle to SETTLED: a profile that is far from smooth within a stretch.
    """
    ends, previous = beam.ends, None
    for _ in range(_HALVINGS + 1):
        for bubbles in _BUBBLES:
            eigenvalues, series = _solve(beam, ends, count + bubbles, count)
            if previous is not None:
                # Doubles know the k-th eigenvalue relative to the first one's reciprocal.
                allowed = 2.0 * SETTLED * eigenvalues + _ROUNDING * eigenvalues**2 / eigenvalues[0]
                if np.all(np.abs(eigenvalues - previous) <= allowed):
                    # Errors of shapes are the roots of those of frequencies.
                    eigenvalues, series = _solve(beam, ends, count + bubbles + _FURTHER, count)
                    return RitzModes(ends, tuple(eigenvalues.tolist()), series)
            previous = eigenvalues
        starts = (0.0, *ends[:-1])
        ends = tuple(end for a, b in zip(starts, ends, strict=True) for end in (0.5 * (a + b), b))
    raise DescriptionError(
        f"natural frequencies of the beam do not settle to {SETTLED:g}; its mass or stiffness varies too sharply "
        f"within a stretch: write it as steps, or give the shapes yourself"
    )


def _element(order: int, bubbles: int) -> np.ndarray[Any, Any]:
    """Legendre series on [-1, 1], one row per function: values and slopes at -1 and 1, then bubbles."""
    size = bubbles + 2 * order
    if order == 1:
        nodal = [np.array([0.5, -0.5]), np.array([0.5, 0.5])]
    else:
        cubics = ([2, -3, 0, 1], [1, -1, -1, 1], [2, 3, 0, -1], [-1, -1, 1, 1])
        nodal = [legendre.poly2leg(np.array(cubic) / 4.0) for cubic in cubics]
    rows = np.zeros((size, size))
    for number, series in enumerate(nodal):
        rows[number, : len(series)] = series
    for number in range(bubbles):
        k = number + order  # the derivative of highest order is the normalised P_k
        bubble = np.zeros(k + 1)
        bubble[k] = np.sqrt(k + 0.5)
        for _ in range(order):
            bubble = _integral(bubble)
        rows[2 * order + number, : len(bubble)] = bubble
    return rows


def _integral(series: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Integral of P_k = (P_(k+1) - P_(k-1)) / (2 k + 1), of terms with k >= 1 only: it vanishes at both ends."""
    result = np.zeros(len(series) + 1)
    for k in np.flatnonzero(series):
        result[k + 1] += series[k] / (2 * k + 1)
        result[k - 1] -= series[k] / (2 * k + 1)
    return result


def _solve(
    beam: RitzBeam, ends: tuple[float, ...], bubbles: int, count: int
) -> tuple[np.ndarray[Any, Any], tuple[tuple[tuple[float, ...], ...], ...]]:
    order, stretches = beam.order, len(ends)
    bounds = np.array((0.0, *ends))
    rows = _element(order, bubbles)
    nodal = order * (stretches + 1)
    size = nodal + bubbles * stretches
    nodes, weights = legendre.leggauss(rows.shape[1] + _EXTRA_NODES)
    values = legendre.legvander(nodes, rows.shape[1] - 1) @ rows.T
    strains = legendre.legvander(nodes, rows.shape[1] - 1 - order) @ legendre.legder(rows, order, axis=1).T
    mass, stiffness = np.zeros((size, size)), np.zeros((size, size))
    places = []
    for stretch in range(stretches):
        half = 0.5 * (bounds[stretch + 1] - bounds[stretch])
        stations = bounds[stretch] + half * (nodes + 1.0)
        first = nodal + bubbles * stretch
        place = np.r_[order * stretch : order * (stretch + 2), first : first + bubbles]
        # Slopes are per unit of x, the element's are per unit of its own coordinate.
        scale = np.ones(len(place))
        if order == 2:
            scale[[1, 3]] = half
        places.append((place, scale))
        local = values * scale
        bent = strains * scale / half**order
        mass[np.ix_(place, place)] += local.T @ ((weights * half * beam.inertia(stations))[:, None] * local)
        stiffness[np.ix_(place, place)] += bent.T @ ((weights * half * beam.stiffness(stations))[:, None] * bent)
    tip = nodal - order
    for derivative in range(order):
        mass[tip + derivative, tip + derivative] += beam.tip[derivative]
    if order == 2:
        mass[1, 1] += beam.hub
    held = [derivative for derivative in range(order) if derivative not in beam.root_free]
    held += [tip + derivative for derivative in range(order) if derivative not in beam.tip_free]
    free = np.array([number for number in range(size) if number not in held])
    basis = np.eye(size)[:, free]
    if beam.turns:
        basis = _without_rotation(mass, bounds, size, free)
    coefficients, eigenvalues = _eigenvectors(basis.T @ stiffness @ basis, basis.T @ mass @ basis, count)
    shapes = basis @ coefficients
    return eigenvalues, tuple(
        tuple(tuple(((shapes[place, mode] * scale) @ rows).tolist()) for place, scale in places)
        for mode in range(count)
    )


def _without_rotation(
    mass: np.ndarray[Any, Any], bounds: np.ndarray[Any, Any], size: int, free: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Functions that are clamped at the root, each less its share of the rigid rotation w = x."""
    rotation = np.zeros(size)
    rotation[0 : 2 * len(bounds) : 2] = bounds
    rotation[1 : 2 * len(bounds) : 2] = 1.0
    clamped = np.eye(size)[:, free[free != 1]]
    share = (mass @ rotation) @ clamped / (rotation @ mass @ rotation)
    return clamped - np.outer(rotation, share)


def _eigenvectors(
    stiffness: np.ndarray[Any, Any], mass: np.ndarray[Any, Any], count: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Shapes of unit modal mass, one column per mode, and squared frequencies, ascending."""
    scale = 1.0 / np.sqrt(np.diag(stiffness))
    factor = np.linalg.cholesky(stiffness * np.outer(scale, scale))
    inverse = np.linalg.solve(factor, np.diag(scale))
    compliance, vectors = np.linalg.eigh(inverse @ mass @ inverse.T)
    lowest = np.argsort(compliance)[::-1][:count]
    shapes = inverse.T @ vectors[:, lowest] / np.sqrt(compliance[lowest])
    # One step of first-order correction makes the shapes orthogonal to rounding, in mass and in stiffness.
    moved, strained = shapes.T @ mass @ shapes, shapes.T @ stiffness @ shapes
    squares = np.diag(strained) / np.diag(moved)
    gaps = squares[None, :] - squares[:, None] + np.eye(count)
    correction = (strained - moved * squares[None, :]) / gaps
    correction[np.diag_indices(count)] = 0.5 * (1.0 - np.diag(moved))
    shapes = shapes + shapes @ correction
    return shapes, np.einsum("ik,ij,jk->k", shapes, stiffness, shapes)
