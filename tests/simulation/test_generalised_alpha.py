"""Generalised-alpha on systems written by hand: order, spectral radius, energy, constraints, what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from symdyn.analysis.simulation.free_rows import AllRows, FreeRows
from symdyn.analysis.simulation.generalised_alpha import AlphaMotion, generalised_alpha
from symdyn.errors import RequestError, SolverError
from symdyn.interface.alpha_rule import AlphaRule

Array = NDArray[np.float64]


class Oscillator:
    """x'' + rate^2 x = 0."""

    nv, m, row_names = 1, 0, ("slide",)

    def __init__(self, rate: float) -> None:
        self.stiffness = rate * rate

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        return a + self.stiffness * q

    def error(self, t: float, q: Array) -> Array:
        return np.zeros(0)

    def slopes(self, t: float, q: Array) -> Array:
        return np.zeros((0, 1))

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        return np.array([[c_a + c_q * self.stiffness]]), self.slopes(t, q)

    def advance(self, q: Array, dq: Array) -> Array:
        return q + dq


class PointOnCircle:
    """A mass of 1 kg on a circle of 1 m in the plane, in Cartesian coordinates, with gravity along -y."""

    nv, m, row_names = 2, 1, ("x", "y")

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        return a + np.array([0.0, 9.81]) - lam * q

    def error(self, t: float, q: Array) -> Array:
        return np.array([0.5 * (q @ q - 1.0)])

    def slopes(self, t: float, q: Array) -> Array:
        return q[None, :].copy()

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        return (c_a - c_q * lam[0]) * np.eye(2), self.slopes(t, q)

    def advance(self, q: Array, dq: Array) -> Array:
        return q + dq


def swing(step: float | Callable[[float], float] | None, rho: float = 0.8, **options: float) -> AlphaMotion:
    """The pendulum from 1 rad, at 1 rad/s, over 1 s."""
    angle, rate = 1.0, 1.0
    q = np.array([math.sin(angle), -math.cos(angle)])
    v = rate * np.array([math.cos(angle), math.sin(angle)])
    return generalised_alpha(PointOnCircle(), [0.0, 1.0], q, v, step=step, rho=rho, every_step=True, **options)


def exact(times: Array) -> tuple[Array, Array, Array]:
    """Position, velocity and multiplier of the pendulum by SciPy's DOP853 on its angle."""
    from scipy.integrate import solve_ivp

    found = solve_ivp(
        lambda _, y: [y[1], -9.81 * math.sin(y[0])],
        (0.0, 1.0),
        [1.0, 1.0],
        method="DOP853",
        t_eval=times,
        rtol=1e-13,
        atol=1e-13,
    ).y
    sine, cosine, rate = np.sin(found[0]), np.cos(found[0]), found[1]
    q = np.stack([sine, -cosine], axis=1)
    v = rate[:, None] * np.stack([cosine, sine], axis=1)
    return q, v, -(rate**2 + 9.81 * cosine)[:, None]


def misses(motion: AlphaMotion) -> list[float]:
    """The largest error at any step of q, v and the multiplier, the start left out."""
    truths = exact(np.minimum(motion.times, 1.0))
    found = (motion.q, motion.v, motion.multipliers)
    return [float(np.abs(own - true)[1:].max()) for own, true in zip(found, truths, strict=True)]


@pytest.mark.parametrize(("rho", "fields"), [(0.8, 3), (0.4, 3), (1.0, 2)])
def test_every_field_converges_with_order_two_from_the_first_step(rho: float, fields: int) -> None:
    # nothing damps the multipliers of Newmark's rule, which are of first order
    coarse, fine = misses(swing(2e-3, rho)), misses(swing(1e-3, rho))
    for rough, better in list(zip(coarse, fine, strict=True))[:fields]:
        assert 1.9 < math.log2(rough / better) < 2.1  # 2, less what is left of the next order at 1 ms


def test_order_two_stays_where_steps_follow_a_smooth_law() -> None:
    def law(h: float) -> Callable[[float], float]:
        return lambda t: h * (1.0 + 0.5 * math.sin(6.0 * t))

    coarse, fine = misses(swing(law(2e-3))), misses(swing(law(1e-3)))
    for rough, better in zip(coarse, fine, strict=True):
        assert 1.85 < math.log2(rough / better) < 2.15  # steps do not halve exactly, as the law is read at each step


def test_constraints_are_met_at_rounding() -> None:
    motion = swing(5e-3)
    assert np.abs(np.sum(motion.q**2, axis=1) - 1.0).max() <= 2e-12


def test_steps_that_follow_the_error_meet_it() -> None:
    loose, tight = swing(None, rtol=1e-4, atol=1e-4), swing(None, rtol=1e-7, atol=1e-7)
    assert misses(loose)[0] < 5e-3
    assert misses(tight)[0] < 5e-5  # global error of a second-order method goes with the power 2/3 of the tolerance
    assert tight.counters.steps < 5000
    assert np.ptp(np.diff(tight.times)) > 0.0


