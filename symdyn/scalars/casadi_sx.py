"""CasADi SX as scalars: the graph from which code is made, and the casadi.Function handed to users."""

from __future__ import annotations

from collections.abc import Sequence
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


class CasadiAlgebra:
    """Scalar (1 x 1) SX expressions (see :class:`symdyn.scalars.algebra.Algebra`).

    SX drops products with zero and one and sums with zero while the graph grows, so structural zeros cost nothing.
    """

    def constant(self, value: float) -> casadi.SX:
        """A constant node."""
        return casadi.SX(value)

    def symbols(self, name: str, size: int) -> list[casadi.SX]:
        """Fresh symbols ``name_0 ..``."""
        vector = casadi.SX.sym(name, size)
        return [vector[index] for index in range(size)]

    def known(self, value: Any) -> float | None:
        """The number that a value is known to be, if it is one."""
        if isinstance(value, casadi.SX):
            return float(value) if value.is_constant() else None
        return float(value)

    def sin_cos(self, x: Any) -> tuple[Any, Any]:
        """Sine and cosine."""
        return casadi.sin(x), casadi.cos(x)

    def function(self, name: str, *arguments: Any) -> Any:
        """An elementary function by its tape code."""
        return _FUNCTIONS[name](*arguments)

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """A comparison node."""
        return left < right if code == "less" else left <= right if code == "less_equal" else left == right

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """A selection that evaluates both branches."""
        return casadi.if_else(condition, if_true, if_false)


def casadi_function(
    name: str,
    input_names: Sequence[str],
    inputs: Sequence[Sequence[Any]],
    output_names: Sequence[str],
    outputs: Sequence[tuple[Sequence[Any], tuple[int, ...]]],
) -> casadi.Function:
    """A casadi.Function of column vectors (and matrices, from row-major scalars) out of scalar expressions."""
    shaped = []
    for scalars, shape in outputs:
        column = casadi.vertcat(*(casadi.SX(scalar) for scalar in scalars))
        shaped.append(casadi.reshape(column, shape[1], shape[0]).T if len(shape) == 2 else column)
    columns = [casadi.vertcat(*scalars) for scalars in inputs]
    return casadi.Function(name, columns, shaped, list(input_names), list(output_names), {"cse": True})


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
