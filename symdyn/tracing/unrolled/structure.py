"""Structural classes: visits that can share one kernel, and what is literal in it.

A number that is 0 or +-1 belongs to the structure: the kernel is traced with it, so that its products vanish. Every
other number is a column of the class' table. What a kernel is known to leave zero is zero for its readers too, so
that the first links of a fixed arm, or a planar robot, get the small kernels they deserve.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from symdyn.plan.plan import Access, Binding, Constant, FieldKind, Given, Mode, Plan, Step, Visit


class Source(Enum):
    """Where a kernel finds a number that is not literal."""

    COLUMN = "column"  # of the class' table
    PORT = "port"  # of a state field that an earlier step computed
    LANES = "lanes"  # of the plan's table of numbers that differ from lane to lane

    __hash__ = (
        object.__hash__
    )  # members are single; Enum's own hash, of the name, is slow in keys of thousands of visits


Literal = float
Slot = Literal | Source


@dataclass(frozen=True, slots=True)
class ClassKey:
    """What two visits must share to share a kernel.

    ``tables`` tells for each constant from the plan's tables the table, how it advances from lane to lane, and how far
    it lies from the first constant of those that come from there so: they become one port.
    """

    step: str
    variant: Hashable
    constants: tuple[tuple[str, Slot], ...]
    reads: tuple[tuple[str, tuple[Slot, ...]], ...]
    accumulates: tuple[str, ...]
    strides: tuple[tuple[int, int], ...] = ()
    lanes: int = 1
    tables: tuple[tuple[str, int, int], ...] = ()


def slot_of_number(value: float) -> Slot:
    """A structural number itself, or the table."""
    return value if value in (0.0, 1.0, -1.0) else Source.COLUMN


@cache
def _slots(zeros: bytes) -> tuple[Slot, ...]:
    return tuple([0.0 if zero else Source.PORT for zero in zeros])


class Knowledge:
    """Which scalars of the plan's state are known to be zero, and which have been written, visit by visit.

    With ``zeros=False`` no zero is known: fewer classes, and longer loops.
    """

    def __init__(self, plan: Plan, zeros: bool = True) -> None:
        self._notes_zeros = {field.name: zeros and not field.alike for field in plan.fields}
        self._zero = {field.name: bytearray(field.size) for field in plan.fields}
        self._written = {field.name: bytearray(field.size) for field in plan.fields}
        self._tables = {field.name for field in plan.fields_of(FieldKind.TABLE)}

    def slot(self, field: str, places: Sequence[int]) -> Slot:
        """A known zero in all lanes, or the field."""
        zero = self._zero[field]
        return 0.0 if all(zero[place] for place in places) else Source.PORT

    def key(self, step: Step, visit: Visit) -> ClassKey:
        """The structural class of a visit, given what is known when it runs."""
        lanes = visit.lanes
        constants = tuple((name, self._constant_slot(value, lanes)) for name, value in visit.constants.items())
        reads, accumulates = [], []
        strides = [(0, value.lane) for value in visit.constants.values() if isinstance(value, Access)]
        for port in step.ports:
            binding = visit.bindings.get(port.name)
            if binding is None:
                continue
            strides.append((binding.stride, binding.lane) if isinstance(binding, Access) else (0, 0))
            if port.mode is Mode.READ:
                reads.append((port.name, self._read_slots(binding, lanes)))
            elif port.mode is Mode.ADD and self._is_written(binding, lanes):
                accumulates.append(port.name)
        return ClassKey(
            step.name,
            visit.variant,
            constants,
            tuple(reads),
            tuple(accumulates),
            tuple(strides),
            visit.lanes,
            self._tables_of(visit),
        )

    def _tables_of(self, visit: Visit) -> tuple[tuple[str, int, int], ...]:
        first: dict[tuple[str, int], int] = {}
        found = []
        for value in visit.constants.values():
            if isinstance(value, Access) and value.field in self._tables:
                start = first.setdefault((value.field, value.lane), value.offset)
                found.append((value.field, value.lane, value.offset - start))
        return tuple(found)

    def record(self, step: Step, visit: Visit, zeros: Mapping[str, tuple[bool, ...]]) -> None:
        """Note what a visit has written; ``zeros`` tells per written port which scalars its kernel leaves zero."""
        for port_name, pattern in zeros.items():
            access = visit.bindings[port_name]
            assert isinstance(access, Access)
            adds = step.port(port_name).mode is Mode.ADD
            zero, written = self._zero[access.field], self._written[access.field]
            if not adds:
                zeros_of = bytes(pattern) if self._notes_zeros[access.field] else bytes(len(pattern))
                for part in _lane_parts(access, visit.lanes):
                    zero[part] = zeros_of
                    written[part] = b"\1" * len(pattern)
                continue
            for first_place, is_zero in zip(access.places, pattern, strict=True):
                for place in lane_places(access, first_place, visit.lanes):
                    before = zero[place] if written[place] else 1
                    zero[place] = int(is_zero and before and self._notes_zeros[access.field])
                    written[place] = 1

    def touch(self, step: Step, visit: Visit) -> None:
        """Note that a visit has written, when it was traced elsewhere."""
        for port in step.ports:
            access = visit.bindings.get(port.name)
            if port.mode is not Mode.READ and isinstance(access, Access):
                for place in access.places:
                    for own_place in lane_places(access, place, visit.lanes):
                        self._written[access.field][own_place] = 1

    def _constant_slot(self, value: Constant, lanes: int) -> Slot:
        if not isinstance(value, Access):
            return slot_of_number(value)
        if value.field in self._tables:
            return Source.LANES
        return self.slot(value.field, lane_places(value, value.offset, lanes))

    def _read_slots(self, binding: Binding, lanes: int) -> tuple[Slot, ...]:
        if isinstance(binding, Given):
            return tuple(slot_of_number(value) for value in binding.values)
        zero = self._zero[binding.field]
        parts = [bytes(zero[part]) for part in _lane_parts(binding, lanes)]
        return _slots(parts[0] if len(parts) == 1 else bytes(map(min, *parts)))

    def _is_written(self, binding: Binding, lanes: int) -> bool:
        assert isinstance(binding, Access)
        written = self._written[binding.field]
        states = {written[own] for place in binding.places for own in lane_places(binding, place, lanes)}
        assert len(states) == 1, binding
        return states == {1}


def _lane_parts(access: Access, lanes: int) -> list[slice]:
    """The places of an access in each lane, or of all of them where these share it."""
    starts = [access.offset] if not access.lane else [access.offset + lane * access.lane for lane in range(lanes)]
    reach = (access.count - 1) * access.stride + 1
    return [slice(start, start + reach, access.stride) for start in starts]


def lane_places(access: Access, place: int, lanes: int) -> Sequence[int]:
    """The places of one scalar of an access in all lanes."""
    return (place,) if not access.lane else range(place, place + lanes * access.lane, access.lane)
