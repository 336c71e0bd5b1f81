"""q' = N(q) v of one joint is the derivative of integrating its velocity, in every convention."""

from __future__ import annotations

import numpy as np
import pytest
from support.robots.small import described, loaded, massive, single

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.description.robot import JointKind, RobotDescription

ROBOTS: dict[str, RobotDescription] = {
    kind.value: single(kind)
    for kind in (JointKind.REVOLUTE, JointKind.UNIVERSAL, JointKind.PLANAR, JointKind.SPHERICAL, JointKind.FLOATING)
} | {"floating base": described([massive("body")], [], floating_base=True)}


@pytest.mark.parametrize("convention", ["pinocchio", "spatial", "mujoco"])
@pytest.mark.parametrize("name", ROBOTS)
def test_rates_are_the_derivative_of_integrating(name: str, convention: str) -> None:
    robot = loaded(ROBOTS[name], convention=convention)
    rng = np.random.default_rng(8)
    q = robot.integrate(robot.neutral(), rng.uniform(-1.0, 1.0, robot.nv))
    v, step = rng.uniform(-1.0, 1.0, robot.nv), 1e-4
    found: list[float] = []
    for joint in robot.model.independent_joints:
        own = q[joint.q_index : joint.q_index + len(joint.coordinates.q)].tolist()
        rows = slice(joint.v_index, joint.v_index + len(joint.coordinates.v))
        found += (np.array(joint.kind.rates(FloatAlgebra(), own)) @ v[rows]).tolist()
    expected = (robot.integrate(q, step * v) - robot.integrate(q, -step * v)) / (2 * step)
    np.testing.assert_allclose(found, expected, atol=1e-8)
