"""Soft robots with tendons and chambers."""

from __future__ import annotations

from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml

DRIVEN = """
name: driven
parameters:
  L: 0.5
  load: {value: 0.01, runtime: true}
links:
  base:
  arm:
    soft:
      length: L
      section: {shape: circle, radius: 0.03 - 0.02*x}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000, viscosity: 100}
      strain: {twist: 1, curvature_y: 2, curvature_z: 2, stretch: 0, shear_y: 0}
      reference: {curvature_y: 0.5 + x}
      stations: 5
  hand:
    soft:
      length: 0.3
      section: {shape: rectangle, width: 0.02, height: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}
      strain: {curvature_z: {basis: piecewise_constant, pieces: 2}, stretch: 0}
      stations: 4
  nail: {mass: 0.01, inertia: {xx: 1e-6, yy: 1e-6, zz: 1e-6}}
  cap: {mass: 0.01, inertia: {xx: 1e-6, yy: 1e-6, zz: 1e-6}}
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0, 1]}
  grip: {type: revolute, parent: arm, child: hand, axis: [0, 1, 0], translation: [L, 0, 0]}
  after:
    type: revolute
    parent: arm
    child: nail
    axis: [0, 0, 1]
    translation: [L, 0, 0]
    mimic: {joint: turn, multiplier: 0.5}
  stuck: {type: fixed, parent: hand, child: cap, translation: [0.3, 0, 0]}
tendons:
  rim: {link: arm, z: radius(x), to: 0.4}
  long: {along: [{link: arm, y: 0.01}, {link: hand, y: 0.005, z: 0.002*x, from: 0.1}]}
chambers:
  wall: {link: arm, wall: 0.004, angles: [0, pi]}
  free: {link: hand, area: 1e-5, moment_y: 1e-7*x, from: 0.05}
actuators: [rim, turn, wall, long, free]
"""

SMALL = """
name: small
gravity: [0, 0, -9.81]
links:
  base:
  arm:
    soft:
      length: 0.4
      section: {shape: circle, radius: 0.03 - 0.02*x}
      material: {youngs_modulus: 1e5, poisson_ratio: 0.5, density: 1000, viscosity: 50}
      strain: {curvature_z: 1, stretch: 0}
      stations: 2
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0.6, 0.8]}
tendons:
  left: {link: arm, y: 0.01}
  right: {link: arm, y: -0.01}
  middle: {link: arm, y: 0.005}
  slant: {link: arm, y: 0.01 - 0.05*x}
chambers:
  half: {link: arm, wall: 0.005, angles: [0, 2]}
actuators: [slant, turn, half, {rest: "arm.curvature_z[1]"}]
"""
"""A joint and a rod with three coordinates."""
_LAST = "free]"
WITH_RESTS = DRIVEN.replace(_LAST, 'free, {rest: arm.curvature_y}, {rest: "hand.stretch[0]"}]')


def driven() -> RobotDescription:
    """Two rods on joints, with tendons along one and both, chambers in each, and strains at rest as inputs."""
    return parse_yaml(WITH_RESTS.encode(), "r.yaml")
