"""Strain energy of a rod whose sections deform, by Green's and Lagrange's strain at points of its matter.

The place of a point in its section's frame is differentiated by numbers, and so is the energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from mpmath import mp

from symdyn.description.soft import Soft
from symdyn.verify.base.dense import Rows
from symdyn.verify.base.matrices import Real, Vector, add, cross, dot, scale
from symdyn.verify.base.quadrature import rule
from symdyn.verify.oracle.rod_section import value_at
from symdyn.verify.oracle.rod_shapes import change_of_radius
from symdyn.verify.oracle.rod_strains import strain_columns

_DIGITS = 50
_STEP = mp.mpf(10) ** -13
_RAYS, _TURN, _LEAST = 3, 16, 4


@dataclass(frozen=True, slots=True)
class StrainPoint:
    """A point of the matter: the volume it stands for, its place, and how coordinates move it and its slopes.

    ``strains`` are the six of each strain coordinate, ``shapes`` per shape the displacement and its three slopes.
    """

    volume: Real
    place: Vector
    strains: list[Vector]
    shapes: list[list[Vector]]


@cache
def strain_points(soft: Soft) -> tuple[StrainPoint, ...]:
    """Those of a rod: stations along it, three per ray, and so many around."""
    found = []
    assert soft.stations is not None
    with mp.workdps(_DIGITS):
        turn = 2 * mp.pi
        kinks = sorted({mp.mpf(end) % turn for own in soft.section_shapes for end in (own.start, own.end)})
        for start, end in pairwise([mp.mpf(0), *(mp.mpf(piece) for piece in soft.pieces)]):
            for x, along in rule(start, end, soft.stations):
                outer = value_at(soft.section.radius, x)
                inner = value_at(soft.section.inner_radius, x) if soft.section.inner_radius else mp.mpf(0)
                strains = strain_columns(soft, x)
                for first, last in pairwise([*kinks, kinks[0] + turn]):
                    count = max(_LEAST, int(mp.ceil(_TURN * (last - first) / turn - mp.mpf(10) ** -9)))
                    for phi, width in rule(first, last, count):
                        for rho, layer in rule(inner, outer, _RAYS):
                            place = [mp.mpf(0), rho * mp.cos(phi), rho * mp.sin(phi)]
                            shapes = _moves(soft, x, phi, place)
                            found.append(StrainPoint(along * width * layer * rho, place, strains, shapes))
    return tuple(found)


def _moves(soft: Soft, x: Real, phi: Real, place: Vector) -> list[list[Vector]]:
    """Per shape the displacement of a point and its slopes by x, y and z."""
    found = []
    for shape in soft.section_shapes:

        def moved(x: Real, y: Real, z: Real) -> Vector:
            around = phi + mp.atan2(z * mp.cos(phi) - y * mp.sin(phi), y * mp.cos(phi) + z * mp.sin(phi))
            ratio = change_of_radius(shape, x, around) / value_at(soft.section.radius, x)  # noqa: B023
            return [mp.mpf(0), y * ratio, z * ratio]

        at = [x, *place[1:]]
        slopes = []
        for axis in range(3):
            ahead, behind = ([own + side * _STEP * (k == axis) for k, own in enumerate(at)] for side in (1, -1))
            pairs = zip(moved(*ahead), moved(*behind), strict=True)
            slopes.append([(more - less) / (2 * _STEP) for more, less in pairs])
        found.append([moved(*at), *slopes])
    return found


def section_energy(soft: Soft, q: Sequence[Real]) -> Real:
    """Per unit of Young's modulus."""
    ratio, own = mp.mpf(soft.material.poisson_ratio), soft.strain_coordinates
    mu, lam = 1 / (2 * (1 + ratio)), ratio / ((1 + ratio) * (1 - 2 * ratio))
    total = mp.mpf(0)
    for point in strain_points(soft):
        strain, place = [mp.mpf(0)] * 3 + [mp.mpf(1)] + [mp.mpf(0)] * 2, point.place
        for amplitude, column in zip(q, point.strains, strict=False):
            strain = add(strain, scale(amplitude, column))
        F = [[mp.mpf(axis == row) for row in range(3)] for axis in range(3)]
        F[0] = [mp.mpf(0)] * 3
        for amplitude, (move, *slopes) in zip(q[own:], point.shapes, strict=True):
            place = add(place, scale(amplitude, move))
            F = [add(column, scale(amplitude, slope)) for column, slope in zip(F, slopes, strict=True)]
        F[0] = add(F[0], add(strain[3:], cross(strain[:3], place)))
        E = [[(dot(a, b) - (i == j)) / 2 for j, b in enumerate(F)] for i, a in enumerate(F)]
        trace = E[0][0] + E[1][1] + E[2][2]
        total += point.volume * (lam / 2 * trace**2 + mu * mp.fsum(entry**2 for row in E for entry in row))
    return total


def section_forces(soft: Soft, q: Sequence[Real]) -> Vector:
    """Slopes of the energy by the coordinates."""
    found = []
    for row in range(len(q)):
        ahead, behind = ([own + side * _STEP * (k == row) for k, own in enumerate(q)] for side in (1, -1))
        found.append((section_energy(soft, ahead) - section_energy(soft, behind)) / (2 * _STEP))
    return found


@cache
def section_stiffness(soft: Soft) -> Rows:
    """Slopes of these forces at rest."""
    size = soft.coordinates
    with mp.workdps(_DIGITS + 15):
        sides = [
            [section_forces(soft, [side * _STEP * (k == row) for k in range(size)]) for row in range(size)]
            for side in (1, -1)
        ]
    return [
        [(ahead - behind) / (2 * _STEP) for ahead, behind in zip(*rows, strict=True)]
        for rows in zip(*sides, strict=True)
    ]
