"""Whether the functions that a rod's strains are made of exist, and are independent of each other."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from symdyn.description.checks.along import expression_fault
from symdyn.description.checks.inertia import LARGEST
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.soft import MOST_COUPLED, MOST_FUNCTIONS, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.description.text.validation import Path

WORST_CONDITION = 1e12
"""Largest condition number of a Gram matrix of functions, each scaled to norm 1."""

_SINGULAR = 1e16
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_POINTS = 16
_PANELS = 8
_TAKEN = (*(strain.value for strain in Strain), "tip")


def strain_faults(rod: Soft) -> Iterator[tuple[Path, str]]:
    """What is wrong with the functions of each strain."""
    if not rod.strains and not rod.coupled:
        yield (), ": expected at least one strain; give strain, such as {curvature_y: 3}, or delete soft"
    strains = [own.strain for own in rod.strains]
    if strains != [strain for strain in Strain if strain in strains]:
        listed = ", ".join(strain.value for strain in strains)
        yield ("strain",), f": {listed}: expected each strain once, in the order of Strain"
    for own in rod.strains:
        key = ("strain", own.strain.value)
        if own.count not in range(1, MOST_FUNCTIONS + 1):
            yield key, f" has {own.count} functions; expected 1 to {MOST_FUNCTIONS}, or no entry"
            continue
        if own.basis is StrainBasis.FOURIER and own.count % 2 == 0:
            yield key, f" has {own.count} functions; fourier has 1 and 2 for each degree"
        if own.basis is StrainBasis.PIECEWISE_LINEAR and own.count < 2:
            yield key, " has 1 function; piecewise_linear has one more than pieces"
        yield from _gaussian_faults(own, rod.length, key)
        if len(own.functions) != (own.count if own.basis is StrainBasis.EXPRESSIONS else 0):
            yield key, f" has {own.count} coordinates and {len(own.functions)} functions; give one for each"
        for number, text in enumerate(own.functions):
            yield from _function_faults(text, rod.length, (*key, "functions", number))
            if text in own.functions[:number]:
                yield (*key, "functions", number), " is there twice; functions are independent of each other"


def _gaussian_faults(own: StrainFunctions, length: float, key: Path) -> Iterator[tuple[Path, str]]:
    if own.basis is not StrainBasis.GAUSSIAN:
        if own.centres or own.width != 0.0:
            yield key, f": centres and width mean nothing for basis {own.basis.value}; delete them"
        return
    if len(own.centres) != own.count:
        yield (*key, "centres"), f" are {len(own.centres)} for {own.count} coordinates; give one for each"
    for centre in own.centres:
        if not 0.0 <= centre <= length:
            yield (*key, "centres"), f" holds {centre:g}; expected distances from 0 to length, {length:g}"
    if len(set(own.centres)) < len(own.centres):
        yield (*key, "centres"), " holds a number twice; functions are independent of each other"
    if not 0.0 < own.width <= LARGEST:
        yield (*key, "width"), f" is {own.width:g}; it is above 0 m, and at most {LARGEST:g} m"


def coupled_faults(rod: Soft) -> Iterator[tuple[Path, str]]:
    """What is wrong with coordinates that move several strains."""
    if len(rod.coupled) > MOST_COUPLED:
        yield ("coupled",), f" has {len(rod.coupled)} entries; at most {MOST_COUPLED} are read"
    names: set[str] = set()
    for own in rod.coupled:
        key = ("coupled", own.name)
        if own.name in _TAKEN or (own.name == "section" and rod.section_shapes) or own.name in names:
            yield key, ": the name is taken; choose another"
        if not _NAME.fullmatch(own.name):
            yield key, ": such a name is not read; use letters, digits and _ (at most 100), no digit first"
        names.add(own.name)
        strains = [strain for strain, _ in own.functions]
        if not strains:
            yield key, ": expected a function for at least one strain; give some, or delete it"
        if strains != [strain for strain in Strain if strain in strains]:
            yield key, ": expected each strain once, in the order of Strain"
        for strain, text in own.functions:
            yield from _function_faults(text, rod.length, (*key, strain.value))


def _function_faults(text: str, length: float, key: Path) -> Iterator[tuple[Path, str]]:
    wrong = expression_fault(text, 0.0, length, positive=False, largest=LARGEST)
    if wrong is not None:
        yield key, f" {wrong}; a function is finite all along the rod"
    elif BeamExpression(text).largest(0.0, length)[0] == 0.0:
        yield key, " is zero everywhere; delete it"


def dependence_faults(rod: Soft) -> Iterator[tuple[Path, str]]:
    """Functions of a rod that are sound one by one, of which some are nearly combinations of others.

    The metric is L2 over the rod. Coupled coordinates are compared with all functions of the strains that they move.
    """
    places, weights = _quadrature(rod)
    fields = [("", {own.strain: column}) for own in rod.strains for column in strain_values(own, rod.length, places)]
    fields += [(own.name, {s: _sampled(text, places) for s, text in own.functions}) for own in rod.coupled]
    for group in _groups([set(columns) for _, columns in fields]):
        strains = [strain for strain in Strain if strain in group]
        members = [(name, columns) for name, columns in fields if set(columns) <= group]
        coupled = [name for name, _ in members if name]
        rows = [np.concatenate([own.get(s, 0.0) * np.sqrt(weights) for s in strains]) for _, own in members]
        norms = [np.linalg.norm(row) for row in rows]
        key: Path = ("coupled",) if coupled else ("strain", strains[0].value)
        if min(norms) == 0.0:
            yield key, " has a function that is zero all but everywhere; delete it"
            continue
        unit = np.array([row / norm for row, norm in zip(rows, norms, strict=True)])
        singular = np.linalg.svd(unit, compute_uv=False)
        if not singular[0] ** 2 <= WORST_CONDITION * singular[-1] ** 2:
            condition = (singular[0] / max(singular[-1], singular[0] * 1e-9)) ** 2
            told = f"{condition:.1e}" if condition < _SINGULAR else f"more than {_SINGULAR:g}"
            whose = f"{', '.join(coupled)} and those of {', '.join(s.value for s in strains)}" if coupled else ""
            yield (
                key,
                f": {whose or f'its {len(rows)} functions'} nearly depend on each other: their Gram matrix has "
                f"condition number {told}, beyond {WORST_CONDITION:g}; take fewer, or a basis such as legendre",
            )


def strain_values(own: StrainFunctions, length: float, places: Any) -> list[Any]:
    """Values of each function at an array of places [m] within the rod."""
    s = places / length
    u = 2.0 * s - 1.0
    numbers = range(own.count)
    match own.basis:
        case StrainBasis.LEGENDRE:
            return list(np.polynomial.legendre.legvander(u, own.count - 1).T)
        case StrainBasis.CHEBYSHEV:
            return list(np.polynomial.chebyshev.chebvander(u, own.count - 1).T)
        case StrainBasis.MONOMIAL:
            return [s**k for k in numbers]
        case StrainBasis.FOURIER:
            waves = [wave(2.0 * math.pi * k * s) for k in range(1, own.count // 2 + 1) for wave in (np.cos, np.sin)]
            return [np.ones_like(s), *waves]
        case StrainBasis.PIECEWISE_CONSTANT:
            return [np.where((s * own.count >= k) & (s * own.count < k + 1), 1.0, 0.0) for k in numbers]
        case StrainBasis.PIECEWISE_LINEAR:
            return [np.maximum(0.0, 1.0 - abs(s * (own.count - 1) - k)) for k in numbers]
        case StrainBasis.GAUSSIAN:
            with np.errstate(over="ignore"):
                return [np.exp(-(((places - centre) / own.width) ** 2)) for centre in own.centres]
    return [_sampled(text, places) for text in own.functions]


def _sampled(text: str, places: Any) -> Any:
    expression = BeamExpression(text)
    return np.array([expression.at(place) for place in places.tolist()])


def _quadrature(rod: Soft) -> tuple[Any, Any]:
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    panels = -(-_PANELS // len(rod.pieces))
    places, lengths = [], []
    for start, end in pairwise((0.0, *rod.pieces)):
        for panel in range(panels):
            places.append(start + (end - start) * (panel + (points + 1.0) / 2.0) / panels)
            lengths.append((end - start) / (2.0 * panels) * weights)
    return np.concatenate(places), np.concatenate(lengths)


def _groups(members: Iterable[set[Strain]]) -> list[set[Strain]]:
    """The strains in sets that no member moves across."""
    groups: list[set[Strain]] = []
    for strains in members:
        touched = [group for group in groups if group & strains]
        groups = [group for group in groups if not group & strains]
        groups.append(strains.union(*touched))
    return groups
