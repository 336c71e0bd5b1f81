"""Radii of sections that change: the stiffness against that, the mean around a section, and usual sizes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from symdyn.description.soft import TURN, Soft
from symdyn.errors import DescriptionError
from symdyn.shapes.section_shapes import (
    DENSITIES,
    INSIDE,
    SETTLED,
    arc_rules,
    around_section,
    radius_rate,
    rates_of_radius,
    unit_rule,
)

_SAMPLES, _USUAL = 33, 0.1


def mean_rates(soft: Soft, x: float) -> list[float]:
    """How much each shape changes the mean radius of the section at x [m]."""
    _, second = around_section(soft, np.array([x]))
    return [float(second[0, 0, own, 0, 0] + second[0, 1, own, 1, 0]) / TURN for own in range(1, len(second))]


def radial_gram(soft: Soft) -> Any:
    """The integrals of b_i b_j over angle and length, (shapes, shapes) [m^3].

    Raises
    ------
    DescriptionError
        Shapes that vary too sharply.
    """
    for density in DENSITIES:
        fine, coarse = _gram(soft, density, 1), _gram(soft, density, 2)
        size = np.sqrt(np.outer(np.diag(fine), np.diag(fine)))
        if np.all(np.isfinite(fine)) and np.all(np.abs(fine - coarse) <= SETTLED * size):
            return fine
    raise DescriptionError(
        "section_shapes: integrals over angle and length do not settle; write smoother expressions, or end their "
        "ranges where they kink"
    )


def _gram(soft: Soft, density: int, step: int) -> Any:
    places, shares = (own[::step] for own in unit_rule(density))
    bounds = list(pairwise((0.0, *soft.pieces)))
    inside = INSIDE * soft.length
    x = np.clip(np.concatenate([s + (e - s) * places for s, e in bounds]), inside, soft.length - inside)
    along = np.concatenate([step * (end - start) * shares for start, end in bounds])
    shapes, total = soft.section_shapes, np.zeros((len(soft.section_shapes),) * 2)
    for arc, phi, weights in arc_rules(shapes, density, step):
        values = {k: rates_of_radius(shapes[k], x, phi + turn) for k, turn in arc.shapes}
        for i, own in values.items():
            for j, other in values.items():
                total[i, j] += along @ (own * other) @ weights
    return total


def section_reach(soft: Soft) -> list[float]:
    """How far coordinates usually go: together they change the radius by a tenth at most."""
    if not soft.section_shapes:
        return []
    x = (np.arange(_SAMPLES) + 0.5) / _SAMPLES * soft.length
    radii = np.array([soft.section.outer_radius(place) for place in x.tolist()])[:, None]
    found = []
    for shape in soft.section_shapes:
        phi = shape.start + (np.arange(_SAMPLES) + 0.5) / _SAMPLES * (shape.end - shape.start)
        largest = float(np.max(np.abs(radius_rate(shape, x[:, None], phi[None, :]) / radii)))
        found.append(_USUAL / largest)
    return found
