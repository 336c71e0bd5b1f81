"""Shapes of uniform beams: differential equation, ends, orthogonality, scale and sign; all ways to evaluate agree."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from support.beams import bending, integrate, profile

from symdyn.description.flexible import Basis, Direction, Flexible
from symdyn.errors import DescriptionError
from symdyn.shapes.formula import X
from symdyn.shapes.modes import ModeShapes, beam_modes
from symdyn.shapes.shape import ShapeFromHub

LENGTH, MASS, STIFFNESS = 1.3, 2.0, 70.0
TIP_MASS, TIP_INERTIA, HUB = 1.1, 0.4, 0.9
EXACT = (Basis.CLAMPED_FREE, Basis.CLAMPED_CLAMPED, Basis.PINNED_PINNED)  # no inertias that are ratios of doubles
NATURAL = [basis for basis in Basis if basis.value.startswith(("clamped", "pinned"))]


def modes_of(basis: Basis, count: int = 4, direction: Direction = Direction.BEND_Y) -> ModeShapes:
    said = {"tip_mass": TIP_MASS, "tip_inertia": TIP_INERTIA, "hub_inertia": (0.0, 0.0, HUB)}
    (modes,) = beam_modes(bending(basis, count, LENGTH, MASS, STIFFNESS, direction, **said))
    return modes


def natural(modes: ModeShapes) -> list[Any]:
    """The modes themselves, which those of a hub's are not as its link sees them."""
    return [shape.mode if isinstance(shape, ShapeFromHub) else shape for shape in modes.shapes]


def product(basis: Basis, one: Any, two: Any) -> Any:
    """Inertia product of the basis, integrated here."""
    end = mpmath.mpf(LENGTH)
    result = MASS * integrate(lambda x: one(x) * two(x), 0, LENGTH)
    if basis is Basis.CLAMPED_TIP_MASS:
        result += TIP_MASS * one(end) * two(end) + TIP_INERTIA * one(end, 1) * two(end, 1)
    if basis is Basis.PINNED_HUB:
        result += HUB * one(mpmath.mpf(0), 1) * two(mpmath.mpf(0), 1)
    return result


@pytest.mark.parametrize("basis", NATURAL)
def test_orthogonal_with_the_mass_of_the_beam(basis: Basis) -> None:
    shapes = natural(modes_of(basis))
    with mpmath.workdps(30):
        for k, one in enumerate(shapes):
            for j, two in enumerate(shapes):
                expected = MASS * LENGTH if k == j else 0.0
                assert abs(product(basis, one, two) - expected) < 1e-14 * (1e-10 if basis in EXACT else 1)


@pytest.mark.parametrize("basis", NATURAL)
def test_curvatures_are_orthogonal_with_the_squared_frequency(basis: Basis) -> None:
    modes = modes_of(basis)
    with mpmath.workdps(30):
        for k, one in enumerate(modes.shapes):
            for j, two in enumerate(modes.shapes):
                bent = STIFFNESS * integrate(lambda x, one=one, two=two: one(x, 2) * two(x, 2), 0, LENGTH)
                expected = MASS * LENGTH * mpmath.mpf(modes.frequencies[k]) ** 2 if k == j else 0.0
                assert abs(bent - expected) < 1e-14 * modes.frequencies[k] * modes.frequencies[j]
                assert modes.stiffness[k][j] == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("basis", NATURAL)
def test_equation_of_motion_and_ends(basis: Basis) -> None:
    modes = modes_of(basis)
    with mpmath.workdps(50):
        end = mpmath.mpf(LENGTH)
        for shape, root in zip(natural(modes), modes.roots, strict=True):
            (formula,) = shape.expressions()
            wave = (root / end) ** 4
            omega2 = wave * STIFFNESS / MASS
            values = [sympy.lambdify(X, sympy.diff(formula, X, order), "mpmath") for order in range(5)]
            for x in (end / 7, end / 2, end):
                assert abs(values[4](x) - wave * values[0](x)) < 1e-40 * wave
            root_w, root_slope, root_bend, _ = (f(mpmath.mpf(0)) for f in values[:4])
            tip_w, tip_slope, tip_bend, tip_shear = (f(end) for f in values[:4])
            vanishing = {
                Basis.CLAMPED_FREE: (root_w, root_slope, tip_bend, tip_shear),
                Basis.CLAMPED_TIP_MASS: (
                    root_w,
                    root_slope,
                    STIFFNESS * tip_bend - omega2 * TIP_INERTIA * tip_slope,
                    STIFFNESS * tip_shear + omega2 * TIP_MASS * tip_w,
                ),
                Basis.PINNED_HUB: (root_w, STIFFNESS * root_bend + omega2 * HUB * root_slope, tip_bend, tip_shear),
                Basis.CLAMPED_CLAMPED: (root_w, root_slope, tip_w, tip_slope),
                Basis.PINNED_PINNED: (root_w, root_bend, tip_w, tip_bend),
            }[basis]
            assert max(abs(value) for value in vanishing) < (1e-40 if basis in EXACT else 1e-14) * omega2


