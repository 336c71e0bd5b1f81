"""Robots with rigid contacts: every pair of shapes, and links of every kind."""

from __future__ import annotations

from symdyn.robot.shipped.catalogue import example_path

PAIRS = """
name: pairs
floating_base: true
parameters: {mu: {value: 0.5, runtime: true}, tip: {value: 0.022, runtime: true}, level: {value: -0.4, runtime: true}}
load: {joint_losses: true}
links:
  body:
    mass: 1
    com: [0.01, 0.02, 0]
    inertia: {xx: 0.1, yy: 0.12, zz: 0.13}
    collision: {base: {box: [0.2, 0.1, 0.1], at: [0, 0, 0.01], rpy: [0.1, 0, 0.2]}, knob: {sphere: 0.03}}
  leg:
    mass: 0.2
    com: [0, 0, -0.1]
    inertia: {xx: 0.01, yy: 0.012, zz: 0.01}
    collision:
      foot: {sphere: tip, at: [0, 0.01, -0.213]}
      shin: {capsule: [[0, 0, 0], [0.01, 0, -0.2]], radius: 0.02}
      wheel: {cylinder: [[0, -0.05, -0.1], [0, 0.05, -0.1]], radius: 0.1}
      shell: {hull: [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]}
joints:
  hip:
    type: revolute
    parent: body
    child: leg
    axis: [0, 0.6, 0.8]
    translation: [0.1, 0, -0.05]
    limits: {lower: -1, upper: 1}
    losses: {damping: 0.1, friction: 0.3, velocity_scale: 0.05}
obstacles:
  floor: {plane: {normal: [0.1, 0, 1], point: [0, 0, level]}, velocity: [0, 0.3, 0]}
  step: {box: {size: [1, 1, 0.1], at: [1, 0, -0.35], rpy: [0.1, 0.2, 0.3]}}
  room: {box: {size: [9, 8, 7], at: [1, 0, -0.35]}}
  ball: {sphere: {center: [1, 1, 0], radius: 0.5}}
  tube: {cylinder: {axis: [1, 0.2, 0], radius: 9, inside: true}}
  pole: {cylinder: {axis: [0, 0.2, 1], point: [2, 0, 0], radius: 0.2}}
  bar: {capsule: {ends: [[0, 0, -1], [1, 0, -1]], radius: 0.3}}
contacts:
  feet:
    {of: leg.foot, with: [floor, step, room, ball, tube, pole, bar], friction: mu, restitution: 0.5, compliance: 1e-6}
  shins: {of: leg.shin, with: [floor, step, ball, pole, bar, tube], friction: 0.3}
  wheel: {of: leg.wheel, with: floor, friction: 0.3}
  shell: {of: leg.shell, with: [floor, step, ball], friction: 0.3}
  base: {of: body.base, with: floor}
  self: {of: [leg.foot, leg.shin], with: [{link: body, shape: knob}]}
  edge: {of: leg.foot, with: body.base, friction: 1}
  spot: {of: leg, point: [0, 0, 0.1], radius: 0.01, rigid: true, with: {plane: {}}, friction: 0.1}
limits: {rigid: true, restitution: 0.2}
joint_friction: dry
"""
"""Each pair of shapes that has a kernel, with run-time parameters, ranges and dry friction."""

_WORLD = """
obstacles:
  below: {plane: {point: [0, 0, -0.1]}}
  post: {cylinder: {axis: [0, 1, 0], point: [0.3, 0, -0.3], radius: 0.1}}
"""


def _shipped(name: str) -> str:
    with example_path(name) as path:
        return path.read_text(encoding="utf-8")


def _with_shape(text: str, link: str, shape: str) -> str:
    assert f"\n  {link}:\n" in text, link
    return text.replace(f"\n  {link}:\n", f"\n  {link}:\n    collision: {shape}\n", 1)


def rod() -> str:
    """A soft rod with balls at its stations."""
    contact = "contacts:\n  arm: {of: arm, radius: section, with: [below, post], friction: 0.3}\n"
    return _shipped("cable_manipulator") + _WORLD + contact


def part_of_a_rod() -> str:
    """The same on a part of the rod, with a radius of its own."""
    contact = "contacts:\n  arm: {of: arm, radius: 0.02, from: 0.2, to: 0.5, with: below, friction: 0.3}\n"
    return _shipped("cable_manipulator") + _WORLD + contact


