"""Truncated Taylor series as scalars of a recursion: every kernel runs on them as it stands, for all orders at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symdyn.algebra.scalars import taylor_functions as functions
from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.layers import layer_of, series_above
from symdyn.algebra.scalars.taylor import Series, times
from symdyn.errors import InternalError


class TaylorAlgebra:
    """Series over the scalars of another algebra (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    Scalars of the inner algebra are constants in time, and so is what functions make of them alone. Functions need an
    argument at which they are analytic: ``sqrt``, ``log`` and a division by something other than 0 at t = 0, ``asin``
    and ``acos`` inside (-1, 1). ``abs``, ``sign``, ``min``, ``max`` and comparisons are decided by the value at
    t = 0.

    Parameters
    ----------
    inner
        The coefficients' algebra.
    order
        The order that :meth:`lifted` gives to constants.

    Raises
    ------
    InternalError
        The coefficients would be made of series.
    """

    def __init__(self, inner: Algebra, order: int) -> None:
        if layer_of(inner).over_series:
            raise InternalError("time series over time series cannot be told apart; please report the robot")
        self.inner = inner
        self.order = order
        self.layer = series_above(inner)

    def constant(self, value: float) -> Scalar:
        """The number as a scalar of the inner algebra, known to every order."""
        return self.inner.constant(value)

    def lifted(self, x: Scalar) -> Series:
        """A series from a series or from a constant in time."""
        return x if isinstance(x, Series) else Series((x, *(0.0,) * self.order))

    def from_derivatives(self, values: Sequence[Scalar]) -> Series:
        """The series of a quantity from its value and derivatives x, x', x'', .. at t = 0."""
        return Series([times(value, self._reciprocal_factorial(k)) for k, value in enumerate(values)])

    def derivatives(self, x: Scalar) -> list[Scalar]:
        """Value and derivatives x, x', x'', .. at t = 0; inverse of :meth:`from_derivatives`."""
        found = []
        for k, value in enumerate(self.lifted(x).coefficients):
            for factor in functions.factorial_factors(k):
                value = times(value, factor)
            found.append(value)
        return found

    def integral(self, x: Scalar, start: Scalar) -> Series:
        """The series with rate x and a given value at t = 0, one order longer than x; it remembers its rate."""
        return functions.integral(self.inner, self.lifted(x), start)

    def sin_cos(self, x: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine."""
        return functions.sin_cos(self.inner, x) if isinstance(x, Series) else self.inner.sin_cos(x)

    def function(self, name: str, *arguments: Scalar) -> Scalar:
        """An elementary function by its tape code.

        ``abs`` is sign(x_0) x, and ``sign`` is constant.

        Raises
        ------
        InternalError
            There is no rule for a function of that name.
        """
        if not any(isinstance(argument, Series) for argument in arguments):
            return self.inner.function(name, *arguments)
        if len(arguments) == 1:
            return self._of_one(name, arguments[0])
        match name:
            case "fma":
                return arguments[0] * arguments[1] + arguments[2]
            case "min":
                return self.select(self.compare("less", *arguments), *arguments)
            case "max":
                return self.select(self.compare("less", *reversed(arguments)), *arguments)
            case "pow":
                return self._power(*arguments)
            case "atan2":
                y, x = (self._beside(argument, arguments) for argument in arguments)
                value = self.inner.function("atan2", y.leading, x.leading)
                return functions.arc_tangent_of_two(self.inner, value, y, x)
        raise InternalError(f"function '{name}' of a time series is not known; please report the robot that needs it")

    def _of_one(self, name: str, u: Series) -> Scalar:
        inner = self.inner
        match name:
            case "sqrt":
                return functions.root(inner, u)
            case "sin" | "cos":
                return functions.sin_cos(inner, u)[name == "cos"]
            case "sinh" | "cosh":
                return functions.sinh_cosh(inner, u)[name == "cosh"]
            case "tan" | "tanh":
                return functions.tangent(inner, u, hyperbolic=name == "tanh")
            case "abs":
                return u * inner.function("sign", u.leading)
            case "sign":
                return inner.function("sign", u.leading)
        value = inner.function(name, u.leading)
        if name == "exp":
            return functions.exponential(inner, u, value)
        if name in _DIVISORS:
            return functions.by_quadrature(inner, value, u, lambda x: _DIVISORS[name](inner, x))
        raise InternalError(f"function '{name}' of a time series is not known; please report the robot that needs it")

    def _power(self, base: Scalar, exponent: Scalar) -> Scalar:
        if isinstance(exponent, Series):  # y' = (b log a)' y
            start = self.inner.function("pow", leading(base), exponent.leading)
            return functions.exponential(self.inner, exponent * self.function("log", base), start)
        if isinstance(exponent, int | float) and exponent >= 0 and float(exponent).is_integer():
            return functions.whole_power(base, int(exponent)) if exponent else self.constant(1.0)
        return functions.power(self.inner, base, exponent)

    def compare(self, code: str, left: Scalar, right: Scalar) -> Any:
        """Truth value at t = 0."""
        return self.inner.compare(code, leading(left), leading(right))

    def select(self, condition: Any, if_true: Scalar, if_false: Scalar) -> Scalar:
        """One of two series, coefficient by coefficient, or of two constants."""
        both = (if_true, if_false)
        if not any(isinstance(choice, Series) for choice in both):
            return self.inner.select(condition, *both)
        one, other = (self._beside(choice, both) for choice in both)

        def chosen(k: int) -> Scalar:
            x, y = one.coefficient(k), other.coefficient(k)
            return x if x is y else self.inner.select(condition, x, y)

        return Series.on_demand(min(one.order, other.order), chosen)

    def _beside(self, x: Scalar, arguments: Sequence[Scalar]) -> Series:
        """A constant as a series as long as those beside it."""
        if isinstance(x, Series):
            return x
        order = min(argument.order for argument in arguments if isinstance(argument, Series))
        return Series((x, *(0.0,) * order))

    def _reciprocal_factorial(self, k: int) -> Scalar:
        return functions.reciprocal(self.inner, *functions.factorial_factors(k))


def leading(x: Scalar) -> Scalar:
    """The value at t = 0 of a series or of a constant."""
    return x.leading if isinstance(x, Series) else x


_DIVISORS: dict[str, Callable[[Algebra, Series], Series]] = {
    "log": lambda _, x: x,
    "atan": lambda _, x: 1.0 + x * x,
    "asin": lambda inner, x: functions.root(inner, 1.0 - x * x),
    "acos": lambda inner, x: -functions.root(inner, 1.0 - x * x),
}
"""Functions f with f'(x) = 1 / divisor(x)."""
