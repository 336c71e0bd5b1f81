"""Expressions over a robot's parameters: parsed by a whitelist over Python's syntax tree, evaluated over any scalar."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from symdyn.description.quantities.number import PATTERN, comma_remedy, read_number, unit_remedy
from symdyn.description.text.position import hint, shown
from symdyn.errors import DescriptionError

SMOOTH_FUNCTIONS: tuple[str, ...] = ("sqrt", "sin", "cos", "tan")
FUNCTIONS: tuple[str, ...] = (*SMOOTH_FUNCTIONS, "abs")
"""Functions of one argument that an expression may call; those of places along a body are smooth."""
CONSTANTS: Mapping[str, float] = {"pi": math.pi}

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}
_TOKENS = re.compile(rf"(?P<number>{PATTERN})(?![A-Za-z0-9_.])|[A-Za-z_][A-Za-z0-9_]*|[-+*/()]|[ \t]+")
_KINK = re.compile(r"\babs\b")
_MAX_LENGTH = 500
_MAX_POWER = 16
_MAX_DEPTH = 50
_KEPT = 1024
"""Expressions that are parsed once: recursions ask theirs at every body."""


@dataclass(frozen=True, slots=True)
class Expression:
    """An arithmetic expression such as ``rho*L*A``: + - * / on names and numbers, whole powers, and FUNCTIONS."""

    text: str

    def __post_init__(self) -> None:
        parse_arithmetic(self.text)

    @property
    def kinked(self) -> bool:
        """Whether it calls a function that has no derivative somewhere."""
        return _KINK.search(self.text) is not None

    @property
    def names(self) -> tuple[str, ...]:
        """Parameter names in order of first use."""
        return _names_of(self.text)

    def evaluate(self, values: Mapping[str, Any], functions: Mapping[str, Callable[[Any], Any]] | None = None) -> Any:
        """Value over the scalars of ``values``.

        Parameters
        ----------
        values
            A scalar for each of ``names``.
        functions
            The scalar's own versions of FUNCTIONS; Python's floats by default.

        Raises
        ------
        DescriptionError
            An unknown name, a division by zero or another value outside a function's domain.
        """
        table = functions or {**{name: getattr(math, name) for name in SMOOTH_FUNCTIONS}, "abs": abs}
        try:
            return evaluate_arithmetic(_tree_of(self.text), values, table)
        except (ZeroDivisionError, OverflowError, ValueError) as failure:
            raise DescriptionError(f"expression '{self.text}' has no finite value: {failure}") from None
        except KeyError as failure:
            name = str(failure.args[0])
            raise DescriptionError(
                f"expression '{self.text}': unknown name {shown(name)}; declare it under 'parameters'"
                f"{hint(name, values)}"
            ) from failure


def parse_arithmetic(text: str, functions: Sequence[str] = FUNCTIONS) -> ast.expr:
    """The syntax tree of an expression that holds nothing but arithmetic, names, and calls of ``functions``.

    Raises
    ------
    DescriptionError
        Anything else, with the words that are not allowed.
    """
    tree = _parse(text, functions)
    _check(tree, text, functions, 0)
    return tree


@lru_cache(maxsize=_KEPT)
def _tree_of(text: str) -> ast.expr:
    """Shared by all who ask: it is read, and never changed."""
    return _parse(text, FUNCTIONS)


@lru_cache(maxsize=_KEPT)
def _names_of(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_names(_tree_of(text))))


def _parse(text: str, functions: Sequence[str]) -> ast.expr:
    if len(text) > _MAX_LENGTH:
        raise DescriptionError(f"expression longer than {_MAX_LENGTH} characters: '{text[:40]}...'; split it up")
    _check_tokens(text, functions)
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as failure:
        reason = failure.msg if isinstance(failure, SyntaxError) else failure
        raise DescriptionError(
            f"expression {shown(text)} is not arithmetic: {reason}; write operations between numbers and names, such "
            "as 2*pi, and no units"
        ) from None


def _check_tokens(text: str, functions: Sequence[str]) -> None:
    # Python also reads 0x10, 1_000, 1e400 and letters that it folds into others; robot files do not.
    position = 0
    while position < len(text):
        token = _TOKENS.match(text, position)
        if token is None:
            remedy = comma_remedy(text) if text[position] == "," else unit_remedy(text[position:])
            raise DescriptionError(
                f"expression {shown(text)}: {shown(text[position : position + 10])} is not allowed; use names, decimal "
                f"numbers, + - * /, whole powers, and {', '.join(functions)}{remedy}"
            )
        if token["number"]:
            try:
                read_number(token["number"])
            except ValueError as failure:
                raise DescriptionError(f"expression {shown(text)}: {failure}") from None
        position = token.end()


def _check(node: ast.expr, text: str, functions: Sequence[str], depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise DescriptionError(f"expression '{text}' is nested deeper than {_MAX_DEPTH} levels")
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value) if math.isfinite(float(value)):
            return
        case ast.Name():
            return
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _check(operand, text, functions, depth + 1)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)) if (
            not isinstance(power, bool) and 0 <= power <= _MAX_POWER
        ):
            return _check(left, text, functions, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _check(left, text, functions, depth + 1)
            return _check(right, text, functions, depth + 1)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in functions:
            return _check(argument, text, functions, depth + 1)
    raise DescriptionError(
        f"expression '{text}': '{ast.unparse(node)}' is not allowed; use names, numbers, + - * /, whole powers "
        f"from 0 to {_MAX_POWER}, and {', '.join(functions)}"
    )


def _names(node: ast.expr) -> Iterator[str]:
    # ast.walk goes level by level; names are wanted from left to right.
    found = [child for child in ast.walk(node) if isinstance(child, ast.Name)]
    for child in sorted(found, key=lambda name: name.col_offset):
        if child.id not in FUNCTIONS and child.id not in CONSTANTS:
            yield child.id


def evaluate_arithmetic(
    node: ast.expr, values: Mapping[str, Any], functions: Mapping[str, Callable[[Any], Any]]
) -> Any:
    """Value of a tree of :func:`parse_arithmetic` over the scalars of ``values``."""
    match node:
        case ast.Constant(value=value):
            return float(value)  # type: ignore[arg-type]
        case ast.Name(id=name):
            return CONSTANTS[name] if name in CONSTANTS and name not in values else values[name]
        case ast.UnaryOp(op=op, operand=operand):
            inner = evaluate_arithmetic(operand, values, functions)
            return -inner if isinstance(op, ast.USub) else inner
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=power)):
            base = evaluate_arithmetic(left, values, functions)
            result: Any = 1.0
            for _ in range(int(power)):  # type: ignore[arg-type]
                result = result * base
            return result
        case ast.BinOp(left=left, op=op, right=right):
            first = evaluate_arithmetic(left, values, functions)
            return _BINARY[type(op)](first, evaluate_arithmetic(right, values, functions))
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return functions[name](evaluate_arithmetic(argument, values, functions))
    raise AssertionError(ast.dump(node))