def test_newmark_keeps_the_energy_of_an_oscillator() -> None:
    motion = generalised_alpha(Oscillator(3.0), [0.0, 20.0], [1.0], [0.0], step=0.02, rho=1.0, newton=1e-14)
    assert motion.v[-1, 0] ** 2 + 9.0 * motion.q[-1, 0] ** 2 == pytest.approx(9.0, rel=1e-10)  # rounding, 1000 steps


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8])
def test_spectral_radius_at_infinity_is_rho(rho: float) -> None:
    rule = AlphaRule.of(rho)
    huge = 1e14  # (h rate)^2
    columns = []
    for q, v, w in np.eye(3):
        a = -huge * q
        left = 1.0 - rule.alpha_m + (1.0 - rule.alpha_f) * rule.beta * huge
        move = q + v + (0.5 - rule.beta) * w
        w1 = (-(1.0 - rule.alpha_f) * huge * move + rule.alpha_f * a - rule.alpha_m * w) / left
        columns.append([move + rule.beta * w1, v + (1.0 - rule.gamma) * w + rule.gamma * w1, w1])
    radius = np.abs(np.linalg.eigvals(np.diag([huge, 1.0, 1.0]) @ np.array(columns).T @ np.diag([1 / huge, 1.0, 1.0])))
    assert radius.max() == pytest.approx(rho, abs=2e-4)  # a triple eigenvalue: cube root of rounding


def test_stiff_motion_dies_by_rho_per_step() -> None:
    motion = generalised_alpha(Oscillator(1e6), [0.0, 1.0], [1e-6], [0.0], step=0.01, rho=0.5, every_step=True)
    assert abs(motion.q[40, 0]) < 1e-6 * 0.6**40 * 1e4  # rho^n times a power of n
    assert abs(motion.q[1, 0]) > 1e-9


def test_what_is_refused() -> None:
    still = ([0.0], [0.0])
    for options in ({"step": -1e-3}, {"step": 0.0}, {"step": math.nan}, {"rho": 1.2, "step": 0.1}, {"rtol": 0.0}):
        with pytest.raises(RequestError, match="expected a"):
            generalised_alpha(Oscillator(1.0), [0.0, 1.0], *still, **options)
    for times in ([0.0], [1.0, 0.0], [0.0, math.inf]):
        with pytest.raises(RequestError, match="increasing"):
            generalised_alpha(Oscillator(1.0), times, *still, step=0.1)


def test_failure_of_newton_names_time_and_row() -> None:
    class Torn(Oscillator):
        def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
            return a + (np.nan if t > 0.45 else 1.0)

    with pytest.raises(SolverError, match=r"to t = 0\.5 s.*'slide'"):
        generalised_alpha(Torn(1.0), [0.0, 1.0], [0.0], [0.0], step=0.1)
    with pytest.raises(SolverError, match="'slide'"):
        generalised_alpha(Torn(1.0), [0.0, 1.0], [0.0], [0.0])


def test_a_start_that_cannot_be_closed_is_refused() -> None:
    with pytest.raises(SolverError, match="constraints cannot be met"):
        generalised_alpha(PointOnCircle(), [0.0, 1.0], [0.0, 0.0], [0.0, 0.0], step=0.1)


class DrivenOnCircle(PointOnCircle):
    """That mass with its x prescribed."""

    m = 2
    driven_rows = ([0], [0])
    residuals = 0

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        self.residuals += 1
        return super().residual(t, q, v, a, lam[:1]) - np.array([lam[1], 0.0])

    def driven(self, t: float) -> tuple[Array, Array, Array]:
        return np.array([t * t]), np.array([2.0 * t]), np.array([2.0])


def test_states_of_all_rows_need_no_forces_of_drives() -> None:
    system = DrivenOnCircle()
    free, one = FreeRows(system, 2), np.ones(1)
    state = free.state(0.5, 3.0 * one, 4.0 * one, 5.0 * one)
    assert system.residuals == 0
    assert np.array_equal(state, [[0.25, 3.0], [1.0, 4.0], [2.0, 5.0]])
    told = free.told(0.5, 3.0 * one, 4.0 * one, 5.0 * one, one)
    assert np.array_equal(told[:3], state) and np.array_equal(told[3], [1.0, 2.0 - 0.25])
    assert np.array_equal(AllRows().state(0.5, one, 2.0 * one, 3.0 * one), [one, 2.0 * one, 3.0 * one])


class Pushed(Oscillator):
    """A mass of 1 kg at rest for 20 s, then pushed by 4 N for 1 s."""

    def __init__(self) -> None:
        super().__init__(0.0)

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        return a - (4.0 if 20.0 <= t < 21.0 else 0.0)


@pytest.mark.parametrize("step", [None, 7.0])
def test_steps_end_where_forces_jump(step: float | None) -> None:
    """2 m in that second and 4 s at 4 m/s, exactly; told at the times asked for, after the jump."""
    found = generalised_alpha(Pushed(), [0.0, 20.0, 25.0], [0.0], [0.0], step=step, jumps=[20.0, 21.0, 40.0])
    assert found.times == pytest.approx([0.0, 20.0, 25.0])
    assert found.q[-1, 0] == pytest.approx(18.0, abs=1e-9)
    assert found.a[:, 0] == pytest.approx([0.0, 4.0, 0.0], abs=1e-9)
    every = generalised_alpha(Pushed(), [0.0, 25.0], [0.0], [0.0], step=step, jumps=[20.0, 21.0], every_step=True)
    assert {20.0, 21.0} <= set(every.times) and np.all(np.diff(every.times) > 0.0)
    for wrong in ([np.nan], "soon", [[1.0]]):
        with pytest.raises(RequestError, match="jumps"):
            generalised_alpha(Pushed(), [0.0, 25.0], [0.0], [0.0], jumps=wrong)
