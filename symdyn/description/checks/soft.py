"""Whether a rod can be as it is described, and be computed with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np

from symdyn.description.checks.along import expression_fault
from symdyn.description.checks.inertia import LARGEST
from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.checks.section_shapes import section_shape_faults
from symdyn.description.checks.soft_section import material_faults, section_doubts, section_faults
from symdyn.description.checks.soft_strains import coupled_faults, dependence_faults, strain_faults
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import MAGNUS_ORDERS, MOST_STATIONS, MOST_SUBSTEPS, Soft, Strain
from symdyn.description.text.position import at, on_line, shown
from symdyn.description.text.validation import Path
from symdyn.errors import DescriptionError

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
    for words in section_doubts(rod):
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
