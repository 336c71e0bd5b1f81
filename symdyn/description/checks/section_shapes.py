"""Whether what changes the radius of a rod's sections can be computed with."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from symdyn.description.checks.inertia import LARGEST
from symdyn.description.quantities.map_expression import MapExpression, evaluated, parse_map_expression
from symdyn.description.soft import MOST_SECTION_SHAPES, MOST_SHEAR, SECTION_LAWS, TURN, SectionShape, Soft, Strain
from symdyn.description.text.position import shown
from symdyn.description.text.validation import Path
from symdyn.errors import DescriptionError

PLACES = ("x", "phi")
"""Free names of such an expression."""
_ROUNDING = 1e-9
_POINTS = 12
_FARTHEST = 1e3


def section_shape_faults(rod: Soft) -> Iterator[tuple[Path, str]]:
    """What is wrong with the shapes of a rod whose section is sound."""
    law, shapes = rod.section_law, rod.section_shapes
    if rod.volume_preserving:
        yield from _thinning_faults(rod)
    if law not in SECTION_LAWS:
        yield ("section_law",), f" is {shown(law)}; expected one of {', '.join(SECTION_LAWS)}"
    elif law != SECTION_LAWS[0] and not shapes:
        yield ("section_law",), f" is {law}, and no section deforms; give section_shapes, or delete it"
    elif law != SECTION_LAWS[0]:
        if rod.material.poisson_ratio >= MOST_SHEAR:
            yield (
                ("material", "poisson_ratio"),
                f" is {MOST_SHEAR:g}, with which the energy of section_law {law} is infinite; give less, such as 0.49",
            )
        if rod.reference:
            yield ("reference",), f": section_law {law} takes a straight rod at rest; delete it, or choose winkler"
    if not shapes:
        return
    if rod.section.shape not in ("circle", "ring"):
        yield (
            ("section_shapes",),
            f" change a radius, which a section of shape {rod.section.shape} has not; use circle or ring",
        )
        return
    if len(shapes) > MOST_SECTION_SHAPES:
        yield ("section_shapes",), f" has {len(shapes)} entries; at most {MOST_SECTION_SHAPES} are read"
        return
    for number, own in enumerate(shapes):
        for keys, words in _faults(own, rod):
            yield ("section_shapes", number, *keys), words


def _thinning_faults(rod: Soft) -> Iterator[tuple[Path, str]]:
    """What is wrong with sections that get thinner as the rod stretches."""
    key = ("volume_preserving",)
    if rod.section_shapes:
        yield key, " makes the radius follow the stretch, and section_shapes give it coordinates; keep one of them"
    moved = {own.strain for own in rod.strains} | {strain for own in rod.coupled for strain, _ in own.functions}
    if Strain.STRETCH not in moved:
        yield key, ": no coordinate stretches the rod, so that sections stay; give strain a stretch, or delete it"


def _faults(own: SectionShape, rod: Soft) -> Iterator[tuple[Path, str]]:
    if not (abs(own.start) <= _FARTHEST and abs(own.end) <= _FARTHEST and own.start < own.end):
        yield ("on",), f" goes from {own.start:g} to {own.end:g} rad; expected two angles, the second one larger"
        return
    if own.end - own.start > TURN * (1.0 + _ROUNDING):
        yield ("on",), f" spans {own.end - own.start:g} rad; a section has 2*pi, and angles are in rad"
        return
    try:
        names = MapExpression(own.radius).names
    except DescriptionError as failure:
        yield ("radius",), f" is no expression in x and phi: {failure}"
        return
    for name in names:
        if name not in PLACES:
            yield ("radius",), f" holds the name {shown(name)}, which has no value; x and phi have"
            return
    nodes = (np.polynomial.legendre.leggauss(_POINTS)[0] + 1.0) / 2.0
    largest, tree = 0.0, parse_map_expression(own.radius)
    for x in (rod.length * nodes).tolist():
        for phi in (own.start + (own.end - own.start) * nodes).tolist():
            try:
                largest = max(largest, abs(evaluated(tree, {"x": x, "phi": phi}, own.radius)))
            except DescriptionError:
                yield ("radius",), f" has no finite value at x = {x:.6g} m, phi = {phi:.6g} rad"
                return
    if largest == 0.0 or not math.isfinite(largest):
        yield ("radius",), " is zero everywhere; delete it"
    elif largest > LARGEST:
        yield ("radius",), f" is {largest:g} m in magnitude, beyond {LARGEST:g}"
