"""Which soft link turns about as far as its series hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.model.clamped_rod import clamped_rod
from symdyn.model.model import Model
from symdyn.model.rod import Rod

_NEAR = 0.8
"""Share of the bound from which a turn is told: where a solver gives up, the next step would pass the bound."""


def wide_rods(model: Model, q: NDArray[np.float64]) -> str:
    """Tell of the soft link that turns most between two stations; nothing where all are far from their bounds."""
    told, worst = "", _NEAR
    for rod in model.rods:
        if not isinstance(rod, Rod):  # maps have no steps
            continue
        turn = clamped_rod(rod.tables, q[None, model.bodies[rod.owner].joint.q_rows]).turn
        if turn > worst * rod.turn:
            worst = turn / rod.turn
            told = (
                f"; soft link '{rod.link}' turns by {turn:.3g} rad between two stations, and max_turn_per_step is "
                f"{rod.turn:.3g}: beyond it nothing is computed, raise it or give more stations"
            )
    return told
