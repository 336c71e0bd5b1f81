"""The coordinates as time series: q(t) from q at t = 0 and the series of v; each joint has its own."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.taylor import Series, rate
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.model.model import Model


def trajectory_series(
    model: Model, algebra: TaylorAlgebra, q: Sequence[Scalar], derivatives: Sequence[Sequence[Scalar]]
) -> tuple[list[Series], list[Series], list[Series]]:
    """Series of all coordinates, velocities and accelerations of a robot.

    Parameters
    ----------
    model
        The robot.
    algebra
        Series over the scalars that are given.
    q
        Coordinates at t = 0, (nq,); quaternions of unit length.
    derivatives
        v, v', .. v^(r+1), (r + 2, nv), components each differentiated on its own.

    Returns
    -------
    Series of q to order r + 2, of v to order r + 1, and of a to order r.
    """
    v = [algebra.from_derivatives(list(row)) for row in zip(*derivatives, strict=True)]
    found: list[Series] = []
    for joint in model.independent_joints:
        found += joint.kind.series(algebra, q[joint.q_rows], v[joint.v_rows])
    return found, v, [rate(series) for series in v]
