"""Partial derivatives of inverse dynamics against differences of the inverse dynamics itself, and closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import robots
from support.robots.small import X, Y, described, joint, loaded, massive, point_mass, single
from support.robots.table import with_velocity_scale
from support.states import random_inputs

from symdyn import api
from symdyn.description.robot import JointKind, Link, Losses, Mimic, RobotDescription
from symdyn.errors import ModelError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
NAMES = ("dtau_dq", "dtau_dv", "dtau_da")

# Fourth-order differences with a step of 1e-3 leave about 1e-12 in truncation and 1e-13 / 1e-3 in rounding.
TOLERANCE = 1e-8

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def derivative(function: Callable[[float], Array]) -> Array:
    h = 1e-3
    return (8 * (function(h) - function(-h)) - (function(2 * h) - function(-2 * h))) / (12 * h)


def differences(robot: Robot, external: str | None, inputs: dict[str, list[float]]) -> dict[str, Array]:
    recursion = api.float_recursion(robot, "inverse_dynamics", external_wrenches=external)
    q, v, a = (np.array(inputs[name]) for name in "qva")

    def tau(q: Array, v: Array, a: Array) -> Array:
        return np.array(recursion(inputs | {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()})["tau"])

    rows = np.eye(robot.nv)
    columns = {
        "dtau_dq": [derivative(lambda s, row=row: tau(robot.integrate(q, s * row), v, a)) for row in rows],
        "dtau_dv": [derivative(lambda s, row=row: tau(q, v + s * row, a)) for row in rows],
        "dtau_da": [derivative(lambda s, row=row: tau(q, v, a + s * row)) for row in rows],
    }
    return {name: np.array(found).T for name, found in columns.items()}


def matrices(robot: Robot, external: str | None, inputs: dict[str, list[float]]) -> dict[str, Array]:
    found = api.float_recursion(robot, "inverse_dynamics_partials", external_wrenches=external)(inputs)
    return {name: np.array(found[name]).reshape(robot.nv, robot.nv) for name in NAMES}


def inputs_of(robot: Robot, external: str | None, seed: int) -> dict[str, list[float]]:
    signature = CATALOGUE["inverse_dynamics_partials"].signature(robot.model, Request(external=external or ""))
    return random_inputs(robot, signature, np.random.default_rng(seed))


def assert_equal_to_differences(robot: Robot, external: str | None, inputs: dict[str, list[float]]) -> None:
    expected, value = differences(robot, external, inputs), matrices(robot, external, inputs)
    for name in NAMES:
        scale = max(1.0, float(np.abs(expected[name]).max()))
        assert np.abs(value[name] - expected[name]).max() <= TOLERANCE * scale, name


@settings(max_examples=25)
@given(
    robots(max_joints=5),
    st.sampled_from(("pinocchio", "spatial", "mujoco")),
    st.sampled_from((None, "body", "world")),
    st.integers(0, 2**32 - 1),
)
def test_random_trees(description: RobotDescription, convention: str, external: str | None, seed: int) -> None:
    robot = loaded(with_velocity_scale(description, 1.0), convention=convention, joint_losses=True)
    assert_equal_to_differences(robot, external, inputs_of(robot, external, seed))


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
@pytest.mark.parametrize("external", [None, "body", "world"])
def test_every_joint_with_several_coordinates(convention: str, external: str | None) -> None:
    """A floating base carries one of each kind, each with something behind it."""
    kinds = (JointKind.PLANAR, JointKind.SPHERICAL, JointKind.FLOATING, JointKind.HELICAL, JointKind.CYLINDRICAL)
    links = [massive(name) for name in ("base", "a", "b", "c", "d", "e")]
    joints = [
        joint(f"j{place}", kind, parent, child, (0.1, -0.2, 0.3), X if place % 2 else Y, pitch=0.1 * (place == 3))
        for place, (kind, parent, child) in enumerate(zip(kinds, ("base", "a", "b", "c", "d"), "abcde", strict=True))
    ]
    robot = loaded(described(links, joints), floating_base=True, convention=convention)
    assert_equal_to_differences(robot, external, inputs_of(robot, external, 4))


def test_at_rest_in_the_neutral_pose() -> None:
    joints = [
        joint("ball", JointKind.SPHERICAL, "base", "a"),
        joint("slide", JointKind.PLANAR, "a", "b", at=(0.0, 0.1, 0.0)),
        joint("turn", JointKind.REVOLUTE, "b", "c", axis=X),
    ]
    robot = loaded(described([massive(name) for name in ("base", "a", "b", "c")], joints), floating_base=True)
    still = {"q": robot.neutral().tolist(), "v": [0.0] * robot.nv, "a": [0.0] * robot.nv}
    assert_equal_to_differences(robot, None, still)
    assert not matrices(robot, None, still)["dtau_dv"].any()


def test_a_follower_on_its_leader() -> None:
    """A chain in which a joint follows one that carries it: one row of v, twice on the way to the root."""
    joints = [
        joint("lead", JointKind.REVOLUTE, "base", "a", axis=Y),
        joint("between", JointKind.PRISMATIC, "a", "b", at=(0.3, 0.0, 0.1), axis=X),
        joint("follow", JointKind.REVOLUTE, "b", "c", at=(0.2, 0.1, 0.0), mimic=Mimic("lead", -0.7, 0.3)),
        joint("last", JointKind.REVOLUTE, "c", "d", at=(0.0, 0.4, 0.0), axis=X),
    ]
    robot = loaded(described([Link("base"), *(massive(name) for name in "abcd")], joints))
    assert robot.nv == 3
    assert_equal_to_differences(robot, "world", inputs_of(robot, "world", 8))


def test_pendulum() -> None:
    """Tau = m l^2 a + m g l cos q + d v for a point mass on a horizontal axis, q from the horizontal."""
    mass, length, damping = 2.0, 0.7, 0.3
    description = single(
        JointKind.REVOLUTE,
        point_mass("body", mass, (length, 0.0, 0.0)),
        axis=(0.0, -1.0, 0.0),
        losses=Losses(damping),
    )
    robot = loaded(description, joint_losses=True)
    found = matrices(robot, None, {"q": [0.4], "v": [1.3], "a": [-0.2]})
    assert found["dtau_dq"][0] == pytest.approx([-mass * 9.81 * length * math.sin(0.4)], rel=1e-14)
    assert found["dtau_dv"][0] == pytest.approx([damping], rel=1e-14)
    assert found["dtau_da"][0] == pytest.approx([mass * length**2], rel=1e-14)


def test_friction_that_jumps_is_refused() -> None:
    robot = loaded(single(JointKind.REVOLUTE, losses=Losses(0.0, 0.4, 0.0)), joint_losses=True)
    with pytest.raises(ModelError, match=r"joint 'j'.*velocity_scale above 0.*joint_losses=False"):
        api.float_recursion(robot, "inverse_dynamics_partials")


def test_signature_names_moves_of_the_base_and_units() -> None:
    robot = loaded(single(JointKind.PRISMATIC), floating_base=True, convention="spatial")
    signature = CATALOGUE["inverse_dynamics_partials"].signature(robot.model, Request())
    assert [output.name for output in signature.outputs] == list(NAMES)
    by_q, by_v, by_a = signature.outputs
    assert by_q.rows[1] == by_v.rows[1] == robot.velocity_names
    assert [by_q.units[6], by_v.units[6], by_a.units[6]] == ["N m/m", "N m/(m/s)", "N m/(m/s^2)"]
