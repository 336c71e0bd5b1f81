"""The neutral form of an algorithm: sweeps of steps over bodies, before anything is unrolled or looped.

Physics makes a :class:`Plan`; tracing turns it into a Program. Neither side imports the other, and this file imports
neither. A *step* is a kernel over abstract scalars with declared ports. A *visit* is one use of a step: the structural
variant (joint kind and the like), the numbers of this body, and where each port lies. Sweeps along the tree and walks
from a body to the root are both plain sequences of visits, so loops can be found again where they matter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol


class FieldKind(Enum):
    """Who owns a field's memory."""

    INPUT = "input"
    OUTPUT = "output"
    STATE = "state"
    TABLE = "table"  # numbers of the robot that differ from lane to lane


class Mode(Enum):
    """What a step does at a port. ``ADD`` accumulates: the first visit to touch the place sets it."""

    READ = "read"
    WRITE = "write"
    ADD = "add"


@dataclass(frozen=True, slots=True)
class Field:
    """An array that steps share: ``rows`` rows of ``width`` scalars, row-major. Inputs and outputs have one row.

    What no visit writes of an output, or of a state field with ``sparse``, is zero; see :func:`cleared`. A table holds
    its ``values``. With ``lanes``, each scalar of the rows is that many side by side: :func:`lane_spacing` of the lanes
    in which visits find them. What is left over repeats the last lane, where it holds anything. In fields that are
    ``alike`` no zero counts as known, so that visits which read different rows share a kernel.
    """

    name: str
    kind: FieldKind
    width: int
    rows: int = 1
    sparse: bool = False
    values: tuple[float, ...] = ()
    lanes: int = 1
    alike: bool = False

    @property
    def size(self) -> int:
        """Number of scalars, over all lanes."""
        return self.width * self.rows * self.lanes


@dataclass(frozen=True, slots=True)
class Port:
    """A named group of scalars that a step reads, writes or adds to."""

    name: str
    mode: Mode
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Access:
    """Where a port lies in one visit: ``count`` scalars of ``field`` from ``offset``, ``stride`` apart.

    In a visit with lanes, each lane has its own ``offset``, ``lane`` after that of the lane before.
    """

    field: str
    offset: int
    count: int
    stride: int = 1
    lane: int = 0

    @property
    def places(self) -> range:
        """Positions of the scalars in the field."""
        return range(self.offset, self.offset + self.count * self.stride, self.stride)


@dataclass(frozen=True, slots=True)
class Given:
    """A read port whose values are known numbers in this visit (the ground's state, for instance)."""

    values: tuple[float, ...]


Binding = Access | Given
Constant = float | Access
"""A number of this body, or one scalar of a state field that an earlier step computed from run-time parameters."""

Kernel = Callable[[Any, Any, Mapping[str, Any], Mapping[str, Sequence[Any]]], Mapping[str, Sequence[Any]]]
"""``kernel(variant, algebra, constants, reads) -> writes``, generic over the algebra's scalar."""


