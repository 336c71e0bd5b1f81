"""Forces of springs and strain against the slope of their energy, and losses against inverse dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from support.robots.small import X, Y, described, joint, loaded, massive, single
from support.soft_calls import Array, call, soft_robot

import symdyn
from symdyn.description.robot import Elastic, JointKind, Link, Losses, Spring
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.optimised
LOSSES = Losses(0.3, 0.2, 0.05)
ROBOTS = {
    "soft": lambda: soft_robot("floating", "spatial"),
    "mixed": lambda: symdyn.load_example("mixed_arm", joint_losses=True),
    "elastic": lambda: loaded(
        described(
            [Link("base"), massive("near"), massive("far")],
            [
                joint("i", JointKind.REVOLUTE, "base", "near", axis=X, elastic=Elastic(8.0, 0.7)),
                joint("j", JointKind.REVOLUTE, "near", "far", axis=Y, elastic=Elastic(5.0, 0.4), losses=LOSSES),
            ],
        ),
        joint_losses=True,
        runtime=["j.stiffness"],
    ),
    "sprung": lambda: loaded(
        single(JointKind.REVOLUTE, massive("body"), loads=(Spring(3.0, 0.2),), losses=LOSSES),
        joint_losses=True,
        runtime=["j.spring.stiffness", "j.damping"],
    ),
}


@pytest.fixture(params=["soft", pytest.param("mixed", marks=pytest.mark.slow), "elastic", "sprung"])
def robot(request: pytest.FixtureRequest) -> Robot:
    return ROBOTS[request.param]()


def drawn(robot: Robot) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(8)
    return robot.random_state(rng)[0], rng.uniform(-1.0, 1.0, robot.nv), robot.runtime_defaults


def test_elastic_forces_are_what_inverse_dynamics_has_beyond_weight(robot: Robot) -> None:
    q, _, p = drawn(robot)
    still = np.zeros(robot.nv)
    (found,), (weight,) = call(robot, "elastic_forces", q=q, p=p), call(robot, "gravity", q=q, p=p)
    (held,) = call(robot, "inverse_dynamics", q=q, v=still, a=still, p=p)
    assert np.any(found != 0.0)
    assert np.allclose(weight + found, held, rtol=0.0, atol=1e-13 * np.max(np.abs(held)))


def test_elastic_forces_are_slopes_of_the_energy(robot: Robot) -> None:
    q, _, p = drawn(robot)
    (found,), (weight,) = call(robot, "elastic_forces", q=q, p=p), call(robot, "gravity", q=q, p=p)
    step = 1e-4
    for row, unit in enumerate(np.eye(robot.nv)):
        u = [float(call(robot, "potential_energy", q=robot.integrate(q, h * unit), p=p)[0]) for h in (step, -step)]
        slope = (u[0] - u[1]) / (2.0 * step)
        assert slope == pytest.approx(weight[row] + found[row], rel=1e-6, abs=1e-6 * np.max(np.abs(found)) + 1e-6)


@pytest.mark.parametrize("name", ["elastic", "sprung"])
def test_partial_derivatives_are_slopes(name: str) -> None:
    own = ROBOTS[name]()
    q, v, p = drawn(own)
    a, h = np.full(own.nv, 0.7), 1e-5
    found = call(own, "inverse_dynamics_partials", q=q, v=v, a=a, p=p)[:2]

    def slopes(way: str) -> Array:
        def tau(move: Array) -> Array:
            moved = {"q": own.integrate(q, move), "v": v} if way == "q" else {"q": q, "v": v + move}
            return call(own, "inverse_dynamics", **moved, a=a, p=p)[0]

        return np.transpose([(tau(move) - tau(-move)) / (2.0 * h) for move in h * np.eye(own.nv)])

    for values, wanted in zip(found, map(slopes, "qv"), strict=True):
        assert np.any(values != 0.0)
        np.testing.assert_allclose(values, wanted, rtol=0.0, atol=1e-8)


def test_damping_forces_are_the_odd_part_of_the_bias(robot: Robot) -> None:
    q, v, p = drawn(robot)
    (found,) = call(robot, "damping_forces", q=q, v=v, p=p)
    ahead, back = (call(robot, "bias", q=q, v=way * v, p=p)[0] for way in (1.0, -1.0))
    assert np.any(found != 0.0) and found @ v >= 0.0
    assert np.allclose(found, 0.5 * (ahead - back), rtol=0.0, atol=1e-13 * np.max(np.abs(ahead)))
    assert np.array_equal(call(robot, "damping_forces", q=q, v=np.zeros(robot.nv), p=p)[0], np.zeros(robot.nv))


def test_a_plain_robot_has_zeros_of_both() -> None:
    robot = loaded(single(JointKind.REVOLUTE))
    module = symdyn.compile(robot, ["elastic_forces", "damping_forces"], target="python")
    assert np.array_equal(module.elastic_forces(np.array([0.3])), [0.0])
    assert np.array_equal(module.damping_forces(np.array([0.3]), np.array([0.7])), [0.0])


def test_code_has_the_same_forces() -> None:
    robot = soft_robot("arm")
    q, v, _ = drawn(robot)
    module = symdyn.compile(robot, ["elastic_forces", "damping_forces"], layout="rolled", target="python")
    assert np.array_equal(module.elastic_forces(q), call(robot, "elastic_forces", q=q)[0])
    assert np.allclose(module.damping_forces(q, v), call(robot, "damping_forces", q=q, v=v)[0], rtol=1e-15, atol=0.0)
