"""Sections that get thinner as their rod stretches, so that its volume stays: what follows from the stretch.

With s = xi_x / xi*_x, the length of the rod over that at rest, sections are smaller by 1 / sqrt(s) in all directions:
the volume of a slice, xi_x A, is that at rest. A point at (y, z) of the section at rest stands at (y, z) / sqrt(s).
"""

from __future__ import annotations

import math
from typing import Any

from symdyn.description.soft import Soft, Strain
from symdyn.shapes.strain_basis import STRAIN_ROWS, reference_strain, strain_field

_AXIAL = STRAIN_ROWS[Strain.STRETCH]
_CORNERS = ((1.0, 0.0), (-0.5, math.sqrt(0.75)), (-0.5, -math.sqrt(0.75)))


def relative_stretch(soft: Soft, x: Any) -> list[Any]:
    """What each coordinate adds to s at x [m], an mpmath number or a NumPy array; s is 1 where they are 0."""
    field, rest = strain_field(soft), reference_strain(soft)(x)[_AXIAL]
    return [
        own[rows.index(_AXIAL)] / rest if _AXIAL in rows else 0 * x
        for rows, own in zip(field.moved, field(x), strict=True)
    ]


def thin_points(along_y: float, along_z: float) -> list[tuple[float, float]]:
    """Places of three points of equal mass, whose mean squares of y and z [m^2] are these and whose mean is 0."""
    y, z = math.sqrt(2.0 * along_y), math.sqrt(2.0 * along_z)
    return [(y * first, z * second) for first, second in _CORNERS]
