"""Forward and hybrid dynamics by the inputs of actuators: truth == recursion == compiled C."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import signature_of, truth_agrees
from support.robots.soft_trees import soft_arm
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError, RequestError
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
ARM = """
name: arm
gravity: [0, 0, -9.81]
links:
  base:
  arm:
    soft:
      length: 0.4
      section: {shape: circle, radius: 0.03 - 0.02*x}
      material: {youngs_modulus: 1e5, poisson_ratio: 0.5, density: 1000, viscosity: 50}
      strain: {curvature_y: 1, curvature_z: 0, stretch: 0}
      stations: 3
  nail: {mass: 0.1, com: [0.02, 0.01, 0], inertia: {xx: 1e-4, yy: 1e-4, zz: 1e-4}}
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0, 1]}
  roll: {type: revolute, parent: arm, child: nail, axis: [1, 0, 0], translation: [0.4, 0, 0]}
tendons:
  rim: {link: arm, z: radius(x), to: 0.3}
  slant: {link: arm, y: 0.01 - 0.02*x}
chambers:
  half: {link: arm, wall: 0.005, angles: [0, 2]}
actuators: [slant, turn, half, rim]
"""
CASES = [("forward_dynamics", ()), ("hybrid_dynamics", ("arm.stretch[0]", "turn"))]


@cache
def robot() -> Robot:
    return api.from_description(parse_yaml(ARM.encode(), "arm.yaml"))


def asked(prescribed: tuple[str, ...]) -> dict[str, Any]:
    return {"inputs": "actuators"} | ({"prescribed": prescribed} if prescribed else {})


@pytest.mark.parametrize(("function", "prescribed"), CASES)
def test_the_recursion_is_right(function: str, prescribed: tuple[str, ...]) -> None:
    signature = signature_of(robot(), function, **asked(prescribed))
    assert [item.name for item in signature.inputs] == ["q", "v", "u", *(["a"] if prescribed else [])]
    assert signature.input("u").rows == (("slant", "turn", "half", "rim"),)
    assert signature.input("u").units == ("N", "N m", "Pa", "N") and signature.options["inputs"] == "actuators"
    assert truth_agrees(robot(), function, **asked(prescribed))


@pytest.mark.needs_cc
def test_compiled_code_takes_inputs_in_place_of_forces() -> None:
    rng = np.random.default_rng(7)
    q, v = rng.uniform(-0.3, 0.3, 6), rng.uniform(-1, 1, 6)
    u = np.array([10.0, 0.3, 2e3, 4.0])
    given = {"q": q.tolist(), "v": v.tolist()}
    (B,) = api.float_recursion(robot(), "actuation_matrix")({"q": q.tolist()}).values()
    tau = np.reshape(B, (6, 4)) @ u
    (expected,) = api.float_recursion(robot(), "forward_dynamics")({**given, "tau": tau.tolist()}).values()
    module = symdyn.compile(robot(), ["forward_dynamics"], layout="rolled", inputs="actuators")
    assert relative_error(module.forward_dynamics(q, v, u).tolist(), expected) <= 1e-11


def test_what_is_refused() -> None:
    with pytest.raises(ModelError, match="with inputs='actuators' needs actuators, and robot 'arm' has none"):
        api.float_recursion(api.from_description(soft_arm()), "forward_dynamics", inputs="actuators")
    with pytest.raises(RequestError, match="none of mass_matrix takes inputs"):
        api.float_recursion(robot(), "mass_matrix", inputs="actuators")
    with pytest.raises(RequestError, match="inputs is 'forces' or 'actuators', got 'motors'"):
        api.float_recursion(robot(), "forward_dynamics", inputs="motors")
