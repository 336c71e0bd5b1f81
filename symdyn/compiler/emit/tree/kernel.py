"""Kernels before any language: what is loaded, computed and stored, with types, and without text.

A value is known by the position of its instruction in the tape. It is a number, a truth value, or the sine and cosine
of one angle or of several. All lanes share a uniform value, and of a ``varying`` one each has its own. What rests on
both is varying: a language whose vectors take no scalars gives the uniform one to each lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """The type of a value. A pair is the sine and cosine of an angle, and pairs those of several."""

    NUMBER = "number"
    TRUTH = "truth"
    PAIR = "pair"
    PAIRS = "pairs"


class Access(Enum):
    """How the lanes of a kernel find a scalar of a port."""

    SCALAR = "one for all lanes"
    BESIDE = "one per lane, side by side"
    CLOSE = "the same, with no more room than for the lanes of one vector"
    APART = "one per lane, evenly spaced"
    SUM = "one for all lanes, to which each adds; the sum has the same order at any width"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the scalars of a port lie in its array.

    ``offset`` is the element that is the port's first. ``units`` holds one unit per scalar for the notes beside loads,
    or one for all, or none. ``stride`` counts elements from one index to the next, and from one lane to the next where
    lanes are apart; ``lanes`` counts the lanes where these are not side by side.
    """

    offset: int = 0
    units: tuple[str, ...] = ()
    access: Access = Access.SCALAR
    stride: int = 1
    lanes: int = 1

    @property
    def needs_lane(self) -> bool:
        """Whether its elements are found by the number of the first lane."""
        return self.access in (Access.APART, Access.SUM)


class Constant(NamedTuple):
    """A number of the tape. All lanes share it."""

    at: int
    value: float


class Load(NamedTuple):
    """One ``element`` of the array of an input port; ``note`` is its name in the user's words, and its unit."""

    at: int
    port: int
    element: int
    varying: bool
    note: tuple[str, str] | None


class Let(NamedTuple):
    """An operation on earlier values, by its code in the tape or ``ROUNDED_SUB``."""

    at: int
    code: str
    args: tuple[int, ...]
    kind: Kind
    varying: bool


class Angle(NamedTuple):
    """One angle, and the positions that read its sine and its cosine; None where nobody does."""

    at: int
    angle: int
    sine: int | None
    cosine: int | None


class SineCosine(NamedTuple):
    """The sines and cosines of some angles, evaluated at once: of one, or of several that are then all of a vector."""

    kind: Kind
    angles: tuple[Angle, ...]
    varying: bool


class Product(NamedTuple):
    """A product that is added to its place by a fused multiply-add, where the language has any."""

    at: int
    args: tuple[int, int]
    varying: bool


class Store(NamedTuple):
    """Set an ``element`` of the array of an output port, or add to it."""

    port: int
    element: int
    value: int
    accumulate: bool


Node = Constant | Load | Let | SineCosine | Product

ROUNDED_SUB = "rounded_sub"
"""A difference whose first operand may be a product, which no compiler may fuse with it."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """Nodes in order, and the stores of all ports after them: each may stand anywhere behind its value.

    ``inputs`` and ``outputs`` tell where the ports lie.
    """

    nodes: tuple[Node, ...]
    stores: tuple[Store, ...]
    inputs: Sequence[Place]
    outputs: Sequence[Place]
