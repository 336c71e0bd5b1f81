"""Scalars made of other scalars, layer upon layer: which of two operands is made of scalars such as the other one.

A derivative of a derivative runs dual numbers over dual numbers. To a number of the upper layer, one of the lower layer
is a constant. If both counted as one layer, slopes along different directions would be added, which is called
perturbation confusion (Siskind and Pearlmutter 2005, "Perturbation confusion and referential transparency").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Layer:
    """How many layers lie between a scalar and plain numbers, and whether time series are among those below it.

    There is one object per layer, so that layers are compared by identity.
    """

    depth: int
    over_series: bool


@cache
def _layer(depth: int, over_series: bool) -> Layer:
    return Layer(depth, over_series)


GROUND = _layer(0, False)
"""Plain numbers, whatever kind of numbers they are."""


def layer_of(algebra: Any) -> Layer:
    """The layer of an algebra's scalars."""
    found: Layer = getattr(algebra, "layer", GROUND)
    return found


def layer_above(algebra: Any) -> Layer:
    """The layer of scalars that are made of an algebra's scalars."""
    below = layer_of(algebra)
    return _layer(below.depth + 1, below.over_series)


def series_above(algebra: Any) -> Layer:
    """What lies above time series over an algebra knows that they are there; a series has no layer of its own."""
    return _layer(layer_of(algebra).depth + 1, True)


class Layered:
    """A scalar that is made of others. A time series has no ``layer``, because only one layer may be of series."""

    __slots__ = ()
    layer: Layer | None


def lies_above(other: Any, own: Layer) -> bool:
    """Whether an operand is made of scalars of a layer, or of some above it: its own arithmetic then goes first."""
    if not isinstance(other, Layered):
        return False
    return not own.over_series if other.layer is None else other.layer.depth > own.depth
