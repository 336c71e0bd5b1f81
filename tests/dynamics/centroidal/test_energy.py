"""Energies against the mass matrix, the work of gravity, energy balance and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import robots
from support.robots.small import Y, described, joint, loaded, massive, point_mass, single
from support.states import random_inputs

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
ENERGIES = ("kinetic_energy", "potential_energy")


def number(robot: Robot, function: str, **inputs: Array) -> float:
    (value,) = api.float_recursion(robot, function)({name: list(map(float, rows)) for name, rows in inputs.items()})[
        "energy"
    ]
    return float(value)


@settings(max_examples=40)
@given(robots(max_joints=10), CONVENTIONS, SEEDS)
def test_kinetic_energy_is_half_v_M_v(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    q, v = robot.random_state(np.random.default_rng(seed))
    tau, still = api.float_recursion(robot, "inverse_dynamics"), [0.0] * robot.nv
    started, held = (tau({"q": q.tolist(), "v": still, "a": a})["tau"] for a in (v.tolist(), still))
    expected = 0.5 * v @ (np.array(started) - np.array(held))  # half of v . M v
    assert number(robot, "kinetic_energy", q=q, v=v) == pytest.approx(expected, rel=1e-10, abs=1e-11)


@settings(max_examples=30)
@given(robots(max_joints=8), CONVENTIONS, SEEDS)
def test_the_slope_of_potential_energy_is_the_force_at_rest(
    description: RobotDescription, convention: str, seed: int
) -> None:
    robot = loaded(description, convention=convention, gravity=(1.0, -2.0, -9.0))
    q, v = robot.random_state(np.random.default_rng(seed))
    v = v / max(1.0, float(np.linalg.norm(v)))
    h = 1e-3
    u = {step: number(robot, "potential_energy", q=robot.integrate(q, step * h * v)) for step in (-2, -1, 1, 2)}
    slope = (8 * (u[1] - u[-1]) - (u[2] - u[-2])) / (12 * h)
    still = [0.0] * robot.nv
    held = api.float_recursion(robot, "inverse_dynamics")({"q": q.tolist(), "v": still, "a": still})["tau"]
    assert slope == pytest.approx(v @ np.array(held), rel=1e-8, abs=1e-8)


@settings(max_examples=8)
@given(robots(max_joints=6), SEEDS)
def test_both_layouts_agree(description: RobotDescription, seed: int) -> None:
    links = [link.name for link in description.links if link.inertial is not None]
    robot = loaded(description, runtime=["gravity.x", "gravity.z", *(f"{name}.mass" for name in links[-1:])])
    for function in ENERGIES:
        signature = CATALOGUE[function].signature(robot.model, Request())
        inputs = random_inputs(robot, signature, np.random.default_rng(seed))
        expected = api.float_recursion(robot, function)(inputs)["energy"]
        for layout in ("unrolled", "rolled"):
            (program,) = api.programs(robot, [function], layout=layout)
            found = evaluate_program(program, FloatAlgebra(), inputs)["energy"]
            assert found == pytest.approx(expected, rel=1e-11, abs=1e-11), (function, layout)


def test_the_zero_of_potential_energy_is_at_the_worlds_origin() -> None:
    """Also of the first link's mass, which no joint force feels."""
    robot = loaded(single(JointKind.REVOLUTE, massive("body", 2.0, (0.1, -0.2, 0.3)), at=(0.0, 0.0, 5.0)))
    assert number(robot, "potential_energy", q=np.array([0.9])) == pytest.approx(2.0 * 9.81 * 5.3, rel=1e-14)
    free = loaded(single(JointKind.FLOATING, massive("body", 2.0, (0.0, 0.0, 0.0))), gravity=(1.0, 2.0, -3.0))
    q = np.array([7.0, 11.0, 13.0, 0.0, 0.0, 0.0, 1.0])
    assert number(free, "potential_energy", q=q) == pytest.approx(-2.0 * (7.0 + 22.0 - 39.0), rel=1e-14)


def test_a_free_body() -> None:
    robot = loaded(single(JointKind.FLOATING, massive("body", 2.0, (0.0, 0.0, 0.0), (0.3, 0.0, 0.0, 0.4, 0.0, 0.5))))
    v = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    expected = 0.5 * 2.0 * 14.0 + 0.5 * (0.3 * 16.0 + 0.4 * 25.0 + 0.5 * 36.0)
    assert number(robot, "kinetic_energy", q=robot.neutral(), v=v) == pytest.approx(expected, rel=1e-14)


def test_a_pendulum_and_its_follower() -> None:
    joints = [
        joint("swing", JointKind.REVOLUTE, "base", "one", axis=Y),
        joint("copy", JointKind.REVOLUTE, "base", "two", axis=Y, mimic=Mimic("swing", 2.0, 0.1)),
    ]
    links = [Link("base"), *(point_mass(name, 1.5, (0.0, 0.0, -0.8)) for name in ("one", "two"))]
    robot = loaded(described(links, joints))
    q, v = np.array([0.3]), np.array([1.7])
    height = -0.8 * (math.cos(0.3) + math.cos(0.7))
    assert number(robot, "potential_energy", q=q) == pytest.approx(1.5 * 9.81 * height, rel=1e-14)
    assert number(robot, "kinetic_energy", q=q, v=v) == pytest.approx(0.5 * 1.5 * 0.64 * 5.0 * 1.7**2, rel=1e-14)


@pytest.mark.parametrize("function", ENERGIES)
def test_the_result_is_one_number(function: str) -> None:
    robot = loaded(single(JointKind.REVOLUTE, axis=Y))
    (energy,) = CATALOGUE[function].signature(robot.model, Request()).outputs
    assert (energy.name, energy.shape, energy.units, energy.size) == ("energy", (), ("J",), 1)
    module = api.compile(robot, [function], target="python")
    inputs = [np.array([0.3]), np.array([0.7])][: 2 if function == "kinetic_energy" else 1]
    (expected,) = api.float_recursion(robot, function)(
        dict(zip("qv", [array.tolist() for array in inputs], strict=False))
    )["energy"]
    found = getattr(module, function)(*inputs)
    assert np.shape(found) == () and found == pytest.approx(expected, rel=1e-14)
    many = getattr(module, function)(*(np.tile(array, (4, 1)) for array in inputs))
    assert many == pytest.approx(np.full(4, expected), rel=1e-14)
