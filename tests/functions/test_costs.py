"""Costs beside differences of themselves, and rows by names beside rows in lists."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.robots.of_cases import robot_of_case

import symdyn
from symdyn import api
from symdyn.functions.catalogue import requests

STEP = 1e-6
NEAR = 1e-7
"""Differences of doubles at this step keep seven digits of numbers near one."""


@pytest.mark.parametrize("name", ["curved thrown", "curved arm"])
def test_exact_hessians_are_differences_of_gradients(name: str) -> None:
    robot, function = robot_of_case(name), "stage_cost_derivatives"
    ((entry, request),) = requests(robot.model, [function])
    rng = np.random.default_rng(1)
    q, v = robot.random_state(rng)
    given = {own.name: rng.uniform(0.5, 1.5, own.size) for own in entry.signature(robot.model, request).inputs}
    given |= {"q": q, "v": v}
    recursion = api.float_recursion(robot, function)

    def call(inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        found = recursion({key: list(map(float, own)) for key, own in inputs.items()})
        return {key: np.array(own) for key, own in found.items()}

    def moved(letter: str, row: int, step: float) -> dict[str, np.ndarray]:
        key = {"q": "q", "v": "v", "u": "tau", "b": "u_before"}[letter]
        change = np.zeros(robot.nv)
        change[row] = step
        return call({**given, key: robot.integrate(q, change) if letter == "q" else given[key] + change})

    def slopes(output: str, letter: str) -> np.ndarray:
        rows = range(robot.nv)
        ends = [(moved(letter, row, STEP)[output], moved(letter, row, -STEP)[output]) for row in rows]
        return np.stack([(ahead - behind) / (2.0 * STEP) for ahead, behind in ends], -1)

    found = call(given)
    for pair in ("qq", "qv", "vv", "uu", "ub", "bb"):
        wanted = slopes(f"l_{pair[0]}", pair[1])
        wanted = (wanted + wanted.T) / 2.0 if pair == "qq" else wanted
        scale = max(1.0, float(np.abs(wanted).max()))
        assert np.abs(found[f"l_{pair}"].reshape(wanted.shape) - wanted).max() < NEAR * scale, (name, pair)


def test_rows_by_names_and_joints_are_rows_of_lists() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    named = {"joint_2": 0.5, "joint_7": -1.0}
    listed = [0.0, 0.5, 0.0, 0.0, 0.0, 0.0, -1.0]
    weights = [1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0]

    def value(*rows: object) -> float:
        costs = [symdyn.StateCost(q=rows[0], v=0, weights={"q": rows[1], "v": 1}), symdyn.InputCost(rows[0])]
        module = symdyn.compile(robot, ["stage_cost"], problem=symdyn.OptimalControlProblem(costs), target="python")
        return float(module.stage_cost(np.arange(7.0) / 7, np.ones(7), np.ones(7)))

    assert value(named, {"joint_1": 1.0, "joint_3": 2.0}) == value(listed, weights)


def test_gravity_is_that_of_the_start() -> None:
    start = {"q": [0.1, -0.5, 0.2, -1.5, 0.3, 1.0, 0.7]}
    problem = symdyn.OptimalControlProblem([symdyn.InputCost("gravity", weight=50.0)], start=start)
    robot = symdyn.load_example("seven_dof_arm")
    module = symdyn.compile(robot, ["stage_cost"], problem=problem, target="python")
    tau = api.float_recursion(robot, "gravity")({"q": start["q"]})["tau"]
    cost: Callable[..., float] = module.stage_cost
    assert cost(np.zeros(7), np.zeros(7), np.array(tau)) == pytest.approx(0.0, abs=1e-20)
    assert cost(np.zeros(7), np.zeros(7), np.array(tau) + 1.0) == pytest.approx(0.5 * 7.0)
