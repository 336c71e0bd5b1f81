"""Numbers with their first and second Taylor coefficients in one variable, for expressions of a robot file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mpmath import mp

from symdyn.description.quantities.expression import evaluate_arithmetic
from symdyn.description.quantities.map_expression import parse_map_expression
from symdyn.verify.base.matrices import Real

Jet = tuple[Real, Real, Real]


class Growing:
    """A number that changes with time: ``terms`` are its coefficients of 1, t and t^2."""

    __slots__ = ("terms",)

    def __init__(self, *terms: Real) -> None:
        value, rate, bend = (*map(mp.mpf, terms), *(mp.mpf(0),) * (3 - len(terms)))
        self.terms: Jet = (value, rate, bend)

    def __add__(self, other: Any) -> Growing:
        return Growing(*(x + y for x, y in zip(self.terms, _grown(other).terms, strict=True)))

    __radd__ = __add__

    def __neg__(self) -> Growing:
        return Growing(*(-x for x in self.terms))

    def __sub__(self, other: Any) -> Growing:
        return self + -_grown(other)

    def __rsub__(self, other: Any) -> Growing:
        return _grown(other) + -self

    def __mul__(self, other: Any) -> Growing:
        (a, b, c), (x, y, z) = self.terms, _grown(other).terms
        return Growing(a * x, a * y + b * x, a * z + b * y + c * x)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Growing:
        return self * _grown(other).through(lambda x: (1 / x, -1 / x**2, 2 / x**3))

    def __rtruediv__(self, other: Any) -> Growing:
        return _grown(other) / self

    def through(self, function: Callable[[Real], Sequence[Real]]) -> Growing:
        """A function of it, given with its first and second derivatives."""
        start, rate, bend = self.terms
        value, first, second = function(start)
        return Growing(value, first * rate, first * bend + second * rate**2 / 2)


def _grown(x: Any) -> Growing:
    return x if isinstance(x, Growing) else Growing(x)


def square_root(x: Real) -> tuple[Real, Real, Real]:
    """Its value, with first and second derivatives."""
    root = mp.sqrt(x)
    return root, 1 / (2 * root), -1 / (4 * root**3)


def _tangent(x: Real) -> tuple[Real, Real, Real]:
    value = mp.tan(x)
    return value, 1 + value**2, 2 * value * (1 + value**2)


_CURVES: dict[str, Callable[[Real], Sequence[Real]]] = {
    "sqrt": square_root,
    "sin": lambda x: (mp.sin(x), mp.cos(x), -mp.sin(x)),
    "cos": lambda x: (mp.cos(x), -mp.sin(x), -mp.cos(x)),
    "tan": _tangent,
    "sinh": lambda x: (mp.sinh(x), mp.cosh(x), mp.sinh(x)),
    "cosh": lambda x: (mp.cosh(x), mp.sinh(x), mp.cosh(x)),
    "exp": lambda x: (mp.exp(x),) * 3,
    "log": lambda x: (mp.log(x), 1 / x, -1 / x**2),
}


def expression_terms(text: str, names: Mapping[str, Growing]) -> Jet:
    """The coefficients of an expression."""
    functions = {name: lambda x, curve=curve: _grown(x).through(curve) for name, curve in _CURVES.items()}
    return _grown(evaluate_arithmetic(parse_map_expression(text), names, functions)).terms


class _Sloped:
    """A number that changes with time, beside its derivative by something else."""

    __slots__ = ("slope", "value")

    def __init__(self, value: Any, slope: Any = 0) -> None:
        self.value, self.slope = _grown(value), _grown(slope)

    def __add__(self, other: Any) -> _Sloped:
        own = _sloped(other)
        return _Sloped(self.value + own.value, self.slope + own.slope)

    __radd__ = __add__

    def __neg__(self) -> _Sloped:
        return _Sloped(-self.value, -self.slope)

    def __sub__(self, other: Any) -> _Sloped:
        return self + -_sloped(other)

    def __rsub__(self, other: Any) -> _Sloped:
        return _sloped(other) + -self

    def __mul__(self, other: Any) -> _Sloped:
        own = _sloped(other)
        return _Sloped(self.value * own.value, self.value * own.slope + self.slope * own.value)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> _Sloped:
        own = _sloped(other)
        found = self.value / own.value
        return _Sloped(found, (self.slope - found * own.slope) / own.value)

    def __rtruediv__(self, other: Any) -> _Sloped:
        return _sloped(other) / self

    def through(self, name: str) -> _Sloped:
        """A function of it."""
        value = self.value.through(_CURVES[name])
        return _Sloped(value, _DERIVATIVES[name](self.value, value) * self.slope)


def _sloped(x: Any) -> _Sloped:
    return x if isinstance(x, _Sloped) else _Sloped(x)


_DERIVATIVES: dict[str, Callable[[Growing, Growing], Any]] = {
    "sqrt": lambda x, value: 1 / (2 * value),
    "sin": lambda x, value: x.through(_CURVES["cos"]),
    "cos": lambda x, value: -x.through(_CURVES["sin"]),
    "tan": lambda x, value: 1 + value * value,
    "sinh": lambda x, value: x.through(_CURVES["cosh"]),
    "cosh": lambda x, value: x.through(_CURVES["sinh"]),
    "exp": lambda x, value: value,
    "log": lambda x, value: 1 / x,
}


def slope_along(text: str, names: Mapping[str, Growing], by: str) -> Growing:
    """The derivative of an expression by one of its names, as it changes with time."""
    functions = {name: lambda x, own=name: _sloped(x).through(own) for name in _CURVES}
    sloped = {name: _Sloped(value, float(name == by)) for name, value in names.items()}
    return _sloped(evaluate_arithmetic(parse_map_expression(text), sloped, functions)).slope
