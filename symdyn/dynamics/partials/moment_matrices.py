"""Moments of momentum of a body and all that it carries, and how they move from a child's frame to its parent's.

The momentum matrix P = integral r' r^T dm (r and r' of a point, about the frame's origin and in its axes) with the
linear momentum p = integral r' dm holds what a Coriolis matrix needs of many bodies, for any two twists S_i, S_j:
integral (S_i r) . (S_j r') dm = S_i . (force s_j x p; moment tr(P) s_j - P s_j), S r = s x r + m and S r' = s x r'.
A shift of the origin touches only r: P + p l^T. (Twelve scalars; the matrix B of Echeandia & Wensing 2021 has the same
content.)

Lemma 1 of Ali et al. 2026 wants the sum of V x* I over the bodies, here in blocks of 3 x 3:

    Z = [omega] J - [nu] [h],    K = h omega^T,    mu = m omega,    pi = m nu
    (V x* I) (m; s) = (tr(K) s - K s + mu x m;  Z s + K m - tr(K) m + pi x m)     (force; moment)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.inertia import Inertia, couple_of
from symdyn.algebra.spatial.rotations import General, turned_matrix
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    entries_of,
    matrix_from,
    scale,
    skew,
    subtract,
    times,
    transpose,
)

MOMENTUM_SIZE = 12
LEMMA_SIZE = 24


def turned_across(x_pc: Transform, matrix: Matrix) -> Matrix:
    """``R_PC X R_PC^T``."""
    return turned_matrix(General(x_pc.fixed), turned_matrix(x_pc.turn, matrix))


def outer(a: Vector, b: Vector) -> Matrix:
    """``a b^T``."""
    return [scale(component, b) for component in a]


def matrix_sum(a: Matrix, b: Matrix) -> Matrix:
    """``a + b``."""
    return [add(left, right) for left, right in zip(a, b, strict=True)]


def cross_rows(a: Vector, matrix: Matrix) -> Matrix:
    """``[a] X``."""
    return transpose([cross(a, column) for column in transpose(matrix)])


def cross_columns(matrix: Matrix, a: Vector) -> Matrix:
    """``X [a]``."""
    return [cross(row, a) for row in matrix]


@dataclass(frozen=True, slots=True)
class Momentum:
    """Momentum matrix P [kg m^2/s] and linear momentum p [kg m/s]."""

    matrix: Matrix
    linear: Vector

    def scalars(self) -> list[Scalar]:
        """As a row of a field."""
        return [*entries_of(self.matrix), *self.linear]

    def seen_from_parent(self, x_pc: Transform) -> Momentum:
        """The same momentum in the frame of the body's parent."""
        linear = x_pc.rotate(self.linear)
        return Momentum(matrix_sum(turned_across(x_pc, self.matrix), outer(linear, x_pc.origin)), linear)

    def response(self, axis: Vector) -> list[Scalar]:
        """Wrench (f; n) of the forces with the moment matrix [s] P, whose products with twists are sums of r'."""
        return [*cross(axis, self.linear), *couple_of(self.matrix, axis)]

    def reaction(self, twist: Vector) -> list[Scalar]:
        """The couple that the twist of an ancestor meets where the response of this twist is wanted."""
        return add(couple_of(transpose(self.matrix), twist[3:]), cross(self.linear, twist[:3]))


def momentum_from(row: Sequence[Scalar]) -> Momentum:
    """Inverse of :meth:`Momentum.scalars`."""
    return Momentum(matrix_from(row[:9]), row[9:12])


def body_momentum(inertia: Inertia, twist: Vector) -> Momentum:
    """Momentum of one body with a twist (nu; omega): P = [omega] Sigma + nu h^T, p = m nu + omega x h."""
    turning = cross_rows(twist[3:], inertia.second_matrix())
    return Momentum(matrix_sum(turning, outer(twist[:3], inertia.first)), inertia.momentum(twist)[:3])


@dataclass(frozen=True, slots=True)
class LemmaMatrix:
    """The blocks Z, K, mu and pi of the sum of V x* I over bodies (see the module)."""

    z: Matrix
    k: Matrix
    mu: Vector
    pi: Vector

    def scalars(self) -> list[Scalar]:
        """As a row of a field."""
        return [*entries_of(self.z), *entries_of(self.k), *self.mu, *self.pi]

    def seen_from_parent(self, x_pc: Transform) -> LemmaMatrix:
        """The same in the frame of the body's parent."""
        mu, pi, offset = x_pc.rotate(self.mu), x_pc.rotate(self.pi), x_pc.origin
        k, z = turned_across(x_pc, self.k), turned_across(x_pc, self.z)
        trace = _trace(k)
        # Z' = Z - (K - tr K + [pi]) [l] - [l] (K - tr K) - [l] [mu] [l];  [pi][l] = l pi^T - (pi . l) and so on
        z = _less(z, cross_columns(k, offset))
        z = _less(z, cross_rows(offset, k))
        twofold = cross_columns(_identity(trace + trace), offset)
        z = matrix_sum(z, twofold)
        z = _less(z, _less(outer(offset, pi), _identity(dot(pi, offset))))
        z = _less(z, cross_columns(cross_rows(offset, skew(mu)), offset))
        return LemmaMatrix(z, matrix_sum(k, outer(offset, mu)), mu, subtract(pi, cross(mu, offset)))

    def times(self, twist: Vector) -> list[Scalar]:
        """The wrench that is the product with a twist."""
        linear, angular = twist[:3], twist[3:]
        trace = _trace(self.k)
        force = add(subtract(scale(trace, angular), times(self.k, angular)), cross(self.mu, linear))
        moment = add(times(self.z, angular), subtract(times(self.k, linear), scale(trace, linear)))
        return [*force, *add(moment, cross(self.pi, linear))]

    def transpose_times(self, twist: Vector) -> list[Scalar]:
        """The wrench that is the transpose's product with a twist."""
        linear, angular = twist[:3], twist[3:]
        trace, k = _trace(self.k), transpose(self.k)
        force = subtract(subtract(times(k, angular), scale(trace, angular)), cross(self.pi, angular))
        moment = add(times(transpose(self.z), angular), subtract(scale(trace, linear), times(k, linear)))
        return [*subtract(force, cross(self.mu, linear)), *moment]


def lemma_from(row: Sequence[Scalar]) -> LemmaMatrix:
    """Inverse of :meth:`LemmaMatrix.scalars`."""
    return LemmaMatrix(matrix_from(row[:9]), matrix_from(row[9:18]), row[18:21], row[21:24])


def body_lemma(inertia: Inertia, twist: Vector) -> LemmaMatrix:
    """``V x* I`` of one body."""
    nu, omega, first = twist[:3], twist[3:], inertia.first
    arm = _less(outer(first, nu), _identity(dot(first, nu)))
    return LemmaMatrix(
        _less(cross_rows(omega, inertia.rotational_matrix()), arm),
        outer(first, omega),
        scale(inertia.mass, omega),
        scale(inertia.mass, nu),
    )


def _trace(matrix: Matrix) -> Scalar:
    return matrix[0][0] + matrix[1][1] + matrix[2][2]


def _identity(factor: Scalar) -> Matrix:
    return [[factor if i == j else 0.0 for j in range(3)] for i in range(3)]


def _less(a: Matrix, b: Matrix) -> Matrix:
    return [subtract(left, right) for left, right in zip(a, b, strict=True)]