def test_clamped_free_against_blevins() -> None:
    # cosh - cos - sigma (sinh - sin) has the square norm L, with sigma = (sinh - sin) / (cosh + cos) of the root.
    modes = modes_of(Basis.CLAMPED_FREE)
    with mpmath.workdps(60):
        for k, (shape, b) in enumerate(zip(modes.shapes, modes.roots, strict=True)):
            sigma = (mpmath.sinh(b) - mpmath.sin(b)) / (mpmath.cosh(b) + mpmath.cos(b))
            for part in (0.1, 0.5, 0.9, 1.0):
                t = b * mpmath.mpf(part * LENGTH) / LENGTH
                blevins = mpmath.cosh(t) - mpmath.cos(t) - sigma * (mpmath.sinh(t) - mpmath.sin(t))
                assert abs(shape(mpmath.mpf(part * LENGTH)) - (-1) ** k * blevins) < 1e-40
            assert abs(shape(mpmath.mpf(LENGTH)) - 2) < 1e-40


@pytest.mark.parametrize("basis", NATURAL)
def test_sign(basis: Basis) -> None:
    for shape in natural(modes_of(basis, 6)):
        if basis in (Basis.CLAMPED_CLAMPED, Basis.PINNED_PINNED):
            assert shape(np.array(0.01 * LENGTH)) > 0
            assert shape(np.array(LENGTH)) == pytest.approx(0.0, abs=1e-14)
        else:
            assert shape(np.array(LENGTH)) > 0


def test_a_hub_sees_its_modes_clamped_to_it() -> None:
    modes = modes_of(Basis.PINNED_HUB)
    x = np.linspace(0.0, LENGTH, 7)
    for shape, mode in zip(modes.shapes, natural(modes), strict=True):
        slope = float(mode(mpmath.mpf(0), 1))
        assert abs(slope) > 1e-3
        np.testing.assert_allclose(shape(x), mode(x) - slope * x, rtol=0, atol=1e-14)
        np.testing.assert_allclose(shape(x, 1), mode(x, 1) - slope, rtol=0, atol=1e-13)
        np.testing.assert_array_equal(shape(x, 2), mode(x, 2))
        with mpmath.workdps(50):
            assert abs(shape(mpmath.mpf(0))) < 1e-48 and abs(shape(mpmath.mpf(0), 1)) < 1e-48


@pytest.mark.parametrize("direction", [Direction.TORSION, Direction.AXIAL])
@pytest.mark.parametrize("basis", [Basis.CLAMPED_FREE, Basis.CLAMPED_TIP_MASS, Basis.CLAMPED_CLAMPED])
def test_rods(direction: Direction, basis: Basis) -> None:
    sections = (profile(0.03, LENGTH), profile(0.05, LENGTH))
    said = {"tip_mass": TIP_MASS, "tip_inertia": TIP_INERTIA, "section_inertia": sections}
    (modes,) = beam_modes(bending(basis, 4, LENGTH, MASS, STIFFNESS, direction, **said))
    density = 0.08 if direction is Direction.TORSION else MASS
    at_tip = TIP_INERTIA if direction is Direction.TORSION else TIP_MASS
    share = at_tip if basis is Basis.CLAMPED_TIP_MASS else 0.0
    with mpmath.workdps(30):
        end = mpmath.mpf(LENGTH)
        for k, one in enumerate(modes.shapes):
            assert one(mpmath.mpf(0)) == 0
            for j, two in enumerate(modes.shapes):
                moved = density * integrate(lambda x, one=one, two=two: one(x) * two(x), 0, LENGTH)
                moved += share * one(end) * two(end)
                twisted = STIFFNESS * integrate(lambda x, one=one, two=two: one(x, 1) * two(x, 1), 0, LENGTH)
                expected = density * LENGTH if k == j else 0.0
                assert abs(moved - expected) < 1e-15
                assert abs(twisted - expected * modes.frequencies[k] ** 2) < 1e-13 * (1 + modes.frequencies[k] ** 2)


