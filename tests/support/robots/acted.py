"""A robot of rigid, flexible and soft links on which something acts from outside."""

from __future__ import annotations

from functools import cache
from typing import Any

from symdyn import api
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.robot.robot import Robot

BODY = """
name: acted
gravity: [0.5, -1, -9.25]
parameters:
  k: 0.7
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
  hand: {mass: 0.4, com: [0, 0.1, 0], inertia: {xx: 2e-3, yy: 3e-3, zz: 4e-3}}
  pad: {mass: 0.1, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
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
  grip: {type: prismatic, parent: arm, child: hand, axis: [1, 0, 0], translation: [0.2, 0.3, 0.1], rpy: [0, 0.5, 0.2]}
  held: {type: fixed, parent: hand, child: pad, translation: [0.05, -0.1, 0.2], rpy: [0.2, 0.4, 0]}
  swing:
    {type: revolute, parent: base, child: boom, axis: [0, 0, 1], mimic: {joint: turn, multiplier: -0.5, offset: 0.2}}
frames:
  tool: {link: hand, translation: [0.1, 0, 0.2], rpy: [0.1, 0.2, 0.3]}
  middle: {link: arm, at: 0.21, translation: [0.01, 0.02, 0], rpy: [0.3, 0, 0]}
"""
RIGID = """
name: rigid
gravity: [0.5, -1, -9.25]
parameters:
  k: 0.7
  gain: {value: 0.3, runtime: true}
links:
  base: {mass: 2.5, com: [0.1, 0, 0.05], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
  arm: {mass: 0.5, com: [0, 0.2, 0], inertia: {xx: 2e-2, yy: 3e-2, zz: 4e-2}}
  hand: {mass: 0.4, com: [0, 0.1, 0], inertia: {xx: 2e-3, yy: 3e-3, zz: 4e-3}}
  pad: {mass: 0.1, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0.6, 0.8], translation: [0.1, 0.2, 0], rpy: [0.3, 0, 0.1]}
  grip: {type: spherical, parent: arm, child: hand, translation: [0.2, 0.3, 0.1], rpy: [0, 0.5, 0.2]}
  held: {type: fixed, parent: hand, child: pad, translation: [0.05, -0.1, 0.2], rpy: [0.2, 0.4, 0]}
frames:
  tool: {link: hand, translation: [0.1, 0, 0.2], rpy: [0.1, 0.2, 0.3]}
"""
WRENCHES = """
loads:
  wind: {link: arm, per_length: [0.4, "0.2*(1 - x/k)", "gain*vy", 0, "0.1*py", 0.02], axes: world}
  skin: {link: arm, per_length: [0, -0.3, "-k*vz*x", 0.05, 0, "-0.02*wx"]}
  push: {link: pad, point: [0.1, 0.2, "gain"], force: [1, -2, "3*gain"], moment: [0.1, 0, 0.3]}
  spot: {frame: middle, force: ["-2*vx", "sin(px)", 0.5], moment: [0, "wz**2", 0]}
  mast: {link: boom, at: tip, point: [0.6, 0.1, 0], force: [0, 0, "1/(1 + pz**2)"], axes: world}
  sail: {link: base, force: ["-vx*sqrt(1 + vx**2 + vy**2)", 1, 2], moment: [0.1, 0.2, "py*px"], axes: world}
"""
RIGID_WRENCHES = """
loads:
  push: {link: pad, point: [0.1, 0.2, "gain"], force: [1, -2, "3*gain"], moment: [0.1, 0, 0.3]}
  sail:
    link: base
    force: ["-vx*sqrt(1 + vx**2 + vy**2)", 1, 2]
    moment: [0.1, 0.2, "py*px"]
    axes: world
    wind: [2, -0.4, 0.7]
  spot:
    {frame: tool, force: ["-2*vx", "sin(px)", 0.5], moment: [0, "gain*wz**2*vy", 0], wind: [0.3, -1.2, 0.5]}
"""
FLUID = """
fluid:
  density: 500 + 10*gain
  velocity_scale: 0.01
  bodies:
    arm: {drag: ["0.5*(1 + x)", 2, 3, 0.01, 0.02, "gain*x"]}
    hand: {volume: 3e-4, center: [0.01, 0.02, 0.1], drag: [1, 2, "gain", 0.1, 0.2, 0.3]}
    base: {drag: [3, 2, 1, 0, 0, 0]}
"""
RIGID_FLUID = """
fluid:
  density: 500 + 10*gain
  velocity_scale: 0.01
  bodies:
    arm: {center: [0, 0.1, 0], drag: [0.5, 2, 3, 0.01, 0.02, gain]}
    hand: {volume: 3e-4, center: [0.01, 0.02, 0.1], drag: [1, 2, "gain", 0.1, 0.2, 0.3]}
    base: {volume: 1e-3}
"""
CONTACTS = """
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
  tipped:
    of: arm
    at: 0.3
    radius: 0.5
    with: {plane: {normal: [0, 0.6, 0.8], point: [0, 1, 0.1]}}
    stiffness: 7
    exponent: 4.5
  ball:
    of: tool
    radius: 0.2
    with: {sphere: {center: [0.2, 0.3, 0.1], radius: 0.9}}
    stiffness: 9
    exponent: 4
    friction: gain
  pole:
    {of: hand, point: [0, 0.1, 0], radius: 0.4, stiffness: 5, exponent: 5, damping: 0.4,
    with: {cylinder: {axis: [0, 0, 1], radius: 0.7}}}
  shell: {of: base, with: {sphere: {radius: 0.001, inside: true}}, stiffness: 3, exponent: 4, damping: gain}
"""
BUSHINGS = """
bushings:
  mount:
    between: [{link: arm, at: 0.4, point: [0.1, 0.2, 0]}, tool]
    stiffness: [10, 20, 30, 1, "2 + gain", 3]
    damping: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    translation: [0.1, 0, gain]
  tie: {between: [{link: base, point: [0, 0.1, 0.3]}, hand], stiffness: [0, 0, 4, 0, 5, 0]}
struts:
  rope: {between: [{link: boom, point: [0.6, 0, 0.1]}, {frame: tool}], stiffness: 7, damping: 0.3, length: 0.2 + gain}
  cord: {between: [pad, {link: base, point: [0.5, 0, 0]}], stiffness: 3}
"""
RIGID_BUSHINGS = BUSHINGS.replace("at: 0.4, ", "").replace("boom", "arm")
RIGID_CONTACTS = "contacts:\n" + CONTACTS[CONTACTS.index("  ball:") :]
ACTED: dict[str, tuple[str, tuple[str, ...]]] = {
    "soft": (
        BODY + WRENCHES + FLUID + CONTACTS + BUSHINGS,
        ("fluid.hand.drag.force.x", "pipe.stiffness", "mount.damping.ry", "wind.force.x", "mast.force.y"),
    ),
    "rigid": (
        RIGID + RIGID_WRENCHES + RIGID_FLUID + RIGID_CONTACTS + RIGID_BUSHINGS,
        (
            "mount.stiffness.x",
            "rope.length",
            "ball.friction",
            "fluid.hand.volume",
            "push.force.y",
            "held.translation.x",
        ),
    ),
}
"""Files by the links that they have, and quantities that are inputs."""


def acted(which: str) -> RobotDescription:
    """The robot of one of these files."""
    return parse_yaml(ACTED[which][0].encode(), "r.yaml")


@cache
def acted_robot(which: str, floating: bool = False, convention: str = "pinocchio") -> Robot:
    """The same, loaded."""
    options: dict[str, Any] = {"floating_base": floating, "convention": convention, "runtime": ACTED[which][1]}
    return api.from_description(acted(which), **options)
