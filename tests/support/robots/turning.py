"""A light robot whose rows of q and v differ in every way: a free body, a ball joint, a slide in a plane, a hinge."""

from __future__ import annotations

import symdyn
from symdyn.robot.robot import Robot

_TEXT = """
format: 1
name: turning
floating_base: true
links:
  trunk: {mass: 3.0, inertia: {xx: 0.05, yy: 0.06, zz: 0.04, xy: 0.003}, com: [0.02, -0.01, 0.03]}
  head: {mass: 1.2, inertia: {xx: 0.01, yy: 0.02, zz: 0.015}, com: [0.0, 0.05, 0.1]}
  plate: {mass: 0.7, inertia: {xx: 0.004, yy: 0.003, zz: 0.006}, com: [0.03, 0.0, 0.01]}
  flap: {mass: 0.4, inertia: {xx: 0.002, yy: 0.001, zz: 0.002}, com: [0.0, 0.1, 0.0]}
joints:
  neck: {type: spherical, parent: trunk, child: head, translation: [0.0, 0.0, 0.3]}
  floor: {type: planar, parent: trunk, child: plate, axis: [0, 0, 1], translation: [0.1, 0.0, -0.2]}
  hinge: {type: revolute, parent: plate, child: flap, axis: [1, 0, 0], translation: [0.0, 0.1, 0.0]}
"""


def turning(convention: str | None = None) -> Robot:
    """The robot, in a convention of the velocity of the free body."""
    return symdyn.loads(_TEXT, "yaml", convention=convention)


def turns(convention: str | None = None) -> tuple[int, int]:
    """Where its quaternions begin: MuJoCo has the joints in another order."""
    return 3, 7 if convention == "mujoco" else 11
