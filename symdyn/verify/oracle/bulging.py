"""Volumes of chambers in rods whose sections deform: what moves past each section, ray by ray."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mpmath import mp

from symdyn.description.actuation import Chamber
from symdyn.verify.base.matrices import Real, Vector, cross
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.rod_section import value_at
from symdyn.verify.oracle.rod_shapes import around, change_of_radius

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
