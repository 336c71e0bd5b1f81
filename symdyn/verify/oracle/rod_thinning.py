"""Sections of a rod that get thinner as it stretches: every length across is divided by the root of the stretch.

The stretch is that of the rod's axis over that at rest, so that the volume of a slice stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.description.soft import Soft
from symdyn.verify.base.matrices import Real, Vector, scale
from symdyn.verify.oracle.rod_section import section_at
from symdyn.verify.oracle.rod_shapes import ShapePoint
from symdyn.verify.oracle.rod_strains import reference_strain, strain_columns

_AXIAL = 3


def stretch_columns(soft: Soft, x: Real) -> Vector:
    """What each coordinate adds to the stretch at x [m], relative to that at rest."""
    rest = reference_strain(soft, x)[_AXIAL]
    return [column[_AXIAL] / rest for column in strain_columns(soft, x)]


def thin_points(soft: Soft, x: Real) -> tuple[ShapePoint, ...]:
    """Two mass points on either axis of the section, which together weigh as it does."""
    section, columns, nothing = section_at(soft.section, x), tuple(stretch_columns(soft, x)), mp.mpf(0)
    y, z = (mp.sqrt(2 * own / section.area) for own in (section.about_z, section.about_y))
    places = [[nothing, y, nothing], [nothing, -y, nothing], [nothing, nothing, z], [nothing, nothing, -z]]
    return tuple(ShapePoint(mp.mpf(1) / 4, place, (), columns) for place in places)


def root_series(series: Sequence[Real], power: Real) -> list[Real]:
    """The power of a series, by the rule that u' s = power s' u for u = s^power."""
    found = [series[0] ** power]
    for order in range(1, len(series)):
        terms = ((power * k - (order - k)) * series[k] * found[order - k] for k in range(1, order + 1))
        found.append(mp.fsum(terms) / (order * series[0]))
    return found


def thin_arms(point: ShapePoint, d: Sequence[Sequence[Real]]) -> list[Vector]:
    """The series of such a point's place against its station."""
    stretch = [mp.fdot(point.stretches, row) for row in d]
    stretch[0] += 1
    return [scale(factor, point.place) for factor in root_series(stretch, mp.mpf(-1) / 2)]


def thin_slopes(point: ShapePoint, d: Sequence[Real]) -> list[Vector]:
    """What each coordinate does to it."""
    stretch = 1 + mp.fdot(point.stretches, d)
    return [scale(-column / (2 * stretch * mp.sqrt(stretch)), point.place) for column in point.stretches]
