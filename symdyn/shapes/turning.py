"""Inertia of cross-sections, which turn about the beam's axis in torsion.

A point (0, y, z) of a section moves by theta X r0, with the skew matrix X of the axis, and with stiffening by
theta^2 / 2 X X r0 besides: the turn to second order, without which a spinning beam feels the wrong sign of what its
sections' spin does to torsion (the propeller moment). Sections do not turn in bending: rotary inertia is left out, as
in Euler-Bernoulli's theory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symdyn.description.flexible import Direction, Flexible
from symdyn.shapes.centre_line import Coordinate
from symdyn.shapes.closed_form import exact_integral
from symdyn.shapes.profile import checked_profile, inertia_of, joined_ends
from symdyn.shapes.quadrature import adaptive_quadrature
from symdyn.shapes.shape import FormulaShape, Shape

Array = np.ndarray[Any, Any]
_TURN = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""X: what a unit of torsion makes of a point."""


def hub_second(flexible: Flexible) -> Array:
    """Integral of r0 r0^T dm of the hub, (3, 3) [kg m^2], about the root section, with which it turns."""
    moments = np.array(flexible.hub_inertia)
    return np.diag(moments.sum() / 2 - moments)


def section_second(flexible: Flexible) -> Array:
    """Integral of the sections' own r0 r0^T dm, (3, 3) [kg m^2]."""
    moments = [inertia_of(profile) for profile in _sections(flexible)]
    return np.diag([0.0, *moments]) if moments else np.zeros((3, 3))


def turning_integrals(
    flexible: Flexible, coordinates: tuple[Coordinate, ...], pairs: tuple[tuple[int, int], ...]
) -> tuple[Array, Array]:
    """Share of sections in the integrals of s r0^T dm, (n, 3, 3), and of s_i s_j^T dm, (n, n, 3, 3), per amplitude."""
    count = len(coordinates) + len(pairs)
    second, products = np.zeros((count, 3, 3)), np.zeros((count, count, 3, 3))
    twisted: dict[int, tuple[int, ...]] = {
        k: (k,) for k, one in enumerate(coordinates) if one.direction is Direction.TORSION
    }
    turns = dict.fromkeys(twisted, _TURN)
    for place, (k, j) in enumerate(pairs, len(coordinates)):
        if k in turns:
            twisted[place] = (k, j)
            turns[place] = (0.5 if k == j else 1.0) * _TURN @ _TURN
    moments = _moments(_sections(flexible), {k: coordinates[k].shape for k in twisted if k < len(coordinates)})
    for i, own in twisted.items():
        second[i] = turns[i] @ np.diag([0.0, *moments(own)])
        for j, other in twisted.items():
            products[i, j] = turns[i] @ np.diag([0.0, *moments(own + other)]) @ turns[j].T
    return second, products


def _moments(densities: tuple[FormulaShape, ...], shapes: Mapping[int, Shape]) -> Callable[[tuple[int, ...]], Array]:
    """Integrals of the sections' two moments times the product of up to four shapes, by the shapes' numbers."""
    known: dict[tuple[int, ...], Array] = {}

    def found(numbers: tuple[int, ...]) -> Array:
        key = tuple(sorted(numbers))
        if key not in known:
            known[key] = np.array([_integral(density, *(shapes[k] for k in key)) for density in densities])
        return known[key]

    return found


def _sections(flexible: Flexible) -> tuple[FormulaShape, ...]:
    if flexible.section_inertia is None:
        return ()
    return tuple(
        checked_profile(profile, flexible.length, f"section_inertia.{axis}")
        for axis, profile in zip("yz", flexible.section_inertia, strict=True)
    )


def _integral(density: FormulaShape, *shapes: Shape) -> float:
    exact = exact_integral(density.ends[-1], (density, 0), *((shape, 0) for shape in shapes))
    if exact is not None:
        return exact
    middle = (len(shapes) + 1) // 2

    def factors(x: Array) -> Array:
        halves = (np.prod([shape(x) for shape in part], axis=0) for part in (shapes[:middle], shapes[middle:]) if part)
        return np.asarray(np.sqrt(density(x)) * np.array([np.ones_like(x), *halves]))

    rows = adaptive_quadrature(joined_ends(density.ends, *(shape.ends for shape in shapes)), factors, "torsion")
    return float(rows.integral(density(rows.nodes) * np.prod([shape(rows.nodes) for shape in shapes], axis=0)))
