"""Regrouping inertia with the parents changes no tau, and moves what each joint kind allows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.random_trees import robots
from support.robots.small import X, described, joint, loaded, massive, single
from support.states import random_inputs, relative_error

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.description.robot import JointKind, Link, RobotDescription
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.model.bind import FIRST_MOMENT, SECOND_MOMENT, BodyConstants, baked_body
from symdyn.model.frame_policy import AS_DESCRIBED, MOVED
from symdyn.model.hidden_bodies import regrouped
from symdyn.model.model import Model
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan


def baked(model: Model) -> list[BodyConstants | None]:
    return [baked_body(model, body) for body in model.bodies]


def plan_without_regrouping(model: Model, external: str) -> Plan:
    return CATALOGUE["inverse_dynamics"].plan(replace(model, regroups=False), Request(external))


@settings(max_examples=60)
@given(robots(max_joints=10), st.sampled_from(("", "body", "world")), st.booleans(), st.integers(0, 2**32 - 1))
def test_tau_is_unchanged(description: RobotDescription, external: str, runtime: bool, seed: int) -> None:
    massive_links = [link.name for link in description.links if link.inertial is not None]
    names = [f"{name}.mass" for name in massive_links[1:3]] if runtime else []
    robot = loaded(description, runtime=names, joint_losses=True)
    entry = CATALOGUE["inverse_dynamics"]
    inputs = random_inputs(robot, entry.signature(robot.model, Request(external)), np.random.default_rng(seed))
    plain = run_plan(plan_without_regrouping(robot.model, external), FloatAlgebra(), inputs)["tau"]
    moved = run_plan(entry.plan(robot.model, Request(external)), FloatAlgebra(), inputs)["tau"]
    assert relative_error(moved, plain) <= 1e-13


@pytest.mark.parametrize(
    ("kind", "zeroed"),
    [
        (JointKind.REVOLUTE, ("m", "hz", "Szz")),
        (JointKind.PRISMATIC, SECOND_MOMENT),
        (JointKind.SPHERICAL, ("m",)),
        (JointKind.HELICAL, ("Szz",)),
        (JointKind.PLANAR, ()),
        (JointKind.FLOATING, ()),
    ],
)
def test_what_each_joint_cannot_feel(kind: JointKind, zeroed: tuple[str, ...]) -> None:
    model = loaded(single(kind)).model
    (before,) = baked(model)
    found = regrouped(model, [before])
    (after,), moved = found.bodies, found.moved
    assert before is not None and after is not None
    assert moved == [zeroed]
    for name, value in before.values.items():
        assert after.values[name] == (0.0 if name in zeroed else value), name


def test_the_parent_takes_what_the_child_gives() -> None:
    joints = [
        joint("a", JointKind.FLOATING, "base", "one"),
        joint("b", JointKind.REVOLUTE, "one", "two", (0.0, 0.5, 0.0)),
    ]
    links = [Link("base"), massive("one", 3.0, (0.0, 0.0, 0.0)), massive("two", 2.0, (0.0, 0.0, 0.3), (0.0,) * 6)]
    model = loaded(described(links, joints)).model
    found = regrouped(model, baked(model))
    (parent, child), moved = found.bodies, found.moved
    assert parent is not None and child is not None and moved == [(), ("m", "hz", "Szz")]
    # The child is a point on its own axis: all of it moves with the parent, at (0, 0.5, 0.3).
    assert [child.values[name] for name in ("m", *FIRST_MOMENT, *SECOND_MOMENT)] == [0.0] * 10
    assert parent.values["m"] == 5.0
    assert [parent.values[name] for name in FIRST_MOMENT] == pytest.approx([0.0, 1.0, 0.6])
    own = baked(model)[0]
    assert own is not None
    gained = [parent.values[name] - own.values[name] for name in SECOND_MOMENT]
    assert gained == pytest.approx([0.0, 0.0, 0.0, 0.5, 0.3, 0.18], abs=1e-15)


def test_bodies_on_runtime_parameters_neither_give_nor_take() -> None:
    joints = [joint("a", JointKind.REVOLUTE, "base", "one"), joint("b", JointKind.REVOLUTE, "one", "two", axis=X)]
    description = described([Link("base"), massive("one"), massive("two")], joints)
    for name, expected in (("one.mass", ()), ("two.mass", ("m", "hz", "Szz"))):
        model = loaded(description, runtime=[name]).model
        before = baked(model)
        found = regrouped(model, before)
        after, moved = found.bodies, found.moved
        assert moved == [expected, ()]
        assert [item is None for item in after] == [item is None for item in before]
        kept = 1 if name == "one.mass" else 0
        assert (after[kept] == before[kept]) is (name == "one.mass")


def test_algorithms_that_show_joint_wrenches_can_do_without() -> None:
    model = loaded(single(JointKind.REVOLUTE)).model
    (before,) = baked(model)
    assert before is not None
    names = tuple(before.values)
    kept, moved = (TreePlan(policy.view(model)).constants(0, names) for policy in (AS_DESCRIBED, MOVED))
    assert kept == before.values
    assert (kept["m"], moved["m"]) == (2.0, 0.0)
