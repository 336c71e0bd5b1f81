"""Inputs that are fixed: rows of links of elastic joints, which motors drive through springs, and ranges of width 0."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn import FramePosition, Horizon, InputCost, Limits, OptimalControlProblem, StateCost, SymdynWarning
from symdyn.cli.main import main
from symdyn.errors import RequestError
from symdyn.interface.optimal_control import ControlCode

ROWS = ("shoulder", "shoulder.motor", "elbow", "elbow.motor")
TOLD = "act on the motors of elastic joints; rows 'shoulder', 'elbow'"


def swing(limits: Limits | None) -> OptimalControlProblem:
    """The tip is to meet a target: a problem that the links' own rows would solve at less cost."""
    costs = [
        FramePosition("tip", target=[-0.9, 0.0, -0.4], weight=20.0, end=200.0),
        StateCost(v=0.0, weights={"v": 0.05}, end={"v": 1.0}),
        InputCost(weight=1e-2),
    ]
    return OptimalControlProblem(costs=costs, limits=limits, horizon=Horizon(10, 0.04))


@pytest.fixture(scope="module")
def elastic() -> symdyn.Robot:
    robot = symdyn.load_example("double_pendulum")
    return robot.with_elastic_joint(["shoulder", "elbow"], stiffness=40.0, damping=0.1, rotor_inertia=0.3)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    "limits",
    [
        Limits(effort=6.0),
        pytest.param(Limits(effort=6.0, input_rate=100.0), marks=pytest.mark.slow),
        pytest.param(None, marks=pytest.mark.slow),
    ],
)
def test_motors_alone_drive_a_robot_with_elastic_joints(elastic: symdyn.Robot, limits: Limits | None) -> None:
    with pytest.warns(SymdynWarning, match=TOLD):
        plans = [symdyn.optimal_control(elastic, swing(limits), target=target) for target in ("c", "python")]
    for plan in plans:
        assert plan.code is ControlCode.DONE and plan.input_names == ROWS
        assert not plan.U[:, ::2].any() and not plan.K[:, ::2].any()
        assert np.abs(plan.U[:, 1::2]).max() > 5.9
        assert not plan.lower[::2].any() and not plan.upper[::2].any()
    assert np.abs(plans[0].U - plans[1].U).max() < 1e-5
    # The robot itself, moved by these inputs, goes along the plan.
    plan, module = plans[0], symdyn.compile(elastic, ["forward_dynamics"], target="python")
    q, v, h = plan.q[0], plan.v[0], plan.t[1]
    for u in plan.U:
        v = v + h * module.forward_dynamics(q, v, u)
        q = q + h * v
    assert np.abs(np.append(q, v) - plan.X[-1]).max() < 1e-5


def test_a_fixed_input_keeps_its_value_and_a_row_that_is_named_is_driven(elastic: symdyn.Robot) -> None:
    named = Limits(effort={"from": {"shoulder": 0.0, "elbow": 2.0, "shoulder.motor": 6.0, "elbow.motor": 6.0}})
    plan = symdyn.optimal_control(elastic, swing(named), target="python")
    assert plan.code is ControlCode.DONE and not plan.U[:, 0].any()
    assert 1.9 < np.abs(plan.U[:, 2]).max() <= 2.0
    rigid = symdyn.load_example("double_pendulum")
    fixed = Limits(effort={"lower": [-20.0, 1.5], "upper": [20.0, 1.5]})
    plan = symdyn.optimal_control(rigid, swing(fixed), target="python")
    assert plan.code is ControlCode.DONE and (plan.U[:, 1] == 1.5).all() and np.ptp(plan.U[:, 0]) > 1.0


