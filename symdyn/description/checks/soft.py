"""Whether a rod can be as it is described, with its cross-section and its matter, and be computed with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np

from symdyn.description.checks.along import expression_fault
from symdyn.description.checks.inertia import LARGEST, SMALLEST_MASS
from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.checks.section_shapes import section_shape_faults
from symdyn.description.checks.soft_strains import coupled_faults, dependence_faults, strain_faults
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import (
    LEAST_SHEAR,
    MAGNUS_ORDERS,
    MOST_SHEAR,
    MOST_STATIONS,
    MOST_SUBSTEPS,
    SECTION_KEYS,
    Material,
    Section,
    Soft,
    Strain,
)
from symdyn.description.text.position import at, on_line, shown
from symdyn.description.text.validation import Path
from symdyn.errors import DescriptionError

_POINTS = 32
_SAMPLES = 16
_SOFTEST, _LIGHTEST = 100.0, 5.0
"""Young's modulus [Pa] and density [kg/m^3] below which a value has most likely another unit."""


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


def _material_doubts(rod: Soft) -> Iterator[str]:
    """What no material has, because a unit is most likely another one."""
    for key, value, least, unit, meant in (
        ("youngs_modulus", rod.material.youngs_modulus, _SOFTEST, "Pa", "1 MPa is 1e6"),
        ("density", rod.material.density, _LIGHTEST, "kg/m^3", "1 g/cm^3 is 1000"),
    ):
        if isinstance(value, float | int) and value < least:
            yield f"{key} is {value:g} {unit}, less than that of any material of robots; {meant}"


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


Fault = tuple[Path, str]
"""Keys of the YAML format below ``soft``, and what to say after naming the place."""


def check_soft(description: RobotDescription) -> Iterator[str]:
    """Warnings about soft links.

    Raises
    ------
    DescriptionError
        A rod with a fault, or a link that is both flexible and soft.
    """
    known = known_values(description)
    for link in description.links:
        if link.soft is None:
            continue
        place = f"{at(description.source, link.line)}: link {shown(link.name)}"
        if link.flexible is not None:
            raise DescriptionError(f"{place}: flexible and soft both say how it deforms; keep one")
        for keys, words in faults(_at_defaults(link.soft, known, place)):
            raise DescriptionError(f"{place}: {'.'.join(map(str, ('soft', *keys)))}{words}")
        yield from _doubts(link, link.soft)


def _at_defaults(rod: Soft, known: dict[str, float], place: str) -> Soft:
    """The rod with numbers for what of its matter has one before run time."""
    values = {}
    for item in fields(rod.material):
        value = value_of(getattr(rod.material, item.name), known, f"{place}: soft.material.{item.name}")
        if value is not None:
            values[item.name] = value
    return replace(rod, material=replace(rod.material, **values))


def faults(rod: Soft) -> Iterator[Fault]:
    """What is wrong with a rod, the first things first; whatever follows may rest on what came before."""
    if not 0.0 < rod.length <= LARGEST:
        yield ("length",), f" is {rod.length:g}; a rod is longer than 0 m, and at most {LARGEST:g} m"
        return
    for entry in rod.placement.translation:
        if not isinstance(entry, float | int) or not abs(entry) <= LARGEST:
            yield ("start",), f" holds {shown(entry)}; expected numbers [m] up to {LARGEST:g}"
    yield from material_faults(rod.material)
    yield from section_faults(rod)
    yield from strain_faults(rod)
    yield from coupled_faults(rod)
    yield from _reference_faults(rod)
    yield from section_shape_faults(rod)
    yield from _step_faults(rod)
    yield from dependence_faults(rod)


def _reference_faults(rod: Soft) -> Iterator[Fault]:
    strains = [strain for strain, _ in rod.reference]
    if strains != [strain for strain in Strain if strain in strains]:
        yield ("reference",), ": expected each strain once, in the order of Strain"
    for strain, text in rod.reference:
        stretch = strain is Strain.STRETCH
        wrong = expression_fault(text, 0.0, rod.length, positive=stretch, largest=LARGEST)
        if wrong is not None:
            wanted = "the stretch at rest is above 0 (1: not stretched)" if stretch else "it is finite"
            yield ("reference", strain.value), f" {wrong}; {wanted} all along the rod"


def _step_faults(rod: Soft) -> Iterator[Fault]:
    if rod.magnus not in MAGNUS_ORDERS:
        yield ("magnus",), f" is {rod.magnus}; expected 2, 4 or 6"
    if rod.substeps not in range(1, MOST_SUBSTEPS + 1):
        yield ("substeps",), f" is {rod.substeps}; expected a whole number from 1 to {MOST_SUBSTEPS}"
    if not 0.0 < rod.max_turn_per_step <= math.pi:
        turn = rod.max_turn_per_step
        yield ("max_turn_per_step",), f" is {turn:g} rad; expected more than 0 and at most pi"
    if rod.stations is None:
        return
    if rod.stations not in range(1, MOST_STATIONS + 1):
        yield ("stations",), f" is {rod.stations}; expected a whole number from 1 to {MOST_STATIONS}, or nothing"
        return
    pieces, wanted = len(rod.pieces), rod.strain_coordinates
    per = "" if pieces == 1 else f" in each of {pieces} pieces"
    if 6 * rod.stations * pieces <= wanted:
        enough = wanted // (6 * pieces) + 1
        yield (
            ("stations",),
            f" is {rod.stations}{per}: 6 motions each are too few for {wanted} coordinates, so that the mass matrix is "
            f"singular; give at least {enough}, or leave it out",
        )
    places = rod.magnus // 2 * rod.substeps * pieces * (rod.stations + 1)
    for own in rod.strains:
        if own.count > places:
            yield (
                ("stations",),
                f" is {rod.stations}{per}: steps look at strains in {places} places, and {own.strain.value} has "
                f"{own.count} functions, so that the mass matrix is singular; give more, or leave it out",
            )


def _doubts(link: Link, rod: Soft) -> Iterator[str]:
    place = f"{on_line(link.line)}link {shown(link.name)}"
    for words in (*_material_doubts(rod), *section_doubts(rod)):
        yield f"{place}: {words}"
    turn = 0.0 if rod.stations is None else _rest_turn(rod, rod.stations)
    if turn > rod.max_turn_per_step * (1.0 + 1e-9):
        yield (
            f"{place}: a step between stations turns by {turn:.3g} rad at rest already, and max_turn_per_step is "
            f"{rod.max_turn_per_step:g}; give more stations or substeps"
        )


def _rest_turn(rod: Soft, stations: int) -> float:
    """About how much [rad] the most curved step turns at rest."""
    angular = [BeamExpression(text) for strain, text in rod.reference if strain.angular]
    if not angular:
        return 0.0
    inner = (np.polynomial.legendre.leggauss(stations)[0] + 1.0) / 2.0
    largest = 0.0
    for start, end in pairwise((0.0, *rod.pieces)):
        for first, last in pairwise((start, *(start + (end - start) * inner).tolist(), end)):
            middle = (first + last) / 2
            turn = math.hypot(*(expression.at(middle) for expression in angular)) * (last - first) / rod.substeps
            largest = max(largest, turn)
    return largest
