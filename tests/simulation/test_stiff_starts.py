"""Starts of generalised-alpha that steps do not resolve: fast motions are passed over, slow ones are kept."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from symdyn.analysis.simulation.generalised_alpha import generalised_alpha

Array = NDArray[np.float64]
GRAVITY = 9.81


class FallingPair:
    """Two masses of 1 kg on one line that fall, with a stiff spring and a stiff damper between them."""

    nv, m, row_names = 2, 0, ("upper", "lower")
    between = np.array([[1.0, -1.0], [-1.0, 1.0]])

    def __init__(self, stiffness: float, damping: float) -> None:
        self.stiffness, self.damping = stiffness * self.between, damping * self.between

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        return a + GRAVITY + self.stiffness @ q + self.damping @ v

    def error(self, t: float, q: Array) -> Array:
        return np.zeros(0)

    def slopes(self, t: float, q: Array) -> Array:
        return np.zeros((0, 2))

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        return c_a * np.eye(2) + c_v * self.damping + c_q * self.stiffness, self.slopes(t, q)

    def advance(self, q: Array, dq: Array) -> Array:
        return q + dq


@pytest.mark.parametrize("step", [2e-3, 1e-3])
@pytest.mark.parametrize(("q", "v"), [([1e-3, 0.0], [0.0, 0.0]), ([0.0, 0.0], [0.1, 0.0])], ids=["strained", "moving"])
def test_what_moves_slowly_keeps_its_velocity(step: float, q: list[float], v: list[float]) -> None:
    """The middle falls freely, whatever the pair does: exact but for rounding, as the rule is for constant a."""
    found = generalised_alpha(FallingPair(1e6, 1e4), [0.0, 0.2], q, v, step=step)
    assert np.mean(found.v[-1]) == pytest.approx(0.5 * sum(v) - GRAVITY * 0.2, abs=1e-11)
    assert np.mean(found.q[-1]) == pytest.approx(0.5 * (sum(q) + sum(v) * 0.2 - GRAVITY * 0.04), abs=1e-11)
    assert abs(found.q[-1][0] - found.q[-1][1]) < 1e-3  # the damper has let it come back, slowly


class Spinning:
    """A force of 1 N beside a wheel that spins evenly, with a mass matrix in which rounding turns with the wheel."""

    nv, m, row_names = 2, 0, ("slide", "wheel")

    def mass(self, q: Array) -> Array:
        return np.diag([np.cos(q[1]) ** 2 + np.sin(q[1]) ** 2, 1.0])

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        return self.mass(q) @ a - np.array([1.0, 0.0])

    def error(self, t: float, q: Array) -> Array:
        return np.zeros(0)

    def slopes(self, t: float, q: Array) -> Array:
        return np.zeros((0, 2))

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        return c_a * self.mass(q), self.slopes(t, q)

    def advance(self, q: Array, dq: Array) -> Array:
        return q + dq


@pytest.mark.parametrize("step", [4e-3, 2e-3, 1e-3, 1e-4])
def test_rounding_of_an_even_acceleration_is_no_stiff_start(step: float) -> None:
    found = generalised_alpha(Spinning(), [0.0, 0.1], [0.0, 0.3], [0.0, 7.0], step=step)
    assert found.v[-1][0] == pytest.approx(0.1, abs=1e-12)
