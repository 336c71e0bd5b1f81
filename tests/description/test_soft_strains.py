"""The functions of strains: their values, their independence, and the pieces that they part a rod into."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest
from support.rods import functions, rod

from symdyn.description.checks.soft import faults
from symdyn.description.checks.soft_strains import strain_values
from symdyn.description.soft import CoupledStrains, Soft, Strain, StrainBasis
from symdyn.shapes.section import stiffness_by_row

LENGTH = 0.7
PLACES = np.array([0.0, 0.03, 0.2, 0.34999, 0.35001, 0.51, 0.69])


def values(basis: StrainBasis, count: int, **said: Any) -> Any:
    return np.array(strain_values(functions(Strain.TWIST, count, basis, **said), LENGTH, PLACES))


@pytest.mark.parametrize(
    ("basis", "truth"),
    [
        (StrainBasis.LEGENDRE, lambda k, s: mpmath.legendre(k, 2 * s - 1)),
        (StrainBasis.CHEBYSHEV, lambda k, s: mpmath.chebyt(k, 2 * s - 1)),
        (StrainBasis.MONOMIAL, lambda k, s: s**k),
        (
            StrainBasis.FOURIER,
            lambda k, s: (mpmath.sin, mpmath.cos)[k % 2](2 * mpmath.pi * ((k + 1) // 2) * s) if k else 1,
        ),
        (StrainBasis.PIECEWISE_CONSTANT, lambda k, s: int(mpmath.floor(9 * s) == k)),
        (StrainBasis.PIECEWISE_LINEAR, lambda k, s: max(mpmath.mpf(0), 1 - abs(8 * s - k))),
    ],
)
def test_values_of_a_basis(basis: StrainBasis, truth: Callable[[int, Any], Any]) -> None:
    wanted = [[float(truth(k, mpmath.mpf(x) / mpmath.mpf(LENGTH))) for x in PLACES.tolist()] for k in range(9)]
    assert values(basis, 9) == pytest.approx(np.array(wanted), abs=1e-13)


def test_values_of_gaussians_and_expressions() -> None:
    gaussians = values(StrainBasis.GAUSSIAN, 2, centres=(0.1, 0.6), width=0.2)
    assert gaussians == pytest.approx(np.array([np.exp(-(((PLACES - c) / 0.2) ** 2)) for c in (0.1, 0.6)]))
    given = values(StrainBasis.EXPRESSIONS, 2, functions=("1", "sin(x)"))
    assert given == pytest.approx(np.array([np.ones_like(PLACES), np.sin(PLACES)]))
    narrow = values(StrainBasis.GAUSSIAN, 1, centres=(0.2,), width=1e-300)
    assert narrow[0].tolist() == [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_hats_and_pieces_add_up_to_one() -> None:
    for basis in (StrainBasis.PIECEWISE_CONSTANT, StrainBasis.PIECEWISE_LINEAR):
        assert values(basis, 7).sum(axis=0) == pytest.approx(np.ones_like(PLACES))


def _words(soft: Soft) -> list[str]:
    return [f"{'.'.join(map(str, keys))}{words}" for keys, words in faults(soft)]


def _scaled_hilbert_condition(count: int) -> float:
    """Condition number of the Gram matrix of 1, s, .. , s^(count - 1), each of norm 1, in 60 digits."""
    with mpmath.workdps(60):
        scales = [mpmath.sqrt(2 * k + 1) for k in range(count)]
        gram = mpmath.matrix(count, count)
        for i in range(count):
            for j in range(count):
                gram[i, j] = scales[i] * scales[j] / (i + j + 1)
        eigenvalues = sorted(mpmath.eigsy(gram, eigvals_only=True))
        return float(eigenvalues[-1] / eigenvalues[0])


def test_monomials_are_refused_where_their_gram_matrix_says_so() -> None:
    for count in (8, 9, 10, 11):
        condition = _scaled_hilbert_condition(count)
        words = _words(rod(functions(Strain.TWIST, count, StrainBasis.MONOMIAL), length=3.0))
        if condition <= 1e12:
            assert words == []
            continue
        (line,) = words
        assert line.startswith(f"strain.twist: its {count} functions nearly depend on each other")
        assert f"condition number {condition:.1e}, beyond 1e+12" in line
    assert _scaled_hilbert_condition(9) < 1e12 < _scaled_hilbert_condition(10)


@pytest.mark.parametrize("basis", [StrainBasis.LEGENDRE, StrainBasis.CHEBYSHEV, StrainBasis.PIECEWISE_LINEAR])
def test_other_bases_stay_independent(basis: StrainBasis) -> None:
    assert _words(rod(functions(Strain.SHEAR_Y, 24, basis))) == []
    assert _words(rod(functions(Strain.SHEAR_Y, 23, StrainBasis.FOURIER))) == []
    assert _words(rod(functions(Strain.SHEAR_Y, 24, StrainBasis.PIECEWISE_CONSTANT))) == []


def test_the_size_of_a_function_is_no_dependence() -> None:
    given = ("1.0", "1e-09 * x", "1000000000.0 * x ** 2")
    assert _words(rod(functions(Strain.TWIST, 3, StrainBasis.EXPRESSIONS, functions=given))) == []


@pytest.mark.parametrize("nearness", [1e-5, 1e-7])
def test_nearly_equal_functions_are_refused(nearness: float) -> None:
    """1 and 1 + e s have a Gram matrix of condition 48 / e^2, to first order."""
    given = ("1.0", f"1.0 + {nearness} * x")
    words = _words(rod(functions(Strain.TWIST, 2, StrainBasis.EXPRESSIONS, functions=given), length=1.0))
    assert [f"condition number {48 / nearness**2:.1e}" in line for line in words] == ([True] if nearness < 1e-6 else [])


def test_coupled_coordinates_are_compared_with_all_strains_that_they_move() -> None:
    y, z = functions(Strain.CURVATURE_Y, 1), functions(Strain.CURVATURE_Z, 1)
    both = CoupledStrains("both", ((Strain.CURVATURE_Y, "2.0"), (Strain.CURVATURE_Z, "3.0")))
    assert _words(rod(y, coupled=(both,))) == []
    (line,) = _words(rod(y, z, coupled=(both,)))
    assert line.startswith("coupled: both and those of curvature_y, curvature_z nearly depend on each other")
    other = CoupledStrains("other", ((Strain.TWIST, "1.0"), (Strain.CURVATURE_Z, "6.0")))
    assert _words(rod(y, coupled=(both, other))) == []
    chain = (both, other, CoupledStrains("third", ((Strain.TWIST, "-1.0"), (Strain.CURVATURE_Y, "4.0"))))
    (line,) = _words(replace(rod(coupled=chain), strains=()))
    assert line.startswith("coupled: both, other, third and those of twist, curvature_y, curvature_z nearly depend")


def test_a_gaussian_that_is_nowhere_is_refused() -> None:
    (line,) = _words(rod(functions(Strain.TWIST, 1, StrainBasis.GAUSSIAN, centres=(0.25,), width=1e-200)))
    assert line == "strain.twist has a function that is zero all but everywhere; delete it"


@pytest.mark.parametrize("length", [0.01, 0.07, 0.3, 0.5, 1.1])
def test_breaks_of_several_strains_coincide(length: float) -> None:
    """Thirds are ninths, also in floating point: no piece has the length of a rounding error."""
    parted = rod(
        functions(Strain.TWIST, 9, StrainBasis.PIECEWISE_CONSTANT),
        functions(Strain.STRETCH, 4, StrainBasis.PIECEWISE_LINEAR),
        length=length,
    )
    assert parted.pieces == pytest.approx([length * (k + 1) / 9 for k in range(9)])
    assert parted.pieces[-1] == length
    assert rod(length=length).pieces == (length,)


def test_rows_are_named_by_strain_or_by_coupling() -> None:
    soft = rod(functions(Strain.TWIST, 2), coupled=(CoupledStrains("bow", ((Strain.SHEAR_Z, "1.0"),)),))
    assert soft.rows == ("twist[0]", "twist[1]", "bow")
    assert soft.coordinates == 3 == len(soft.rows)
    assert math.isclose(stiffness_by_row(soft.section, soft.material)[3], 1e6 / 3)