RODS = """
name: fingers
gravity: [0, 0, -9.81]
links:
  base: {}
  ball:
    mass: 0.1
    inertia: {xx: 1e-4, yy: 1e-4, zz: 1e-4}
    collision: {skin: {sphere: 0.02}, rod: {capsule: [[0, 0, 0], [0, 0, 0.1]], radius: 0.01}}
  left:
    soft:
      length: 0.3
      section: {shape: circle, radius: 0.012 - 0.01*x}
      stations: 3
      strain: {curvature_y: 2, twist: 1}
      material: {youngs_modulus: 2e5, poisson_ratio: 0.45, density: 1100, viscosity: 300}
  right:
    soft:
      length: 0.2
      axis: [0, 0, 1]
      section: {shape: circle, radius: 0.01}
      stations: 3
      strain: {curvature_y: 1, curvature_z: 1}
      material: {youngs_modulus: 2e5, poisson_ratio: 0.45, density: 1100, viscosity: 300}
joints:
  slide: {type: prismatic, parent: base, child: ball, axis: [1, 0, 0], translation: [0.1, 0.2, 0.1]}
  root: {type: revolute, parent: base, child: left, axis: [0, 1, 0]}
  other: {type: fixed, parent: base, child: right, translation: [0.1, 0.1, 0.3]}
contacts:
  cross: {of: left, with: [{link: right}], radius: section, friction: 0.4}
  self: {of: left, with: [{link: left}], radius: 0.01, friction: 0.2}
  grip: {of: [ball.skin, ball.rod], with: [{link: left}, {link: right}], radius: section, restitution: 0.1}
"""
"""Soft rods against each other, themselves and shapes of a link."""


def linkage() -> str:
    """A planar four-bar with a ball on its coupler."""
    text = _with_shape(_shipped("four_bar"), "coupler", "{tip: {sphere: 0.02, at: [0.5, 0, 0.1]}}")
    return (
        text + _WORLD + "contacts:\n  ball: {of: coupler.tip, with: [below, post], friction: 0.3, restitution: 0.4}\n"
    )


def elastic() -> str:
    """An arm with an elastic joint, a capsule and ranges of joints."""
    text = _with_shape(_shipped("elastic_arm"), "lower", "{tip: {capsule: [[0, 0, 0], [0.3, 0, 0]], radius: 0.02}}")
    return (
        text + _WORLD + "limits: {rigid: true}\ncontacts:\n  tip: {of: lower.tip, with: [below, post], friction: 0.3}\n"
    )


def flexible() -> str:
    """An arm with a flexible link, and a ball beyond it."""
    text = _with_shape(_shipped("mixed_arm"), "forearm", "{tip: {sphere: 0.02, at: [0.3, 0, 0.1]}}")
    return (
        text
        + _WORLD
        + "limits: {rigid: true}\ncontacts:\n  tip: {of: forearm.tip, with: [below, post], friction: 0.3}\n"
    )


FOLLOWERS = """
name: gripper
load: {joint_losses: true}
links:
  palm: {mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  left: {mass: 0.3, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, collision: {tip: {sphere: 0.02}}}
  right: {mass: 0.3, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, collision: {tip: {sphere: 0.02}}}
  middle: {mass: 0.2, com: [0, 0.1, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  still: {mass: 0.2, com: [0, 0.1, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  base: {}
joints:
  lift: {type: prismatic, parent: base, child: palm, axis: [0, 0, 1], limits: {lower: -2, upper: 2}}
  open: {type: revolute, parent: palm, child: left, axis: [0, 1, 0], limits: {lower: -1}, losses: {friction: 0.2}}
  close:
    {type: revolute, parent: palm, child: right, axis: [0, 1, 0], limits: {lower: -1, upper: 0.5},
     mimic: {joint: open, multiplier: -0.7, offset: 0.1}, losses: {friction: 0.3, damping: 0.1}}
  both:
    {type: revolute, parent: palm, child: middle, axis: [1, 0, 0], limits: {lower: -0.3, upper: 4},
     mimic: {joints: {open: 0.5, lift: -0.25}, offset: 0.2}, losses: {friction: 0.4}}
  none:
    {type: revolute, parent: palm, child: still, axis: [1, 0, 0], limits: {lower: -1, upper: 1},
     mimic: {joint: open, multiplier: 0}, losses: {friction: 0.4}}
obstacles: {floor: {plane: {point: [0, 0, -0.2]}}}
contacts: {tips: {of: [left, right], with: floor, friction: 0.5}}
limits: {rigid: true, restitution: 0.3}
joint_friction: dry
"""
"""Joints that follow others, with ranges and dry friction."""

SLED = """
name: sled
links:
  table: {}
  sled:
    mass: 2
    com: [0.03, -0.02, 0.01]
    inertia: {xx: 0.01, yy: 0.02, zz: 0.03}
    collision: {bow: {sphere: 0.05, at: [0.2, 0, 0.04]}}
  arm: {mass: 0.5, com: [0.1, 0, 0], inertia: {xx: 0.001, yy: 0.002, zz: 0.002}}
joints:
  slide: {type: planar, parent: table, child: sled, axis: [0, 0.6, 0.8]}
  swing: {type: revolute, parent: sled, child: arm, axis: [0, 0, 1], translation: [-0.1, 0, 0]}
obstacles: {post: {cylinder: {axis: [0, 0, 1], point: [0.5, 0.1, 0], radius: 0.1}}}
contacts: {bow: {of: sled.bow, with: post, friction: 0.3, restitution: 0.2}}
"""
"""A planar joint on a slope, whose body turns while it moves straight."""

TEXTS = {
    "rods": lambda: RODS,
    "sled": lambda: SLED,
    "followers": lambda: FOLLOWERS,
    "pairs": lambda: PAIRS,
    "rod": rod,
    "part": part_of_a_rod,
    "linkage": linkage,
    "elastic": elastic,
    "flexible": flexible,
}
