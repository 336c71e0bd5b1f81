"""A soft link in the model: its coordinates are the rows of one body without frame, its stations are bodies."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.model.mapped import MapBody
from symdyn.model.rod_matter import BAKED, RodMatter
from symdyn.model.rod_moments import StepMoments

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tables import RodNode, RodTables


@dataclass(frozen=True, slots=True)
class Rod:
    """The stations of a soft link, from the root to the tip, and what their motions are made of.

    ``owner`` is the body that has the rod's rows of q and v, ``stations`` are the bodies that each step leads to; the
    last one is the tip. ``moments`` are those of the strain over each step, ``turn`` [rad] is what a step may turn.
    ``stiff`` and ``damped`` tell whether its strain and its matter's losses count. ``nodes`` are the stations that
    users see: from one to the next lead as many steps as the rod has substeps. What the tables say of masses, stiffness
    and damping is to be multiplied with the factors of ``matter``. ``error`` says how much twice as many stations
    would change in usual states. ``shown`` are the stations, as body
    and number, that stand beside the tip where the rod is one body (see ``model.contracted``).
    """

    link: str
    tables: RodTables
    moments: tuple[StepMoments, ...]
    owner: int
    stations: tuple[int, ...]
    turn: float
    stiff: bool = True
    damped: bool = True
    nodes: tuple[RodNode, ...] = ()
    matter: RodMatter = BAKED
    error: float = 0.0
    shown: tuple[tuple[int, int], ...] = ()

    @property
    def count(self) -> int:
        """How many coordinates it has."""
        return len(self.tables.names)

    @property
    def strains(self) -> int:
        """How many of its coordinates move strains; the others change the radius of its sections."""
        return len(self.nodes[0].functions) if self.nodes else self.count

    @property
    def thins(self) -> tuple[int, ...]:
        """The coordinates that make its sections thinner."""
        stretches = [step.stretch for step in self.tables.steps if step.stretch]
        return tuple(row for row in range(self.count) if any(own[row] != 0.0 for own in stretches))

    @property
    def aside(self) -> bool:
        """Whether some of its stations are points on which nothing stands."""
        return any(step.point for step in self.tables.steps)

    @property
    def steps(self) -> int:
        """Stations, with the tip and with mass points of sections that deform."""
        return len(self.tables.steps)

    @property
    def density(self) -> float:
        """Of its matter [kg/m^3]."""
        return self.tables.density

    def section(self, number: int) -> tuple[float, float, float]:
        """Mass and second moments yy and zz of the section at a station."""
        own = self.tables.steps[number]
        return own.mass, own.inertia[2], own.inertia[1]

    @property
    def reach(self) -> float:
        """How far its tip may stand from its root [m]."""
        return 2.0 * self.length

    @property
    def length(self) -> float:
        """Its length at rest [m]."""
        return sum(self.tables.steps[number].length for number in self.tables.chain)

    def bound(self, row: int, carried: tuple[float, float]) -> float:
        """What the pivot of a row could be at most, with what the tip carries; see ``elements.tip.tip_bound``.

        Each station turns and moves at most by the integral of the row's function up to the tip.
        """
        steps = self.tables.steps
        length = self.length
        strain = max(abs(value) for step in steps for point in step.functions for value in point[row])
        mass, spread = carried
        mass += self.matter.usual * self.mass
        spread += self.matter.usual * sum(sum(step.inertia) for step in steps)
        angular = any(entry >= 3 for entry in self.tables.moved[row])
        turned, moved = (strain * length, strain * length * length) if angular else (0.0, strain * length)
        if row >= self.strains:
            moved = strain
        return 4.0 * mass * moved * moved + 2.0 * spread * turned * turned

    def gauge(self, step: int) -> int | None:
        """The body as far aside from the station after a step as its radius is, where a contact asks for it."""
        found = range(step + 1, len(self.tables.steps))
        beside = itertools.takewhile(lambda number: self.tables.steps[number].point, found)
        return next((self.stations[k] for k in beside if self.tables.steps[k].mass == 0.0), None)

    def stretch(self, step: int) -> tuple[float, ...]:
        """What coordinates add to the relative stretch at the end of a step, where sections follow it."""
        return self.tables.steps[step].stretch or (0.0,) * self.count

    @property
    def mass(self) -> float:
        """Its mass [kg], or its volume [m^3] where its density is no number."""
        return sum(step.mass for step in self.tables.steps)

    def moment(self, step: int, moment: int, coordinate: int, row: int) -> float:
        """What a coordinate adds to a row of a moment over a step; in place of one more, to the stretch at its end."""
        if moment == len(self.moments[step].functions):
            return self.stretch(step)[coordinate]
        rows = self.tables.moved[coordinate]
        return self.moments[step].functions[moment][coordinate][rows.index(row)] if row in rows else 0.0


SoftBody = Rod | MapBody
"""A body whose stations are bodies of the tree, and whose coordinates are the rows of another."""
