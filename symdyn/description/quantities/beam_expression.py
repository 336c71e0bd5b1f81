"""Expressions in x, the distance from a beam's root: how a cross-section changes, and which shapes a beam may take."""

from __future__ import annotations

import ast
import cmath
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from symdyn.description.quantities.expression import CONSTANTS, SMOOTH_FUNCTIONS, evaluate_arithmetic, parse_arithmetic
from symdyn.description.quantities.interval import INTERVAL_FUNCTIONS, Interval
from symdyn.description.text.position import hint, shown
from symdyn.errors import DescriptionError

BEAM_FUNCTIONS: tuple[str, ...] = (*SMOOTH_FUNCTIONS, "sinh", "cosh", "exp", "log")
"""Functions of one argument that an expression in x may call."""
PLACE = "x"
"""The one free name, in m."""

_SAMPLES = 33
_PIECES = 4000
_STEP = 1e-30


@dataclass(frozen=True, slots=True)
class BeamExpression:
    """Arithmetic on ``x`` [m] and on parameters: as :class:`Expression`, with BEAM_FUNCTIONS."""

    text: str

    def __post_init__(self) -> None:
        _tree(self.text)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of parameters, in alphabetical order."""
        return tuple(sorted(_names(_tree(self.text)) - {PLACE, *CONSTANTS}))

    @property
    def varies(self) -> bool:
        """Whether ``x`` occurs."""
        return PLACE in _names(_tree(self.text))

    def bound(self, values: Mapping[str, float]) -> BeamExpression:
        """The same with numbers in place of parameters, in its canonical spelling; without x, one number.

        Raises
        ------
        DescriptionError
            A name that is not in ``values``, a value that is not finite, or a text that grows too long.
        """
        for name in self.names:
            if name not in values:
                raise DescriptionError(
                    f"expression {shown(self.text)}: unknown name {shown(name)}; use x, the distance from the "
                    f"root, or declare it under 'parameters'{hint(name, (*values, PLACE))}"
                )
        # Parsed anew, because the bound tree is changed in place.
        tree = _Bound(values).visit(parse_arithmetic(self.text, BEAM_FUNCTIONS))
        if not self.varies:
            return BeamExpression(repr(_at(tree, self.text, 0.0, math)))
        return BeamExpression(ast.unparse(tree))

    def at(self, x: float) -> float:
        """Value at ``x`` [m].

        Raises
        ------
        DescriptionError
            No finite value there.
        """
        return float(self.over(x, math))

    def over(self, x: Any, module: Any) -> Any:
        """Value at ``x``, a scalar of a module that holds BEAM_FUNCTIONS, such as ``mpmath.mp``.

        Raises
        ------
        DescriptionError
            No finite value there.
        """
        return _at(_tree(self.text), self.text, x, module)

    def slope(self, x: float) -> float:
        """Derivative at ``x``, exact to rounding, by a step into the complex plane.

        Raises
        ------
        DescriptionError
            No finite value there.
        """
        stepped = self.over(complex(x, _STEP), cmath)
        return float(complex(stepped).imag / _STEP)

    def between(self, start: float, end: float) -> Interval:
        """Bounds of the values from ``start`` to ``end``; not the tightest."""
        found = evaluate_arithmetic(_tree(self.text), {PLACE: Interval(start, end)}, INTERVAL_FUNCTIONS)
        return found if isinstance(found, Interval) else Interval(found, found)

    def fault(self, start: float, end: float, *, positive: bool, remedy: str = "") -> str | None:
        """What is wrong from ``start`` to ``end``: a value that is not finite or, on request, not positive.

        Values at Chebyshev points find what is plainly wrong; bounds over ever shorter pieces prove the rest.
        ``remedy`` is what may help where neither does, besides fewer terms.
        """
        return _fault(self.at, self.between, (start, end), positive, remedy)

    def fault_above(self, other: BeamExpression, start: float, end: float) -> str | None:
        """What is wrong with the difference to ``other`` from ``start`` to ``end``, which is to be positive."""

        def between(first: float, last: float) -> Interval:
            return self.between(first, last) - other.between(first, last)

        return _fault(lambda x: self.at(x) - other.at(x), between, (start, end), True, "")

    def largest(self, start: float, end: float) -> tuple[float, float]:
        """The largest magnitude at Chebyshev points from ``start`` to ``end``, and its place."""
        return max((abs(self.at(x)), x) for x in _places(start, end))


def _places(start: float, end: float) -> list[float]:
    middle, half = (start + end) / 2, (end - start) / 2
    inner = (middle - half * math.cos(math.pi * k / (_SAMPLES - 1)) for k in range(1, _SAMPLES - 1))
    return [start, *inner, end]


def _fault(
    value_at: Callable[[float], float],
    between: Callable[[float, float], Interval],
    ends: tuple[float, float],
    positive: bool,
    remedy: str,
) -> str | None:
    waiting = [ends] if (wrong := _fault_at(value_at, _places(*ends), positive)) is None else []
    for _ in range(_PIECES):
        if wrong is not None or not waiting:
            return wrong
        first, last = waiting.pop()
        bounds = between(first, last)
        if bounds.high < math.inf and bounds.low > (0.0 if positive else -math.inf):
            continue
        half_way = (first + last) / 2
        wrong = _fault_at(value_at, [half_way], positive)
        waiting += [(half_way, last), (first, half_way)]
    first, last = waiting[-1]
    wanted = "stay positive" if positive else "stay finite"
    return (
        f"cannot be shown to {wanted} near x = {first:.6g}, where it is {value_at(first):.6g}: write it with fewer "
        f"terms that cancel{remedy}"
    )


def _fault_at(value_at: Callable[[float], float], places: list[float], positive: bool) -> str | None:
    for x in places:
        try:
            value = value_at(x)
        except DescriptionError:
            return f"has no finite value at x = {x:.6g}"
        if positive and not value > 0.0:
            return f"is {value:.6g} at x = {x:.6g}"
    return None


@lru_cache(maxsize=1024)
def _tree(text: str) -> ast.expr:
    return parse_arithmetic(text, BEAM_FUNCTIONS)


def _names(tree: ast.expr) -> set[str]:
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}


def _at(tree: ast.expr, text: str, x: Any, module: Any) -> Any:
    functions: dict[str, Callable[[Any], Any]] = {name: getattr(module, name) for name in BEAM_FUNCTIONS}
    try:
        value = evaluate_arithmetic(tree, {PLACE: x}, functions)
    except (ZeroDivisionError, OverflowError, ValueError) as failure:
        raise DescriptionError(f"expression {shown(text)} has no finite value: {failure}") from None
    if not cmath.isfinite(value):
        raise DescriptionError(f"expression {shown(text)} has no finite value: it is {value}")
    return value


class _Bound(ast.NodeTransformer):
    """Puts numbers in the place of parameters."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = values

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == PLACE or node.id not in self._values:
            return node
        value = self._values[node.id]
        return ast.Constant(value) if value >= 0.0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))
