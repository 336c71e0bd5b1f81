"""Whether a motion is stiff: fast moves that die soon, judged by the eigenvalues of the dynamics at the start.

An explicit method follows the fastest move at all times: its steps are bounded by stability. An implicit one follows a
move only as long as it lasts, and then steps over it. So an implicit method pays off where fast moves are damped; where
they go on, both follow them, and explicit steps cost less (Hairer & Wanner, Solving Ordinary Differential Equations II,
section IV.1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.closure import Closure
from symdyn.analysis.simulation.system import System, differences
from symdyn.interface.records import dataclass

Array = NDArray[np.float64]

_SHIFT = 1e-6
"""Shift of a row for central differences, in units of its size or 1; the third root of rounding is 6e-6."""
_LASTING = 14.0
"""A move has died when it is e^-14 = 1e-6 of what it was, as usual tolerances are."""
_DEARER = 10.0
"""Explicit steps for the cost of an implicit one: three stages with some iterations each, and a share of a factor."""
_SHORT = 100.0
"""Radians of the fastest move in a motion that an explicit method follows in a few tens of steps."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an implicit method suits a motion, and why, in words."""

    stiff: bool
    reason: str


def judged(system: System, closure: Closure | None, t: float, y: Array, span: float) -> Judgement:
    """Whether a motion of some duration [s] is stiff at its start; its rates are finite there.

    Where loops are stabilised, only moves that keep them closed count: others die by the stabilisation.
    """
    counted = system.counters.function_calls
    changes = differences(lambda y: system.derivative(t, y), y, _SHIFT)
    system.counters.function_calls = counted
    if closure is not None and system.stabilised:
        errors = differences(lambda y: np.concatenate(closure.errors(t, system.moved(t, y))), y, _SHIFT)
        ways = closure.closed_ways(t, y, errors)
        changes = ways.T @ changes @ ways
    if not np.isfinite(changes).all():
        return Judgement(True, "accelerations near the start are not finite")
    eigenvalues = np.linalg.eigvals(changes)
    sizes, decays = np.abs(eigenvalues), np.maximum(-eigenvalues.real, _LASTING / span)  # as far as they show
    fastest = int(np.argmax(sizes))
    # radians that an explicit and an implicit method follow
    lasting = _LASTING / decays
    explicit, implicit = float(span * sizes[fastest]), float(np.max(sizes * lasting))
    rate = f"the fastest move at the start has {sizes[fastest]:.3g} rad/s"
    if explicit <= _SHORT:
        return Judgement(False, f"{rate}, so the motion is short")
    if explicit <= _DEARER * implicit:
        moving = int(np.argmax(sizes * lasting))
        kept = f"moves of {sizes[moving]:.3g} rad/s last for {lasting[moving]:.3g} s"
        return Judgement(False, f"{rate}, and {kept}, so implicit methods would follow them too")
    return Judgement(True, f"{rate} and dies within {lasting[fastest]:.3g} s, far sooner than the motion ends")
