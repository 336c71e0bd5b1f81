"""Numbers by names: motors stand where their joints do, and no name makes a motor."""

from __future__ import annotations

import numpy as np
import pytest

import symdyn
from symdyn.cli.named_values import named_values
from symdyn.errors import RequestError
from symdyn.robot.named_states import position, with_motors

NAMED = """
name: named
links: {base: , upper: {mass: 1.0}, lower: {mass: 1.0}}
joints:
  arm: {type: prismatic, parent: base, child: upper, axis: [1, 0, 0]}
  arm.motor: {type: prismatic, parent: upper, child: lower, axis: [0, 1, 0]}
"""


def test_motors_have_the_values_of_their_joints() -> None:
    robot = symdyn.load_example("elastic_arm")
    assert with_motors(robot.model, {"elbow": 0.5}) == {"elbow": 0.5, "elbow.motor": 0.5}
    assert with_motors(robot.model, {"elbow": 0.5, "elbow.motor": 0.4}) == {"elbow": 0.5, "elbow.motor": 0.4}
    assert with_motors(robot.model, {"elbow.motor": 0.4}) == {"elbow.motor": 0.4}


def test_numbers_with_units_are_refused() -> None:
    for text in ("arm=1 N", "arm=1N", "arm=1,elbow=2rad"):
        with pytest.raises(RequestError, match=r"expected NAME=VALUE with a finite number and no unit"):
            named_values("--q", [text])


def test_a_name_makes_no_motor() -> None:
    robot = symdyn.loads(NAMED, "yaml")
    assert robot.coordinate_names == ("arm", "arm.motor")
    assert np.array_equal(position(robot.model, "--q", {"arm": 0.5}), [0.5, 0.0])


def test_commas_part_values_and_may_stand_in_names() -> None:
    assert named_values("--q", ["a=1, b=-2e-3", "c=3"]) == {"a": 1.0, "b": -2e-3, "c": 3.0}
    assert named_values("--q", ["left, right=0.5"]) == {"left, right": 0.5}
    with pytest.raises(RequestError, match=r"--lock a=1,b: expected JOINT=VALUE with a finite number"):
        named_values("--lock", ["a=1,b"], "JOINT=VALUE")
    with pytest.raises(RequestError, match="'a' is named twice"):
        named_values("--q", ["a=1,a=2"])
