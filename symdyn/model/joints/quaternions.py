"""What joints with a unit quaternion (x, y, z, w) share: displacement, rates and series."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.taylor import Series, product_coefficient
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.scalars.taylor_functions import solution
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import add, cross, dot, scale, subtract

SUFFIXES = (".qx", ".qy", ".qz", ".qw")


def about(home: Pose | None, pose: Pose) -> Pose:
    """A pose in the child's frame at home as a displacement in the world: ``H X H^-1``."""
    assert home is not None
    return home.times(pose).times(home.inverse())


def quaternion_rates(q: Sequence[Scalar], spatial: bool = False) -> list[list[Scalar]]:
    """The (4, 3) matrix of q' = q (u, 0) / 2 for a rotation rate u in the turned axes, or (u, 0) q / 2 in the fixed."""
    x, y, z, w = (0.5 * entry for entry in q)
    if spatial:
        return [[w, z, -y], [-z, w, x], [y, -x, w], [-x, -y, -z]]
    return [[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]


def quaternion_between(start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
    """The turn from one unit quaternion (x, y, z, w) to another, in the turned axes: ``start^-1 end``."""
    u, s, v, t = list(start[:3]), start[3], list(end[:3]), end[3]
    vector = add(subtract(scale(s, v), scale(t, u)), cross(v, u))
    return [*vector, s * t + dot(u, v)]


def quaternion_product(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """The product of two quaternions (x, y, z, w)."""
    u, s, v, t = list(a[:3]), a[3], list(b[:3]), b[3]
    return [*add(add(scale(s, v), scale(t, u)), cross(u, v)), s * t - dot(u, v)]


def quaternion_series(
    algebra: TaylorAlgebra, start: Sequence[Scalar], omega: Sequence[Series], spatial: bool = False
) -> list[Series]:
    """Series of a quaternion (x, y, z, w) that turns at omega, in its own axes or, with ``spatial``, the fixed ones.

    Q' = 1/2 Q (omega, 0), or 1/2 (omega, 0) Q: ``2 (k + 1) Q_(k+1) = sum Q_j (omega_(k-j), 0)`` for j = 0 .. k. The
    recurrence needs coefficients of omega up to k for coefficient k + 1. Structural zeros in ``start`` save products:
    from (0, 0, 0, 1.0) it is the turn since t = 0.
    """
    order = min(series.order for series in omega) + 1

    def turned(k: int) -> list[Scalar]:
        crossed = cross_coefficient(omega, found[:3], k) if spatial else cross_coefficient(found[:3], omega, k)
        vector = [product_coefficient(own, found[3], k) + turn for own, turn in zip(omega, crossed, strict=True)]
        x, y, z = (product_coefficient(own, spin, k) for own, spin in zip(found[:3], omega, strict=True))
        return [*vector, -(x + y + z)]

    found = solution(algebra.inner, order, start, turned, divisor=2)
    return found


def cross_coefficient(a: Sequence[Series], b: Sequence[Series], k: int) -> list[Scalar]:
    """Coefficient k of a x b."""
    pairs = ((1, 2), (2, 0), (0, 1))
    return [product_coefficient(a[i], b[j], k) - product_coefficient(a[j], b[i], k) for i, j in pairs]
