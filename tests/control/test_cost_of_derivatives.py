"""Derivatives of a step cost little more than those of the acceleration: operations, which no machine changes."""

from __future__ import annotations

import pytest

import symdyn
from symdyn.api import cost

MOST = 1.15
"""What was aimed at, for robots whose derivatives take more than some hundred operations."""


@pytest.mark.parametrize("name", ["seven_dof_arm", "canadarm_rigid"])
def test_the_matrices_of_a_step_cost_at_most_a_seventh_more(name: str) -> None:
    """The largest ratios of ``benchmarks/operations.py --steps`` beyond those of the smallest robots."""
    robot = symdyn.load_example(name)
    rates = cost(robot, ["forward_dynamics_partials"], layout="auto")["forward_dynamics_partials"]["total"]
    step = cost(robot, ["step_partials"], layout="auto", step="semi_implicit_euler")["step_partials"]["total"]
    assert rates < step <= MOST * rates


def test_a_small_robot_has_the_operations_of_the_step_itself() -> None:
    """For n velocities: n moves of v and of q, scaling of a_q, a_v and a_u by h, and a one added on a diagonal."""
    robot = symdyn.load_example("double_pendulum")
    rates = cost(robot, ["forward_dynamics_partials"], layout="auto")["forward_dynamics_partials"]["total"]
    step = cost(robot, ["step_partials"], layout="auto", step="semi_implicit_euler")["step_partials"]["total"]
    n = robot.nv
    assert step - rates <= 4 * n + 3 * n**2 + 2 * n
