"""A loaded module on the bench: its functions called by name with arrays, and the robot that they belong to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mpmath import mp

from symdyn.interface.signature import Signature
from symdyn.verify.base.compare import UNIT_ROUNDOFF
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tangent import central_difference, moved, unit_row
from symdyn.verify.oracle.truth import DIGITS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Values = Mapping[str, "Array"]
"""Arrays by argument name; a call takes those that its function has."""
FlatFunction = Callable[[Mapping[str, Sequence[Any]]], Sequence[Any]]
"""Flat inputs by name to the flat rows of all outputs, one output after the other."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A module under test.

    ``signatures`` and ``calls`` hold its functions by catalogue name, ``complex_calls`` the recursions of some of the
    catalogue's functions over complex numbers, whether or not the module has them. ``integrate`` moves a configuration
    along a velocity for unit time.
    """

    setting: Setting
    signatures: Mapping[str, Signature]
    calls: Mapping[str, FlatFunction]
    complex_calls: Mapping[str, FlatFunction]
    integrate: Callable[[Array, Array], Array]
    dtype: str

    @property
    def nv(self) -> int:
        """Rows of v."""
        return self.setting.tree.nv

    @property
    def roundoff(self) -> float:
        """The unit roundoff u of the module's numbers."""
        return UNIT_ROUNDOFF[self.dtype]

    def call(self, function: str, values: Values) -> Array:
        """A function's first output, in its shape."""
        return self.call_all(function, values)[0]

    def call_all(self, function: str, values: Values) -> list[Array]:
        """All outputs of a function, each in its shape."""
        import numpy as np

        signature = self.signatures[function]
        flat = self.calls[function](
            {item.name: [float(x) for x in np.ravel(values[item.name])] for item in signature.inputs}
        )
        rows = np.asarray(flat, dtype=np.float64)
        found, first = [], 0
        for output in signature.outputs:
            found.append(rows[first : first + output.size].reshape(output.shape))
            first += output.size
        return found

    def tangent_map(self, q: Array) -> Array:
        """``N`` (nq, nv): the rate of q along each row of v."""
        import numpy as np

        with mp.workdps(DIGITS):
            start = [mp.mpf(float(value)) for value in q]

            def along(row: int) -> list[Any]:
                direction = unit_row(self.nv, row)
                return central_difference(lambda h: moved(self.setting, start, direction, h))

            return np.array([[float(rate) for rate in along(row)] for row in range(self.nv)], dtype=np.float64).T


def relative(difference: Array, size: Array) -> float:
    """Largest difference over largest size of a block; 0 where both vanish, infinite where numbers are not finite."""
    import numpy as np

    if not (np.all(np.isfinite(difference)) and np.all(np.isfinite(size))):
        return float("inf")
    error, scale = float(np.max(np.abs(difference), initial=0.0)), float(np.max(np.abs(size), initial=0.0))
    return error / scale if scale else (float("inf") if error else 0.0)


def relative_by_unit(difference: Array, size: Array, units: Sequence[str]) -> float:
    """The worst :func:`relative` over the groups of rows (of flattened arrays) that share a unit."""
    import numpy as np

    kinds = np.asarray(units)
    flat, sizes = np.ravel(difference), np.ravel(size)
    return max((relative(flat[kinds == unit], sizes[kinds == unit]) for unit in dict.fromkeys(units)), default=0.0)
