"""Rates that series know of themselves, for kernels that otherwise derive them by a formula."""

from __future__ import annotations

from collections.abc import Callable

from symdyn.algebra.scalars.taylor import Series, rate
from symdyn.algebra.spatial.vectors import Vector

_WORTHWHILE = 2
"""Order from which shifting a vector's coefficients costs less than a product formula to one order below."""


def rates_of(vector: Vector, otherwise: Callable[[], Vector]) -> Vector:
    """The rates of a vector's components: read off its series, or by a formula where scalars are no series.

    Parameters
    ----------
    vector
        Components that are series in time, constants, or scalars of which nothing is known but the value.
    otherwise
        The formula. It stands for series of order 0 and 1 too.

    Returns
    -------
    The rates, one order below the vector where they are read off its series.
    """
    orders = [component.order for component in vector if isinstance(component, Series)]
    if not orders or min(orders) < _WORTHWHILE:
        return otherwise()
    return [rate(component) for component in vector]
