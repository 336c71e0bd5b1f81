"""Which soft links are strained beyond what linear elasticity describes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.description.soft import Strain
from symdyn.description.text.position import shown
from symdyn.model.model import Model
from symdyn.model.rod import Rod

LINEAR = 0.5
"""The largest strain without doubt: a rubber block (neo-Hookean) that is stretched by 0.5 pulls with 0.70 of
what E times the strain says, and one that is stretched by 1 with 0.58."""
_STRAINS = (
    Strain.STRETCH,
    Strain.SHEAR_Y,
    Strain.SHEAR_Z,
    Strain.TWIST,
    Strain.CURVATURE_Y,
    Strain.CURVATURE_Z,
)
"""Of the six rows of a station."""
_SURFACE = (math.sqrt(2.0), 2.0, 2.0)
"""The radius of a round section over its radii of gyration about x, y and z."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Stations:
    """What coordinates add to strains at stations, (stations, 6, n), and how much each counts, (stations, 6)."""

    rod: Rod
    rows: slice | list[int]
    functions: Array
    counts: Array


class StrainedRods:
    """The soft links of a robot, with their laws of linear elasticity.

    Stretch and shear are those of the axis. Twist and curvature strain the surface by as much as the section's radius
    times their change, where the section is taken for round. Bodies given by maps have laws of their own.
    """

    def __init__(self, model: Model) -> None:
        rods = [(rod, model.bodies[rod.owner].joint.q_rows) for rod in model.rods if isinstance(rod, Rod)]
        self._rods = [_Stations(rod, rows, *_functions(rod)) for rod, rows in rods]

    def doubt(self, q: Array) -> str:
        """Tell of the largest strain at a position (nq,), where it is above :data:`LINEAR`; else empty."""
        told, worst = "", LINEAR
        for own in self._rods:
            moved = own.functions @ q[own.rows][: own.functions.shape[2]]
            sizes = np.abs(moved) * own.counts
            station, row = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
            if sizes[station, row] > worst:
                worst = float(sizes[station, row])
                told = _told(own.rod, int(station), int(row), float(moved[station, row]), worst)
        return told


def _functions(rod: Rod) -> tuple[Array, Array]:
    functions, counts = np.zeros((len(rod.nodes), 6, rod.strains)), np.ones((len(rod.nodes), 6))
    for number, node in enumerate(rod.nodes):
        for coordinate, values in enumerate(node.functions):
            functions[number, list(rod.tables.moved[coordinate]), coordinate] = values
        inertia = rod.tables.steps[node.step].inertia
        counts[number, 3:] = [k * math.sqrt(own) for k, own in zip(_SURFACE, inertia, strict=True)]
    return functions, counts


def _told(rod: Rod, station: int, row: int, change: float, size: float) -> str:
    strain, node = _STRAINS[row], rod.nodes[station]
    unit = " rad/m" if strain.angular else ""
    surface = f", which strains its surface by {size:.2g}" if strain.angular else ""
    return (
        f"doubtful: soft link {shown(rod.link)} has {strain.value} {node.reference[row] + change:.3g}{unit} at x = "
        f"{node.x:.3g} m, and {node.reference[row]:.3g} without load{surface}; its law is linear, and matter that is "
        f"strained by more than about {LINEAR:g} seldom is: check youngs_modulus (1 MPa is 1e6 Pa) and loads"
    )
