"""Coriolis matrices: passivity, the forces they give, Christoffel's symbols from differences, and a closed form."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import make_robot, robots
from support.robots.small import X, Y, Z, described, joint, loaded, massive, point_mass
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import JointKind, Link, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.model.joints import PRISMATIC, REVOLUTE, JointModel
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
BOTH = ("christoffel", "lemma1")

# Fourth-order differences with a step of 1e-3, as in the partials.
TOLERANCE = 1e-9

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def coriolis(robot: Robot, q: Array, v: Array, factorization: str = "christoffel") -> Array:
    recursion = api.float_recursion(robot, "coriolis_matrix", factorization=factorization)
    return np.array(recursion({"q": q.tolist(), "v": v.tolist()})["C"]).reshape(robot.nv, robot.nv)


def mass_matrix_slope(robot: Robot, q: Array, v: Array) -> Array:
    """DM/dt along v."""
    recursion = api.float_recursion(robot, "mass_matrix")

    def at(step: float) -> Array:
        return np.array(recursion({"q": robot.integrate(q, step * v).tolist()})["M"]).reshape(robot.nv, robot.nv)

    h = 1e-3
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


@settings(max_examples=30)
@given(robots(max_joints=6), st.sampled_from(("pinocchio", "spatial")), st.integers(0, 2**32 - 1))
def test_twice_c_is_the_slope_of_the_mass_matrix_but_for_a_skew_part(
    description: RobotDescription, convention: str, seed: int
) -> None:
    robot = loaded(description, convention=convention)
    q, v = robot.random_state(np.random.default_rng(seed))
    slope = mass_matrix_slope(robot, q, v)
    for factorization in BOTH:
        rest = slope - 2.0 * coriolis(robot, q, v, factorization)
        assert np.abs(rest + rest.T).max() <= TOLERANCE * max(1.0, float(np.abs(slope).max())), factorization


@settings(max_examples=30)
@given(robots(max_joints=8), st.sampled_from(("pinocchio", "spatial")), st.integers(0, 2**32 - 1))
def test_c_times_v_is_the_force_of_motion(description: RobotDescription, convention: str, seed: int) -> None:
    """C v = ID(q, v, 0) - ID(q, 0, 0), where neither losses nor dampers of springs act."""
    robot = loaded(make_plain(description), convention=convention)
    q, v = robot.random_state(np.random.default_rng(seed))
    recursion, still = api.float_recursion(robot, "inverse_dynamics"), [0.0] * robot.nv
    moving = np.array(recursion({"q": q.tolist(), "v": v.tolist(), "a": still})["tau"])
    resting = np.array(recursion({"q": q.tolist(), "v": still, "a": still})["tau"])
    for factorization in BOTH:
        force = coriolis(robot, q, v, factorization) @ v
        scale = max(1.0, float(np.abs(moving).max()), float(np.abs(resting).max()))
        assert np.abs(force - (moving - resting)).max() <= 1e-12 * scale, factorization


def make_plain(description: RobotDescription) -> RobotDescription:
    """The same robot without springs."""
    return replace(description, joints=tuple(replace(item, elastic=None) for item in description.joints))


def test_christoffel_symbols() -> None:
    """C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k for joints with one coordinate."""
    kinds = [JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.HELICAL, JointKind.REVOLUTE, JointKind.UNIVERSAL]
    robot = loaded(make_robot([0, 1, 1, 3, 2], kinds, seed=5, mimics=False, drives=False))
    assert robot.nv == 6
    q, v = robot.random_state(np.random.default_rng(2))
    slopes = np.array([mass_matrix_slope(robot, q, row) for row in np.eye(robot.nv)])  # [k, i, j]
    symbols = 0.5 * (np.einsum("kij->ijk", slopes) + np.einsum("jik->ijk", slopes) - np.einsum("ijk->ijk", slopes))
    expected = symbols @ v
    assert np.abs(coriolis(robot, q, v) - expected).max() <= TOLERANCE * max(1.0, float(np.abs(expected).max()))


def two_links() -> Robot:
    """Two rods as point masses at their ends, lengths 0.5 and 0.4, turning about z."""
    joints = [
        joint("shoulder", JointKind.REVOLUTE, "base", "upper"),
        joint("elbow", JointKind.REVOLUTE, "upper", "lower", at=(0.5, 0.0, 0.0)),
    ]
    links = [Link("base"), point_mass("upper", 2.0, (0.5, 0.0, 0.0)), point_mass("lower", 3.0, (0.4, 0.0, 0.0))]
    return loaded(described(links, joints))


def test_two_link_arm() -> None:
    robot = two_links()
    (q, v), h = (np.array([0.3, 0.8]), np.array([1.1, -0.7])), 3.0 * 0.5 * 0.4 * math.sin(0.8)
    expected = [[-h * v[1], -h * (v[0] + v[1])], [h * v[0], 0.0]]
    assert coriolis(robot, q, v) == pytest.approx(np.array(expected), rel=1e-13, abs=1e-15)


def test_the_factorisations_differ_by_a_skew_matrix_that_v_does_not_feel() -> None:
    joints = [
        joint("ball", JointKind.SPHERICAL, "base", "a", at=(0.1, 0.2, 0.0)),
        joint("turn", JointKind.REVOLUTE, "a", "b", at=(0.0, 0.3, 0.1), axis=X),
        joint("slide", JointKind.PRISMATIC, "b", "c", axis=Y),
        joint("side", JointKind.REVOLUTE, "a", "d", axis=Z),
    ]
    robot = loaded(described([massive(name) for name in ("base", *"abcd")], joints), floating_base=True)
    q, v = robot.random_state(np.random.default_rng(3))
    unlike = coriolis(robot, q, v, "lemma1") - coriolis(robot, q, v)
    assert np.abs(unlike).max() > 0.1
    assert np.abs(unlike + unlike.T).max() <= 1e-12
    assert np.abs(unlike @ v).max() <= 1e-12


@pytest.mark.parametrize("layout", ["unrolled", "rolled", "split"])
@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_layouts_agree_on_lemma_1(layout: str, convention: str) -> None:
    kinds = [JointKind.REVOLUTE, JointKind.SPHERICAL, JointKind.HELICAL, JointKind.REVOLUTE]
    robot = loaded(make_robot([0, 1, 1, 3], kinds, seed=12, floating=True), convention=convention)
    signature = CATALOGUE["coriolis_matrix"].signature(robot.model, Request(factorization="lemma1"))
    inputs = random_inputs(robot, signature, np.random.default_rng(1))
    reference = api.float_recursion(robot, "coriolis_matrix", factorization="lemma1")(inputs)["C"]
    (program,) = api.programs(robot, ["coriolis_matrix"], layout=layout, factorization="lemma1")
    assert relative_error(evaluate_program(program, FloatAlgebra(), inputs)["C"], reference) <= 1e-12


@pytest.mark.parametrize("kind", [REVOLUTE, PRISMATIC])
def test_the_fields_of_one_coordinate_commute(kind: JointModel) -> None:
    assert kind.bracket([0.3], [-0.7]) == [0.0]
