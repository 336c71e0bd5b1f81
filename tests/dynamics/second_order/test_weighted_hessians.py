"""Gradients and Hessians of weighted forces and accelerations: against partials, and differences with many digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from support.robots.driven import SMALL
from support.robots.random_trees import robots
from support.robots.small import loaded
from support.robots.soft_trees import soft_arm
from support.second_order import Inputs, derivative, exactly

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

# Sums of some hundred products, on trees with heavy bases and long levers.
TOLERANCE = 1e-11
EXACT = 1e-20
"""Of forty digits differences of some 1e-16 leave twenty-four, of coefficients that are doubles."""
TURNED = 1e-16
"""Rotations of frames that are rounded to doubles are orthogonal to some 1e-16, which closed forms take for exact."""
WEIGHED = 1e-15
"""M of a rod is of moments that are rounded to doubles once more than its stations: 3e-16 between M^-1 and forces."""
CONVENTIONS = st.sampled_from(("pinocchio", "spatial"))
BLOCKS = (("qq", "q", 0), ("qv", "v", 0), ("vv", "v", 1))

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

FORCES, DRIVEN = Request(), Request(inputs="actuators")


def plan(robot: Robot, function: str, request: Request = FORCES) -> Plan:
    return CATALOGUE[function].plan(robot.model, request)


def random_inputs(robot: Robot, third: str, rng: np.random.Generator) -> dict[str, list[float]]:
    q, v = robot.random_state(rng)
    sizes = {third: len(robot.model.actuator_inputs) if third == "u" else robot.nv, "lambda": robot.nv}
    rows = {name: rng.standard_normal(size).tolist() for name, size in sizes.items()}
    given = {"q": q.tolist(), "v": v.tolist(), **rows}
    return given | ({"p": list(robot.runtime_defaults)} if robot.model.slots.names else {})


def floats(robot: Robot, function: str, inputs: Inputs) -> dict[str, np.ndarray[Any, Any]]:
    found = run_plan(plan(robot, function), FloatAlgebra(), inputs)
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def close(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> bool:
    return bool(np.abs(found - expected).max() <= TOLERANCE * max(1.0, float(np.abs(expected).max())))


@settings(max_examples=25)
@given(robots(max_joints=6), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_gradients_are_weighted_partials(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    inputs = random_inputs(robot, "a", np.random.default_rng(seed))
    slopes = floats(robot, "inverse_dynamics_partials", {name: x for name, x in inputs.items() if name != "lambda"})
    found = floats(robot, "inverse_dynamics_adjoint", inputs)
    for name in "qva":
        matrix = slopes[f"dtau_d{name}"].reshape(robot.nv, robot.nv)
        assert close(found[f"g_{name}"], np.array(inputs["lambda"]) @ matrix), name


@pytest.mark.parametrize("name", ["canadarm", "mixed_arm", "cable_manipulator"])
def test_gradients_of_robots_that_bend(name: str) -> None:
    robot = symdyn.load_example(name)
    inputs = random_inputs(robot, "a", np.random.default_rng(3))
    slopes = floats(robot, "inverse_dynamics_partials", {name: x for name, x in inputs.items() if name != "lambda"})
    found = floats(robot, "inverse_dynamics_adjoint", inputs)
    for by in "qva":
        expected = np.array(inputs["lambda"]) @ slopes[f"dtau_d{by}"].reshape(robot.nv, robot.nv)
        assert np.abs(found[f"g_{by}"] - expected).max() <= 1e-13 * np.abs(expected).max(), by


def check_hessian(
    robot: Robot, dynamics: str, third: str, seed: int, exact: float = EXACT, columns: Sequence[int] | None = None
) -> None:
    """Blocks against differences of weighted partials, all columns or some; another function has the partials."""
    with mp.workdps(40):
        drawn = random_inputs(robot, third, np.random.default_rng(seed))
        inputs = exactly(robot, drawn)
        weights, nv, request = inputs["lambda"], robot.nv, DRIVEN if third == "u" else FORCES
        found = run_plan(plan(robot, f"{dynamics}_weighted_hessian", request), MpmathAlgebra(), inputs)
        slopes = plan(robot, f"{dynamics}_partials", request)
        given = {name: x for name, x in inputs.items() if name != "lambda"}
        of = "tau" if dynamics == "inverse_dynamics" else "a"
        for block, by, place in (*BLOCKS, (f"q{third}", third, 0)):
            name, width = f"d{of}_d{'qv'[place]}", len(given[third]) if by == third else nv
            for j in range(width) if columns is None else columns:
                rates = derivative(robot, slopes, given, by, j)[name]
                expected = [mp.fdot(weights, rates[row::nv]) for row in range(nv)]
                largest = max([mp.mpf(1), *map(abs, found[f"H_{block}"])])
                for i in range(nv):
                    error = abs(found[f"H_{block}"][i * width + j] - expected[i])
                    assert error <= exact * largest, (block, i, j)


@pytest.mark.parametrize("third", ["a", "tau"])
@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
@pytest.mark.parametrize("name", ["double_pendulum", "elastic_arm", "aerial_tree"])
def test_hessians_are_differences_of_partials(name: str, convention: str, third: str) -> None:
    options = {"bodies_per_branch": 1, "branches": 1} if name == "aerial_tree" else {}
    robot = symdyn.load_example(name, convention=convention, **options)
    check_hessian(robot, "inverse_dynamics" if third == "a" else "forward_dynamics", third, seed=5)


@pytest.mark.slow
@pytest.mark.parametrize("third", ["a", "tau"])
@pytest.mark.parametrize("name", ["mixed_arm", "flexible_single_link", "seven_dof_arm"])
def test_hessians_of_larger_robots_are_differences_of_partials(name: str, third: str) -> None:
    dynamics = "inverse_dynamics" if third == "a" else "forward_dynamics"
    check_hessian(symdyn.load_example(name), dynamics, third, seed=6, exact=TURNED)


@pytest.mark.slow
@pytest.mark.parametrize(("dynamics", "third", "exact"), [("inverse", "a", EXACT), ("forward", "tau", WEIGHED)])
def test_hessians_of_a_soft_rod_are_differences_of_partials(dynamics: str, third: str, exact: float) -> None:
    check_hessian(loaded(soft_arm()), f"{dynamics}_dynamics", third, seed=8, exact=exact)


@pytest.mark.parametrize("columns", [(1,), pytest.param(None, marks=pytest.mark.slow)])
def test_hessians_by_inputs_of_actuators_are_differences_of_partials(columns: Sequence[int] | None) -> None:
    """The tendon is slanted, so that its column of B changes with q; a motor, a chamber and a strain at rest beside."""
    robot = api.from_description(parse_yaml(SMALL.encode(), "small.yaml"))
    check_hessian(robot, "forward_dynamics", "u", seed=9, exact=WEIGHED, columns=columns)


@settings(max_examples=6)
@given(robots(max_joints=3), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_hessians_of_random_trees_are_linear_in_the_weights(
    description: RobotDescription, convention: str, seed: int
) -> None:
    robot = loaded(description, convention=convention)
    inputs = random_inputs(robot, "a", np.random.default_rng(seed))
    other = {**inputs, "lambda": np.random.default_rng(seed + 1).standard_normal(robot.nv).tolist()}
    both = {**inputs, "lambda": [2.0 * x - 3.0 * y for x, y in zip(inputs["lambda"], other["lambda"], strict=True)]}
    first, second, combined = (floats(robot, "inverse_dynamics_weighted_hessian", own) for own in (inputs, other, both))
    for name, block in combined.items():
        assert close(block, 2.0 * first[name] - 3.0 * second[name]), name
    symmetric = first["H_vv"].reshape(robot.nv, robot.nv)
    apart = [
        (i, j)
        for i, body in enumerate(robot.model.velocity_bodies)
        for j, other_body in enumerate(robot.model.velocity_bodies)
        if body != other_body
    ]
    assert all(symmetric[i, j] == symmetric[j, i] for i, j in apart)


def test_blocks_are_symmetric_between_joints_and_differ_by_the_bracket_within_one() -> None:
    robot = symdyn.load_example("aerial_manipulator")
    inputs = random_inputs(robot, "a", np.random.default_rng(1))
    H = floats(robot, "inverse_dynamics_weighted_hessian", inputs)["H_qq"].reshape(robot.nv, robot.nv)
    g = floats(robot, "inverse_dynamics_adjoint", inputs)["g_q"]
    (base,) = robot.model.free_bases
    joint = robot.model.bodies[base].joint
    rows, kind = joint.v_rows, joint.kind
    others = [row for row in range(robot.nv) if not rows.start <= row < rows.stop]
    assert (H[others] == H.T[others]).all()
    units = np.eye(6).tolist()
    for i in range(6):
        for j in range(6):
            bracket = np.array(kind.bracket(units[j], units[i])) @ g[rows]
            assert H[i, j] - H[j, i] == pytest.approx(bracket, abs=1e-11 * np.abs(H).max())
