"""The functions along a rod that its coordinates multiply to strains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import mpmath
import numpy as np

from symdyn.description.soft import Soft, Strain, StrainBasis, StrainFunctions
from symdyn.shapes.formula import evaluate, read_formula

STRAIN_ROWS = {
    Strain.STRETCH: 0,
    Strain.SHEAR_Y: 1,
    Strain.SHEAR_Z: 2,
    Strain.TWIST: 3,
    Strain.CURVATURE_Y: 4,
    Strain.CURVATURE_Z: 5,
}
"""Place of each strain among six, the linear ones first."""

Family = Callable[[Any], list[Any]]
"""Values at x [m], which is an mpmath number or a NumPy array."""


@dataclass(frozen=True, slots=True)
class StrainField:
    """Strains of a rod as its coordinates move them; functions of angular strains are divided by its length.

    Attributes
    ----------
    names
        Of the coordinates: ``curvature_y[0]``, or what a coupled one is called.
    units
        Of the coordinates: ``rad`` where they move an angular strain, else ``1``.
    moved
        Per coordinate the rows of STRAIN_ROWS that it moves.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    moved: tuple[tuple[int, ...], ...]
    families: tuple[Family, ...]

    def __call__(self, x: Any) -> list[tuple[Any, ...]]:
        """Per coordinate a value for each row that it moves, at x [m]: an mpmath number or a NumPy array."""
        values = [value for family in self.families for value in family(x)]
        found, start = [], 0
        for rows in self.moved:
            found.append(tuple(values[start : start + len(rows)]))
            start += len(rows)
        return found


def strain_field(soft: Soft) -> StrainField:
    """The strain field of a rod: the functions of each strain in turn, then coupled ones."""
    names: list[str] = []
    units: list[str] = []
    moved: list[tuple[int, ...]] = []
    families: list[Family] = []
    for own in soft.strains:
        names += [f"{own.strain.value}[{k}]" for k in range(own.count)]
        units += ["rad" if own.strain.angular else "1"] * own.count
        moved += [(STRAIN_ROWS[own.strain],)] * own.count
        families.append(_divided(_family(own, soft.length), soft.length, own.strain))
    for coupled in soft.coupled:
        ordered = sorted(coupled.functions, key=lambda item: STRAIN_ROWS[item[0]])
        names.append(coupled.name)
        units.append("rad" if any(strain.angular for strain, _ in ordered) else "1")
        moved.append(tuple(STRAIN_ROWS[strain] for strain, _ in ordered))
        families += [_divided(_expressions((text,)), soft.length, strain) for strain, text in ordered]
    return StrainField(tuple(names), tuple(units), tuple(moved), tuple(families))


def reference_strain(soft: Soft) -> Family:
    """The strain at rest, six rows of STRAIN_ROWS [rad/m and per metre]: of a straight rod where nothing is said."""
    given = {STRAIN_ROWS[strain]: _expressions((text,)) for strain, text in soft.reference}

    def values(x: Any) -> list[Any]:
        return [given[row](x)[0] if row in given else 0 * x + (1 if row == 0 else 0) for row in range(6)]

    return values


def _divided(family: Family, length: float, strain: Strain) -> Family:
    return (lambda x: [value / length for value in family(x)]) if strain.angular else family


def _expressions(texts: tuple[str, ...]) -> Family:
    formulas = [read_formula(text) for text in texts]
    return lambda x: [evaluate(formula, x) for formula in formulas]


def _family(own: StrainFunctions, length: float) -> Family:
    count = own.count

    def hats(s: Any, pieces: int) -> list[Any]:
        distances = [abs(s * pieces - k) for k in range(count)]
        return [(1 - distance) * (distance < 1) for distance in distances]

    def steps(s: Any) -> list[Any]:
        places = _library(s).floor(s * count)
        return [(0 * s + 1) * (places == k) for k in range(count)]

    def bumps(x: Any) -> list[Any]:
        return [_library(x).exp(-(((x - centre) / own.width) ** 2)) for centre in own.centres]

    match own.basis:
        case StrainBasis.LEGENDRE:
            return lambda x: _recurrence(2 * (x / length) - 1, count, lambda k: ((2 * k + 1), k, k + 1))
        case StrainBasis.CHEBYSHEV:
            return lambda x: _recurrence(2 * (x / length) - 1, count, lambda k: (2 if k else 1, 1, 1))
        case StrainBasis.MONOMIAL:
            return lambda x: [(x / length) ** k for k in range(count)]
        case StrainBasis.FOURIER:
            return lambda x: _waves(x / length, count)
        case StrainBasis.PIECEWISE_CONSTANT:
            return lambda x: steps(x / length)
        case StrainBasis.PIECEWISE_LINEAR:
            return lambda x: hats(x / length, count - 1)
        case StrainBasis.GAUSSIAN:
            return bumps
        case StrainBasis.EXPRESSIONS:
            return _expressions(own.functions)


def _recurrence(t: Any, count: int, weights: Callable[[int], tuple[int, int, int]]) -> list[Any]:
    """``p_(k+1) = (a t p_k - b p_(k-1)) / c`` from p_0 = 1."""
    found = [0 * t + 1]
    for k in range(count - 1):
        a, b, c = weights(k)
        found.append((a * t * found[k] - (b * found[k - 1] if k else 0)) / c)
    return found


def _waves(s: Any, count: int) -> list[Any]:
    library = _library(s)
    turn = 2 * (mpmath.pi if library is mpmath else np.pi) * s
    found = [0 * s + 1]
    for k in range(1, count // 2 + 1):
        found += [library.cos(k * turn), library.sin(k * turn)]
    return found[:count]


def _library(x: Any) -> ModuleType:
    return mpmath if isinstance(x, mpmath.mpf) else np
