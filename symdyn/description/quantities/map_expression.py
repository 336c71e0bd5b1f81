"""Expressions in a body's material coordinates and its own: where its points are, and what its strain holds."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from symdyn.description.quantities.beam_expression import BEAM_FUNCTIONS
from symdyn.description.quantities.expression import CONSTANTS, evaluate_arithmetic, parse_arithmetic
from symdyn.description.text.position import hint, shown
from symdyn.errors import DescriptionError


@dataclass(frozen=True, slots=True)
class MapExpression:
    """Arithmetic on any names: as :class:`Expression`, with BEAM_FUNCTIONS."""

    text: str

    def __post_init__(self) -> None:
        parse_map_expression(self.text)

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in alphabetical order."""
        return names_in(parse_map_expression(self.text))

    def bound(self, values: Mapping[str, float], free: Collection[str]) -> MapExpression:
        """The same with numbers in place of parameters, in its canonical spelling.

        Parameters
        ----------
        values
            Of parameters.
        free
            Names that stay.

        Raises
        ------
        DescriptionError
            A name that is in neither, a value that is not finite, or a text that grows too long.
        """
        for name in self.names:
            if name not in values and name not in free:
                known = ", ".join(free)
                raise DescriptionError(
                    f"expression {shown(self.text)}: unknown name {shown(name)}; use {known}, or declare it under "
                    f"'parameters'{hint(name, (*values, *free))}"
                )
        # Parsed anew, because the bound tree is changed in place.
        tree = _Bound(values, free).visit(parse_arithmetic(self.text, BEAM_FUNCTIONS))
        if not names_in(tree):
            return MapExpression(repr(evaluated(tree, {}, self.text)))
        return MapExpression(ast.unparse(tree))


@lru_cache(maxsize=1024)
def parse_map_expression(text: str) -> ast.expr:
    """The syntax tree of a text; nobody changes it."""
    return parse_arithmetic(text, BEAM_FUNCTIONS)


def names_in(tree: ast.expr) -> tuple[str, ...]:
    """Names of a syntax tree, in alphabetical order."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}
    return tuple(sorted(names - set(CONSTANTS)))


def evaluated(tree: ast.expr, values: Mapping[str, float], text: str) -> float:
    """The value at numbers.

    Raises
    ------
    DescriptionError
        No finite value there.
    """
    functions: dict[str, Callable[[Any], Any]] = {name: getattr(math, name) for name in BEAM_FUNCTIONS}
    try:
        value = float(evaluate_arithmetic(tree, values, functions))
    except (ZeroDivisionError, OverflowError, ValueError) as failure:
        raise DescriptionError(f"expression {shown(text)} has no finite value: {failure}") from None
    if not math.isfinite(value):
        raise DescriptionError(f"expression {shown(text)} has no finite value: it is {value}")
    return value


class _Bound(ast.NodeTransformer):
    """Puts numbers in the place of parameters."""

    def __init__(self, values: Mapping[str, float], free: Collection[str]) -> None:
        self._values, self._free = values, free

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._free or node.id not in self._values:
            return node
        value = self._values[node.id]
        return ast.Constant(value) if value >= 0.0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))
