"""Steps in MuJoCo's convention beside those in the default one, from the same state of the same robot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdyn

pytestmark = [pytest.mark.needs_cc, pytest.mark.slow]
TEXT = """
name: hinge_and_socket
links:
  base:
  arm: {mass: 1.0, com: [0, 0.1, -0.2], inertia: {xx: 0.014, yy: 0.014, zz: 0.001}}
  ball: {mass: 0.7, com: [0.1, 0, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
joints:
  hinge: {type: revolute, parent: base, child: arm, axis: [0, 1, 0]}
  socket: {type: spherical, parent: arm, child: ball, translation: [0, 0.1, 0]}
"""


@pytest.mark.parametrize("method", ["rk4", "generalised-alpha"])
def test_steps_are_those_of_the_default_convention(method: str) -> None:
    """Quaternions have their real part first; turning rates and forces are the same."""
    robots = [symdyn.loads(TEXT, "yaml", **own) for own in ({"convention": "mujoco"}, {})]
    own, other = (symdyn.compile(robot, ["forward_dynamics"], lanes=False, steppers=[method]) for robot in robots)
    names, plain = (robot.coordinate_names for robot in robots)
    assert names != plain and robots[0].velocity_names == robots[1].velocity_names
    order = [names.index(name) for name in plain]
    q, v = robots[0].random_state(np.random.default_rng(7))
    tau = np.array([0.3, -0.2, 0.1, 0.4])
    options: dict[str, Any] = {"times": np.linspace(0.0, 0.1, 3), "h": 0.01}
    called = f"advance_{method.replace('-', '_')}"
    found = getattr(own, called)(q, v, tau, **options)
    target = getattr(other, called)(q[order], v, tau, **options)
    assert found.steps == target.steps == 10
    assert np.abs(found.q[-1] - q).max() > 0.01
    np.testing.assert_allclose(found.q[:, order], target.q, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(found.v, target.v, rtol=0.0, atol=1e-10)
