"""The derivatives of elementary functions of one argument, over any scalar."""

from __future__ import annotations

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.errors import InternalError


def elementary_slope(algebra: Algebra, name: str, at: Scalar, value: Scalar) -> Scalar:
    """The derivative of an elementary function by its tape code, where its value is known.

    Raises
    ------
    InternalError
        There is no rule for a function of that name.
    """
    function = algebra.function
    match name:
        case "sqrt":
            return 0.5 / value
        case "exp":
            return value
        case "log":
            return 1.0 / at
        case "sin":
            return function("cos", at)
        case "cos":
            return -function("sin", at)
        case "tan":
            return 1.0 + value * value
        case "tanh":
            return 1.0 - value * value
        case "sinh":
            return function("cosh", at)
        case "cosh":
            return function("sinh", at)
        case "abs":
            return function("sign", at)
    raise InternalError(f"function '{name}' has no derivative here; please report the robot that needs it")
