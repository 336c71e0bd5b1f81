"""The robot's motion as rivals need it: the rate of q, and states along the trajectory that derivatives tell."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.model.model import Model


def coordinate_derivatives(
    model: Model, algebra: Algebra, q: Sequence[Scalar], derivatives: Sequence[Sequence[Scalar]]
) -> list[list[Scalar]]:
    """``q, q', .. q^(n)``, (n + 1, nq), from ``v, v', .. v^(n-1)``, (n, nv), in either convention."""
    series = TaylorAlgebra(algebra, len(derivatives) - 1)
    v = [series.from_derivatives(list(column)) for column in zip(*derivatives, strict=True)]
    found: list[list[Scalar]] = []
    for joint in model.independent_joints:
        rows, columns = joint.coordinates.q, joint.coordinates.v
        own_q = q[joint.q_index : joint.q_index + len(rows)]
        own_v = v[joint.v_index : joint.v_index + len(columns)]
        found += [series.derivatives(x) for x in joint.kind.series(series, own_q, own_v)]
    return [list(row) for row in zip(*found, strict=True)]


class Trajectory:
    """A robot's motion as a function of time: the polynomials that continue a state.

    Parameters
    ----------
    model
        The robot.
    q, derivatives
        Coordinates at t = 0 (nq,), and ``v, v', ..`` (n, nv).
    """

    def __init__(self, model: Model, q: Sequence[float], derivatives: Sequence[Sequence[float]]) -> None:
        self._q = coordinate_derivatives(model, FloatAlgebra(), q, derivatives)
        self._v = derivatives

    def q(self, t: float) -> list[float]:
        """Coordinates (nq,)."""
        return polynomials(self._q, t)

    def v(self, t: float) -> list[float]:
        """Velocities (nv,)."""
        return polynomials(self._v, t)

    def a(self, t: float) -> list[float]:
        """Accelerations (nv,), the derivative of v."""
        return polynomials(self._v[1:], t)


def polynomials(derivatives: Sequence[Sequence[float]], t: float) -> list[float]:
    """The values at t of the polynomials with these derivatives at 0, one row per order."""
    found = list(derivatives[-1])
    for k in range(len(derivatives) - 1, 0, -1):
        found = [value + rest * t / k for value, rest in zip(derivatives[k - 1], found, strict=True)]
    return found
