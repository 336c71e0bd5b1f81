"""Rods whose sections deform: how far their matter moves, and volumes of chambers, which pass ray by ray."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mpmath import mp

from symdyn.description.actuation import Chamber
from symdyn.description.soft import SectionShape
from symdyn.verify.base.matrices import Real, Vector, cross
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.rod_section import value_at
from symdyn.verify.oracle.rod_shapes import around, change_of_radius
from symdyn.verify.oracle.rod_thinning import stretch_columns

Strained = Callable[[Place, Chamber, Sequence[Real]], Iterator[tuple[Real, Real, Vector]]]


def bulging_volume(place: Place, chamber: Chamber, q: Sequence[Real], strained: Strained) -> Real:
    """The integral over sections of how fast their points move along the axis."""
    soft = place.soft
    assert soft is not None
    amplitudes = place.coordinates(q)[soft.strain_coordinates :]
    first, last = (mp.mpf(angle) for angle in chamber.angles)
    total = mp.mpf(0)
    for x, weight, strain in strained(place, chamber, q):
        outer, inner = (value_at(text, x) for text in chamber.radii(soft.section.radius))
        radius = value_at(soft.section.radius, x)

        def passed(phi: Real) -> Vector:
            changes = (change_of_radius(own, x, phi) for own in soft.section_shapes)  # noqa: B023
            ratio = 1 + mp.fdot(amplitudes, list(changes)) / radius  # noqa: B023
            lever = cross(strain[:3], [mp.mpf(0), mp.cos(phi), mp.sin(phi)])[0]  # noqa: B023
            near, far = inner * ratio, outer * ratio  # noqa: B023
            return [strain[3] * (far**2 - near**2) / 2 + lever * (far**3 - near**3) / 3]  # noqa: B023

        total += weight * around(soft, passed, (first, last))[0]
    return total


def thins(place: Place) -> bool:
    """Whether a rod's sections get thinner as it stretches."""
    return place.soft is not None and place.soft.volume_preserving


def widening(place: Place, q: Sequence[Real], x: Real, at: Sequence[Real] = ()) -> Real:
    """How much farther from the axis than at rest the matter of a section at x [m] is, in the direction of ``at``."""
    soft = place.soft
    assert soft is not None
    own = place.coordinates(q)
    if thins(place):
        return 1 / mp.sqrt(1 + mp.fdot(stretch_columns(soft, x), own))
    if not soft.section_shapes:
        return mp.mpf(1)
    changes = [_change(shape, x, mp.atan2(at[1], at[0])) for shape in soft.section_shapes]
    return 1 + mp.fdot(own[soft.strain_coordinates :], changes) / value_at(soft.section.radius, x)


def _change(shape: SectionShape, x: Real, phi: Real) -> Real:
    """Of the radius, where bumps that end flat have no value too."""
    try:
        return change_of_radius(shape, x, phi)
    except ZeroDivisionError:
        return mp.mpf(0)
