"""Natural frequencies of a rod held at its root: Timoshenko's beam with rotary inertia, and bars."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp
from support.rods import functions

from symdyn import api
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain

LENGTH, RADIUS, YOUNG, POISSON, DENSITY, FACTOR = 0.5, 0.04, 1e7, 0.3, 1200.0, 0.886
SHEAR = YOUNG / (2 * (1 + POISSON))
AREA, SECOND = math.pi * RADIUS**2, math.pi * RADIUS**4 / 4
COUNT = 12


def frequencies(*strains: Strain) -> np.ndarray:
    """In rad/s, from M and K of the rod at rest, straight."""
    section = Section("circle", radius=repr(RADIUS), shear_factors=(FACTOR, FACTOR))
    own = tuple(functions(strain, COUNT) for strain in strains)
    soft = Soft(LENGTH, section, Material(YOUNG, POISSON, DENSITY), own, stations=24)
    robot = api.from_description(RobotDescription("rod", (Link("rod", soft=soft),), (), gravity=(0.0, 0.0, 0.0)))
    n = robot.nv
    matrix = np.array(api.float_recursion(robot, "mass_matrix")({"q": [0.0] * n})["M"]).reshape(n, n)
    elastic = api.float_recursion(robot, "elastic_forces")
    columns = [next(iter(elastic({"q": list(row)}).values())) for row in np.eye(n)]
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(matrix, np.array(columns))).real))


def left_over(omega: mp.mpf) -> mp.mpf:
    """What Timoshenko's beam cannot balance at its free end: zero at a natural frequency.

    The state is deflection, turn of the section, moment and shear force; it moves along the beam by an exponential.
    """
    inertia = DENSITY * omega**2
    change = mp.matrix(
        [
            [0, 1, 0, 1 / (FACTOR * SHEAR * AREA)],
            [0, 0, 1 / (YOUNG * SECOND), 0],
            [0, -inertia * SECOND, 0, -1],
            [-inertia * AREA, 0, 0, 0],
        ]
    )
    moved = mp.expm(change * LENGTH)
    return mp.det(moved[2:4, 2:4])


@pytest.mark.slow
def test_bending_is_timoshenkos() -> None:
    found = frequencies(Strain.CURVATURE_Z, Strain.SHEAR_Y)[:3]
    for own in found:
        true = mp.findroot(left_over, (own * 0.999, own * 1.001))
        assert own == pytest.approx(float(true), rel=1e-7)
    # The rod is thick: Euler and Bernoulli's beam, stiff in shear, is far away.
    slender = 1.8751040687**2 * math.sqrt(YOUNG * SECOND / (DENSITY * AREA)) / LENGTH**2
    assert found[0] < 0.99 * slender


@pytest.mark.parametrize(("strain", "speed"), [(Strain.STRETCH, YOUNG / DENSITY), (Strain.TWIST, SHEAR / DENSITY)])
def test_bars_stretch_and_twist_in_quarter_waves(strain: Strain, speed: float) -> None:
    waves = [(2 * number + 1) * math.pi / 2 * math.sqrt(speed) / LENGTH for number in range(3)]
    assert frequencies(strain)[:3] == pytest.approx(waves, rel=1e-7)
