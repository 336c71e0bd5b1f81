"""Contacts with stiffness beside rigid ones on one robot: both act in steps, other steppers refuse it."""

from __future__ import annotations

import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
BOTH = """
name: both
links:
  world: {}
  box: {mass: 2, inertia: {xx: 0.006, yy: 0.008, zz: 0.011}, collision: {body: {box: [0.2, 0.16, 0.1]}}}
  ball: {mass: 0.3, inertia: {xx: 0.0005, yy: 0.0005, zz: 0.0005}}
joints:
  free: {type: floating, parent: world, child: box}
  rail: {type: prismatic, parent: box, child: ball, axis: [0, 0, 1], losses: {damping: 4}}
obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, 0]}}}
contacts:
  skin: {of: box.body, with: floor, friction: 0.5}
  bumper:
    {of: ball, radius: 0.05, stiffness: 4e3, exponent: 1.5, damping: 0.5,
     with: {plane: {normal: [0, 0, 1], point: [0, 0, 0]}}}
load: {joint_losses: true}
"""
"""A box on rigid corners; on its rail a ball whose rubber bears it on the same floor."""
G = 9.81


@pytest.mark.slow
def test_each_bears_its_own_weight() -> None:
    """At rest the corners bear the box, and the ball is as deep as its weight asks: d = (m g / k)^(2/3)."""
    robot = symdyn.loads(BOTH, format="yaml")
    q = robot.neutral()
    q[2] = 0.06
    motion = symdyn.simulate(robot, q, None, 3.0, h=5e-4)
    assert motion.method == "contacts" and np.abs(motion.v[-1]).max() < 1e-8
    assert motion.contacts.impulses[-1][2::3].sum() / 5e-4 == pytest.approx(2.0 * G, rel=1e-6)
    height = motion.q[-1][2] + motion.q[-1][7]
    assert 0.05 - height == pytest.approx((0.3 * G / 4e3) ** (2.0 / 3.0), rel=1e-6)
    for name in ("dop853", "radau"):
        with pytest.raises(RequestError, match="rigid contacts"):
            symdyn.simulate(robot, q, None, 0.1, method=name)


def test_other_steppers_say_what_to_take() -> None:
    with pytest.raises(RequestError, match=r"take the stepper 'contacts', in which both act, or give all\s+contacts"):
        symdyn.compile(symdyn.loads(BOTH, format="yaml"), ["gravity"], steppers=["rk4"])
