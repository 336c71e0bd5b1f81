"""CasADi SX as scalars: the graph from which code is made, and the casadi.Function handed to users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi

_FUNCTIONS: dict[str, Any] = {
    **{name: getattr(casadi, name) for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
    **{name: getattr(casadi, name) for name in ("sinh", "cosh", "tanh", "exp", "log", "sign")},
    "abs": casadi.fabs,
    "min": casadi.fmin,
    "max": casadi.fmax,
    "pow": casadi.power,
    "fma": lambda a, b, c: a * b + c,
}


_binary: Callable[[int, Any, Any], casadi.SX] = casadi.SX.binary
_unary: Callable[[int, Any], casadi.SX] = casadi.SX.unary


class _Node(casadi.SX):
    """An SX whose arithmetic makes the same nodes as CasADi's own operators, in a seventh of the time.

    CasADi's operators ask of both operands whether they are numbers, sparse matrices, SX or MX, one after the other
    (13 us); ``SX.binary`` knows (2 us). A trace makes some 10^5 of them. What it does not take is left to the operand.
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return _combined(casadi.OP_ADD, self, other)

    def __radd__(self, other: Any) -> Any:
        return _combined(casadi.OP_ADD, other, self)

    def __sub__(self, other: Any) -> Any:
        return _combined(casadi.OP_SUB, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _combined(casadi.OP_SUB, other, self)

    def __mul__(self, other: Any) -> Any:
        return _combined(casadi.OP_MUL, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _combined(casadi.OP_MUL, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _combined(casadi.OP_DIV, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _combined(casadi.OP_DIV, other, self)

    def __neg__(self) -> Any:
        return _node(_unary(casadi.OP_NEG, self))


def _combined(code: int, left: Any, right: Any) -> Any:
    try:
        return _node(_binary(code, left, right))
    except NotImplementedError:
        return NotImplemented


def _node(value: Any) -> Any:
    """The same object; where it is an expression and no number, as one whose arithmetic is fast."""
    if isinstance(value, casadi.SX):
        value.__class__ = _Node
    return value


class CasadiAlgebra:
    """Scalar (1 x 1) SX expressions (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    SX drops products with zero and one and sums with zero while the graph grows, so structural zeros cost nothing.
    """

    def constant(self, value: float) -> Any:
        """A constant node."""
        return _node(casadi.SX(value))

    def symbols(self, name: str, size: int) -> list[Any]:
        """Fresh symbols ``name_0 ..``."""
        vector = casadi.SX.sym(name, size)
        return [_node(vector[index]) for index in range(size)]

    def known(self, value: Any) -> float | None:
        """The number that a value is known to be, if it is one."""
        if isinstance(value, casadi.SX):
            return float(value) if value.is_constant() else None
        return float(value)

    def sin_cos(self, x: Any) -> tuple[Any, Any]:
        """Sine and cosine."""
        return _node(casadi.sin(x)), _node(casadi.cos(x))

    def function(self, name: str, *arguments: Any) -> Any:
        """An elementary function by its tape code."""
        return _node(_FUNCTIONS[name](*arguments))

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """A comparison node."""
        return left < right if code == "less" else left <= right if code == "less_equal" else left == right

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """A selection that evaluates both branches."""
        return _node(casadi.if_else(condition, if_true, if_false))


def casadi_function(
    name: str,
    input_names: Sequence[str],
    inputs: Sequence[Sequence[Any]],
    output_names: Sequence[str],
    outputs: Sequence[tuple[Sequence[Any], tuple[int, ...]]],
    share: bool = True,
) -> casadi.Function:
    """A casadi.Function of column vectors (and matrices, from row-major scalars) out of scalar expressions.

    ``share`` computes equal subexpressions once.
    """
    shaped = []
    for scalars, shape in outputs:
        column = casadi.vertcat(*(casadi.SX(scalar) for scalar in scalars))
        shaped.append(casadi.reshape(column, shape[1], shape[0]).T if len(shape) == 2 else column)
    columns = [casadi.vertcat(*scalars) for scalars in inputs]
    return casadi.Function(name, columns, shaped, list(input_names), list(output_names), {"cse": share})


def casadi_time_derivatives(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    rates: Sequence[Any],
    order: int,
    share: bool,
) -> list[Any]:
    """Scalars and their derivatives along a motion of their inputs, by CasADi's forward mode, order by order.

    Parameters
    ----------
    outputs
        Scalars to differentiate.
    inputs, rates
        Symbols, and the rate of each as an expression of the symbols.
    order
        How often to differentiate.
    share
        Compute equal subexpressions once (``casadi.cse``), over all orders together after each differentiation.

    Returns
    -------
    The outputs, their first derivatives, .., all in one row: (order + 1) times as many scalars.
    """
    symbols = casadi.vertcat(*inputs)
    direction = casadi.densify(casadi.vertcat(*(casadi.SX(rate) for rate in rates)))
    found = [casadi.densify(casadi.vertcat(*(casadi.SX(output) for output in outputs)))]
    for _ in range(order):
        found.append(casadi.densify(casadi.jtimes(found[-1], symbols, direction)))
        if share:
            found = casadi.cse(found)
    return [column[row] for column in found for row in range(column.shape[0])]


def casadi_jacobian(outputs: Sequence[Any], inputs: Sequence[Any], directions: Sequence[Sequence[Any]]) -> list[Any]:
    """The product of a Jacobian with a matrix whose rows belong to the inputs; row-major scalars.

    What the outputs have in common is found before they are differentiated.
    """
    columns = casadi.cse(casadi.densify(casadi.vertcat(*(casadi.SX(output) for output in outputs))))
    matrix = casadi.vertcat(*(casadi.horzcat(*(casadi.SX(entry) for entry in row)) for row in directions))
    found = casadi.densify(casadi.jacobian(columns, casadi.vertcat(*inputs)) @ casadi.sparsify(matrix))
    return [found[row, column] for row in range(found.shape[0]) for column in range(found.shape[1])]


def casadi_weighted_derivatives(
    outputs: Sequence[Any], weights: Sequence[Any], inputs: Sequence[Any], order: int
) -> list[list[Any]]:
    """The gradient (one row) or the Hessian (a row per input) of the weighted sum of outputs, by ``order`` 1 or 2.

    What the outputs have in common is found before they are differentiated.
    """
    columns = casadi.cse(casadi.densify(casadi.vertcat(*(casadi.SX(output) for output in outputs))))
    total, symbols = casadi.cse(casadi.dot(casadi.vertcat(*weights), columns)), casadi.vertcat(*inputs)
    found = casadi.hessian(total, symbols)[0] if order == 2 else casadi.gradient(total, symbols).T
    found = casadi.densify(found)
    return [[found[row, column] for column in range(found.shape[1])] for row in range(found.shape[0])]


@dataclass(frozen=True, slots=True)
class CasadiSource:
    """CasADi's own C for a function: its text, the scalars of workspace it needs, and its arithmetic instructions."""

    text: str
    work_size: int
    operations: int


def casadi_c_source(function: casadi.Function) -> CasadiSource:
    """The C that CasADi's code generator writes for a function."""
    generator = casadi.CodeGenerator(function.name(), {"with_header": False})
    generator.add(function)
    free = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST)
    codes = [function.instruction_id(index) for index in range(function.n_instructions())]
    return CasadiSource(generator.dump(), max(function.sz_w(), 1), sum(code not in free for code in codes))