@dataclass(frozen=True, slots=True)
class SlopeRule:
    """The slopes of a kernel in closed form, by the ports in ``by``; a column per scalar.

    ``shared`` does what the kernel does, and finds what all columns need; its variant is the kernel's with the (port,
    place) of the columns, and what it writes to ``starts`` is cut into as many parts. ``column`` finds slopes of all
    that the kernel writes, from what is shared and its part, ``start``; ``kind`` makes its variant of the kernel's,
    the column and the ports that are read.
    """

    shared: Kernel
    column: Kernel
    kind: Callable[[Any, tuple[str, int], Sequence[str]], Hashable]
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A kernel with its ports. Kernels are pure and look only at the variant, never at a scalar's value.

    What a ``linear`` one writes is linear in all that its ports read together, without a constant term. A ``timeless``
    one treats whole series as it treats numbers: it asks for no order, and has a formula for every rate.
    """

    name: str
    kernel: Kernel
    ports: tuple[Port, ...]
    slopes: SlopeRule | None = None
    linear: bool = False
    timeless: bool = False

    def port(self, name: str) -> Port:
        """The port of that name."""
        return next(port for port in self.ports if port.name == name)


class SeriesForm(Protocol):
    """How a series lies in a field: as ``size`` scalars, which are its coefficients unless they are ``by_rate``."""

    @property
    def size(self) -> int:
        """Scalars from the first on."""

    @property
    def by_rate(self) -> bool:
        """Whether the scalars are a value and then the coefficients of its rate."""

    def loaded(self, algebra: Any, scalars: Sequence[Any]) -> Any:
        """The series from its scalars."""


@dataclass(frozen=True, slots=True)
class OnSeries:
    """How a visit of a timeless step on series runs with one scalar per series, which stands for ``size`` coefficients.

    ``variant`` is the kernel's in this case. ``ports`` holds per port that has series where each of them begins,
    counted from the port's offset, and its form.
    """

    variant: Hashable
    size: int
    ports: Mapping[str, tuple[tuple[int, SeriesForm], ...]]


@dataclass(frozen=True, slots=True)
class Visit:
    """One use of a step at one body. A port that the variant does not have is absent from ``bindings``.

    With ``lanes``, it is that many uses of alike things, none of which needs what another one writes, though several
    may add to one place. Algorithms write such visits, or limbs of the robot are put in lanes afterwards. ``on_series``
    tells how to run it on whole series, where it may.
    """

    body: int
    variant: Hashable
    constants: Mapping[str, Constant]
    bindings: Mapping[str, Binding]
    lanes: int = 1
    on_series: OnSeries | None = None


@dataclass(frozen=True, slots=True)
class Sweep:
    """A step applied to a sequence of visits, in this order.

    ``vector`` marks many visits that do not depend on each other, with small kernels on evenly spaced scalars: entries
    of a matrix. The split layout keeps them as loops, which a C compiler turns into vector instructions, where a plan
    has many of them, and always those that are ``looped``. ``fields`` are those that the sweep declares for the plan
    that it goes into. Sweeps of one ``walk`` that follow each other take turns along a chain, so that loops are looked
    for over all of them.
    """

    step: Step
    visits: tuple[Visit, ...]
    vector: bool = False
    fields: tuple[Field, ...] = ()
    walk: str = ""
    looped: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """An algorithm for one robot.

    ``bodies`` and ``parent`` name the tree (parent -1 is the ground); ``order`` is the highest time derivative.
    """

    name: str
    fields: tuple[Field, ...]
    sweeps: tuple[Sweep, ...]
    bodies: tuple[str, ...]
    parent: tuple[int, ...]
    order: int = 0

    def field(self, name: str) -> Field:
        """The field of that name."""
        return next(field for field in self.fields if field.name == name)

    def fields_of(self, kind: FieldKind) -> tuple[Field, ...]:
        """All fields of one kind, in declaration order."""
        return tuple(field for field in self.fields if field.kind is kind)


def lane_spacing(lanes: int) -> int:
    """Scalars from one value of so many lanes to the next in memory: the lanes and what fills up a vector."""
    return -(-lanes // _VECTOR) * _VECTOR if lanes > _VECTOR else 1 << (lanes - 1).bit_length()


_VECTOR = 8
"""Doubles in the longest vector registers of today."""


def runs_of(visit: Visit) -> tuple[Visit, ...]:
    """The uses that a visit stands for, one per lane."""
    if visit.lanes == 1:
        return (visit,)

    def moved(place: Any, lane: int) -> Any:
        if isinstance(place, Access):  # made anew: replace() takes three times as long
            return Access(place.field, place.offset + lane * place.lane, place.count, place.stride)
        return place

    return tuple(
        Visit(
            visit.body,
            visit.variant,
            {name: moved(value, lane) for name, value in visit.constants.items()},
            {name: moved(binding, lane) for name, binding in visit.bindings.items()},
        )
        for lane in range(visit.lanes)
    )
