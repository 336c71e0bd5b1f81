"""Positions and velocities that meet the constraints, and the accelerations and multipliers that go with them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.bordered_factor import BorderedFactor
from symdyn.analysis.simulation.implicit_system import ImplicitSystem, row_sizes
from symdyn.description.loops import GROWN
from symdyn.errors import SolverError
from symdyn.interface.alpha_rule import DOUBLE

Array = NDArray[np.float64]

MET = DOUBLE.met
"""Largest error of constraints that counts as met [m or rad]; up to ``GROWN`` they are left where moves are shorter
than this."""
_STEPS = 30
_STIFF = 2.0
"""How often an acceleration may undo itself within a step that resolves it: explicit methods are stable up to there."""


def project(system: ImplicitSystem, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """The position near q that meets the constraints, and the velocity nearest to v there that keeps them met.

    Nearest is by kinetic energy. To be called after an event has changed the state.

    Raises
    ------
    SolverError
        Newton's method finds no such position.
    """
    if not system.m:
        return q, v
    force, still, rest = np.zeros(system.nv), np.zeros(system.nv), np.zeros(system.m)
    for _ in range(_STEPS):
        error = system.error(t, q)
        factor = BorderedFactor(*system.tangent(t, q, still, still, rest, 0.0, 0.0, 1.0), row_sizes(system))
        if not np.all(np.isfinite(error)):
            break
        largest, move = float(np.max(np.abs(error))), factor.solve(force, -error)[0]
        if largest <= MET or (largest <= GROWN and np.max(np.abs(move)) <= MET):
            return q, v + factor.solve(force, -slip(system, t, q, v))[0]
        q = system.advance(q, move)
    raise SolverError(
        f"the constraints cannot be met at t = {t:.6g} s: an error of {np.max(np.abs(error)):.3g} remains; start "
        "nearer to a closed position"
    )


def slip(system: ImplicitSystem, t: float, q: Array, v: Array) -> Array:
    """The rates of the errors of constraints, A v - g', (m,)."""
    return system.slopes(t, q) @ v + _first(lambda s: system.error(t + s, q), DOUBLE.difference)


def accelerations(system: ImplicitSystem, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """The a (nv,) and lambda (m,) of a state that meets the constraints: R = 0 and d^2 e/dt^2 = 0."""
    still, rest = np.zeros(system.nv), np.zeros(system.m)
    factor = BorderedFactor(*system.tangent(t, q, v, still, rest, 0.0, 0.0, 1.0), row_sizes(system))
    bias = rest
    if system.m:
        step = DOUBLE.difference / max(1.0, float(np.max(np.abs(v))))
        bias = _first(lambda s: slip(system, t + s, system.advance(q, s * v), v), step)
    return factor.solve(-system.residual(t, q, v, still, rest), -bias)


def jerk(system: ImplicitSystem, t: float, q: Array, v: Array, a: Array, h: float) -> Array | None:
    """The rate of a, by states h/2 before and after; None where steps of h do not resolve it.

    It counts as resolved where half that distance gives the same but for a half of it, and where it is not the
    acceleration itself that changes it within a step, as where stiff losses let it vanish.
    """
    far, near = (_rate(system, t, q, v, a, part * h) for part in (0.5, 0.25))
    lost = near - _rate(system, t, q, v, np.zeros_like(a), 0.25 * h)
    size = float(np.linalg.norm(a))
    resolved = float(np.linalg.norm(far - near)) <= max(0.5 * float(np.linalg.norm(near)), DOUBLE.rounding * size / h)
    follows = h * float(np.linalg.norm(lost)) <= _STIFF * size
    return near if resolved and follows else None


def _rate(system: ImplicitSystem, t: float, q: Array, v: Array, a: Array, s: float) -> Array:
    after, before = (
        accelerations(system, t + d, system.advance(q, d * v + (0.5 * d * d) * a), v + d * a)[0] for d in (s, -s)
    )
    found: Array = (after - before) / (2.0 * s)
    return found


def _first(function: Callable[[float], Array], s: float) -> Array:
    found: Array = (8.0 * (function(s) - function(-s)) - (function(2.0 * s) - function(-2.0 * s))) / (12.0 * s)
    return found
