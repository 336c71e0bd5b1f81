"""Numbers as source text: the shortest decimal that reads back as the same number."""

from __future__ import annotations

import math
import struct

from symdyn.errors import InternalError, RequestError

_FLOAT32_DIGITS = 9  # decimal digits that tell any two float32 numbers apart


def double_literal(value: float) -> str:
    """Decimal text of a finite double, with a point or an exponent.

    Raises
    ------
    InternalError
        An infinity or NaN, which has no literal in C.
    """
    if not math.isfinite(value):
        raise InternalError(f"expected a finite constant in a tape, got {value}")
    return repr(float(value))


def float_literal(value: float) -> str:
    """Decimal text of the float32 nearest to a finite number, with C's suffix ``f``.

    Raises
    ------
    InternalError
        An infinity or NaN.
    RequestError
        A number beyond float32's range.
    """
    double_literal(value)
    try:
        nearest = _to_float32(value)
    except OverflowError as failure:
        raise RequestError(
            f"the constant {value!r} of this robot does not fit float32 (largest 3.4e38); generate with dtype='float64'"
        ) from failure
    for digits in range(1, _FLOAT32_DIGITS + 1):
        text = f"{nearest:.{digits}g}"
        if _is_float32(text, nearest):
            break
    return f"{float(text)!r}f"


def _to_float32(value: float) -> float:
    rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return rounded


def _is_float32(text: str, nearest: float) -> bool:
    try:
        return _to_float32(float(text)) == nearest
    except OverflowError:  # a short decimal of the largest float32 may lie beyond it
        return False
