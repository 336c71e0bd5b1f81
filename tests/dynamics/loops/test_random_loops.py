"""Random trees with loops of every kind: the oracle agrees on all functions of loops."""

from __future__ import annotations

import numpy as np
import pytest
from support.looped_checks import against_oracle, random_robot, verified
from support.soft_calls import call

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
SEEDS = [3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 10, 2, 21, 4, 5, 33, 7, 8))]
"""One per kind of the first loop, in either convention, fixed and floating; 3 has more rows than coordinates."""
KINEMATIC = ("constraint_error", "constraint_jacobian", "constraint_bias")
DYNAMIC = ("constrained_forward_dynamics", "operational_inertia")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_agrees(seed: int) -> None:
    robot = random_robot(seed)
    assert robot is not None
    verified(robot, KINEMATIC, 1)
    assert (len(robot.model.loop_row_names) <= robot.nv) == (seed != 3)
    if seed != 3:
        verified(robot, DYNAMIC[:1], 1, stabilisation=0.5)
        verified(robot, DYNAMIC[1:], 1)


@pytest.mark.parametrize("function", [*KINEMATIC, *DYNAMIC])
def test_the_oracle_agrees_at_one_state(function: str) -> None:
    robot = random_robot(7)
    assert robot is not None
    against_oracle(robot, function)


@pytest.mark.parametrize("seed", [0, 7, 10, 33])
def test_slopes_are_those_of_the_error(seed: int) -> None:
    """By central differences: good to about the cube root of rounding, squared."""
    robot = random_robot(seed)
    assert robot is not None
    q, v = robot.random_state(np.random.default_rng(seed))
    (A,) = call(robot, "constraint_jacobian", q=q)
    step = 1e-5
    errors = [call(robot, "constraint_error", q=robot.integrate(q, sign * step * v))[0] for sign in (1.0, -1.0)]
    rates = A.reshape(-1, robot.nv) @ v
    assert (errors[0] - errors[1]) / (2 * step) == pytest.approx(rates, abs=1e-6 * max(1.0, abs(rates).max()))
