"""Directions of derivatives, one by one or in groups that run side by side: where slopes lie, and who computes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Port, Step, Sweep, Visit
from symdyn.plan.transforms.dual_kernels import WithSlopes, slope_port
from symdyn.plan.transforms.nested import unused

FEW_DIRECTIONS = 8
"""Directions from which they go in lanes; fewer are written one by one.

Partial derivatives of inverse dynamics, one by one and in lanes: ns with vectors of 64 and of 32 bytes, and kB of
machine code. A flexible link with 8 rows of v 634 / 200, 728 / 322, 41 / 20; with 9 759 / 283, 869 / 536, 47 / 28; an
arm of flexible links with 15 3190 / 1480 with vectors of 64 bytes, 178 / 79; two links with 26 6915 / 1990, 411 / 126.
"""


class OneByOne:
    """Directions that each have slopes of their own in a kernel.

    Parameters
    ----------
    name
        What the names of fields begin with.
    number
        How many there are.
    jacobians
        For each output field, of width m, the field that receives its Jacobian, (m, n).
    taken
        Names of the plan's fields.
    """

    lanes = 1

    def __init__(self, name: str, number: int, jacobians: Mapping[str, str], taken: Collection[str]) -> None:
        self._name, self._number, self._jacobians, self._taken = name, number, jacobians, taken
        self._sizes: dict[str, int] = {}
        self.count = self.ports = number

    def access(self, access: Access, size: int, direction: int) -> Access:
        """Where slopes lie of a field of ``size`` scalars: block by block, and those of outputs in their Jacobian."""
        if access.field in self._jacobians:
            start, stride = access.offset * self.count + direction, access.stride * self.count
            return Access(self._jacobians[access.field], start, access.count, stride)
        return Access(self._state(access, size), direction * size + access.offset, access.count, access.stride)

    def _state(self, access: Access, size: int) -> str:
        self._sizes[access.field] = size
        return self._slope_field(access.field)

    def _slope_field(self, field: str) -> str:
        return unused(f"{field}_slope", self._taken)

    def units(self, access: Access, direction: int) -> Binding:
        """The slopes of the directions themselves."""
        return Given(tuple(float(place == direction) for place in access.places))

    def fields(self) -> list[Field]:
        """State for all slopes whose places were asked for."""
        return [
            Field(self._slope_field(field), FieldKind.STATE, size, self.count, lanes=self.lanes)
            for field, size in self._sizes.items()
        ]

    def visits(self, plain: Step, made: Visit) -> Iterable[Visit]:
        """The visits that carry out a visit with slopes of a step."""
        return (made,)

    def values(self, plain: Step, whole: Visit, made: Visit) -> Visit | None:
        """The visit without slopes, with the lanes that it was born with, if these visits leave values to it."""
        return None

    def gathered(self, output: str, wanted: Sequence[Collection[int]]) -> Iterable[Sweep]:
        """Sweeps that lead slopes to the Jacobian of an output; ``wanted`` tells per row those that are there."""
        return ()


class Groups(OneByOne):
    """Directions in groups of eight, of which the last may be filled up by directions of which all slopes are zero.

    A kernel has the slopes of one group, one direction per lane.
    """

    lanes = 8

    def __init__(self, name: str, number: int, jacobians: Mapping[str, str], taken: Collection[str]) -> None:
        super().__init__(name, number, jacobians, taken)
        self.count, self.ports = -(-number // self.lanes), 1
        self._units = f"{name}_directions"

    def access(self, access: Access, size: int, direction: int) -> Access:
        """Where a group's slopes lie of a field of ``size`` scalars."""
        return self._beside(access, self._state(access, size), size, direction)

    def _beside(self, access: Access, field: str, size: int, group: int) -> Access:
        start = (group * size + access.offset) * self.lanes
        return Access(field, start, access.count, access.stride * self.lanes, 1)

    def units(self, access: Access, direction: int) -> Binding:
        """The slopes of a group's directions themselves."""
        return self._beside(access, self._units, self._number, direction)

    def fields(self) -> list[Field]:
        """The table of the directions' own slopes, and state for the others."""
        units = tuple(
            float(place == self.lanes * group + lane)
            for group in range(self.count)
            for place in range(self._number)
            for lane in range(self.lanes)
        )
        table = Field(self._units, FieldKind.TABLE, self._number, self.count, values=units, lanes=self.lanes)
        return [table, *super().fields()]

    def visits(self, plain: Step, made: Visit) -> Iterator[Visit]:
        """A visit per group of directions."""
        variant = made.variant
        assert isinstance(variant, WithSlopes)
        ports = [port.name for port in plain.ports if port.mode is Mode.READ]
        reads = {name: made.bindings[name] for name in ports if name in made.bindings}
        for group in sorted({group for _, group in variant.written}):
            read, written = (
                tuple((name, 0) for name, own in found if own == group) for found in (variant.read, variant.written)
            )
            names = sorted({name for name, _ in (*read, *written)})
            slopes = {slope_port(name, 0): made.bindings[slope_port(name, group)] for name in names}
            own = WithSlopes(variant.variant, (), read, written)
            yield Visit(made.body, own, made.constants, slopes | reads, self.lanes)

    def values(self, plain: Step, whole: Visit, made: Visit) -> Visit | None:
        """The plain visit, after those with slopes, because it may change what they read."""
        variant = made.variant
        assert isinstance(variant, WithSlopes)
        return valued(plain, whole, variant.values) if variant.values else None

    def gathered(self, output: str, wanted: Sequence[Collection[int]]) -> Iterator[Sweep]:
        """Sweeps that lead slopes to the Jacobian of an output; ``wanted`` tells per row the groups that are there."""
        field = self._slope_field(output)
        for group in range(self.count):
            first = group * self.lanes
            visits = [
                Visit(
                    -1,
                    None,
                    {},
                    {
                        "slope": self._beside(Access(output, row, 1), field, len(wanted), group),
                        "entry": Access(self._jacobians[output], row * self._number + first, 1, lane=1),
                    },
                    min(self.lanes, self._number - first),
                )
                for row, groups in enumerate(wanted)
                if group in groups
            ]
            if visits:
                yield Sweep(_GATHER, tuple(visits))


def valued(plain: Step, visit: Visit, values: tuple[str, ...]) -> Visit:
    """A visit of a step on dual numbers that writes the values of some ports alone."""
    kept = (*(port.name for port in plain.ports if port.mode is Mode.READ), *values)
    bindings = {name: visit.bindings[name] for name in kept if name in visit.bindings}
    return Visit(visit.body, WithSlopes(visit.variant, values, (), ()), visit.constants, bindings, visit.lanes)


def _gather(_: Any, __: Any, ___: Any, reads: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    return {"entry": list(reads["slope"])}


_GATHER = Step("gather_slopes", _gather, (Port("slope", Mode.READ), Port("entry", Mode.WRITE)))
