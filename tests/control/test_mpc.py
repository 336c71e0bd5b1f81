"""The compiled solver of optimal control: against its twin, dense quadratic programs, and what is said of failures."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.compilers import each_of

import symdyn
from symdyn import FramePosition, Horizon, InputCost, Limits, OptimalControlProblem, SolverSettings, StateCost
from symdyn.analysis.control.quadratic_program import Limits as Sides
from symdyn.analysis.control.robot_nodes import NODE_FUNCTIONS, RobotNodes
from symdyn.analysis.control.sqp import Sqp
from symdyn.dynamics.control.settings import control_settings
from symdyn.errors import RequestError
from symdyn.interface.optimal_control import NUMBERS, ControlCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
_STRICT = ("-std=c99", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion")
_HEAP = {"malloc", "free", "calloc", "realloc", "aligned_alloc"}
CHAIN = """
name: chain
gravity: [0, 0, 0]
links: {ground: {}, a: {mass: 1.0}, b: {mass: 0.7}, c: {mass: 0.4}}
joints:
  x: {type: prismatic, parent: ground, child: a, axis: [1, 0, 0], spring: {stiffness: 2.0}, losses: {damping: 0.3}}
  y: {type: prismatic, parent: a, child: b, axis: [1, 0, 0], spring: {stiffness: 5.0}, losses: {damping: 0.1}}
  z: {type: prismatic, parent: b, child: c, axis: [1, 0, 0], spring: {stiffness: 1.0}}
"""
"""Masses on a line with springs: linear, so that one iteration solves its problem."""


def swing(limits: Limits | None = None, **settings: Any) -> OptimalControlProblem:
    """The tip of a double pendulum is to meet a target."""
    costs = [
        FramePosition("tip", weight=20.0, end=200.0, name="reach"),
        StateCost(q=0.0, v=0.0, weights={"q": 0.01, "v": 0.05}, end={"q": 0.01, "v": 1.0}),
        InputCost(weight=1e-2),
    ]
    given = {"tolerance": 1e-9, "qp_iterations": 8, **settings}
    return OptimalControlProblem(
        costs=costs,
        limits=limits or Limits(effort=6.0, velocity={"from": 4.0, "weight": 50.0}),
        horizon=Horizon(25, 0.03),
        solver=SolverSettings(**given),
    )


def seven_joints() -> tuple[symdyn.Robot, np.ndarray]:
    """An arm whose tool is to meet a target, and where it starts."""
    q = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7])
    costs = [
        FramePosition("tool", weight=10.0, end=100.0),
        StateCost(q="start", v=0.0, weights={"q": 0.01, "v": 0.1}, end={"q": 0.01, "v": 1.0}),
        InputCost(reference="gravity", weight=1e-4),
    ]
    limits = Limits(effort=[30.0, 50.0, 20.0, 26.0, 4.0, 4.0, 2.0])
    problem = OptimalControlProblem(costs=costs, limits=limits, horizon=Horizon(30, 0.02), start={"q": q.tolist()})
    return symdyn.load_example("seven_dof_arm").with_control(problem), q


def solver_of(robot: symdyn.Robot) -> Any:
    """The module that optimal_control compiles, so that it is built once."""
    functions, step = [*NODE_FUNCTIONS, "gravity"], "semi_implicit_euler"
    return symdyn.compile(robot, functions, solvers=["mpc"], lanes=False, step=step, inputs="forces")


@pytest.fixture(scope="module")
def pendulum() -> symdyn.Robot:
    robot = symdyn.load_example("double_pendulum")
    assert "tip" in robot.frame_names
    return robot.with_control(swing())


@pytest.fixture(scope="module")
def target(pendulum: symdyn.Robot) -> np.ndarray:
    module = symdyn.compile(pendulum, ["forward_kinematics"], frames=["tip"], target="python")
    return np.asarray(module.forward_kinematics(np.array([1.0, -0.6]))[0, :3, 3])


@pytest.mark.parametrize("iterations", [1, 2, 4, 60])
def test_iterates_are_those_of_the_twin(pendulum: symdyn.Robot, target: np.ndarray, iterations: int) -> None:
    own, twin = (
        symdyn.optimal_control(pendulum, targets=target, iterations=iterations, target=language)
        for language in ("c", "python")
    )
    assert own.code is twin.code is (ControlCode.DONE if iterations == 60 else ControlCode.ITERATIONS)
    assert (own.report.iterations, own.report.qp_iterations) == (twin.report.iterations, twin.report.qp_iterations)
    np.testing.assert_allclose(own.X, twin.X, atol=1e-9)
    np.testing.assert_allclose(own.U, twin.U, atol=1e-9 * 6.0)
    assert own.cost == pytest.approx(twin.cost, rel=1e-11)


def test_plans_from_far_are_damped_as_those_of_the_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where steps are halved twice, Hessians of the next programs have more on their diagonals."""
    robot, damping = symdyn.load_example("double_pendulum").with_control(swing(Limits(effort=20.0))), []

    def solved(*given: Any) -> Any:
        damping.append(given[0].damping)
        return kept(*given)

    kept = Sqp._change
    monkeypatch.setattr(Sqp, "_change", solved)
    target = [-0.33577449, 0.0, 0.02211249]
    own, twin = (symdyn.optimal_control(robot, targets=target, target=language) for language in ("c", "python"))
    assert own.code is twin.code is ControlCode.DONE and own.report.iterations == twin.report.iterations
    np.testing.assert_allclose(own.U, twin.U, atol=1e-6)
    assert 0.0 < max(damping) <= NUMBERS["float64"].damping[2] and damping[-1] == 0.0
    assert own.cost < 4.0  # without damping that of another minimum, 11.2


