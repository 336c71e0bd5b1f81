"""Steps of a free base as a time series: its motion, and what leads its wrench and its acceleration to the door.

A base needs no series of its quaternion: vectors that it carries obey linear equations. With the base's angular
velocity omega and velocity v in its own axes, R its rotation and g the gravity,

    (R^T g)' = R^T g x omega,      R' = R [omega],      a = v' + omega x v - R^T g

where a is the proper acceleration. With the right-invariant twist (omega; v) of the spatial convention the motion is
told from the frame in which the base stands at t = 0, so that its rotation starts from the identity, its position from
zero, and products with either are saved; the twist and the wrench are moved there and back by numbers:

    R' = [omega] R,      p' = v + omega x p,      alpha = R^T omega',      a = R^T (p'' - g)

The last but one holds because ad(V) V = 0 (Ali et al. 2026, section 2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series, product_coefficient, rate
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.scalars.taylor_functions import solution
from symdyn.algebra.spatial.rotations import IDENTITY, from_quaternion
from symdyn.algebra.spatial.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    entries_of,
    matrix_from,
    product,
    subtract,
    times,
    transpose,
)
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.kinematics import ACCELERATION
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel, Rest


@dataclass(frozen=True, slots=True)
class BaseVariant:
    """The convention of a base's velocity, whether orientation, twist or place are wanted, and its fall kept."""

    kind: JointModel
    oriented: bool
    falls: bool = False
    loaded: bool = False
    stands: bool = False


def carried(
    algebra: TaylorAlgebra, start: Vector, omega: Vector, order: int, linear: Vector | None = None, own: bool = False
) -> list[Series]:
    """A vector that turns: ``x' = omega x x + linear``, or ``x' = x x omega`` in the turning axes themselves.

    Parameters
    ----------
    algebra
        Series over the scalars of ``start``.
    start
        Its value at t = 0, (3,); structural zeros and ones save products.
    omega, linear
        Series of the angular velocity, and of what is added to the rate, to order - 1 at least.
    order
        To which the vector is found.
    own
        Whether ``start`` and ``omega`` are in the axes that turn, in which a vector at rest turns the other way.

    Returns
    -------
    The vector to ``order``; it knows its rate.
    """
    turning = [algebra.lifted(component) for component in omega]
    pushed = [algebra.lifted(component) for component in linear] if linear is not None else None

    def rates(k: int) -> list[Scalar]:
        left, right = (found, turning) if own else (turning, found)
        turned = [
            product_coefficient(left[i], right[j], k) - product_coefficient(left[j], right[i], k)
            for i, j in ((1, 2), (2, 0), (0, 1))
        ]
        return (
            turned
            if pushed is None
            else [push.coefficient(k) + turn for push, turn in zip(pushed, turned, strict=True)]
        )

    found = solution(algebra.inner, order, start, rates)  # which the rates read
    return found


def base_motion(variant: BaseVariant, algebra: TaylorAlgebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per base: its motion in its own axes, its orientation, and what leads its wrench back to the world."""
    placed = matrix_from([constants[name] for name in ROTATION])
    q, v, a = reads["q"], reads["v"], reads["a"]
    turned = from_quaternion(*q[3:])
    weightless = turned.transpose_times(times(transpose(placed), reads["ground"][ACCELERATION:]))
    start = product(placed, turned.entries)
    writes: dict[str, Sequence[Scalar]] = {}
    orientation: Matrix = []
    if variant.kind.rest is Rest.CHILD:
        omega, alpha = list(v[3:]), list(a[3:])
        velocity = v[:3]
        fall = carried(algebra, weightless, omega, algebra.order, own=True)
        acceleration = add(add(a[:3], cross(omega, v[:3])), fall)
        if variant.falls:
            writes["fall"] = fall
        if variant.oriented:
            orientation = [carried(algebra, row, omega, algebra.order, own=True) for row in start]
    else:
        spin = turned.transpose_times(v[:3])
        drift = turned.transpose_times(add(v[3:], cross(v[:3], q[:3])))
        turn = transpose([carried(algebra, axis, spin, algebra.order) for axis in IDENTITY])
        point = carried(algebra, [0.0] * 3, spin, algebra.order + 2, drift)
        back = transpose(turn)
        alpha = times(back, [rate(component) for component in spin])
        omega = [algebra.integral(own, component.leading) for own, component in zip(alpha, spin, strict=True)]
        acceleration = times(back, add([rate(rate(component)) for component in point], weightless))
        velocity = times(back, [rate(component) for component in point])
        writes["turn"] = [*entries_of(turn), *point]
        if variant.oriented:
            orientation = product(start, turn)
    writes["motion"] = [*omega, *alpha, *(0.0,) * 9, *acceleration]
    if variant.loaded:
        writes["twist"] = [*velocity, *omega]
    if variant.oriented:
        writes["orientation"] = entries_of(orientation)
    if variant.stands:
        rates, at = times(orientation, velocity), [constants[name] for name in TRANSLATION]
        starts = add(at, times(placed, q[:3]))
        writes["stand"] = [algebra.integral(speed, start) for speed, start in zip(rates, starts, strict=True)]
    return writes


def base_load(_: None, __: TaylorAlgebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per base of the spatial convention: the wrench in its own axes from tau; inverse of :func:`base_force`."""
    turned, at = from_quaternion(*reads["q"][3:]), reads["q"][:3]
    back, point = transpose(matrix_from(reads["turn"][:9])), reads["turn"][9:]
    force = turned.transpose_times(reads["tau"][3:])
    moment = turned.transpose_times(subtract(reads["tau"][:3], cross(at, reads["tau"][3:])))
    return {"wrench": [*times(back, force), *times(back, subtract(moment, cross(point, force)))]}


def base_rate(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per base of the spatial convention: rates of the twist from (a; alpha) of the body in its own axes."""
    turned, at = from_quaternion(*reads["q"][3:]), reads["q"][:3]
    alpha = turned.times(reads["own"][3:])
    return {"found": [*alpha, *add(turned.times(reads["own"][:3]), cross(at, alpha))]}


def base_force(_: None, __: TaylorAlgebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per base of the spatial convention: tau, (moment; force) about the joint frame's origin, from its wrench."""
    turned, at = from_quaternion(*reads["q"][3:]), reads["q"][:3]
    turn, point = matrix_from(reads["turn"][:9]), reads["turn"][9:]
    force = times(turn, reads["wrench"][:3])
    moment = add(times(turn, reads["wrench"][3:]), cross(point, force))
    world = turned.times(force)
    return {"tau": [*add(turned.times(moment), cross(at, world)), *world]}
