"""Figures that the page on flexible links states about what a beam of assumed shapes does not hold."""

from __future__ import annotations

import numpy as np
import pytest
from support.beams import bending

from symdyn.description.flexible import Basis
from symdyn.shapes.beam import beam_integrals
from symdyn.shapes.integrals import BeamIntegrals


def buckling_load(found: BeamIntegrals) -> float:
    """Load along the beam, at its tip, at which stiffness and what bending takes from the length balance."""
    count = len(found.names)
    drawn_in = np.zeros((count, count))
    for (k, j), tip in zip(found.pairs, found.tip_shapes[count:], strict=True):
        drawn_in[k, j] = drawn_in[j, k] = -tip[0] * (2.0 if k == j else 1.0)
    return float(1.0 / np.linalg.eigvals(np.linalg.solve(np.array(found.stiffness), drawn_in)).real.max())


@pytest.mark.parametrize(("basis", "count"), [(Basis.POLYNOMIAL, 3), (Basis.CLAMPED_FREE, 8)])
def test_stiffening_buckles_at_eulers_load(basis: Basis, count: int) -> None:
    load = buckling_load(beam_integrals(bending(basis, count, 1.0, 1.0, 1.0, stiffening=True)))
    assert load == pytest.approx(2.4677, abs=5e-5)
    assert load > np.pi**2 / 4


def test_a_payload_as_heavy_as_the_beam_lessens_the_ratio_of_damping() -> None:
    count = 3
    found = beam_integrals(bending(Basis.CLAMPED_FREE, count, 1.0, 1.0, 1.0, damping_ratios=(0.01,) * count))
    tip = np.array(found.tip_shapes)[:, 1]
    mass = np.array(found.shape_products)[:, :, 1, 1] + found.mass * np.outer(tip, tip)
    rows = np.linalg.solve(mass, -np.hstack([found.stiffness, found.damping]))
    motion = np.vstack([np.eye(2 * count)[count:], rows])
    roots = np.linalg.eigvals(motion)
    lowest = roots[np.argmin(np.abs(roots))]
    assert -lowest.real / abs(lowest) == pytest.approx(0.0044, abs=5e-5)


def elastica(load: float) -> float:
    """Deflection of a cantilever of length and stiffness 1 under a load across its tip: theta'' = -load cos theta."""

    def tip(curvature: float) -> np.ndarray:
        state, h = np.array([0.0, curvature, 0.0]), 0.01

        def rate(y: np.ndarray) -> np.ndarray:
            return np.array([y[1], -load * np.cos(y[0]), np.sin(y[0])])

        for _ in range(100):
            a = rate(state)
            b = rate(state + 0.5 * h * a)
            c = rate(state + 0.5 * h * b)
            state = state + h / 6.0 * (a + 2.0 * b + 2.0 * c + rate(state + h * c))
        return state

    low, high = 0.0, 1.1 * load
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if tip(middle)[1] > 0.0 else (middle, high)
    return float(tip(low)[2])


@pytest.mark.parametrize(("slope", "excess"), [(0.17, 0.013), (0.25, 0.028), (0.5, 0.105)])
def test_deflection_is_too_large_at_steep_tips(slope: float, excess: float) -> None:
    found = beam_integrals(bending(Basis.POLYNOMIAL, 2, 1.0, 1.0, 1.0))
    tip = np.array(found.tip_shapes)[:, 1]
    amplitudes = np.linalg.solve(np.array(found.stiffness), tip * 2.0 * slope)
    assert np.array(found.tip_slopes)[:, 2] @ amplitudes == pytest.approx(slope, rel=1e-12)
    assert tip @ amplitudes / elastica(2.0 * slope) - 1.0 == pytest.approx(excess, abs=5e-4)
