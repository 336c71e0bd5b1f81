"""Axes that two tangents of a body's matter span, and how fast they turn (Gram and Schmidt).

The first axis is along the first tangent, the second in the plane of both, the third perpendicular. With the tangents
t and u, a = u . e1 and b = u . e2, the angular velocity in these axes follows from their rates,

    w3 = e2 . t' / |t|,    w2 = -e3 . t' / |t|,    w1 = (e3 . u' + a w2) / b
"""

from __future__ import annotations

from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, scale, subtract


@dataclass(frozen=True, slots=True)
class TangentFrame:
    """The axes, (3, 3) row by row; ``second`` is the tangent u, and lengths are kept as 1/|t|, a and 1/b."""

    axes: tuple[Vector, Vector, Vector]
    second: Vector
    per_first: Scalar
    along: Scalar
    per_across: Scalar

    @classmethod
    def of(cls, algebra: Algebra, first: Vector, second: Vector) -> TangentFrame:
        """The axes of two tangents that are neither zero nor parallel."""
        per_first = 1.0 / algebra.function("sqrt", dot(first, first))
        one = scale(per_first, first)
        along = dot(second, one)
        rest = subtract(second, scale(along, one))
        per_across = 1.0 / algebra.function("sqrt", dot(rest, rest))
        two = scale(per_across, rest)
        return cls((one, two, cross(one, two)), second, per_first, along, per_across)

    def spin(self, first: Vector, second: Vector) -> list[Scalar]:
        """The angular velocity in these axes, from the rates of the tangents."""
        _, two, three = self.axes
        about_two = -1.0 * (self.per_first * dot(three, first))
        about_one = self.per_across * (dot(three, second) + self.along * about_two)
        return [about_one, about_two, self.per_first * dot(two, first)]

    def spin_rate(
        self, spin: Vector, rates: tuple[Vector, Vector], second_rates: tuple[Vector, Vector]
    ) -> list[Scalar]:
        """The rates of these components, from first and second rates of the tangents."""
        (one, two, three), (x, y, z) = self.axes, spin
        turns = subtract(scale(z, two), scale(y, three))
        turns_two, turns_three = (
            subtract(scale(x, three), scale(z, one)),
            subtract(scale(y, one), scale(x, two)),
        )
        (first, second), (bend, bend_second) = rates, second_rates
        growth = self.per_first * dot(one, first)
        z_rate = self.per_first * (dot(turns_two, first) + dot(two, bend)) - growth * z
        y_rate = -1.0 * (self.per_first * (dot(turns_three, first) + dot(three, bend))) - growth * y
        along = dot(second, one) + dot(self.second, turns)
        across = dot(second, two) + dot(self.second, turns_two)
        moved = dot(turns_three, second) + dot(three, bend_second) + along * y + self.along * y_rate
        return [self.per_across * (moved - across * x), y_rate, z_rate]

    def turned(self, rest: Vector) -> list[list[Scalar]]:
        """The rotation that took axes at rest (9 numbers, row by row) to these."""
        starts = [rest[place : place + 3] for place in (0, 3, 6)]
        columns = [
            add(
                add(scale(starts[0][entry], self.axes[0]), scale(starts[1][entry], self.axes[1])),
                scale(starts[2][entry], self.axes[2]),
            )
            for entry in range(3)
        ]
        return [[columns[column][row] for column in range(3)] for row in range(3)]


def seen_at_rest(rest: Vector, components: Vector) -> list[Scalar]:
    """A vector's components in the turned frame, from those in the axes of the tangents."""
    return [dot(rest[entry::3], components) for entry in range(3)]
