"""A soft link in the model: its coordinates are the rows of one body without frame, its stations are bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.shapes.rod import RodTables
from symdyn.spatial.magnus import strain_moments


@dataclass(frozen=True, slots=True)
class Rod:
    """The stations of a soft link, from the root to the tip, and what their motions are made of.

    ``strains`` is the body that has the rod's rows of q and v, ``stations`` are the bodies that each step leads to; the
    last one is the tip. ``terms`` is how many terms of the series of an exponential a step needs.
    """

    link: str
    tables: RodTables
    strains: int
    stations: tuple[int, ...]
    terms: int
    stiff: bool = True
    damped: bool = True


@dataclass(frozen=True, slots=True)
class StepMoments:
    """Moments of the strain over a step: ``rest`` (moments, 6) at q = 0, and by how much a coordinate changes them.

    ``moved`` maps (moment, coordinate, row).
    """

    rest: Sequence[Sequence[float]]
    moved: Mapping[tuple[int, int, int], float]


def step_moments(rod: Rod, number: int) -> StepMoments:
    """The moments of a step of a rod (see ``spatial.magnus``)."""
    step = rod.tables.steps[number]
    moved = {}
    for coordinate, rows in enumerate(rod.tables.moved):
        strains = []
        for point in step.functions:
            strain = [0.0] * 6
            for row, value in zip(rows, point[coordinate], strict=True):
                strain[row] = value
            strains.append(strain)
        for moment, found in enumerate(strain_moments(strains, step.length)):
            moved |= {(moment, coordinate, row): found[row] for row in rows}
    return StepMoments(strain_moments(step.reference, step.length), moved)
