"""Numbers that are exact in the format of the function under test."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from itertools import product

from symdyn.verify.base.compare import UNIT_ROUNDOFF

NEUTRAL_QUATERNION = (0.0, 0.0, 0.0, 1.0)


def rounded_to(dtype: str, value: float) -> float:
    """The nearest number of a format."""
    if dtype == "float64":
        return value
    nearest: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return nearest


def nearly_unit(quaternion: Sequence[float], dtype: str = "float64") -> list[float]:
    """A neighbour of a quaternion whose norm is 1 to far below rounding.

    Functions use quaternions as given. One that has been normalised and rounded is off by about u, and what it
    stands for is then uncertain by as much. Among its neighbours, up to two steps of u away in each component, there
    is one some hundred times nearer to norm 1, whose meaning is clear.
    """
    norm = math.sqrt(math.fsum(value * value for value in quaternion))
    candidates = []
    for value in quaternion:
        start = rounded_to(dtype, value / norm)
        step = max(math.ulp(start) * (1.0 if dtype == "float64" else 2.0**29), UNIT_ROUNDOFF[dtype])
        near = [rounded_to(dtype, start + shift * step) for shift in (0, 1, -1, 2, -2)]
        candidates.append(near if start else [0.0])
    ratios = {item: item.as_integer_ratio() for items in candidates for item in items}
    unit = max(under for _, under in ratios.values())  # a power of two, as all of them
    squares = {item: (over * (unit // under)) ** 2 for item, (over, under) in ratios.items()}
    best, distance = list(quaternion), unit**2
    for chosen in product(*candidates):
        off = abs(sum(map(squares.__getitem__, chosen)) - unit**2)
        if off < distance:
            best, distance = list(chosen), off
    return best
