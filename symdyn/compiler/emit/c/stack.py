"""At most how many bytes of stack a function of generated C takes, by what its text declares.

Compilers that optimise put kernels that are called once into their caller, and keep on the stack those values for
which there are no registers: half of the values of short functions, and a smaller part of long ones. Without
optimisation each value has a place of its own, and each kernel a frame. Both bounds are fitted to what compilers report
by ``-fstack-usage`` (``tests/cross/test_stack_bounds.py`` has the compilers, flags, robots and functions). The frames
of libm are not in them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.compiler.emit.c.unit import Unit

_VALUE = re.compile(r"\s*const (?P<type>double|float|lanes\w*|struct \w+) \w+ = ")
_ARRAY = re.compile(r"\s*lanes \w+\[(\d+)\]\[(\d+)\];")
_KERNEL = re.compile(r"\b(kernel_\w+)\(")
_VECTOR = 64
"""Bytes of the widest vector that a file may be compiled for."""
_STRUCTS = {"sine_cosine": 16, "sines_cosines": 64, "lanes_pair": 2 * _VECTOR}

_SHORT = 4096
"""Up to so many bytes of values, the part of them that lies on the stack is that of short functions."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Bytes at most: by compilers that optimise, and by those that do not."""

    optimised: int
    plain: int


def stack_of(unit: Unit) -> Stack:
    """The bounds for one call of a file's function for one state."""
    kernels = {_KERNEL.search("\n".join(lines))[1]: lines for lines in unit.kernels}  # type: ignore[index]
    own = {name: _values(lines) for name, lines in kernels.items()}
    body = _values(unit.body)
    deep = {name: own[name] + sum(own[inner] for inner in _called(kernels[name], kernels) - {name}) for name in kernels}
    deepest = max((deep[name] for name in _called(unit.body, kernels)), default=0)
    every = body + sum(own.values())
    optimised = 400 + 0.625 * min(every, _SHORT) + 0.4 * max(0, every - _SHORT)
    called = 1600 if unit.uses_pairs else 600  # frames of what computes sines and cosines
    return Stack(_whole(optimised), _whole(max(optimised, called + 1.5 * (body + deepest))))


def _values(lines: Sequence[str]) -> int:
    """Bytes of the values and arrays that some lines declare."""
    sizes = {"double": 8, "float": 4, **{f"struct {name}": size for name, size in _STRUCTS.items()}}
    found = [sizes.get(match["type"], _VECTOR) for line in lines if (match := _VALUE.match(line))]
    arrays = [math.prod(map(int, match.groups())) * _VECTOR for line in lines if (match := _ARRAY.match(line))]
    return sum(found) + sum(arrays)


def _called(lines: Sequence[str], kernels: Mapping[str, object]) -> set[str]:
    """The kernels that some lines call. A loop that is a function of its own calls one, and others none."""
    return {name for line in lines for name in _KERNEL.findall(line) if name in kernels}


def _whole(size: float) -> int:
    return 16 * math.ceil(size / 16)
