"""Truncated Taylor series in time that carry their derivatives with respect to the coordinates along a motion.

Arrays of them, of floats or of mpmath numbers. A jet of the positions of a body's points is all that Lagrange's
equations need: velocities are rates, and partial derivatives of positions are there, as functions of time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp


@dataclass(frozen=True, eq=False)
class Jet:
    """``parts[..., 0, k]`` is the coefficient of t^k, ``parts[..., 1 + i, k]`` that of the derivative by q_i."""

    parts: Any

    @property
    def value(self) -> Any:
        """The series itself, (..., terms)."""
        return self.parts[..., 0, :]

    @property
    def slopes(self) -> Any:
        """The series of its partial derivatives, (..., n, terms)."""
        return self.parts[..., 1:, :]

    def __getitem__(self, place: Any) -> Jet:
        return Jet(self.parts[place])

    def __add__(self, other: Any) -> Jet:
        return Jet(self.parts + _jet(other, self).parts)

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.parts)

    def __sub__(self, other: Any) -> Jet:
        return Jet(self.parts - _jet(other, self).parts)

    def __rsub__(self, other: Any) -> Jet:
        return Jet(_jet(other, self).parts - self.parts)

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.parts * np.asarray(other)[..., None, None])
        a, b = self.parts, other.parts
        shape = np.broadcast_shapes(a.shape, b.shape)
        made = np.zeros(shape, dtype=a.dtype)
        if a.dtype == object:
            made += mp.mpf(0)
        terms = shape[-1]
        for j in range(terms):
            rest = slice(0, terms - j)
            made[..., j:] += a[..., :1, j : j + 1] * b[..., rest]
            made[..., 1:, j:] += a[..., 1:, j : j + 1] * b[..., :1, rest]
        return Jet(made)

    __rmul__ = __mul__


def _jet(value: Any, like: Jet) -> Jet:
    return value if isinstance(value, Jet) else constant(value, like)


def constant(value: Any, like: Jet) -> Jet:
    """Numbers that neither move nor depend on coordinates."""
    numbers = np.asarray(value)
    parts = np.zeros((*numbers.shape, *like.parts.shape[-2:]), dtype=like.parts.dtype)
    if parts.dtype == object:
        parts += mp.mpf(0)
    parts[..., 0, 0] = numbers
    return Jet(parts)


def coordinates(series: Sequence[Sequence[Any]], exact: bool) -> Jet:
    """The coordinates q(t), (n,), from their coefficients (n, terms); mpmath numbers where ``exact``."""
    count, terms = len(series), len(series[0])
    parts = np.zeros((count, 1 + count, terms), dtype=object if exact else np.float64)
    if exact:
        parts += mp.mpf(0)
    for row, coefficients in enumerate(series):
        parts[row, 0, :] = [mp.mpf(x) for x in coefficients] if exact else coefficients
        parts[row, 1 + row, 0] += 1
    return Jet(parts)


def stack(items: Sequence[Jet]) -> Jet:
    """A vector of jets, or a matrix of vectors."""
    return Jet(np.stack([item.parts for item in items]))


def apply(matrix: Jet, vectors: Jet) -> Jet:
    """A matrix (3, 3) times vectors (..., 3)."""
    return sum(
        (matrix[:, k] * vectors[..., k, None, :, :] for k in range(1, 3)), matrix[:, 0] * vectors[..., 0, None, :, :]
    )


def multiply(a: Jet, b: Jet) -> Jet:
    """A product of two (3, 3) matrices."""
    columns = [apply(a, b[:, k]) for k in range(3)]
    return Jet(np.stack([column.parts for column in columns], axis=1))


def sine_cosine(angle: Jet) -> tuple[Jet, Jet]:
    """Of one angle: s' = c x', c' = -s x' in time, and the same in the coordinates."""
    exact = angle.parts.dtype == object
    start, moving = angle.parts[0, 0], angle.parts.copy()
    moving[0, 0] = 0 * start
    sine, cosine = (mp.sin(start), mp.cos(start)) if exact else (np.sin(start), np.cos(start))
    rest = Jet(moving)  # without its constant term: powers end
    terms = angle.parts.shape[-1]
    s, c, power = constant(0 * start, angle), constant(1 + 0 * start, angle), constant(1 + 0 * start, angle)
    for k in range(1, terms + 1):
        power = power * rest * (mp.mpf(1) / k if exact else 1.0 / k)
        sign = -1 if k % 4 in (2, 3) else 1
        if k % 2:
            s = s + power * sign
        else:
            c = c + power * sign
    return s * cosine + c * sine, c * cosine - s * sine


def skew(vector: Sequence[Any]) -> Any:
    """The matrix of a vector product."""
    x, y, z = vector
    zero = 0 * x
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def turned(axis: Sequence[Any], angle: Jet) -> Jet:
    """The rotation about a constant unit axis: 1 + sin [u] + (1 - cos) [u]^2."""
    one = 1 + 0 * axis[0]
    cross = skew(axis)
    s, c = sine_cosine(angle)
    return constant(np.eye(3) * one, angle) + s * cross + (1 - c) * (cross @ cross)


def exponential(vector: Jet) -> Jet:
    """exp([phi]) by its series in phi^2, which needs no square root; for less than half a turn."""
    zero = vector[0] * 0
    x, y, z = vector[0], vector[1], vector[2]
    cross = stack([stack([zero, -z, y]), stack([z, zero, -x]), stack([-y, x, zero])])
    square = x * x + y * y + z * z
    one = mp.mpf(1) if vector.parts.dtype == object else 1.0
    first, second = constant(one, vector), constant(one / 2, vector)
    power, weight = constant(one, vector), one
    for k in range(1, 24):
        power = power * square
        weight = -weight / ((2 * k) * (2 * k + 1))
        first, second = first + power * weight, second + power * (weight / (2 * k + 2))
    return constant(np.eye(3) * one, vector) + first * cross + second * multiply(cross, cross)
