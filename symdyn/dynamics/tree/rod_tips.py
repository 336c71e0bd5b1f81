"""Where columns, coupling and masses of rods lie, and the sweeps that find them, for algorithms that see tips alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from symdyn.dynamics.tree.added_mass_layout import TreeAdded
from symdyn.dynamics.tree.map_tip_visits import MapTip
from symdyn.dynamics.tree.rod_material import TreeMatter
from symdyn.dynamics.tree.rod_steps import RodVariant, SoftVariant
from symdyn.dynamics.tree.rod_tip_visits import RodTip
from symdyn.dynamics.tree.soft_tip import ShownStation, SoftTip, TipQuantities
from symdyn.dynamics.tree.station_layout import TreeRods
from symdyn.dynamics.tree.tree_loads import BodyLoad
from symdyn.model.joints.rod_tip import POSE
from symdyn.model.mapped import MapBody
from symdyn.model.model import Model
from symdyn.model.rod import SoftBody
from symdyn.plan.plan import Access, Constant, Field, Sweep


class Chunk(NamedTuple):
    """Columns of a tip that go side by side.

    ``number`` counts those of all tips, ``first`` is the row of the tip's joint, ``lanes`` counts columns that are no
    filling. Columns are those of the tip's origin in the root's axes: in ``alone``, where nothing else is requested,
    and otherwise in ``columns``, beside the tip's pose. ``momenta`` are about the root's origin.
    """

    body: int
    number: int
    first: int
    lanes: int
    alone: Access
    columns: Access
    momenta: Access


def _tip(
    number: int, body: SoftBody, variant: SoftVariant, rods: TreeRods, density: Access | None, added: Sequence[BodyLoad]
) -> SoftTip:
    if isinstance(body, MapBody):
        return MapTip(number, body, rods, density)
    assert isinstance(variant, RodVariant)
    return RodTip(number, body, variant, rods, density, added)


Bodies = Callable[[int], Mapping[str, Constant]]


class TreeRodTips:
    """The rods of a contracted robot, each named by the index of its tip; nothing for others.

    Parameters
    ----------
    model
        The robot.
    rods
        Their steps.
    matter
        Their densities, where these are no numbers.
    added
        Fluid that moves with them.
    """

    def __init__(self, model: Model, rods: TreeRods, matter: TreeMatter, added: TreeAdded) -> None:
        self._model, self._rods = model, rods
        places = enumerate(rods.rods if model.contracted else ())
        self._tips = {
            rod.stations[-1]: _tip(
                number, rod, variant, rods, matter.factor(number, "density"), added.along(rod.stations[-1])
            )
            for number, (rod, variant) in places
        }
        self._ends: dict[int, SoftTip | ShownStation] = dict(self._tips)
        for tip in self._tips.values():
            self._ends |= tip.shown

    def knows(self, index: int) -> bool:
        """Whether a body is such a tip, or a station beside one."""
        return index in self._ends

    def pose(self, index: int) -> Access:
        """What the joint of a tip has in place of coordinates: its pose and its columns."""
        return self._ends[index].pose

    def place(self, index: int) -> Access:
        """The pose alone."""
        return replace(self._ends[index].pose, count=POSE)

    def shape(self, index: int) -> Access | None:
        """Coupling and masses of a tip (see ``model.joints.rod_tip``)."""
        return self._tips[index].shape if index in self._tips else None

    def fields(self) -> list[Field]:
        """What :meth:`sweeps` fills, and tables."""
        found = [field for tip in self._tips.values() for field in tip.fields()]
        return [*found, *(self._rods.fields_of("q") if found else [])]

    @property
    def bodies(self) -> tuple[int, ...]:
        """The tips, and stations beside them."""
        return tuple(self._ends)

    @property
    def chunks(self) -> list[Chunk]:
        """The chunks of columns of all tips, and of stations beside them."""
        found = [(index, tip, chunk) for index, tip in self._ends.items() for chunk in tip.chunks]
        return [Chunk(index, number, *tip.chunk(chunk)) for number, (index, tip, chunk) in enumerate(found)]

    def total(self, index: int) -> Access:
        """Where the inertia of a rod lies, seen from its root."""
        return self._tips[index].total

    def sweeps(
        self, straight: Bodies, bent: Callable[[int], Access], requested: TipQuantities = TipQuantities.MASSES
    ) -> Iterator[Sweep]:
        """Sweeps that find all this from q.

        Parameters
        ----------
        straight
            The constants of a body of which nothing is bent.
        bent
            Where the moments of a carrier lie.
        requested
            How much of it.
        """
        if not self._tips:
            return
        yield self._rods.outward(["q"])
        met = {self._model.bodies[index].parent for index in self._model.beams}
        for index, tip in self._tips.items():
            carrier = self._model.bodies[index].parent
            made = [*tip.places(requested), *tip.columns(requested), *tip.ends(requested)]
            if requested >= TipQuantities.MOMENTA:
                made += tip.weights()
            if requested >= TipQuantities.MOMENTA and carrier >= 0:
                made += tip.weighs(straight(carrier), straight(index), bent(carrier), first=carrier not in met)
                met.add(carrier)
            if requested >= TipQuantities.MASSES and carrier >= 0:
                made += tip.weighs_added(straight(index), carrier)
            if requested >= TipQuantities.MASSES and carrier >= 0:
                made += tip.couples(straight(index))
            for each, visits in groupby(made, key=lambda item: item[0]):
                run = tuple(visit for _, visit in visits)
                yield Sweep(each, run, vector=run[0].lanes > 1, walk=f"rod{index}")
