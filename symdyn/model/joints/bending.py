"""The structure of the joint between the root of a flexible link and its tip, and its amplitudes.

With coordinates d, the amplitudes of the link's shapes are e = (d, products of d). The tip's pose and motion are in
:mod:`symdyn.model.joints.tip_motion`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.vectors import Vector, add, scale

_USUAL_TURN, _USUAL_MOVE = 0.1, 0.01
"""[rad, m]"""


class Turning(Enum):
    """About which axes the tip turns."""

    NONE = "none"
    Z = "z"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Bending:
    """How a flexible link bends: what is structural about it.

    ``names`` and ``units`` are those of its coordinates; ``pairs`` the coordinates whose products are amplitudes too.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    turning: Turning

    @property
    def rows(self) -> int:
        """Coordinates d."""
        return len(self.names)

    @property
    def amplitudes(self) -> int:
        """Amplitudes e."""
        return len(self.names) + len(self.pairs)

    @property
    def number_names(self) -> tuple[str, ...]:
        """Names of the constants that the pose needs: slopes [rad per unit], then displacements [m per unit]."""
        axes = {Turning.NONE: "", Turning.Z: "z", Turning.ALL: "xyz"}[self.turning]
        slopes = (f"slope{row}{axis}" for row in range(self.rows) for axis in axes)
        return (*slopes, *(f"tip{place}{axis}" for place in range(self.amplitudes) for axis in "xyz"))

    @property
    def turned_size(self) -> int:
        """Scalars that hold the rotation and what its derivatives need."""
        return {Turning.NONE: 0, Turning.Z: 2, Turning.ALL: 9 + 9 + 3 + 4}[self.turning]

    @property
    def pose_size(self) -> int:
        """Scalars of :func:`symdyn.model.joints.tip_motion.bent_pose`."""
        return self.turned_size + 3 + (3 * self.rows if self.pairs else 0)


def amplitudes(pairs: Sequence[tuple[int, int]], d: Sequence[Scalar]) -> list[Scalar]:
    """The amplitudes e of coordinates d."""
    return [*d, *(d[i] * d[j] for i, j in pairs)]


def amplitude_rates(pairs: Sequence[tuple[int, int]], d: Sequence[Scalar], rates: Sequence[Scalar]) -> list[Scalar]:
    """How fast the amplitudes change with the coordinates: (de/dd) rates."""
    return [*rates, *(_product_rate(d, rates, i, j) for i, j in pairs)]


def _product_rate(d: Sequence[Scalar], rates: Sequence[Scalar], i: int, j: int) -> Scalar:
    return d[i] * (rates[i] + rates[i]) if i == j else d[i] * rates[j] + d[j] * rates[i]


def amplitude_bends(pairs: Sequence[tuple[int, int]], rates: Sequence[Scalar]) -> list[Scalar]:
    """What e'' holds beside (de/dd) d'': per pair 2 d_i' d_j'."""
    return [(rates[i] + rates[i]) * rates[j] for i, j in pairs]


def per_coordinate(kind: Bending, d: Sequence[Scalar], values: Sequence[Vector]) -> list[list[Scalar]]:
    """(de/dd)^T of a vector per amplitude: one vector per coordinate."""
    found = [list(value) for value in values[: kind.rows]]
    for (i, j), value in zip(kind.pairs, values[kind.rows :], strict=True):
        found[i] = add(found[i], scale(d[j], value))
        found[j] = add(found[j], scale(d[i], value))
    return found


def tip_shapes(kind: Bending, numbers: Mapping[str, Scalar]) -> list[list[Scalar]]:
    """The displacement of the tip per amplitude [m per unit], (n, 3)."""
    return [[numbers[f"tip{place}{axis}"] for axis in "xyz"] for place in range(kind.amplitudes)]


def usual_amplitudes(kind: Bending, numbers: Mapping[str, float]) -> list[float]:
    """Per coordinate the amplitude at which the tip turns by 0.1 rad, or moves by 0.01 m where it does not turn.

    Numbers that are tried on a robot stay near these: an amplitude of 1 would turn the tip of a short beam many times
    around, beyond the reach of the series for its rotation.
    """
    found = []
    for row in range(kind.rows):
        slope = max(abs(numbers.get(f"slope{row}{axis}", 0.0)) for axis in "xyz")
        reach = max(abs(numbers[f"tip{row}{axis}"]) for axis in "xyz")
        found.append(_USUAL_TURN / slope if slope else _USUAL_MOVE / reach if reach else _USUAL_MOVE)
    return found


def slopes_of(kind: Bending, numbers: Mapping[str, Scalar]) -> list[list[Scalar]]:
    """The rotation vector of the tip per coordinate [rad per unit], (m, 3)."""
    return [[numbers.get(f"slope{row}{axis}", 0.0) for axis in "xyz"] for row in range(kind.rows)]


def weighted(vectors: Sequence[Vector], weights: Sequence[Scalar]) -> list[Scalar]:
    """Sum of vectors times weights."""
    found: list[Scalar] = [0.0] * 3
    for vector, weight in zip(vectors, weights, strict=True):
        found = add(found, scale(weight, vector))
    return found
