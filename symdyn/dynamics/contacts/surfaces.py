"""How far a place is from a surface, and which way leads out of its matter: a closed form per kind.

With the place c seen from the surface, in any axes,

    plane      d = n . (c - b),                       n the plane's normal
    sphere     d = |c - b| - R,                       n = (c - b) / |c - b|
    cylinder   d = |w| - R, w = c - b across the axis,       n = w / |w|
    capsule    as a sphere about the closest point of the axis, between its ends
    box        d = |c - c'| with c' = c cut to the edges, n = (c - c') / d;  within, minus the least depth of a face

and inside of a hollow one d and n with the other sign. Where no direction is defined, as in a centre, n is along z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, dot, scale, subtract, times, transpose

_Z = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Surface:
    """A surface as a kernel sees it: its points, axis or axes, half edges and radius, all in the same axes."""

    kind: str
    inside: bool
    points: Sequence[Vector]
    radius: Scalar = 0.0
    axis: Vector = _Z
    axes: Matrix = ()
    half: Vector = ()


@dataclass(frozen=True, slots=True)
class Away:
    """How far a place is from a surface [m], below 0 in its matter, and the unit vector out of it."""

    distance: Scalar
    normal: Vector


def away_from(surface: Surface, algebra: Algebra, place: Vector) -> Away:
    """A place against a surface."""
    away = subtract(place, surface.points[0])
    match surface.kind:
        case "plane":
            return Away(dot(surface.axis, away), surface.axis)
        case "box":
            return _from_box(surface, algebra, away)
        case "cylinder":
            away = subtract(away, scale(dot(surface.axis, away), surface.axis))
        case "capsule":
            along = subtract(surface.points[1], surface.points[0])
            away = subtract(away, scale(within(algebra, dot(along, away) / dot(along, along)), along))
    return _round(surface, algebra, away)


def _round(surface: Surface, algebra: Algebra, away: Vector) -> Away:
    squared = dot(away, away)
    known = algebra.compare("less", 0.0, squared)
    length = algebra.function("sqrt", algebra.select(known, squared, 1.0))
    outward = scale(1.0 / length, away)
    normal = [algebra.select(known, x, z) for x, z in zip(outward, _Z, strict=True)]
    distance = algebra.select(known, length, 0.0)
    if surface.inside:
        return Away(surface.radius - distance, [-x for x in normal])
    return Away(distance - surface.radius, normal)


def _from_box(surface: Surface, algebra: Algebra, away: Vector) -> Away:
    local = times(transpose(surface.axes), away)
    cut = [
        algebra.function("max", algebra.function("min", x, half), -1.0 * half)
        for x, half in zip(local, surface.half, strict=True)
    ]
    rest = subtract(local, cut)
    squared = dot(rest, rest)
    outside = algebra.compare("less", 0.0, squared)
    length = algebra.function("sqrt", algebra.select(outside, squared, 1.0))
    depths = [half - algebra.function("abs", x) for x, half in zip(local, surface.half, strict=True)]
    least = algebra.function("min", depths[0], algebra.function("min", depths[1], depths[2]))
    first = algebra.compare("less_equal", depths[0], least)
    second = algebra.compare("less_equal", depths[1], least)
    signs = [algebra.select(algebra.compare("less", x, 0.0), -1.0, 1.0) for x in local]
    face = [
        algebra.select(first, signs[0], 0.0),
        algebra.select(first, 0.0, algebra.select(second, signs[1], 0.0)),
        algebra.select(first, 0.0, algebra.select(second, 0.0, signs[2])),
    ]
    out = scale(1.0 / length, rest)
    normal = [algebra.select(outside, x, y) for x, y in zip(out, face, strict=True)]
    distance = algebra.select(outside, length, -1.0 * least)
    return Away(distance, times(surface.axes, normal))


def within(algebra: Algebra, part: Scalar) -> Scalar:
    """A part of a way, cut to 0 .. 1."""
    return algebra.function("max", algebra.function("min", part, 1.0), 0.0)


def closest_part(surface: Surface, algebra: Algebra, start: Vector, along: Vector) -> Scalar:
    """Where on a way from ``start`` along ``along``, as a part of it, the round surface is closest (Ericson 2005)."""
    away = subtract(start, surface.points[0])
    if surface.kind == "sphere":
        return within(algebra, -1.0 * dot(along, away) / dot(along, along))
    if surface.kind == "cylinder":
        across = subtract(along, scale(dot(surface.axis, along), surface.axis))
        squared = dot(across, across)
        turned = algebra.compare("less", _PARALLEL * dot(along, along), squared)
        part = -1.0 * dot(across, away) / algebra.select(turned, squared, 1.0)
        return within(algebra, algebra.select(turned, part, 0.5))
    other = subtract(surface.points[1], surface.points[0])
    a, e, f = dot(along, along), dot(other, other), dot(other, away)
    c, b = dot(along, away), dot(along, other)
    squared = a * e - b * b
    turned = algebra.compare("less", _PARALLEL * (a * e), squared)
    part = within(algebra, algebra.select(turned, (b * f - c * e) / algebra.select(turned, squared, 1.0), 0.5))
    on_other = (b * part + f) / e
    low, high = algebra.compare("less", on_other, 0.0), algebra.compare("less", 1.0, on_other)
    at_end = algebra.select(low, -1.0 * c / a, algebra.select(high, (b - c) / a, part))
    return within(algebra, at_end)


_PARALLEL = 1e-14
"""Square of the sine below which two axes count as parallel: the middle of the way is taken."""


def tangents(algebra: Algebra, normal: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors t1, t2 with t1 x t2 = n, along x and y where n is z (Duff et al. 2017).

    They jump where z is -1/2 and not where it is 0, because normals of walls and of what rolls on a floor are there.
    """
    x, y, z = normal
    sign = algebra.select(algebra.compare("less", z, -0.5), -1.0, 1.0)
    factor = -1.0 / (sign + z)
    mixed = x * y * factor
    first = [1.0 + sign * x * x * factor, sign * mixed, -1.0 * sign * x]
    return first, [mixed, sign + y * y * factor, -1.0 * y]


def rim_point(algebra: Algebra, index: int, ends: Sequence[Vector], radius: Scalar, normal: Vector) -> Vector:
    """A point on a cylinder's rim: ``index`` 0 to 2 on its first end, 3 to 5 on its second.

    The first of three is that which is farthest against ``normal``; the others are a third of a turn to either side.
    """
    along = subtract(ends[1], ends[0])
    axis = scale(1.0 / algebra.function("sqrt", dot(along, along)), along)
    across = subtract(scale(dot(axis, normal), axis), normal)
    squared = dot(across, across)
    tilted = algebra.compare("less", _UPRIGHT, squared)
    down = scale(1.0 / algebra.function("sqrt", algebra.select(tilted, squared, 1.0)), across)
    usual, _ = tangents(algebra, axis)
    down = [algebra.select(tilted, x, y) for x, y in zip(down, usual, strict=True)]
    side = cross(axis, down)
    cosine, sine = ((1.0, 0.0), (-0.5, _ROOT), (-0.5, -_ROOT))[index % 3]
    aside = add(scale(cosine * radius, down), scale(sine * radius, side))
    return add(ends[index // 3], aside)


_UPRIGHT = 1e-20
"""Square of the tilt below which no point of a rim is the lowest: its points keep to the axes of the cylinder."""
_ROOT = 0.75**0.5
