"""Scalars ``offset + gain * atom``: numbers that meet on the way to a result are joined before any code is made.

Constants of a robot with run-time parameters are mostly numbers plus a number times one parameter: a second moment
J + m c^2 seen from three frames away still is. Plain symbolic arithmetic would keep every step of the way; here a sum
of two such scalars in the same atom is one of them again, whatever the number of steps. Where two different atoms
meet, their sum or product becomes an atom itself, computed once however often it occurs. What the atoms are worth is
never looked at, so that the same offsets and gains come out for numbers and for symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar

CANCELLED = 4e-16
"""Share of two gains that their sum keeps when only their rounding errors are left of it."""


class Affine:
    """``offset + gain * atom`` with two floats and the number of an atom; ``gain`` is not zero."""

    __slots__ = ("algebra", "atom", "gain", "offset")

    def __init__(self, algebra: AffineAlgebra, offset: float, gain: float, atom: int) -> None:
        self.algebra, self.offset, self.gain, self.atom = algebra, offset, gain, atom

    def scaled(self, factor: float) -> Affine | float:
        """``factor`` times this; a plain zero where the factor is zero."""
        return Affine(self.algebra, self.offset * factor, self.gain * factor, self.atom) if factor != 0.0 else 0.0

    def without_offset(self) -> Affine:
        """The part that is a multiple of the atom."""
        return Affine(self.algebra, 0.0, self.gain, self.atom)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Affine):
            return Affine(self.algebra, self.offset + other, self.gain, self.atom)
        offset = self.offset + other.offset
        if other.atom != self.atom:
            gain, atom = self.algebra.sum_atom(self, other)
            return Affine(self.algebra, offset, gain, atom)
        gain = self.gain + other.gain
        if abs(gain) <= CANCELLED * max(abs(self.gain), abs(other.gain)):
            return offset
        return Affine(self.algebra, offset, gain, self.atom)

    __radd__ = __add__

    def __neg__(self) -> Affine:
        return Affine(self.algebra, -self.offset, -self.gain, self.atom)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Affine):
            return self.scaled(other)
        own, its = self.algebra.proportional(self), self.algebra.proportional(other)
        return Affine(self.algebra, 0.0, own.gain * its.gain, self.algebra.product_atom(own.atom, its.atom))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Affine):
            return Affine(self.algebra, self.offset / other, self.gain / other, self.atom)
        return self.algebra.function("quotient", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.algebra.function("quotient", other, self)


class AffineAlgebra:
    """Affine scalars over the scalars of another algebra (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    Atoms are numbered in the order in which they are made.
    """

    def __init__(self, inner: Algebra) -> None:
        self._inner = inner
        self._atoms: list[Scalar] = []
        self._known: dict[Hashable, int] = {}

    def variables(self, values: Iterable[Scalar]) -> list[Affine]:
        """Scalars of the inner algebra, each an atom."""
        return [self._of(self._new(value)) for value in values]

    def value(self, scalar: Affine | float) -> Scalar:
        """An affine scalar, or a float, in the inner algebra."""
        if not isinstance(scalar, Affine):
            return scalar
        atom, gain, offset = self._atoms[scalar.atom], scalar.gain, scalar.offset
        product = atom if gain == 1.0 else -atom if gain == -1.0 else gain * atom
        return product if offset == 0.0 else product + offset

    def constant(self, value: float) -> float:
        """The number itself."""
        return float(value)

    def sin_cos(self, x: Any) -> tuple[Any, Any]:
        """Sine and cosine."""
        return self.function("sin", x), self.function("cos", x)

    def function(self, name: str, *arguments: Any) -> Any:
        """An elementary function by its tape code, or ``quotient``; a new atom."""

        def made() -> Scalar:
            inner = [self.value(argument) for argument in arguments]
            return inner[0] / inner[1] if name == "quotient" else self._inner.function(name, *inner)

        return self._of(self._once((name, *map(_key, arguments)), made))

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """A truth value of the inner algebra."""
        return self._inner.compare(code, self.value(left), self.value(right))

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Affine:
        """One of two values, as a new atom."""
        return self._of(self._new(self._inner.select(condition, self.value(if_true), self.value(if_false))))

    def sum_atom(self, left: Affine, right: Affine) -> tuple[float, int]:
        """(gain, atom) of the sum of two multiples of different atoms."""
        if (-abs(left.gain), left.atom) > (-abs(right.gain), right.atom):
            left, right = right, left  # a ratio of at most one neither overflows nor loses the larger part
        ratio = right.gain / left.gain
        first, second = self._atoms[left.atom], self._atoms[right.atom]

        def made() -> Scalar:
            return first + second if ratio == 1.0 else first - second if ratio == -1.0 else first + ratio * second

        return left.gain, self._once(("+", left.atom, right.atom, ratio), made)

    def product_atom(self, left: int, right: int) -> int:
        """The product of two atoms."""
        first, second = sorted((left, right))
        return self._once(("*", first, second), lambda: self._atoms[first] * self._atoms[second])

    def proportional(self, scalar: Affine) -> Affine:
        """A scalar as a multiple of one atom."""
        if scalar.offset == 0.0:
            return scalar
        shift = scalar.offset / scalar.gain
        atom = self._once(("shift", scalar.atom, shift), lambda: self._atoms[scalar.atom] + shift)
        return Affine(self, 0.0, scalar.gain, atom)

    def _of(self, atom: int) -> Affine:
        return Affine(self, 0.0, 1.0, atom)

    def _new(self, value: Scalar) -> int:
        self._atoms.append(value)
        return len(self._atoms) - 1

    def _once(self, key: Hashable, made: Callable[[], Scalar]) -> int:
        if key not in self._known:
            self._known[key] = self._new(made())
        return self._known[key]


def _key(argument: Any) -> Hashable:
    return (argument.offset, argument.gain, argument.atom) if isinstance(argument, Affine) else float(argument)
