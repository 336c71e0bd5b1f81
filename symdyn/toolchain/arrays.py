"""Arrays that C reads through pointers: checked, contiguous, and where they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import RequestError
from symdyn.interface.masks import has_masked
from symdyn.interface.signature import SWITCHES

Array = NDArray[Any]


def vector(name: str, argument: str, value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An argument of a call as a contiguous array of one shape, all finite.

    Raises
    ------
    RequestError
        Masked entries, what is no array of numbers, another shape, entries that are not finite.
    """
    if has_masked(value):
        raise RequestError(f"{name}: argument '{argument}' has masked entries, which have no value; fill them")
    try:
        found = np.ascontiguousarray(value, dtype)
    except (TypeError, ValueError) as failure:
        raise RequestError(f"{name}: argument '{argument}' is not an array of numbers; expected {shape}") from failure
    if np.shape(value) != shape:
        raise RequestError(f"{name}: argument '{argument}' has shape {np.shape(value)}, expected {shape}")
    if not np.all(np.isfinite(found)):
        raise RequestError(f"{name}: argument '{argument}' has entries that are not finite")
    check_switches(f"{name}: ", argument, found)
    return found


def check_switches(place: str, argument: str, found: Array) -> None:
    """Refuse switches of loops that are neither 1 nor 0; other arguments pass.

    Raises
    ------
    RequestError
        The first such number.
    """
    if argument == SWITCHES and not np.isin(found, (0, 1)).all():
        odd = found[~np.isin(found, (0, 1))].flat[0]
        raise RequestError(
            f"{place}argument '{argument}' has {odd}, expected 1 where a loop holds and 0 where it does not"
        )


def place_of(array: Array) -> int:
    """The address of its first element."""
    return int(array.__array_interface__["data"][0])
