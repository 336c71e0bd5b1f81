"""Numbers by names: motors stand where their joints do, and no name makes a motor."""

from __future__ import annotations

import numpy as np

import symdyn
from symdyn.cli.named_values import position, with_motors

NAMED = """
name: named
links: {base: , upper: {mass: 1.0}, lower: {mass: 1.0}}
joints:
  arm: {type: prismatic, parent: base, child: upper, axis: [1, 0, 0]}
  arm.motor: {type: prismatic, parent: upper, child: lower, axis: [0, 1, 0]}
"""


def test_motors_have_the_values_of_their_joints() -> None:
    robot = symdyn.load_example("elastic_arm")
    assert with_motors(robot, {"elbow": 0.5}) == {"elbow": 0.5, "elbow.motor": 0.5}
    assert with_motors(robot, {"elbow": 0.5, "elbow.motor": 0.4}) == {"elbow": 0.5, "elbow.motor": 0.4}
    assert with_motors(robot, {"elbow.motor": 0.4}) == {"elbow.motor": 0.4}


def test_a_name_makes_no_motor() -> None:
    robot = symdyn.loads(NAMED, "yaml")
    assert robot.coordinate_names == ("arm", "arm.motor")
    assert np.array_equal(position(robot, "--q", {"arm": 0.5}), [0.5, 0.0])
