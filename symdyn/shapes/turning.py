"""Inertia of what turns with the beam: its cross-sections in torsion, a hub at a pinned root.

Their points move by s = R r0 times an angle, with the constant skew matrix R of the axis. Sections do not turn in
bending: rotary inertia is left out, as in Euler-Bernoulli's theory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symdyn.description.flexible import Basis, Direction, Flexible
from symdyn.shapes.centre_line import Coordinate
from symdyn.shapes.closed_form import exact_integral
from symdyn.shapes.profile import checked_profile, inertia_of, joined_ends
from symdyn.shapes.quadrature import adaptive_quadrature
from symdyn.shapes.shape import FormulaShape, Shape, value_at

Array = np.ndarray[Any, Any]
# What a unit of torsion, or of the slope of bending, makes of a point: s = TURN r0.
TURN = {
    Direction.TORSION: np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    Direction.BEND_Y: np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
    Direction.BEND_Z: np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),
}
_DEFLECTION = {Direction.BEND_Y: 1, Direction.BEND_Z: 2}


def hub_second(flexible: Flexible) -> Array:
    """Integral of r0 r0^T dm of the hub, (3, 3) [kg m^2], about the root section.

    A disc in the plane of bending, with half of the inertia along x and half along the deflection. A hub of both
    planes has the same inertia about y and z.
    """
    result = np.zeros((3, 3))
    for modes in flexible.modes:
        if modes.basis is Basis.PINNED_HUB and modes.direction in _DEFLECTION:
            axis = _DEFLECTION[modes.direction]
            result[0, 0] = result[axis, axis] = 0.5 * flexible.hub_inertia
    return result


def section_second(flexible: Flexible) -> Array:
    """Integral of the sections' own r0 r0^T dm, (3, 3) [kg m^2]."""
    moments = [inertia_of(profile) for profile in _sections(flexible)]
    return np.diag([0.0, *moments]) if moments else np.zeros((3, 3))


def turning_integrals(flexible: Flexible, coordinates: tuple[Coordinate, ...]) -> tuple[Array, Array]:
    """Share of sections and hub in the integrals of s r0^T dm, (m, 3, 3), and of s_i s_j^T dm, (m, m, 3, 3)."""
    count = len(coordinates)
    second, products = np.zeros((count, 3, 3)), np.zeros((count, count, 3, 3))
    hub, sections = hub_second(flexible), _sections(flexible)
    turned = {
        k: value_at(coordinate.shape, 0.0, 1) * TURN[coordinate.direction]
        for k, coordinate in enumerate(coordinates)
        if coordinate.modes.basis is Basis.PINNED_HUB
    }
    for i, one in turned.items():
        second[i] += one @ hub
        for j, two in turned.items():
            products[i, j] += one @ hub @ two.T
    twisted = [k for k, coordinate in enumerate(coordinates) if coordinate.direction is Direction.TORSION]
    turn = TURN[Direction.TORSION]
    for i in twisted:
        moments = [_integral(density, coordinates[i].shape) for density in sections]
        second[i] += turn @ np.diag([0.0, *moments])
        for j in twisted:
            moments = [_integral(density, coordinates[i].shape, coordinates[j].shape) for density in sections]
            products[i, j] += turn @ np.diag([0.0, *moments]) @ turn.T
    return second, products


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
    ends = joined_ends(density.ends, *(shape.ends for shape in shapes))
    rows = adaptive_quadrature(
        ends, lambda x: np.sqrt(density(x)) * np.array([np.ones_like(x), *(shape(x) for shape in shapes)]), "torsion"
    )
    values = density(rows.nodes)
    for shape in shapes:
        values = values * shape(rows.nodes)
    return float(rows.integral(values))
