"""Loads that a file describes, on the bodies of a robot: their numbers, baked or computed from p, and their places."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.rotations import IDENTITY, snapped
from symdyn.algebra.spatial.vectors import entries_of, product, times, transpose
from symdyn.description.loads import Load
from symdyn.dynamics.tree.tree_parameters import bound_step
from symdyn.model.bodies import PlacedLoad
from symdyn.model.model import Model
from symdyn.model.parameter_names import Way
from symdyn.model.values import Values
from symdyn.plan.plan import Access, Constant, Field, FieldKind, Mode, Port, Sweep, Visit

OFFSET = ("x", "y", "z")
"""Constants: where the frame of a load's link stands in the frame of its body [m]."""
AXES = tuple(f"L{row}{column}" for row in range(3) for column in range(3))
"""Constants of loads that ask for them: the axes of that frame in those of the body's."""


OTHER_OFFSET = ("ox", "oy", "oz")
OTHER_AXES = tuple(f"O{row}{column}" for row in range(3) for column in range(3))
"""The same of the other place."""


@dataclass(frozen=True, slots=True)
class BodyLoad:
    """A load on a body; ``constants`` are its numbers and those of OFFSET, of its place, and of AXES if it asks.

    A load between two places has an ``other`` body, -1 for the ground, and knows whether ``first`` is its own.
    """

    body: int
    load: Load
    constants: Mapping[str, Constant]
    other: int = -1
    first: bool = True


@dataclass(frozen=True, slots=True)
class _Bound:
    """The constants ``names`` of a load that rest on p, and all that they follow from.

    One plan may hold such sweeps of several views of a robot: of some bodies, with other loads, in other frames.
    """

    body: int
    placed: PlacedLoad
    names: tuple[str, ...]
    contracted: bool
    shifts: tuple[float, ...]


class TreeLoads:
    """All loads of a model, whose bodies' frames have moved by ``shifts`` along their joints' axes [m]."""

    def __init__(self, model: Model, shifts: Sequence[float]) -> None:
        self._model, self._shifts = model, shifts
        self._bound: list[tuple[_Bound, int]] = []
        self._size = 0
        values = Values(model.parameters, model.slots)
        placed = ((index, load) for index, body in enumerate(model.bodies) for load in body.loads)
        found = [
            BodyLoad(
                index, load.load, self._constants(values, index, load), load.other[0] if load.other else -1, load.first
            )
            for index, load in placed
        ]
        falls = any(model.gravity) or any(model.slots.index(f"gravity.{axis}") is not None for axis in "xyz")
        self._all = [own for own in found if own.load.acts(own.constants) and (falls or not own.load.weighs)]

    def of(self, kind: type[Load]) -> list[BodyLoad]:
        """Those of one kind that have any strength, in the order of their bodies."""
        return [load for load in self._all if isinstance(load.load, kind)]

    def fields(self) -> list[Field]:
        """The field of what :meth:`sweeps` compute."""
        return [Field("loads", FieldKind.STATE, self._size)] if self._bound else []

    def sweeps(self) -> list[Sweep]:
        """The sweep that computes from p the constants that rest on it."""
        if not self._bound:
            return []
        p = Access("p", 0, len(self._model.slots.names))
        visits = tuple(
            Visit(own.body, own, {}, {"p": p, "loads": Access("loads", start, len(own.names))})
            for own, start in self._bound
        )
        ports = (Port("p", Mode.READ), Port("loads", Mode.WRITE))
        return [Sweep(bound_step(self._model, "bind_loads", self._bind, ports), visits)]

    def _bind(
        self, own: _Bound, algebra: Algebra, _: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
    ) -> Mapping[str, Sequence[Scalar]]:
        values = Values(self._model.parameters, self._model.slots, algebra, reads["p"])
        found = self._values(values, own.body, own.placed)
        return {"loads": [found[name] for name in own.names]}

    def _constants(self, values: Values, index: int, placed: PlacedLoad) -> dict[str, Constant]:
        """Numbers, and places in the field ``loads`` of what rests on p."""
        numbers = zip(placed.load.numbers, placed.load.leaves.items(), strict=True)
        rest = [name for name, (leaf, number) in numbers if values.depends({leaf: number}, placed.owner)]
        rest += OFFSET if values.way_depends(placed.way) else ()
        rest += OTHER_OFFSET if placed.other is not None and values.way_depends(placed.other[1]) else ()
        if rest:
            bodies = (index,) if placed.other is None else (index, placed.other[0])
            shifts = tuple(self._shifts[body] for body in bodies if body >= 0)
            self._bound.append((_Bound(index, placed, tuple(rest), self._model.contracted, shifts), self._size))
            self._size += len(rest)
        unknown = [math.nan] * len(self._model.slots.names)
        known = self._values(Values(self._model.parameters, self._model.slots, p=unknown), index, placed)
        first = self._size - len(rest)
        return known | {name: Access("loads", first + place, 1) for place, name in enumerate(rest)}

    def _values(self, values: Values, index: int, placed: PlacedLoad) -> dict[str, Scalar]:
        load = placed.load
        numbers = values.numbers(load.leaves, placed.owner).values()
        offset, axes = self._place(values, index, placed.way)
        found = dict(zip((*load.numbers, *OFFSET), (*numbers, *offset), strict=True))
        if load.framed:
            found |= zip(AXES, axes, strict=True)
        if placed.other is not None:
            offset, axes = self._place(values, *placed.other)
            found |= zip((*OTHER_OFFSET, *OTHER_AXES), (*offset, *axes), strict=True)
        return found | dict(placed.own)

    def _place(self, values: Values, index: int, way: Way) -> tuple[list[Scalar], list[float]]:
        """Origin and axes of a place in the frame of its body, or in the world on the ground."""
        rotation, origin = values.composed(way)
        back = transpose(self._model.bodies[index].alignment) if index >= 0 else IDENTITY
        x, y, z = times(back, origin)
        return [x, y, z - self._shifts[index] if index >= 0 else z], entries_of(snapped(product(back, rotation)))
