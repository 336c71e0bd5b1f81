"""Partial derivatives and Coriolis matrices by tangents, which robots with flexible links use, on rigid robots.

There closed forms compute the same by other means.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.random_trees import robots
from support.robots.small import loaded

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.description.robot import RobotDescription
from symdyn.dynamics.partials.coriolis import coriolis_matrix_plan, tangent_coriolis_plan
from symdyn.dynamics.partials.inverse_dynamics import inverse_dynamics_partials_plan
from symdyn.dynamics.partials.tangent_partials import tangent_partials_sweeps
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.plan import Field, FieldKind, Plan
from symdyn.plan.run import run_plan

# Both ways sum some hundred products of the same sizes; heavy bases on long levers leave a few thousand roundings.
TOLERANCE = 1e-11
CONVENTIONS = st.sampled_from(("pinocchio", "spatial"))

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def tangent_plan(model: Model) -> Plan:
    """dtau/dq, dtau/dv and dtau/da of a model, by tangents."""
    tree = TreePlan(model)
    names = {"dq": "dtau_dq", "dv": "dtau_dv", "da": "dtau_da"}
    fields, sweeps = tangent_partials_sweeps(tree, names, "a")
    inputs = (Field(name, FieldKind.INPUT, size) for name, size in (("q", model.nq), ("v", model.nv), ("a", model.nv)))
    outputs = (Field(name, FieldKind.OUTPUT, model.nv**2) for name in names.values())
    return Plan(
        "tangents",
        (*inputs, *tree.fields(), *fields, *outputs),
        (*tree.binding_sweeps(), *sweeps),
        tuple(body.name for body in model.bodies),
        model.parent,
    )


@settings(max_examples=20)
@given(robots(max_joints=5), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_tangents_are_the_analytic_derivatives(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    rng = np.random.default_rng(seed)
    q, v = robot.random_state(rng)
    inputs = {"q": q.tolist(), "v": v.tolist(), "a": rng.standard_normal(robot.nv).tolist()}
    closed = run_plan(inverse_dynamics_partials_plan(robot.model), FloatAlgebra(), inputs)
    found = run_plan(tangent_plan(robot.model), FloatAlgebra(), inputs)
    for name, expected in closed.items():
        scale = max(1.0, float(np.abs(expected).max()))
        assert np.abs(np.array(found[name]) - np.array(expected)).max() <= TOLERANCE * scale, name


@settings(max_examples=30)
@given(robots(max_joints=6), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_half_the_slope_less_the_brackets_is_christoffels_matrix(
    description: RobotDescription, convention: str, seed: int
) -> None:
    robot = loaded(description, convention=convention)
    q, v = robot.random_state(np.random.default_rng(seed))
    inputs = {"q": q.tolist(), "v": v.tolist()}
    expected = np.array(run_plan(coriolis_matrix_plan(robot.model), FloatAlgebra(), inputs)["C"])
    found = np.array(run_plan(tangent_coriolis_plan(robot.model), FloatAlgebra(), inputs)["C"])
    assert np.abs(found - expected).max() <= TOLERANCE * max(1.0, float(np.abs(expected).max()))
