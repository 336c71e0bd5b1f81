"""Kernels on dual numbers: values and slopes side by side, and scalars without a value that tell which slopes exist."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.algebra.scalars.dual import Dual, DualAlgebra
from symdyn.plan.plan import Kernel, Mode, Port, Step
from symdyn.plan.transforms.varying_constants import CONSTANT


@dataclass(frozen=True, slots=True)
class WithSlopes:
    """A visit's own variant, the ports whose values it writes, and the (port, direction) pairs that have slopes."""

    variant: Hashable
    values: tuple[str, ...]
    read: tuple[tuple[str, int], ...]
    written: tuple[tuple[str, int], ...]


class Unknown:
    """A scalar without a value: any arithmetic gives another. What stands on such scalars does its own arithmetic."""

    def _any(self, *others: Any) -> Unknown:
        return self if all(isinstance(other, Unknown | int | float) for other in others) else NotImplemented

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _any


class UnknownAlgebra:
    """Functions of scalars without a value."""

    def sin_cos(self, x: Any) -> tuple[Unknown, Unknown]:
        """Two unknown numbers."""
        return Unknown(), Unknown()

    def function(self, *_: Any, **__: Any) -> Unknown:
        """An unknown number, or an unknown truth value."""
        return Unknown()

    constant = compare = select = function


SLOPE_PORT = re.compile(r"_slope\d+$")
"""What the names of such ports look like."""


def slope_port(name: str, direction: int) -> str:
    """The port of a port's slopes along one direction."""
    return f"{name}_slope{direction}"


UNKNOWN_DUALS = DualAlgebra(UnknownAlgebra())
"""Dual numbers without values."""


def unknown(slopes: Iterable[int]) -> Dual:
    """A dual number of which only the directions of its slopes are known."""
    return UNKNOWN_DUALS.dual(Unknown(), {direction: Unknown() for direction in slopes})


def with_slopes(kernel: Kernel) -> Kernel:
    """A kernel on dual numbers over the scalars of whichever algebra it is run on."""

    def run(
        variant: WithSlopes, algebra: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]
    ) -> Mapping[str, Sequence[Any]]:
        slopes_of = {name: [direction for own, direction in variant.read if own == name] for name, _ in variant.read}
        over = DualAlgebra(algebra)
        of_slopes = {slope_port(name, direction) for name, direction in variant.read}

        def dual(name: str, place: int, value: Any) -> Dual:
            return over.dual(value, {k: reads[slope_port(name, k)][place] for k in slopes_of.get(name, ())})

        given = {
            name: [dual(name, place, value) for place, value in enumerate(values)]
            for name, values in reads.items()
            if name not in of_slopes
        }
        # a constant that is a dual number belongs to a derivative around this one: its slopes are not those of this one
        held = {
            name: dual(CONSTANT + name, 0, value) if CONSTANT + name in slopes_of or isinstance(value, Dual) else value
            for name, value in constants.items()
        }
        results = kernel(variant.variant, over, held, given)
        writes: dict[str, Sequence[Any]] = {
            name: [over.value(scalar) for scalar in results[name]] for name in variant.values
        }
        for name, direction in variant.written:
            writes[slope_port(name, direction)] = [over.slope(scalar, direction) for scalar in results[name]]
        return writes

    return run


def _zero(_: Any, __: Any, ___: Mapping[str, Any], ____: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    return {"entry": [0.0]}


CLEAR = Step("clear_slope", _zero, (Port("entry", Mode.WRITE),))
"""Sets a slope to zero."""
