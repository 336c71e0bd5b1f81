"""Time derivatives of inverse dynamics of mixed trees against Taylor series of Lagrange's equations in mpmath."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.oracles.flexible_lagrangian import LagrangeRobot
from support.robots.flexible import branched, two_links
from support.robots.small import loaded

import symdyn
from symdyn import api
from symdyn.robot.robot import Robot

ORDER = 4
TOLERANCE = 1e-9
DIGITS = 30
GRAVITY = (1.0, -2.0, -9.0)


@cache
def robot(name: str) -> Robot:
    if name == "mixed_arm":
        return symdyn.load_example("mixed_arm")
    return loaded({"branched": branched, "two_links": lambda: two_links(True)}[name](), gravity=GRAVITY)


def drawn(name: str) -> tuple[Any, Any]:
    """q, and v with its rates up to order r + 1."""
    rng = np.random.default_rng(23)
    rows = robot(name).velocity_names
    small = np.array([0.05 if "[" in row else 1.0 for row in rows])
    q = rng.standard_normal(len(rows)) * small
    for row, label in enumerate(rows):
        if label.endswith(".motor"):
            q[row] = q[rows.index(label.removesuffix(".motor"))] + 0.05 * rng.standard_normal()
    return q, rng.standard_normal((ORDER + 2, len(rows)))


@pytest.mark.parametrize("name", ["branched", pytest.param("two_links", marks=pytest.mark.slow), "mixed_arm"])
def test_inverse_dynamics_to_the_fourth_order(name: str) -> None:
    q, V = drawn(name)
    gravity = robot(name).model.gravity
    recursion = api.float_recursion(robot(name), "inverse_dynamics_time_derivatives", order=ORDER)
    found = np.array(recursion({"q": q, "V": V.ravel()})["tau"]).reshape(ORDER + 1, -1)
    with mp.workdps(DIGITS):
        truth = LagrangeRobot(robot(name).description, robot(name).velocity_names, gravity, exact=True)
        series = [
            [x, *(mp.mpf(V[k, row]) / math.factorial(k + 1) for k in range(ORDER + 2))] for row, x in enumerate(q)
        ]
        coefficients = truth.forces(truth.motion(series))
    for k in range(ORDER + 1):
        expected = np.array(coefficients[:, k] * math.factorial(k), dtype=np.float64)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found[k], expected, rtol=TOLERANCE, atol=TOLERANCE * scale, err_msg=f"order {k}")
