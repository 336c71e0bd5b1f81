"""Magnus expansions of orders 2, 4 and 6 from the strains at the 1, 2 or 3 Gauss points of a step along a rod.

Strains are (v; omega) per metre, the linear part first. Their moments over a step of length h are linear in them, so
that whoever has the strains from a table may have the moments from one at the same cost (:func:`moment_weights`), and
spares the sums. :mod:`symdyn.algebra.spatial.exponent` then serves every algebra to its last digit; weights here are
doubles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.exponent import exponent
from symdyn.algebra.spatial.vectors import Vector, add, scale, subtract

Weights = tuple[tuple[float, ...], ...]

_WEIGHTS: dict[int, Weights] = {
    2: ((1.0,),),
    4: ((0.5, 0.5), (-math.sqrt(3.0) / 12.0, math.sqrt(3.0) / 12.0)),
    6: ((0.0, 1.0, 0.0), (-math.sqrt(15.0) / 60.0, 0.0, math.sqrt(15.0) / 60.0), (1.0 / 3.0, -2.0 / 3.0, 1.0 / 3.0)),
}
_FLOATS = FloatAlgebra()


def moment_weights(order: int) -> Weights:
    """Per moment (row) what of the step's length weighs the strain at each point; for orders 2, 4 and 6."""
    return _WEIGHTS[order]


def strain_moments(strains: Sequence[Vector], length: Scalar) -> list[list[Scalar]]:
    """The moments b_i (6,) of 1, 2 or 3 strains (6,) [rad/m, and per metre] over a step of a length [m]."""
    count = len(strains)
    found = []
    for number, row in enumerate(_WEIGHTS[2 * count]):
        parts = []
        for i in range(count // 2):  # weights are even or odd about the middle
            if row[i] != 0.0:
                pair = subtract(strains[-1 - i], strains[i]) if number % 2 else add(strains[i], strains[-1 - i])
                parts.append(scale(row[-1 - i] * length, pair))
        if count % 2 and row[count // 2] != 0.0:
            parts.append(scale(row[count // 2] * length, strains[count // 2]))
        found.append(parts[0] if len(parts) == 1 else add(*parts))
    return found


def magnus(strains: Sequence[Vector], length: Scalar) -> list[Scalar]:
    """The exponent Omega (6,) of a step from its strains at Gauss points; ``length`` [m] is constant."""
    return exponent(_FLOATS, strain_moments(strains, length))
