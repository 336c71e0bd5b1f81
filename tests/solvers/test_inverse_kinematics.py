"""Inverse kinematics: goals that are met within limits, by C and by NumPy, and what is said of others."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.compilers import each_of

import symdyn
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot
from symdyn.toolchain.solvers import SolveCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
_STRICT = ("-std=c99", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion")
_HEAP = {"malloc", "free", "calloc", "realloc", "aligned_alloc"}
SEEN = 1e-8
"""Tolerance of the search, and so of poses that are computed apart."""
ROBOTS = {"seven_dof_arm": 1.0, "five_bar": 1.0, "cable_manipulator": 0.1, "quadruped": 1.0, "aerial_manipulator": 1.0}
"""Rigid, looped, soft, looped with a free base, with a free base; and shares of random positions that are reached."""


def reachable(name: str, seed: int = 1) -> tuple[Robot, str, Any]:
    robot = symdyn.load_example(name)
    q = ROBOTS[name] * robot.random_state(np.random.default_rng(seed))[0]
    if robot.model.loops:
        q = robot.close(robot.neutral())
    elif robot.model.free_bases:
        q = robot.random_state(np.random.default_rng(seed))[0]
    frame = robot.frame_names[-1]
    return robot, frame, symdyn.compile(robot, ["forward_kinematics"], frames=[frame]).forward_kinematics(q)[0]


@pytest.mark.parametrize("name", ROBOTS)
def test_frames_meet_their_poses(name: str) -> None:
    robot, frame, pose = reachable(name)
    found = symdyn.inverse_kinematics(robot, {frame: pose})
    assert found.reached and found.error <= SEEN
    module = symdyn.compile(robot, ["forward_kinematics"], frames=[frame])
    assert np.abs(module.forward_kinematics(found.q)[0] - pose).max() <= 3.0 * SEEN
    assert np.all(found.q >= robot.limits.lower) and np.all(found.q <= robot.limits.upper)
    if robot.model.loops:
        assert np.abs(symdyn.compile(robot, ["constraint_error"]).constraint_error(found.q)).max() <= SEEN


def test_c_takes_the_steps_of_numpy() -> None:
    robot, frame, pose = reachable("seven_dof_arm")
    middle = 0.5 * (robot.limits.lower + robot.limits.upper)
    found = [symdyn.inverse_kinematics(robot, {frame: pose}, middle, target=target) for target in ("c", "python")]
    assert found[0].code is found[1].code and found[0].iterations == found[1].iterations
    assert np.abs(found[0].q - found[1].q).max() <= 1e-9


def test_most_poses_are_reached_within_limits() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    module = symdyn.compile(robot, ["forward_kinematics", "task_errors"], frames=["tool"], tasks=["tool"])
    rng, missed = np.random.default_rng(5), 0
    for _ in range(60):
        pose = module.forward_kinematics(robot.random_state(rng)[0])[0]
        found = symdyn.inverse_kinematics(robot, {"tool": pose})
        missed += not found.reached
        assert np.all(found.q >= robot.limits.lower) and np.all(found.q <= robot.limits.upper)
    assert missed == 0  # 99.9 % are reached, so that one of 60 is missed once in 17 seeds


def test_several_tasks_weights_and_what_is_not_reached() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    goals = {"tool:position": [0.4, 0.2, 0.5], "tool:axis": [0.0, 0.0, -2.0]}
    both = symdyn.inverse_kinematics(robot, goals)
    assert both.reached and set(both.errors) == set(goals)
    far = symdyn.inverse_kinematics(robot, {"tool:position": [3.0, 0.0, 0.0]})
    assert far.code is SolveCode.NOT_REACHED and far.starts == 20
    assert far.error == pytest.approx(float(np.linalg.norm(far.errors["tool:position"])))
    without = symdyn.inverse_kinematics(robot, {"tool": [3, 0, 0, 0, 0, 0, 1]}, weights={"tool": [0, 0, 0, 1, 1, 1]})
    assert without.reached


def test_what_is_not_finite_has_a_code() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    module = symdyn.compile(robot, ["task_errors"], tasks=["tool:axis"], solvers=["inverse_kinematics"])
    assert module.solve_inverse_kinematics(np.zeros(7), np.zeros(3)).code is SolveCode.NOT_FINITE
    assert module.solve_inverse_kinematics(np.zeros(7), [0, 0, 1], max_iterations=1).code is SolveCode.NOT_REACHED


@pytest.mark.parametrize(
    ("goals", "said"),
    [
        ({"hook": np.eye(4)}, "task 'hook' is unknown; expected a frame"),
        ({"tool:place": [0, 0, 0]}, "task 'tool:place' is unknown"),
        ({"tool": [0, 0, 0]}, r"goal 'tool' is a pose \(4, 4\), or \(7,\)"),
        ({"tool": 2 * np.eye(4)}, "whose axes are not orthonormal"),
        ({"tool:axis": [0, 0, 0]}, "is a direction, got zeros"),
        ({"tool:position": [0, np.nan, 0]}, "not finite"),
        ({}, "name no frame"),
    ],
)
def test_goals_that_mean_nothing_are_refused(goals: dict[str, Any], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        symdyn.inverse_kinematics(symdyn.load_example("seven_dof_arm"), goals)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"q0": "here"}, "q0 of robot 'seven_dof_arm': expected real numbers"),
        ({"q0": np.zeros((2, 2, 7))}, r"expected shape \(7,\) or \(starts, 7\), got \(2, 2, 7\)"),
        ({"q0": {"knee": 1.0}}, "knee"),
        ({"weights": 1.0}, "weights: expected values by names"),
        ({"weights": {"tool:position": [1.0, 2.0]}}, r"expected finite numbers of shape \(3,\), got shape \(2,\)"),
        ({"tolerance": None}, "tolerance: expected a positive number, got None"),
        ({"max_iterations": 1.5}, "max_iterations is a whole number from 1, got 1.5"),
        ({"seed": -1}, "seed is a whole number from 0, got -1"),
    ],
)
def test_searches_that_mean_nothing_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        symdyn.inverse_kinematics(symdyn.load_example("seven_dof_arm"), {"tool:position": [0.3, 0.0, 0.5]}, **given)


def test_searches_start_at_coordinates_by_name() -> None:
    robot, goal = symdyn.load_example("seven_dof_arm"), {"tool:position": [0.3, 0.0, 0.5]}
    q0 = np.zeros(7)
    q0[1] = 0.4
    found = [symdyn.inverse_kinematics(robot, goal, start) for start in (q0, {"joint_2": 0.4})]
    assert np.array_equal(found[0].q, found[1].q)


def test_the_solver_asks_for_tasks() -> None:
    with pytest.raises(RequestError, match=r"the solver 'inverse_kinematics' needs tasks=\[\.\.\.\]"):
        symdyn.generate(symdyn.load_example("pendulum"), ["bias"], solvers=["inverse_kinematics"])


@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_c_is_strict_and_has_no_heap(dtype: str, compiler: str, tmp_path: Path) -> None:
    robot, solvers = symdyn.load_example("five_bar"), ["inverse_kinematics", "differential_ik"]
    asked = {"tasks": [robot.frame_names[-1]], "solvers": solvers, "dtype": dtype}
    folder = Path(symdyn.generate(robot, ["task_errors"], out=tmp_path / "five_bar", **asked))
    for solver in solvers:
        (source,) = folder.glob(f"*_solve_{solver}.c")
        made = tmp_path / f"{solver}.o"
        subprocess.run([compiler, *_STRICT, "-Werror", "-c", str(source), "-o", str(made)], check=True)
        names = subprocess.run(["nm", "-u", str(made)], check=True, capture_output=True, text=True).stdout.split()
        assert not _HEAP & set(names)


PROGRAM = """
#include <math.h>
#include "seven_dof_arm.h"
static double work[SEVEN_DOF_ARM_SOLVE_INVERSE_KINEMATICS_WORK + 1];
int main(void)
{
  const double q[7] = {0, -0.4, 0, -2.0, 0, 1.7, 0}, pose[7] = {0.4, 0.1, 0.5, 1, 0, 0, 0};
  const double ones[6] = {1, 1, 1, 1, 1, 1};
  double lower[7], upper[7], found[2][7], error;
  size_t counts[3];
  for (int i = 0; i < 7; ++i) {
    lower[i] = -INFINITY;
    upper[i] = INFINITY;
  }
  for (int k = 0; k < 2; ++k) {
    if (seven_dof_arm_solve_inverse_kinematics(
            q, 1, pose, k ? ones : NULL, lower, upper, 1e-8, 50, found[k], &error, counts, work)) {
      return 2;
    }
  }
  for (int i = 0; i < 7; ++i) {
    if (found[0][i] != found[1][i]) {
      return 1;
    }
  }
  return 0;
}
"""


@pytest.mark.needs_cc
def test_no_weights_are_weights_of_one_in_c(tmp_path: Path) -> None:
    asked = {"tasks": ["tool"], "solvers": ["inverse_kinematics"]}
    robot = symdyn.load_example("seven_dof_arm")
    folder = Path(symdyn.generate(robot, ["task_errors"], out=tmp_path / "arm", **asked))
    (folder / "main.c").write_text(PROGRAM)
    subprocess.run(["gcc", *map(str, folder.glob("*.c")), "-o", str(tmp_path / "main"), "-lm"], check=True)
    assert subprocess.run([str(tmp_path / "main")]).returncode == 0
