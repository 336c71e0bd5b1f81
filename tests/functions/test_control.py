"""What the control laws of the catalogue do to a robot, and which robots they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import symdyn
from symdyn.errors import ModelError, RequestError

LAWS = ["task_inertia", "task_bias", "operational_space_control"]


def test_frames_accelerate_as_desired_and_the_rest_follows_tau_0() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    functions = [*LAWS, "forward_dynamics", "jacobians", "jacobians_time_derivative"]
    module = symdyn.compile(robot, functions, frames=["tool"])
    rng = np.random.default_rng(3)
    q, v = robot.random_state(rng)[0], rng.standard_normal(7)
    wanted, given, exact = rng.standard_normal((1, 6)), rng.standard_normal(7), np.zeros((1, 6))
    tau = module.operational_space_control(q, v, wanted, given, exact)
    a = module.forward_dynamics(q, v, tau)
    J, rates = module.jacobians(q)[0], module.jacobians_time_derivative(q, v)[0]
    assert np.abs(J @ a + rates @ v - wanted[0]).max() < 1e-9
    (null,) = np.linalg.svd(J)[2][6:]
    assert abs(null @ (tau - given)) < 1e-9  # J^T leaves the null space to tau_0


def test_a_large_eps_leaves_rows_out() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    module = symdyn.compile(robot, ["task_inertia", "mass_matrix", "jacobians"], frames=["tool"])
    q = robot.random_state(np.random.default_rng(4))[0]
    found = module.task_inertia(q, np.array([[0.0, 0.0, 0.0, 1e12, 1e12, 1e12]]))
    J = module.jacobians(q)[0, :3]
    assert np.allclose(found[:3, :3], np.linalg.inv(J @ np.linalg.inv(module.mass_matrix(q)) @ J.T), rtol=1e-8)
    assert np.abs(found[3:]).max() < 1e-9


@pytest.mark.parametrize("function", LAWS)
def test_frames_are_asked_for(function: str) -> None:
    with pytest.raises(RequestError, match=r"needs frames=\[\.\.\.\], the names of the frames of the task; 'pendulum'"):
        symdyn.compile(symdyn.load_example("pendulum"), [function])


@pytest.mark.parametrize("function", [*LAWS, "computed_torque"])
def test_loops_are_refused(function: str) -> None:
    robot = symdyn.load_example("quadruped")
    asked = {} if function == "computed_torque" else {"frames": [robot.frame_names[-1]]}
    with pytest.raises(ModelError, match="needs an open tree"):
        symdyn.compile(robot, [function], **asked)
