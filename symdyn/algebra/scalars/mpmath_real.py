"""mpmath reals as scalars: the same recursions and tapes at any precision."""

from __future__ import annotations

from typing import Any

from mpmath import mp


class MpmathAlgebra:
    """Reals of ``digits`` decimal digits (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    The precision belongs to mpmath's global context, so it is set at construction and holds until changed.
    """

    def __init__(self, digits: int = 50) -> None:
        mp.dps = digits

    def constant(self, value: float) -> Any:
        """The double's exact value."""
        return mp.mpf(value)

    def sin_cos(self, x: Any) -> tuple[Any, Any]:
        """Sine and cosine."""
        return mp.sin(x), mp.cos(x)

    def function(self, name: str, *arguments: Any) -> Any:
        """An elementary function by its tape code; NaN where the result is not real."""
        match name:
            case "abs":
                return abs(arguments[0])
            case "min":
                return arguments[0] if arguments[0] < arguments[1] else arguments[1]
            case "max":
                return arguments[0] if arguments[0] > arguments[1] else arguments[1]
            case "fma":
                return arguments[0] * arguments[1] + arguments[2]
        try:
            result = getattr(mp, "power" if name == "pow" else name)(*arguments)
        except ZeroDivisionError:  # zero to a negative power
            return mp.inf
        return mp.nan if isinstance(result, mp.mpc) else result

    def compare(self, code: str, left: Any, right: Any) -> bool:
        """Truth of a comparison."""
        return bool(left < right if code == "less" else left <= right if code == "less_equal" else left == right)

    def select(self, condition: bool, if_true: Any, if_false: Any) -> Any:
        """One of two values."""
        return if_true if condition else if_false
