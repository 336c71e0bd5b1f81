"""Inputs that tell their derivatives, beside mpmath's derivatives of the same formulas."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp

from symdyn.analysis.simulation.smooth_inputs import HarmonicInputs, PolynomialInputs, SmoothInputs
from symdyn.errors import RequestError


def test_harmonic_inputs() -> None:
    inputs = HarmonicInputs([1.0, -2.0], 0.5, [3.0, 0.7], -np.pi / 2)
    assert isinstance(inputs, SmoothInputs)
    found = inputs.derivatives(0.4, 5)
    with mp.workdps(40):
        phase = -mp.mpf(np.pi) / 2
        for row, (mean, rate) in enumerate([(1.0, 3.0), (-2.0, 0.7)]):

            def law(t: mp.mpf, mean: float = mean, rate: float = rate) -> mp.mpf:
                return mean + mp.sin(mp.mpf(rate) * t + phase) / 2

            wanted = [mp.diff(law, mp.mpf(0.4), k) for k in range(6)]
            np.testing.assert_allclose(found[:, row], np.array(wanted, dtype=float), rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(inputs(0.4, np.zeros(0), np.zeros(0)), found[0])


def test_numbers_make_rows_of_one() -> None:
    np.testing.assert_allclose(HarmonicInputs(1.0, 2.0, np.pi, 0.0).derivatives(0.5, 1), [[3.0], [0.0]], atol=1e-15)


def test_polynomial_inputs() -> None:
    found = PolynomialInputs([[1.0, 0.0], [2.0, 0.0], [3.0, -1.0]]).derivatives(2.0, 3)
    np.testing.assert_allclose(found, [[17.0, -4.0], [14.0, -4.0], [6.0, -2.0], [0.0, 0.0]], atol=1e-14)


@pytest.mark.parametrize(
    "given", [([1.0, 2.0], [1.0, 2.0, 3.0], 1.0), (np.nan, 1.0, 1.0), (np.zeros((2, 2)), 1.0, 1.0)]
)
def test_what_is_refused(given: tuple[object, ...]) -> None:
    with pytest.raises(RequestError):
        HarmonicInputs(*given)  # type: ignore[arg-type]
