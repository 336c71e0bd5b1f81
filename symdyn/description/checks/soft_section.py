"""Whether a rod's cross-section and its matter are possible."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from symdyn.description.checks.along import expression_fault
from symdyn.description.checks.inertia import LARGEST, SMALLEST_MASS
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.soft import LEAST_SHEAR, MOST_SHEAR, SECTION_KEYS, Material, Section, Soft
from symdyn.description.text.position import shown
from symdyn.description.text.validation import Path

_POINTS = 32
_SAMPLES = 16


def material_faults(material: Material) -> Iterator[tuple[Path, str]]:
    """What is wrong with the matter."""
    for key, what in (("youngs_modulus", "a rod resists"), ("density", "a rod has mass")):
        value = getattr(material, key)
        if isinstance(value, float | int) and not 0.0 < value <= LARGEST:
            yield ("material", key), f" is {value:g}; {what}, so that it is above 0, and at most {LARGEST:g}"
    ratio = material.poisson_ratio
    if not LEAST_SHEAR < ratio <= MOST_SHEAR:
        yield (
            ("material", "poisson_ratio"),
            f" is {ratio:g}; expected more than {LEAST_SHEAR:g} and at most {MOST_SHEAR:g} (constant volume)",
        )
    for key, unit in (("viscosity", "Pa s"), ("retardation_time", "s")):
        value = getattr(material, key)
        if isinstance(value, float | int) and not 0.0 <= value <= LARGEST:
            wrong = "which would add energy" if value < 0.0 else f"and at most {LARGEST:g} is read"
            yield ("material", key), f" is {value:g} {unit}, {wrong}; it is at least 0"
    if material.viscosity != 0.0 and material.retardation_time != 0.0:
        yield ("material",), ": viscosity and retardation_time both give the losses; keep one"


def section_faults(rod: Soft) -> Iterator[tuple[Path, str]]:
    """What is wrong with the cross-section along a rod whose length and density are sound."""
    section = rod.section
    if section.shape not in SECTION_KEYS:
        yield ("section", "shape"), f" is {shown(section.shape)}; expected one of {', '.join(SECTION_KEYS)}"
        return
    for key in (key for keys in SECTION_KEYS.values() for key in keys if key not in SECTION_KEYS[section.shape]):
        if getattr(section, key):
            yield ("section", key), f" means nothing for shape {section.shape}; delete it, or choose another shape"
    for key in SECTION_KEYS[section.shape]:
        wrong = expression_fault(getattr(section, key), 0.0, rod.length, positive=True, largest=LARGEST)
        if wrong is not None:
            solid = "; a ring without a hole is a circle" if key == "inner_radius" else ""
            yield ("section", key), f" {wrong}; it is positive and finite all along the rod{solid}"
            return
    if section.shape == "ring":
        outer, inner = BeamExpression(section.radius), BeamExpression(section.inner_radius)
        if (wrong := outer.fault_above(inner, 0.0, rod.length)) is not None:
            yield (
                ("section", "inner_radius"),
                f": radius - inner_radius {wrong}; the wall is thicker than 0 all along the rod",
            )
            return
    for factor in section.shear_factors:
        if not 0.0 < factor <= LARGEST:
            yield ("section", "shear_factors"), f" holds {factor:g}; they are above 0, and 1 without a correction"
    if not isinstance(rod.material.density, float | int):
        return
    mass = rod.material.density * _volume(rod)
    if not SMALLEST_MASS <= mass <= LARGEST:
        yield (
            (),
            f": the rod's mass is {mass:g} kg; from {SMALLEST_MASS:g} to {LARGEST:g} kg is read; check the units of "
            "section and density",
        )


def section_doubts(rod: Soft) -> Iterator[str]:
    """What is odd about the cross-section, and survivable."""
    section = rod.section
    places = [rod.length * k / _SAMPLES for k in range(_SAMPLES + 1)]
    values = {key: BeamExpression(getattr(section, key)) for key in SECTION_KEYS[section.shape]}
    if section.shape == "numbers":
        x, y, z = (values[f"second_moment_{axis}"] for axis in "xyz")
        for place in places:
            if x.at(place) > (y.at(place) + z.at(place)) * (1.0 + 1e-9):
                yield (
                    f"second_moment_x at x = {place:.6g} exceeds those about y and z together, the polar moment; no "
                    "section resists torsion by more"
                )
                break
    else:
        factor = 1.0 if section.shape == "rectangle" else 2.0
        thickness = factor * max(value.at(place) for value in values.values() for place in places)
        if thickness > rod.length:
            yield (
                f"the rod is {thickness:.3g} m thick and {rod.length:.3g} m long; sections of a body that is no longer "
                "than thick do not stay plane, as a rod's do"
            )
    if max(section.shear_factors) > 1.0:
        yield "a shear factor above 1 makes the section stiffer in shear than its area; 5/6 is a rectangle's"


def _volume(rod: Soft) -> float:
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    half = rod.length / 2
    areas = [_area(rod.section, half * (1.0 + point)) for point in points.tolist()]
    return half * math.fsum(w * area for w, area in zip(weights.tolist(), areas, strict=True))


def _area(section: Section, x: float) -> float:
    values = [BeamExpression(getattr(section, key)).at(x) for key in SECTION_KEYS[section.shape]]
    match section.shape:
        case "circle":
            return math.pi * values[0] ** 2
        case "ring":
            return math.pi * (values[0] - values[1]) * (values[0] + values[1])
        case "rectangle":
            return values[0] * values[1]
    return values[0]
