"""Inputs with which soft and looped robots rest at a pose: statics by other functions, and what is not reached."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn import statics
from symdyn.errors import ModelError, RequestError
from symdyn.toolchain.solvers import SolveCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
FRAME = "arm.tip"
_SEEN = 1e-8
_LEFT = 1e-12
"""Of the largest force of the actuators: some rounding of a sum over 24 coordinates."""


def rested(u: list[float]) -> tuple[Any, Any, Any]:
    """The shipped soft arm, functions that share no plan with its statics, and the pose of its tip at rest."""
    robot = symdyn.load_example("cable_manipulator")
    functions = ["forward_kinematics", "inverse_dynamics", "actuation_matrix"]
    module = symdyn.compile(robot, functions, frames=[FRAME])
    return robot, module, module.forward_kinematics(symdyn.equilibrium(robot, u).q)[0]


@pytest.mark.parametrize("goal", ["pose", "position"])
def test_a_soft_arm_rests_at_a_pose(goal: str) -> None:
    u = [7.6, 3.2, 0.5, 0.2, 9.8]
    robot, module, X = rested(u)
    goals = {FRAME: X} if goal == "pose" else {f"{FRAME}:position": X[:3, 3]}
    found = symdyn.soft_inverse_kinematics(robot, goals)
    assert found.reached and found.error <= _SEEN and np.all(found.u >= 0.0)
    seen = module.forward_kinematics(found.q)[0]
    assert np.abs((seen - X)[:3, 3]).max() <= 3.0 * _SEEN
    forces, still = module.actuation_matrix(found.q) @ found.u, np.zeros(robot.nv)
    needed = module.inverse_dynamics(found.q, still, still)
    assert np.abs(needed - forces).max() <= _LEFT * np.abs(forces).max()
    if goal == "pose":  # five tensions that a pose tells
        assert np.abs(found.u - u).max() < 1e-5
    else:
        assert set(found.limited) == {name for name, own in zip(found.names, found.u, strict=True) if own == 0.0}


def test_bounds_of_inputs_hold_and_targets_out_of_reach_have_a_code() -> None:
    robot, _, X = rested([7.6, 3.2, 0.5, 0.2, 9.8])
    bounds = dict.fromkeys((own.name for own in robot.model.actuator_inputs), (0.5, 6.0))
    found = symdyn.soft_inverse_kinematics(robot, {FRAME: X}, bounds=bounds)
    assert found.code is SolveCode.NOT_REACHED and found.limited
    assert np.all(found.u >= 0.5) and np.all(found.u <= 6.0)
    nearby = symdyn.equilibrium(robot, found.u).q
    assert np.abs(nearby - found.q).max() < 1e-8
    error = found.error
    for row in range(5):  # no neighbour within the bounds is nearer
        for move in (-0.05, 0.05):
            u = np.clip(found.u + move * np.eye(5)[row], 0.5, 6.0)
            other = symdyn.soft_inverse_kinematics(robot, {FRAME: X}, u, bounds=bounds, max_iterations=1)
            assert other.error >= error * (1.0 - 1e-6)


def test_a_closed_loop_rests_at_a_place() -> None:
    robot = symdyn.load_example("five_bar")
    frame = robot.frame_names[-1]
    module = symdyn.compile(robot, ["forward_kinematics", "constraint_error"], frames=[frame])
    q = robot.close(robot.neutral())
    held = statics.inverse_statics(robot, q)
    goal = module.forward_kinematics(robot.close(q + 0.05))[0, :3, 3]
    found = symdyn.soft_inverse_kinematics(robot, {f"{frame}:position": goal}, held.u, q0=q)
    place = module.forward_kinematics(found.q)[0, :3, 3]
    assert found.reached and np.abs(place - goal).max() <= _SEEN
    assert np.abs(module.constraint_error(found.q)).max() < 1e-9
    # Three motors for two ways to move: many inputs hold the place, and these are among them.
    bounds = {name: (own - 1e-8, own + 1e-8) for name, own in zip(found.names, found.u, strict=True)}
    assert np.abs(statics.inverse_statics(robot, found.q, bounds=bounds).residual).max() <= 1e-7


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(ModelError, match="needs actuators, and robot 'pendulum' has none"):
        symdyn.soft_inverse_kinematics(symdyn.load_example("pendulum"), {"rod": np.eye(4)})
    robot = symdyn.load_example("cable_manipulator")
    with pytest.raises(RequestError, match="bounds name input 'rope'"):
        symdyn.soft_inverse_kinematics(robot, {FRAME: np.eye(4)}, bounds={"rope": (0.0, 1.0)})
    with pytest.raises(RequestError, match="name no frame"):
        symdyn.soft_inverse_kinematics(robot, {})
