"""Cones: closed forms under small loads, the elastica of a cone, and the natural frequencies of tapered beams."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp
from numpy.typing import NDArray
from support.rods import functions
from support.statics import equilibrium, tip_pose

from symdyn import api
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

LENGTH, ROOT, TIP, YOUNG, POISSON, DENSITY = 0.5, 0.03, 0.018, 2e6, 0.4, 1100.0
SHEAR = YOUNG / (2 * (1 + POISSON))


def cone(root: float, tip: float, stations: int, **counts: int) -> Robot:
    """A cone that is held at its root, along x, with some functions of some strains."""
    section = Section("circle", radius=f"{root!r} - {(root - tip) / LENGTH!r}*x")
    strains = tuple(functions(strain, counts[strain.value]) for strain in Strain if strain.value in counts)
    soft = Soft(LENGTH, section, Material(YOUNG, POISSON, DENSITY), strains, stations=stations, max_turn_per_step=2.0)
    return api.from_description(RobotDescription("cone", (Link("rod", soft=soft),), (), gravity=(0.0, 0.0, 0.0)))


def matrix(robot: Robot, function: str) -> Array:
    """The mass matrix, or the slopes of elastic forces, of the straight rod."""
    if function == "mass_matrix":
        return np.array(api.float_recursion(robot, function)({"q": [0.0] * robot.nv})["M"]).reshape(robot.nv, -1)
    forces = api.float_recursion(robot, function)
    return np.array([next(iter(forces({"q": list(row)}).values())) for row in np.eye(robot.nv)])


def test_small_loads_move_the_tip_as_closed_forms_say() -> None:
    """Tip of a cone per unit of load: pulled, twisted, bent by a moment, and by a force that shears it too."""
    robot = cone(ROOT, TIP, 14, twist=14, curvature_z=14, stretch=14, shear_y=14)
    (columns,) = api.float_recursion(robot, "jacobians")({"q": [0.0] * robot.nv}).values()
    # (v; w) of the tip, whose axes are those of the world here.
    tip = np.array(columns).reshape(-1, 6, robot.nv)[-1]
    gives = tip @ np.linalg.solve(matrix(robot, "elastic_forces"), tip.T)
    stiffness, area = YOUNG * math.pi * ROOT**4 / 4, math.pi * ROOT * TIP
    polynomial = (ROOT**2 + ROOT * TIP + TIP**2) / (3 * TIP**3) * ROOT
    assert gives[0, 0] == pytest.approx(LENGTH / (YOUNG * area), rel=1e-9)
    assert gives[3, 3] == pytest.approx(LENGTH * YOUNG / (2 * SHEAR * stiffness) * polynomial, rel=1e-9)
    assert gives[5, 5] == pytest.approx(LENGTH / stiffness * polynomial, rel=1e-9)
    bent = LENGTH**3 / (3 * stiffness) * ROOT / TIP
    assert gives[1, 1] == pytest.approx(bent + LENGTH / (SHEAR * area), rel=1e-9)


def elastica(load: float) -> Array:
    """Where the tip of an inextensible cone comes to rest under a dead load across it, by SciPy: the state is the angle
    and the moment, and the places along and across."""
    from scipy.integrate import solve_bvp

    def change(x: Array, y: Array) -> Array:
        stiffness = YOUNG * math.pi * (ROOT + (TIP - ROOT) * x / LENGTH) ** 4 / 4
        return np.vstack([y[1] / stiffness, -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])])

    def ends(start: Array, end: Array) -> Array:
        return np.array([start[0], end[1], start[2], start[3]])

    x = np.linspace(0.0, LENGTH, 40)
    found = solve_bvp(change, ends, x, np.vstack([0 * x, 0 * x, x, 0 * x]), tol=1e-10, max_nodes=50000)
    assert found.success
    return np.asarray(found.y[[2, 3, 0], -1])


@pytest.mark.slow
def test_a_cone_bends_far_as_its_elastica() -> None:
    robot = cone(ROOT, TIP, 20, curvature_z=14)
    load = 5.0 * YOUNG * math.pi * (ROOT * TIP) ** 2 / 4 / LENGTH**2
    pose = tip_pose(robot, equilibrium(robot, np.array([0.0, load, 0.0, 0.0, 0.0, 0.0]), steps=2))
    along, across, angle = elastica(load)
    assert across > 0.5 * LENGTH
    assert pose[:3, 3] == pytest.approx([along, across, 0.0], abs=1e-8 * LENGTH)
    assert math.atan2(pose[1, 0], pose[0, 0]) == pytest.approx(angle, abs=1e-8)


def frequencies(robot: Robot) -> Array:
    """In rad/s, of the straight rod at rest."""
    found = np.linalg.eigvals(np.linalg.solve(matrix(robot, "mass_matrix"), matrix(robot, "elastic_forces")))
    return np.sqrt(np.sort(found.real))


def slender(ratio: float, guess: float) -> float:
    """Of a cone whose tip is ``ratio`` as thick as its root: ``omega L^2 sqrt(rho A / E I)``, A and I of the root.

    Deflections are Bessel functions over s, the distance from where the whole cone would end (Kirchhoff 1879; Conway &
    Dubil, "Vibration frequencies of truncated-cone and wedge beams", J. Appl. Mech. 32, 1965).
    """

    def left_over(value: mp.mpf) -> mp.mpf:
        scale = mp.sqrt(value) / (1 - ratio)

        def row(s: float, order: int, *signs: int) -> list[mp.mpf]:
            z = 2 * scale * mp.sqrt(s)
            kinds = (mp.besselj, mp.bessely, mp.besseli, mp.besselk)
            return [sign * kind(order, z) for sign, kind in zip(signs, kinds, strict=True)]

        # Deflection and slope at the root, moment and shear force at the tip.
        held = [row(1.0, 2, 1, 1, 1, 1), row(1.0, 3, -1, -1, 1, -1)]
        free = [row(ratio, 4, 1, 1, 1, 1), row(ratio, 3, 1, 1, 1, -1)]
        return mp.det(mp.matrix([*held, *free])) * ratio**4  # those of the second kind grow without bound

    with mp.workdps(30):
        return float(mp.findroot(left_over, (0.99 * guess, 1.01 * guess), solver="anderson"))


def test_bessel_functions_give_published_figures() -> None:
    """8.719, 21.146, 38.454 of a whole cone; what is cut off its tip here is too little to be felt."""
    for guess, published in ((8.7, 8.719), (21.1, 21.146), (38.4, 38.454)):
        assert slender(1e-6, guess) == pytest.approx(published, abs=6e-4)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [0.5, 0.2])
def test_a_slender_cone_swings_as_bessel_functions_say(ratio: float) -> None:
    """It is so slender that the inertia of its turning sections is not felt."""
    root = 1e-4 * LENGTH
    robot = cone(root, ratio * root, 18, curvature_z=12 if ratio > 0.3 else 16)
    unit = math.sqrt(YOUNG * root**2 / 4 / DENSITY) / LENGTH**2
    for found in frequencies(robot)[:3] / unit:
        assert found == pytest.approx(slender(ratio, found), rel=1e-6)


def left_over(omega: float) -> float:
    """What Timoshenko's beam, a thick cone, cannot balance at its free end: zero at a natural frequency.

    The state is deflection, turn of the section, moment and shear force, along the beam by SciPy.
    """
    from scipy.integrate import solve_ivp

    def change(x: float, y: Array) -> Array:
        radius = ROOT + (TIP - ROOT) * x / LENGTH
        area, second = math.pi * radius**2, math.pi * radius**4 / 4
        w, turn, moment, force = y.reshape(4, 2)
        inertia = DENSITY * omega**2
        rows = (turn + force / (SHEAR * area), moment / (YOUNG * second), -inertia * second * turn - force)
        return np.concatenate([*rows, -inertia * area * w])

    start = np.array([[0, 0], [0, 0], [1.0, 0], [0, 1.0]]).ravel()
    found = solve_ivp(change, (0.0, LENGTH), start, method="DOP853", rtol=1e-12, atol=1e-14)
    return float(np.linalg.det(found.y[4:, -1].reshape(2, 2)))


@pytest.mark.slow
def test_a_thick_cone_swings_as_timoshenkos_beam() -> None:
    from scipy.optimize import brentq

    robot = cone(ROOT, TIP, 24, curvature_z=14, shear_y=14)
    for found in frequencies(robot)[:3]:
        true = brentq(left_over, 0.999 * found, 1.001 * found, xtol=1e-9)
        assert found == pytest.approx(true, rel=1e-7)
