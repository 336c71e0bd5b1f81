"""Finite moves of joints that turn: exponentials of their groups, and how these move with where they start.

With B the matrix of ``bracket(x, .)`` of a move x, and s its squared angle, B^3 = -s B for rotations, for motions in
the plane, and where translations are apart. For motions in space B^5 = -2 s B^3 - s^2 B. So exp(-B) and
sum of (-B)^k / (k + 1)! are polynomials in B, of which the coefficients are Stumpff functions of s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import translation_of, turn_functions
from symdyn.algebra.spatial.vectors import Matrix, Vector, dot, product, scale, transpose
from symdyn.model.joints.quaternions import quaternion_product

Bracket = Callable[[Vector, Vector], list[Scalar]]


def turn_of(algebra: Algebra, x: Vector) -> list[Scalar]:
    """The quaternion (x, y, z, w) of a rotation vector."""
    _, (cosine, sine) = turn_functions(algebra, dot(x, x))
    return [*scale(0.5 * sine, x), cosine]


def turned(algebra: Algebra, q: Sequence[Scalar], x: Vector) -> list[Scalar]:
    """A quaternion after a turn about its own axes."""
    return quaternion_product(q, turn_of(algebra, x))


def shift_of(algebra: Algebra, x: Vector, u: Vector) -> list[Scalar]:
    """The translation of the exponential of a motion (u; x)."""
    functions, _ = turn_functions(algebra, dot(x, x))
    return translation_of(x, u, functions)


def cubic_slopes(algebra: Algebra, bracket: Bracket, move: Vector, s: Scalar) -> tuple[Matrix, Matrix]:
    """T and D of a move of which B^3 = -s B."""
    c, _ = turn_functions(algebra, s)
    B = _matrix(bracket, move)
    powers = (B, product(B, B))
    return _polynomial((c[1], c[2]), powers), _polynomial((c[2], c[3]), powers)


def quintic_slopes(algebra: Algebra, bracket: Bracket, move: Vector, s: Scalar) -> tuple[Matrix, Matrix]:
    """T and D of a move of which B^5 = -2 s B^3 - s^2 B (Selig 2005, section 4.4, for the form)."""
    c, _ = turn_functions(algebra, s)
    B = _matrix(bracket, move)
    square = product(B, B)
    powers = (B, square, product(square, B), product(square, square))
    third, fourth, fifth = 0.5 * (c[2] - c[3]), 0.5 * c[3] - c[4], 0.5 * (c[4] - 3.0 * c[5])
    T = _polynomial((c[1] + s * third, c[2] + s * fourth, third, fourth), powers)
    return T, _polynomial((c[2] + s * fourth, c[3] + s * fifth, fourth, fifth), powers)


def _matrix(bracket: Bracket, move: Vector) -> Matrix:
    size = len(move)
    return transpose([bracket(move, [float(row == column) for row in range(size)]) for column in range(size)])


def _polynomial(coefficients: Sequence[Scalar], powers: Sequence[Matrix]) -> Matrix:
    """1 - c_1 B + c_2 B^2 - c_3 B^3 .."""
    size = len(powers[0])
    found: list[list[Scalar]] = [[float(row == column) for column in range(size)] for row in range(size)]
    for number, (coefficient, power) in enumerate(zip(coefficients, powers, strict=True)):
        for row, column in ((row, column) for row in range(size) for column in range(size)):
            term = coefficient * power[row][column]
            found[row][column] = found[row][column] + term if number % 2 else found[row][column] - term
    return found
