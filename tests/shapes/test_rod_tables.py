"""Tables of rods: functions, masses, stiffness and damping against SymPy, and what must be zero exactly."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from symdyn.description.soft import CoupledStrains, Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.errors import DescriptionError
from symdyn.shapes.gauss_rule import gauss_rule
from symdyn.shapes.rod import rod_tables
from symdyn.shapes.section import rectangle_torsion
from symdyn.shapes.strain_basis import STRAIN_ROWS
from symdyn.shapes.tables import RodTables

X, LENGTH = sympy.Symbol("x"), sympy.Rational(1, 2)
MATTER = Material(1e6, 0.25, 1000.0, viscosity=300.0)
CONE = Section("circle", radius="0.03 - 0.03 * x", shear_factors=(0.9, 0.8))
RADIUS = sympy.Rational(3, 100) * (1 - X)
ALL = tuple(StrainFunctions(strain, StrainBasis.LEGENDRE, 4 if strain.angular else 3) for strain in Strain)
s = X / LENGTH


def rod(*strains: StrainFunctions, **rest: Any) -> Soft:
    return Soft(**({"length": 0.5, "section": CONE, "material": MATTER, "strains": strains} | rest))


def bend(basis: StrainBasis, count: int, **rest: Any) -> StrainFunctions:
    return StrainFunctions(Strain.CURVATURE_Z, basis, count, **rest)


def by_row(radius: sympy.Expr) -> list[sympy.Expr]:
    area, second = sympy.pi * radius**2, sympy.pi * radius**4 / 4
    return [area, area, area, 2 * second, second, second]


def true_functions(strains: tuple[StrainFunctions, ...]) -> list[tuple[int, sympy.Expr]]:
    return [
        (STRAIN_ROWS[own.strain], sympy.legendre(k, 2 * s - 1) / (LENGTH if own.strain.angular else 1))
        for own in strains
        for k in range(own.count)
    ]


def gram(factors: list[sympy.Expr], functions: list[tuple[int, sympy.Expr]]) -> np.ndarray[Any, Any]:
    """Exact integrals of polynomials."""
    found = np.zeros((len(functions),) * 2)
    for i, (row, one) in enumerate(functions):
        for j, (other_row, other) in enumerate(functions[: i + 1]):
            if row == other_row:
                integrand = sympy.Poly(sympy.expand(factors[row] * one * other), X)
                found[i, j] = found[j, i] = float(integrand.integrate().eval(LENGTH))
    return found


def test_stiffness_and_damping_of_a_cone_are_exact() -> None:
    tables, functions, resisting = rod_tables(rod(*ALL), 3), true_functions(ALL), by_row(RADIUS)
    youngs, shear = 10**6, 400_000
    moduli = [youngs, 0.9 * shear, 0.8 * shear, shear, youngs, youngs]
    weights = [3, 1, 1, 1, 3, 3]  # stretch and bending lengthen
    stiffness = gram([sympy.nsimplify(m) * own for m, own in zip(moduli, resisting, strict=True)], functions)
    damping = gram([300 * w * own for w, own in zip(weights, resisting, strict=True)], functions)
    for found, true in ((tables.stiffness, stiffness), (tables.damping, damping)):
        scale = np.sqrt(np.outer(np.diag(true), np.diag(true)))
        assert np.max(np.abs(np.array(found) - true) / scale) < 1e-14
        assert np.array_equal(np.array(found) == 0.0, true == 0.0)
    retarded = rod_tables(rod(*ALL, material=Material(1e6, 0.25, 1000.0, retardation_time=0.5)), 3)
    np.testing.assert_allclose(retarded.damping, 0.5 * np.array(retarded.stiffness), rtol=1e-15)
    scaled = stiffness / np.sqrt(np.outer(np.diag(stiffness), np.diag(stiffness)))
    assert tables.condition == pytest.approx(np.linalg.cond(scaled), rel=1e-9)


def test_a_uniform_rod_has_diagonal_tables() -> None:
    tables = rod_tables(rod(*ALL, section=Section("circle", radius="0.01")), 4)
    stiffness = np.array(tables.stiffness)
    assert not (stiffness - np.diag(np.diag(stiffness))).any()
    assert tables.condition == pytest.approx(1.0, rel=1e-14)  # Legendre's functions are orthogonal


def test_names_units_and_rows() -> None:
    tables = rod_tables(rod(*ALL), 2)
    assert tables.names[:5] == ("twist[0]", "twist[1]", "twist[2]", "twist[3]", "curvature_y[0]")
    assert tables.units == ("rad",) * 12 + ("1",) * 9
    assert tables.moved == tuple((row,) for row in [3] * 4 + [4] * 4 + [5] * 4 + [0] * 3 + [1] * 3 + [2] * 3)
    assert [step.end for step in tables.steps][-1] == 0.5


def test_masses_of_nodes_are_gauss_quadrature() -> None:
    tables = rod_tables(rod(*ALL), 3)
    area, second = by_row(RADIUS)[0], by_row(RADIUS)[4]
    for power in range(6 - 2):  # three points integrate degree five
        true = float(sympy.integrate(1000 * area * X**power, (X, 0, LENGTH)))
        assert sum(step.mass * step.end**power for step in tables.steps) == pytest.approx(true, rel=1e-15)
    about = [sum(step.inertia[axis] for step in tables.steps) for axis in range(3)]
    true = float(sympy.integrate(1000 * second, (X, 0, LENGTH)))
    assert about == pytest.approx([2 * true, true, true], rel=1e-15)
    assert tables.mass == sum(step.mass for step in tables.steps)
    assert (tables.steps[-1].mass, tables.steps[-1].inertia) == (0.0, (0.0, 0.0, 0.0))
    assert all(step.mass > 0.0 for step in tables.steps[:-1])


POINTS = {2: [0], 4: [-sympy.sqrt(3) / 6, sympy.sqrt(3) / 6], 6: [-sympy.sqrt(15) / 10, 0, sympy.sqrt(15) / 10]}
BASES: dict[str, tuple[StrainFunctions, list[sympy.Expr]]] = {
    "legendre": (bend(StrainBasis.LEGENDRE, 6), [sympy.legendre(k, 2 * s - 1) for k in range(6)]),
    "monomial": (bend(StrainBasis.MONOMIAL, 4), [s**k for k in range(4)]),
    "chebyshev": (bend(StrainBasis.CHEBYSHEV, 6), [sympy.chebyshevt(k, 2 * s - 1) for k in range(6)]),
    "fourier": (
        bend(StrainBasis.FOURIER, 5),
        [sympy.S(1)] + [f(2 * sympy.pi * k * s) for k in (1, 2) for f in (sympy.cos, sympy.sin)],
    ),
    "gaussian": (
        bend(StrainBasis.GAUSSIAN, 2, centres=(0.125, 0.25), width=0.0625),
        [sympy.exp(-(((X - c) / sympy.Rational(1, 16)) ** 2)) for c in (sympy.Rational(1, 8), sympy.Rational(1, 4))],
    ),
    "expressions": (
        bend(StrainBasis.EXPRESSIONS, 2, functions=("1 - x**2", "sin(3 * x) * exp(x)")),
        [1 - X**2, sympy.sin(3 * X) * sympy.exp(X)],
    ),
}


@pytest.mark.parametrize("order", [2, 4, 6])
@pytest.mark.parametrize("name", BASES)
def test_functions_at_the_points_of_steps(name: str, order: int) -> None:
    own, true = BASES[name]
    tables = rod_tables(rod(own, magnus=order, substeps=2), 2)
    assert tables.order == order and len(tables.steps) == 6
    values = [sympy.lambdify(X, function, "mpmath") for function in true]
    nodes = [0, LENGTH * (1 - 1 / sympy.sqrt(3)) / 2, LENGTH * (1 + 1 / sympy.sqrt(3)) / 2, LENGTH]
    ends = [node for a, b in itertools.pairwise(nodes) for node in ((a + b) / 2, b)]
    start = sympy.S(0)
    for number, (step, end) in enumerate(zip(tables.steps, ends, strict=True)):
        length = end - start
        assert (step.length, step.end) == pytest.approx((float(length), float(end)), rel=1e-15)
        assert (step.mass != 0.0) == (number in (1, 3))
        assert len(step.functions) == order // 2
        with mpmath.workdps(30):
            for place, row in zip(POINTS[order], step.functions, strict=True):
                x = mpmath.mpmathify(sympy.N(start + length * (place + sympy.Rational(1, 2)), 30))
                for (found,), value in zip(row, values, strict=True):
                    assert abs(found - 2 * value(x)) <= 1e-15 * max(abs(found), 1e-12)
        start = end


def test_a_symmetric_rod_has_symmetric_tables() -> None:
    """Odd functions vanish in the middle, and mirrored points have the same numbers, to the last bit."""
    tables = rod_tables(rod(bend(StrainBasis.LEGENDRE, 5), section=Section("circle", radius="0.01")), 4)
    middle = tables.steps[2].functions[1]
    assert [value for (value,) in middle] == [2.0, 0.0, -1.0, 0.0, 0.75]
    signs = (1, -1, 1, -1, 1)
    for step, mirrored in zip(tables.steps, reversed(tables.steps), strict=True):
        for row, other in zip(step.functions, reversed(mirrored.functions), strict=True):
            assert [value for (value,) in row] == [sign * value for sign, (value,) in zip(signs, other, strict=True)]
    assert tables.steps[0].mass == tables.steps[3].mass
    assert all(point == (1.0, 0.0, 0.0, 0.0, 0.0, 0.0) for step in tables.steps for point in step.reference)


@pytest.mark.parametrize("basis", [StrainBasis.PIECEWISE_CONSTANT, StrainBasis.PIECEWISE_LINEAR])
def test_steps_do_not_straddle_breaks(basis: StrainBasis) -> None:
    count = 3 if basis is StrainBasis.PIECEWISE_CONSTANT else 4
    tables = rod_tables(rod(bend(basis, count)), 2)
    ends = [step.end for step in tables.steps]
    assert [end for end, step in zip(ends, tables.steps, strict=True) if step.mass == 0.0] == [0.5 / 3, 1 / 3, 0.5]
    for number, step in enumerate(tables.steps):
        piece = number // 3
        for point in step.functions:
            values = [value * 0.5 for (value,) in point]
            assert sum(values) == pytest.approx(1.0, rel=1e-15)
            inside = {piece} if basis is StrainBasis.PIECEWISE_CONSTANT else {piece, piece + 1}
            assert {k for k, value in enumerate(values) if value != 0.0} == inside
    stiffness = np.array(tables.stiffness)
    reach = 0 if basis is StrainBasis.PIECEWISE_CONSTANT else 1
    assert np.array_equal(stiffness != 0.0, np.abs(np.subtract.outer(range(count), range(count))) <= reach)


def test_coupled_strains_and_a_rest_shape() -> None:
    """A helix: one coordinate that twists and bends."""
    helix = CoupledStrains("helix", ((Strain.CURVATURE_Z, "2"), (Strain.TWIST, "x"), (Strain.STRETCH, "0.1")))
    soft = rod(bend(StrainBasis.LEGENDRE, 1), coupled=(helix,), reference=((Strain.CURVATURE_Z, "1 + x"),))
    tables = rod_tables(soft, 2)
    assert tables.names == ("curvature_z[0]", "helix") and tables.units == ("rad", "rad")
    assert tables.moved == ((5,), (0, 3, 5))
    step = tables.steps[0]
    middle = 0.5 * step.length
    assert step.functions[1][1] == pytest.approx((0.1, middle / 0.5, 2 / 0.5), rel=1e-15)
    assert step.reference[1] == pytest.approx((1.0, 0.0, 0.0, 0.0, 0.0, 1.0 + middle), rel=1e-15)
    area, _, _, torsion, second, _ = by_row(RADIUS)
    own = 10**6 * (area / 100 + second * 16) + 400_000 * torsion * (2 * X) ** 2
    assert tables.stiffness[1][1] == pytest.approx(float(sympy.integrate(sympy.expand(own), (X, 0, LENGTH))), rel=1e-14)
    cross = 10**6 * second * 2 * 4
    assert tables.stiffness[0][1] == pytest.approx(float(sympy.integrate(cross, (X, 0, LENGTH))), rel=1e-14)


@pytest.mark.parametrize("ratio", [1, 1.25, 2, 10, 0.3])
def test_torsion_of_rectangles(ratio: float) -> None:
    """Saint-Venant's own sum at forty digits; doubles are right to rounding, either side first."""
    with mpmath.workdps(30):
        a, b = mpmath.mpf(max(ratio, 1)), mpmath.mpf(min(ratio, 1))
        total = mpmath.nsum(
            lambda n: mpmath.tanh((2 * n + 1) * mpmath.pi * a / (2 * b)) / (2 * n + 1) ** 5, [0, mpmath.inf]
        )
        true = a * b**3 / 3 - 64 * b**4 / mpmath.pi**5 * total
        assert abs(rectangle_torsion(mpmath.mpf(ratio), mpmath.mpf(1)) / true - 1) < mpmath.mpf(10) ** -25
    for sides in ((ratio, 1.0), (1.0, ratio)):
        assert rectangle_torsion(*map(np.array, sides)) == pytest.approx(float(true), rel=3e-15)


