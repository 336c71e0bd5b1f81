"""A rigid tree whose actuators have gears and laws: motors, servos, and some that pull on several joints."""

from __future__ import annotations

GEARED = """
name: geared
gravity: [0.3, 0.2, -9.5]
links:
  base:
  trunk: {mass: 2, com: [0.05, 0.02, 0.1], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
  left: {mass: 0.7, com: [0.1, 0, 0.03], inertia: {xx: 2e-3, yy: 3e-3, zz: 4e-3}}
  hand: {mass: 0.3, com: [0.02, 0.05, 0], inertia: {xx: 1e-3, yy: 2e-3, zz: 1.5e-3}}
  right: {mass: 0.6, com: [0, 0.1, 0.02], inertia: {xx: 3e-3, yy: 2e-3, zz: 4e-3}}
  slider: {mass: 0.4, com: [0, 0, 0.05], inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
  ball: {mass: 0.5, com: [0, 0.1, 0.05], inertia: {xx: 2e-3, yy: 4e-3, zz: 3e-3}}
joints:
  yaw: {type: revolute, parent: base, child: trunk, axis: [0, 0, 1], losses: {damping: 0.3}}
  lift: {type: revolute, parent: trunk, child: left, axis: [0, 1, 0.2], translation: [0.1, 0, 0.2]}
  twist:
    {type: revolute, parent: left, child: hand, axis: [1, 0, 0], translation: [0.2, 0, 0],
    elastic: {stiffness: 30, damping: 0.2, armature: 0.02}}
  swing: {type: revolute, parent: trunk, child: right, axis: [0, 1, 0], translation: [-0.1, 0, 0.2]}
  reach:
    {type: prismatic, parent: right, child: slider, axis: [1, 0, 0], translation: [0, 0.2, 0],
    mimic: {joints: {lift: 0.3, swing: -0.2}, offset: 0.05}}
  socket: {type: spherical, parent: slider, child: ball, translation: [0.1, 0, 0]}
actuators:
  - {name: servo, joints: {yaw: 2}, gain: 40, bias: [0.5, -40, -3]}
  - swing
  - {name: bowden, joints: {lift: 0.7, swing: -1.2}, gain: 5, bias: [0.1, -6, -0.4]}
  - {name: motor, joints: {twist: 3}, bias: [0, 0, -0.2]}
  - {name: rod, joints: {reach: 1.5}, gain: 2, bias: [0, -8, -0.3]}
  - {name: spin, joints: {socket: [0.3, -0.5, 0.8]}, bias: [0.2, 0, -0.6]}
"""

_GAINS = {"gain: 40": ("40, 6", "-1.5"), "gain: 5": ("5, -2", "0.7"), "gain: 2": ("0, 0", "-2")}


def _varied(by_rate: bool) -> str:
    text = GEARED
    for said, (start, rate) in _GAINS.items():
        text = text.replace(said, f"gain: [{start}, {rate if by_rate else 0}]")
    return text.replace("0.8]}, bias", f"0.8]}}, gain: [1, 0, {0.4 * by_rate}], bias")


VARIED = _varied(by_rate=True)
"""Gains depend on lengths and rates; ``rod`` is a damper."""
LENGTHENED = _varied(by_rate=False)
"""Gains depend on lengths alone."""
