"""The mass matrix against inverse dynamics column by column, in every layout, and against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import robots
from support.robots.small import X, Y, described, joint, loaded, massive, point_mass, single

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import JointKind, Link, Mimic, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
CONVENTIONS = st.sampled_from(("pinocchio", "spatial", "mujoco"))
SEEDS = st.integers(0, 2**32 - 1)


def mass_matrix(robot: Robot, q: Array, **more: list[float]) -> Array:
    flat = api.float_recursion(robot, "mass_matrix")({"q": [float(value) for value in q], **more})["M"]
    return np.array(flat, dtype=float).reshape(robot.nv, robot.nv)


def columns_of_inverse_dynamics(robot: Robot, q: Array, **more: list[float]) -> Array:
    """Column i is the force that acceleration e_i takes beyond what rest takes."""
    recursion = api.float_recursion(robot, "inverse_dynamics")
    zero = [0.0] * robot.nv

    def tau(a: list[float]) -> Array:
        return np.array(recursion({"q": [float(value) for value in q], "v": zero, "a": a, **more})["tau"])

    rest = tau(zero)
    return np.array([tau(row) - rest for row in np.eye(robot.nv).tolist()]).T


def close(found: Array, expected: Array) -> bool:
    # Sums of some hundred terms that cancel, less a bias that may be larger than the column.
    return bool(np.abs(found - expected).max() <= 2e-12 * max(1.0, float(np.abs(expected).max())))


@settings(max_examples=60)
@given(robots(max_joints=10), CONVENTIONS, SEEDS)
def test_columns_are_those_of_inverse_dynamics(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention, joint_losses=True)
    q, _ = robot.random_state(np.random.default_rng(seed))
    M = mass_matrix(robot, q)
    assert close(M, columns_of_inverse_dynamics(robot, q))
    assert np.array_equal(M, M.T)


@settings(max_examples=6)
@given(robots(max_joints=8), CONVENTIONS, SEEDS)
def test_both_layouts_agree(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    q, _ = robot.random_state(np.random.default_rng(seed))
    expected = mass_matrix(robot, q)
    for layout in ("unrolled", "rolled"):
        (program,) = api.programs(robot, ["mass_matrix"], layout=layout)
        found = evaluate_program(program, FloatAlgebra(), {"q": q.tolist()})["M"]
        assert close(np.array(found).reshape(expected.shape), expected), layout


@settings(max_examples=8)
@given(robots(max_joints=6), SEEDS)
def test_runtime_parameters(description: RobotDescription, seed: int) -> None:
    massive_links = [link.name for link in description.links if link.inertial is not None]
    names = [f"{name}.mass" for name in massive_links[:2]] + [f"{name}.com.y" for name in massive_links[-1:]]
    robot = loaded(description, runtime=[*names, f"{description.joints[0].name}.translation.z"])
    rng = np.random.default_rng(seed)
    q, _ = robot.random_state(rng)
    p = (robot.runtime_defaults * rng.uniform(0.8, 1.2, len(robot.runtime_parameters))).tolist()
    M = mass_matrix(robot, q, p=p)
    assert close(M, columns_of_inverse_dynamics(robot, q, p=p))
    (program,) = api.programs(robot, ["mass_matrix"], layout="rolled")
    found = evaluate_program(program, FloatAlgebra(), {"q": q.tolist(), "p": p})["M"]
    assert close(np.array(found).reshape(M.shape), M)


def test_a_double_pendulum_of_points() -> None:
    m1, m2, l1, l2 = 1.3, 0.7, 0.6, 0.9
    joints = [
        joint("q1", JointKind.REVOLUTE, "base", "one", axis=Y),
        joint("q2", JointKind.REVOLUTE, "one", "two", (0.0, 0.0, -l1), axis=Y),
    ]
    links = [Link("base"), point_mass("one", m1, (0.0, 0.0, -l1)), point_mass("two", m2, (0.0, 0.0, -l2))]
    m12 = m2 * l2 * (l2 + l1 * math.cos(-1.1))
    m11 = (m1 + m2) * l1**2 + m2 * l2 * (l2 + 2 * l1 * math.cos(-1.1))
    found = mass_matrix(loaded(described(links, joints)), np.array([0.4, -1.1]))
    assert found == pytest.approx(np.array([[m11, m12], [m12, m2 * l2**2]]), rel=1e-14)


def test_a_follower_adds_to_its_leader() -> None:
    mass, ratio, center = 2.0, -1.5, (0.0, 0.0, 0.0)
    joints = [
        joint("lead", JointKind.PRISMATIC, "base", "a", axis=X),
        joint("follow", JointKind.PRISMATIC, "a", "b", axis=X, mimic=Mimic("lead", ratio)),
    ]
    links = [Link("base"), massive("a", mass, center), massive("b", mass, center)]
    found = mass_matrix(loaded(described(links, joints)), np.array([0.3]))
    assert found == pytest.approx(np.array([[mass + mass * (1.0 + ratio) ** 2]]), rel=1e-14)


def test_branches_do_not_feel_each_other() -> None:
    joints = [
        joint("root", JointKind.SPHERICAL, "base", "trunk"),
        joint("left", JointKind.REVOLUTE, "trunk", "one", (0.1, 0.2, 0.0), axis=X),
        joint("right", JointKind.REVOLUTE, "trunk", "two", (0.1, -0.2, 0.0), axis=Y),
    ]
    robot = loaded(described([Link("base"), massive("trunk"), massive("one"), massive("two")], joints))
    found = mass_matrix(robot, robot.random_state(np.random.default_rng(5))[0])
    separate = robot.velocity_names.index("left"), robot.velocity_names.index("right")
    assert found[separate] == found[separate[::-1]] == 0.0
    assert np.count_nonzero(found) == found.size - 2


def test_a_free_body_has_its_spatial_inertia() -> None:
    robot = loaded(single(JointKind.FLOATING))
    found = mass_matrix(robot, robot.neutral())
    assert found[:3, :3] == pytest.approx(2.0 * np.eye(3), abs=1e-15)
    x, y, z = 0.2, -0.4, 0.6  # m c
    assert found[:3, 3:] == pytest.approx(np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]), abs=1e-15)


def test_the_argument_names_and_units() -> None:
    robot = loaded(
        described(
            [Link("base"), massive("a"), massive("b")],
            [joint("turn", JointKind.REVOLUTE, "base", "a"), joint("slide", JointKind.PRISMATIC, "a", "b")],
        )
    )
    found = CATALOGUE["mass_matrix"].signature(robot.model, Request())
    (M,) = found.outputs
    assert [argument.name for argument in found.inputs] == ["q"] and M.name == "M"
    assert M.element_names == ("turn,turn", "turn,slide", "slide,turn", "slide,slide")
    assert M.element_units == ("kg m^2", "kg m", "kg m", "kg")
    assert found.options["gravity"] == "plays no part"


def test_operations_of_a_seven_joint_arm() -> None:
    """Straight-line code of the plain algorithm takes some 1000 operations for such an arm."""
    robot = api.load_example("seven_dof_arm")
    assert api.cost(robot, ["mass_matrix"], layout="unrolled")["mass_matrix"]["total"] <= 420
