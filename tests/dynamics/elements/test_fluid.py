"""A fluid against closed forms: what falls at its final speed, and a rod as heavy as what it displaces."""

from __future__ import annotations

import numpy as np
import pytest
from support.soft_calls import call

from symdyn import api
from symdyn.description.yaml.read import parse_yaml

STONE = """
name: stone
floating_base: true
links:
  stone: {mass: 0.7, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
fluid:
  density: 1000
  bodies: {stone: {volume: 3e-4, drag: [2.5, 2.5, 2.5, 0, 0, 0]}}
"""
REED = """
name: reed
links:
  base: {mass: 1}
  reed:
    soft:
      length: 0.4
      section: {shape: rectangle, width: 0.02 + 0.01*x, height: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.4, density: 998}
      strain: {curvature_y: 1, curvature_z: 1, twist: 0}
      stations: 3
joints:
  turn: {type: revolute, parent: base, child: reed, axis: [0, 1, 0]}
fluid:
  density: 998
  bodies: {reed: {}}
"""


def test_a_stone_falls_at_its_final_speed() -> None:
    stone = api.from_description(parse_yaml(STONE.encode(), "stone.yaml"))
    q = np.array([0.3, 0.2, 0.1, 0.0, 0.0, 0.0, 1.0])
    speed = np.sqrt((0.7 - 0.3) * 9.81 / 2.5)
    v = np.array([0.0, 0.0, -speed, 0.0, 0.0, 0.0])
    (a,) = call(stone, "forward_dynamics", q=q, v=v, tau=np.zeros(6))
    assert a == pytest.approx(np.zeros(6), abs=1e-7)  # the velocity scale is felt in the ninth digit
    (start,) = call(stone, "forward_dynamics", q=q, v=0 * v, tau=np.zeros(6))
    assert start[2] == pytest.approx(-9.81 * (1.0 - 0.3 / 0.7), rel=1e-12)


def test_a_rod_as_heavy_as_the_fluid_hangs_nowhere() -> None:
    reed = api.from_description(parse_yaml(REED.encode(), "reed.yaml"))
    q = np.random.default_rng(3).uniform(-1.0, 1.0, reed.model.nq)
    (weight,) = call(reed, "gravity", q=q)
    dry = api.from_description(parse_yaml(REED.partition("fluid:")[0].encode(), "reed.yaml"))
    assert weight == pytest.approx(np.zeros(reed.nv), abs=1e-13) and np.max(np.abs(call(dry, "gravity", q=q)[0])) > 0.1
    lifted, hanging = (call(robot, "potential_energy", q=q)[0] for robot in (reed, dry))
    moved, other = (call(robot, "potential_energy", q=0.5 * q)[0] for robot in (reed, dry))
    strain = call(dry, "elastic_forces", q=q)[0] @ q / 2
    assert lifted == pytest.approx(strain, rel=1e-9) and moved == pytest.approx(strain / 4, rel=1e-9)
    assert abs(hanging - strain) > 1e-3 and other != pytest.approx(hanging)
