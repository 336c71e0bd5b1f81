"""The spin-up of Simo & Vu-Quoc, "On the dynamics of flexible beams under large overall motions - the plane case: part
II", J. Appl. Mech. 53 (1986): a beam of 10 m is turned at its root until it does 6 rad/s after 15 s."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from support.rods import functions

import symdyn
from symdyn import api
from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.robot import Joint, JointKind, Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
pytestmark = pytest.mark.filterwarnings("ignore:.*density is 1")  # their sections have 1 m^2

LENGTH, AXIAL, BENDING, SHEARING, MASS = 10.0, 2.8e7, 1.4e4, 1e7, 1.2
"""In m, N, N m^2, N and kg/m; with 6e-4 kg m per metre for the turn of sections, as theirs."""
SPEED, RISE = 6.0, 15.0


def turning(link: Link) -> Robot:
    joint = Joint("turn", JointKind.CONTINUOUS, "ground", link.name, axis=(0.0, 0.0, 1.0))
    return api.from_description(RobotDescription("turning", (Link("ground"), link), (joint,), gravity=(0.0, 0.0, 0.0)))


def theirs(bends: int, others: int) -> Robot:
    """Bending, stretch and shear, with numbers that are theirs one by one."""
    second = BENDING / AXIAL
    section = Section(
        "numbers",
        area="1.0",
        second_moment_x=repr(second),
        second_moment_y=repr(second),
        second_moment_z=repr(second),
        shear_factors=(2.0 * SHEARING / AXIAL, 2.0 * SHEARING / AXIAL),
    )
    strains = (
        functions(Strain.CURVATURE_Z, bends),
        functions(Strain.STRETCH, others),
        functions(Strain.SHEAR_Y, others),
    )
    return turning(Link("arm", soft=Soft(LENGTH, section, Material(AXIAL, 0.0, MASS), strains, stations=8)))


def hub(t: float, size: float = 1.0) -> tuple[float, float, float]:
    """Angle, rate and acceleration of the root."""
    if t >= RISE:
        return size * (SPEED * t - SPEED * RISE / 2), size * SPEED, 0.0
    turn = 2.0 * math.pi / RISE
    angle = SPEED / RISE * (t**2 / 2 + (math.cos(turn * t) - 1) / turn**2)
    return (
        size * angle,
        size * SPEED / RISE * (t - math.sin(turn * t) / turn),
        size * SPEED / RISE * (1 - math.cos(turn * t)),
    )


def stretched() -> float:
    """By how much a bar that turns steadily gets longer: (EA u')' + rho A W^2 (x + u) = 0. Theirs is 5.14e-4."""
    turn = SPEED * math.sqrt(MASS / AXIAL)
    return math.tan(turn * LENGTH) / turn - LENGTH


def test_the_steady_stretch() -> None:
    assert stretched() == pytest.approx(5.14e-4, abs=5e-7)
    robot = theirs(1, 4)
    forces, kinematics = (api.float_recursion(robot, name) for name in ("inverse_dynamics", "forward_kinematics"))
    rest = [0.0] * (robot.nv - 1)

    def left(strains: Array) -> Array:
        (tau,) = forces({"q": [0.0, *strains], "v": [SPEED, *rest], "a": [0.0, *rest]}).values()
        return np.array(tau[1:])

    start = left(np.zeros(len(rest)))
    slopes = np.array([left(row) - start for row in np.eye(len(rest))]).T  # linear while nothing bends
    strains = np.linalg.solve(slopes, -start)
    (poses,) = kinematics({"q": [0.0, *strains]}).values()
    assert np.reshape(poses, (-1, 4, 4))[-1][0, 3] - LENGTH == pytest.approx(stretched(), rel=1e-8)


def spun(robot: Robot, times: Array, size: float = 1.0, method: str = "DOP853") -> Array:
    """Deflection of the tip [m] across and along the axes of the root, over time (times, 2)."""
    from scipy.integrate import solve_ivp

    module = symdyn.compile(robot, ["hybrid_dynamics"], prescribed=["turn"])
    places = symdyn.compile(robot, ["forward_kinematics"])
    n = robot.nv - 1
    q, v, u = (np.zeros(robot.nv) for _ in range(3))

    def rate(t: float, y: Array) -> Array:
        q[0], v[0], u[0] = hub(t, size)
        q[1:], v[1:] = y[:n], y[n:]
        return np.concatenate([v[1:], module.hybrid_dynamics(q, v, u)[1:]])

    found = solve_ivp(rate, times[[0, -1]], np.zeros(2 * n), method=method, rtol=1e-7, atol=1e-9, t_eval=times)
    assert found.success
    tips = [places.forward_kinematics(np.array([0.0, *y[:n]]))[-1, :2, 3] for y in found.y.T]
    return np.asarray(tips)[:, ::-1] - [0.0, LENGTH]


def beam(count: int) -> Robot:
    """A flexible link: deflections x^2, x^3 .. along y; it keeps its length, and sections have no inertia."""
    modes = Modes(Direction.BEND_Y, Basis.POLYNOMIAL, count, Profile((LENGTH,), (repr(BENDING),)))
    return turning(Link("arm", flexible=Flexible(LENGTH, Profile((LENGTH,), (repr(MASS),)), (modes,), stiffening=True)))


def alike(count: int) -> Robot:
    """A rod whose curvatures are those of ``beam``, nearly without inertia of sections."""
    young = 2.0**60
    texts = [repr(float(k * (k - 1)) * LENGTH) + f"*x**{k - 2}" for k in range(2, 2 + count)]
    own = StrainFunctions(Strain.CURVATURE_Z, StrainBasis.EXPRESSIONS, count, functions=tuple(texts))
    second = repr(BENDING / young)
    section = Section("numbers", area="1.0", second_moment_x=second, second_moment_y=second, second_moment_z=second)
    return turning(Link("arm", soft=Soft(LENGTH, section, Material(young, 0.0, MASS), (own,), stations=6)))


@pytest.mark.slow
@pytest.mark.needs_cc
def test_a_rod_and_a_flexible_link_spin_up_alike() -> None:
    """The slower, the less steep: what parts the two, by the largest deflection, falls as the square of this.

    The rod with their numbers, which also shears and stretches, is within 1 % of the flexible link at full speed, and
    once it turns steadily it is as much longer as the closed form says.
    """
    times = np.linspace(0.0, 17.0, 341)
    shares, most = [], []
    for size in (1.0, 0.5):
        soft, flexible = (spun(made(3), times[:201], size)[:, 0] for made in (alike, beam))
        most.append(np.abs(flexible).max())
        shares.append(np.abs(soft - flexible).max() / most[-1])
    assert most[0] > 0.05 * LENGTH and most[1] > 0.02 * LENGTH
    assert shares[0] < 0.01
    slopes = most[0] / most[1]
    assert shares[0] / shares[1] == pytest.approx(slopes**2, rel=0.25)
    own = spun(theirs(4, 2), times, method="Radau")
    assert own[:, 0].min() == pytest.approx(-most[0], rel=0.01)
    assert own[times > RISE, 1].mean() == pytest.approx(stretched(), rel=2e-3)
