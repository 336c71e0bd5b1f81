"""Low-pass filters of both sides, and residuals that are no noise: true parameters within the deviations, or a word."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import signal
from scipy.stats import chi2

import symdyn
from symdyn.analysis.identification.columns import Columns, columns_of
from symdyn.analysis.identification.fit import Fit, fitted
from symdyn.analysis.identification.lowpass import given_lowpass
from symdyn.analysis.identification.residuals import chi_square, examined
from symdyn.errors import RequestError

pytestmark = pytest.mark.needs_cc
Array = NDArray[np.float64]
NOISE = np.array([0.05, 0.02])
RATE, SPAN = 500.0, 12.0
ARM = """
format: 1
name: pair
links:
  base:
  upper: {mass: 2.0, com: [0.02, 0.01, -0.2], inertia: {xx: 0.03, yy: 0.031, zz: 0.004}}
  fore: {mass: 1.2, com: [0.01, 0.03, -0.15], inertia: {xx: 0.012, yy: 0.011, zz: 0.002}}
joints:
  shoulder: {type: continuous, parent: base, child: upper, axis: [0, 1, 0]}
  elbow: {type: continuous, parent: upper, child: fore, axis: [1, 0, 0], translation: [0, 0, -0.4]}
"""
TRUTH = {"viscous": 0.3, "coulomb": 0.5, "rotor": 0.02}
MISSED = ("viscous", "coulomb")


@cache
def columns() -> Columns:
    return columns_of(symdyn.loads(ARM, "yaml"), ["viscous", "coulomb", "rotor"], np.zeros(0))


@cache
def motion() -> tuple[Array, Array, Array]:
    """Harmonics of 1/6 Hz to 1 Hz, with their rates."""
    t = np.arange(0.0, SPAN, 1.0 / RATE)[:, None]
    rng = np.random.default_rng(2)
    q, v, a = (np.zeros((len(t), 2)) for _ in range(3))
    for harmonic in range(1, 7):
        w, size, phase = 2.0 * np.pi * harmonic / 6.0, rng.uniform(0.2, 0.5, 2) / harmonic, rng.uniform(0.0, 6.0, 2)
        q += size * np.sin(w * t + phase)
        v += size * w * np.cos(w * t + phase)
        a -= size * w * w * np.sin(w * t + phase)
    return q, v, a


@cache
def clean() -> Array:
    q, v, a = motion()
    return columns().torques(q, v, a) + 0.3 * v + 0.5 * np.tanh(v / 0.01) + 0.02 * a


def noisy(seed: int) -> Array:
    return clean() + NOISE * np.random.default_rng(seed).standard_normal(clean().shape)


def fit(tau: Array, cutoff: float | None = None, deviations: Array | None = None) -> Fit:
    return fitted(columns(), *motion(), tau, deviations, given_lowpass(cutoff, RATE if cutoff else None, len(tau)))


def apart(found: Fit) -> tuple[list[str], Array]:
    """Names of base parameters, and how many deviations each is from the truth."""
    names = [item.name for item in found.base]
    own = np.array([TRUTH.get(name.rpartition(".")[2], 0.0) for name in columns().names])
    return names, (found.moved - found.shares @ own) / np.sqrt(np.diag(found.covariance))


@pytest.mark.parametrize("given", [False, True], ids=["noise estimated", "noise given"])
@pytest.mark.parametrize("cutoff", [None, 10.0, 40.0])
def test_true_parameters_lie_within_three_deviations(cutoff: float | None, given: bool) -> None:
    """Of 20 draws of the noise: 1 of 370 normal variables lies outside, and their mean square is 1."""
    found = np.array([apart(fit(noisy(seed), cutoff, NOISE if given else None))[1] for seed in range(20)])
    assert found.size > 250
    assert (np.abs(found) > 3.0).mean() < 0.015  # four times what is expected
    assert np.sqrt((found**2).mean()) == pytest.approx(1.0, abs=0.15)  # draws of one fit hang together: some 5 % each


def test_a_filter_keeps_what_torques_say() -> None:
    """Without noise nothing changes, and deviations of a band grow as little as the noise in it allows."""
    whole, part = fit(noisy(3)), fit(noisy(3), 20.0)
    assert fit(clean(), 5.0).moved == pytest.approx(fit(clean()).moved, rel=1e-8, abs=1e-9)
    ratio = np.sqrt(np.diag(part.covariance) / np.diag(whole.covariance))
    assert ratio.min() > 0.8 and ratio.max() < 2.5  # friction has much of what it shows above 20 Hz
    assert part.noise == pytest.approx(NOISE * np.sqrt(2.0 * 20.0 / RATE), rel=0.15)


def test_torques_that_were_filtered_alone_are_noticed() -> None:
    """Of a robot without dry friction, so that noise alone is cut off: deviations that are too small grow again."""
    smooth = clean() - 0.5 * np.tanh(motion()[1] / 0.01)
    sections = signal.butter(4, 8.0, fs=RATE, output="sos")
    narrow, wide, plain = [], [], []
    for seed in range(6):
        tau = smooth + noisy(seed) - clean()
        found = fit(signal.sosfiltfilt(sections, tau, axis=0))
        factor = found.residuals.widened
        assert (found.residuals.whiteness < 1e-10).all()
        assert "not white in shoulder (x" in found.residuals.said(("shoulder", "elbow"))
        names, distance = apart(found)
        keep = [place for place, name in enumerate(names) if not name.endswith("coulomb")]
        wide.append(distance[keep])
        narrow.append(distance[keep] * factor.mean())
        plain.append(np.sqrt(np.diag(found.covariance))[keep] / np.sqrt(np.diag(fit(tau).covariance))[keep])
    assert np.sqrt(np.mean(np.square(narrow))) > 3.0  # as they would be told without the factors
    assert np.sqrt(np.mean(np.square(wide))) < 1.3
    assert 0.7 < np.median(plain) < 2.5  # as if nothing had been filtered


def test_friction_of_another_kind_is_told_of() -> None:
    """Stribeck's bump: residuals are no noise, and masses and inertia lie within the wider deviations."""
    tau = noisy(4) + 0.3 * np.exp(-((motion()[1] / 0.2) ** 2)) * np.tanh(motion()[1] / 0.01)
    found = fit(tau)
    names, distance = apart(found)
    bodies = [place for place, name in enumerate(names) if not name.endswith(MISSED)]
    assert (found.residuals.widened > 2.0).all()
    assert np.abs(distance[bodies]).max() < 3.0
    assert np.abs(distance[bodies] * found.residuals.widened.min()).max() > 5.0  # without a word before
    q, v, a = motion()
    said = str(symdyn.identify(columns().robot, q, v, a, tau)).splitlines()[-1]
    assert said.startswith("residuals are not white in shoulder (x ") and "deviations are widened" in said
    white = str(symdyn.identify(columns().robot, q, v, a, noisy(1), deviations=NOISE)).splitlines()[-1]
    assert white.startswith("residuals: white (Ljung-Box, p = 0.") and "of the size given (p = 0." in white


