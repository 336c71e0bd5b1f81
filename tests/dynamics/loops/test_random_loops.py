"""Random trees with loops of every kind: the oracle agrees on all functions of loops."""

from __future__ import annotations

import numpy as np
import pytest
from support.looped_checks import against_oracle, random_robot, verified
from support.soft_calls import call

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
SEEDS = [seed if seed == 3 else pytest.param(seed, marks=pytest.mark.slow) for seed in range(36)]
KINEMATIC = ("constraint_error", "constraint_jacobian", "constraint_bias")
DYNAMIC = ("constrained_forward_dynamics", "operational_inertia")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_agrees(seed: int) -> None:
    robot = random_robot(seed)
    if robot is None or not robot.model.loop_row_names:
        return
    verified(robot, KINEMATIC, 3)
    if len(robot.model.loop_row_names) <= robot.nv:
        verified(robot, DYNAMIC[:1], 3, stabilisation=0.5)
        verified(robot, DYNAMIC[1:], 3)


@pytest.mark.parametrize("function", [*KINEMATIC, *DYNAMIC])
def test_the_oracle_agrees_at_one_state(function: str) -> None:
    robot = random_robot(7)
    assert robot is not None
    against_oracle(robot, function)


@pytest.mark.parametrize("seed", range(0, 36, 9))
def test_slopes_are_those_of_the_error(seed: int) -> None:
    """By central differences: good to about the cube root of rounding, squared."""
    robot = random_robot(seed)
    if robot is None:
        return
    q, v = robot.random_state(np.random.default_rng(seed))
    (A,) = call(robot, "constraint_jacobian", q=q)
    step = 1e-5
    errors = [call(robot, "constraint_error", q=robot.integrate(q, sign * step * v))[0] for sign in (1.0, -1.0)]
    rates = A.reshape(-1, robot.nv) @ v
    assert (errors[0] - errors[1]) / (2 * step) == pytest.approx(rates, abs=1e-6 * max(1.0, abs(rates).max()))
