"""What rods are multiplied with that is known at run time alone: densities, moduli and viscosities, computed from p."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.tree.ports import Reads, Writes
from symdyn.dynamics.tree.tree_parameters import bound_step
from symdyn.model.model import Model
from symdyn.model.rod_matter import factor
from symdyn.model.values import Values
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Port, Sweep, Visit

_MATTER = "rod_matter"


class TreeMatter:
    """The factors of a robot's rods that are not baked, a scalar each."""

    def __init__(self, model: Model) -> None:
        self._model = model
        parts = model.rod_factors
        self._place, self._parts = {key: place for place, key in enumerate(parts)}, tuple(parts.values())

    def factor(self, rod: int, name: str) -> Access | None:
        """Where the factor ``density``, ``stiffness`` or ``damping`` of a rod lies; None where it is baked."""
        place = self._place.get((rod, name))
        return None if place is None else Access(_MATTER, place, 1)

    def fields(self) -> list[Field]:
        """The field of what :meth:`sweeps` compute."""
        return [Field(_MATTER, FieldKind.STATE, len(self._place))] if self._place else []

    def sweeps(self) -> list[Sweep]:
        """The sweep that computes the factors."""
        if not self._place:
            return []
        ports = (Port("p", Mode.READ), Port("matter", Mode.WRITE))
        bindings = {
            "p": Access("p", 0, len(self._model.slots.names)),
            "matter": Access(_MATTER, 0, len(self._place)),
        }
        return [Sweep(bound_step(self._model, "bind_matter", self._bind, ports), (Visit(-1, "matter", {}, bindings),))]

    def _bind(self, _: object, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
        values = Values(self._model.parameters, self._model.slots, algebra, reads["p"])
        return {"matter": [factor(part, values) for part in self._parts]}
