"""Functions along a beam: formulas stretch by stretch, exponentials and waves, and modes as seen from a hub.

All are called as ``s(x)`` or ``s(x, derivative)``, with x [m] a NumPy array, or an mpmath number for values at
mpmath's working precision. At a station where stretches meet, the value is that of the stretch on the root's side.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import mpmath
import numpy as np
import sympy
from numpy.polynomial import polynomial

from symdyn.shapes.formula import X, differentiate, evaluate

SHAPE_DIGITS = 60
"""Digits to which the constants of natural modes are known."""
_GUARDED = 40
_SLOW = 2.0
_TAYLOR_TERMS = 28


class Shape(Protocol):
    """A function of x with two derivatives."""

    @property
    def ends(self) -> tuple[float, ...]:
        """Far ends [m] of the stretches on which the function is smooth."""
        ...

    def __call__(self, x: Any, derivative: int = 0) -> Any:
        """Value at x, or that of the first or second derivative [per metre each]."""
        ...

    def expressions(self, derivative: int = 0) -> tuple[sympy.Expr, ...]:
        """The same in SymPy, in the symbol ``x``, one expression per stretch."""
        ...


def value_at(shape: Shape, x: float, derivative: int = 0) -> float:
    """Value of a shape or of its derivative at one station [m], right to the last digit."""
    with mpmath.workdps(_GUARDED):
        return float(shape(mpmath.mpf(x), derivative))


def by_stretch(ends: tuple[float, ...], x: Any, value: Any) -> Any:
    """``value(stretch, x)`` for the stretch that holds x."""
    if isinstance(x, mpmath.mpf):
        return value(bisect.bisect_left(ends[:-1], x), x)
    x = np.asarray(x, dtype=float)
    if len(ends) == 1:
        return value(0, x)
    flat = x.ravel()
    stretch = np.searchsorted(np.array(ends[:-1]), flat, side="left")
    order = np.argsort(stretch, kind="stable")
    numbers, firsts = np.unique(stretch[order], return_index=True)
    result = np.empty_like(flat)
    for number, here in zip(numbers.tolist(), np.split(order, firsts[1:]), strict=True):
        result[here] = value(number, flat[here])
    return result.reshape(x.shape)


@dataclass(frozen=True, slots=True)
class FormulaShape:
    """Formulas in :data:`symdyn.shapes.formula.X`, one per stretch."""

    ends: tuple[float, ...]
    pieces: tuple[sympy.Expr, ...]

    def __call__(self, x: Any, derivative: int = 0) -> Any:
        """Value at x, or that of a derivative."""
        pieces = self.expressions(derivative)
        return by_stretch(self.ends, x, lambda stretch, inside: evaluate(pieces[stretch], inside))

    def expressions(self, derivative: int = 0) -> tuple[sympy.Expr, ...]:
        """The formulas or their derivatives."""
        return tuple(differentiate(piece, derivative) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class NaturalShape:
    """A natural mode of a uniform beam, a exp(-b x) + b exp(-b (L - x)) + c cos(b x) + d sin(b x) with b = root / L.

    Both exponentials decay away from their end: cosh and sinh of high modes would cancel each other's digits. The four
    of slow modes (heavy payloads) nearly cancel too: there, doubles take the Taylor series. Rods that twist or stretch
    have waves only. ``root`` and the four ``coefficients`` have SHAPE_DIGITS digits.
    """

    length: float
    root: Any
    coefficients: tuple[Any, Any, Any, Any]

    @property
    def ends(self) -> tuple[float, ...]:
        """The beam's length: one stretch."""
        return (self.length,)

    def __call__(self, x: Any, derivative: int = 0) -> Any:
        """Value at x, or that of a derivative."""
        library: Any
        values: tuple[Any, ...]
        if isinstance(x, mpmath.mpf):
            library, root, length, values = mpmath, self.root, mpmath.mpf(self.length), self.coefficients
        elif self.root < _SLOW:
            x = np.asarray(x, dtype=float)
            powers = polynomial.polyder(_taylor(self.root, self.coefficients), derivative)
            return polynomial.polyval(x / self.length, powers) / self.length**derivative
        else:
            library, root, length, x = np, float(self.root), self.length, np.asarray(x, dtype=float)
            values = tuple(float(value) for value in self.coefficients)
        near, far, cosine, sine = values
        for _ in range(derivative):
            near, far, cosine, sine = -near, far, sine, -cosine
        angle = root * (x / length)
        result = cosine * library.cos(angle) + sine * library.sin(angle)
        if near or far:
            result = result + near * library.exp(-angle) + far * library.exp(angle - root)
        return result * (root / length) ** derivative

    def expressions(self, derivative: int = 0) -> tuple[sympy.Expr, ...]:
        """The mode in SymPy, with constants of SHAPE_DIGITS digits."""
        root, near, far, cosine, sine = (_sympy_float(value) for value in (self.root, *self.coefficients))
        angle = root * X / _sympy_float(mpmath.mpf(self.length))
        mode = cosine * sympy.cos(angle) + sine * sympy.sin(angle)
        if near or far:
            mode += near * sympy.exp(-angle) + far * sympy.exp(angle - root)
        return (differentiate(mode, derivative),)


@lru_cache(maxsize=1024)
def _taylor(root: Any, coefficients: tuple[Any, Any, Any, Any]) -> np.ndarray[Any, Any]:
    """Taylor series of a natural mode about its root section in x / L."""
    near, far, cosine, sine = coefficients
    with mpmath.workdps(SHAPE_DIGITS):
        back = far * mpmath.exp(-root)
        waves = (cosine, sine, -cosine, -sine)
        rounding = mpmath.mpf(10) ** (5 - SHAPE_DIGITS) * max(abs(value) for value in coefficients)
        slopes = [mpmath.chop((-1) ** n * near + back + waves[n % 4], tol=rounding) for n in range(_TAYLOR_TERMS)]
        return np.array([float(root**n / mpmath.factorial(n) * slope) for n, slope in enumerate(slopes)])


def _sympy_float(value: Any) -> sympy.Expr:
    return sympy.Float(value, SHAPE_DIGITS) if value else sympy.Integer(0)


@dataclass(frozen=True)
class ShapeFromHub:
    """A ``mode`` w that turns the hub at its root by the slope r = w'(0), as seen from that hub: w - r x."""

    mode: Shape

    @cached_property
    def turn(self) -> Any:
        """How far the mode turns the hub [rad per unit], an mpmath number of SHAPE_DIGITS digits."""
        with mpmath.workdps(SHAPE_DIGITS):
            return self.mode(mpmath.mpf(0), 1)

    @property
    def ends(self) -> tuple[float, ...]:
        """Those of the mode."""
        return self.mode.ends

    def __call__(self, x: Any, derivative: int = 0) -> Any:
        """Value at x, or that of a derivative."""
        value = self.mode(x, derivative)
        if derivative > 1:
            return value
        turn = self.turn if isinstance(x, mpmath.mpf) else float(self.turn)
        return value - turn * (x if derivative == 0 else 1)

    def expressions(self, derivative: int = 0) -> tuple[sympy.Expr, ...]:
        """Those of the mode less the turn."""
        less = differentiate(_sympy_float(self.turn) * X, derivative)
        return tuple(piece - less for piece in self.mode.expressions(derivative))
