"""Gradients of weighted solutions: the transpose of partial derivatives, which other sweeps compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.driven import SMALL
from support.robots.of_cases import robot_of_case
from support.robots.random_trees import robots
from support.robots.small import loaded
from support.robots.soft_trees import soft_arm

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.api import float_recursion
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import RequestError
from symdyn.functions import problems
from symdyn.functions.catalogue import requests
from symdyn.plan.plan import FieldKind, Plan
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

TOLERANCE = 1e-11
"""Of the largest entry: sums of some hundred products, on trees with heavy bases and long levers."""
LOOPED = 1e-10
"""With loops: S = A M^-1 A^T is squared in its condition, and partials solve with an explicit inverse."""

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def plans(robot: Robot, function: str, **options: Any) -> Plan:
    ((entry, request),) = requests(robot.model, [function], **options)
    return entry.plan(entry.view(robot.model, request), request)


def check(robot: Robot, dynamics: str, rng: np.random.Generator, tolerance: float, **options: Any) -> None:
    """Each gradient against the products of the weights with partial derivatives."""
    adjoint, partials = (plans(robot, f"{dynamics}_{what}", **options) for what in ("adjoint", "partials"))
    q, v = robot.random_state(rng)
    inputs = {field.name: rng.standard_normal(field.size).tolist() for field in adjoint.fields_of(FieldKind.INPUT)}
    inputs |= {"q": q.tolist(), "v": v.tolist()}
    if robot.model.slots.names:
        inputs["p"] = list(robot.runtime_defaults)
    asked = {field.name for field in partials.fields_of(FieldKind.INPUT)}
    found = run_plan(adjoint, FloatAlgebra(), inputs)
    slopes = run_plan(partials, FloatAlgebra(), {name: x for name, x in inputs.items() if name in asked})
    of = "w" if "hybrid" in dynamics else "a"
    assert {"g_q", "g_v"} < set(found)
    for name, gradient in found.items():
        by = name.removeprefix("g_")
        expected = np.array(inputs["lambda"]) @ np.reshape(slopes[f"d{of}_d{by}"], (robot.nv, -1))
        if "kappa" in inputs:
            expected += np.array(inputs["kappa"]) @ np.reshape(slopes[f"dlambda_d{by}"], (len(inputs["kappa"]), -1))
        assert np.abs(np.array(gradient) - expected).max() <= tolerance * np.abs(expected).max(), name


@settings(max_examples=20)
@given(robots(max_joints=6), st.sampled_from(("pinocchio", "spatial")), st.integers(0, 2**32 - 1), st.booleans())
def test_gradients_of_random_trees_are_weighted_partials(
    description: RobotDescription, convention: str, seed: int, prescribed: bool
) -> None:
    robot, rng = loaded(description, convention=convention), np.random.default_rng(seed)
    if not prescribed:
        check(robot, "forward_dynamics", rng, TOLERANCE)
        return
    rows = tuple(name for name in robot.velocity_names if rng.random() < 0.5) or robot.velocity_names[:1]
    check(robot, "hybrid_dynamics", rng, TOLERANCE, prescribed=rows)


@pytest.mark.parametrize("name", ["elastic_arm", "mixed_arm", "canadarm"])
def test_gradients_of_robots_that_bend(name: str) -> None:
    # The condition of M of canadarm is 8e4.
    check(symdyn.load_example(name), "forward_dynamics", np.random.default_rng(1), 1e-11)


def test_gradients_of_a_soft_arm() -> None:
    # M of a rod has a condition of some 1e6.
    robot = loaded(soft_arm())
    check(robot, "forward_dynamics", np.random.default_rng(2), 1e-9)
    check(robot, "hybrid_dynamics", np.random.default_rng(3), 1e-9, prescribed=(robot.velocity_names[0],))


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "slider_crank", "quadruped"])
@pytest.mark.parametrize("stabilisation", [None, 0.05])
def test_gradients_with_loops(name: str, stabilisation: float | None) -> None:
    robot = symdyn.load_example(name)
    rng = np.random.default_rng(4)
    check(robot, "constrained_forward_dynamics", rng, LOOPED, stabilisation=stabilisation)
    if name in ("five_bar", "quadruped"):  # others have one way to move
        rows = (robot.velocity_names[0],)
        check(robot, "constrained_hybrid_dynamics", rng, LOOPED, stabilisation=stabilisation, prescribed=rows)


def test_gradients_where_a_loop_is_open() -> None:
    robot = symdyn.load_example("quadruped")
    loop = robot.model.loops[0].constraint.name
    plan = plans(robot, "constrained_forward_dynamics_adjoint", switched=(loop,))
    assert "active" in {field.name for field in plan.fields_of(FieldKind.INPUT)}
    rng = np.random.default_rng(5)
    q, v = robot.random_state(rng)
    inputs = {field.name: rng.standard_normal(field.size).tolist() for field in plan.fields_of(FieldKind.INPUT)}
    inputs |= {"q": q.tolist(), "v": v.tolist(), "active": [0.0]}
    partials = plans(robot, "constrained_forward_dynamics_partials", switched=(loop,))
    asked = {field.name for field in partials.fields_of(FieldKind.INPUT)}
    slopes = run_plan(partials, FloatAlgebra(), {name: x for name, x in inputs.items() if name in asked})
    found = run_plan(plan, FloatAlgebra(), inputs)
    for by in ("q", "v", "tau"):
        expected = sum(
            np.array(inputs[weights]) @ np.reshape(slopes[f"d{of}_d{by}"], (len(inputs[weights]), -1))
            for weights, of in (("lambda", "a"), ("kappa", "lambda"))
        )
        assert np.abs(np.array(found[f"g_{by}"]) - expected).max() <= LOOPED * np.abs(expected).max()


def test_gradients_by_inputs_of_actuators() -> None:
    robot = api.from_description(parse_yaml(SMALL.encode(), "small.yaml"))
    rng = np.random.default_rng(6)
    check(robot, "forward_dynamics", rng, 1e-10, inputs="actuators")
    check(robot, "hybrid_dynamics", rng, 1e-10, inputs="actuators", prescribed=(robot.velocity_names[0],))


def test_gradients_cost_less_than_partials() -> None:
    """Counted operations, as split C: at most 1.1 times what the prototype of this operator took."""
    from symdyn.generation import pipeline
    from symdyn.interface.manifest import FILE_NAME, Manifest

    def operations(function: str) -> int:
        files = pipeline.sources(symdyn.load_example("seven_dof_arm"), [function], "c", "split")
        manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
        return sum(entry.operations for entry in manifest.functions)

    assert operations("forward_dynamics_adjoint") <= 1.1 * 2729
    assert operations("forward_dynamics_adjoint") <= 0.75 * operations("forward_dynamics_partials")


@pytest.mark.parametrize("name", ["tree", "four_bar"])
def test_gradients_by_parameters_are_weights_times_partials(name: str) -> None:
    """Forward on dual numbers, and backwards: masses, inertia, gravity; other outputs keep their bits."""
    robot, rng = robot_of_case(name), np.random.default_rng(2)
    count, checked = len(robot.runtime_parameters), 0
    for problem in (own for own in vars(problems).values() if isinstance(own, problems.DynamicsProblem)):
        if problem.looped != bool(robot.model.loops):
            continue
        options = {"prescribed": [robot.velocity_names[-1]]} if "hybrid" in problem.name else {}
        ((entry, request),) = requests(robot.model, [f"{problem.name}_adjoint"], gradient="parameters", **options)
        given = {
            own.name: rng.standard_normal(own.size).tolist() for own in entry.signature(robot.model, request).inputs
        }
        given |= zip("qv", (own.tolist() for own in robot.random_state(rng)), strict=True)
        given["p"] = list(map(float, robot.runtime_defaults))
        found = float_recursion(robot, entry.name, gradient="parameters", **options)(given)
        plain = float_recursion(robot, entry.name, **options)(given)
        assert {by: found[by] for by in plain} == plain and found.keys() - plain.keys() == {"g_p"}
        slopes = float_recursion(robot, f"{problem.name}_partials", **options)(given)
        wanted = sum(
            np.asarray(given[weights]) @ np.reshape(slopes[f"d{of}_dp"], (-1, count))
            for weights, of in zip(("lambda", "kappa"), problem.unknown, strict=False)
        )
        assert found["g_p"] == pytest.approx(wanted, rel=0.0, abs=1e-13 * abs(wanted).max())
        checked += 1
    assert checked == (4 if robot.model.loops else 3)


def test_gradients_by_parameters_need_some() -> None:
    with pytest.raises(RequestError, match="robot 'double_pendulum' has none; name some with runtime="):
        float_recursion(symdyn.load_example("double_pendulum"), "inverse_dynamics_adjoint", gradient="parameters")
