"""Damping of beams: ratios per mode, also where the shapes are not modes, and Kelvin-Voigt material."""

from __future__ import annotations

import numpy as np
import pytest
from support.beams import bending, profile

from symdyn.description.flexible import Basis, Direction, Flexible, Modes
from symdyn.errors import DescriptionError
from symdyn.shapes.beam import beam_integrals


def test_ratios_of_natural_modes() -> None:
    ratios = (0.01, 0.02, 0.05)
    result = beam_integrals(bending(Basis.CLAMPED_FREE, 3, 1.2, 2.0, 30.0, damping_ratios=ratios))
    expected = [2 * ratio * omega * result.mass for ratio, omega in zip(ratios, result.frequencies, strict=True)]
    np.testing.assert_allclose(result.damping, np.diag(expected), rtol=1e-15)


def test_tip_mass_belongs_to_the_modal_mass() -> None:
    # The decay of the free vibration with the tip mass there has the ratio that was asked for.
    flexible = bending(Basis.CLAMPED_TIP_MASS, 2, 1.2, 2.0, 30.0, damping_ratios=(0.03, 0.04), tip_mass=5.0)
    result = beam_integrals(flexible)
    tip = np.array(result.tip_shapes)[:, 1]
    mass = np.array(result.shape_products)[:, :, 1, 1] + 5.0 * np.outer(tip, tip)
    np.testing.assert_allclose(mass, result.mass * np.eye(2), atol=1e-13)
    np.testing.assert_allclose(
        np.diag(result.damping), 2 * np.array([0.03, 0.04]) * np.array(result.frequencies) * result.mass, rtol=1e-14
    )


@pytest.mark.parametrize("basis", [Basis.POLYNOMIAL, Basis.EXPRESSIONS])
def test_ratios_of_given_shapes_damp_the_vibrations_that_they_make(basis: Basis) -> None:
    ratios = (0.01, 0.2, 0.05)
    functions = ("x**2", "1 - cos(x)", "x**2*sin(x)") if basis is Basis.EXPRESSIONS else ()
    flexible = bending(basis, 3, 1.2, 2.0, 30.0, damping_ratios=ratios, functions=functions)
    result = beam_integrals(flexible)
    mass = np.array(result.shape_products)[:, :, 1, 1]
    damping, stiffness = np.array(result.damping), np.array(result.stiffness)
    np.testing.assert_allclose(damping, damping.T, rtol=1e-9)
    zero, one = np.zeros((3, 3)), np.eye(3)
    state = np.block([[zero, one], [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, damping)]])
    poles = sorted((pole for pole in np.linalg.eigvals(state) if pole.imag > 0), key=abs)
    assert [-pole.real / abs(pole) for pole in poles] == pytest.approx(ratios, rel=1e-8)


def test_kelvin_voigt() -> None:
    result = beam_integrals(bending(Basis.POLYNOMIAL, 3, retardation_time=1e-3))
    np.testing.assert_allclose(result.damping, 1e-3 * np.array(result.stiffness), rtol=1e-15)


def test_directions_are_damped_apart() -> None:
    one, rod = profile(1.0, 1.0), profile(50.0, 1.0)
    flexible = Flexible(
        1.0,
        one,
        (
            Modes(Direction.BEND_Y, Basis.CLAMPED_FREE, 2, one),
            Modes(Direction.AXIAL, Basis.CLAMPED_FREE, 1, rod, damping_ratios=(0.5,)),
        ),
    )
    result = beam_integrals(flexible)
    expected = np.zeros((3, 3))
    expected[2, 2] = 2 * 0.5 * result.frequencies[2]
    np.testing.assert_allclose(result.damping, expected, rtol=1e-15)
    assert np.count_nonzero(np.array(result.stiffness)) == 3


def test_damping_that_is_refused() -> None:
    with pytest.raises(DescriptionError, match="bend_y: expected 3 damping ratios, one per mode, got 2"):
        beam_integrals(bending(Basis.CLAMPED_FREE, 3, damping_ratios=(0.1, 0.1)))
    with pytest.raises(DescriptionError, match="bend_y: expected damping ratios of at least 0"):
        beam_integrals(bending(Basis.CLAMPED_FREE, 1, damping_ratios=(-0.1,)))
    with pytest.raises(DescriptionError, match="bend_y: expected a retardation time of at least 0 s, got -1"):
        beam_integrals(bending(Basis.CLAMPED_FREE, 1, retardation_time=-1.0))
