"""What the physics asks of a number: arithmetic by Python's operators, and the functions below.

Anything that offers them can run a recursion or evaluate a tape: floats, CasADi SX, SymPy expressions, mpmath reals,
and truncated Taylor series over any of these. Scalars may be mixed with Python floats in arithmetic. Recursions call
only ``sin_cos``, ``sqrt``, ``tanh`` and ``sign``; the rest serves expressions and the tape evaluator.
"""

from __future__ import annotations

from typing import Any, Protocol

Scalar = Any
"""A number of some algebra; Python's type system has no name for "closed under + - * /"."""


class Algebra(Protocol):
    """The functions of one kind of scalar."""

    def constant(self, value: float) -> Scalar:
        """The number itself, exactly."""

    def sin_cos(self, x: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine of one angle [rad]."""

    def function(self, name: str, *arguments: Scalar) -> Scalar:
        """An elementary function by its tape code: sqrt, sin, tan, atan2, tanh, exp, pow, abs, sign, min, max, fma."""

    def compare(self, code: str, left: Scalar, right: Scalar) -> Any:
        """Truth value of ``less``, ``less_equal`` or ``equal``."""

    def select(self, condition: Any, if_true: Scalar, if_false: Scalar) -> Scalar:
        """One of two values."""
