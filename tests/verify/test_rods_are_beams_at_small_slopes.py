"""A rod whose strains are small is the flexible link with the same shapes: in a plane, to the slope squared."""

from __future__ import annotations

import pytest
from mpmath import mp
from support.oracles.exact_results import matrix, values

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.robot import Frame, Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tree import public_tree

LENGTH, MASS, STIFFNESS, TORSION, LAG = 1.0, 0.75, 20.0, 5.0, 0.015625
AT = Placement((0.25, -0.125, 0.5), ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
YOUNG, DENSITY = 2.0**50, 1024.0
"""Sections are so small that they have next to no moment: beams leave out what they have when they bend."""


def beam(planar: bool) -> Flexible:
    """Deflections ``d_k x^(k + 2)`` along y and z, and a twist ``d x``."""

    def modes(direction: Direction, count: int, stiffness: float) -> Modes:
        profile = Profile((LENGTH,), (repr(stiffness),))
        return Modes(direction, Basis.POLYNOMIAL, count, profile, retardation_time=LAG)

    found = (
        modes(Direction.BEND_Y, 2, STIFFNESS),
        modes(Direction.BEND_Z, 1, STIFFNESS),
        modes(Direction.TORSION, 1, TORSION),
    )
    halves = Profile((LENGTH,), (repr(STIFFNESS / YOUNG * DENSITY),))
    return Flexible(
        LENGTH,
        Profile((LENGTH,), (repr(MASS),)),
        found[:1] if planar else found,
        AT,
        (halves, halves),
        stiffening=True,
    )


def rod(planar: bool) -> Soft:
    """The same by curvatures: those of ``x^2`` and ``x^3``."""

    def strain(which: Strain, *functions: str) -> StrainFunctions:
        return StrainFunctions(which, StrainBasis.EXPRESSIONS, len(functions), functions=functions)

    found = (strain(Strain.TWIST, "1"), strain(Strain.CURVATURE_Y, "-2"), strain(Strain.CURVATURE_Z, "2", "6*x"))
    section = Section(
        "numbers",
        area=repr(MASS / DENSITY),
        second_moment_x=repr(3 * TORSION / YOUNG),
        second_moment_y=repr(STIFFNESS / YOUNG),
        second_moment_z=repr(STIFFNESS / YOUNG),
    )
    return Soft(
        LENGTH,
        section,
        Material(YOUNG, 0.5, DENSITY, retardation_time=LAG),
        found[2:] if planar else found,
        placement=AT,
        stations=6,
    )


def robot(link: Link) -> Setting:
    inertial = Inertial(0.5, (0.03, 0.0, 0.0, 0.04, 0.0, 0.05), Placement((0.1, 0.0, 0.2)))
    description = RobotDescription(
        "arm",
        (Link("base"), link, Link("hand", inertial)),
        (
            Joint("turn", JointKind.REVOLUTE, "base", "arm", axis=(0.6, 0.0, 0.8)),
            Joint("grip", JointKind.REVOLUTE, "arm", "hand", Placement((0.5, 0.25, 1.5)), axis=(0.0, 1.0, 0.0)),
        ),
        (Frame("tool", "arm", Placement((0.5, 0.25, 0.125))),),
        gravity=(1.0, -2.0, -9.0),
    )
    return Setting(description, public_tree(description), {})


ROWS = {"plane": (0, 1, 2, 3), "space": (0, 4, 3, 1, 2, 5)}
"""The beam's rows of the rod's: there the twist comes last, and the plane of y first."""
ORDERS = {
    "plane": {
        "forward_kinematics": 3,
        "potential_energy": 3,
        "jacobians": 2,
        "mass_matrix": 2,
        "gravity": 2,
        "inverse_dynamics": 2,
    },
    # A beam adds up rotation vectors, whatever their order along it: in space that is wrong in the second order of a
    # pose, and so in the first of what velocities make of it.
    "space": {"forward_kinematics": 2, "mass_matrix": 1, "inverse_dynamics": 1},
}
"""Of what differs, in the slope."""


def differences(which: str, size: float) -> dict[str, float]:
    planar = which == "plane"
    bent, soft = robot(Link("arm", flexible=beam(planar))), robot(Link("arm", soft=rod(planar)))
    eps, place = mp.mpf(size), ROWS[which]
    shapes = [0.75, -0.5] if planar else [0.75, -0.5, 0.5, 0.25]
    rates = [0.5, 0.25] if planar else [0.5, 0.25, -0.75, 1.0]
    state = {"q": [mp.mpf(0.5), *[eps * x for x in shapes], mp.mpf(-0.25)], "v": [1.5, *[eps * x for x in rates], 0.5]}
    state["a"] = [0.5, *[eps * x for x in rates[::-1]], -1.0]
    turned = {name: [rows[row] for row in place] for name, rows in state.items()}
    back = [place.index(row) for row in range(len(place))]
    found = {}
    for name in ORDERS[which]:
        first, second = values(name, bent, state), values(name, soft, turned)
        if name in ("mass_matrix", "jacobians"):
            rows = [[row[column] for column in back] for row in matrix(name, soft, turned, len(place))]
            second = [x for row in ([rows[row] for row in back] if name == "mass_matrix" else rows) for x in row]
        elif name in ("gravity", "inverse_dynamics"):
            second = [second[row] for row in back]
        scale = max(abs(x) for x in first)
        found[name] = float(max(abs(x - y) for x, y in zip(first, second, strict=True)) / scale)
    return found


@pytest.mark.parametrize("which", ORDERS)
def test_what_differs_falls_with_the_slope(which: str) -> None:
    coarse, fine = differences(which, 2.0**-6), differences(which, 2.0**-9)
    for name, order in ORDERS[which].items():
        assert coarse[name] < 0.01, name
        assert coarse[name] / fine[name] == pytest.approx(8**order, rel=0.2), (name, coarse[name], fine[name])
