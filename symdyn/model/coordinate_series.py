"""The coordinates as time series: q(t) from q at t = 0 and the series of v, for every joint kind.

This is the only place where the series of q is made. One-coordinate joints integrate v; quaternions and positions obey

    body rates        Q' = 1/2 Q (omega, 0),    p' = R(Q) v
    spatial twist     Q' = 1/2 (omega, 0) Q,    p' = v + omega x p      (right-invariant)
    plane             theta' = omega,           (x, y)' = (c vx - s vy, s vx + c vy)

whose recurrences need coefficients of v up to k for coefficient k + 1 of q: q is known one order higher than v.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.model.joints import Motion, MotionKind
from symdyn.model.model import Model
from symdyn.scalars.algebra import Scalar
from symdyn.scalars.taylor import Series, product_coefficient, rate
from symdyn.scalars.taylor_algebra import TaylorAlgebra
from symdyn.scalars.taylor_functions import solution
from symdyn.spatial.rotations import AboutZ, from_quaternion


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
        rows, columns = joint.coordinates.q, joint.coordinates.v
        own_q = q[joint.q_index : joint.q_index + len(rows)]
        found += coordinate_series(joint.kind, algebra, own_q, v[joint.v_index : joint.v_index + len(columns)])
    return found, v, [rate(series) for series in v]


def coordinate_series(kind: Motion, algebra: TaylorAlgebra, q: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
    """Series of a joint's coordinates, one order longer than those of its velocity coordinates.

    Parameters
    ----------
    kind
        The joint's motion.
    algebra
        Series over the scalars of q.
    q, v
        Rows of the joint: coordinates at t = 0, and velocity coordinates as series of one order.
    """
    match kind:
        case MotionKind.PLANAR:
            angle = algebra.integral(v[2], q[2])
            motion = AboutZ(*algebra.sin_cos(angle)).times([v[0], v[1], 0.0])
            return [algebra.integral(motion[0], q[0]), algebra.integral(motion[1], q[1]), angle]
        case MotionKind.SPHERICAL:
            return quaternion_series(algebra, q, v)
        case MotionKind.FREE:
            quaternion = quaternion_series(algebra, q[3:], v[3:])
            motion = from_quaternion(*quaternion).times(v[:3])
            return [*(algebra.integral(own, start) for own, start in zip(motion, q[:3], strict=True)), *quaternion]
        case MotionKind.FREE_SPATIAL:
            return [*_carried_point(algebra, q[:3], v), *quaternion_series(algebra, q[3:], v[:3], spatial=True)]
    return [algebra.integral(rate, start) for rate, start in zip(v, q, strict=True)]


def quaternion_series(
    algebra: TaylorAlgebra, start: Sequence[Scalar], omega: Sequence[Series], spatial: bool = False
) -> list[Series]:
    """Series of a quaternion (x, y, z, w) that turns at omega, in its own axes or, with ``spatial``, the fixed ones.

    ``2 (k + 1) Q_(k+1) = sum Q_j (omega_(k-j), 0)`` for j = 0 .. k. Structural zeros in ``start`` save products: from
    (0, 0, 0, 1.0) it is the turn since t = 0.
    """
    order = min(series.order for series in omega) + 1

    def turned(k: int) -> list[Scalar]:
        crossed = _cross_coefficient(omega, found[:3], k) if spatial else _cross_coefficient(found[:3], omega, k)
        vector = [product_coefficient(own, found[3], k) + turn for own, turn in zip(omega, crossed, strict=True)]
        x, y, z = (product_coefficient(own, spin, k) for own, spin in zip(found[:3], omega, strict=True))
        return [*vector, -(x + y + z)]

    found = solution(algebra.inner, order, start, turned, divisor=2)
    return found


def _carried_point(algebra: TaylorAlgebra, start: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
    """The point that is at ``start`` at t = 0 and moves with a right-invariant twist (omega; v)."""
    omega, linear = v[:3], v[3:]
    order = min(series.order for series in v) + 1

    def moved(k: int) -> list[Scalar]:
        turned = _cross_coefficient(omega, found, k)
        return [velocity.coefficient(k) + turn for velocity, turn in zip(linear, turned, strict=True)]

    found = solution(algebra.inner, order, start, moved)
    return found


def _cross_coefficient(a: Sequence[Series], b: Sequence[Series], k: int) -> list[Scalar]:
    """Coefficient k of a x b."""
    pairs = ((1, 2), (2, 0), (0, 1))
    return [product_coefficient(a[i], b[j], k) - product_coefficient(a[j], b[i], k) for i, j in pairs]
