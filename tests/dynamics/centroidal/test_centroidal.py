"""Centroidal momentum and its matrix: against sums over links, by hand, and in every layout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.oracles.plain_kinematics import Array, centroidal_momentum, moving_masses
from support.robots.random_trees import make_robot, robots
from support.robots.small import GENERIC, described, loaded, massive, single
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.rotations import from_quaternion
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import JointKind, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.robot.robot import Robot

FUNCTIONS = {"centroidal_momentum": "momentum", "centroidal_momentum_matrix": "momentum_matrix"}
CONVENTIONS = st.sampled_from(("pinocchio", "spatial", "mujoco"))


def momentum(robot: Robot, q: Array, v: Array, *p: float) -> Array:
    inputs = {"q": [float(x) for x in q], "v": [float(x) for x in v]} | ({"p": list(p)} if p else {})
    return np.array(api.float_recursion(robot, "centroidal_momentum")(inputs)["momentum"])


def matrix(robot: Robot, q: Array, *p: float) -> Array:
    inputs = {"q": [float(x) for x in q]} | ({"p": list(p)} if p else {})
    flat = api.float_recursion(robot, "centroidal_momentum_matrix")(inputs)["momentum_matrix"]
    return np.array(flat).reshape(6, robot.nv)


@settings(max_examples=50)
@given(robots(max_joints=6), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_momentum_is_the_sum_over_the_links(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    assume(moving_masses(robot))
    q, v = robot.random_state(np.random.default_rng(seed))
    v = v / max(1.0, float(np.linalg.norm(v)))
    found = momentum(robot, q, v)
    assert found == pytest.approx(centroidal_momentum(robot, q, v), rel=1e-8, abs=1e-8)
    assert matrix(robot, q) @ v == pytest.approx(found, rel=1e-12, abs=1e-12)


@settings(max_examples=20)
@given(robots(max_joints=6), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_linear_momentum_is_mass_times_the_velocity_of_the_centre(
    description: RobotDescription, convention: str, seed: int
) -> None:
    robot = loaded(description, convention=convention)
    masses = moving_masses(robot)
    assume(masses)
    q, v = robot.random_state(np.random.default_rng(seed))
    inputs = {"q": q.tolist(), "v": v.tolist()}
    center_velocity = np.array(api.float_recursion(robot, "center_of_mass_velocity")(inputs)["com_velocity"])
    total = sum(mass for _, mass, _, _ in masses)
    assert momentum(robot, q, v)[:3] == pytest.approx(total * center_velocity, rel=1e-12, abs=1e-12)


@settings(max_examples=10)
@given(robots(max_joints=6), st.integers(0, 2**32 - 1))
def test_runtime_parameters_equal_baked_ones(description: RobotDescription, seed: int) -> None:
    baked = loaded(description)
    masses = moving_masses(baked)
    assume(masses)
    names = [f"{masses[-1][0]}.mass", f"{masses[0][0]}.inertia.xy", f"{description.joints[0].name}.translation.y"]
    robot = loaded(description, runtime=names)
    q, v = robot.random_state(np.random.default_rng(seed))
    p = robot.runtime_defaults
    assert momentum(robot, q, v, *p) == pytest.approx(momentum(baked, q, v), rel=1e-12, abs=1e-12)
    assert matrix(robot, q, *p) == pytest.approx(matrix(baked, q), rel=1e-12, abs=1e-12)


@settings(max_examples=4)
@given(robots(max_joints=5), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_every_layout_gives_the_recursion(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    masses = moving_masses(robot)
    assume(masses)
    robot = loaded(description, convention=convention, runtime=[f"{masses[0][0]}.mass"] if seed % 2 else [])
    for function, output in FUNCTIONS.items():
        signature = CATALOGUE[function].signature(robot.model, Request())
        inputs = random_inputs(robot, signature, np.random.default_rng(seed))
        expected = api.float_recursion(robot, function)(inputs)[output]
        for layout in ("unrolled", "split", "rolled"):
            (program,) = api.programs(robot, [function], layout=layout)
            value = evaluate_program(program, FloatAlgebra(), inputs)[output]
            assert relative_error(value, expected) <= 1e-12, (function, layout)


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_a_free_body_by_hand(convention: str) -> None:
    mass, center = 2.0, np.array([0.1, -0.2, 0.3])
    description = described([massive("body", mass, (0.1, -0.2, 0.3), GENERIC)], [], floating_base=True)
    robot = loaded(description, convention=convention)
    q, v = robot.random_state(np.random.default_rng(3))
    R, p = np.array(from_quaternion(*q[3:7]).entries), q[:3]
    at = p + R @ center
    if convention == "pinocchio":
        omega, velocity = R @ v[3:], R @ (v[:3] + np.cross(v[3:], center))
    else:
        omega, velocity = v[:3], v[3:] + np.cross(v[:3], at)
    xx, xy, xz, yy, yz, zz = GENERIC
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    expected = [*(mass * velocity), *(R @ inertia @ R.T @ omega)]
    assert momentum(robot, q, v) == pytest.approx(expected, rel=1e-14, abs=1e-14)
    found = matrix(robot, q)
    assert found @ v == pytest.approx(expected, rel=1e-14, abs=1e-14)
    translations = found[:, :3] if convention == "pinocchio" else found[:, 3:]
    assert np.allclose(translations[:3] @ translations[:3].T, mass**2 * np.eye(3), rtol=0.0, atol=1e-13)
    assert not translations[3:].any()


def test_no_digit_is_lost_far_from_the_origin() -> None:
    robot = loaded(make_robot([0, 1, 2], [JointKind.REVOLUTE, JointKind.HELICAL, JointKind.SPHERICAL], 4, True))
    q, v = robot.random_state(np.random.default_rng(6))
    far = q.copy()
    far[:3] = [1e6, 2e6, -3e6]
    assert momentum(robot, far, v).tolist() == momentum(robot, q, v).tolist()
    assert matrix(robot, far).tolist() == matrix(robot, q).tolist()


def test_signatures_name_rows_and_units() -> None:
    model = loaded(single(JointKind.PLANAR)).model
    (found,) = CATALOGUE["centroidal_momentum"].signature(model, Request()).outputs
    assert found.element_names == ("px", "py", "pz", "Lx", "Ly", "Lz")
    assert found.element_units == ("kg m/s",) * 3 + ("kg m^2/s",) * 3
    (found,) = CATALOGUE["centroidal_momentum_matrix"].signature(model, Request()).outputs
    assert found.shape == (6, 3) and found.element_names[:2] == ("px,j.vx", "px,j.vy")
    assert found.element_units == ("kg", "kg", "kg m/rad") * 3 + ("kg m", "kg m", "kg m^2/rad") * 3
