"""The rival of forward dynamics: Featherstone's articulated-body algorithm written plainly, in body frames.

Featherstone 2008, table 7.1, with articulated inertias as three blocks that keep their symmetry (appendix A). A joint
with several rows is eliminated at once by the L D L^T factor of its own D = S^T I^A S.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, dot, product, scale, subtract, times, transpose
from symdyn.analysis.compare.six_vectors import (
    STILL,
    ZERO,
    MovingBody,
    SixVector,
    Transform,
    lifted_ground,
    mirrored,
    moving_bodies,
    skew,
)
from symdyn.model.joints import FREE
from symdyn.model.model import Model


@dataclass(frozen=True, slots=True)
class _Articulated:
    """Blocks of the symmetric ``[[I, H], [H^T, M]]``, (3, 3) each."""

    I: Matrix  # noqa: E741
    H: Matrix
    M: Matrix

    def plus(self, other: _Articulated) -> _Articulated:
        return _Articulated(_add(self.I, other.I), _add(self.H, other.H), _add(self.M, other.M))

    def times(self, motion: SixVector) -> SixVector:
        angular = add(times(self.I, motion.angular), times(self.H, motion.linear))
        linear = add(times(transpose(self.H), motion.angular), times(self.M, motion.linear))
        return SixVector(angular, linear)

    def without(self, scaled: Sequence[SixVector], columns: Sequence[SixVector]) -> _Articulated:
        """``self - sum scaled columns^T``, where the sum is symmetric."""
        blocks = self
        for left, right in zip(scaled, columns, strict=True):
            blocks = _Articulated(
                _less(blocks.I, left.angular, right.angular, symmetric=True),
                _less(blocks.H, left.angular, right.linear, symmetric=False),
                _less(blocks.M, left.linear, right.linear, symmetric=True),
            )
        return blocks

    def to_parent(self, X: Transform) -> _Articulated:
        """About the parent's origin and in its axes."""
        lever = skew(X.origin)
        M = mirrored(product(product(X.rotation, self.M), transpose(X.rotation)))
        H = product(product(X.rotation, self.H), transpose(X.rotation))
        turned = mirrored(product(product(X.rotation, self.I), transpose(X.rotation)))
        shifted = _add(H, product(lever, M))
        moved = mirrored(_subtract(product(lever, transpose(H)), product(shifted, lever)))
        return _Articulated(_add(turned, moved), shifted, M)


@dataclass(frozen=True, slots=True)
class _Eliminated:
    """What is left of a body's joint: U = I^A S, the factor of D, and u = tau - S^T p."""

    columns: Sequence[SixVector]
    factor: Factor
    rest: Sequence[Scalar]


