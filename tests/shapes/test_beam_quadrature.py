"""Adaptive quadrature and closed forms, each against antiderivatives or mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from support.beams import integrate

from symdyn.errors import DescriptionError
from symdyn.shapes.closed_form import exact_integral
from symdyn.shapes.exponential_sum import ExponentialSum
from symdyn.shapes.formula import X, read_formula
from symdyn.shapes.quadrature import adaptive_quadrature
from symdyn.shapes.shape import FormulaShape


def test_peaks_and_waves() -> None:
    def factors(x: np.ndarray) -> np.ndarray:
        return np.array([1 / np.sqrt((x - 0.3) ** 2 + 1e-4), np.sin(40 * x)])

    rule = adaptive_quadrature((1.0,), factors, "peak")
    peak, wave = factors(rule.nodes)
    exact = (np.arctan(0.7 / 0.01) + np.arctan(0.3 / 0.01)) / 0.01
    assert rule.integral(peak * peak) == pytest.approx(exact, rel=1e-14)
    assert rule.integral(wave * wave) == pytest.approx(0.5 - np.sin(80) / 160, rel=1e-14)


def test_functions_that_are_zero_at_all_nodes_of_the_first_panels() -> None:
    """As the Legendre polynomial of degree 20 is at 20 Gauss points, and any with more functions beside it."""

    def factors(x: np.ndarray) -> np.ndarray:
        return np.polynomial.legendre.legvander(2.0 * x - 1.0, 23).T

    rule = adaptive_quadrature((1.0,), factors, "rod")
    values = factors(rule.nodes)
    grams = rule.integral(values[:, None] * values)
    np.testing.assert_allclose(grams, np.diag(1.0 / (2.0 * np.arange(24) + 1.0)), atol=1e-14)


def test_running_integrals() -> None:
    def factors(x: np.ndarray) -> np.ndarray:
        return np.array([np.cos(7 * x), np.where(x < 0.4, 1.0, 3.0)])

    rule = adaptive_quadrature((0.4, 1.5), factors, "steps")
    wave, step = factors(rule.nodes)
    ramp = np.where(rule.nodes < 0.4, rule.nodes, 0.4 + 3 * (rule.nodes - 0.4))
    np.testing.assert_allclose(rule.running(step), ramp, rtol=1e-13)
    both = rule.running(np.array([wave * wave, wave]))
    np.testing.assert_allclose(both[0], rule.nodes / 2 + np.sin(14 * rule.nodes) / 28, rtol=1e-13)
    np.testing.assert_allclose(both[1], np.sin(7 * rule.nodes) / 7, atol=1e-14)


def test_roots_at_an_end_are_resolved() -> None:
    rule = adaptive_quadrature((1.0,), lambda x: np.array([x**0.25]), "root")
    assert rule.integral(rule.nodes**0.5) == pytest.approx(2 / 3, rel=1e-13)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: np.array([np.log(x - 0.5)]), "no finite value at x = "),
        (lambda x: np.array([np.sin(1e7 * x)]), "integrals do not settle near x = "),
    ],
)
def test_what_cannot_be_integrated_is_refused(function: object, message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        adaptive_quadrature((1.0,), function, "beam")  # type: ignore[arg-type]


def test_sums_of_exponentials() -> None:
    with mpmath.workdps(30):
        waves = ExponentialSum.waves(mpmath.mpf(5), (mpmath.mpf(2), mpmath.mpf(-3), mpmath.mpf("0.5"), mpmath.mpf(7)))

        def value(t: mpmath.mpf) -> mpmath.mpf:
            grown = 2 * mpmath.exp(-5 * t) - 3 * mpmath.exp(5 * (t - 1))
            return grown + mpmath.cos(5 * t) / 2 + 7 * mpmath.sin(5 * t)

        squared = waves * waves * ExponentialSum.power(2)
        expected = integrate(lambda t: value(t) ** 2 * t**2, 0, 1, digits=30)
        assert abs(squared.integral() - expected) < 1e-25
        slope = (waves * ExponentialSum.power(1)).derivative()
        assert abs(slope.integral() - value(mpmath.mpf(1))) < 1e-25
        assert abs(waves.at_zero() - value(mpmath.mpf(0))) < 1e-27
        assert abs(waves.at_one() - value(mpmath.mpf(1))) < 1e-27


def test_polynomials_have_a_closed_form_and_others_none() -> None:
    density = FormulaShape((2.0,), (read_formula("3 - x/2"),))
    square = FormulaShape((2.0,), (X**2 / 3,))
    # Integral of (3 - x / 2) (2 x / 3)^2 from 0 to 2.
    assert exact_integral(2.0, (density, 0), (square, 1), (square, 1)) == pytest.approx(4 / 9 * (8 - 2), rel=1e-16)
    assert exact_integral(2.0, (FormulaShape((2.0,), (read_formula("exp(x)"),)), 0)) is None
    assert exact_integral(2.0, (FormulaShape((1.0, 2.0), (X, X**2)), 0)) is None
    assert exact_integral(2.0, (FormulaShape((2.0,), (read_formula("((1 + x)**32)**32"),)), 0)) is None
