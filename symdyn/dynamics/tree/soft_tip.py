"""The visits that find columns, coupling and masses of one body that deforms, whichever kind it is of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from symdyn.dynamics.tree import rod_columns as step
from symdyn.dynamics.tree.rod_columns import MOMENTS, ORIGIN, ROOT
from symdyn.dynamics.tree.station_layout import TreeRods
from symdyn.model.joints.rod_tip import LANES, POSE, TWIST_ROWS, chunks_of, shape_size
from symdyn.model.rod import SoftBody
from symdyn.plan.plan import Access, Binding, Constant, Field, Step, Visit

Made = tuple[Step, Visit]
"""A visit, and the step that makes it."""


class TipQuantities(IntEnum):
    """What an algorithm asks of rods; each includes those before."""

    COLUMNS = 1
    """Poses and columns of tips."""
    MOMENTA = 2
    """The momenta that columns give to the rods themselves, and the inertia of carriers."""
    MASSES = 3
    """Masses of the columns, and their wrenches on carriers."""


@dataclass(frozen=True, slots=True)
class ShownStation:
    """A station that stands beside the tip: where its pose and its columns lie, each column at the station's origin."""

    tip: SoftTip
    pose: Access
    field: str

    @property
    def chunks(self) -> range:
        """Those of the tip."""
        return self.tip.chunks

    def chunk(self, chunk: int) -> tuple[int, int, Access, Access, Access]:
        """As that of the tip."""
        first, lanes, end, _, momenta = self.tip.chunk(chunk)
        end = replace(end, field=self.field)
        return first, lanes, end, end, momenta


class SoftTip(ABC):
    """One rod or mapped body: its fields, and visits that fill them. Columns go in chunks, as lanes of visits."""

    def __init__(self, number: int, body: SoftBody, rods: TreeRods) -> None:
        self._number, self._rods, self._count = number, rods, body.count
        self._body, self._stations = body.stations[-1], body.steps
        self.chunks = range(chunks_of(body.count))
        self.pose = Access(f"rod_tip{number}", 0, POSE + TWIST_ROWS * LANES * len(self.chunks))
        self.shape = Access(f"rod_shape{number}", 0, shape_size(body.count))
        self.total = Access(f"rod_total{number}", 0, step.INERTIA)
        self.shown: dict[int, ShownStation] = {}
        """Stations beside the tip, by their bodies."""

    @abstractmethod
    def fields(self) -> list[Field]:
        """Of this body."""

    @abstractmethod
    def places(self, requested: TipQuantities) -> Iterator[Made]:
        """Poses of stations, and what each needs of no other."""

    @abstractmethod
    def columns(self, requested: TipQuantities) -> Iterator[Made]:
        """Columns of stations, and what they add to coupling and masses."""

    @abstractmethod
    def ends(self, requested: TipQuantities) -> Iterator[Made]:
        """Pose and columns of the tip."""

    @abstractmethod
    def weights(self) -> Iterator[Made]:
        """The inertia of the body."""

    def _visit(self, structure: Hashable, bindings: Mapping[str, Binding], lanes: int = 1) -> Visit:
        return Visit(self._body, structure, {}, bindings, lanes)

    def _chunk(self, name: str, chunk: int) -> Access:
        """A column each."""
        return Access(f"rod_{name}{self._number}", TWIST_ROWS * LANES * chunk, TWIST_ROWS, LANES, 1)

    def chunk(self, chunk: int) -> tuple[int, int, Access, Access, Access]:
        """The first row of a chunk, how many columns are no filling, columns of the tip in two places, and momenta."""
        first, tip = LANES * chunk, Access(self.pose.field, POSE + TWIST_ROWS * LANES * chunk, TWIST_ROWS, LANES, 1)
        lanes = min(LANES, self._count - first)
        return first, lanes, self._chunk("end", chunk), tip, self._chunk("coupling", chunk)

    def weighs(
        self, carrier: Mapping[str, Constant], own: Mapping[str, Constant], bent: Access, first: bool
    ) -> Iterator[Made]:
        """What the carrier weighs."""
        moments = {name: carrier[name] for name in MOMENTS} if first else {}
        ports = {"total": self.total, "bent": bent}
        yield step.WEIGHT, Visit(self._body, first, {**root_constants(own), **moments}, ports)

    def weighs_added(self, own: Mapping[str, Constant], carrier: int) -> Iterator[Made]:
        """What the carrier weighs more for fluid: none here."""
        yield from ()

    def couples(self, own: Mapping[str, Constant]) -> Iterator[Made]:
        """The wrenches on the carrier."""
        for chunk in self.chunks:
            root_wrench = Access(self.shape.field, TWIST_ROWS * LANES * chunk, TWIST_ROWS, LANES, 1)
            ports = {"coupling": self._chunk("coupling", chunk), "root_wrench": root_wrench}
            yield step.COUPLING, Visit(self._body, None, root_constants(own), ports, LANES)


def root_constants(own: Mapping[str, Constant]) -> dict[str, Constant]:
    """Of a tip's constants, those of the pose of its root's frame in the carrier."""
    return {name: own[name] for name in (*ROOT, *ORIGIN)}
