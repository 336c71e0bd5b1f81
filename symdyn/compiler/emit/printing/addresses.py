"""Addresses as index arithmetic, in C and Python alike."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.compiler.tape.program import Address, Affine, Trips


def offset_text(base: int, strides: tuple[int, ...]) -> str:
    """``base + sum(stride_k * i_k)`` in C and Python alike; what is subtracted comes last."""
    added = [str(base)] if base > 0 or not any(stride > 0 for stride in strides) else []
    added += [_factor(stride, level) for level, stride in enumerate(strides) if stride > 0]
    taken = [_factor(stride, level) for level, stride in enumerate(strides) if stride < 0]
    taken += [str(-base)] if base < 0 and added[0] != str(base) else []
    return " - ".join([" + ".join(added), *taken])


def _factor(stride: int, level: int) -> str:
    return f"i{level}" if abs(stride) == 1 else f"{abs(stride)} * i{level}"


def runs_text(count: int | Trips, arrays: Mapping[str, str]) -> str:
    """A loop's number of runs in C and Python alike; ``arrays`` holds the names of the index tables."""
    if isinstance(count, int):
        return str(count)
    text = offset_text(count.base, count.strides)
    return f"{arrays[count.index]}[{text}]" if count.index else text


def start_text(address: Address, arrays: Mapping[str, str]) -> str:
    """The element at which a port starts, in C and Python alike; ``arrays`` holds the names of the index tables."""
    text = offset_text(address.base, address.strides)
    if isinstance(address, Affine):
        return text
    found = f"{arrays[address.index]}[{text}]"
    for level, step in enumerate(address.steps):
        if step:
            found += f" {'-' if step < 0 else '+'} {_factor(step, level)}"
    if address.shift:  # after the indices, which are unsigned in C
        found += f" {'-' if address.shift < 0 else '+'} {abs(address.shift)}"
    return found
