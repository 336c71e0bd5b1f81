"""What a jump of prescribed velocities does to the other velocities: the impulse of the drives goes through the robot.

The momentum of every free move stays, within what loops allow: M dv = J^T (impulses of drives and of loops), with dv
given in prescribed rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.closure import Closure
from symdyn.analysis.simulation.system import System
from symdyn.generation.generate import compile as compiled

Array = NDArray[np.float64]
_ROUNDING = 1e-12
"""Jump of a velocity, relative to it or to 1, that is rounding."""


def after_jump(system: System, closure: Closure | None, t: float, y: Array) -> Array:
    """The state after a time at which prescribed velocities may jump; the laws are seen as after it.

    Parameters
    ----------
    system, closure
        What moves, and its loops.
    t, y
        The time, and the state (q, v) before it.
    """
    moved = system.moved(t, y)
    nq = system.robot.nq
    jump = moved[nq:] - y[nq:]
    if not np.any(np.abs(jump) > _ROUNDING * np.maximum(1.0, np.abs(y[nq:]))):
        return moved
    q, driven = moved[:nq], np.array([own.v_row for own in system.prescribed.values()])
    free = np.setdiff1d(np.arange(system.robot.nv), driven)
    module: Any = compiled(system.robot, ["mass_matrix"], lanes=False)
    mass = np.asarray(module.mass_matrix(q, *system.parameters(t)))
    slopes, rates = np.zeros((0, system.robot.nv)), np.zeros(0)
    if closure is not None:
        slopes, rates = closure.slopes(t, q), closure.errors(t, moved)[1]
    count = len(slopes)
    pulled = slopes[:, free]
    matrix = np.block([[mass[np.ix_(free, free)], pulled.T], [pulled, np.zeros((count, count))]])
    sides = np.concatenate([-mass[np.ix_(free, driven)] @ jump[driven], -rates])
    found = np.array(moved)
    # rows of loops may repeat each other: then the shortest impulses are taken
    found[nq + free] += np.linalg.lstsq(matrix, sides, rcond=None)[0][: len(free)]
    return found
