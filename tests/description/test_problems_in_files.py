"""Optimal-control problems in files: read, written back, and refused with their place."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.places import CHECKOUT

import symdyn
from symdyn.errors import SymdynError

REACH = CHECKOUT / "examples" / "reach.yaml"
ONE = "control: {costs: {a: %s}}"
MORE = "control: {costs: {a: {state: {q: 0}}}, %s}"


def test_a_problem_is_written_and_read_back() -> None:
    robot = symdyn.load_example("seven_dof_arm").with_control(REACH)
    again = symdyn.loads(robot.to_yaml(), "yaml")
    assert again.description.control == robot.description.control
    assert [own.name for own in again.description.control.costs] == ["reach", "rest", "effort"]  # type: ignore[union-attr]


def test_records_in_python_are_those_of_files(tmp_path: Path) -> None:
    problem = symdyn.OptimalControlProblem(
        [
            symdyn.FramePose("tool", weight=10, end=1000, name="reach"),
            symdyn.StateCost("start", 0, weights={"q": 0.01, "v": 0.01}, end={"q": 0.01, "v": 1}, name="rest"),
            symdyn.InputCost("gravity", weight=1e-4, name="effort"),
        ],
        limits={"effort": "file", "position": {"from": "file", "kind": "soft", "weight": 1e3}},
        start={"q": [0, -0.5, 0, -1.5, 0, 1, 0.7]},
    )
    assert problem == symdyn.load_problem(REACH)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ONE % "{frame_pose: {frame: tool}, weight: -1}", r"x\.yaml:1: control\.costs\.a\.weight.*at least 0"),
        (ONE % "{frame_pose: {frame: tool}, weight: nan}", r"control\.costs\.a\.weight.*finite number"),
        (ONE % "{frame_pos: {frame: tool}}", r"control\.costs\.a\.frame_pos.*did you mean 'frame_pose'"),
        (ONE % "{weight: 1}", "expected one of state, input"),
        (ONE % "{frame_pose: {frame: tool}, state: {q: 0}}", "got state and frame_pose"),
        (ONE % "{frame_pose: {frame: tool, target: [1, 2]}}", "target has 7 numbers"),
        (ONE % "{frame_pose: {frame: tool, target: inptu}}", r"target: expected a number or input, .*mean 'input'"),
        (ONE % "{state: {q: startt}}", r"\.q: expected a number or start or input, got 'startt'; .*mean 'start'"),
        (ONE % "{frame_axis: {frame: tool, target: [0, 0, 0]}}", "points nowhere"),
        (ONE % "{input: {reference: 0}, end: 1}", "no input at the end"),
        (ONE % "{state: {q: 0}, huber: 0}", "huber is 0.0"),
        (ONE % "{state: {q: 0}, huber: input}", r"costs\.a\.huber.*unknown name 'input'"),
        (ONE % "{state: {q: 0}, huber: {a: 1}}", r"costs\.a\.huber.*got a mapping"),
        (MORE % "limits: {effort: {lower: 3, upper: 1}}", r"range from 3\.0 to 1\.0 is empty"),
        (MORE % "limits: {input_rate: file}", "no limits of rates"),
        (MORE % "limits: {effort: {from: file, kind: soft}}", "hard limits alone"),
        (MORE % "horizon: {step: 0}", r"control\.horizon: horizon\.step is 0\.0"),
        (MORE % "horizon: {method: euler}", "expected one of semi_implicit_euler"),
        ("control: {costs: {}}", "at least one entry"),
    ],
)
def test_refusals_of_files(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(text)
    with pytest.raises(SymdynError, match=told):
        symdyn.load_problem(file)


@pytest.mark.parametrize(
    ("costs", "more", "told"),
    [
        ([symdyn.FramePose("tol")], {}, r"cost 'frame_pose': frame 'tol' is unknown.*did you mean 'tool'"),
        ([symdyn.InputCost({"joint_9": 1.0})], {}, "row 'joint_9' is unknown"),
        ([symdyn.InputCost([1.0, 2.0])], {}, "has 2 numbers.*7 rows"),
        ([symdyn.InputCost(None)], {}, "reference has no value; give numbers, or leave it out for 0"),  # type: ignore[arg-type]
        (
            [symdyn.InputCost()],
            {"limits": {"effort": {"joint_1": 2.0}}},
            "effort: 'joint_1' is no key; known keys are from",
        ),
        ([symdyn.InputCost()], {"horizon": {"stps": 3}}, "horizon: 'stps' is no key.*did you mean 'steps'"),
        ([symdyn.StateCost(q="start", weights={"v": 1.0})], {}, "weights of 'v', and references of q"),
        ([symdyn.StateCost(weight=1.0)], {}, "neither q nor v"),
        ([symdyn.InputCost("gravity")], {"inputs": "actuators"}, "gravity is a generalised force|no actuators"),
        (
            [symdyn.InputCost()],
            {"limits": {"position": {"from": "file", "kind": "hard"}}, "start": {"q": {"joint_2": 9.0}}},
            "'joint_2' starts at 9.0, beyond its hard range",
        ),
        ([symdyn.InputCost()], {"limits": {"velocity": {"lower": {"joint_1": 2.0}, "upper": 1.0}}}, "is empty"),
    ],
)
def test_refusals_of_robots(costs: list[object], more: dict[str, object], told: str) -> None:
    with pytest.raises(SymdynError, match=told):
        symdyn.load_example("seven_dof_arm").with_control(symdyn.OptimalControlProblem(costs, **more))  # type: ignore[arg-type]


def test_robots_without_a_problem_have_no_costs() -> None:
    with pytest.raises(SymdynError, match=r"needs costs.*problem="):
        symdyn.compile(symdyn.load_example("double_pendulum"), ["stage_cost"], target="python")
