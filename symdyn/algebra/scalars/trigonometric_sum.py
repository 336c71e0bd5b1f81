"""Sums of products with sines and cosines of sums of angles, exact and in one canonical form.

Every product of sines and cosines is a sum of sines and cosines of sums of angles: 2 cos a cos b = cos(a - b) +
cos(a + b). Written so, equal expressions have equal terms: sin^2 + cos^2 is 1 and sin a cos b + cos a sin b is
sin(a + b) without any search, which is why a recursion run on these scalars ends in the formulas of textbooks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from symdyn.errors import RequestError

HALF = Fraction(1, 2)

SIMPLE = 360
"""Denominators up to which a fraction is taken for what was meant."""

FOR_SMALL_ROBOTS = (
    "closed forms are for small robots: lock joints, give parameters numbers, or take symdyn.symbolic or symdyn.compile"
)


@dataclass(frozen=True)
class Opaque:
    """What no rule looks into: a function of sums by its code, or ``inverse``, one over a sum."""

    code: str
    arguments: tuple[TrigonometricSum, ...]

    @cached_property
    def text(self) -> str:
        """A spelling, for a fixed order."""
        return f"~{self.code}({', '.join(argument.text for argument in self.arguments)})"


Generator = str | Opaque
"""A symbol, or what is treated as one."""
Angle = tuple[tuple[Generator, Fraction | int], ...]
"""A linear form in generators, whole numbers as int (their hash is quick); the empty name stands for one radian."""
Powers = tuple[tuple[Generator, int], ...]
Term = tuple[str, Angle, Powers]
"""``cos`` or ``sin`` of an angle times powers of generators; without one, the cosine of the empty angle, 1."""

ONE: Term = ("cos", (), ())
RADIAN = ""


def spelled(generator: Generator) -> str:
    """Text by which generators are put in order: opaque ones last."""
    return generator if isinstance(generator, str) else generator.text


def exact(value: float | int) -> Fraction:
    """The number that a double stands for: 1/3 or 5/12 where it is that fraction rounded, else its shortest decimal."""
    if not math.isfinite(value):
        raise RequestError(f"a closed form has finite numbers only, got {value}")
    fraction = Fraction(value).limit_denominator(SIMPLE)
    return fraction if float(fraction) == value else Fraction(Decimal(repr(float(value))))


class Budget:
    """How many products of terms may still be formed before a closed form is given up."""

    def __init__(self, products: int) -> None:
        self.products = products
        self.left = products

    def spend(self, products: int) -> None:
        """Count products of terms.

        Raises
        ------
        RequestError
            None are left.
        """
        self.left -= products
        if self.left < 0:
            raise RequestError(f"a closed form needs more than {self.products} products of terms; {FOR_SMALL_ROBOTS}")


class TrigonometricSum:
    """A sum of terms with rational coefficients; zero has none. Immutable; mixes with Python numbers."""

    __slots__ = ("_hash", "_text", "budget", "terms")

    def __init__(self, terms: Mapping[Term, Fraction], budget: Budget) -> None:
        self.terms = {term: coefficient for term, coefficient in terms.items() if coefficient}
        self.budget = budget
        self._hash: int | None = None
        self._text: str | None = None

    @property
    def text(self) -> str:
        """A spelling, equal for equal sums."""
        if self._text is None:
            spellings = sorted(f"{coefficient}*{_term_text(term)}" for term, coefficient in self.terms.items())
            self._text = " + ".join(spellings)
        return self._text

    def number(self) -> Fraction | None:
        """The value of a sum without symbols."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(ONE) if len(self.terms) == 1 else None

    def generators(self) -> set[Generator]:
        """Everything that occurs, in angles too."""
        return {name for _, angle, powers in self.terms for name, _ in (*angle, *powers)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrigonometricSum) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def _lifted(self, other: TrigonometricSum | float | int) -> TrigonometricSum:
        if isinstance(other, TrigonometricSum):
            return other
        return TrigonometricSum({ONE: exact(other)}, self.budget)

    def _plus(self, other: TrigonometricSum, sign: int) -> TrigonometricSum:
        total = dict(self.terms)
        for term, coefficient in other.terms.items():
            total[term] = total.get(term, Fraction(0)) + sign * coefficient
        return TrigonometricSum(total, self.budget)

    def __add__(self, other: TrigonometricSum | float) -> TrigonometricSum:
        return self._plus(self._lifted(other), 1)

    __radd__ = __add__

    def __sub__(self, other: TrigonometricSum | float) -> TrigonometricSum:
        return self._plus(self._lifted(other), -1)

    def __rsub__(self, other: TrigonometricSum | float) -> TrigonometricSum:
        return self._lifted(other) - self

    def __neg__(self) -> TrigonometricSum:
        return TrigonometricSum({term: -coefficient for term, coefficient in self.terms.items()}, self.budget)

    def __mul__(self, other: TrigonometricSum | float) -> TrigonometricSum:
        other = self._lifted(other)
        self.budget.spend(len(self.terms) * len(other.terms))
        total: dict[Term, Fraction] = {}
        for left, weight in self.terms.items():
            for right, factor in other.terms.items():
                powers = merged(left[2], right[2])
                for code, angle, share in _trigonometric_product(left, right):
                    term = (code, angle, powers)
                    total[term] = total.get(term, Fraction(0)) + share * weight * factor
        return TrigonometricSum(total, self.budget)

    __rmul__ = __mul__

    def __pow__(self, power: int) -> TrigonometricSum:
        result = self._lifted(1)
        for _ in range(power):
            result = result * self
        return result

    def __truediv__(self, other: TrigonometricSum | float) -> TrigonometricSum:
        return self * self._lifted(other).inverse()

    def __rtruediv__(self, other: TrigonometricSum | float) -> TrigonometricSum:
        return self._lifted(other) * self.inverse()

    def inverse(self) -> TrigonometricSum:
        """One over the sum: exact for a single term without sine or cosine, else opaque."""
        if not self.terms:
            raise RequestError("a closed form divides by zero; the quantity is not defined for this robot")
        ((_, angle, powers), coefficient) = next(iter(self.terms.items()))
        if len(self.terms) == 1 and not angle and all(isinstance(name, str) for name, _ in powers):
            inverted = tuple((name, -power) for name, power in powers)
            return TrigonometricSum({("cos", (), inverted): 1 / coefficient}, self.budget)
        return symbol(Opaque("inverse", (self,)), self.budget)