def test_noise_that_is_larger_than_said_widens_deviations() -> None:
    found, plain = fit(noisy(5), None, 0.5 * NOISE), fit(noisy(5), None, NOISE)
    assert found.residuals.large == pytest.approx([2.0, 2.0], rel=0.05)
    assert np.diag(found.covariance) == pytest.approx(np.diag(plain.covariance), rel=0.1)
    assert "larger than the deviations given in shoulder (x 2), elbow (x 2)" in found.residuals.said(
        ("shoulder", "elbow")
    )
    assert (fit(noisy(5), 20.0, NOISE).residuals.large == 1.0).all()


def test_statistics() -> None:
    for free in (10, 50, 700):
        for share in (0.5, 0.9, 0.99, 0.999):
            at = float(chi2.ppf(share, free))
            assert chi_square(at, free) == pytest.approx(1.0 - share, rel=0.12)
    rng, ones = np.random.default_rng(0), np.ones(1)
    rejected = [
        examined(rng.standard_normal((400, 1)), ones, 0.0 * ones, None, 400.0).correlated[0] > 1.0 for _ in range(2000)
    ]
    assert sum(rejected) <= 12  # 2 are expected: squares of autocorrelations have longer tails than chi-square
    row = signal.lfilter([1.0], [1.0, -0.8], rng.standard_normal(20000))[:, None]
    found = examined(row, ones, 0.0 * ones, None, 20000.0)
    # the root of (1 + r) / (1 - r) at frequency 0; the largest of an estimated density lies above the density
    assert 2.9 < found.correlated[0] < 4.2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"lowpass": 10.0}, r"asks for the rate of the rows; add rate="),
        ({"rate": 500.0}, r"add lowpass="),
        ({"lowpass": 250.0, "rate": 500.0}, r"takes nothing from rows at 500 Hz; take less than 250 Hz"),
        ({"lowpass": -1.0, "rate": 500.0}, r"lowpass"),
        ({"lowpass": 1.0, "rate": np.nan}, r"rate"),
        ({"lowpass": 0.3, "rate": 500.0}, r"needs rows of at least 13.3 s, four periods of it; there are 12 s"),
    ],
)
def test_what_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(RequestError, match=words):
        symdyn.identify(columns().robot, *motion(), clean(), **given)
