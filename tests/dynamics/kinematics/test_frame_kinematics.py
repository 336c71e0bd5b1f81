"""Poses of links and frames: against transforms multiplied link by link, by hand, and in every layout."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracles.plain_kinematics import Array, frame_poses
from support.robots.random_trees import robots
from support.robots.small import QUARTER_ABOUT_Z, X, Y, described, joint, loaded, massive, single
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Frame, Joint, JointKind, Link, Mimic, Placement, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.robot.robot import Robot


def poses(robot: Robot, q: Array, *p: float) -> dict[str, Array]:
    inputs = {"q": [float(value) for value in q]} | ({"p": list(p)} if p else {})
    X_WF = np.array(api.float_recursion(robot, "forward_kinematics")(inputs)["X"]).reshape(-1, 4, 4)
    return dict(zip(robot.frame_names, X_WF, strict=True))


@settings(max_examples=60)
@given(robots(max_joints=8), st.sampled_from(("pinocchio", "spatial", "mujoco")), st.integers(0, 2**32 - 1))
def test_poses_are_the_product_of_transforms(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    q, _ = robot.random_state(np.random.default_rng(seed))
    found, expected = poses(robot, q), frame_poses(robot, q)
    assert list(found) == [*(link.name for link in description.links), *(frame.name for frame in description.frames)]
    for name, X_WF in found.items():
        assert np.allclose(X_WF, expected[name], rtol=0.0, atol=1e-13), name
        assert X_WF[3].tolist() == [0.0, 0.0, 0.0, 1.0]


def arm() -> RobotDescription:
    """A column turning about y, a boom sliding along x that follows it, and frames fixed to each and to the ground."""
    joints = [
        joint("turn", JointKind.REVOLUTE, "base", "column", at=(0.0, 0.0, 1.0), axis=Y),
        joint(
            "slide", JointKind.PRISMATIC, "column", "boom", at=(0.5, 0.0, 0.0), axis=X, mimic=Mimic("turn", 2.0, 0.1)
        ),
        joint("weld", JointKind.FIXED, "boom", "jaw", at=(0.0, 0.25, 0.0), turned=QUARTER_ABOUT_Z),
    ]
    frames = [
        Frame("eye", "jaw", Placement((0.125, 0.0, 0.0))),
        Frame("mark", "base", Placement((3.0, 2.0, 1.0), QUARTER_ABOUT_Z)),
    ]
    return described([Link("base"), massive("column"), massive("boom"), massive("jaw")], joints, frames)


def test_an_arm_by_hand() -> None:
    robot = loaded(arm())
    angle = 0.3
    s, c = math.sin(angle), math.cos(angle)
    found = poses(robot, np.array([angle]))
    turned = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    quarter = np.array(QUARTER_ABOUT_Z)
    reach = 0.5 + 2.0 * angle + 0.1
    expected = {
        "base": (np.eye(3), [0.0, 0.0, 0.0]),
        "column": (turned, [0.0, 0.0, 1.0]),
        "boom": (turned, [c * reach, 0.0, 1.0 - s * reach]),
        "jaw": (turned @ quarter, [c * reach, 0.25, 1.0 - s * reach]),
        "eye": (turned @ quarter, [c * reach, 0.375, 1.0 - s * reach]),
        "mark": (quarter, [3.0, 2.0, 1.0]),
    }
    assert set(found) == set(expected)
    for name, (rotation, origin) in expected.items():
        assert found[name][:3, :3] == pytest.approx(rotation, abs=1e-15), name
        assert found[name][:3, 3] == pytest.approx(origin, abs=1e-15), name


def test_frames_rest_on_runtime_translations() -> None:
    """The weld's and the turn's placement are inputs: the frames behind them move, those before do not."""
    names = ["turn.translation.z", "weld.translation.x", "weld.translation.y"]
    robot = loaded(arm(), runtime=names)
    assert robot.runtime_parameters == tuple(names)
    moved = described(
        [Link("base"), massive("column"), massive("boom"), massive("jaw")],
        [_shifted(item) for item in arm().joints],
        arm().frames,
    )
    q = np.array([-0.7])
    found, expected = poses(robot, q, 1.5, 0.2, -0.4), frame_poses(loaded(moved), q)
    for name, X_WF in found.items():
        assert np.allclose(X_WF, expected[name], rtol=0.0, atol=1e-15), name


def _shifted(item: Joint) -> Joint:
    places = {"turn": (0.0, 0.0, 1.5), "slide": (0.5, 0.0, 0.0), "weld": (0.2, -0.4, 0.0)}
    return joint(
        item.name,
        item.kind,
        item.parent,
        item.child,
        at=places[item.name],
        axis=item.axis,
        turned=item.placement.rotation,
        mimic=item.mimic,
    )


@settings(max_examples=5)
@given(robots(max_joints=5), st.integers(0, 2**32 - 1))
def test_every_layout_gives_the_recursion(description: RobotDescription, seed: int) -> None:
    names = [f"{item.name}.translation.x" for item in description.joints[:2]]
    robot = loaded(description, runtime=names)
    signature = CATALOGUE["forward_kinematics"].signature(robot.model, Request())
    inputs = random_inputs(robot, signature, np.random.default_rng(seed))
    expected = api.float_recursion(robot, "forward_kinematics")(inputs)["X"]
    for layout in ("unrolled", "split", "rolled"):
        (program,) = api.programs(robot, ["forward_kinematics"], layout=layout)
        value = evaluate_program(program, FloatAlgebra(), inputs)["X"]
        assert relative_error(value, expected) <= 1e-14, layout


def test_the_signature_names_every_entry() -> None:
    signature = CATALOGUE["forward_kinematics"].signature(loaded(arm()).model, Request())
    (X_WF,) = signature.outputs
    assert X_WF.shape == (6, 4, 4) and X_WF.rows[0] == ("base", "column", "boom", "jaw", "eye", "mark")
    units = dict(zip(X_WF.element_names, X_WF.element_units, strict=True))
    assert (units["eye,x,x"], units["eye,z,origin"], units["mark,1,origin"]) == ("1", "m", "1")
    assert signature.options["gravity"] == "plays no part" and signature.options["regrouping"] == "none"


def test_a_single_turn_costs_its_sine_and_cosine() -> None:
    counts = api.cost(loaded(single(JointKind.REVOLUTE)), ["forward_kinematics"], layout="unrolled")
    assert counts["forward_kinematics"]["total"] <= 3
