"""Exact trigonometric sums as scalars of a recursion."""

from __future__ import annotations

from fractions import Fraction

from symdyn.algebra.scalars.trigonometric_sum import (
    ONE,
    RADIAN,
    Budget,
    Generator,
    Opaque,
    TrigonometricSum,
    exact,
    symbol,
    turned,
)


class TrigonometricAlgebra:
    """Exact sums as scalars (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    ``products`` bounds the work: products of terms before the closed form is given up.
    """

    def __init__(self, products: int) -> None:
        self.budget = Budget(products)

    def constant(self, value: float) -> TrigonometricSum:
        """The number that the double's shortest spelling means."""
        return TrigonometricSum({ONE: exact(value)}, self.budget)

    def symbol(self, name: str) -> TrigonometricSum:
        """A real symbol."""
        return symbol(name, self.budget)

    def lifted(self, value: TrigonometricSum | float) -> TrigonometricSum:
        """A sum from a sum or a number."""
        return value if isinstance(value, TrigonometricSum) else self.constant(value)

    def sin_cos(self, x: TrigonometricSum | float) -> tuple[TrigonometricSum, TrigonometricSum]:
        """Sine and cosine; an angle that is no linear form in the symbols counts as a symbol of its own."""
        angle = _linear_form(self.lifted(x))
        sine, cosine = (turned(code, angle) for code in ("sin", "cos"))
        return tuple(  # type: ignore[return-value]
            TrigonometricSum({(code, form, ()): factor}, self.budget) for code, form, factor in (sine, cosine)
        )

    def function(self, name: str, *arguments: TrigonometricSum | float) -> TrigonometricSum:
        """An elementary function by its tape code: of numbers a number, else left as it stands."""
        sums = tuple(self.lifted(argument) for argument in arguments)
        if name == "fma":
            return sums[0] * sums[1] + sums[2]
        if name in ("sin", "cos"):
            return self.sin_cos(sums[0])[name == "cos"]
        return symbol(Opaque(name, sums), self.budget)

    def compare(self, code: str, left: TrigonometricSum | float, right: TrigonometricSum | float) -> Opaque:
        """A relation."""
        return Opaque(code, (self.lifted(left), self.lifted(right)))

    def select(
        self, condition: Opaque, if_true: TrigonometricSum | float, if_false: TrigonometricSum | float
    ) -> TrigonometricSum:
        """One of two values, left as it stands."""
        chosen = (symbol(condition, self.budget), self.lifted(if_true), self.lifted(if_false))
        return symbol(Opaque("select", chosen), self.budget)


def _linear_form(x: TrigonometricSum) -> list[tuple[Generator, Fraction | int]]:
    form: list[tuple[Generator, Fraction | int]] = []
    for (_, angle, powers), coefficient in x.terms.items():
        if angle or len(powers) > 1 or (powers and powers[0][1] != 1):
            return [(Opaque("angle", (x,)), Fraction(1))]
        form.append((powers[0][0] if powers else RADIAN, coefficient))
    return form
