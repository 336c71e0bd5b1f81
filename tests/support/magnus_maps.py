"""Rates of a step's exponent and its transpose from strains at Gauss points; rods have their moments from tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.exponent import exponent_rates, exponent_transpose
from symdyn.algebra.spatial.magnus import moment_weights, strain_moments
from symdyn.algebra.spatial.vectors import Vector, add, scale, subtract

_PLACES: dict[int, tuple[float, ...]] = {
    2: (0.5,),
    4: (0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0),
    6: (0.5 - math.sqrt(15.0) / 10.0, 0.5, 0.5 + math.sqrt(15.0) / 10.0),
}
_FLOATS = FloatAlgebra()


def gauss_places(order: int) -> tuple[float, ...]:
    """Where along the step, from 0 to 1, its strains are taken."""
    return _PLACES[order]


def magnus_rate(strains: Sequence[Vector], rates: Sequence[Vector], length: Scalar) -> list[Scalar]:
    """Omega' (6,) from the strains and their rates: the derivative of Omega, applied to the rates."""
    moments = zip(strain_moments(strains, length), strain_moments(rates, length), strict=True)
    return exponent_rates(_FLOATS, list(moments))[1]


def magnus_rates(
    strains: Sequence[Vector], first: Sequence[Vector], second: Sequence[Vector], length: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """Omega' and Omega'' (6,) from the strains, their rates and the rates of these."""
    moments = zip(*(strain_moments(own, length) for own in (strains, first, second)), strict=True)
    _, rate, second_rate = exponent_rates(_FLOATS, list(moments))
    return rate, second_rate


def magnus_transpose(strains: Sequence[Vector], wrench: Vector, length: Scalar) -> list[list[Scalar]]:
    """``f_i = (dOmega / dxi_i)^T g`` (6,), one for each strain."""
    of_moments = exponent_transpose(_FLOATS, strain_moments(strains, length), wrench)
    count = len(strains)
    weights = moment_weights(2 * count)
    found: list[list[Scalar]] = [[] for _ in strains]
    for i in range((count + 1) // 2):
        even, odd = (
            [
                scale(weights[row][-1 - i] * length, of_moments[row])
                for row in range(start, count, 2)
                if weights[row][-1 - i] != 0.0
            ]
            for start in (0, 1)
        )
        kept = even[0] if len(even) == 1 else add(*even)
        if i == count - 1 - i:
            found[i] = kept
        else:
            found[i], found[-1 - i] = subtract(kept, odd[0]), add(kept, odd[0])
    return found
