"""How the tip of a body given by its map turns with the matter: its rotation, angular velocity, and what they rest on.

The axes are those of the tangents along s1 and s2 (``spatial.tangent_frame``), seen from where they are at rest: the
frame is parallel to the link's then. All formulas are of the coordinates alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.tangent_frame import TangentFrame, seen_at_rest
from symdyn.algebra.spatial.vectors import Matrix, Vector, cross, subtract, times, transpose
from symdyn.shapes.map_terms import Values

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.map_tip import TipTangents, Triple

Pair = tuple[Vector, Vector]
"""Something of both tangents."""


@dataclass(frozen=True, slots=True)
class TurningTip:
    """The frame in some state: ``turn`` takes its axes to the link's."""

    formulas: TipTangents
    value: Values
    tangents: Pair
    frame: TangentFrame
    turn: Matrix

    @classmethod
    def at(cls, formulas: TipTangents, algebra: Algebra, value: Values) -> TurningTip:
        """The frame where formulas have some values."""
        first, second = _values(value, formulas.tangents)
        frame = TangentFrame.of(algebra, first, second)
        return cls(formulas, value, (first, second), frame, frame.turned(formulas.rest))

    def rates(self, v: Vector) -> Pair:
        """The rates of the tangents."""
        first: Vector = [0.0] * 3
        second: Vector = [0.0] * 3
        for own, share in zip(self.formulas.slopes, v, strict=True):
            one, two = _values(self.value, own)
            first, second = _added(first, one, share), _added(second, two, share)
        return first, second

    def twist(self, velocity: Vector, rates: Pair) -> list[Scalar]:
        """Velocities as points have them: (v; omega) in the tip's axes, and v in the link's."""
        return [*times(transpose(self.turn), velocity), *self._seen(self.frame.spin(*rates)), *velocity]

    def twist_rate(self, twist: Vector, acceleration: Vector, v: Vector, a: Vector) -> list[Scalar]:
        """Their rates."""
        rates, (first, second) = self.rates(v), self.rates(a)
        for i, j, own in self.formulas.curvatures:
            one, two = _values(self.value, own)
            share = speeds(v, i, j)
            first, second = _added(first, one, share), _added(second, two, share)
        turning = self.frame.spin_rate(self.frame.spin(*rates), rates, (first, second))
        moved = subtract(times(transpose(self.turn), acceleration), cross(twist[3:6], twist[:3]))
        return [*moved, *self._seen(turning), *acceleration]

    def columns(self, columns: Sequence[Vector]) -> list[list[Scalar]]:
        """What each coordinate adds to these velocities, from what it adds to those of points."""
        own = (_values(self.value, each) for each in self.formulas.slopes)
        return [self.twist(column, rates) for column, rates in zip(columns, own, strict=True)]

    def _seen(self, spin: Vector) -> list[Scalar]:
        return seen_at_rest(self.formulas.rest, spin)


def speeds(v: Vector, i: int, j: int) -> Scalar:
    """By what a second derivative by two coordinates i <= j counts."""
    return v[i] * v[j] if i == j else 2.0 * (v[i] * v[j])


def _values(value: Values, own: tuple[Triple, Triple]) -> Pair:
    first, second = ([value(term) for term in each] for each in own)
    return first, second


def _added(sums: Vector, vector: Vector, share: Scalar) -> Vector:
    return [total + entry * share for total, entry in zip(sums, vector, strict=True)]
