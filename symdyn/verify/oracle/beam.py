"""A beam as a cloud of mass points, whose places are given functions of its coordinates.

A section at x is one point with the section's mass, and two arms for its second moments: the vectors from the section's
centre to points of unit distance along y and z, which feel no translation and no weight. Whatever a beam does follows
from what its points and arms do; no integral over the beam is formed before the time at which it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mpmath import mp

from symdyn.verify.base.dense import Rows, matrix_times
from symdyn.verify.base.matrices import Real, Vector, VectorSeries, dot, scale, subtract


@dataclass(frozen=True, slots=True)
class MassPoint:
    """A point of a beam, in the beam's axes.

    ``mass`` in kg, or the second moment in kg m^2 of an arm. ``shapes``, one vector per coordinate, move it from
    ``place`` to first order; to second order it moves by ``-d^T S d / 2`` along ``inward``, with S = ``square`` in the
    coordinates, or empty.
    """

    mass: Real
    place: Vector
    shapes: tuple[Vector, ...]
    square: Rows
    inward: Vector = field(default_factory=lambda: [mp.mpf(1), mp.mpf(0), mp.mpf(0)])
    arm: bool = False

    def positions(self, d: VectorSeries) -> VectorSeries:
        """Where it is: as long a series as that of the coordinates."""
        found = []
        for order in range(len(d)):
            total = list(self.place) if order == 0 else [mp.mpf(0)] * 3
            for value, shape in zip(d[order], self.shapes, strict=True):
                for axis, share in enumerate(shape):
                    if share:
                        total[axis] += value * share
            if self.square:
                pairs = [dot(d[j], matrix_times(self.square, d[order - j])) for j in range(order + 1)]
                total = subtract(total, scale(mp.fsum(pairs) / 2, self.inward))
            found.append(total)
        return found

    def slopes(self, d: Sequence[Real]) -> list[Vector]:
        """Derivatives of the place by the coordinates."""
        if not self.square:
            return [list(shape) for shape in self.shapes]
        taken = matrix_times(self.square, d)
        return [subtract(shape, scale(less, self.inward)) for shape, less in zip(self.shapes, taken, strict=True)]


@dataclass(frozen=True, slots=True)
class Beam:
    """A beam: its points, the far section, and the matrices of its springs and dampers, (m, m).

    ``tip_turns`` holds the rotation vector of the far section per unit of each coordinate. ``steepest`` and
    ``farthest`` are the largest turn [rad] and the largest displacement [m] of any section per unit of each.
    """

    length: Real
    points: tuple[MassPoint, ...]
    tip: MassPoint
    tip_turns: tuple[Vector, ...]
    stiffness: Rows
    damping: Rows
    steepest: tuple[Real, ...]
    farthest: tuple[Real, ...]

    @property
    def size(self) -> int:
        """Number of coordinates m."""
        return len(self.tip_turns)
