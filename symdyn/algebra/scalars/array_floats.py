"""Arrays of doubles as scalars: one recursion for many states, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_OTHERS: dict[str, Callable[..., Any]] = {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "pow": np.power,
    "min": np.minimum,
    "max": np.maximum,
    "fma": lambda a, b, c: a * b + c,
}
"""Those that NumPy calls otherwise."""


class ArrayAlgebra:
    """Arithmetic of arrays of doubles (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    What C gives NaN or an infinity for, this does too, without a warning; results are those of ``FloatAlgebra`` to
    rounding. Scalars that are the same in all states may be floats.
    """

    def constant(self, value: float) -> float:
        """The number itself."""
        return float(value)

    def sin_cos(self, x: Array | float) -> tuple[Array, Array]:
        """Sine and cosine of each."""
        with np.errstate(invalid="ignore"):
            return np.sin(x), np.cos(x)

    def function(self, name: str, *arguments: Array | float) -> Array:
        """An elementary function of each."""
        with np.errstate(all="ignore"):
            own = _OTHERS.get(name) or getattr(np, name)
            return np.asarray(own(*arguments))

    def compare(self, code: str, left: Array | float, right: Array | float) -> NDArray[np.bool_]:
        """Truth of a comparison of each."""
        found: NDArray[np.bool_] = {"less": np.less, "less_equal": np.less_equal, "equal": np.equal}[code](left, right)
        return found

    def select(self, condition: Any, if_true: Array | float, if_false: Array | float) -> Array:
        """One of two values for each."""
        return np.where(condition, if_true, if_false)
