"""Inputs with which soft and looped robots rest at a pose: statics by other functions, and what is not reached."""

from __future__ import annotations

import subprocess
from pathlib import Path
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


def in_c(name: str, task: str, **asked: Any) -> tuple[Any, Any]:
    """A robot and its module with the search in C."""
    robot = symdyn.load_example(name)
    asked = {"tasks": [task], "solvers": ["soft_inverse_kinematics"], "lanes": False, **asked}
    return robot, symdyn.compile(robot, ["gravity"], **asked)


def test_the_search_in_c_takes_the_steps_of_numpy() -> None:
    """Inputs to 1e-9 of the largest: for a place, within bounds where it is out of reach, and with closed loops."""
    task = f"{FRAME}:position"
    robot, module = in_c("cable_manipulator", task)
    names = [own.name for own in robot.model.actuator_inputs]
    for place, low, high in (([0.06, -0.03, -0.48], 0.0, np.inf), ([0.3, 0.2, -0.3], 0.5, 6.0)):
        bounds = dict.fromkeys(names, (low, high))
        twin = symdyn.soft_inverse_kinematics(robot, {task: place}, bounds=bounds, target="python")
        lower, upper = np.full(5, low), np.full(5, high)
        found = module.solve_soft_inverse_kinematics(robot.neutral(), np.zeros(5), place, lower=lower, upper=upper)
        assert (found.code, found.iterations) == (twin.code, twin.iterations)
        assert np.abs(found.u - twin.u).max() <= 1e-9 * max(1.0, np.abs(twin.u).max())
        assert np.abs(found.q - twin.q).max() <= 1e-9 and found.error == pytest.approx(twin.error, rel=1e-6, abs=1e-12)
        assert np.all(found.u >= low) and np.all(found.u <= high)
        asked: dict[str, Any] = {"lower": lower, "upper": upper, "max_iterations": 2}
        stopped = module.solve_soft_inverse_kinematics(robot.neutral(), np.zeros(5), place, **asked)
        assert (stopped.code, stopped.iterations) == (SolveCode.NOT_REACHED, 2)
    narrow = in_c("cable_manipulator", task, dtype="float32")[1]
    place = np.array([0.06, -0.03, -0.48], np.float32)
    near = narrow.solve_soft_inverse_kinematics(
        robot.neutral().astype(np.float32), np.zeros(5, np.float32), place, lower=np.zeros(5)
    )
    assert near.code is SolveCode.DONE and near.error <= 1e-4


LOOPED = """
#include <math.h>

#include "five_bar.h"

static const double q[FIVE_BAR_NQ] = {{ {q} }}, u[{inputs}] = {{ {u} }}, goal[3] = {{ {goal} }};
static const double ones[3] = {{ 1, 1, 1 }}, low[{inputs}] = {{ {low} }}, high[{inputs}] = {{ {high} }};
static double found[{inputs}], rest[FIVE_BAR_NQ], lambda[{loops}], error[1];
static double work[FIVE_BAR_SOLVE_SOFT_INVERSE_KINEMATICS_WORK];

int main(void)
{{
  size_t counts[2];
  const double nowhere[3] = {{ NAN, 0, 0 }};
  if (five_bar_solve_soft_inverse_kinematics(
          q, u, nowhere, ones, low, high, 1e-8, 50, found, rest, lambda, error, counts, work) !=
      FIVE_BAR_SOLVE_NOT_FINITE) {{
    return __LINE__;
  }}
  return (int)five_bar_solve_soft_inverse_kinematics(
      q, u, goal, ones, low, high, 1e-8, 50, found, rest, lambda, error, counts, work);
}}
"""


def test_loops_and_sanitizers(tmp_path: Path) -> None:
    """A linkage in C as in NumPy; strict warnings, and sanitizers that find nothing."""
    robot, module = in_c("five_bar", "right_fore:position")
    kinematics = symdyn.compile(robot, ["forward_kinematics"], frames=["right_fore"], lanes=False)
    q = robot.close(robot.neutral())
    held = statics.inverse_statics(robot, q)
    goal = kinematics.forward_kinematics(robot.close(q + 0.05))[0, :3, 3]
    twin = symdyn.soft_inverse_kinematics(robot, {"right_fore:position": goal}, held.u, q0=q, target="python")
    found = module.solve_soft_inverse_kinematics(q, held.u, goal)
    assert found.code is SolveCode.DONE and found.iterations == twin.iterations
    assert np.abs(found.u - twin.u).max() <= 1e-9 * max(1.0, np.abs(twin.u).max())
    assert np.abs(found.multipliers - twin.multipliers).max() <= 1e-9 * np.abs(twin.multipliers).max()
    asked: dict[str, Any] = {"tasks": ["right_fore:position"], "solvers": ["soft_inverse_kinematics"]}
    place = Path(symdyn.generate(robot, ["gravity"], out=tmp_path / "five_bar", **asked))
    count, loops = len(held.u), len(robot.model.loop_row_names)
    numbers = {name: ", ".join(map(repr, map(float, own))) for name, own in (("q", q), ("u", held.u), ("goal", goal))}
    low, high = (", ".join([own] * count) for own in ("-1e3", "1e3"))
    (place / "main.c").write_text(LOOPED.format(**numbers, inputs=count, loops=loops, low=low, high=high))
    sources = sorted(path.name for path in place.glob("*.c") if not path.stem.endswith("_lanes"))
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wvla", "-Werror"]
    flags = ["-std=c99", "-O1", "-g", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = ["gcc", *flags, *strict, *sources, "-o", "checked", "-lm"]
    subprocess.run(command, cwd=place, check=True, timeout=300)
    done = subprocess.run(["./checked"], cwd=place, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_the_search_in_c_needs() -> None:
    with pytest.raises(RequestError, match=r"'soft_inverse_kinematics' needs actuators, and robot 'pendulum' has none"):
        in_c("pendulum", "rod")
    with pytest.raises(RequestError, match=r"'soft_inverse_kinematics' needs tasks=\[\.\.\.\]"):
        symdyn.compile(symdyn.load_example("five_bar"), ["gravity"], solvers=["soft_inverse_kinematics"])
    with pytest.raises(RequestError, match="moves all rows of v; leave prescribed out"):
        in_c("five_bar", "right_fore", prescribed=["left_shoulder"])
