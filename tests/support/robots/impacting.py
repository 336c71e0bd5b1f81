"""Robots of which bodies hit others and their surroundings: balls in a row, a box, an arm with ranges and a puck."""

from __future__ import annotations

import symdyn
from symdyn.robot.robot import Robot

IN_TURN = "contact_options: {impacts: sequential}\n"
RADIUS = 0.05


def cradle(masses: list[float], restitution: float = 1.0, options: str = IN_TURN) -> Robot:
    """Balls on a line that touch, without gravity along it."""
    count = len(masses)
    lines = ["name: cradle", "links:", "  world: {}"]
    skin = f"collision: {{skin: {{sphere: {RADIUS}}}}}"
    inertia = "inertia: {xx: 2e-4, yy: 2e-4, zz: 2e-4}"
    lines += [f"  b{i}: {{mass: {mass}, {inertia}, {skin}}}" for i, mass in enumerate(masses)]
    lines += ["joints:"]
    lines += [f"  x{i}: {{type: prismatic, parent: world, child: b{i}, axis: [1, 0, 0]}}" for i in range(count)]
    lines += ["contacts:"]
    law = f"restitution: {restitution}"
    lines += [f"  c{i}: {{of: b{i}.skin, with: [{{link: b{i + 1}, shape: skin}}], {law}}}" for i in range(count - 1)]
    return symdyn.loads("\n".join(lines) + "\n" + options, format="yaml")


BOX = """
name: box
links:
  world: {}
  box: {mass: 2, inertia: {xx: 0.006, yy: 0.008, zz: 0.011}, collision: {body: {box: [0.2, 0.16, 0.1]}}}
joints: {free: {type: floating, parent: world, child: box}}
obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, 0]}, velocity: [0.2, 0, 0]}}
contacts: {skin: {of: box.body, with: floor, friction: 0.5, restitution: 0.6}}
"""
"""Four corners of one pair of bodies: these are solved together, so a flat fall stays flat."""


MIXED = """
name: mixed
parameters: {mu: {value: 0.5, runtime: true}, radius: {value: 0.05, runtime: true}, level: {value: -0.3, runtime: true},
  rub: {value: 0.3, runtime: true}, load: {value: 0.8, runtime: true}}
load: {joint_losses: true}
links:
  ground: {}
  arm: {mass: 1, com: [0, 0.1, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.02}}
  hand:
    mass: load
    com: [0, 0.1, 0.02]
    inertia: {xx: 0.02, yy: 0.03, zz: 0.02}
    collision: {tip: {capsule: [[0, 0.1, 0], [0.1, 0.2, 0]], radius: radius}}
  puck: {mass: 0.5, com: [0.02, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, collision: {p: {sphere: 0.1}}}
joints:
  shoulder:
    {type: revolute, parent: ground, child: arm, axis: [1, 0, 0], limits: {lower: -1, upper: 1},
     losses: {friction: rub, damping: 0.1}}
  wrist: {type: spherical, parent: arm, child: hand, translation: [0, 0.3, 0]}
  flat: {type: planar, axis: [0, 0, 1], parent: ground, child: puck, translation: [0, 0.4, -0.2]}
obstacles:
  floor: {plane: {point: [0, 0, level]}}
  post: {cylinder: {axis: [0, 0, 1], point: [0.4, 0.2, 0], radius: 0.2}}
contacts:
  tip: {of: hand.tip, with: floor, friction: mu, restitution: 0.4}
  push: {of: hand.tip, with: [{link: puck, shape: p}], friction: mu}
  puck: {of: puck.p, with: post, friction: 0.2}
limits: {rigid: true, restitution: 0.3}
joint_friction: dry
"""
"""A limit, dry friction, a ball joint, a planar joint, two moving links, a post, restitution, and parameters."""
ARM = MIXED.replace("friction: mu, restitution: 0.4", "friction: mu, restitution: back, compliance: soft") + IN_TURN
_MORE = "parameters: {back: {value: 0.4, runtime: true}, soft: {value: 1e-5, runtime: true}, "
ARM = ARM.replace("parameters: {", _MORE)
"""The same with impacts in turn; restitution and compliance are parameters too."""
