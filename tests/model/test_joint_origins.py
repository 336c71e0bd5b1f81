"""Origins moved along joint axes: offsets vanish, forces stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_robots import robots
from small_robots import Y, described, joint, loaded, massive

from symdyn import api
from symdyn.description.robot import JointKind, Link, RobotDescription
from symdyn.model.bind import INERTIA, TRANSLATION, BodyConstants, baked_body
from symdyn.model.joint_origins import slid
from symdyn.model.model import Model
from symdyn.recursion.hidden_frames import HiddenFramesTree


def constants(model: Model) -> list[BodyConstants | None]:
    return [baked_body(model, body) for body in model.bodies]


def offsets(bodies: list[BodyConstants | None]) -> list[list[float]]:
    return [[body.values[name] for name in TRANSLATION] for body in bodies if body is not None]


def shoulder_elbow_wrist() -> RobotDescription:
    """Three parallel axes, each link beside the last one, as in many arms; then one across."""
    joints = [
        joint("lift", JointKind.REVOLUTE, "base", "upper", (0.0, 0.1, 0.0), axis=Y),
        joint("bend", JointKind.REVOLUTE, "upper", "lower", (0.0, -0.12, 0.4), axis=Y),
        joint("tilt", JointKind.REVOLUTE, "lower", "hand", (0.0, 0.09, 0.3), axis=Y),
        joint("roll", JointKind.REVOLUTE, "hand", "tool", (0.0, 0.0, 0.05)),
    ]
    return described([Link("base"), *(massive(name) for name in ("upper", "lower", "hand", "tool"))], joints)


def test_sideways_steps_of_parallel_axes_vanish() -> None:
    model = loaded(shoulder_elbow_wrist()).model
    before, after = offsets(constants(model)), offsets(slid(model, constants(model)))
    assert [sum(entry != 0.0 for entry in row) for row in before[1:]] == [2, 2, 1]
    assert [sum(entry != 0.0 for entry in row) for row in after[1:]] == [
        1,
        1,
        1,
    ]  # what is left of the steps sideways stands at the last axis, which lies across


@settings(max_examples=40)
@given(robots(max_joints=8))
def test_offsets_never_gain_entries_and_moves_are_along_the_axis(description: RobotDescription) -> None:
    model = loaded(description).model
    given_, moved = constants(model), slid(model, constants(model))
    for before, after in zip(given_, moved, strict=True):
        assert before is not None and after is not None
        assert after.values["m"] == before.values["m"]
        # h x and h y do not change by a shift along z; neither does any moment about it.
        for name in ("hx", "hy", "Sxx", "Sxy", "Syy"):
            assert after.values[name] == pytest.approx(before.values[name], rel=1e-12, abs=1e-15)
    entries = [sum(entry != 0.0 for row in offsets(found)[1:] for entry in row) for found in (given_, moved)]
    assert entries[1] <= entries[0] + sum(body.parent < 0 for body in model.bodies)


def test_bodies_on_run_time_parameters_stay() -> None:
    model = loaded(shoulder_elbow_wrist(), runtime=["hand.mass"]).model
    given_ = constants(model)
    moved = slid(model, given_)
    assert moved[2] is None
    before, after = given_[1], moved[1]  # the body that carries it
    assert before is not None and after is not None
    assert {name: after.values[name] for name in INERTIA} == {name: before.values[name] for name in INERTIA}


@settings(max_examples=20)
@given(robots(max_joints=8), st.integers(0, 2**32 - 1))
def test_the_mass_matrix_stays(description: RobotDescription, seed: int) -> None:
    robot = loaded(description)
    q, _ = robot.random_state(np.random.default_rng(seed))
    still = [0.0] * robot.nv
    tau = api.float_recursion(robot, "inverse_dynamics")
    M = np.array(api.float_recursion(robot, "mass_matrix")({"q": q.tolist()})["M"]).reshape(robot.nv, robot.nv)
    a = np.random.default_rng(seed).standard_normal(robot.nv)
    started, held = (np.array(tau({"q": q.tolist(), "v": still, "a": rates})["tau"]) for rates in (a.tolist(), still))
    assert M @ a == pytest.approx(started - held, rel=1e-10, abs=1e-10 * max(1.0, float(np.abs(held).max())))


def test_the_tree_regroups_after_moving() -> None:
    model = loaded(shoulder_elbow_wrist()).model
    tree = HiddenFramesTree(model)
    for index in tree.links:
        assert tree.constants(index, ("m", "hz", "Szz")) == {"m": 0.0, "hz": 0.0, "Szz": 0.0}
