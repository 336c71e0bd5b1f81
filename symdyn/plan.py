"""The neutral form of an algorithm: sweeps of steps over bodies, before anything is unrolled or looped.

Physics makes a :class:`Plan`; tracing turns it into a Program. Neither side imports the other, and this file imports
neither. A *step* is a kernel over abstract scalars with declared ports. A *visit* is one use of a step: the structural
variant (joint kind and the like), the numbers of this body, and where each port lies. Sweeps along the tree and walks
from a body to the root are both plain sequences of visits, so loops can be found again where they matter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from types import MappingProxyType
from typing import Any


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
    in which visits find them. What is left over repeats the last lane, where it holds anything.
    """

    name: str
    kind: FieldKind
    width: int
    rows: int = 1
    sparse: bool = False
    values: tuple[float, ...] = ()
    lanes: int = 1

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
class Step:
    """A kernel with its ports. Kernels are pure and look only at the variant, never at a scalar's value."""

    name: str
    kernel: Kernel
    ports: tuple[Port, ...]

    def port(self, name: str) -> Port:
        """The port of that name."""
        return next(port for port in self.ports if port.name == name)


@dataclass(frozen=True, slots=True)
class Visit:
    """One use of a step at one body. A port that the variant does not have is absent from ``bindings``.

    With ``lanes``, it is that many uses of alike things, none of which needs what another one writes, though several
    may add to one place. Algorithms write such visits, or limbs of the robot are put in lanes afterwards.
    """

    body: int
    variant: Hashable
    constants: Mapping[str, Constant]
    bindings: Mapping[str, Binding]
    lanes: int = 1


@dataclass(frozen=True, slots=True)
class Sweep:
    """A step applied to a sequence of visits, in this order.

    ``vector`` marks many visits that do not depend on each other, with small kernels on evenly spaced scalars: entries
    of a matrix. The split layout keeps them as loops, which a C compiler turns into vector instructions. ``fields`` are
    those that the sweep declares for the plan that it goes into.
    """

    step: Step
    visits: tuple[Visit, ...]
    vector: bool = False
    fields: tuple[Field, ...] = ()


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


def cleared(plan: Plan) -> Plan:
    """The plan with a first sweep that sets to zero what no visit writes of outputs and sparse fields.

    So does a sweep before each one in which all lanes of a visit add to a place that nothing has set yet.
    """
    plan = _with_sums_begun(plan)
    untouched = {
        field.name: bytearray(b"\1" * field.size)
        for field in plan.fields
        if field.kind is FieldKind.OUTPUT or field.sparse
    }
    for sweep in plan.sweeps:
        written = [port.name for port in sweep.step.ports if port.mode is not Mode.READ]
        for visit in sweep.visits:
            for name in written:
                access = visit.bindings.get(name)
                if isinstance(access, Access) and access.field in untouched:
                    for lane in range(visit.lanes):
                        for place in access.places:
                            untouched[access.field][place + lane * access.lane] = 0
    visits: dict[int, list[Visit]] = {size: [] for size in _CLEAR_SIZES}
    for name, flags in untouched.items():
        for start, count in _runs(flags):
            for size in _CLEAR_SIZES:
                while count >= size:
                    visits[size].append(_clearing(Access(name, start, size)))
                    start, count = start + size, count - size
    sweeps = tuple(Sweep(_CLEAR, tuple(found), vector=True) for found in visits.values() if found)
    return replace(plan, sweeps=(*sweeps, *plan.sweeps)) if sweeps else plan


def _with_sums_begun(plan: Plan) -> Plan:
    if not any(visit.lanes > 1 for sweep in plan.sweeps for visit in sweep.visits):
        return plan
    is_set = {field.name: bytearray(field.size) for field in plan.fields}
    sweeps: list[Sweep] = []
    for sweep in plan.sweeps:
        begun: list[Access] = []
        modes = {port.name: port.mode for port in sweep.step.ports}
        for visit in sweep.visits:
            for name, access in visit.bindings.items():
                if not isinstance(access, Access) or modes[name] is Mode.READ:
                    continue
                flags = is_set[access.field]
                if modes[name] is Mode.ADD and visit.lanes > 1 and not access.lane:
                    begun += [Access(access.field, place, 1) for place in access.places if not flags[place]]
                for run in range(visit.lanes if access.lane else 1):
                    for place in access.places:
                        flags[place + run * access.lane] = 1
        sweeps += [clearing(begun), sweep] if begun else [sweep]
    return replace(plan, sweeps=tuple(sweeps))


def clearing(accesses: Iterable[Access]) -> Sweep:
    """A sweep that sets places to zero."""
    return Sweep(_CLEAR, tuple(map(_clearing, accesses)))


def _clearing(access: Access) -> Visit:
    return Visit(-1, access.count, {}, {"entries": access})


def places_written(sweeps: Iterable[Sweep], field: str) -> set[int]:
    """Places of a field that some visits write or add to, in any lane."""
    found: set[int] = set()
    for sweep in sweeps:
        ports = [port.name for port in sweep.step.ports if port.mode is not Mode.READ]
        for run in chain.from_iterable(map(runs_of, sweep.visits)):
            for access in map(run.bindings.get, ports):
                if isinstance(access, Access) and access.field == field:
                    found.update(access.places)
    return found


