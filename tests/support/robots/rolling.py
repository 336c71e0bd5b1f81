"""Robots that roll or glide without slipping sideways, as texts of files."""

from __future__ import annotations

from functools import cache
from typing import Any

from support.places import CORPUS
from symdyn.description.read import read_robot
from symdyn.description.yaml.read import parse_yaml
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot

SLEIGH = """\
name: sleigh
links: {ground: , a: , b: , body: {mass: 2, com: [0.3, 0, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.3}}}
joints:
  x: {type: prismatic, parent: ground, child: a, axis: [1, 0, 0]}
  y: {type: prismatic, parent: a, child: b, axis: [0, 1, 0]}
  yaw: {type: revolute, parent: b, child: body, axis: [0, 0, 1]}
loops:
  blade: {kind: pfaffian, rows: [{x: -sin(yaw), y: cos(yaw)}], coordinates: [yaw]}
"""
"""Chaplygin's sleigh: the blade is at the origin of a body whose centre of mass is 0.3 m ahead of it."""

DISC = """\
name: disc
parameters: {R: 0.4, m: 1.5}
links:
  ground:
  a:
  b:
  c:
  d:
  disc: {mass: m, inertia: {xx: m*R**2/4, yy: m*R**2/2, zz: m*R**2/4}}
joints:
  x: {type: prismatic, parent: ground, child: a, axis: [1, 0, 0]}
  y: {type: prismatic, parent: a, child: b, axis: [0, 1, 0]}
  yaw: {type: revolute, parent: b, child: c, axis: [0, 0, 1]}
  lean: {type: revolute, parent: c, child: d, axis: [1, 0, 0]}
  roll: {type: revolute, parent: d, child: disc, axis: [0, 1, 0], translation: [0, 0, R]}
loops:
  track:
    kind: pfaffian
    coordinates: [yaw]
    rows: [{x: 1, roll: -R*cos(yaw)}, {y: 1, roll: -R*sin(yaw)}]
"""
"""A disc on the ground, which it touches at (x, y); it leans about its track and rolls about its axis."""

MIXED = """\
name: mixed
parameters: {r: {value: 0.2, runtime: true}, k: 0.5}
links:
  base: {mass: 2, com: [0.3, 0, 0.1], inertia: {xx: 0.1, yy: 0.2, zz: 0.25}}
  w1: {mass: 1, com: [0.1, 0, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.25}}
  w2: {mass: 1, com: [0.1, 0.2, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.25}}
  w3: {mass: 1, com: [0.1, 0.2, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.25}}
joints:
  a b: {type: revolute, parent: base, child: w1, axis: [0, 1, 0], translation: [0.1, 0.3, 0]}
  s: {type: spherical, parent: w1, child: w2, translation: [0.1, 0.3, 0]}
  p: {type: planar, parent: base, child: w3, translation: [0.1, -0.3, 0], axis: [0, 1, 0]}
floating_base: true
loops:
  rod: {between: [{link: w2, point: [0.1, 0, 0]}, {world: [1, 0, 0]}], kind: distance, distance: 0.8, close: true}
  held:
    kind: pfaffian
    coordinates: {th: p.theta, al: a b, z: root.qz, w: root.qw, h: root.x, sx: s.qx}
    rows:
      - {root.vx: 1 + h*z, "a b": r*cos(al + k), p.vx: -1, s.wx: 0.3*sx}
      - {root.wz: sqrt(2 + z*w), root.vy: 2, p.omega: tan(th/3)}
      - {p.vy: 1, p.omega: r}
    equals: [0, 0.3*sin(th)*r + z, 1]
"""
"""A free body with joints of several coordinates, a loop, and rows with right-hand sides that rest on all of them."""


@cache
def robot(text: str, **options: Any) -> Robot:
    """The robot of a text; locked joints are given as pairs."""
    if "locked_joints" in options:
        options["locked_joints"] = dict(options["locked_joints"])
    return robot_of(parse_yaml(text.encode(), "r.yaml"), **options)


@cache
def drive(*runtime: str) -> Robot:
    """A cart on two driven wheels."""
    return robot_of(read_robot(CORPUS / "differential_drive.yaml"), runtime=list(runtime))
