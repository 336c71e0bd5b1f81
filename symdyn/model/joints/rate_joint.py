"""Joints whose velocity coordinates are the rates of their coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.spatial.vectors import Vector
from symdyn.interface.stepping import Rates
from symdyn.model.joints.base import JointModel
from symdyn.model.joints.parts import Array


class RateJoint(JointModel):
    """What follows from v = q'."""

    __slots__ = ()

    quaternion = False
    by_rate = True
    commutes = True
    coordinate_rates = Rates.EQUAL

    def rates(self, algebra: Algebra, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """The identity."""
        return [[1.0 if row == column else 0.0 for column in range(len(q))] for row in range(len(q))]

    def speeds(self, algebra: Algebra, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """The velocities themselves."""
        return list(v)

    def bracket(self, a: Vector, b: Vector) -> list[Scalar]:
        """Zero: rates of coordinates commute."""
        return [0.0] * len(a)

    def series(self, algebra: TaylorAlgebra, q: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
        """The integrals of v."""
        return [algebra.integral(rate, start) for rate, start in zip(v, q, strict=True)]

    def integrate(self, q: Array, dv: Array) -> Array:
        """The sum."""
        return q + dv

    def difference(self, start: Array, end: Array) -> Array:
        """The difference."""
        return end - start
