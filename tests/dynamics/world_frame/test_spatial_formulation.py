"""The published recursions in the world's frame against the body formulation, which shares no recursion with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.kinds import R
from support.robots.random_trees import robots
from support.robots.small import X, described, joint, loaded, massive, single
from support.robots.table import TREES
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Actuator, Elastic, Losses, Mimic, RobotDescription
from symdyn.dynamics.world_frame.forward_dynamics import (
    spatial_forward_dynamics_time_derivatives_plan,
    spatial_hybrid_dynamics_time_derivatives_plan,
)
from symdyn.errors import ModelError, RequestError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.functions.request import Request
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot
from symdyn.tracing.rolled.rolled import trace_rolled

FORCES = "inverse_dynamics_time_derivatives"
SHAPES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "mixed": ("mixed", {"gravity": (1.0, -2.0, -9.0)}),
    "base twist": ("floating", TREES["floating"].options),
    "body twist": ("body twist", {}),
    "thrown": ("thrown with a ball", TREES["thrown with a ball"].options),
}
ALL = (*SHAPES, "runtime")


@cache
def robot(name: str) -> Robot:
    """A robot of ``SHAPES``, or the mixed one with mass, gravity and translations of two joints given at run time."""
    shape, options = SHAPES["mixed" if name == "runtime" else name]
    description = TREES[shape].described(mimics=False, drives=False)
    if name == "runtime":
        moved = [f"{description.joints[index].name}.translation.x" for index in (0, 2)]
        return loaded(description, runtime=["link1.mass", "gravity.z", *moved])
    return loaded(description, **options)


def floats(plan: Plan, inputs: Mapping[str, Sequence[float]]) -> list[float]:
    """The only output of a plan."""
    (found,) = run_plan(plan, FloatAlgebra(), inputs).values()
    return found


def forces(own: Robot, order: int, external: str, seed: int = 1) -> tuple[dict[str, list[float]], list[float]]:
    """Random inputs of the inverse dynamics, and what the body formulation makes of them."""
    entry, request = CATALOGUE[FORCES], Request(order=order, external=external)
    inputs = random_inputs(own, entry.signature(own.model, request), np.random.default_rng(seed))
    return inputs, floats(entry.plan(own.model, request), inputs)


def spatial_forces(own: Robot, order: int, external: str, inputs: Mapping[str, Sequence[float]]) -> list[float]:
    request = Request(order=order, external=external, formulation="spatial")
    return floats(CATALOGUE[FORCES].plan(own.model, request), inputs)


def as_orders(values: Sequence[float], model: Model) -> np.ndarray:
    return np.asarray(values, dtype=float).reshape(-1, model.nv)


def assert_orders_agree(found: Sequence[float], expected: Sequence[float], model: Model, tolerance: float) -> None:
    for k, (row, reference) in enumerate(zip(as_orders(found, model), as_orders(expected, model), strict=True)):
        assert relative_error(row, reference) <= tolerance, k


@pytest.mark.parametrize("external", ["", "body", "world"])
@pytest.mark.parametrize("name", ALL)
def test_inverse_dynamics_is_the_body_formulations(name: str, external: str) -> None:
    own, order = robot(name), 4
    inputs, expected = forces(own, order, external)
    assert_orders_agree(spatial_forces(own, order, external, inputs), expected, own.model, 1e-12)


@settings(max_examples=12)
@given(robots(max_joints=6, drives=False), st.sampled_from(["pinocchio", "spatial"]), st.integers(0, 2))
def test_inverse_dynamics_of_random_trees(description: RobotDescription, convention: str, order: int) -> None:
    own = loaded(description, convention=convention)
    inputs, expected = forces(own, order, "world")
    assert_orders_agree(spatial_forces(own, order, "world", inputs), expected, own.model, 1e-11)


@pytest.mark.parametrize(("external", "order"), [("", 4), ("body", 3), ("world", 3)])
@pytest.mark.parametrize("name", ALL)
def test_forward_dynamics_gives_motions_that_need_these_forces(name: str, external: str, order: int) -> None:
    own = robot(name)
    inputs, _ = forces(own, order, external)
    model = own.model
    nv = model.nv
    v, asked = inputs["V"][:nv], inputs["V"][nv:]
    rest: dict[str, Sequence[float]] = {key: inputs[key] for key in ("f_ext", "p") if key in inputs}
    plan = spatial_forward_dynamics_time_derivatives_plan(AS_DESCRIBED.view(model), order, external)
    found = floats(plan, {"q": inputs["q"], "v": v, "T": asked, **rest})
    needed = floats(
        CATALOGUE[FORCES].plan(model, Request(order=order, external=external)),
        {"q": inputs["q"], "V": [*v, *found], **rest},
    )
    scale = np.abs(as_orders(found, model)).max(axis=1)  # accelerations of light bodies are large
    error = np.abs(as_orders(needed, model) - as_orders(asked, model)).max(axis=1)
    assert (error <= 1e-11 * scale).all()


@pytest.mark.parametrize("external", ["", "body", "world"])
@pytest.mark.parametrize("name", ALL)
def test_hybrid_dynamics_completes_a_motion(name: str, external: str) -> None:
    own, order = robot(name), 3
    inputs, tau = forces(own, order, external)
    model = own.model
    nv = model.nv
    # every third row, so that joints with several coordinates have rows of both kinds; and no row at all
    for free in (frozenset(range(1, nv, 3)), frozenset[int]()):
        motion = inputs["V"][nv:]
        given_rows = [tau[i] if i % nv in free else motion[i] for i in range(len(tau))]
        missing = [motion[i] if i % nv in free else tau[i] for i in range(len(tau))]
        rest: dict[str, Sequence[float]] = {key: inputs[key] for key in ("f_ext", "p") if key in inputs}
        plan = spatial_hybrid_dynamics_time_derivatives_plan(AS_DESCRIBED.view(model), free, order, external)
        found = floats(plan, {"q": inputs["q"], "v": inputs["V"][:nv], "U": given_rows, **rest})
        assert_orders_agree(found, missing, model, 1e-9 if free else 1e-12)


@pytest.mark.parametrize(
    ("name", "external", "layout"),
    [("runtime", "body", "rolled"), ("base twist", "world", "rolled"), ("body twist", "body", "unrolled")],
)
def test_layouts_agree_with_the_recursion(name: str, external: str, layout: str) -> None:
    own, order = robot(name), 1
    inputs, _ = forces(own, order, external)
    expected = spatial_forces(own, order, external, inputs)
    asked: dict[str, Any] = {"order": order, "external_wrenches": external or None, "formulation": "spatial"}
    (program,) = api.programs(own, [FORCES], layout=layout, **asked)
    found = evaluate_program(program, FloatAlgebra(), inputs)["tau"]
    assert relative_error(list(np.ravel(found)), expected) <= 1e-13


@pytest.mark.parametrize(("name", "external"), [("runtime", "body"), ("base twist", "world")])
def test_forward_dynamics_in_loops(name: str, external: str) -> None:
    own, order = robot(name), 1 if external == "body" else 2
    entry, request = CATALOGUE["forward_dynamics_time_derivatives"], Request(order=order, external=external)
    signature = entry.signature(own.model, request)
    inputs = random_inputs(own, signature, np.random.default_rng(3))
    plan = spatial_forward_dynamics_time_derivatives_plan(AS_DESCRIBED.view(own.model), order, external)
    found = evaluate_program(trace_rolled(plan, signature), FloatAlgebra(), inputs)["A"]
    assert_orders_agree(list(np.ravel(found)), floats(plan, inputs), own.model, 1e-11)


@pytest.mark.needs_cc
def test_compiled_for_the_aerial_manipulator() -> None:
    arm, order = symdyn.load_example("aerial_manipulator", convention="spatial"), 1
    module = symdyn.compile(arm, [FORCES], order=order, formulation="spatial")
    inputs, expected = forces(arm, order, "")
    nv = arm.nv
    found = module.inverse_dynamics_time_derivatives(np.array(inputs["q"]), np.array(inputs["V"]).reshape(-1, nv))
    assert found.shape == (order + 1, nv)
    assert_orders_agree(found.ravel().tolist(), expected, arm.model, 1e-12)
    assert module.signature(FORCES).options["formulation"] == "spatial"


def test_followers_are_multipliers_in_inverse_dynamics_and_refused_elsewhere() -> None:
    description = described(
        [massive("base"), massive("one"), massive("two")],
        [
            joint("lead", R, "base", "one", axis=X),
            joint("follow", R, "one", "two", at=(0.0, 0.3, 0.1), axis=X, mimic=Mimic("lead", -1.5, 0.2)),
        ],
    )
    own = loaded(description)
    inputs, expected = forces(own, 3, "body")
    assert_orders_agree(spatial_forces(own, 3, "body", inputs), expected, own.model, 1e-13)
    with pytest.raises(ModelError, match=r"joint 'follow' of robot 'bench' follows 'lead'.*formulation='body'"):
        spatial_forward_dynamics_time_derivatives_plan(AS_DESCRIBED.view(own.model), 1)
    with pytest.raises(ModelError, match="joint 'follow'"):
        spatial_hybrid_dynamics_time_derivatives_plan(AS_DESCRIBED.view(own.model), [0], 1)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"losses": Losses(0.3, 0.0, 0.0)}, "damping or friction"),
        ({"losses": Losses(0.0, 0.2, 0.1)}, "damping or friction"),
        ({"actuator": Actuator(armature=0.1)}, "a rotor inertia"),
        ({"elastic": Elastic(20.0, 0.0, Actuator(armature=0.1))}, "a spring"),
    ],
)
def test_joints_beyond_the_paper_are_refused(more: dict[str, Any], reason: str) -> None:
    own = loaded(single(R, **more), joint_losses=True)
    with pytest.raises(ModelError, match=rf"joint 'j' of robot 'bench' has {reason}.*formulation='body'"):
        CATALOGUE[FORCES].plan(own.model, Request(order=1, formulation="spatial"))
    with pytest.raises(ModelError, match=reason):
        spatial_forward_dynamics_time_derivatives_plan(AS_DESCRIBED.view(own.model), 1)
    if "losses" in more:  # what load leaves out does not matter
        CATALOGUE[FORCES].plan(loaded(single(R, **more)).model, Request(order=1, formulation="spatial"))


def test_the_option_is_recorded_and_checked() -> None:
    own = robot("mixed")
    with pytest.raises(RequestError, match="formulation is 'body' or 'spatial', got 'world'"):
        requests(own.model, [FORCES], formulation="world")
    with pytest.raises(RequestError, match="none of mass_matrix takes formulation"):
        requests(own.model, ["mass_matrix"], formulation="spatial")
    for formulation, recorded in ((None, None), ("body", None), ("spatial", "spatial")):
        ((entry, request),) = requests(own.model, [FORCES], order=1, formulation=formulation)
        options = entry.signature(own.model, request).options
        assert options.get("formulation") == recorded
        assert requests(own.model, [FORCES], **entry.recorded(options))[0][1] == request
        if recorded is not None:
            assert options["regrouping"] == "none"
