"""Positions beyond limits of joints: of joints that are locked, of starts, and of searches."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn import FramePosition, Horizon, InputCost, OptimalControlProblem, SymdynWarning
from symdyn.cli.view import _position
from symdyn.errors import RequestError

ARM = """
name: arm
links: {base: {}, upper: {mass: 1.0, com: [0.1, 0, 0]}, hand: {mass: 0.2}}
joints:
  elbow: {type: revolute, parent: base, child: upper, axis: [0, 1, 0], limits: {lower: -1.7, upper: 2.5},
          spring: {stiffness: 50}}
  finger: {type: prismatic, parent: upper, child: hand, axis: [1, 0, 0], limits: {lower: 0, upper: 0.04},
           spring: {stiffness: 500, rest: 0.02}}
"""
DEGREES = r"'elbow' at -30 rad is below -1\.7 rad \(angles are in radians: 30 degrees are 0\.5236\)"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    own = tmp_path_factory.mktemp("limits") / "arm.yaml"
    own.write_text(ARM)
    return own


def test_a_joint_that_is_locked_beyond_its_limits_is_told(file: Path) -> None:
    with pytest.warns(SymdynWarning, match=r"locked beyond their limits: 'finger' at 20 m is above 0\.04 m"):
        robot = symdyn.load(file, locked_joints={"finger": 20})
    assert "finger" in robot.warnings[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        symdyn.load(file, locked_joints={"finger": 0.04})


def test_a_start_of_a_problem_beyond_limits_is_told(file: Path) -> None:
    problem = OptimalControlProblem(
        costs=[FramePosition("hand", target=[0.3, 0, 0]), InputCost(weight=0.1)],
        horizon=Horizon(2, 0.01),
        start={"q": [-30.0, 0.0]},
    )
    robot = symdyn.load(file)
    with pytest.warns(SymdynWarning, match=f"start.q is beyond limits: {DEGREES}"):
        controlled = robot.with_control(problem)
    with pytest.warns(SymdynWarning, match="q of robot 'arm' is beyond limits: 'finger' at -1 m is below 0 m"):
        symdyn.optimal_control(controlled, q=[0.0, -1.0], iterations=1, target="python")


def test_a_start_of_a_search_beyond_limits_is_told(file: Path) -> None:
    robot = symdyn.load(file)
    goal = {"hand:position": [0.02, 0.0, 0.0]}
    with pytest.warns(SymdynWarning, match=f"q0 of robot 'arm' is beyond limits: {DEGREES}"):
        symdyn.inverse_kinematics(robot, goal, [-30.0, 0.0], target="python")
    with pytest.warns(SymdynWarning, match=f"q0 of robot 'arm' is beyond limits: {DEGREES}"):
        symdyn.equilibrium(robot, q0=[-30.0, 0.02], target="python")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        symdyn.inverse_kinematics(robot, goal, [-1.7 - 1e-9, 0.0], target="python")
        symdyn.inverse_kinematics(robot, goal, [-30.0, 0.0], limits=False, target="python")
    with pytest.raises(RequestError, match="q0 of robot 'arm'"):
        symdyn.equilibrium(robot, q0=np.zeros(3), target="python")


def test_a_view_beyond_limits_is_told(file: Path) -> None:
    with pytest.warns(SymdynWarning, match="--q of robot 'arm' is beyond limits: 'elbow' at -30 rad"):
        _position(symdyn.load(file), ["elbow=-30"])
