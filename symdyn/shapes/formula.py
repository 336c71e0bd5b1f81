"""Formulas in ``x`` from robot files: read through a whitelist into SymPy, evaluated over NumPy arrays or mpmath."""

from __future__ import annotations

import ast
import math
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import sympy

from symdyn.description.text.position import shown
from symdyn.errors import DescriptionError, InternalError

X = sympy.Symbol("x", real=True)
"""Distance [m] from the beam's root section."""

FUNCTIONS = {
    name: getattr(sympy, name)
    for name in ("sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "asin", "acos", "atan")
}
_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
_CONSTANTS = {sympy.pi: (np.pi, lambda: +mpmath.mp.pi), sympy.E: (np.e, lambda: +mpmath.mp.e)}
_MAX_LENGTH = 2000
_MAX_POWER = 32
_MAX_BITS = 8192


@lru_cache(maxsize=512)
def read_formula(text: str) -> sympy.Expr:
    """The SymPy expression in :data:`X` that ``text`` says; decimal numbers become exact fractions.

    Nothing is evaluated as Python: the text is parsed, and every node of its tree must be on the whitelist.

    Raises
    ------
    DescriptionError
        Anything but numbers, ``x``, ``pi``, + - * /, whole powers and FUNCTIONS, or a formula without a value.
    """
    if len(text) > _MAX_LENGTH:
        raise DescriptionError(f"formula longer than {_MAX_LENGTH} characters: {shown(text)}; split it up")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        result = _build(tree, text)
    except DescriptionError:
        raise
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as failure:
        raise DescriptionError(f"formula {shown(text)} is not arithmetic: {failure}") from None
    if result.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I):
        raise DescriptionError(f"formula {shown(text)} has no finite real value; check its divisions, roots and logs")
    return result


def _build(node: ast.expr, text: str) -> sympy.Expr:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value) if math.isfinite(value):
            return sympy.Rational(repr(value))
        case ast.Name(id="x"):
            return X
        case ast.Name(id="pi"):
            return sympy.pi
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_build(operand, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _build(operand, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            power = _build(right, text)
            base = _build(left, text)
            if power.is_Integer and abs(int(power)) <= _MAX_POWER and _bits(base) * abs(int(power)) <= _MAX_BITS:
                return base**power
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _build(left, text) + _build(right, text)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _build(left, text) - _build(right, text)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _build(left, text) * _build(right, text)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _build(left, text) / _build(right, text)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](_build(argument, text))
    raise DescriptionError(
        f"formula {shown(text)}: {shown(ast.unparse(node))} is not allowed; use numbers, x, pi, + - * /, whole powers "
        f"up to {_MAX_POWER}, and {', '.join(FUNCTIONS)}"
    )


def _bits(number: sympy.Expr) -> int:
    return max(int(number.p).bit_length(), int(number.q).bit_length()) if number.is_Rational else 0


@lru_cache(maxsize=4096)
def differentiate(expression: sympy.Expr, times: int) -> sympy.Expr:
    """The derivative with respect to :data:`X`."""
    return expression if times == 0 else sympy.diff(expression, X, times)


def evaluate(expression: sympy.Expr, x: Any) -> Any:
    """Value at ``x``: of the same type where it is an mpmath number, at mpmath's precision, else a NumPy array."""
    if isinstance(x, mpmath.mpf):
        return _precise(expression, x)
    x = np.asarray(x, dtype=float)
    return _floating(expression, x) + np.zeros_like(x)


def _floating(node: sympy.Expr, x: Any) -> Any:
    if node == X:
        return x
    if node.is_Rational:
        return _quotient(int(node.p), int(node.q))
    if node in _CONSTANTS:
        return _CONSTANTS[node][0]
    if node.is_Float:
        return float(node)
    values = [_floating(argument, x) for argument in node.args]
    return _apply(node, values, np)


def _quotient(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def _precise(node: sympy.Expr, x: Any) -> Any:
    if node == X:
        return x
    if node.is_Rational:
        return mpmath.mpf(int(node.p)) / int(node.q)
    if node in _CONSTANTS:
        return _CONSTANTS[node][1]()
    if node.is_Float:
        return mpmath.mpf(node._mpf_)
    values = [_precise(argument, x) for argument in node.args]
    return _apply(node, values, mpmath)


def _apply(node: sympy.Expr, values: list[Any], library: Any) -> Any:
    if node.is_Add or node.is_Mul:
        result = values[0]
        for value in values[1:]:
            result = result + value if node.is_Add else result * value
        return result
    if node.is_Pow:
        power = node.args[1]
        if power.is_Integer:
            return values[0] ** int(power) if int(power) >= 0 else 1 / values[0] ** -int(power)
        if power.is_Rational and int(power.q) == 2:
            return library.sqrt(values[0]) ** int(power.p)
        return values[0] ** values[1]
    name = node.func.__name__
    if name in FUNCTIONS:
        return getattr(library, _NUMPY.get(name, name) if library is np else name)(*values)
    raise InternalError(f"no value is known for the SymPy function '{name}' of a beam's formula")
