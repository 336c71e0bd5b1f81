"""Roots of uniform beams against the characteristic equations of the literature, written here by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import mpmath
import pytest
import sympy
from mpmath import cos, cosh, sin, sinh
from support.beams import bending, profile

from symdyn.description.flexible import Basis, Direction
from symdyn.shapes.characteristic import BETA, ROD_BASES, characteristic_equation
from symdyn.shapes.modes import beam_modes

# Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1.
CLAMPED_FREE = ("1.87510406871196", "4.69409113297418", "7.85475743823761", "10.9955407348755")


def clamped_tip(mass: float, inertia: float) -> Callable[[Any], Any]:
    # Laura, Pombo and Susemihl (1974) for the mass, To (1982) with the rotary inertia.
    def equation(b: Any) -> Any:
        return (
            1
            + cos(b) * cosh(b)
            + mass * b * (cos(b) * sinh(b) - sin(b) * cosh(b))
            - inertia * b**3 * (sin(b) * cosh(b) + cos(b) * sinh(b))
            + mass * inertia * b**4 * (1 - cos(b) * cosh(b))
        )

    return equation


def pinned_hub(inertia: float) -> Callable[[Any], Any]:
    # Bellezza, Lanari and Ulivi (1990), pseudo-pinned frame, without payload.
    return lambda b: sin(b) * cosh(b) - cos(b) * sinh(b) + inertia * b**3 * (1 + cos(b) * cosh(b))


BENDING = [
    pytest.param(Basis.CLAMPED_FREE, {}, lambda b: cos(b) * cosh(b) + 1, id="clamped-free"),
    pytest.param(Basis.CLAMPED_CLAMPED, {}, lambda b: cos(b) * cosh(b) - 1, id="clamped-clamped"),
    pytest.param(Basis.PINNED_PINNED, {}, sin, id="pinned-pinned"),
    pytest.param(Basis.PINNED_HUB, {}, lambda b: sin(b) * cosh(b) - cos(b) * sinh(b), id="pinned-free"),
    *(
        pytest.param(Basis.PINNED_HUB, {"hub_inertia": (0.0, 0.0, j)}, pinned_hub(j), id=f"hub {j:g}")
        for j in (1e-4, 0.1, 3.0, 1e5)
    ),
    *(
        pytest.param(
            Basis.CLAMPED_TIP_MASS, {"tip_mass": m, "tip_inertia": j}, clamped_tip(m, j), id=f"tip {m:g} {j:g}"
        )
        for m, j in ((0.0, 0.0), (0.5, 0.0), (2.0, 0.3), (1e-3, 4.0), (1e4, 1e3))
    ),
]


def sign_changes(function: Callable[[Any], Any], until: float, steps: int = 1500) -> int:
    """Number of simple roots between a little above zero and ``until`` of a function without poles."""
    values = [function(mpmath.mpf(until) * k / steps) for k in range(1, steps + 1)]
    return sum(before * after < 0 for before, after in pairwise(values))


@pytest.mark.parametrize(("basis", "inertias", "equation"), BENDING)
def test_bending_roots_solve_the_equation_of_the_literature(
    basis: Basis, inertias: dict[str, Any], equation: Callable[[Any], Any]
) -> None:
    (modes,) = beam_modes(bending(basis, 6, **inertias))
    with mpmath.workdps(50):
        for root in modes.roots:
            expected = mpmath.findroot(equation, root * (1 + mpmath.mpf(10) ** -9))
            assert abs(root - expected) < mpmath.mpf(10) ** -35 * root


@pytest.mark.parametrize(("basis", "inertias", "equation"), BENDING)
def test_no_root_is_missed(basis: Basis, inertias: dict[str, Any], equation: Callable[[Any], Any]) -> None:
    (modes,) = beam_modes(bending(basis, 6, **inertias))
    assert list(modes.roots) == sorted(modes.roots)
    assert sign_changes(equation, float(modes.roots[-1]) * (1 + 1e-9)) == 6


def test_clamped_free_roots() -> None:
    (modes,) = beam_modes(bending(Basis.CLAMPED_FREE, 4, length=0.7, mass=3.0, stiffness=250.0))
    assert [float(root) for root in modes.roots] == pytest.approx([float(text) for text in CLAMPED_FREE], rel=1e-14)
    expected = [(float(text) / 0.7) ** 2 * (250.0 / 3.0) ** 0.5 for text in CLAMPED_FREE]
    assert modes.frequencies == pytest.approx(expected, rel=1e-13)


@pytest.mark.slow
def test_twelve_modes_of_every_basis() -> None:
    # The last ones tend to (k - 1/2) pi and the like: far from where the hyperbolic functions are tame.
    expected = {
        Basis.CLAMPED_FREE: 11.5,
        Basis.CLAMPED_CLAMPED: 12.5,
        Basis.PINNED_PINNED: 12.0,
        Basis.PINNED_HUB: 12.25,
    }
    for basis, halves in expected.items():
        (modes,) = beam_modes(bending(basis, 12))
        assert float(modes.roots[-1]) == pytest.approx(halves * mpmath.pi, rel=1e-13)


def test_the_rigid_rotation_is_not_a_mode() -> None:
    (modes,) = beam_modes(bending(Basis.PINNED_HUB, 2, hub_inertia=(0.0, 0.0, 0.2)))
    assert modes.frequencies[0] > 1.0
    b = sympy.Symbol("b", positive=True)
    equation = characteristic_equation(Basis.PINNED_HUB, 2).subs(BETA, b)
    assert equation.subs({symbol: sympy.Rational(1, 5) for symbol in equation.free_symbols - {b}}).subs(b, 0) == 0


@pytest.mark.parametrize("direction", [Direction.TORSION, Direction.AXIAL])
@pytest.mark.parametrize("share", [0.0, 0.4, 30.0])
def test_rods_with_an_inertia_at_the_tip(direction: Direction, share: float) -> None:
    # Wave equation with an end mass: b tan b = beam's inertia / end's inertia.
    polar = 0.02 * 1.5
    said = {"tip_mass": share * 1.5, "tip_inertia": share * polar}
    sections = (profile(0.013, 1.5), profile(0.007, 1.5))
    beam = bending(
        Basis.CLAMPED_TIP_MASS, 5, 1.5, stiffness=80.0, direction=direction, section_inertia=sections, **said
    )
    (modes,) = beam_modes(beam)
    density = 0.02 if direction is Direction.TORSION else 1.0
    with mpmath.workdps(40):
        for k, (root, frequency) in enumerate(zip(modes.roots, modes.frequencies, strict=True)):
            residual = cos(root) - mpmath.mpf(share) * root * sin(root)
            assert abs(residual) < 1e-15 * (1 + share * root)
            assert k * mpmath.pi < root <= (k + mpmath.mpf(1) / 2) * mpmath.pi * (1 + mpmath.mpf(10) ** -30)
            assert frequency == pytest.approx(float(root) / 1.5 * (80.0 / density) ** 0.5, rel=1e-14)


@pytest.mark.parametrize("direction", [Direction.TORSION, Direction.AXIAL])
def test_rods_held_at_both_ends(direction: Direction) -> None:
    sections = (profile(1.0, 1.0), profile(2.0, 1.0))
    (modes,) = beam_modes(bending(Basis.CLAMPED_CLAMPED, 4, direction=direction, section_inertia=sections))
    assert [float(root) for root in modes.roots] == pytest.approx([k * mpmath.pi for k in range(1, 5)], rel=1e-15)


@pytest.mark.parametrize("basis", [basis for basis in Basis if basis.value.startswith(("clamped", "pinned"))])
@pytest.mark.parametrize("order", [1, 2])
def test_equations_are_derived_and_reduced(basis: Basis, order: int) -> None:
    if order == 1 and basis not in ROD_BASES:
        return
    equation = characteristic_equation(basis, order)
    assert not equation.has(sympy.Pow(sympy.cosh(BETA), 2), sympy.Pow(sympy.sin(BETA), 2))
    assert equation.has(BETA)
