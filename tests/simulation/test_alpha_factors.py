"""When generalised-alpha makes a new factor: where moves grow with an old one, and before it gives up."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from symdyn.analysis.simulation.alpha_step import AlphaStepper
from symdyn.analysis.simulation.generalised_alpha import generalised_alpha
from symdyn.errors import SolverError

Array = NDArray[np.float64]


class Spring:
    """A mass of 1 kg on a spring of the force k(t) q^power."""

    nv, m, row_names = 1, 0, ("mass",)

    def __init__(self, power: int, before: float, after: float) -> None:
        self.power, self.before, self.after = power, before, after

    def stiffness(self, t: float) -> float:
        return self.before if t < 0.05 else self.after

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        return np.asarray(a + self.stiffness(t) * q**self.power)

    def error(self, t: float, q: Array) -> Array:
        return np.zeros(0)

    def slopes(self, t: float, q: Array) -> Array:
        return np.zeros((0, 1))

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        rise = self.stiffness(t) * self.power * q ** (self.power - 1)
        return np.diag(c_a + c_q * rise), self.slopes(t, q)

    def advance(self, q: Array, dq: Array) -> Array:
        return q + dq


def test_moves_that_grow_ask_for_a_new_factor() -> None:
    """A spring gets a million times as stiff: with the old factor moves grow, and with new ones they end."""
    even = generalised_alpha(Spring(1, 1.0, 1.0), [0.0, 0.1], [1.0], [0.0], step=5e-3)
    system = Spring(1, 1.0, 1e6)
    motion = generalised_alpha(system, [0.0, 0.1], [1.0], [0.0], step=5e-3, every_step=True)
    assert even.counters.tangents == 1
    assert motion.counters.newton_failures == 0
    assert 2 <= motion.counters.tangents <= 3  # of twenty steps
    for k in range(1, len(motion.times)):
        left = system.residual(motion.times[k], motion.q[k], motion.v[k], motion.a[k], np.zeros(0))
        assert abs(left[0]) < 1e-3  # of forces of 1e6


def test_a_step_is_tried_again_from_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prediction far up a hard spring leads nowhere in twelve iterations; from the start of the step they end."""
    outcomes = []
    plain = AlphaStepper._newton_from

    def told(self: AlphaStepper, *given: object) -> object:
        found = plain(self, *given)  # type: ignore[arg-type]
        outcomes.append(found is not None)
        return found

    monkeypatch.setattr(AlphaStepper, "_newton_from", told)
    system = Spring(7, 100.0, 100.0)
    motion = generalised_alpha(system, [0.0, 0.1], [1.0], [10.0], step=0.1)
    assert outcomes[:2] == [False, True]
    assert motion.counters.newton_failures == 0
    assert abs(system.residual(0.1, motion.q[-1], motion.v[-1], motion.a[-1], np.zeros(0))[0]) < 1e-3


def test_what_no_factor_mends_is_told() -> None:
    """A force that jumps back and forth with the sign of q has no solution to find."""

    class Jumping(Spring):
        def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
            return np.asarray(a + np.where(q > 0.0, 1e3, -1e3) - 1.0)

    with pytest.raises(SolverError, match="does not converge"):
        generalised_alpha(Jumping(1, 0.0, 0.0), [0.0, 1.0], [0.01], [-1.0], step=0.1)