def symbol(generator: Generator, budget: Budget) -> TrigonometricSum:
    """The sum that is one generator."""
    return TrigonometricSum({("cos", (), ((generator, 1),)): Fraction(1)}, budget)


def merged(left: Powers, right: Powers) -> Powers:
    """The product of two monomials."""
    if not left or not right:
        return left or right
    total: dict[Generator, int] = dict(left)
    for name, power in right:
        total[name] = total.get(name, 0) + power
    return tuple(sorted(((name, power) for name, power in total.items() if power), key=lambda item: spelled(item[0])))


def turned(code: str, terms: Iterable[tuple[Generator, Fraction | int]]) -> tuple[str, Angle, Fraction]:
    """A sine or cosine with the first coefficient of its angle positive, and the factor that this costs.

    An angle that is a number becomes a factor altogether; sin 0 has the factor 0.
    """
    whole = ((name, value.numerator if value.denominator == 1 else value) for name, value in terms if value)
    angle = tuple(sorted(whole, key=lambda item: spelled(item[0])))
    if all(name == RADIAN for name, _ in angle):
        radians = float(sum(value for _, value in angle))
        return "cos", (), exact(math.cos(radians) if code == "cos" else math.sin(radians))
    leading = next(value for name, value in angle if name != RADIAN)
    if leading > 0:
        return code, angle, Fraction(1)
    return code, tuple((name, -value) for name, value in angle), Fraction(1 if code == "cos" else -1)


def shifted(left: Angle, right: Angle, sign: int) -> list[tuple[Generator, Fraction | int]]:
    """The angle left + sign * right, not yet canonical."""
    total = dict(left)
    for name, value in right:
        total[name] = total.get(name, 0) + sign * value
    return list(total.items())


def _trigonometric_product(left: Term, right: Term) -> list[tuple[str, Angle, Fraction]]:
    if not left[1]:
        return [(right[0], right[1], Fraction(1))]
    if not right[1]:
        return [(left[0], left[1], Fraction(1))]
    both = (left[0], right[0])
    code = "cos" if left[0] == right[0] else "sin"
    first = HALF if both != ("cos", "sin") else -HALF  # of the difference left - right
    second = -HALF if both == ("sin", "sin") else HALF  # of the sum
    found = []
    for sign, share in ((-1, first), (1, second)):
        turned_code, angle, factor = turned(code, shifted(left[1], right[1], sign))
        if factor:
            found.append((turned_code, angle, share * factor))
    return found


def _term_text(term: Term) -> str:
    code, angle, powers = term
    inner = " ".join(f"{value}*{spelled(name)}" for name, value in angle)
    return f"{code}({inner})" + "".join(f"*{spelled(name)}^{power}" for name, power in powers)
