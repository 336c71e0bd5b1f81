"""A tape: one straight-line kernel in SSA form, with declared ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from symdyn.compiler.tape.ops import FUSED, OPS


@dataclass(frozen=True, slots=True)
class Port:
    """A group of scalars that a kernel takes or gives.

    ``origins`` names each scalar in the user's words (``forearm.mass``); it survives every pass. A ``varying`` port has
    one value per lane, a uniform one the same value in all lanes. An accumulating output is added to its place
    instead of replacing it. ``places`` tells where in the buffer each scalar lies, counted from the port's address;
    empty, they lie side by side.
    """

    name: str
    width: int
    unit: str = ""
    origins: tuple[str, ...] = ()
    varying: bool = True
    accumulate: bool = False
    places: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        assert len(self.origins) in (0, self.width), (self.name, self.origins, self.width)
        assert len(self.places) in (0, self.width), (self.name, self.places, self.width)

    def place(self, index: int) -> int:
        """Where one scalar lies, counted from the port's address."""
        return self.places[index] if self.places else index

    @property
    def extent(self) -> int:
        """Scalars of the buffer from the port's address to its last scalar."""
        return max(self.places) + 1 if self.places else self.width

    def origin(self, index: int) -> str:
        """The user's name of one scalar, or ``name[index]`` where none was given."""
        return self.origins[index] if self.origins else f"{self.name}[{index}]"


class Op(NamedTuple):
    """One instruction. Its result is known by its position in the tape; ``args`` are earlier positions.

    ``literal`` is the value of a ``constant``, ``source`` the port and element of an ``input``. A named tuple, since
    passes make hundreds of thousands.
    """

    code: str
    args: tuple[int, ...] = ()
    literal: float = 0.0
    source: tuple[int, int] = (0, 0)
    varying: bool = True

    def with_args(self, args: tuple[int, ...]) -> Op:
        """The same instruction on other arguments."""
        return self if args == self.args else Op(self.code, args, self.literal, self.source, self.varying)


@dataclass(frozen=True, slots=True)
class Tape:
    """A pure kernel: inputs, instructions, and for each output port the positions of its results.

    One that was made ``over_series`` remembers how: languages with vectors write its coefficients side by side.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    ops: tuple[Op, ...]
    results: tuple[tuple[int, ...], ...]
    dtype: str = "float64"
    description: str = field(default="", compare=False)
    over_series: OverSeries | None = None

    def counts(self) -> Counter[str]:
        """Number of instructions of each code that costs something, plus one addition per accumulated scalar.

        All fused multiply-adds count as ``fma``, and so does a product with its addition.
        """
        counts = Counter("fma" if op.code in FUSED else op.code for op in self.ops if OPS[op.code].cost)
        products = counts.pop("product", 0)
        if products:
            counts["fma"] += products
        added = sum(port.width for port in self.outputs if port.accumulate) - products
        if added:
            counts["add"] += added
        return counts


@dataclass(frozen=True, slots=True)
class OverSeries:
    """A tape over series of so many coefficients (:mod:`symdyn.compiler.tape.series`).

    Its varying ports name the place of each first coefficient.
    """

    size: int
    tape: Tape


def places_from_first(places: Sequence[int]) -> tuple[int, ...]:
    """Places counted from the first, or none where they lie side by side."""
    found = tuple(place - places[0] for place in places)
    return () if found == tuple(range(len(found))) else found


def operation_total(counts: Counter[str]) -> int:
    """Operations in the project's counting (see :mod:`symdyn.compiler.tape.ops`)."""
    return sum(OPS[code].cost * number for code, number in counts.items())
