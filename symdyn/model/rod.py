"""A soft link in the model: its coordinates are the rows of one body without frame, its stations are bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.model.rod_matter import BAKED, RodMatter
from symdyn.model.rod_moments import StepMoments

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.rod import RodTables
    from symdyn.shapes.rod_nodes import RodNode


@dataclass(frozen=True, slots=True)
class Rod:
    """The stations of a soft link, from the root to the tip, and what their motions are made of.

    ``strains`` is the body that has the rod's rows of q and v, ``stations`` are the bodies that each step leads to; the
    last one is the tip. ``moments`` are those of the strain over each step, ``turn`` [rad] is what a step may turn.
    ``stiff`` and ``damped`` tell whether its strain and its matter's losses count. ``nodes`` are the stations that
    users see: from one to the next lead as many steps as the rod has substeps. What the tables say of masses, stiffness
    and damping is to be multiplied with the factors of ``matter``. ``found`` says whether the number of
    stations was, and ``error`` how much twice as many would change in usual states.
    """

    link: str
    tables: RodTables
    moments: tuple[StepMoments, ...]
    strains: int
    stations: tuple[int, ...]
    turn: float
    stiff: bool = True
    damped: bool = True
    nodes: tuple[RodNode, ...] = ()
    matter: RodMatter = BAKED
    found: bool = False
    error: float = 0.0

    @property
    def count(self) -> int:
        """How many coordinates it has."""
        return len(self.tables.names)

    @property
    def mass(self) -> float:
        """Its mass [kg], or its volume [m^3] where its density is no number."""
        return sum(step.mass for step in self.tables.steps)

    def moment(self, step: int, moment: int, coordinate: int, row: int) -> float:
        """What a coordinate adds to a row of a moment over a step."""
        rows = self.tables.moved[coordinate]
        return self.moments[step].functions[moment][coordinate][rows.index(row)] if row in rows else 0.0