@pytest.mark.parametrize("basis", NATURAL)
def test_floats_sympy_and_fifty_digits_agree_up_to_the_twelfth_mode(basis: Basis) -> None:
    x = np.linspace(0.0, LENGTH, 9)
    for shape in modes_of(basis, 12).shapes[::4]:
        for derivative in range(3):
            (formula,) = shape.expressions(derivative)
            with mpmath.workdps(50):
                precise = [shape(mpmath.mpf(float(station)), derivative) for station in x]
                for station, value in zip(x, precise, strict=True):
                    by_sympy = mpmath.mpmathify(formula.subs(X, sympy.Rational(float(station))).evalf(50))
                    assert abs(by_sympy - value) < 1e-40 * (1 + abs(value))
            scale = max(abs(float(value)) for value in precise)
            expected = np.array([float(value) for value in precise])
            np.testing.assert_allclose(shape(x, derivative), expected, rtol=0, atol=2e-14 * scale)


@pytest.mark.parametrize("load", [1e2, 1e6, 1e9])
def test_heavy_payloads_keep_their_digits(load: float) -> None:
    # The first mode tends to the static deflection under a force at the tip, x^2 (3 L - x).
    flexible = bending(Basis.CLAMPED_TIP_MASS, 2, LENGTH, MASS, STIFFNESS, tip_mass=load)
    (modes,) = beam_modes(flexible)
    x = np.linspace(0.0, LENGTH, 9)
    for derivative in range(3):
        with mpmath.workdps(50):
            expected = np.array([float(modes.shapes[0](mpmath.mpf(float(at)), derivative)) for at in x])
        np.testing.assert_allclose(
            modes.shapes[0](x, derivative), expected, rtol=0, atol=1e-13 * np.abs(expected).max()
        )
    static = x**2 * (3 * LENGTH - x) / (2 * LENGTH**3) * float(modes.shapes[0](np.array(LENGTH)))
    np.testing.assert_allclose(modes.shapes[0](x), static, rtol=0.1 * MASS / load + 1e-13)
    assert modes.frequencies[0] == pytest.approx((3 * STIFFNESS / (load * LENGTH**3)) ** 0.5, rel=0.5 / load)


def test_rods_have_no_slopes_at_their_ends() -> None:
    for direction in (Direction.AXIAL, Direction.TORSION):
        sections = (profile(1.0, 1.0), profile(1.0, 1.0))
        for basis in (Basis.PINNED_HUB, Basis.PINNED_PINNED):
            with pytest.raises(DescriptionError, match=f"{direction.value}: basis '{basis.value}'.*'clamped-free'"):
                beam_modes(bending(basis, 1, direction=direction, section_inertia=sections))


def test_values_without_sense_are_refused() -> None:
    good = bending(Basis.CLAMPED_TIP_MASS, 1)
    with pytest.raises(DescriptionError, match="torsion: expected 'section_inertia'"):
        beam_modes(bending(Basis.CLAMPED_FREE, 1, direction=Direction.TORSION))
    with pytest.raises(DescriptionError, match="positive length"):
        beam_modes(Flexible(-1.0, good.mass_per_length, good.modes))
    with pytest.raises(DescriptionError, match=r"stiffness of bend_y: expected a positive number .* got -"):
        beam_modes(bending(Basis.CLAMPED_FREE, 1, stiffness="1 - 2*x"))
    with pytest.raises(DescriptionError, match="mass_per_length: expected a positive number"):
        beam_modes(bending(Basis.CLAMPED_FREE, 1, mass="sqrt(x - 1/2)"))
    with pytest.raises(DescriptionError, match="the last stretch ends at 2 m, expected the beam's length 1 m"):
        beam_modes(bending(Basis.CLAMPED_FREE, 1, mass=profile(1.0, 2.0)))
    with pytest.raises(DescriptionError, match="tip_mass: expected a finite number of at least 0, got -1"):
        beam_modes(bending(Basis.CLAMPED_TIP_MASS, 1, tip_mass=-1.0))
    with pytest.raises(DescriptionError, match="at least one mode"):
        beam_modes(bending(Basis.CLAMPED_FREE, 0))
