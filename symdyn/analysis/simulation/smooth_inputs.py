"""Inputs that tell their time derivatives, as methods of high order need them."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_numbers

Array = NDArray[np.float64]


@runtime_checkable
class SmoothInputs(Protocol):
    """Functions of time alone that have derivatives of any order."""

    def derivatives(self, t: float, order: int) -> Array:
        """The inputs at t and their time derivatives up to an order, (order + 1, n)."""


class PolynomialInputs:
    """Inputs c_0 + c_1 t + c_2 t^2 + .., as a function of (t, q, v) that uses only t.

    Parameters
    ----------
    coefficients
        c (count, n), in N or N m per power of seconds, or in the units of the actuators.

    Raises
    ------
    RequestError
        Another shape, or numbers that are not finite.
    """

    def __init__(self, coefficients: ArrayLike) -> None:
        self._coefficients = np.array(coefficients, dtype=np.float64)
        if self._coefficients.ndim != 2 or not len(self._coefficients) or not np.isfinite(self._coefficients).all():
            raise RequestError(
                f"coefficients: expected finite numbers of shape (count, n), got shape {self._coefficients.shape}"
            )

    def derivatives(self, t: float, order: int) -> Array:
        """The inputs at t and their time derivatives up to an order, (order + 1, n)."""
        left = self._coefficients
        found = np.zeros((order + 1, left.shape[1]))
        for k in range(min(order + 1, len(self._coefficients))):
            found[k] = np.polynomial.polynomial.polyval(t, left)
            left = np.asarray(np.polynomial.polynomial.polyder(left), dtype=np.float64)
        return found

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The inputs at t."""
        return np.asarray(np.polynomial.polynomial.polyval(t, self._coefficients))


class HarmonicInputs:
    """Inputs mean + amplitude sin(rate t + phase), as a function of (t, q, v) that uses only t.

    Parameters
    ----------
    mean, amplitude
        (n,) or numbers, in N or N m, or in the units of the actuators.
    rate
        Angular frequencies (n,) or a number [rad/s].
    phase
        Angles at t = 0, (n,) or a number [rad].

    Raises
    ------
    RequestError
        Shapes that do not fit each other, or numbers that are not finite.
    """

    def __init__(self, mean: ArrayLike, amplitude: ArrayLike, rate: ArrayLike, phase: ArrayLike = 0.0) -> None:
        given = [given_numbers("mean, amplitude, rate and phase", each) for each in (mean, amplitude, rate, phase)]
        try:
            rows = np.atleast_2d(np.stack(np.broadcast_arrays(*given)).T).T
        except ValueError as failure:
            shapes = ", ".join(str(each.shape) for each in given)
            raise RequestError(
                f"mean, amplitude, rate and phase: expected (n,) or numbers, got shapes {shapes}"
            ) from failure
        if rows.ndim != 2 or not np.isfinite(rows).all():
            raise RequestError(f"mean, amplitude, rate and phase: expected finite rows (n,), got {rows!r}")
        self._mean, self._amplitude, self._rate, self._phase = rows

    def derivatives(self, t: float, order: int) -> Array:
        """The inputs at t and their time derivatives up to an order, (order + 1, n)."""
        k = np.arange(order + 1)[:, None]
        angles = self._rate * t + self._phase + k * (np.pi / 2.0)
        found: Array = self._amplitude * self._rate**k * np.sin(angles)
        found[0] += self._mean
        return found

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The inputs at t."""
        found: Array = self.derivatives(t, 0)[0]
        return found
