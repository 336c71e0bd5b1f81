"""Inputs that are fixed: rows of links of elastic joints, which motors drive through springs, and ranges of width 0."""

from __future__ import annotations

import json
import warnings
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


ROOT = ("root.vx", "root.vy", "root.vz", "root.wx", "root.wy", "root.wz")
HOPPER = """
name: hopper
links:
  trunk: {mass: 2, inertia: {xx: 0.02, yy: 0.03, zz: 0.04}, collision: {ball: {sphere: 0.1}}}
  thigh: {mass: 0.5, com: [0, 0, -0.1], inertia: {xx: 0.002, yy: 0.002, zz: 0.001}}
  shank: {mass: 0.3, com: [0, 0, -0.1], inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
joints:
  hip: {type: revolute, parent: trunk, child: thigh, axis: [0, 1, 0]}
  knee: {type: revolute, parent: thigh, child: shank, translation: [0, 0, -0.2], axis: [0, 1, 0]}
frames:
  foot: {link: shank, translation: [0, 0, -0.2]}
"""


def thrown(limits: Limits | None, **options: object) -> symdyn.Robot:
    """A trunk on a leg that falls while its foot is to move."""
    costs = [FramePosition("foot", target=[0.1, 0.0, -0.4], end=50.0), InputCost("gravity", weight=1e-3)]
    robot = symdyn.loads(HOPPER, format="yaml", floating_base=True, **options)
    start = {"q": {"hip": 0.4, "knee": -0.8}}
    return robot.with_control(OptimalControlProblem(costs, limits=limits, horizon=Horizon(8, 0.02), start=start))


@pytest.mark.needs_cc
def test_a_free_base_has_no_motor() -> None:
    """The plan's centre of mass falls freely, whatever the joints do."""
    with pytest.warns(SymdynWarning, match="a free base has no motor, so rows 'root.vx', .* have no input"):
        robot = thrown(Limits(effort={"from": {"hip": 9.0, "knee": 9.0}}))
    plans = [symdyn.optimal_control(robot, target=target) for target in ("c", "python")]
    assert np.abs(plans[0].U - plans[1].U).max() < 1e-6
    plan = plans[0]
    assert plan.code is ControlCode.DONE and plan.input_names[:6] == ROOT
    assert not plan.U[:, :6].any() and np.abs(plan.U[:, 6:]).max() > 0.1
    recursion = symdyn.api.float_recursion(robot, "center_of_mass")
    fallen = np.array([next(iter(recursion({"q": q}).values())) for q in plan.q])
    h, steps = plan.t[1], np.arange(len(fallen))
    # A semi-implicit step adds h to velocities first, and turns joints by h v: its path is off by what is of order h^2.
    expected = np.outer(steps * (steps + 1) / 2, [0.0, 0.0, -9.81 * h**2])
    assert np.abs(fallen - fallen[0] - expected).max() < 0.02 * abs(expected[-1, 2])


@pytest.mark.parametrize("effort", [40.0, [40.0] * 8, {"from": dict.fromkeys((*ROOT, "hip", "knee"), 40.0)}])
def test_a_free_base_is_driven_where_limits_give_its_rows_numbers(effort: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SymdynWarning)
        robot = thrown(Limits(effort=effort))
    plan = symdyn.optimal_control(robot, target="python", iterations=2)
    assert np.abs(plan.U[:, 2]).max() > 1.0
    assert plan.upper.tolist() == [40.0] * 8


def test_gravity_as_a_reference_asks_nothing_of_a_free_base() -> None:
    """The cost of inputs is zero where joints alone carry their links."""
    with pytest.warns(SymdynWarning, match="no motor"):
        robot = thrown(None).with_control(OptimalControlProblem([InputCost("gravity")], horizon=Horizon(2, 0.02)))
    q, v = robot.neutral(), np.zeros(8)
    tau = np.array(symdyn.api.float_recursion(robot, "gravity")({"q": q})["tau"])
    tau[:6] = 0.0
    (cost,) = symdyn.api.float_recursion(robot, "stage_cost")({"q": q, "v": v, "tau": tau}).values()
    assert abs(cost[0]) < 1e-20


def test_plans_without_rigid_contacts_are_named() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", SymdynWarning)
        thrown(Limits(effort=9.0), contacts="ground")
    assert any("plans are made without the rigid contacts" in str(warning.message) for warning in said)