@pytest.mark.parametrize(
    ("section", "moments"),
    [
        (Section("circle", radius="0.02"), (4e-4, 8e-8, 4e-8, 4e-8)),
        (Section("ring", radius="0.02", inner_radius="0.01"), (3e-4, 7.5e-8, 3.75e-8, 3.75e-8)),
        (Section("rectangle", width="0.02", height="0.01"), (2e-4, 4.5736e-9, 1.6667e-9, 6.6667e-9)),
        (
            Section("numbers", area="2e-4", second_moment_x="3e-9", second_moment_y="2e-9", second_moment_z="1e-9"),
            (2e-4, 3e-9, 2e-9, 1e-9),
        ),
    ],
)
def test_sections(section: Section, moments: tuple[float, ...]) -> None:
    """Area, torsion constant and second moments, read off the stiffness and the inertia of a rod of length 1."""
    scale = np.array(moments) * (np.pi if section.shape in ("circle", "ring") else 1.0)
    one = tuple(StrainFunctions(strain, StrainBasis.LEGENDRE, 1) for strain in Strain)
    tables = rod_tables(rod(*one, length=1.0, section=section, material=Material(2.0, 0.0, 1.0)), 2)
    twist, curvature_y, curvature_z, stretch, shear_y, _ = np.diag(tables.stiffness)
    found = (stretch / 2, twist, curvature_y / 2, curvature_z / 2)
    np.testing.assert_allclose(found, scale, rtol=2e-5)
    assert shear_y == pytest.approx(found[0], rel=1e-15)
    inertia = np.sum([step.inertia for step in tables.steps], axis=0)
    np.testing.assert_allclose(inertia, (found[2] + found[3], found[2], found[3]), rtol=1e-14)


