"""Rods on rods, a beam, a map, a follower, an elastic joint, tendons, a chamber, loads, fluid, contacts and bushings on
one free tree: functions as float recursions compute them, against the oracle."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from support.agreement import truth_agrees

from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.functions.catalogue import CATALOGUE
from symdyn.robot.robot import Robot
from symdyn.verify.oracle.truths import TRUTHS

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

EVERYTHING = """
name: everything
gravity: [0.5, -1, -9.25]
floating_base: true
parameters:
  gain: {value: 0.3, runtime: true}
links:
  base: {mass: 2.5, com: [0.1, 0, 0.05], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
  arm:
    mass: 0.3
    inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}
    soft:
      length: 0.5
      axis: [0.2, 1, 0.1]
      start: [0.05, 0, 0.02]
      section: {shape: circle, radius: 0.05 - 0.04*x}
      material: {youngs_modulus: 3e5, poisson_ratio: 0.5, density: 1050, viscosity: 200}
      strain: {twist: 0, curvature_z: 1, stretch: 0}
      reference: {curvature_y: 0.5 + x}
      stations: 2
      magnus: 4
  finger:
    soft:
      length: 0.3
      section: {shape: rectangle, width: 0.02, height: 0.03}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.4, density: 1000, retardation_time: 0.01}
      strain: {curvature_z: {basis: piecewise_constant, pieces: 2}, shear_y: 0}
      stations: 1
  thumb:
    mass: 0.1
    inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}
    soft:
      length: 0.25
      section: {shape: ring, radius: 0.02, inner_radius: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.4, density: 1000}
      strain: {curvature_y: 1}
      stations: 2
      magnus: 6
  skin:
    mass: 0.05
    inertia: {xx: 1e-4, yy: 1e-4, zz: 1e-4}
    deformable:
      map: ["s1*(1 + l)", "s2/sqrt(1 + l)", "s3/sqrt(1 + l)"]
      coordinates: {l: "1"}
      domain: [[0, 0.2], [-0.01, 0.01], [-0.01, 0.01]]
      density: 900
      quadrature: [2, 1, 1]
      energy: 5*l**2
      tip: [0.2, 0, 0]
  hand: {mass: 0.4, com: [0, 0.1, 0], inertia: {xx: 2e-3, yy: 3e-3, zz: 4e-3}}
  boom:
    mass: 0.2
    inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}
    flexible:
      length: 0.6
      mass_per_length: 0.8
      bending_stiffness: 4
      modes: {bend_z: 1}
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0.6, 0.8], translation: [0.1, 0.2, 0], rpy: [0.3, 0, 0.1]}
  grip:
    {type: prismatic, parent: arm, child: finger, elastic: {stiffness: 30, rotor_inertia: 0.01, gear_ratio: 3},
    axis: [1, 0, 0], translation: [0.2, 0.3, 0.1], rpy: [0, 0.5, 0.2]}
  glue: {type: fixed, parent: arm, child: thumb, translation: [0.1, 0.5, 0.1], rpy: [0, 0.5, 0.2]}
  roll: {type: spherical, parent: finger, child: hand, translation: [0.3, 0.0, 0.0]}
  peel: {type: revolute, parent: thumb, child: skin, axis: [1, 0, 0], translation: [0.25, 0, 0], spring: {stiffness: 2}}
  swing:
    {type: revolute, parent: base, child: boom, axis: [0, 0, 1],
    mimic: {joint: turn, multiplier: -0.5, offset: 0.2}}
frames:
  tool: {link: hand, translation: [0.1, 0, 0.2], rpy: [0.1, 0.2, 0.3]}
tendons:
  rim: {link: arm, z: radius(x), to: 0.4}
  long: {along: [{link: arm, y: 0.01}, {link: finger, y: 0.005, z: 0.002*x, from: 0.1}]}
chambers:
  wall: {link: arm, wall: 0.004, angles: [0, pi]}
actuators: [rim, turn, wall, long, {rest: thumb.curvature_y}, peel]
loads:
  wind: {link: arm, per_length: [0.4, "0.2*x", "gain*vy", 0, "0.1*py", 0.02], axes: world}
  spot: {link: arm, at: 0.21, force: ["-2*vx", "sin(px)", 0.5], moment: [0, "wz**2", 0]}
fluid:
  density: 500 + 10*gain
  velocity_scale: 0.01
  bodies:
    arm: {drag: ["0.5*(1 + x)", 2, 3, 0.01, 0.02, "gain*x"]}
    hand: {volume: 3e-4, center: [0.01, 0.02, 0.1], drag: [1, 2, "gain", 0.1, 0.2, 0.3]}
contacts:
  pipe:
    of: arm
    radius: section
    with: {cylinder: {axis: [1, 2, 0.5], radius: 0.06, inside: true, point: [0.1, 0, 0]}}
    stiffness: 30 + gain
    exponent: 4
    damping: 0.2
    friction: 0.3
    velocity_scale: 0.05
bushings:
  mount:
    between: [{link: arm, at: 0.4, point: [0.1, 0.2, 0]}, tool]
    stiffness: [10, 20, 30, 1, 2, 3]
    damping: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    translation: [0.1, 0, 0.2]
"""
CASES = [
    ("inverse_dynamics", {"external_wrenches": "world"}),
    ("forward_dynamics", {"inputs": "actuators"}),
    ("hybrid_dynamics", {"inputs": "actuators"}),
    ("inverse_dynamics_regressor", {}),
    ("mass_matrix_inverse", {}),
    ("jacobians_time_derivative", {}),
    ("centroidal_momentum_matrix", {}),
    ("potential_energy", {}),
    ("joint_wrenches", {}),
    ("station_wrenches", {}),
    ("actuation_matrix", {}),
]
"""Functions and options; each kind of recursion, and of what acts."""


@cache
def everything() -> Robot:
    return api.from_description(parse_yaml(EVERYTHING.encode(), "everything.yaml"), joint_losses=True)


def test_each_function_has_a_truth() -> None:
    assert set(TRUTHS) == set(CATALOGUE)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_recursion_is_right(name: str, options: dict[str, Any]) -> None:
    robot = everything()
    asked = options | ({"prescribed": robot.velocity_names[1::2]} if "prescribed" in CATALOGUE[name].takes else {})
    assert truth_agrees(robot, name, **asked)
