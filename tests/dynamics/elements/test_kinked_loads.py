"""Loads with absolute values: forces, slopes and where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from support.agreement import truth_agrees

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import DescriptionError, ModelError

TEXT = """
name: fin
gravity: [0, 0, -9.81]
links:
  base:
  arm: {mass: 1, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  fin: {mass: 0.5, com: [0.1, 0.05, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.03}}
joints:
  a: {type: revolute, parent: base, child: arm, axis: [0, 1, 0]}
  b: {type: revolute, parent: arm, child: fin, axis: [0, 0, 1], translation: [0.3, 0, 0]}
frames:
  middle: {link: fin, translation: [0.1, 0.05, 0], rpy: [0.3, 0.2, 0.1]}
loads:
  drag: {frame: middle, force: ["-3*abs(vx)*vx", "-8*abs(vy)*vy - vy", 0], moment: [0, "abs(-0.2)", "-0.4*abs(wz)*wz"]}
"""


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_partials"])
def test_the_recursion_is_right(name: str) -> None:
    robot = api.from_description(parse_yaml(TEXT.encode(), "fin.yaml"))
    assert truth_agrees(robot, name)


def test_slopes_at_rest_are_zero() -> None:
    """The derivative of |v| v at 0."""
    robot = symdyn.loads(TEXT.replace(" - vy", ""), "yaml")
    zero = {"q": [0.3, 0.2], "v": [0.0, 0.0], "a": [0.0, 0.0]}
    found = api.float_recursion(robot, "inverse_dynamics_partials")(zero)
    assert np.abs(found["dtau_dv"]).max() == 0.0


def test_time_derivatives_are_refused_and_the_text_stays() -> None:
    robot = symdyn.loads(TEXT, "yaml")
    assert symdyn.loads(robot.to_yaml(), "yaml").model == robot.model
    with pytest.raises(ModelError, match=r"load 'drag' of 'fin' has 0 .*; write it without abs, or ask"):
        api.float_recursion(robot, "inverse_dynamics_time_derivatives", order=1)


def test_what_varies_along_a_body_has_no_kinks() -> None:
    text = "name: a\nlinks: {base: , rod: {flexible: {length: 1, mass_per_length: abs(x) + 1, bending_stiffness: 1}}}"
    with pytest.raises(DescriptionError, match=r"'abs\(x\)' is not allowed"):
        symdyn.loads(text + "\njoints: {j: {type: revolute, parent: base, child: rod, axis: [0, 0, 1]}}\n", "yaml")