def runs_of(visit: Visit) -> tuple[Visit, ...]:
    """The uses that a visit stands for, one per lane."""
    if visit.lanes == 1:
        return (visit,)

    def moved(place: Any, lane: int) -> Any:
        return replace(place, offset=place.offset + lane * place.lane, lane=0) if isinstance(place, Access) else place

    return tuple(
        Visit(
            visit.body,
            visit.variant,
            {name: moved(value, lane) for name, value in visit.constants.items()},
            {name: moved(binding, lane) for name, binding in visit.bindings.items()},
        )
        for lane in range(visit.lanes)
    )


def kept_apart(
    fields: Sequence[Field],
    sweeps: Sequence[Sweep],
    prefix: str,
    shared: Collection[str],
    linked: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[Field], list[Sweep]]:
    """An algorithm with ``prefix`` before the names of its state fields, for use beside another one in a plan.

    Fields in ``shared`` keep their names, as do inputs, outputs, and fields that only others declare. ``linked`` gives
    inputs and outputs the names of fields that the caller declares. The sweeps declare none themselves.
    """
    names = {
        field.name: f"{prefix}_{field.name}"
        for field in fields
        if field.kind is FieldKind.STATE and field.name not in shared
    } | dict(linked)

    def moved(place: Any) -> Any:
        return replace(place, field=names[place.field]) if isinstance(place, Access) and place.field in names else place

    made = []
    for sweep in sweeps:
        visits = [
            replace(
                visit,
                constants={name: moved(value) for name, value in visit.constants.items()},
                bindings={name: moved(binding) for name, binding in visit.bindings.items()},
            )
            for visit in sweep.visits
        ]
        made.append(replace(sweep, visits=tuple(visits), fields=()))
    kept = [replace(field, name=names.get(field.name, field.name)) for field in fields if field.name not in linked]
    return kept, made


def _runs(flags: bytearray) -> Iterator[tuple[int, int]]:
    """(start, count) of the stretches of set flags."""
    start = flags.find(1)
    while start >= 0:
        end = flags.find(0, start)
        end = len(flags) if end < 0 else end
        yield start, end - start
        start = flags.find(1, end)


def _zeros(size: Any, _: Any, __: Mapping[str, Any], ___: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    return {"entries": [0.0] * size}


_CLEAR = Step("clear", _zeros, (Port("entries", Mode.WRITE),))
_CLEAR_SIZES = (32, 8, 2, 1)
"""Scalars that one visit clears: few kernels, and few visits for the large blocks between the branches of a tree."""


def run_plan(plan: Plan, algebra: Any, inputs: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Carry a plan out, step by step, over any algebra.

    This is the float recursion when the algebra is floats, and the unrolled trace when it is symbolic.

    Parameters
    ----------
    plan
        What to do.
    algebra
        Passed to the kernels; see ``symdyn.scalars``.
    inputs
        Flat scalars per input field.

    Returns
    -------
    Flat scalars per output field.
    """
    plan = cleared(plan)
    memory: dict[str, Any] = {field.name: [None] * field.size for field in plan.fields}
    for field in plan.fields_of(FieldKind.INPUT):
        memory[field.name] = list(inputs[field.name])
        assert len(memory[field.name]) == field.size, (field.name, len(memory[field.name]), field.size)
    for field in plan.fields_of(FieldKind.TABLE):
        memory[field.name] = list(field.values)

    def read(access: Access, place: int) -> Any:
        return memory[access.field][place]

    def write(access: Access, place: int, value: Any, adds: bool) -> None:
        held = memory[access.field][place] if adds else None
        memory[access.field][place] = value if held is None else held + value

    for sweep in plan.sweeps:
        for visit in sweep.visits:
            for run in runs_of(visit):
                run_visit(sweep.step, run, algebra, read, write)
    return {field.name: memory[field.name] for field in plan.fields_of(FieldKind.OUTPUT)}


def run_visit(
    step: Step,
    visit: Visit,
    algebra: Any,
    read: Callable[[Access, int], Any],
    write: Callable[[Access, int, Any, bool], None],
) -> None:
    """Run a step's kernel at one visit, with ``read(access, place)`` and ``write(access, place, value, adds)``.

    Of a visit with lanes, at its first lane.
    """
    modes = {port.name: port.mode for port in step.ports}
    reads: dict[str, list[Any]] = {}
    for name, binding in visit.bindings.items():
        if isinstance(binding, Given):
            reads[name] = list(binding.values)
        elif modes[name] is Mode.READ:
            reads[name] = [read(binding, place) for place in binding.places]
    constants = {
        name: read(value, value.offset) if isinstance(value, Access) else value
        for name, value in visit.constants.items()
    }
    for name, values in step.kernel(visit.variant, algebra, constants, reads).items():
        access = visit.bindings[name]
        assert isinstance(access, Access) and len(values) == access.count, (step.name, name)
        for place, value in zip(access.places, values, strict=True):
            write(access, place, value, modes[name] is Mode.ADD)
