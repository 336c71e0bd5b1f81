"""Structural classes: visits that can share one kernel, and what is literal in it.

A number that is 0 or +-1 belongs to the structure: the kernel is traced with it, so that its products vanish. Every
other number is a column of the class' table. What a kernel is known to leave zero is zero for its readers too, so
that the first links of a fixed arm, or a planar robot, get the small kernels they deserve.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from symdyn.plan import Access, Binding, Constant, Given, Mode, Plan, Step, Visit


class Source(Enum):
    """Where a kernel finds a number that is not literal."""

    COLUMN = "column"  # of the class' table
    PORT = "port"  # of a state field that an earlier step computed

    __hash__ = (
        object.__hash__
    )  # members are single; Enum's own hash, of the name, is slow in keys of thousands of visits


Literal = float
Slot = Literal | Source


@dataclass(frozen=True, slots=True)
class ClassKey:
    """What two visits must share to share a kernel."""

    step: str
    variant: Hashable
    constants: tuple[tuple[str, Slot], ...]
    reads: tuple[tuple[str, tuple[Slot, ...]], ...]
    accumulates: tuple[str, ...]
    strides: tuple[int, ...] = ()


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
        self._notes_zeros = zeros
        self._zero = {field.name: bytearray(field.size) for field in plan.fields}
        self._written = {field.name: bytearray(field.size) for field in plan.fields}

    def slot(self, field: str, place: int) -> Slot:
        """A known zero, or the field."""
        return 0.0 if self._zero[field][place] else Source.PORT

    def key(self, step: Step, visit: Visit) -> ClassKey:
        """The structural class of a visit, given what is known when it runs."""
        constants = tuple((name, self._constant_slot(value)) for name, value in visit.constants.items())
        reads, accumulates, strides = [], [], []
        for port in step.ports:
            binding = visit.bindings.get(port.name)
            if binding is None:
                continue
            strides.append(binding.stride if isinstance(binding, Access) else 0)
            if port.mode is Mode.READ:
                reads.append((port.name, self._read_slots(binding)))
            elif port.mode is Mode.ADD and self._is_written(binding):
                accumulates.append(port.name)
        return ClassKey(step.name, visit.variant, constants, tuple(reads), tuple(accumulates), tuple(strides))

    def record(self, step: Step, visit: Visit, zeros: Mapping[str, tuple[bool, ...]]) -> None:
        """Note what a visit has written; ``zeros`` tells per written port which scalars its kernel leaves zero."""
        for port_name, pattern in zeros.items():
            access = visit.bindings[port_name]
            assert isinstance(access, Access)
            adds = step.port(port_name).mode is Mode.ADD
            zero, written = self._zero[access.field], self._written[access.field]
            if not adds:
                part = slice(access.offset, access.places.stop, access.stride)
                zero[part] = bytes(pattern) if self._notes_zeros else bytes(len(pattern))
                written[part] = b"\1" * len(pattern)
                continue
            for place, is_zero in zip(access.places, pattern, strict=True):
                before = zero[place] if written[place] else 1
                zero[place] = int(is_zero and before and self._notes_zeros)
                written[place] = 1

    def touch(self, step: Step, visit: Visit) -> None:
        """Note that a visit has written, when it was traced elsewhere."""
        for port in step.ports:
            access = visit.bindings.get(port.name)
            if port.mode is not Mode.READ and isinstance(access, Access):
                for place in access.places:
                    self._written[access.field][place] = 1

    def _constant_slot(self, value: Constant) -> Slot:
        return self.slot(value.field, value.offset) if isinstance(value, Access) else slot_of_number(value)

    def _read_slots(self, binding: Binding) -> tuple[Slot, ...]:
        if isinstance(binding, Given):
            return tuple(slot_of_number(value) for value in binding.values)
        places = binding.places
        return _slots(bytes(self._zero[binding.field][places.start : places.stop : places.step]))

    def _is_written(self, binding: Binding) -> bool:
        assert isinstance(binding, Access)
        states = {self._written[binding.field][place] for place in binding.places}
        assert len(states) == 1, binding
        return states == {1}
