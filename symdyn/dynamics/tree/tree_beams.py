"""What sweeps need of a robot's flexible links: variants, constants, and where their shapes lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from symdyn.dynamics.tree.beam_shape import (
    BEND_LINK,
    BENT_SIZE,
    MOMENTS,
    SHAPE_SIZE,
    BeamVariant,
    first_names,
    second_names,
    trace_names,
)
from symdyn.model.flexible_link import Beam
from symdyn.model.joints import Flexure
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Sweep, Visit

_SHAPE, _BENT = "shape", "bent"


class TreeBeams:
    """The flexible links of a robot, each named by the index of its tip.

    Parameters
    ----------
    model
        The robot.
    tips
        Bodies that are rods, as far as a rod is one body.
    """

    def __init__(self, model: Model, tips: Iterable[int]) -> None:
        self._model = model
        self._offset: dict[int, int] = {}
        size = 0
        for index in model.beams:
            self._offset[index] = size
            size += SHAPE_SIZE * self.kind(index).amplitudes
        self._size = size
        carriers = sorted({model.bodies[index].parent for index in (*model.beams, *tips)} - {-1})
        self._row = {index: row for row, index in enumerate(carriers)}

    def fields(self) -> list[Field]:
        """What :meth:`sweeps` fills."""
        found = [Field(_SHAPE, FieldKind.STATE, self._size)] if self._size else []
        return [*found, Field(_BENT, FieldKind.STATE, BENT_SIZE, len(self._row))] if self._row else found

    def sweeps(self, q: Callable[[int], Access], straight: Callable[[int], Mapping[str, Constant]]) -> list[Sweep]:
        """Sweeps that compute from q how flexible links weigh, for themselves and for the bodies that carry them.

        Parameters
        ----------
        q
            The rows of q of a body.
        straight
            The constants of a body of which nothing is bent.
        """
        visits, met = [], set()
        for index in self._model.beams:
            kind, carrier = self.kind(index), self._model.bodies[index].parent
            bindings: dict[str, Binding] = {"q": q(index), "shape": self.shape(index)}
            constants: dict[str, Constant] = dict(self.constants(index, (*first_names(kind), *second_names(kind))))
            if carrier >= 0:
                bindings["bent"] = self.bent(carrier)
                if carrier not in met:
                    own = straight(carrier)
                    constants |= {name: own[name] for name in MOMENTS}
            variant = BeamVariant(kind, carrier >= 0, first=carrier >= 0 and carrier not in met)
            met.add(carrier)
            visits.append(Visit(index, variant, constants, bindings))
        return [Sweep(BEND_LINK, tuple(visits))] if visits else []

    def bent(self, carrier: int) -> Access:
        """Where the moments of a body lie on which something bends."""
        return Access(_BENT, BENT_SIZE * self._row[carrier], BENT_SIZE)

    def moments(self, body: int) -> dict[str, Constant]:
        """First and second moments of a body on which something bends, by their names among its constants."""
        if body not in self._row:
            return {}
        start = BENT_SIZE * self._row[body]
        return {name: Access(_BENT, start + place, 1) for place, name in enumerate(MOMENTS)}

    def kind(self, index: int) -> Flexure:
        """The joint to the tip."""
        kind = self._model.bodies[index].joint.kind
        assert isinstance(kind, Flexure)
        return kind

    def variant(self, index: int) -> BeamVariant:
        """What is structural about a flexible link."""
        return BeamVariant(self.kind(index), self._model.bodies[index].parent >= 0)

    def constants(self, index: int, names: Sequence[str]) -> dict[str, float]:
        """Constants by name (see ``Beam.numbers``)."""
        numbers = self.beam(index).numbers()
        return {name: numbers[name] for name in names}

    def shape_at(self, index: int) -> Access | None:
        """Where the shape of a body lies, if it is the tip of a flexible link."""
        return self.shape(index) if index in self._offset else None

    def coupling_constants(self, index: int) -> dict[str, float]:
        """Constants of the coupling and of the modal mass of a body, if it is the tip of a flexible link."""
        if index not in self._offset:
            return {}
        kind = self.kind(index)
        return self.constants(index, (*first_names(kind), *trace_names(kind)))

    def shape(self, index: int) -> Access:
        """What :meth:`sweeps` finds of it, for itself."""
        return Access(_SHAPE, self._offset[index], SHAPE_SIZE * self.kind(index).amplitudes)

    def beam(self, index: int) -> Beam:
        """What the model knows of it."""
        beam = self._model.bodies[index].beam
        assert beam is not None
        return beam
