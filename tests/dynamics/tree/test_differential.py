"""A robot with two drives and a joint that follows both, against Lagrange's equations by SymPy."""

from __future__ import annotations

import numpy as np
import sympy
from support.robots.kinds import P, R
from support.robots.small import X, Z, described, joint, loaded, point_mass

from symdyn import api
from symdyn.description.robot import Mimic

LENGTH, M_ARM, M_LOAD, M_CRANK = 0.7, 1.3, 0.9, 0.4
GAINS, OFFSET = (0.4, -0.8), 0.3


def test_a_slide_that_follows_two_cranks() -> None:
    """An arm turns by a; a load slides along it by 0.4 a - 0.8 b + 0.3; b turns a crank on the ground."""
    mimic = Mimic("a", GAINS[0], OFFSET, (("b", GAINS[1]),))
    joints = [
        joint("a", R, "base", "arm", axis=Z),
        joint("b", R, "base", "crank", axis=Z),
        joint("slide", P, "arm", "load", axis=X, mimic=mimic),
    ]
    tip = (LENGTH, 0.0, 0.0)
    links = [
        point_mass("base", 0.0, (0.0, 0.0, 0.0)),
        point_mass("arm", M_ARM, tip),
        point_mass("crank", M_CRANK, tip),
        point_mass("load", M_LOAD, (0.0, 0.0, 0.0)),
    ]
    robot = loaded(described(links, joints), gravity=(0.0, -9.81, 0.0))
    time = sympy.Symbol("t")
    a, b = (sympy.Function(name)(time) for name in "ab")
    reach = GAINS[0] * a + GAINS[1] * b + OFFSET
    points = [(M_ARM, LENGTH, a), (M_CRANK, LENGTH, b), (M_LOAD, reach, a)]
    places = [(m, r * sympy.cos(angle), r * sympy.sin(angle)) for m, r, angle in points]
    kinetic = sum(m * (x.diff(time) ** 2 + y.diff(time) ** 2) / 2 for m, x, y in places)
    lagrangian = kinetic - sum(m * 9.81 * y for m, _, y in places)
    forces = [lagrangian.diff(q.diff(time)).diff(time) - lagrangian.diff(q) for q in (a, b)]
    q, v, acceleration = [0.6, -1.1], [0.8, 1.7], [-0.5, 2.3]
    values = {
        **{x.diff(time, 2): value for x, value in zip((a, b), acceleration, strict=True)},
        **{x.diff(time): value for x, value in zip((a, b), v, strict=True)},
        **dict(zip((a, b), q, strict=True)),
    }
    expected = [float(force.subs(values).evalf()) for force in forces]
    found = api.float_recursion(robot, "inverse_dynamics")({"q": q, "v": v, "a": acceleration})["tau"]
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    solved = api.float_recursion(robot, "forward_dynamics")({"q": q, "v": v, "tau": expected})["a"]
    np.testing.assert_allclose(solved, acceleration, rtol=1e-12)
