"""From what a user said of a beam to the integrals that dynamics needs.

Cross-sections turn about the beam's axis in torsion. A point (0, y, z) of a section moves by theta X r0, with the skew
matrix X of the axis, and with stiffening by theta^2 / 2 X X r0 besides: the turn to second order, without which a
spinning beam feels the wrong sign of what its sections' spin does to torsion (the propeller moment). Sections do not
turn in bending: rotary inertia is left out, as in Euler-Bernoulli's theory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from symdyn.description.flexible import Direction, Flexible
from symdyn.errors import DescriptionError
from symdyn.shapes.centre_line import CentreLine, Coordinate
from symdyn.shapes.closed_form import exact_integral
from symdyn.shapes.elasticity import damping_matrix
from symdyn.shapes.integrals import BeamIntegrals, Matrix, Square, Vector
from symdyn.shapes.modes import beam_modes
from symdyn.shapes.profile import checked_profile, inertia_of, joined_ends
from symdyn.shapes.quadrature import adaptive_quadrature
from symdyn.shapes.shape import FormulaShape, Shape, value_at

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


Array = np.ndarray[Any, Any]
_CURVING = (Direction.BEND_Y, Direction.BEND_Z, Direction.TORSION)
"""Directions of which points move to second order too, where stiffening is asked for."""
_AXIS = {
    Direction.BEND_Y: (0.0, 1.0, 0.0),
    Direction.BEND_Z: (0.0, 0.0, 1.0),
    Direction.TORSION: (0.0, 0.0, 0.0),
    Direction.AXIAL: (1.0, 0.0, 0.0),
}
_ALONG = np.array((1.0, 0.0, 0.0))
_ZERO = 1e-13
"""Relative to the factors' norms: what rounding leaves of an integral that vanishes."""


@lru_cache(maxsize=256)
def beam_integrals(flexible: Flexible) -> BeamIntegrals:
    """All that dynamics needs to know of a beam.

    Parameters
    ----------
    flexible
        The beam, as described; lengths in m, masses in kg.

    Returns
    -------
    BeamIntegrals
        In the beam's own axes about its root section, amplitudes of bending and axial in m, of torsion in rad, scaled
        as :class:`symdyn.shapes.modes.ModeShapes` says. Integrals of natural modes of uniform beams and of polynomials
        are closed forms, those of other shapes and of foreshortening adaptive Gauss quadrature; both are right to some
        1e-14 of the factors' norms, and what is below 1e-13 of them is zero.

    Raises
    ------
    DescriptionError
        Whatever :func:`symdyn.shapes.modes.beam_modes` refuses, stiffening of axial shapes alone, a direction given
        twice.

    Notes
    -----
    Tip mass and tip inertia shape the modes of ``clamped-tip-mass`` and are in none of the integrals. The hub of
    ``pinned-hub`` turns with the root section, which stands still in the beam's axes: it is in ``second`` alone.
    """
    directions = beam_modes(flexible)
    coordinates = tuple(Coordinate(modes, number) for modes in directions for number in range(len(modes.shapes)))
    pairs = _pairs(flexible, coordinates)
    density = checked_profile(flexible.mass_per_length, flexible.length, "mass_per_length")
    line = CentreLine(flexible.length, density, coordinates, pairs)
    axes = np.array([_AXIS[coordinate.direction] for coordinate in coordinates] + [_ALONG for _ in pairs])
    m = len(coordinates)

    mass, first, second = line.moments
    whole = second * np.outer(_ALONG, _ALONG) + hub_second(flexible) + section_second(flexible)
    shape_first = line.first[:, None] * axes
    shape_second = np.einsum("i,ia,b->iab", line.second, axes, _ALONG)
    products = np.einsum("ij,ia,jb->ijab", line.products, axes, axes)
    turned_second, turned_products = turning_integrals(flexible, coordinates, pairs)
    shape_second += turned_second
    products += turned_products

    norms = np.sqrt(np.einsum("iiaa->i", products))
    tip_norms = norms / np.sqrt(mass)
    slopes = np.array([_tip_slope(coordinate) for coordinate in coordinates])
    stiffness, damping = np.zeros((m, m)), np.zeros((m, m))
    start = 0
    for modes, shapes in zip(flexible.modes, directions, strict=True):
        here = slice(start, start := start + len(shapes.shapes))
        stiffness[here, here] = shapes.stiffness
        damping[here, here] = damping_matrix(modes, np.array(shapes.inertia), np.array(shapes.stiffness))
    return BeamIntegrals(
        names=tuple(f"{one.direction.value}[{one.number}]" for one in coordinates),
        units=tuple("rad" if one.direction is Direction.TORSION else "m" for one in coordinates),
        pairs=pairs,
        mass=mass,
        first=(first, 0.0, 0.0),
        second=_matrix(whole),
        shape_first=tuple(_vector(row) for row in _cleared(shape_first, (norms * np.sqrt(mass))[:, None])),
        shape_second=tuple(
            _matrix(row) for row in _cleared(shape_second, (norms * np.sqrt(np.trace(whole)))[:, None, None])
        ),
        shape_products=tuple(
            tuple(_matrix(entry) for entry in row)
            for row in _cleared(products, np.outer(norms, norms)[:, :, None, None])
        ),
        tip=(flexible.length, 0.0, 0.0),
        tip_shapes=tuple(_vector(row) for row in _cleared(line.tip_displacements[:, None] * axes, tip_norms[:, None])),
        tip_slopes=tuple(_vector(row) for row in _cleared(slopes, (tip_norms[:m] / flexible.length)[:, None])),
        stiffness=_square(stiffness),
        damping=_square(damping),
        frequencies=tuple(frequency for modes in directions for frequency in modes.frequencies),
    )


def _pairs(flexible: Flexible, coordinates: tuple[Coordinate, ...]) -> tuple[tuple[int, int], ...]:
    found = [coordinate.direction for coordinate in coordinates]
    if len({modes.direction for modes in flexible.modes}) != len(flexible.modes) or not found:
        raise DescriptionError("expected the shapes of at least one direction, each direction once")
    if not flexible.stiffening:
        return ()
    if not any(direction in _CURVING for direction in found):
        raise DescriptionError(
            "stiffening: it is what turns of the sections do to second order, expected shapes of bend_y, bend_z or "
            "torsion, got " + ", ".join(modes.direction.value for modes in flexible.modes)
        )
    return tuple(
        (k, j) for k in range(len(found)) for j in range(k, len(found)) if found[k] is found[j] and found[k] in _CURVING
    )


def _tip_slope(coordinate: Coordinate) -> Array:
    """Rotation vector of the far section per unit of the coordinate: (theta_x, -u_z', u_y')."""
    end, shape = coordinate.modes.length, coordinate.shape
    match coordinate.direction:
        case Direction.TORSION:
            return np.array([value_at(shape, end), 0.0, 0.0])
        case Direction.BEND_Y:
            return np.array([0.0, 0.0, value_at(shape, end, 1)])
        case Direction.BEND_Z:
            return np.array([0.0, -value_at(shape, end, 1), 0.0])
        case Direction.AXIAL:
            return np.zeros(3)


def _cleared(values: Array, norms: Array) -> Array:
    """Exact zeros where rounding is all that is left: zeros are free in generated code."""
    return np.where(np.abs(values) <= _ZERO * norms, 0.0, values)


def _vector(row: Array) -> Vector:
    x, y, z = row.tolist()
    return x, y, z


def _matrix(rows: Array) -> Matrix:
    x, y, z = (_vector(row) for row in rows)
    return x, y, z


def _square(rows: Array) -> Square:
    return tuple(tuple(row) for row in rows.tolist())
