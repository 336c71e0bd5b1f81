"""Arrays as users give them for q and v: real, finite, of the right length, and of leading dimensions that agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from symdyn.errors import RequestError
from symdyn.interface.masks import has_masked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def given_rows(name: str, owner: str, value: ArrayLike, size: int) -> Array:
    """An array of shape (..., size).

    Parameters
    ----------
    name, owner
        What messages call the array, and whose it is.
    value
        What was given.
    size
        Length of the last axis.

    Raises
    ------
    RequestError
        Masked entries, what are no real numbers or not finite, a last axis of another length.
    """
    import numpy as np

    place = f"{name} of {owner}"
    if has_masked(value):
        raise RequestError(f"{place} has masked entries, which have no value; fill them, as by {name}.filled(0.0)")
    try:
        array = _reals(value)
    except (TypeError, ValueError) as failure:
        raise RequestError(f"{place}: expected real numbers of shape (..., {size}), got {value!r}") from failure
    if array.ndim == 0 or array.shape[-1] != size:
        raise RequestError(f"{place}: expected shape (..., {size}), got {array.shape}")
    if not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(array))[0].tolist()
        raise RequestError(f"{place}: element {at} is {array[tuple(at)]}, which is not finite; expected finite numbers")
    return array


def given_shape(what: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Finite real numbers of one shape; a RequestError otherwise."""
    import numpy as np

    array = given_numbers(what, value)
    if array.shape != shape or not np.isfinite(array).all():
        found = f"got shape {array.shape}" if array.shape != shape else "and some are not finite"
        raise RequestError(f"{what}: expected finite numbers of shape {shape}, {found}")
    return array


def given_numbers(name: str, value: ArrayLike) -> Array:
    """Real numbers of any shape; a RequestError otherwise."""
    try:
        return _reals(value)
    except (TypeError, ValueError) as failure:
        raise RequestError(f"{name}: expected real numbers, got {value!r}") from failure


def _reals(value: ArrayLike) -> Array:
    """An array of float64; a TypeError for complex numbers, times and flags, which NumPy would cut or convert."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind in "bcmM":
        raise TypeError(f"got an array of {array.dtype}")
    if not isinstance(value, np.ndarray) and any(isinstance(own, bool) for own in _entries(value)):
        raise TypeError("got flags among numbers")
    return np.asarray(array, dtype=np.float64)


def _entries(value: object) -> Iterator[object]:
    """What lists in lists hold."""
    for own in value if isinstance(value, list | tuple) else ():
        yield from _entries(own) if isinstance(own, list | tuple) else (own,)


def check_leading(arrays: Mapping[str, Array]) -> None:
    """Pass arrays, by name, whose leading dimensions broadcast; raise a RequestError otherwise."""
    import numpy as np

    try:
        np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError as failure:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise RequestError(f"leading dimensions do not broadcast: {shapes}") from failure
