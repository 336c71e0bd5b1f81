"""What is chosen for each body, and the reasons of those that stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from support.robots.flexible import two_links
from support.robots.random_trees import robots
from support.robots.small import X, Y, described, joint, loaded, massive
from support.states import random_inputs, relative_error

import symdyn
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.rotations import Matrix3
from symdyn.description.robot import JointKind, Link, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.model.bind import baked_body
from symdyn.model.body_choices import BEST_PLACE, GROUND, Turn, body_choices, turn_of
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.hidden_bodies import Regrouped, regrouped
from symdyn.model.joint_origins import slid
from symdyn.model.joints import ROTOR
from symdyn.model.model import Model
from symdyn.plan.run import run_plan


def chain(*kinds: JointKind) -> Model:
    """Links one, two, .. on a ground."""
    names = ["base", "one", "two", "three"][: len(kinds) + 1]
    joints = [
        joint(f"to_{child}", kind, parent, child, (0.1, 0.2, 0.3), X)
        for kind, parent, child in zip(kinds, names, names[1:], strict=False)
    ]
    return loaded(described([Link("base"), *(massive(name) for name in names[1:])], joints)).model


def test_the_arm_of_seven_joints() -> None:
    choices = body_choices(symdyn.load_example("seven_dof_arm").model)
    assert [choice.parent for choice in choices] == [GROUND, *(f"link_{number}" for number in range(1, 7))]
    assert all(choice.moved == ("m", "hz", "Szz") and not choice.inertia_stays for choice in choices)
    assert {choice.name: choice.shift for choice in choices if choice.shift} == {"link_3": -0.32, "link_5": -0.36}
    assert {choice.frame_stays for choice in choices if not choice.shift} == {BEST_PLACE}
    assert [choice.turn for choice in choices] == [Turn.NONE, *[Turn.SIGNED_PERMUTATION] * 6]
    assert choices[1].changes == "3 parameters moved to link_1"
    assert choices[2].changes == "3 parameters moved to link_2; frame moved by -0.32 m along the axis of joint_3"
    assert replace(choices[1], moved=("m",)).changes == "1 parameter moved to link_1"
    assert replace(choices[1], moved=()).changes == ""


def test_runtime_parameters_keep_bodies_as_they_are() -> None:
    model = symdyn.load_example("seven_dof_arm", runtime=["link_4.mass"]).model
    third, fourth, fifth = body_choices(model)[2:5]
    assert (third.frame_stays, third.inertia_stays) == ("carries link_4, which rests on run-time parameters", "")
    assert fourth.frame_stays == fourth.inertia_stays == "rests on run-time parameters" and not fourth.changes
    assert fifth.inertia_stays == "link_4 rests on run-time parameters" and fifth.shift == -0.36


@pytest.mark.parametrize(
    ("kind", "inertia", "frame"),
    [
        (JointKind.SPHERICAL, "", "a spherical joint has no axis to slide along"),
        (JointKind.PLANAR, "a planar joint feels all of it", "a planar joint has no axis to slide along"),
        (JointKind.FLOATING, "a free joint feels all of it", "a free joint has no axis to slide along"),
    ],
)
def test_joints_that_leave_nothing_to_move(kind: JointKind, inertia: str, frame: str) -> None:
    (choice,) = body_choices(chain(kind))
    assert (choice.inertia_stays, choice.frame_stays) == (inertia, frame)


def test_what_functions_show_stays() -> None:
    model = chain(JointKind.REVOLUTE, JointKind.REVOLUTE)
    shown = body_choices(AS_DESCRIBED.view(model))
    assert not any(choice.changes for choice in shown)
    assert {(choice.inertia_stays, choice.frame_stays) for choice in shown} == {
        ("inertia is left as described", "frames are left as described")
    }


def test_rotors_have_no_frame_to_choose() -> None:
    model = symdyn.load_example("elastic_arm").model
    names = [body.name for body in model.bodies if body.joint.kind != ROTOR]
    assert [choice.name for choice in body_choices(model)] == names and len(names) < len(model.bodies)


def test_a_body_without_inertia_has_none_to_move() -> None:
    model = loaded(
        described(
            [Link("base"), Link("one"), massive("two")],
            [
                joint("a", JointKind.HELICAL, "one", "two", axis=X, pitch=0.1),
                joint("b", JointKind.REVOLUTE, "base", "one"),
            ],
        )
    ).model
    assert body_choices(model)[0].inertia_stays == "what could be moved is zero"


def test_a_body_that_carries_a_beam_stays_as_it_is() -> None:
    choices = {choice.name: choice for choice in body_choices(loaded(two_links()).model)}
    for name in ("upper", "lower"):
        assert {choices[name].inertia_stays, choices[name].frame_stays} == {"carries a link that bends"}


@pytest.mark.parametrize(
    ("rotation", "turn"),
    [
        (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), Turn.NONE),
        (((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), Turn.SIGNED_PERMUTATION),
        (((0.8, -0.6, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0)), Turn.GENERAL),
    ],
)
def test_kinds_of_rotations(rotation: Matrix3, turn: Turn) -> None:
    assert turn_of(rotation) is turn


@settings(max_examples=15)
@given(robots(max_joints=8))
def test_a_model_that_moves_nothing_computes_the_same(description: RobotDescription) -> None:
    robot = loaded(description)
    baked = [baked_body(robot.model, body) for body in robot.model.bodies]
    still = replace(robot.model, regroups=False, slides=False)
    assert slid(still, baked) == (baked, [0.0] * len(baked))
    none: list[tuple[str, ...]] = [()] * len(baked)
    assert regrouped(still, baked) == Regrouped(baked, none, none)
    entry = CATALOGUE["inverse_dynamics"]
    assert entry.signature(still, Request()).options["regrouping"] == "none"
    inputs = random_inputs(robot, entry.signature(still, Request()), np.random.default_rng(3))
    one, other = (
        run_plan(entry.plan(model, Request()), FloatAlgebra(), inputs)["tau"] for model in (robot.model, still)
    )
    assert relative_error(one, other) <= 1e-13


def test_a_link_with_the_name_of_a_universal_joints_inner_body_shares_its_line() -> None:
    joints = [
        joint("hip", JointKind.UNIVERSAL, "base", "one", second_axis=Y),
        joint("knee", JointKind.REVOLUTE, "one", "hip.1"),
    ]
    model = loaded(described([Link("base"), massive("one"), massive("hip.1")], joints)).model
    assert [choice.name for choice in body_choices(model)] == ["hip.1", "one", "hip.1"]
    said = CATALOGUE["inverse_dynamics"].signature(model, Request()).options["regrouping of hip.1"].split("; ")
    # of the inner body, massless itself, only the mass that came from the link: its moment lies across the axis
    assert said == ["1 parameter moved to the ground", "3 parameters moved to one"]
