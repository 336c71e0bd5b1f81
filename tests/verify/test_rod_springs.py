"""Springs, dampers and sections of rods in the oracle against exact integrals."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from mpmath import mp
from support.oracles.exact_results import agree
from support.oracles.plain_rods import columns, stations

from symdyn.description.soft import CoupledStrains, Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.errors import VerificationError
from symdyn.verify.oracle.rod import rod_of
from symdyn.verify.oracle.rod_section import SectionNumbers, rectangle_torsion, section_at

LENGTH = 0.75
MATTER = Material(2e6, 0.25, 1000.0)


def uniform(section: Section, count: int = 3) -> Soft:
    """Legendre's polynomials in all six strains."""
    strains = tuple(StrainFunctions(strain, StrainBasis.LEGENDRE, count) for strain in Strain)
    return Soft(LENGTH, section, MATTER, strains, stations=3)


def diagonal(section: Section, moduli: list, count: int = 3) -> list:
    length = mp.mpf(LENGTH)
    units = [1 / length] * 3 + [mp.mpf(1)] * 3
    return [m * unit**2 * length / (2 * k + 1) for m, unit in zip(moduli, units, strict=True) for k in range(count)]


def test_stiffness_of_a_uniform_legendre_rod() -> None:
    section = Section("circle", radius="0.03125", shear_factors=(0.75, 0.5))
    rod, r = rod_of(uniform(section)), mp.mpf("0.03125")
    area, second = mp.pi * r**2, mp.pi * r**4 / 4
    shear = mp.mpf(2) / 5  # G / E at Poisson's ratio 1/4
    moduli = [2 * shear * second, second, second, area, mp.mpf("0.75") * shear * area, shear * area / 2]
    losses = [2 * second, 3 * second, 3 * second, 3 * area, area, area]
    for matrix, expected in ((rod.stiffness, moduli), (rod.viscous, losses)):
        exact = diagonal(section, expected)
        for row, size in enumerate(exact):
            for other, value in enumerate(matrix[row]):
                assert abs(value - (size if other == row else 0)) < mp.mpf(10) ** -40 * size


def test_stiffness_of_a_tapered_rod_with_coupled_strains() -> None:
    strains = (
        StrainFunctions(Strain.CURVATURE_Y, StrainBasis.GAUSSIAN, 2, (0.125, 0.5), 0.0625),
        StrainFunctions(Strain.CURVATURE_Z, StrainBasis.PIECEWISE_LINEAR, 4),
    )
    coil = CoupledStrains("coil", ((Strain.CURVATURE_Z, "sin(x)"), (Strain.STRETCH, "x")))
    section = Section("rectangle", width="0.0625 - x/32", height="0.03125 + x*x/16")
    soft = Soft(LENGTH, section, MATTER, strains, (coil,), stations=2)
    rod = rod_of(soft)
    moduli = {
        Strain.CURVATURE_Y: lambda b, h: b * h**3 / 12,
        Strain.CURVATURE_Z: lambda b, h: h * b**3 / 12,
        Strain.STRETCH: lambda b, h: b * h,
    }

    def integrand(x: Any, row: int, other: int) -> Any:
        both, width, height = columns(soft, x), mp.mpf(1) / 16 - x / 32, mp.mpf(1) / 32 + x * x / 16
        left, right = both[row], both[other]
        return sum(left[s] * right[s] * moduli[s](width, height) for s in left if s in right)

    marks = [mp.mpf(LENGTH) * place / 6 for place in range(7)]
    for row, other in ((0, 1), (2, 3), (6, 6), (0, 6)):
        with mp.workdps(22):
            exact = mp.quad(partial(integrand, row=row, other=other), marks, method="gauss-legendre", maxdegree=4)
        size = mp.sqrt(rod.stiffness[row][row] * rod.stiffness[other][other])
        assert abs(rod.stiffness[row][other] - exact) < mp.mpf(10) ** -16 * size  # the breaks are doubles


@pytest.mark.parametrize(("ratio", "printed"), [(1, "0.1406"), (2, "0.2287"), (10, "0.3123")])
def test_torsion_constants_of_rectangles_are_those_of_the_books(ratio: int, printed: str) -> None:
    long, short = mp.mpf(ratio) / 8, mp.mpf(1) / 8
    found = rectangle_torsion(long, short)
    assert mp.nstr(found / (long * short**3), 4) == printed
    assert found == rectangle_torsion(short, long)
    series = mp.nsum(lambda k: mp.tanh((2 * k + 1) * mp.pi * ratio / 2) / (2 * k + 1) ** 5, [0, mp.inf])
    agree([found / (long * short**3)], [mp.mpf(1) / 3 - 64 / (mp.pi**5 * ratio) * series], 1e-25)


def test_sections() -> None:
    x, pi = mp.mpf("0.5"), mp.pi
    R, r = mp.mpf("0.25") - x / 4, mp.mpf("0.0625")
    ring = section_at(Section("ring", radius="0.25 - x/4", inner_radius="0.0625"), x)
    second = pi * (R**4 - r**4) / 4
    assert values(ring) == pytest.approx([float(v) for v in (pi * (R**2 - r**2), 2 * second, second, second)], 1e-15)
    given = Section("numbers", area="x", second_moment_x="2*x", second_moment_y="3*x", second_moment_z="x*x")
    assert values(section_at(given, x)) == [0.5, 1.0, 1.5, 0.25]
    flat = section_at(Section("rectangle", width="0.25", height="0.125"), x)
    assert flat.about_z == 4 * flat.about_y == mp.mpf(1) / 6144
    with pytest.raises(VerificationError, match="'square': expected circle"):
        section_at(Section("square"), x)


def values(section: SectionNumbers) -> list[float]:
    return [float(value) for value in (section.area, section.torsion, section.about_y, section.about_z)]


def test_stations_weigh_what_the_rod_weighs_and_turn_with_the_polar_moment() -> None:
    section = Section("rectangle", width="0.25", height="0.125")
    bends = StrainFunctions(Strain.CURVATURE_Z, StrainBasis.PIECEWISE_LINEAR, 3)
    soft = Soft(LENGTH, section, MATTER, (bends,), stations=2)
    nodes = rod_of(soft).nodes
    agree([node.x for node in nodes], [x for x, _ in stations(soft)], 1e-49)
    assert [bool(node.mass) for node in nodes] == [True, True, False, True, True, False]
    assert mp.fsum(node.mass for node in nodes) == pytest.approx(LENGTH / 32, abs=1e-40)
    polar, about_y, about_z = (mp.fsum(own) / LENGTH for own in zip(*(node.moments for node in nodes), strict=True))
    agree([polar, about_y, about_z], [about_y + about_z, mp.mpf(1) / 24576, mp.mpf(1) / 6144], 1e-40)


def test_a_kink_within_a_piece_is_refused() -> None:
    rough = Section("circle", radius="sqrt(0.75 - x)/16")
    bends = StrainFunctions(
        Strain.CURVATURE_Z, StrainBasis.EXPRESSIONS, 2, functions=("1", "sqrt((x - 0.3)*(x - 0.3))")
    )
    rod_of(Soft(LENGTH, rough, MATTER, (StrainFunctions(Strain.CURVATURE_Z, StrainBasis.LEGENDRE, 1),), stations=1))
    with pytest.raises(VerificationError, match="40 digits"):
        rod_of(Soft(LENGTH, rough, MATTER, (bends,), stations=1))
