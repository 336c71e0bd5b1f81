"""SymPy expressions as scalars: closed forms of small robots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

_FUNCTIONS: dict[str, Any] = {
    **{name: getattr(sympy, name) for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
    **{name: getattr(sympy, name) for name in ("sinh", "cosh", "tanh", "exp", "log", "sign")},
    "abs": sympy.Abs,
    "min": sympy.Min,
    "max": sympy.Max,
    "pow": sympy.Pow,
    "fma": lambda a, b, c: a * b + c,
}
_COMPARISONS: dict[str, Any] = {"less": sympy.Lt, "less_equal": sympy.Le, "equal": sympy.Eq}


class SympyAlgebra:
    """Expressions (see :class:`symdyn.scalars.algebra.Algebra`). Whole numbers stay exact, other doubles are Floats."""

    def constant(self, value: float) -> sympy.Expr:
        """The number, as an Integer where it is whole."""
        return sympy.Integer(int(value)) if float(value).is_integer() else sympy.Float(value, 17)

    def symbol(self, name: str) -> sympy.Symbol:
        """A real symbol."""
        return sympy.Symbol(name, real=True)

    def sin_cos(self, x: Any) -> tuple[sympy.Expr, sympy.Expr]:
        """Sine and cosine."""
        return sympy.sin(x), sympy.cos(x)

    def function(self, name: str, *arguments: Any) -> sympy.Expr:
        """An elementary function by its tape code."""
        result: sympy.Expr = _FUNCTIONS[name](*arguments)
        return result

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """A relation."""
        return _COMPARISONS[code](left, right)

    def select(self, condition: Any, if_true: Any, if_false: Any) -> sympy.Expr:
        """A Piecewise of two branches."""
        result: sympy.Expr = sympy.Piecewise((if_true, condition), (if_false, True))
        return result


def sympy_matrix(scalars: Sequence[Any], shape: tuple[int, ...]) -> sympy.Matrix:
    """A matrix from row-major scalars, one axis a column; doubles that are whole numbers become exact."""
    rows, columns = shape if len(shape) == 2 else (shape[0], 1)
    return sympy.Matrix(rows, columns, [_with_whole_numbers(sympy.sympify(scalar)) for scalar in scalars])


def _with_whole_numbers(expression: sympy.Expr) -> sympy.Expr:
    whole = [number for number in expression.atoms(sympy.Float) if float(number).is_integer()]
    return expression.xreplace({number: sympy.Integer(int(number)) for number in whole})
