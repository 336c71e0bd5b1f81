"""What the coordinates of a rod do to its strains, as functions of the distance x from its root."""

from __future__ import annotations

from mpmath import mp

from symdyn.description.soft import Soft, Strain, StrainBasis, StrainFunctions
from symdyn.verify.base.matrices import Real, Vector
from symdyn.verify.oracle.rod_section import value_at

STRAINS = tuple(Strain)
"""Rows of the strain field: (turns per length; stretches)."""


def strain_columns(soft: Soft, x: Real) -> list[Vector]:
    """The six strains at x per unit of each coordinate."""
    found = []
    for own in soft.strains:
        row, size = STRAINS.index(own.strain), _unit(soft, own.strain)
        for value in function_values(own, mp.mpf(soft.length), x):
            found.append([size * value if place == row else mp.mpf(0) for place in range(6)])
    for coupled in soft.coupled:
        column = [mp.mpf(0)] * 6
        for strain, text in coupled.functions:
            column[STRAINS.index(strain)] += _unit(soft, strain) * value_at(text, x)
        found.append(column)
    return found


def _unit(soft: Soft, strain: Strain) -> Real:
    return 1 / mp.mpf(soft.length) if strain.angular else mp.mpf(1)


def reference_strain(soft: Soft, x: Real) -> Vector:
    """The six strains at x with all coordinates 0."""
    found = [mp.mpf(strain is Strain.STRETCH) for strain in STRAINS]
    for strain, text in soft.reference:
        found[STRAINS.index(strain)] = value_at(text, x)
    return found


def function_values(own: StrainFunctions, length: Real, x: Real) -> Vector:
    """The functions of one strain at x, which lies on no break of theirs."""
    s, count = x / length, own.count
    match own.basis:
        case StrainBasis.LEGENDRE:
            return [mp.legendre(degree, 2 * s - 1) for degree in range(count)]
        case StrainBasis.MONOMIAL:
            return [s**power for power in range(count)]
        case StrainBasis.CHEBYSHEV:
            return [mp.chebyt(degree, 2 * s - 1) for degree in range(count)]
        case StrainBasis.FOURIER:
            waves = [(mp.cos, mp.sin)[place % 2](2 * mp.pi * (place // 2 + 1) * s) for place in range(count - 1)]
            return [mp.mpf(1), *waves]
        case StrainBasis.PIECEWISE_CONSTANT:
            return [mp.mpf(place <= s * count < place + 1) for place in range(count)]
        case StrainBasis.PIECEWISE_LINEAR:
            return [max(mp.mpf(0), 1 - abs(s * (count - 1) - place)) for place in range(count)]
        case StrainBasis.GAUSSIAN:
            width = mp.mpf(own.width)
            return [mp.exp(-(((x - mp.mpf(centre)) / width) ** 2)) for centre in own.centres]
        case StrainBasis.EXPRESSIONS:
            return [value_at(text, x) for text in own.functions]
