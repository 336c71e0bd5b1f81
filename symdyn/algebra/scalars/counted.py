"""Scalars without a value that count what a straight line of their arithmetic would take: operations of a plan.

Products with 0 and 1 and sums with 0 vanish, minus signs go into sums, equal operations are one, and what no result
needs is not counted. Totals are one to five per cent above what the passes leave of the same plan, and take no longer
than running the plan once.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from symdyn.errors import SymdynError

_PRICES = {"input": 0, "part": 0, "sin_cos": 2}


class CountLimitError(SymdynError):
    """More operations than were to be counted."""


class Counted:
    """A scalar: the number of the operation that makes it."""

    __slots__ = ("algebra", "number")

    def __init__(self, algebra: CountingAlgebra, number: int) -> None:
        self.algebra, self.number = algebra, number

    def __add__(self, other: Any) -> Any:
        return self.algebra.sum(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self.algebra.difference(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return self.algebra.difference(other, self) if isinstance(other, _OPERANDS) else NotImplemented

    def __neg__(self) -> Any:
        return self.algebra.negated(self)

    def __mul__(self, other: Any) -> Any:
        return self.algebra.product(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.algebra.quotient(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return self.algebra.quotient(other, self) if isinstance(other, _OPERANDS) else NotImplemented


Operand = Counted | float
_OPERANDS = (Counted, float, int)
"""What arithmetic knows; series and dual numbers over these scalars do theirs themselves."""


class CountingAlgebra:
    """Counted scalars (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    Parameters
    ----------
    limit
        Operations, needed or not, beyond which counting is given up.
    """

    def __init__(self, limit: float = math.inf) -> None:
        self._limit = limit
        self._known: dict[Hashable, int] = {}
        self._codes: list[str] = []
        self._needs: list[tuple[int, ...]] = []

    def variables(self, size: int) -> list[Counted]:
        """Inputs, which cost nothing."""
        return [self._new("input", ()) for _ in range(size)]

    def total(self, results: Iterable[Any]) -> int:
        """Operations on which results rest: a sine with its cosine counts 2, every other operation 1."""
        wanted = [result.number for result in results if isinstance(result, Counted)]
        is_needed = bytearray(len(self._codes))
        for number in wanted:
            is_needed[number] = 1
        total = 0
        for number in range(len(self._codes) - 1, -1, -1):  # an operation comes after those that it needs
            if is_needed[number]:
                total += _PRICES.get(self._codes[number], 1)
                for argument in self._needs[number]:
                    is_needed[argument] = 1
        return total

    def made(self, code: str, *arguments: Operand) -> Counted:
        """The result of an operation, the same one for the same arguments."""
        key = (code, *(argument.number if isinstance(argument, Counted) else (argument,) for argument in arguments))
        number = self._known.get(key)
        if number is not None:
            return Counted(self, number)
        found = self._new(code, tuple(item.number for item in arguments if isinstance(item, Counted)))
        self._known[key] = found.number
        return found

    def sum(self, left: Counted, right: Operand) -> Operand:
        """The sum left + right."""
        if not isinstance(right, Counted):
            return self.made("+", left, right) if right != 0.0 else left
        plain = self._without_sign(right)
        if plain is not None:
            return self.difference(left, plain)
        plain = self._without_sign(left)
        if plain is not None:
            return self.difference(right, plain)
        return self.made("+", *(sorted((left, right), key=_number)))

    def difference(self, left: Operand, right: Operand) -> Operand:
        """The difference left - right."""
        if not isinstance(right, Counted):
            return self.made("-", left, right) if right != 0.0 else left
        if not isinstance(left, Counted):
            return self.made("-", left, right) if left != 0.0 else self.negated(right)
        if left.number == right.number:
            return 0.0
        plain = self._without_sign(right)
        if plain is not None:
            return self.sum(left, plain)
        plain = self._without_sign(left)
        if plain is not None:
            return _opposite(self.sum(plain, right))
        return self.made("-", left, right)

    def negated(self, scalar: Counted) -> Counted:
        """-scalar."""
        plain = self._without_sign(scalar)
        if plain is not None:
            return plain
        if self._codes[scalar.number] == "-" and len(self._needs[scalar.number]) == 2:
            left, right = (Counted(self, number) for number in self._needs[scalar.number])
            return self.made("-", right, left)
        return self.made("neg", scalar)

    def product(self, left: Counted, right: Operand) -> Operand:
        """The product left * right."""
        if not isinstance(right, Counted):
            if right == 0.0:
                return 0.0
            if right == 1.0:
                return left
            if right == -1.0:
                return self.negated(left)
            plain = self._without_sign(left)
            return self.made("*", left, right) if plain is None else self.made("*", plain, -right)
        plain = self._without_sign(left)
        if plain is not None:
            return _opposite(self.product(plain, right))
        plain = self._without_sign(right)
        if plain is not None:
            return _opposite(self.product(left, plain))
        return self.made("*", *(sorted((left, right), key=_number)))

    def quotient(self, left: Operand, right: Operand) -> Operand:
        """The quotient left / right, one of which is not a number."""
        if not isinstance(right, Counted) and right == 1.0:
            return left
        return self.made("/", left, right) if isinstance(left, Counted) or left != 0.0 else 0.0

    def constant(self, value: float) -> float:
        """The number itself."""
        return float(value)

    def sin_cos(self, x: Operand) -> tuple[Counted, Counted]:
        """Sine and cosine."""
        pair = self.made("sin_cos", x)
        return self.made("part", pair, 0.0), self.made("part", pair, 1.0)

    def function(self, name: str, *arguments: Operand) -> Counted:
        """An elementary function."""
        return self.made(name, *arguments)

    def compare(self, code: str, left: Operand, right: Operand) -> Counted:
        """A truth value."""
        return self.made(code, left, right)

    def select(self, condition: Operand, if_true: Operand, if_false: Operand) -> Counted:
        """One of two values."""
        return self.made("select", condition, if_true, if_false)

    def _without_sign(self, scalar: Counted) -> Counted | None:
        """What a scalar is minus of, or None."""
        is_opposite = self._codes[scalar.number] == "neg"
        return Counted(self, self._needs[scalar.number][0]) if is_opposite else None

    def _new(self, code: str, needs: Sequence[int]) -> Counted:
        if len(self._codes) >= self._limit:
            raise CountLimitError(f"more than {self._limit} operations to count; choose a smaller robot or function")
        self._codes.append(code)
        self._needs.append(tuple(needs))
        return Counted(self, len(self._codes) - 1)


def _opposite(operand: Operand) -> Operand:
    return -operand


def _number(scalar: Counted) -> int:
    return scalar.number