def test_plans_obey_limits_and_steps(pendulum: symdyn.Robot, target: np.ndarray) -> None:
    plan = symdyn.optimal_control(pendulum, targets={"reach": target})
    assert plan.code is ControlCode.DONE and plan.report.gap < 1e-6
    assert np.abs(plan.U).max() <= 6.0 and np.abs(plan.U).max() > 5.9
    module = symdyn.compile(pendulum, ["step", "forward_kinematics"], frames=["tip"], target="python")
    for k in range(len(plan.U)):
        q, v = module.step(plan.q[k], plan.v[k], plan.U[k], np.float64(0.03))
        np.testing.assert_allclose(np.concatenate([q, v]), plan.X[k + 1], atol=1e-6)
    assert np.linalg.norm(module.forward_kinematics(plan.q[-1])[0, :3, 3] - target) < 0.05


@pytest.mark.parametrize("kind", ["hard", pytest.param("soft", marks=pytest.mark.slow)])
def test_one_iteration_of_a_linear_robot_is_a_dense_quadratic_program(kind: str) -> None:
    cvxpy = pytest.importorskip("cvxpy")
    costs = [
        StateCost(q=[0.5, -0.2, 0.1], v=0.0, weights={"q": 3.0, "v": 0.1}, end={"q": 30.0, "v": 5.0}),
        InputCost(reference=[0.1, 0.0, -0.2], weight=0.02),
    ]
    velocity = {"from": 0.35, "kind": kind, "weight": 40.0}
    problem = OptimalControlProblem(
        costs=costs, limits=Limits(effort=[0.9, 2.0, 1.0], velocity=velocity), horizon=Horizon(20, 0.05)
    )
    robot = symdyn.loads(CHAIN, "yaml", joint_losses=True).with_control(problem)
    plan = symdyn.optimal_control(robot, iterations=1)
    module = symdyn.compile(robot, ["step_matrices"], target="python")
    zero = np.zeros(3)
    A, B = module.step_matrices(zero, zero, zero, np.float64(0.05))
    x, u = cvxpy.Variable((21, 6)), cvxpy.Variable((20, 3))
    goal, held, cost = np.array([0.5, -0.2, 0.1, 0, 0, 0]), [x[0] == np.zeros(6)], 0.0
    for k in range(20):
        held += [x[k + 1] == A @ x[k] + B @ u[k], cvxpy.abs(u[k]) <= np.array([0.9, 2.0, 1.0])]
        cost += 0.025 * cvxpy.sum_squares(cvxpy.multiply(np.sqrt([3, 3, 3, 0.1, 0.1, 0.1]), x[k] - goal))
        cost += 0.025 * 0.02 * cvxpy.sum_squares(u[k] - np.array([0.1, 0.0, -0.2]))
        beyond = cvxpy.pos(cvxpy.abs(x[k + 1, 3:]) - 0.35)
        if kind == "hard":
            held.append(cvxpy.abs(x[k + 1, 3:]) <= 0.35)
        else:
            cost += 20.0 * cvxpy.sum_squares(beyond)
    cost += 0.5 * cvxpy.sum_squares(cvxpy.multiply(np.sqrt([30, 30, 30, 5, 5, 5]), x[20] - goal))
    known = cvxpy.Problem(cvxpy.Minimize(cost), held)
    known.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    # The barrier of 1e-9 leaves its root in rows that press against limits.
    np.testing.assert_allclose(plan.X, x.value, atol=3e-5)
    np.testing.assert_allclose(plan.U, u.value, atol=2e-3)
    assert np.all(np.abs(plan.U) <= [0.9, 2.0, 1.0])
    assert np.abs(plan.v).max() > (0.3499 if kind == "hard" else 0.35)


