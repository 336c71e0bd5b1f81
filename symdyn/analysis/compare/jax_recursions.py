"""The plain recursions in JAX's own idiom: 6-vectors and 6 x 6 matrices as arrays, bodies unrolled.

Featherstone 2008, tables 5.1 and 7.1. XLA makes poor code of thousands of scalar operations, hence arrays here where
the other rivals have scalars.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.analysis.compare.plain_articulated_body import Factor
from symdyn.analysis.compare.six_vectors import MovingBody, moving_bodies
from symdyn.model.model import Model

Array = Any
"""A traced array of JAX, which is an extra and not imported for its types."""


class JaxAlgebra:
    """What joints ask of scalars, in traced JAX numbers (see :class:`symdyn.algebra.scalars.algebra.Algebra`)."""

    def __init__(self) -> None:
        self.numpy: Any = importlib.import_module("jax.numpy")

    def constant(self, value: float) -> Any:
        """A number."""
        return value

    def sin_cos(self, x: Any) -> tuple[Any, Any]:
        """Sine and cosine."""
        return self.numpy.sin(x), self.numpy.cos(x)

    def function(self, name: str, *arguments: Any) -> Any:
        """An elementary function."""
        return getattr(self.numpy, name)(*arguments)

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """A comparison."""
        return getattr(self.numpy, code)(left, right)

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """One of two values."""
        return self.numpy.where(condition, if_true, if_false)

    def array(self, values: Sequence[Any]) -> Array:
        """Scalars, or arrays of one shape, as an array with one axis more."""
        return self.numpy.stack([self.numpy.asarray(value, dtype=self.numpy.float64) for value in values])


@dataclass(frozen=True, slots=True)
class _Placed:
    """A body in arrays: motions are taken from the parent by ``X`` (6, 6); ``S`` (6, rows); rows (omega; v)."""

    parent: int
    rows: slice
    armature: float
    X: Array
    S: Array
    along: Array
    rate: Array
    inertia: Array


def jax_inverse_dynamics(model: Model, algebra: JaxAlgebra, q: Array, v: Array, a: Array) -> Array:
    """Tau (nv,) by the recursive Newton-Euler algorithm."""
    bodies = _placed(model, algebra, q, v, a)
    velocity: list[Array] = []
    acceleration: list[Array] = []
    force: list[Array] = []
    ground = _lifted(model, algebra)
    for body in bodies:
        above = body.X @ velocity[body.parent] if body.parent >= 0 else 0.0
        V = above + body.along
        crossed = _cross(algebra, V)
        A = body.X @ (acceleration[body.parent] if body.parent >= 0 else ground) + body.rate + crossed @ body.along
        velocity.append(V)
        acceleration.append(A)
        force.append(body.inertia @ A - crossed.T @ (body.inertia @ V))
    tau: list[Array] = [None] * len(bodies)
    for index in range(len(bodies) - 1, -1, -1):
        body = bodies[index]
        tau[index] = body.S.T @ force[index] + body.armature * a[body.rows]
        if body.parent >= 0:
            force[body.parent] = force[body.parent] + body.X.T @ force[index]
    return algebra.numpy.concatenate(tau)


def jax_forward_dynamics(model: Model, algebra: JaxAlgebra, q: Array, v: Array, tau: Array) -> Array:
    """Accelerations a (nv,) by the articulated-body algorithm."""
    bodies = _placed(model, algebra, q, v, algebra.numpy.zeros(model.nv))
    velocity: list[Array] = []
    bias: list[Array] = []
    force: list[Array] = []
    for body in bodies:
        V = (body.X @ velocity[body.parent] if body.parent >= 0 else 0.0) + body.along
        crossed = _cross(algebra, V)
        velocity.append(V)
        bias.append(crossed @ body.along + body.rate)
        force.append(-(crossed.T @ (body.inertia @ V)))
    inertia = [body.inertia for body in bodies]
    left: list[tuple[Array, Factor, Array]] = [()] * len(bodies)  # type: ignore[list-item]
    for index in range(len(bodies) - 1, -1, -1):
        body = bodies[index]
        U = inertia[index] @ body.S
        D = body.S.T @ U
        size = D.shape[0]
        factor = Factor([[D[i, j] + (body.armature if i == j else 0.0) for j in range(size)] for i in range(size)])
        u = tau[body.rows] - body.S.T @ force[index]
        left[index] = (U, factor, u)
        if body.parent >= 0:
            gains = algebra.array([algebra.array(factor.solve(list(row))) for row in U])
            seen = inertia[index] - gains @ U.T
            passed = force[index] + seen @ bias[index] + gains @ u
            inertia[body.parent] = inertia[body.parent] + body.X.T @ seen @ body.X
            force[body.parent] = force[body.parent] + body.X.T @ passed
    a: list[Array] = []
    acceleration: list[Array] = []
    for body, own_bias, (U, factor, u) in zip(bodies, bias, left, strict=True):
        above = acceleration[body.parent] if body.parent >= 0 else _lifted(model, algebra)
        A = body.X @ above + own_bias
        a.append(algebra.array(factor.solve(list(u - U.T @ A))))
        acceleration.append(A + body.S @ a[-1])
    return algebra.numpy.concatenate(a)


def _placed(model: Model, algebra: JaxAlgebra, q: Array, v: Array, a: Array) -> list[_Placed]:
    return [_in_arrays(algebra, moving) for moving in moving_bodies(model, algebra, list(q), list(v), list(a))]


def _in_arrays(algebra: JaxAlgebra, moving: MovingBody) -> _Placed:
    numpy = algebra.numpy
    into = algebra.array([algebra.array(row) for row in moving.transform.rotation]).T
    lever = _skew(algebra, moving.transform.origin)
    X = numpy.block([[into, numpy.zeros((3, 3))], [-into @ lever, into]])
    S = algebra.array([algebra.array(column.rows) for column in moving.subspace]).T
    first = _skew(algebra, moving.first_moment)
    about_origin = algebra.array([algebra.array(row) for row in moving.rotational_inertia])
    inertia = numpy.block([[about_origin, first], [first.T, moving.constants["m"] * numpy.eye(3)]])
    return _Placed(
        moving.body.parent,
        moving.velocity_rows,
        float(moving.constants["armature"]),
        X,
        S,
        algebra.array(moving.along.rows),
        algebra.array(moving.rate.rows),
        inertia,
    )


def _skew(algebra: JaxAlgebra, a: Any) -> Array:
    zero = 0.0
    rows = ([zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero])
    return algebra.array([algebra.array(row) for row in rows])


def _cross(algebra: JaxAlgebra, V: Array) -> Array:
    """The matrix of ``V x`` on motions; that on forces is ``-(V x)^T``."""
    turning = _skew(algebra, V[:3])
    return algebra.numpy.block([[turning, algebra.numpy.zeros((3, 3))], [_skew(algebra, V[3:]), turning]])


def _lifted(model: Model, algebra: JaxAlgebra) -> Array:
    return algebra.array([0.0, 0.0, 0.0, *(-component for component in model.gravity)])
