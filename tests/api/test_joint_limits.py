"""Limits of joints by row, with those of acceleration, deceleration and jerk."""

from __future__ import annotations

import numpy as np

import symdyn
from symdyn.analysis.identification.excite import _bounds

ARM = """name: arm
links:
  base:
  upper: {mass: 1, com: [0, 0, 1], inertia: {xx: 1, yy: 1, zz: 1}}
  lower: {mass: 1, com: [0, 0, 1], inertia: {xx: 1, yy: 1, zz: 1}}
  ball: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  a:
    {type: revolute, parent: base, child: upper, axis: [1, 0, 0], limits: {upper: 1, acceleration: 7, jerk: 30}}
  b: {type: prismatic, parent: upper, child: lower, axis: [0, 1, 0], limits: {acceleration: 5, deceleration: 4}}
  c: {type: spherical, parent: lower, child: ball}
"""


def test_each_limit_stands_in_its_row() -> None:
    limits = symdyn.loads(ARM, "yaml").limits
    free = [np.inf] * 3
    np.testing.assert_array_equal(limits.acceleration, [7, 5, *free])
    np.testing.assert_array_equal(limits.deceleration, [7, 4, *free])
    np.testing.assert_array_equal(limits.jerk, [30, np.inf, *free])
    np.testing.assert_array_equal(limits.velocity, [np.inf] * 5)
    np.testing.assert_array_equal(limits.upper, [1, np.inf, np.inf, np.inf, np.inf, np.inf])


def test_motions_that_excite_keep_the_smaller_of_both_accelerations() -> None:
    two = ARM.replace("  c: {type: spherical", "  c: {type: fixed")
    robot = symdyn.loads(two, "yaml")
    np.testing.assert_array_equal(_bounds(robot, None, None, None, None).acceleration, [7, 4])
    np.testing.assert_array_equal(_bounds(robot, None, None, None, 9.0).acceleration, [9, 9])