def test_samples_are_those_of_the_twin_and_lead_to_the_target(pendulum: symdyn.Robot, target: np.ndarray) -> None:
    module = solver_of(pendulum)
    settings, mpc, rng = control_settings(pendulum.model), module.mpc.another(), np.random.default_rng(0)
    nodes = RobotNodes(pendulum.model, module, settings.nodes, settings.step)
    twin = Sqp(nodes, Sides(settings.inputs, settings.states), NUMBERS["float64"], settings)
    q, v = np.zeros(2), np.zeros(2)
    mpc.start(q, v)
    twin.start(np.zeros(4), np.zeros(2))
    for sample in range(60):
        noise = 1.0 + 0.01 * rng.normal(size=4)
        assert mpc.prepare(target) is twin.prepare(target) is ControlCode.DONE
        u, K, report = mpc.feedback(q * noise[:2], v * noise[2:])
        known, gains, told = twin.feedback(np.concatenate([q * noise[:2], v * noise[2:]]))
        assert report.code is told.code and report.usable and report.qp_iterations == told.qp_iterations
        if sample < 8:
            # Later samples are of two plans whose roundings differ more and more.
            np.testing.assert_allclose(u, known, atol=1e-8)
            np.testing.assert_allclose(K, gains, atol=1e-6 * max(1.0, np.abs(gains).max()))
        assert np.abs(u).max() <= 6.0
        q, v = module.step(q, v, 0.95 * u, np.float64(0.03))
    kinematics = symdyn.compile(pendulum, ["forward_kinematics"], frames=["tip"], target="python")
    assert np.linalg.norm(kinematics.forward_kinematics(q)[0, :3, 3] - target) < 0.12