def plain_forward_dynamics(
    model: Model, algebra: Algebra, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """Accelerations a (nv,) of a tree without mimic or elastic joints, losses, parameters or external wrenches.

    Raises
    ------
    RequestError
        The robot has one of these.
    """
    bodies = moving_bodies(model, algebra, q, v, [0.0] * model.nv)
    velocity: list[SixVector] = []
    bias: list[SixVector] = []
    for moving in bodies:
        above = velocity[moving.body.parent] if moving.body.parent >= 0 else ZERO
        V = moving.transform.to_child(above).plus(moving.along)
        velocity.append(V)
        bias.append(V.cross_motion(moving.along).plus(moving.rate))
    inertia = [_rigid(moving) for moving in bodies]
    force = [V.cross_force(moving.momentum(V)) for moving, V in zip(bodies, velocity, strict=True)]
    eliminated: list[_Eliminated] = []
    for index in range(len(bodies) - 1, -1, -1):
        moving, parent = bodies[index], bodies[index].body.parent
        done = _eliminate(moving, inertia[index], force[index], tau[moving.velocity_rows])
        eliminated.append(done)
        if parent >= 0:
            scaled = _solved_columns(done)
            seen = inertia[index].without(scaled, done.columns)
            passed = force[index].plus(seen.times(bias[index])).plus(_combination(scaled, done.rest))
            inertia[parent] = inertia[parent].plus(seen.to_parent(moving.transform))
            force[parent] = force[parent].plus(moving.transform.to_parent(passed))
    eliminated.reverse()
    a: list[Scalar] = [0.0] * model.nv
    acceleration: list[SixVector] = []
    ground = lifted_ground(model)
    for moving, done, own_bias in zip(bodies, eliminated, bias, strict=True):
        above = acceleration[moving.body.parent] if moving.body.parent >= 0 else ground
        A = moving.transform.to_child(above).plus(own_bias)
        if moving.body.joint.kind is FREE:  # the body's whole acceleration follows from the force on it
            found = subtract(done.factor.solve(done.rest), [*A.linear, *A.angular])
        else:
            right = [rest - _power(column, A) for rest, column in zip(done.rest, done.columns, strict=True)]
            found = done.factor.solve(right)
        a[moving.velocity_rows] = found
        acceleration.append(A.plus(_combination(moving.subspace, found)))
    return a


def _rigid(moving: MovingBody) -> _Articulated:
    m = moving.constants["m"]
    diagonal = [[m if row == column else 0.0 for column in range(3)] for row in range(3)]
    return _Articulated(moving.rotational_inertia, skew(moving.first_moment), diagonal)


def _eliminate(moving: MovingBody, inertia: _Articulated, force: SixVector, tau: Sequence[Scalar]) -> _Eliminated:
    columns = [inertia.times(column) for column in moving.subspace]
    matrix = [moving.joint_force(column) for column in columns]
    for row in range(len(matrix)):
        matrix[row][row] = matrix[row][row] + moving.constants["armature"]
    return _Eliminated(columns, Factor(matrix), subtract(tau, moving.joint_force(force)))


def _solved_columns(done: _Eliminated) -> list[SixVector]:
    """The columns of U D^-1."""
    rows = zip(*(column.rows for column in done.columns), strict=True)
    solved = [done.factor.solve(list(row)) for row in rows]
    return [
        SixVector([solved[row][place] for row in range(3)], [solved[row][place] for row in range(3, 6)])
        for place in range(len(done.columns))
    ]


def _combination(columns: Sequence[SixVector], factors: Sequence[Scalar]) -> SixVector:
    total = SixVector(STILL, STILL)
    for column, factor in zip(columns, factors, strict=True):
        total = total.plus(SixVector(scale(factor, column.angular), scale(factor, column.linear)))
    return total


def _power(force: SixVector, motion: SixVector) -> Scalar:
    return dot(force.angular, motion.angular) + dot(force.linear, motion.linear)


class Factor:
    """L D L^T of a symmetric positive definite matrix of any size, for solutions."""

    def __init__(self, matrix: Sequence[Sequence[Scalar]]) -> None:
        self._lower: list[list[Scalar]] = [[] for _ in matrix]
        self._inverse_pivots: list[Scalar] = []
        pivots: list[Scalar] = []
        for column in range(len(matrix)):
            scaled = [self._lower[column][k] * pivots[k] for k in range(column)]
            pivots.append(_less_products(matrix[column][column], self._lower[column], scaled))
            self._inverse_pivots.append(1.0 / pivots[column])
            for row in range(column + 1, len(matrix)):
                left = _less_products(matrix[row][column], self._lower[row], scaled)
                self._lower[row].append(left * self._inverse_pivots[column])

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """The x with ``matrix x = right``."""
        x: list[Scalar] = []
        for row, value in enumerate(right):
            x.append(_less_products(value, self._lower[row], x))
        x = [value * inverse for value, inverse in zip(x, self._inverse_pivots, strict=True)]
        for row in reversed(range(len(x))):
            for below in range(row + 1, len(x)):
                x[row] = x[row] - self._lower[below][row] * x[below]
        return x


def _less_products(value: Scalar, left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    for x, y in zip(left, right, strict=False):
        value = value - x * y
    return value


def _add(a: Matrix, b: Matrix) -> list[list[Scalar]]:
    return [add(x, y) for x, y in zip(a, b, strict=True)]


def _subtract(a: Matrix, b: Matrix) -> list[list[Scalar]]:
    return [subtract(x, y) for x, y in zip(a, b, strict=True)]


def _less(matrix: Matrix, left: Vector, right: Vector, *, symmetric: bool) -> list[list[Scalar]]:
    found = [[entry - x * y for entry, y in zip(row, right, strict=True)] for row, x in zip(matrix, left, strict=True)]
    return mirrored(found) if symmetric else found
