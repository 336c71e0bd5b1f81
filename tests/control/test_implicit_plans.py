"""Plans by implicit steps: the compiled solver against its twin, which calls ``step`` and its matrices in Python."""

from __future__ import annotations

import numpy as np
import pytest

import symdyn
from symdyn import FramePosition, Horizon, InputCost, Limits, OptimalControlProblem, SolverSettings, StateCost
from symdyn.errors import RequestError
from symdyn.interface.optimal_control import ControlCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
SLED = """
name: sled
gravity: [0, -9.81, 0]
links:
  ground: {}
  sled: {mass: 2.0, inertia: {xx: 0.1, yy: 0.1, zz: 0.2}}
  pole: {mass: 0.5, com: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
joints:
  slide: {type: planar, parent: ground, child: sled, axis: [0, 0, 1]}
  hinge: {type: revolute, parent: sled, child: pole, axis: [0, 0, 1], spring: {stiffness: 400.0}, losses: {damping: 2}}
frames: {tip: {link: pole, translation: [0.6, 0, 0]}}
"""
"""A body that slides and turns, with a stiff pole: its v are no rates of q, and h^2 k is above its inertia."""


def _problem(method: str, effort: float) -> OptimalControlProblem:
    costs = [
        FramePosition("tip", weight=20.0, end=200.0, name="reach"),
        StateCost(v=0.0, weights={"v": 0.05}, end={"v": 1.0}),
        InputCost(weight=1e-2),
    ]
    solver = SolverSettings(tolerance=1e-9, qp_iterations=20)
    return OptimalControlProblem(
        costs=costs, limits=Limits(effort=effort), horizon=Horizon(12, 0.05, method), solver=solver
    )


def _robot(name: str, method: str) -> symdyn.Robot:
    if name == "sled":
        return symdyn.loads(SLED, "yaml", joint_losses=True).with_control(_problem(method, 30.0))
    return symdyn.load_example(name).with_control(_problem(method, 6.0))


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("double_pendulum", "implicit_euler"),
        pytest.param("double_pendulum", "implicit_midpoint", marks=pytest.mark.slow),
        pytest.param("sled", "implicit_euler", marks=pytest.mark.slow),
    ],
)
def test_iterates_and_steps_are_those_of_the_twin(name: str, method: str) -> None:
    robot = _robot(name, method)
    goal = [-0.9, 0.0, -0.4] if name == "double_pendulum" else [0.9, 0.2, 0.0]
    for iterations in (1, 3, 60):
        own, twin = (
            symdyn.optimal_control(robot, targets=goal, iterations=iterations, target=language)
            for language in ("c", "python")
        )
        assert own.code is twin.code is (ControlCode.DONE if iterations == 60 else ControlCode.ITERATIONS)
        assert (own.report.iterations, own.report.qp_iterations) == (twin.report.iterations, twin.report.qp_iterations)
        np.testing.assert_allclose(own.X, twin.X, atol=1e-8)
        np.testing.assert_allclose(own.U, twin.U, atol=1e-8 * 30.0)
        assert own.cost == pytest.approx(twin.cost, rel=1e-10)
    module = symdyn.compile(robot, ["inverse_dynamics"], target="python")
    if name == "sled":
        return
    theta, h = (1.0, 0.05) if method == "implicit_euler" else (0.5, 0.05)
    for k in range(len(own.U)):  # a plan meets the equations of its method, by a function that it does not call
        w = theta * own.v[k + 1] + (1.0 - theta) * own.v[k]
        np.testing.assert_allclose(own.q[k + 1], own.q[k] + h * w, atol=1e-8)
        forces = module.inverse_dynamics(own.q[k] + theta * h * w, w, (own.v[k + 1] - own.v[k]) / h)
        np.testing.assert_allclose(forces, own.U[k], atol=1e-5)


def test_samples_with_implicit_steps_lead_to_the_target() -> None:
    """The plant takes steps of another method, and its motors are weak."""
    robot = _robot("double_pendulum", "implicit_euler")
    goal = np.array([-0.9, 0.0, -0.4])
    functions = ["implicit_residual", "implicit_residual_partials", "stage_cost", "stage_cost_derivatives"]
    functions += ["end_cost", "end_cost_derivatives", "gravity"]
    mpc = symdyn.compile(robot, functions, solvers=["mpc"], lanes=False, inputs="forces").mpc
    plant = symdyn.compile(robot, ["step", "forward_kinematics"], frames=["tip"], target="python")
    q, v = np.zeros(2), np.zeros(2)
    mpc.start(q, v)
    for sample in range(40):
        assert mpc.prepare(goal) is ControlCode.DONE
        if sample == 20:  # what is not finite is a code, and the plan goes on after it
            assert mpc.feedback(np.full(2, np.nan), v)[2].code is ControlCode.NOT_FINITE
            mpc.prepare(goal)
        u, _, report = mpc.feedback(q, v)
        assert report.usable and np.abs(u).max() <= 6.0
        for _ in range(10):
            q, v = plant.step(q, v, 0.95 * u, np.asarray(0.005))
    assert np.linalg.norm(plant.forward_kinematics(q)[0, :3, 3] - goal) < 0.12


def test_implicit_steps_of_loops_are_refused() -> None:
    costs = [StateCost(v=0.0)]
    problem = OptimalControlProblem(costs=costs, horizon=Horizon(5, 0.02, "implicit_euler"))
    with pytest.raises(RequestError, match="closed loops"):
        symdyn.optimal_control(symdyn.load_example("four_bar"), problem)