@pytest.mark.parametrize(("most", "jump"), [(4, 0.0), (1, 3.0)])
def test_samples_that_are_not_solved_are_those_of_the_twin(most: int, jump: float) -> None:
    """Of goals that jump, and of a state that does: some samples have no step, so the plan follows its own gains."""
    problem = dataclasses.replace(swing(Limits(effort=6.0)), solver=SolverSettings(qp_iterations=most))
    robot = symdyn.load_example("double_pendulum").with_control(problem)
    module, own = solver_of(robot), control_settings(robot.model)
    nodes, mpc = RobotNodes(robot.model, module, own.nodes, own.step), module.mpc.another()
    twin = Sqp(nodes, Sides(own.inputs, own.states), NUMBERS["float64"], own)
    q, v, rng, codes = np.zeros(2), np.zeros(2), np.random.default_rng(1), set()
    mpc.start(q, v)
    twin.start(np.zeros(4), np.zeros(2))
    goals = rng.uniform(-1.0, 1.0, (4, 3))
    for k in range(24):
        target = goals[k // 6]
        if k in (12, 13, 20):
            q, v = q + jump, v + 5.0 * jump
        assert mpc.prepare(target) is twin.prepare(target)
        u, K, report = mpc.feedback(q, v)
        known, gains, told = twin.feedback(np.concatenate([q, v]))
        codes.add(report.code)
        assert report.code is told.code
        np.testing.assert_allclose(u, known, atol=1e-9)
        np.testing.assert_allclose(K, gains, atol=1e-9)
        X, U = mpc.plan()
        np.testing.assert_allclose(U, twin.U, atol=1e-9)
        np.testing.assert_allclose(X, twin.X, atol=1e-8, rtol=1e-9)
        q, v = module.step(q, v, 0.95 * u, np.float64(0.03))
    assert ControlCode.QP_ITERATIONS in codes
    assert not jump or {ControlCode.LINE_SEARCH, ControlCode.REGULARISATION} <= codes


@pytest.mark.slow
@pytest.mark.parametrize("iterations", [1, 2, 4])
def test_iterates_of_an_arm_with_seven_joints_are_those_of_the_twin(iterations: int) -> None:
    """Rows near limits and others differ by ten orders in its first programs."""
    robot, q = seven_joints()
    module, own = solver_of(robot), control_settings(robot.model)
    kinematics = symdyn.compile(robot, ["forward_kinematics"], frames=["tool"], target="python")
    target = kinematics.forward_kinematics(np.array([1.2, 0.4, -0.4, -1.2, 0.5, 2.2, 0.2]))[0, :3, 3]
    nodes, mpc = RobotNodes(robot.model, module, own.nodes, own.step), module.mpc.another()
    twin = Sqp(nodes, Sides(own.inputs, own.states), NUMBERS["float64"], own)
    u = module.gravity(q)
    mpc.start(q, np.zeros(7), u)
    twin.start(np.concatenate([q, np.zeros(7)]), u)
    _, report = mpc.solve(q, np.zeros(7), target, iterations=iterations)
    told = twin.solve(np.concatenate([q, np.zeros(7)]), target, iterations)
    assert (report.code, report.qp_iterations) == (told.code, told.qp_iterations)
    np.testing.assert_allclose(mpc.plan()[0], twin.X, atol=1e-9)
    np.testing.assert_allclose(mpc.plan()[1], twin.U, atol=1e-9 * 50.0)


def test_a_controller_drives_a_simulation_by_samples(pendulum: symdyn.Robot, target: np.ndarray) -> None:
    controller = solver_of(pendulum).mpc.controller(lambda t: {"reach": target})
    motion = symdyn.simulate(pendulum, t=1.2, inputs=controller, sample_time=0.03)
    assert len(controller.reports) == 40 and all(own.usable for own in controller.reports)
    assert np.abs(motion.inputs).max() <= 6.0
    assert len(np.unique(motion.inputs[:, 0])) <= 40
    kinematics = symdyn.compile(pendulum, ["forward_kinematics"], frames=["tip"], target="python")
    assert np.linalg.norm(kinematics.forward_kinematics(motion.q[-1])[0, :3, 3] - target) < 0.05
    with pytest.raises(RequestError, match=r"targets of mpc.solve are 3 finite numbers, reach.x"):
        solver_of(pendulum).mpc.controller(np.eye(4))(0.0, motion.q[0], motion.v[0])


def test_a_simulation_warns_once_of_samples_that_are_not_solved(pendulum: symdyn.Robot, target: np.ndarray) -> None:
    controller = solver_of(pendulum).mpc.controller({"reach": target}, iterations=1)
    with pytest.warns(symdyn.SymdynWarning, match="samples of the controller were not solved") as told:
        symdyn.simulate(pendulum, v=[30.0, -60.0], t=0.3, inputs=lambda t, q, v: controller(t, q, v), sample_time=0.03)
    failed = [own.code for own in controller.reports if own.code is not ControlCode.DONE]
    (line,) = [str(own.message) for own in told if "samples" in str(own.message)]
    assert line.startswith(f"{len(failed)} of 10 samples")
    assert all(f"{code.name} {failed.count(code)}" in line for code in set(failed))


def test_a_header_names_the_elements_of_what_is_given(pendulum: symdyn.Robot, tmp_path: Path) -> None:
    header = (
        symdyn.generate(pendulum, ["step"], solvers=["mpc"], out=tmp_path / "c") / "double_pendulum.h"
    ).read_text()
    for call in ("solve", "prepare"):
        comment = header[header.index(f"/** double_pendulum_mpc_{call}:") :].partition("*/")[0]
        assert " * in  targets[3]" in comment and " *     0 reach.x, 1 reach.y, 2 reach.z\n" in comment


def _jumps(robot: symdyn.Robot, q: Any, span: float, frame: str, count: int, every: int) -> tuple[list[Any], Any]:
    """Reports of samples towards goals that jump, with motors 5 % weak or strong and 1 % noise; and the last state."""
    module = solver_of(robot)
    kinematics = symdyn.compile(robot, ["forward_kinematics"], frames=[frame], target="python")
    mpc, rng, settings = module.mpc.another(), np.random.default_rng(0), control_settings(robot.model)
    nv, h, middle = robot.model.nv, np.float64(settings.step), np.array(q, float)
    lower, upper = (np.array([own.bound for own in settings.inputs if own.sign == sign]) for sign in (1, -1))
    q, v, reports = middle, np.zeros(nv), []
    mpc.start(q, v, module.gravity(q))
    for k in range(count):
        if k % every == 0:
            target = kinematics.forward_kinematics(middle + rng.uniform(-span, span, nv))[0, :3, 3]
        noise = 1.0 + 0.01 * rng.uniform(-1.0, 1.0, 2 * nv)
        mpc.prepare(target)
        u, K, report = mpc.feedback(q * noise[:nv], v * noise[nv:])
        assert np.all((lower <= u) & (u <= upper)) and np.isfinite(K).all() and np.isfinite(mpc.plan()[0]).all()
        reports.append(report)
        q, v = module.step(q, v, u * (1.0 + 0.05 * np.sin(0.3 * k + np.arange(nv))), h)
    return reports, np.concatenate([q, v])


@pytest.mark.parametrize(("settings", "span"), [({}, 3.0), ({"qp_iterations": 4}, 1.0)])
def test_goals_that_jump_leave_plans_finite_and_inputs_within_limits(settings: dict[str, int], span: float) -> None:
    """A new goal each 0.75 s, with steps that are not solved: none may lose the arm."""
    problem = dataclasses.replace(swing(Limits(effort=6.0)), solver=SolverSettings(**settings))
    robot = symdyn.load_example("double_pendulum").with_control(problem)
    reports, last = _jumps(robot, np.zeros(2), span, "tip", 1000, 25)
    assert np.isfinite(last).all() and np.abs(last[2:]).max() < 50.0
    codes = [report.code for report in reports]
    assert sum(report.usable for report in reports) > 990 and ControlCode.QP_ITERATIONS in codes
    most = settings.get("qp_iterations", 25)  # of these a third is left for a second program
    assert max(report.qp_iterations for report in reports) in (most - most // 3, most)


@pytest.mark.slow
def test_samples_of_an_arm_with_seven_joints_are_all_solved_by_the_default_settings() -> None:
    robot, q = seven_joints()
    reports, last = _jumps(robot, q, 0.6, "tool", 3000, 40)
    assert {report.code for report in reports} == {ControlCode.DONE}
    assert np.abs(last).max() < 3.0


@pytest.mark.slow
def test_floats_reach_the_cost_of_doubles(pendulum: symdyn.Robot, target: np.ndarray) -> None:
    costs, loops, module = [], [], solver_of(pendulum)
    for dtype in ("float64", "float32"):
        mpc = symdyn.compile(pendulum, ["step"], solvers=["mpc"], dtype=dtype, lanes=False).mpc
        mpc.start(np.zeros(2), np.zeros(2))
        _, report = mpc.solve(np.zeros(2), np.zeros(2), target, iterations=60)
        assert report.code is ControlCode.DONE
        costs.append(report.cost)
        q, v, motion = np.zeros(2), np.zeros(2), 0.0
        for _ in range(40):  # a closed loop costs the same, too
            assert mpc.prepare(target) is ControlCode.DONE
            u, _, report = mpc.feedback(q, v)
            assert report.usable and np.abs(u).max() <= 6.0
            q, v = (own.astype(float) for own in module.step(q, v, 0.95 * u.astype(float), np.float64(0.03)))
            motion += float(module.stage_cost(q, v, u.astype(float), target))
        loops.append(motion)
    assert costs[1] == pytest.approx(costs[0], rel=1e-3)
    assert loops[1] == pytest.approx(loops[0], rel=1e-3)


def test_failures_are_codes_and_leave_inputs_within_limits(pendulum: symdyn.Robot, target: np.ndarray) -> None:
    mpc = solver_of(pendulum).mpc.another()
    zero, nan = np.zeros(2), np.array([0.0, np.nan])
    with pytest.raises(RequestError, match=r"mpc\.start"):
        mpc.solve(zero, zero, target)
    mpc.start(zero, zero)
    kept = mpc.plan()
    for q, v in ((nan, zero), (zero, nan), (np.array([np.inf, 0.0]), zero)):
        u, report = mpc.solve(q, v, target)
        assert report.code is ControlCode.NOT_FINITE and np.abs(u).max() <= 6.0
    np.testing.assert_array_equal(mpc.plan()[0], kept[0])
    assert mpc.feedback(zero, zero)[2].code is ControlCode.NOT_FINITE  # nothing was prepared
    assert mpc.prepare(target) is ControlCode.DONE
    u, K, report = mpc.feedback(zero, nan)
    assert report.code is ControlCode.NOT_FINITE and np.isfinite(u).all() and np.isfinite(K).all()
    u, report = mpc.solve(zero, zero, 100.0 * target, iterations=80)  # out of reach
    assert report.usable and np.abs(u).max() <= 6.0
    mpc.start(zero, np.full(2, 1e200))
    _, report = mpc.solve(zero, np.full(2, 1e200), target)
    assert report.code is ControlCode.STEP_FAILED and report.node == 0
    with pytest.raises(RequestError, match="targets"):
        mpc.solve(zero, zero)
    with pytest.raises(RequestError, match="finite"):
        mpc.prepare(np.full(3, np.nan))


@pytest.mark.parametrize(
    ("limits", "match"),
    [
        (Limits(input_rate={"lower": [-1.0, 2.0], "upper": [1.0, 2.0]}), "input_rate.*width 0"),
        (Limits(velocity={"lower": [-1.0, 2.0], "upper": [1.0, 2.0]}), "velocity.*width 0"),
    ],
)
def test_limits_that_the_solver_does_not_take_are_refused(limits: Limits, match: str) -> None:
    robot = symdyn.load_example("double_pendulum")
    with pytest.raises(RequestError, match=match):
        symdyn.optimal_control(robot, swing(limits), targets=np.zeros(3))


def test_a_robot_without_a_problem_and_targets_that_lack_are_refused(pendulum: symdyn.Robot) -> None:
    with pytest.raises(RequestError, match="problem"):
        symdyn.optimal_control(symdyn.load_example("double_pendulum"))
    with pytest.raises(RequestError, match="targets"):
        symdyn.optimal_control(pendulum)
    with pytest.raises(RequestError, match="reach"):
        symdyn.optimal_control(pendulum, targets={"raech": [0, 0, 0]})
    with pytest.raises(RequestError, match="targets of robot 'double_pendulum': expected real numbers, got 'there'"):
        symdyn.optimal_control(pendulum, targets="there")
    with pytest.raises(RequestError, match=r"iterations is a whole number from 1, got 2\.5"):
        symdyn.optimal_control(pendulum, targets=[0.5, 0.0, -1.0], iterations=2.5)
    arm, _ = seven_joints()
    posed = arm.with_control(OptimalControlProblem([symdyn.FramePose("tool", name="reach"), InputCost()]))
    with pytest.raises(RequestError, match="target 'reach' of robot 'seven_dof_arm' has a rotation whose axes are not"):
        symdyn.optimal_control(posed, targets={"reach": 2.0 * np.eye(4)}, target="python")


@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_c_is_strict_and_takes_no_heap(pendulum: symdyn.Robot, tmp_path: Path, dtype: str, compiler: str) -> None:
    folder = symdyn.generate(pendulum, ["step"], solvers=["mpc"], out=tmp_path / "out", dtype=dtype)
    files = sorted(str(own) for own in folder.glob("*.c") if "lanes" not in own.name)
    subprocess.run([compiler, *_STRICT, "-Werror", "-O1", "-c", *files], check=True, cwd=tmp_path)
    shown = subprocess.run(["nm", "double_pendulum_mpc.o"], cwd=tmp_path, capture_output=True, text=True).stdout
    kinds = {line.split()[-1]: line.split()[-2] for line in shown.splitlines()}
    assert not _HEAP & kinds.keys()
    assert not {"b", "B", "d", "D"} & set(kinds.values())  # no data that could change


def test_plans_by_steps_of_order_four(pendulum: symdyn.Robot) -> None:
    problem = dataclasses.replace(swing(Limits(effort=6.0)), horizon=Horizon(25, 0.03, "rk4"))
    at = {"targets": [0.5, 0.0, -1.0], "iterations": 60}
    ours, twin = (symdyn.optimal_control(pendulum, problem, target=target, **at) for target in ("c", "python"))
    assert ours.code is twin.code is ControlCode.DONE
    assert np.abs(ours.U - twin.U).max() <= 1e-7  # both end where the cost falls by less than 1e-9
    moved = symdyn.rollout(pendulum, ours.q[0], ours.v[0], ours.U, h=0.03, method="rk4")
    assert max(np.abs(moved.q - ours.q).max(), np.abs(moved.v - ours.v).max()) <= 1e-9  # gaps of a plan
