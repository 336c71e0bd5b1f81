"""How a joint's own coordinates follow from the rows of q and v that move it: q_own = G q + g.

Forces of its own coordinates go back to the rows by G^T, and what lies between two of them by G^T X G.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.vectors import Matrix, scale
from symdyn.model.joints.parts import Numbers


@dataclass(frozen=True, slots=True)
class CoordinateMap:
    """The rows of a joint that moves by coordinates of its own: G is the identity, and g is zero."""

    @property
    def multipliers(self) -> tuple[str, ...]:
        """Names of the numbers in G."""
        return ()

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of the numbers in G and g."""
        return ()

    def coordinates(self, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """The joint's own coordinates."""
        return list(q)

    def rates(self, v: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """Rates of its own coordinates, or rates of these for rates of v."""
        return list(v)

    def forces(self, own: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """G^T of forces per own coordinate."""
        return list(own)

    def columns(self, own: Sequence[Sequence[Scalar]], numbers: Numbers) -> list[list[Scalar]]:
        """One vector per row, from one per own coordinate."""
        return [list(column) for column in own]

    def block(self, own: Matrix, numbers: Numbers) -> Matrix:
        """G^T X G of a symmetric matrix X between own coordinates."""
        return own

    def entries(self, diagonal: Sequence[Scalar], numbers: Numbers) -> list[list[Scalar]]:
        """Per row what a diagonal X puts between it and the rows that have a coordinate in common with it."""
        return [[entry] for entry in diagonal]


@dataclass(frozen=True, slots=True)
class LeadersMap(CoordinateMap):
    """Rows of ``leaders``, of which one coordinate is a sum: its multiplier times each, and an offset."""

    leaders: int

    @property
    def multipliers(self) -> tuple[str, ...]:
        """One per leader."""
        return tuple(f"multiplier{place}" for place in range(self.leaders))

    @property
    def constants(self) -> tuple[str, ...]:
        """The multipliers and the offset."""
        return (*self.multipliers, "offset")

    def coordinates(self, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """G q + g."""
        return [self.rates(q, numbers)[0] + numbers["offset"]]

    def rates(self, v: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """G v."""
        first, *others = (gain * rate for gain, rate in zip(self._gains(numbers), v, strict=True))
        return [sum(others, start=first)]

    def forces(self, own: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """The one force times each multiplier."""
        return [gain * own[0] for gain in self._gains(numbers)]

    def columns(self, own: Sequence[Sequence[Scalar]], numbers: Numbers) -> list[list[Scalar]]:
        """The one vector times each multiplier."""
        return [scale(gain, own[0]) for gain in self._gains(numbers)]

    def block(self, own: Matrix, numbers: Numbers) -> Matrix:
        """The one entry times the multipliers of both rows."""
        return self.entries(own[0], numbers)

    def entries(self, diagonal: Sequence[Scalar], numbers: Numbers) -> list[list[Scalar]]:
        """The same: all rows have the one coordinate in common."""
        gains = self._gains(numbers)
        half = [gain * diagonal[0] for gain in gains]
        return [[gains[max(i, j)] * half[min(i, j)] for j in range(len(gains))] for i in range(len(gains))]

    def _gains(self, numbers: Numbers) -> list[Scalar]:
        return [numbers[name] for name in self.multipliers]


IDENTITY_MAP = CoordinateMap()
