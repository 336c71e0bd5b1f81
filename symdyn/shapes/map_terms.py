"""Formulas of a body given by its map: their slopes, and what of them is a number at each point of the matter.

A formula is a number, ``("s", k)`` for a material coordinate, ``("q", k)`` for one of the body's own, ``("c", k)`` for
a column of a table, ``("p", k)`` for a number that is known at run time alone, ``("^", x, n)``, or the name of an
operation with its operands. It is the same for all kinds of numbers, so that kernels of all functions evaluate it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from symdyn.description.quantities.expression import CONSTANTS
from symdyn.description.quantities.map_expression import parse_map_expression

Term = float | tuple[Any, ...]
_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_LEAVES = ("s", "q", "c", "p")


def term_of(text: str, names: Mapping[str, Term]) -> Term:
    """The formula of an expression; ``names`` tells what each of its names is."""
    return _term(parse_map_expression(text), names)


def _term(node: ast.expr, names: Mapping[str, Term]) -> Term:
    match node:
        case ast.Constant(value=value):
            return float(value)  # type: ignore[arg-type]
        case ast.Name(id=name):
            return names[name] if name in names else CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=operand):
            inner = _term(operand, names)
            return negative(inner) if isinstance(op, ast.USub) else inner
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=power)):
            return to_power(_term(left, names), int(power))  # type: ignore[arg-type]
        case ast.BinOp(left=left, op=op, right=right):
            return _JOINED[_OPERATORS[type(op)]](_term(left, names), _term(right, names))
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return (name, _term(argument, names))
    raise AssertionError(ast.dump(node))


def plus(a: Term, b: Term) -> Term:
    """A + b."""
    return b if a == 0.0 else a if b == 0.0 else ("+", a, b)


def minus(a: Term, b: Term) -> Term:
    """A - b."""
    return negative(b) if a == 0.0 else a if b == 0.0 else ("-", a, b)


def negative(a: Term) -> Term:
    """-a."""
    return (-a if a else 0.0) if isinstance(a, float) else a[1] if a[0] == "neg" else ("neg", a)


def product(a: Term, b: Term) -> Term:
    """A b."""
    if a == 0.0 or b == 0.0:
        return 0.0
    return b if a == 1.0 else a if b == 1.0 else ("*", a, b)


def quotient(a: Term, b: Term) -> Term:
    """A / b."""
    return 0.0 if a == 0.0 else a if b == 1.0 else ("/", a, b)


def to_power(a: Term, power: int) -> Term:
    """a^n for whole n from 0 on."""
    return 1.0 if power == 0 else a if power == 1 else ("^", a, power)


_JOINED: dict[str, Callable[[Term, Term], Term]] = {"+": plus, "-": minus, "*": product, "/": quotient}


@lru_cache(maxsize=65536)
def slope(term: Term, by: Term) -> Term:
    """The derivative by a leaf."""
    if isinstance(term, float) or term[0] in _LEAVES:
        return float(term == by)
    kind, *parts = term
    if kind == "^":
        base, power = parts
        return product(product(float(power), to_power(base, power - 1)), slope(base, by))
    first, *rest = (slope(part, by) for part in parts)
    match kind:
        case "+":
            return plus(first, rest[0])
        case "-":
            return minus(first, rest[0])
        case "neg":
            return negative(first)
        case "*":
            return plus(product(first, parts[1]), product(parts[0], rest[0]))
        case "/":
            return minus(quotient(first, parts[1]), quotient(product(term, rest[0]), parts[1]))
    return product(_outer(kind, parts[0], term), first) if first != 0.0 else 0.0


def _outer(function: str, at: Term, value: Term) -> Term:
    """The derivative of a function by its argument."""
    match function:
        case "sin":
            return ("cos", at)
        case "cos":
            return negative(("sin", at))
        case "tan":
            return plus(1.0, ("*", value, value))
        case "sinh":
            return ("cosh", at)
        case "cosh":
            return ("sinh", at)
        case "exp":
            return value
        case "log":
            return quotient(1.0, at)
        case "sqrt":
            return quotient(0.5, value)
    raise AssertionError(function)


class Values:
    """Values of formulas; what occurs in several is computed once.

    Parameters
    ----------
    function
        Value of a function, by its name and its argument.
    leaves
        Values by the kind of leaf: s, q, c and p.
    number
        Makes scalars of the numbers in formulas.
    """

    def __init__(
        self,
        function: Callable[[str, Any], Any],
        leaves: Mapping[str, Sequence[Any]],
        number: Callable[[float], Any] = float,
    ) -> None:
        self._function, self._leaves, self._number = function, leaves, number
        self._known: dict[Term, Any] = {}

    def __call__(self, term: Term) -> Any:
        """The value of a formula."""
        if isinstance(term, float):
            return self._number(term)
        if term[0] in _LEAVES:
            return self._leaves[term[0]][term[1]]
        if term not in self._known:
            self._known[term] = self._computed(term)
        return self._known[term]

    def _computed(self, term: tuple[Any, ...]) -> Any:
        kind = term[0]
        if kind == "^":
            half = self(to_power(term[1], term[2] // 2))
            return half * half * self(term[1]) if term[2] % 2 else half * half
        parts = [self(part) for part in term[1:]]
        match kind:
            case "+":
                return parts[0] + parts[1]
            case "-":
                return parts[0] - parts[1]
            case "neg":
                return -parts[0]
            case "*":
                return parts[0] * parts[1]
            case "/":
                return parts[0] / parts[1]
        return self._function(kind, parts[0])


@lru_cache(maxsize=65536)
def holds(term: Term, *kinds: str) -> bool:
    """Whether a formula has a leaf of some kinds."""
    if isinstance(term, float):
        return False
    if term[0] in _LEAVES:
        return term[0] in kinds
    return any(holds(part, *kinds) for part in term[1:] if not isinstance(part, int))


def rebuilt(term: Term, leaves: Mapping[Term, Term]) -> Term:
    """The formula with others in place of its leaves, of which ``leaves`` may lack those that stay."""
    if isinstance(term, float) or term[0] in _LEAVES:
        return leaves.get(term, term)
    kind, *parts = term
    if kind == "^":
        return to_power(rebuilt(parts[0], leaves), parts[1])
    if kind == "neg":
        return negative(rebuilt(parts[0], leaves))
    made = [rebuilt(part, leaves) for part in parts]
    return _JOINED[kind](*made) if kind in _JOINED else (kind, *made)
