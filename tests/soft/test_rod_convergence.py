"""Steps of Magnus order 4 and 6 against the equation of the centre line, solved by mpmath; and rods beside beams."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp
from support.rods import functions
from support.statics import tip_pose

from symdyn import api
from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.robot import Joint, JointKind, Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.robot.robot import Robot

LENGTH = 0.5
BENT = {
    Strain.TWIST: (2.0, 1.5),
    Strain.CURVATURE_Y: (1.5, -3.0),
    Strain.CURVATURE_Z: (-2.0, 2.5),
    Strain.STRETCH: (0.1, 0.05),
    Strain.SHEAR_Y: (-0.05, 0.1),
    Strain.SHEAR_Z: (0.1, -0.1),
}
"""Coordinates of 1 and of 2 x/L - 1."""


def magnus_tip(order: int, substeps: int) -> np.ndarray:
    own = tuple(functions(strain, 2) for strain in BENT)
    section, matter = Section("circle", radius="0.01"), Material(1e6, 0.5, 1000.0)
    soft = Soft(LENGTH, section, matter, own, stations=3, magnus=order, substeps=substeps)
    robot = api.from_description(RobotDescription("rod", (Link("rod", soft=soft),), ()))
    return tip_pose(robot, np.array([value for row in BENT.values() for value in row]))


def series_tip(pieces: int = 8, terms: int = 30) -> np.ndarray:
    """X(L) of X' = X hat(xi(x)) by Taylor's series over short pieces, in 30 digits."""
    with mp.workdps(30):
        h = mp.mpf(LENGTH) / pieces
        place = mp.eye(4)
        for piece in range(pieces):
            values, slopes = [], []
            for strain, (constant, slope) in BENT.items():
                scale = mp.mpf(LENGTH) if strain.angular else mp.mpf(1)
                rest = 1 if strain is Strain.STRETCH else 0
                values.append(rest + (constant + slope * (2 * mp.mpf(piece) / pieces - 1)) / scale)
                slopes.append(2 * mp.mpf(slope) / LENGTH / scale)
            now, change = _hat(values), _hat(slopes)
            found = [place]
            for k in range(terms):
                before = found[k - 1] * change if k else mp.zeros(4)
                found.append((found[k] * now + before) / (k + 1))
            place = mp.zeros(4)
            for own in reversed(found):
                place = place * h + own
        return np.array(place.tolist(), dtype=float)


def _hat(strain: list[mp.mpf]) -> mp.matrix:
    x, y, z, *v = strain
    return mp.matrix([[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])


@pytest.mark.parametrize(("order", "slope"), [(4, 4.0), (6, 6.0)])
def test_slopes_are_the_orders(order: int, slope: float) -> None:
    true = series_tip()
    coarse, fine = (np.abs(magnus_tip(order, substeps) - true).max() for substeps in (4, 8))
    assert fine > 1e-13
    assert np.log2(coarse / fine) == pytest.approx(slope, abs=0.1)


MASS, STIFFNESS, YOUNG, DENSITY = 0.75, 20.0, 2.0**50, 1024.0
"""Per length. Sections are so small that they have next to no moment, which beams leave out where they bend."""


def swinging(link: Link) -> Robot:
    joint = Joint("turn", JointKind.CONTINUOUS, "ground", link.name, axis=(0.0, 0.0, 1.0))
    robot = RobotDescription("swinging", (Link("ground"), link), (joint,), gravity=(0.0, -9.0, 0.0))
    return api.from_description(robot)


def beam() -> Robot:
    """Deflections ``d x^2`` and ``d x^3`` along y."""
    stiffness = Profile((1.0,), (repr(STIFFNESS),))
    modes = Modes(Direction.BEND_Y, Basis.POLYNOMIAL, 2, stiffness)
    return swinging(Link("arm", flexible=Flexible(1.0, Profile((1.0,), (repr(MASS),)), (modes,), stiffening=True)))


def rod() -> Robot:
    """The same by curvature: a coordinate of a curvature is divided by the length, which is 1."""
    own = (StrainFunctions(Strain.CURVATURE_Z, StrainBasis.EXPRESSIONS, 2, functions=("2", "6*x")),)
    second = repr(STIFFNESS / YOUNG)
    section = Section(
        "numbers", area=repr(MASS / DENSITY), second_moment_x=second, second_moment_y=second, second_moment_z=second
    )
    return swinging(Link("arm", soft=Soft(1.0, section, Material(YOUNG, 0.25, DENSITY), own, stations=12)))


def test_a_rod_and_a_beam_agree_to_the_order_of_the_slope_squared() -> None:
    """All of inverse dynamics, also in fast rotation: halving the deflection quarters what parts them."""
    ways = [api.float_recursion(robot, "inverse_dynamics") for robot in (rod(), beam())]
    apart = []
    for size in (0.02, 0.01):
        q, v, a = [0.4, 0.6 * size, -0.5 * size], [3.0, 2.0 * size, 0.7 * size], [1.5, -4.0 * size, 9.0 * size]
        tau = [np.array(way({"q": q, "v": v, "a": a})["tau"]) for way in ways]
        apart.append(np.abs(tau[0] - tau[1]).max() / np.abs(tau[0]).max())
    assert apart[0] < 10 * 0.02**2
    assert apart[0] / apart[1] == pytest.approx(4.0, rel=0.15)