def test_dependent_functions_are_refused_by_name() -> None:
    same = bend(StrainBasis.EXPRESSIONS, 3, functions=("1", "x", "2 + 1e-9 * x"))
    with pytest.raises(DescriptionError, match=r"'curvature_z\[0\]' and 'curvature_z\[2\]' are as good as dependent"):
        rod_tables(rod(same), 2)
    near = bend(StrainBasis.EXPRESSIONS, 2, functions=("1", "exp(-(x - 0.1)**2)"))
    tables = rod_tables(rod(near, length=0.2, section=Section("circle", radius="0.01")), 2)
    assert 1e5 < tables.condition < 1e6  # as printed for the pair of Pustina et al.
    with pytest.raises(DescriptionError, match=r"'curvature_z\[1\]' has no stiffness"):
        rod_tables(rod(bend(StrainBasis.EXPRESSIONS, 2, functions=("1", "0"))), 2)


def test_sections_that_vanish_are_refused() -> None:
    with pytest.raises(DescriptionError, match="expected a positive area"):
        rod_tables(
            rod(
                bend(StrainBasis.LEGENDRE, 1),
                section=Section("numbers", area="0", second_moment_x="1", second_moment_y="1", second_moment_z="1"),
            ),
            2,
        )


def test_gauss_rules_integrate_powers() -> None:
    with mpmath.workdps(40):
        for count in (1, 2, 5, 16):
            rule = gauss_rule(count)
            for power in range(2 * count):
                found = sum(weight * place**power for place, weight in rule)
                assert abs(found - mpmath.mpf(1) / (power + 1)) < mpmath.mpf(10) ** -38


def test_tables_are_hashable_data() -> None:
    soft = rod(bend(StrainBasis.LEGENDRE, 2))
    tables = rod_tables(soft, 2)
    assert isinstance(hash(tables), int) and rod_tables(dataclasses.replace(soft), 2) is tables
    assert isinstance(tables, RodTables)
