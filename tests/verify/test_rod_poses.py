"""Where the oracle puts the sections of rods: closed forms, and products of exponentials written down once more."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mpmath import mp
from support.oracles import plain_rods
from support.oracles.exact_results import agree

from symdyn.description.soft import CoupledStrains, Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.errors import VerificationError
from symdyn.verify.oracle.rod import rod_of
from symdyn.verify.oracle.rod_motion import section_curves, section_velocities

LENGTH = 0.75
CIRCLE = Section("circle", radius="0.03125")
MATTER = Material(1e6, 0.5, 1000.0)
BENDS = StrainFunctions(Strain.CURVATURE_Z, StrainBasis.LEGENDRE, 1)


def soft(*strains: StrainFunctions, **changes: object) -> Soft:
    return replace(Soft(LENGTH, CIRCLE, MATTER, strains, stations=2), **changes)  # type: ignore[arg-type]


def tip(rod: Soft, q: list) -> tuple[list, list]:
    curve = section_curves(rod_of(rod), [q])[-1]
    return curve.rotation[0], curve.translation[0]


@pytest.mark.parametrize("order", [2, 4, 6])
def test_constant_curvature_is_an_arc(order: int) -> None:
    theta = mp.mpf("1.3")
    rotation, place = tip(soft(BENDS, magnus=order), [theta])
    arc = [mp.sin(theta) / theta * LENGTH, (1 - mp.cos(theta)) / theta * LENGTH, 0]
    agree(place, arc, 1e-49)
    agree([rotation[0][0], rotation[1][0], rotation[2][2]], [mp.cos(theta), mp.sin(theta), 1], 1e-49)


def test_curvature_about_y_turns_the_rod_towards_minus_z() -> None:
    place = tip(soft(replace(BENDS, strain=Strain.CURVATURE_Y)), [mp.mpf("0.5")])[1]
    assert place[2] < -0.1 and place[1] == 0


@pytest.mark.parametrize("order", [2, 4, 6])
def test_constant_twist_and_curvature_are_a_helix(order: int) -> None:
    coiled = soft(
        coupled=(CoupledStrains("coil", ((Strain.TWIST, "2"), (Strain.CURVATURE_Z, "1.5"))),),
        reference=((Strain.STRETCH, "1.25"),),
        magnus=order,
    )
    q = mp.mpf("0.875")
    tau, kappa = 2 * q / LENGTH, 1.5 * q / LENGTH
    pitch, turn = mp.sqrt(tau**2 + kappa**2), 1.25 * LENGTH
    # in the axes of a screw along (tau, 0, kappa): radius kappa / pitch^2 for a unit speed of 1.25
    angle = pitch * LENGTH
    along, radius = turn * tau / pitch, 1.25 * kappa / pitch**2
    axis, across = [tau / pitch, 0, kappa / pitch], [kappa / pitch, 0, -tau / pitch]
    expected = [
        along * a + radius * (mp.sin(angle) * b + (1 - mp.cos(angle)) * c)
        for a, b, c in zip(axis, across, [0, 1, 0], strict=True)
    ]
    agree(tip(coiled, [q])[1], expected, 1e-48)


CASES = {
    "legendre": soft(StrainFunctions(Strain.TWIST, StrainBasis.LEGENDRE, 2), replace(BENDS, count=4)),
    "monomial": soft(
        StrainFunctions(Strain.CURVATURE_Y, StrainBasis.MONOMIAL, 3),
        StrainFunctions(Strain.SHEAR_Z, StrainBasis.MONOMIAL, 2),
        magnus=4,
        stations=3,
    ),
    "chebyshev": soft(
        StrainFunctions(Strain.CURVATURE_Y, StrainBasis.CHEBYSHEV, 4),
        StrainFunctions(Strain.STRETCH, StrainBasis.CHEBYSHEV, 2),
        substeps=3,
    ),
    "fourier": soft(
        StrainFunctions(Strain.CURVATURE_Z, StrainBasis.FOURIER, 5),
        StrainFunctions(Strain.SHEAR_Y, StrainBasis.FOURIER, 2),
        magnus=2,
        substeps=2,
    ),
    "pieces": soft(
        StrainFunctions(Strain.TWIST, StrainBasis.PIECEWISE_CONSTANT, 2),
        StrainFunctions(Strain.CURVATURE_Z, StrainBasis.PIECEWISE_LINEAR, 4),
        reference=((Strain.CURVATURE_Y, "x"),),
        stations=1,
    ),
    "gaussian": soft(
        StrainFunctions(Strain.CURVATURE_Y, StrainBasis.GAUSSIAN, 2, (0.25, 0.5), 0.375),
        coupled=(CoupledStrains("both", ((Strain.TWIST, "cos(x)"), (Strain.SHEAR_Y, "x*x"))),),
        magnus=4,
    ),
    "expressions": soft(
        StrainFunctions(Strain.CURVATURE_Z, StrainBasis.EXPRESSIONS, 2, functions=("sin(4*x)", "x - x*x")),
        reference=((Strain.CURVATURE_Z, "1 + x"), (Strain.STRETCH, "1 + x/2")),
    ),
}


def drawn(count: int) -> list:
    return [mp.sin(7 * row + 2) / (row + 2) for row in range(count)]


@pytest.mark.parametrize("which", CASES)
def test_every_basis_and_order_is_a_product_of_exponentials(which: str) -> None:
    case = CASES[which]
    rod, q = rod_of(case), drawn(case.coordinates)
    with mp.workdps(65):
        expected = plain_rods.poses(case, q)
        step = mp.mpf(10) ** -60  # imaginary, so that it may be as small as one likes
        slopes = []
        for row in range(len(q)):
            moved = plain_rods.poses(case, [value + (place == row) * step * 1j for place, value in enumerate(q)])
            slopes.append([[[mp.im(value) / step for value in line] for line in pose] for pose in moved])
    curves, moving = section_curves(rod, [q]), section_velocities(rod, q)
    assert len(curves) == len(expected) == len(case.pieces) * (case.stations or 0) + len(case.pieces)
    for index, (curve, pose) in enumerate(zip(curves, expected, strict=True)):
        rows = [[*turned, place] for turned, place in zip(curve.rotation[0], curve.translation[0], strict=True)]
        agree([x for row in rows for x in row], [x for row in pose[:3] for x in row], 1e-47)
        for row in range(len(q)):
            slope = slopes[row][index]
            spin = [mp.fdot(slope[i][:3], pose[j][:3]) for i, j in ((2, 1), (0, 2), (1, 0))]
            agree(moving[index][row].angular, spin, 1e-47)
            agree(moving[index][row].linear, [line[3] for line in slope[:3]], 1e-47)


@pytest.mark.parametrize("which", ["legendre", "pieces"])
def test_series_are_poses_along_a_path(which: str) -> None:
    case = CASES[which]
    d = [[value * factor for value in drawn(case.coordinates)[::sign]] for factor, sign in ((1, 1), (2, -1), (-3, 1))]
    curve = section_curves(rod_of(case), d)[-1]
    with mp.workdps(90):
        step = mp.mpf(10) ** -25

        def at(t: object) -> list:
            pose = plain_rods.poses(case, [x + t * y + t * t * z for x, y, z in zip(*d, strict=True)])[-1]
            return [x for row in pose[:3] for x in row]

        ahead, here, behind = at(step), at(0 * step), at(-step)
        first = [(x - y) / (2 * step) for x, y in zip(ahead, behind, strict=True)]
        second = [(x - 2 * y + z) / (2 * step**2) for x, y, z in zip(ahead, here, behind, strict=True)]
    for order, expected in ((1, first), (2, second)):
        rows = [[*turned, x] for turned, x in zip(curve.rotation[order], curve.translation[order], strict=True)]
        agree([x for row in rows for x in row], expected, 1e-38)


@pytest.mark.parametrize("order", [2, 4, 6])
def test_poses_converge_with_the_order_of_magnus(order: int) -> None:
    case = replace(CASES["legendre"], magnus=order, stations=1)
    q = drawn(case.coordinates)
    with mp.workdps(30):
        ends = [tip(replace(case, substeps=count), q)[1] for count in (4, 8)]
        exact = tip(replace(case, substeps=32, magnus=6), q)[1]
        errors = [mp.norm([x - y for x, y in zip(end, exact, strict=True)]) for end in ends]
    assert abs(mp.log(errors[0] / errors[1], 2) - order) < 0.1


def test_an_unknown_order_of_magnus_is_refused() -> None:
    with pytest.raises(VerificationError, match="2, 4 or 6, got 3"):
        rod_of(soft(BENDS, magnus=3))
