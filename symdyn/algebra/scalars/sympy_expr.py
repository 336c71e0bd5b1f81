"""SymPy expressions as scalars: closed forms of small robots."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy

from symdyn.algebra.scalars.common_factors import Factor, Product
from symdyn.algebra.scalars.textbook_form import textbook_form
from symdyn.algebra.scalars.trigonometric_sum import RADIAN, SIMPLE, TrigonometricSum

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

SympyMatrix = sympy.Matrix


class SympyAlgebra:
    """Expressions (see :mod:`symdyn.algebra.scalars.algebra`). Whole numbers stay exact, other doubles are Floats."""

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
    """A matrix from row-major scalars; doubles that are whole numbers become exact.

    No axis gives a 1 x 1 matrix, one axis a column; of more than two axes the last one runs along the rows, and the
    others, one after the other, down the matrix.
    """
    columns = shape[-1] if len(shape) > 1 else 1
    entries = [_with_whole_numbers(sympy.sympify(scalar)) for scalar in scalars]
    return sympy.Matrix(len(entries) // columns, columns, entries)


def _with_whole_numbers(expression: sympy.Expr) -> sympy.Expr:
    whole = [number for number in expression.atoms(sympy.Float) if float(number).is_integer()]
    return expression.xreplace({number: sympy.Integer(int(number)) for number in whole})


def textbook_expression(total: TrigonometricSum, leading: Collection[str] = ()) -> sympy.Expr:
    """A canonical sum as an expression in textbook form (see :mod:`symdyn.algebra.scalars.textbook_form`)."""
    form = textbook_form(total, leading)
    powers = [_sum(factor) ** power for factor, power in form.powers]
    return sympy.Mul(_sum(form.numerator), *powers)


def _sum(products: Sequence[Product]) -> sympy.Expr:
    return sympy.Add(*(_product(product) for product in products))


def _product(product: Product) -> sympy.Expr:
    factors = [_factor(factor) ** power for factor, power in product.factors]
    inner = _sum(product.inner) if product.inner else sympy.Integer(1)
    return sympy.Mul(_number(product.coefficient), *factors, inner)


def _factor(factor: Factor) -> sympy.Expr:
    if isinstance(factor, tuple):
        code, angle = factor
        terms = [_number(value) * (_factor(name) if name != RADIAN else 1) for name, value in angle]
        return _FUNCTIONS[code](sympy.Add(*terms))
    if isinstance(factor, str):
        return SympyAlgebra().symbol(factor)
    if factor.code == "select":
        condition, *branches = factor.arguments
        (relation,) = condition.generators()
        return SympyAlgebra().select(_factor(relation), *map(textbook_expression, branches))
    arguments = [textbook_expression(argument) for argument in factor.arguments]
    if factor.code == "angle":
        return arguments[0]
    if factor.code in _COMPARISONS:
        return SympyAlgebra().compare(factor.code, *arguments)
    return SympyAlgebra().function(factor.code, *arguments)


def _number(value: Fraction | int) -> sympy.Expr:
    """Whole numbers, halves, quarters, and fractions without a short decimal exactly; others as decimals, 15 digits."""
    if value.denominator in (1, 2, 4) or (value.denominator <= SIMPLE and 10**9 % value.denominator):
        return sympy.Rational(value.numerator, value.denominator)
    return sympy.Float(repr(float(f"{float(value):.15g}")), 15)


def latex_of(matrix: sympy.Matrix, names: Mapping[str, str]) -> str:
    """LaTeX of a matrix (of its entry, for a 1 x 1 one).

    ``names`` tells how symbols are spelled, in the order in which a product has them.
    """
    ordered = {name: sympy.Symbol(f"{place:06}", real=True) for place, name in enumerate(names)}
    shown = matrix.xreplace({SympyAlgebra().symbol(name): new for name, new in ordered.items()})
    spelled = {ordered[name]: text for name, text in names.items()}
    text: str = sympy.latex(shown[0] if shown.shape == (1, 1) else shown, symbol_names=spelled)
    return text