def test_exported_problems_have_the_same_fixed_inputs(elastic: symdyn.Robot, tmp_path: Path) -> None:
    with pytest.warns(SymdynWarning, match=TOLD):
        symdyn.export_ocp(elastic, swing(Limits(effort=6.0)), "casadi", tmp_path)
    limits = json.loads((tmp_path / "problem.json").read_text())["input_limits"]
    ends = {(own["at"], own["sign"]): own["bound"] for own in limits}
    assert ends == {(at, sign): -sign * 6.0 * (at % 2) for at in range(4) for sign in (1, -1)}


def test_motors_start_where_their_joints_do_and_hold_their_weight(elastic: symdyn.Robot) -> None:
    """The reference of gravity is what keeps both links where they start, by the gravity of the rigid robot."""
    start = {"shoulder": 0.3, "elbow": 0.4}
    costs = [InputCost("gravity"), StateCost({"elbow": 0.2}, weights={"q": {"elbow": 1.0, "elbow.motor": 1.0}})]
    with pytest.warns(SymdynWarning, match=TOLD):
        robot = elastic.with_control(OptimalControlProblem(costs, start={"q": start}))
    q, u = [0.3, 0.3, 0.4, 0.4], np.zeros(4)
    rigid = symdyn.load_example("double_pendulum")
    u[1::2] = symdyn.api.float_recursion(rigid, "gravity")({"q": [0.3, 0.4]})["tau"]
    cost = symdyn.api.float_recursion(robot, "stage_cost")
    at_rest = {"q": q, "v": [0.0] * 4, "tau": u.tolist()}
    (value,) = cost(at_rest).values()
    assert value[0] == pytest.approx(0.5 * 0.02 * (0.2**2 + 0.2**2), rel=1e-12)


TRACK = """
control:
  horizon: {steps: 5, step: 0.04}
  costs:
    reach: {frame_position: {frame: FRAME, target: [-0.9, 0, -0.4]}}
    effort: {input: {}, weight: 0.01}
  start: {q: START}
"""


@pytest.mark.parametrize(
    ("frame", "start", "match"),
    [
        ("tip", "[0.1]", r"track\.yaml:7: start\.q has 1 numbers; .*--lock NAME=VALUE"),
        ("tip", "[0.1, 0, 0]", r"track\.yaml:7: start\.q has 3 numbers; .*leave some out"),
        ("tip", "{shoulder: 0, elbw: 1}", r"track\.yaml:7: start\.q: row 'elbw' is unknown; .*mean 'elbow'"),
        ("tool", "[0.1, 0]", r"track\.yaml:5: cost 'reach': frame 'tool' is unknown"),
    ],
)
def test_faults_of_a_problem_name_its_file(
    frame: str, start: str, match: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "track.yaml"
    file.write_text(TRACK.replace("FRAME", frame).replace("START", start))
    with pytest.raises(symdyn.SymdynError, match=match):
        symdyn.load_example("double_pendulum").with_control(file)
    assert main(["export-ocp", "double_pendulum", "--problem", str(file), "--out", str(tmp_path / "out")]) == 2
    assert "track.yaml" in capsys.readouterr().err


def test_a_quaternion_of_length_zero_is_refused() -> None:
    robot = symdyn.load_example("double_pendulum")
    with pytest.raises(RequestError, match="goal 'tip': its quaternion x, y, z, w has length 0"):
        symdyn.inverse_kinematics(robot, {"tip": [0.4, 0.1, 0.5, 0.0, 0.0, 0.0, 0.0]}, target="python")
    costs = [symdyn.FramePose("tip", name="reach"), InputCost(weight=0.1)]
    problem = OptimalControlProblem(costs=costs, horizon=Horizon(2, 0.05))
    for targets in (np.array([0.4, 0.1, 0.5, 0.0, 0.0, 0.0, 0.0]), {"reach": [0.4, 0.1, 0.5, 0.0, 0.0, 0.0, 0.0]}):
        with pytest.raises(RequestError, match=r"target 'reach' of .* has length 0"):
            symdyn.optimal_control(robot, problem, targets=targets, target="python")
