"""Chambers in rods whose sections deform: their volume as a polynomial of the rod's coordinates.

A point at (rho, phi) of the section moves to rho (1 + beta), beta = sum b_i e_i / R, so that area and first moments are

    A = integral (1 + beta)^2 (rho_1^2 - rho_0^2)/2 dphi,    m = integral (1 + beta)^3 (rho_1^3 - rho_0^3)/3 n dphi

with n = (cos phi, sin phi): polynomials of e of degree 2 and 3. As sections stay plane, the volume is
V = sum w (xi_x A + xi_ang,y m_z - xi_ang,z m_y), exactly, and linear in the strains.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise
from math import comb, factorial
from typing import Any

import numpy as np

from symdyn.description.actuation import Chamber
from symdyn.description.soft import SectionShape, Soft
from symdyn.errors import DescriptionError
from symdyn.shapes.formula import evaluate, read_formula
from symdyn.shapes.gauss_rule import gauss_rule
from symdyn.shapes.section_shapes import DENSITIES, SETTLED, arc_rules, rates_of_radius
from symdyn.shapes.strain_basis import reference_strain, strain_field

Polynomial = dict[tuple[int, ...], Any]
"""Coefficients by the coordinates that are multiplied, in ascending order, each as often as it counts."""
_NOTHING = 1e-14


def chamber_polynomial(soft: Soft, chamber: Chamber) -> dict[tuple[int, ...], float]:
    """The volume [m^3] of a chamber in a rod whose stations are known.

    Raises
    ------
    DescriptionError
        Shapes that vary too sharply.
    """
    x, along = _places(soft, chamber)
    for density in DENSITIES:
        parts, coarse = (_around(soft, chamber, x, density, step) for step in (1, 2))
        if _close(parts, coarse):
            break
    else:
        raise DescriptionError("integrals around the section do not settle; write smoother section_shapes")
    field, at_rest = strain_field(soft), reference_strain(soft)
    felt = {0: parts[0], 4: parts[2], 5: {key: -value for key, value in parts[1].items()}}
    found: Polynomial = {}
    sizes: Polynomial = {}

    def gather(strain: Any, row: int, coordinate: tuple[int, ...]) -> None:
        for key, value in felt.get(row, {}).items():
            terms, place = along * strain * value, (*coordinate, *key)
            found[place] = found.get(place, 0.0) + float(np.sum(terms))
            sizes[place] = sizes.get(place, 0.0) + float(np.sum(np.abs(terms)))

    for row, value in enumerate(at_rest(x)):
        gather(value, row, ())
    for coordinate, (rows, values) in enumerate(zip(field.moved, field(x), strict=True)):
        for row, value in zip(rows, values, strict=True):
            gather(value, row, (coordinate,))
    return {key: value for key, value in found.items() if abs(value) > _NOTHING * sizes[key]}


def _places(soft: Soft, chamber: Chamber) -> tuple[Any, Any]:
    """Places and weights [m] along the chamber."""
    assert soft.stations is not None
    marks = [chamber.start, *(mark for mark in soft.pieces if chamber.start < mark < chamber.end), chamber.end]
    rule = np.array([[float(entry) for entry in node] for node in gauss_rule(soft.stations)])
    ends = list(pairwise(marks))
    x = np.concatenate([start + (end - start) * rule[:, 0] for start, end in ends])
    return x, np.concatenate([(end - start) * rule[:, 1] for start, end in ends])


def _around(soft: Soft, chamber: Chamber, x: Any, density: int, step: int) -> tuple[Polynomial, ...]:
    """Area and first moments in y and in z at places x."""
    outer, inner = (evaluate(read_formula(text), x) for text in chamber.radii(soft.section.radius))
    radius = evaluate(read_formula(soft.section.radius), x)[:, None]
    layers = [(outer**power - inner**power) / power for power in (2, 3)]
    hollow, first = len(soft.section_shapes), soft.strain_coordinates
    found: tuple[Polynomial, ...] = ({}, {}, {})
    for arc, phi, weights in arc_rules((*soft.section_shapes, SectionShape("0", *chamber.angles)), density, step):
        active = {first + number: rates_of_radius(soft.section_shapes[number], x, phi + turn) / radius
                  for number, turn in arc.shapes if number != hollow}  # fmt: skip
        if hollow not in [number for number, _ in arc.shapes]:
            continue
        for own, layer, power, way in zip(
            found,
            (layers[0], layers[1], layers[1]),
            (2, 3, 3),
            (np.ones_like(phi), np.cos(phi), np.sin(phi)),
            strict=True,
        ):
            for degree in range(power + 1):
                for key in combinations_with_replacement(active, degree):
                    value: Any = np.ones((len(x), len(phi)))
                    for coordinate in key:
                        value = value * active[coordinate]
                    often = comb(power, degree) * factorial(degree)
                    for coordinate in set(key):
                        often //= factorial(key.count(coordinate))
                    own[key] = own.get(key, 0.0) + often * layer * (value @ (weights * way))
    return found


def _close(fine: tuple[Polynomial, ...], coarse: tuple[Polynomial, ...]) -> bool:
    for one, other in zip(fine, coarse, strict=True):
        size = max(float(np.max(np.abs(value))) for value in fine[0].values())
        if any(np.max(np.abs(value - other[key])) > SETTLED * size for key, value in one.items()):
            return False
    return True
