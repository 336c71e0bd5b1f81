"""Where fluid that moves with a robot adds to its mass, by other amounts along other axes.

Ten numbers do not hold such an inertia. Where rows are weighed it has a field of its own, with 21 numbers per body.
"""

from __future__ import annotations

from symdyn.algebra.spatial.articulated import SIZE
from symdyn.description.fluid import AddedMass
from symdyn.dynamics.tree.tree_loads import BodyLoad, TreeLoads
from symdyn.model.model import Model
from symdyn.plan.plan import Field, FieldKind

FIELD = "added"
"""Of the added mass of each body, with that of the rods that it carries, in its frame."""

STATION = "station"
"""Constant of an added mass along a rod that is one body: the number of its station."""


def station_of(load: BodyLoad) -> int:
    """The station that an added mass is of."""
    number = load.constants[STATION]
    assert isinstance(number, float)
    return int(number)


class TreeAdded:
    """The added masses of a robot, each as a load; ``stations`` are those of rods that are one body."""

    def __init__(self, model: Model, loads: TreeLoads) -> None:
        self._model = model
        found = loads.of(AddedMass)
        self.bodies: list[BodyLoad] = [own for own in found if STATION not in own.constants]
        self.stations: list[BodyLoad] = [own for own in found if STATION in own.constants]
        carriers = {model.bodies[own.body].parent for own in self.stations}
        self.own = frozenset({*(own.body for own in self.bodies), *carriers} - {-1})
        """Bodies that have some, or carry a rod that does."""
        self.carried = frozenset(above for body in self.own for above in self._path(body))
        """These, and all that carry them."""

    def along(self, tip: int) -> list[BodyLoad]:
        """Those of the stations of a rod, by its tip."""
        return [own for own in self.stations if own.body == tip]

    def _path(self, index: int) -> set[int]:
        found = set()
        while index >= 0:
            found.add(index)
            index = self._model.bodies[index].parent
        return found

    def fields(self) -> list[Field]:
        """The field of added masses."""
        return [Field(FIELD, FieldKind.STATE, SIZE, len(self._model.bodies))] if self.own else []
