"""Rayleigh-Ritz modes against Bessel functions, transfer matrices of stepped beams, and finite elements."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from support.beams import bending, profile
from support.oracles.transfer_matrices import HUB, TIP_INERTIA, TIP_MASS, stepped

from symdyn.description.flexible import Basis, Direction, Profile
from symdyn.errors import DescriptionError
from symdyn.shapes.modes import beam_modes


def truncated_wedge(b: Any, remaining: Any) -> Any:
    """Boundary determinant of a cantilever whose depth shrinks linearly to ``remaining`` of its root's.

    With u = 1 - (1 - remaining) x / L, (u^3 w'')'' = lambda u w is solved by u^(-1/2) C_1(2 lambda^(1/4) u^(1/2)),
    C_1 one of J_1, Y_1, I_1, K_1 (Kirchhoff 1879; Mabie and Rogers 1964).
    """
    k = b / (1 - remaining)

    def row(u: Any, order: int) -> list[Any]:
        # d/du of u^(-n/2) C_n is -k u^(-(n+1)/2) C_(n+1), with the other sign for I.
        z, power = 2 * k * mpmath.sqrt(u), u ** (-mpmath.mpf(order + 1) / 2)
        kinds = (mpmath.besselj, mpmath.bessely, mpmath.besseli, mpmath.besselk)
        return [power * (-1 if kind is not mpmath.besseli else 1) ** order * kind(order + 1, z) for kind in kinds]

    return mpmath.det(
        mpmath.matrix([row(mpmath.mpf(1), 0), row(mpmath.mpf(1), 1), row(remaining, 2), row(remaining, 3)])
    )


def test_tapered_cantilever_against_bessel_functions() -> None:
    length, remaining = 1.7, 0.4
    depth = f"(1 - {1 - remaining}*x/{length})"
    (modes,) = beam_modes(bending(Basis.CLAMPED_FREE, 4, length, f"3*{depth}", f"200*{depth}^3".replace("^", "**")))
    scale = (200.0 / 3.0) ** 0.5 / length**2
    with mpmath.workdps(25):
        for frequency in modes.frequencies:
            estimate = mpmath.sqrt(frequency / mpmath.mpf(scale))
            root = mpmath.findroot(lambda b: truncated_wedge(b, mpmath.mpf(remaining)), estimate)
            assert float(root**2 * scale) == pytest.approx(frequency, rel=2e-12)


def test_full_wedge_against_kirchhoff() -> None:
    # Published: omega = 5.315 and 15.21 (E I / rho A at the root)^(1/2) / L^2. More digits from the two solutions that
    # are finite at the tip, J_1(z) / z and I_1(z) / z with z = 2 b u^(1/2), clamped where u = 1.
    (modes,) = beam_modes(bending(Basis.CLAMPED_FREE, 2, 1.0, "1 - x", "(1 - x)**3"))
    assert modes.frequencies == pytest.approx((5.315, 15.21), rel=3e-4)

    def clamped(b: Any) -> Any:
        z = 2 * b
        return mpmath.besselj(1, z) * mpmath.besseli(2, z) + mpmath.besseli(1, z) * mpmath.besselj(2, z)

    for frequency in modes.frequencies:
        assert float(mpmath.findroot(clamped, mpmath.sqrt(frequency)) ** 2) == pytest.approx(frequency, rel=1e-11)


@pytest.mark.parametrize(
    ("basis", "root", "tip"),
    [
        (Basis.CLAMPED_FREE, "clamped", "free"),
        (Basis.CLAMPED_TIP_MASS, "clamped", "mass"),
        (Basis.PINNED_HUB, "hub", "free"),
        (Basis.CLAMPED_CLAMPED, "clamped", "clamped"),
        (Basis.PINNED_PINNED, "pinned", "pinned"),
    ],
)
def test_stepped_beam_against_transfer_matrices(basis: Basis, root: str, tip: str) -> None:
    # Mass and stiffness step at different stations; the stiffness by a factor of 25.
    beam = bending(
        basis,
        4,
        2.0,
        Profile((0.5, 2.0), ("4", "1.5")),
        Profile((0.5, 1.25, 2.0), ("250", "60", "10")),
        tip_mass=TIP_MASS,
        tip_inertia=TIP_INERTIA,
        hub_inertia=(0.0, 0.0, HUB),
    )
    spans = [(0.5, 250.0, 4.0), (0.75, 60.0, 1.5), (0.75, 10.0, 1.5)]
    (modes,) = beam_modes(beam)
    with mpmath.workdps(30):
        for frequency in modes.frequencies:
            exact = mpmath.findroot(lambda omega: stepped(omega, spans, root, tip), mpmath.mpf(frequency))
            assert float(exact) == pytest.approx(frequency, rel=1e-11)
        values = [
            stepped(mpmath.mpf(modes.frequencies[-1] * 1.000001) * k / 600, spans, root, tip) for k in range(2, 601)
        ]
    assert sum(a * b < 0 for a, b in pairwise(values)) == 4


def finite_elements(
    length: float, mass: Callable[[Any], Any], stiffness: Callable[[Any], Any], count: int, elements: int
) -> Any:
    """Frequencies of a cantilever by cubic Hermite elements, two degrees of freedom per node."""
    size, h = 2 * elements + 2, length / elements
    m, k = np.zeros((size, size)), np.zeros((size, size))
    nodes, weights = np.polynomial.legendre.leggauss(5)
    for element in range(elements):
        place = slice(2 * element, 2 * element + 4)
        for node, weight in zip(nodes, weights, strict=True):
            s = 0.5 * (1 + node)
            x = (element + s) * h
            n = np.array([1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)])
            bent = np.array([12 * s - 6, h * (6 * s - 4), 6 - 12 * s, h * (6 * s - 2)]) / h**2
            m[place, place] += 0.5 * h * weight * mass(x) * np.outer(n, n)
            k[place, place] += 0.5 * h * weight * stiffness(x) * np.outer(bent, bent)
    scale = np.diag(1 / np.sqrt(np.diag(k)[2:]))
    inverse = np.linalg.inv(np.linalg.cholesky(scale @ k[2:, 2:] @ scale)) @ scale
    return 1 / np.sqrt(np.linalg.eigvalsh(inverse @ m[2:, 2:] @ inverse.T)[::-1][:count])


def test_tapered_cantilever_against_fine_finite_elements() -> None:
    length = 3.0
    (modes,) = beam_modes(
        bending(Basis.CLAMPED_FREE, 3, length, "2*exp(-x/2) + 0.3*sin(x)", "90*exp(-x) + 20/(1 + x**2)")
    )
    expected = finite_elements(
        length,
        lambda x: 2 * np.exp(-x / 2) + 0.3 * np.sin(x),
        lambda x: 90 * np.exp(-x) + 20 / (1 + x**2),
        3,
        80,
    )
    assert modes.frequencies == pytest.approx(expected, rel=1e-6)
    assert all(found <= fine * (1 + 1e-9) for found, fine in zip(modes.frequencies, expected, strict=True))


@pytest.mark.parametrize("direction", [Direction.TORSION, Direction.AXIAL])
def test_stepped_rod(direction: Direction) -> None:
    # Two spans in series: (stiffness b)_1 cos_1 cos_2 = (stiffness b)_2 sin_1 sin_2.
    lengths, stiff, dense = (0.8, 1.2), (50.0, 9.0), (0.6, 0.2)
    density = Profile((0.8, 2.0), tuple(repr(value) for value in dense))
    halves = Profile((0.8, 2.0), tuple(repr(value / 2) for value in dense))
    beam = bending(
        Basis.CLAMPED_FREE,
        3,
        2.0,
        density,
        Profile((0.8, 2.0), tuple(repr(value) for value in stiff)),
        direction,
        section_inertia=(halves, halves),
    )
    (modes,) = beam_modes(beam)

    def equation(omega: Any) -> Any:
        b = [omega * mpmath.sqrt(mpmath.mpf(d) / k) for d, k in zip(dense, stiff, strict=True)]
        first, second = b[0] * lengths[0], b[1] * lengths[1]
        return stiff[0] * b[0] * mpmath.cos(first) * mpmath.cos(second) - stiff[1] * b[1] * mpmath.sin(
            first
        ) * mpmath.sin(second)

    for frequency in modes.frequencies:
        assert float(mpmath.findroot(equation, frequency)) == pytest.approx(frequency, rel=1e-11)
    values = [equation(modes.frequencies[-1] * 1.000001 * k / 400) for k in range(1, 401)]
    assert sum(a * b < 0 for a, b in pairwise(values)) == 3


@pytest.mark.parametrize(
    ("direction", "basis"),
    [(Direction.BEND_Z, basis) for basis in Basis if basis.value.startswith(("clamped", "pinned"))]
    + [
        (Direction.AXIAL, Basis.CLAMPED_FREE),
        (Direction.AXIAL, Basis.CLAMPED_TIP_MASS),
        (Direction.AXIAL, Basis.CLAMPED_CLAMPED),
    ],
)
def test_uniform_modes_are_the_limit_of_rayleigh_ritz(direction: Direction, basis: Basis) -> None:
    # A stretch whose stiffness is another by one part in 1e13 goes the other way and must find the same shapes.
    said = {"tip_mass": TIP_MASS, "tip_inertia": TIP_INERTIA, "hub_inertia": (0.0, HUB, 0.0)}
    (uniform,) = beam_modes(bending(basis, 3, 2.0, 1.5, 40.0, direction, **said))
    other = Profile((0.9, 2.0), ("40", "40.000000000004"))
    (stepped_modes,) = beam_modes(bending(basis, 3, 2.0, 1.5, other, direction, **said))
    assert uniform.roots and not stepped_modes.roots
    assert stepped_modes.frequencies == pytest.approx(uniform.frequencies, rel=1e-11)
    x = np.linspace(0.0, 2.0, 41)
    for one, two in zip(uniform.shapes, stepped_modes.shapes, strict=True):
        for derivative in range(2):
            scale = np.abs(one(x, derivative)).max()
            np.testing.assert_allclose(two(x, derivative), one(x, derivative), rtol=0, atol=1e-8 * scale)


def test_a_profile_that_is_far_from_smooth_is_refused() -> None:
    with pytest.raises(DescriptionError, match="do not settle"):
        beam_modes(bending(Basis.CLAMPED_FREE, 1, 1.0, 1.0, "1.001 + sin(3000*x)"))
    assert beam_modes(bending(Basis.CLAMPED_FREE, 3, 1.0, 1.0, profile("1.5 + sin(10*x)", 1.0)))


def test_shapes_settle_with_their_second_derivatives() -> None:
    # No moment and no shear force at the free tip, which Rayleigh-Ritz does not impose.
    length, depth = 2.0, "(1 - 0.3*x)"
    (modes,) = beam_modes(bending(Basis.CLAMPED_FREE, 4, length, depth, f"30*{depth}**3"))
    x = np.linspace(0, length, 100)
    for shape in modes.shapes:
        assert abs(shape(np.array(length), 2)) < 2e-9 * np.abs(shape(x, 2)).max()


def test_stepped_shapes_are_orthogonal_to_rounding() -> None:
    ends = (0.5, 1.25, 2.0)
    heavy, stiff = Profile(ends, ("4", "1.5", "1.5")), Profile(ends, ("250", "60", "10"))
    beam = bending(Basis.CLAMPED_TIP_MASS, 8, 2.0, heavy, stiff, tip_mass=TIP_MASS)
    (modes,) = beam_modes(beam)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    bounds = (0.0, *ends)
    mass, bent = np.zeros((8, 8)), np.zeros((8, 8))
    for a, b, density, stiffness in zip(bounds[:-1], ends, (4, 1.5, 1.5), (250, 60, 10), strict=True):
        x = 0.5 * (a + b + (b - a) * nodes)
        w = 0.5 * (b - a) * weights
        values, strains = (np.array([shape(x, order) for shape in modes.shapes]) for order in (0, 2))
        mass += density * (values * w) @ values.T
        bent += stiffness * (strains * w) @ strains.T
    tip = np.array([float(shape(np.array(2.0))) for shape in modes.shapes])
    mass += TIP_MASS * np.outer(tip, tip)
    total = 0.5 * 4 + 1.5 * 1.5
    frequencies = np.array(modes.frequencies)
    np.testing.assert_allclose(mass / total, np.eye(8), atol=5e-14)
    np.testing.assert_allclose(bent / total / np.outer(frequencies, frequencies), np.eye(8), atol=5e-14)
